"""The plans of what a session has executed before: a step before the plan cache, whose keys say all that a plan depends on.

Here that is compared once for all of them: while the catalog, the roles and the settings that names depend on are as they were, so is
every plan.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ...expr.tree.relation import Relation
from ...repr.types import ScalarType
from ...sql.cache.auto_parameterization import Parameterized
from ...sql.cache.plan_cache import Planned
from ...sql.parser.parse import Statement
from ...sql.plans.plans import PlannedStatement
from ..catalog.catalog import Catalog
from ..query.look_up_plan import LookUpPlan, look_up_plan

MOST = 200
"""So many statements of a session are known, and so many texts of look-ups."""

Types = tuple[ScalarType, ...]


@dataclass(slots=True)
class KnownPlan:
    """A plan over parameters of `types`; `allowed` once the current role was found to be allowed to execute it."""

    statement: Statement
    types: Types
    plan: PlannedStatement
    free: tuple[Relation, ...]
    allowed: bool = False
    _look_up: LookUpPlan | None = None
    _looked_at: bool = False

    def look_up(self, catalog: Catalog, cluster: str) -> LookUpPlan | None:
        """What it is if it is a look-up by an index; of the catalog, and in the cluster, in which it is known."""
        if not self._looked_at:
            self._look_up, self._looked_at = look_up_plan(self.plan, catalog, cluster), True
        return self._look_up


class KnownPlans:
    """Of one session.  `state` gives all that plans depend on beside statement and types, as it is now."""

    def __init__(self, state: Callable[[], tuple[object, ...]]) -> None:
        self._state = state
        self._then: tuple[object, ...] = ()
        self._plans: dict[tuple[int, Types], KnownPlan] = {}
        self._texts: dict[tuple[str, tuple[ScalarType | None, ...]], tuple[Statement, Types]] = {}

    def plan(self, statement: Statement, types: Types) -> KnownPlan | None:
        """Clients send a number as the narrowest type that holds it: so one statement is known with several types."""
        self._refresh()
        known = self._plans.get((id(statement), types))
        return known if known is not None and known.statement is statement else None

    def keep(self, statement: Statement, types: Types, planned: Planned) -> KnownPlan | None:
        """None for what is planned with the values each time."""
        if planned.plan is None:
            return None
        self._refresh()
        if len(self._plans) >= MOST:
            self._plans.clear()
        known = self._plans[id(statement), types] = KnownPlan(statement, types, planned.plan, planned.free)
        return known

    def text(self, parameterized: Parameterized) -> tuple[Statement, Types] | None:
        """The statement and the types of its parameters, of a look-up that stands with other values in a text."""
        self._refresh()
        return self._texts.get((parameterized.text, parameterized.types))

    def keep_text(self, parameterized: Parameterized, statement: Statement, types: Types) -> None:
        self._refresh()
        if len(self._texts) >= MOST:
            self._texts.clear()
        self._texts[parameterized.text, parameterized.types] = statement, types

    def _refresh(self) -> None:
        now = self._state()
        if now != self._then:
            self._then = now
            self._plans.clear()
            self._texts.clear()
