"""What a session's statements mean: known, from the plan cache, or planned in a worker thread against one version of the catalog.

What was executed before is known without asking the cache, which is everybody's, while the catalog and the settings that names depend
on are the same (`KnownPlans`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from ...errors import DataError, PtvcError, Unsupported
from ...expr.tree.scalar import Literal
from ...repr.types import ScalarType
from ...sql.cache.auto_parameterization import is_parameterizable, parameterize
from ...sql.cache.plan_cache import MAX_TEXT, Asked, PlanCache, describe_anew, plan_anew
from ...sql.catalog.catalog_view import PlanContext, Prepared
from ...sql.parser.parse import Statement, parse
from ...sql.plan import describe, plan, result_schema, with_parameters
from ...sql.plans.plans import PlannedStatement
from ...sql.plans.session_plans import Execute
from ...sql.syntax.session_statements import ExecuteStatement
from ...sql.syntax.statements import AT_ONCE
from ..catalog.catalog import Catalog
from ..query.look_up_plan import LookUpPlan
from ..results.results import check_shape
from ..thread_pool import PLANNING
from ..variables import Variables
from .known_plans import KnownPlans
from .session_roles import SessionRoles

MAX_ATTEMPTS = 5

T = TypeVar("T")


class Planning:
    """Of one session, whose context at the moment `context` says, and `source` the catalog: everybody's, or a block's.

    `variables` and `roles` are what of the context a plan may depend on.
    """

    def __init__(
        self,
        source: Callable[[], tuple[Catalog, PlanCache]],
        temp_schema: str,
        context: Callable[[], PlanContext],
        variables: Variables,
        roles: SessionRoles,
    ) -> None:
        self._source = source
        self._temp_schema = temp_schema
        self._context = context
        self._variables = variables
        self._roles = roles
        self._known = KnownPlans(self._state)

    def _state(self) -> tuple[object, ...]:
        catalog = self._catalog
        return catalog, catalog.version, self._roles.actor, *self._variables.naming

    @property
    def _catalog(self) -> Catalog:
        return self._source()[0]

    @property
    def _plans(self) -> PlanCache:
        return self._source()[1]

    async def parse(self, sql: str) -> list[Statement]:
        statements = self._plans.parsed(sql)
        if statements is None:
            # Parsing takes time in proportion to the text, so what is short is parsed at once.
            statements = parse(sql) if len(sql) <= MAX_TEXT else await PLANNING.run(lambda: parse(sql))
            self._plans.keep_parsed(sql, statements)
        return statements

    async def look_up(self, sql: str) -> tuple[Statement, tuple[Literal, ...]] | None:
        """The statement with parameters, planned, and their values, if `sql` is a look-up that is no other but for these.

        None for any other text, and for what such a statement would be an error of: `sql` itself says what is wrong.
        """
        plans = self._plans
        if (
            plans.parsed(sql) is not None
            or (parameterized := parameterize(sql)) is None
            or not plans.came_before(parameterized.text)
        ):
            return None
        try:
            if (known := self._known.text(parameterized)) is not None:
                values = parameterized.literals(known[1])
                return None if values is None else (known[0], values)
            (statement,) = await self.parse(parameterized.text)
            types = (await self.describe(statement, parameterized.types)).parameter_types
            values = parameterized.literals(types)
            if values is not None:
                planned = plans.generic(self._asked(statement, types))
                if planned is None:
                    await self.plan(statement, values)
                    planned = plans.generic(self._asked(statement, types))
                if planned is not None and is_parameterizable(planned.plan):
                    self._known.keep_text(parameterized, statement, types)
                    return statement, values
        except DataError:
            return None  # a value that is none of its type: others of the kind may be
        except PtvcError:
            pass
        plans.refuse(parameterized.text)
        return None

    async def describe(self, statement: Statement, types: tuple[ScalarType | None, ...]) -> Prepared:
        if isinstance(statement.node, AT_ONCE | ExecuteStatement):
            return describe(statement, self._context(), types)
        found = self._plans.described(self._asked(statement, types))
        if found is None:
            asked, made = await self._unchanged(describe_anew, statement, types)
            self._plans.keep_described(asked, made)
            found = made.result
        return found

    async def plan(self, statement: Statement, parameters: Sequence[Literal]) -> PlannedStatement:
        if _at_once(statement):
            return plan(statement, self._context(), parameters)
        types = tuple(parameter.type for parameter in parameters)
        if not any(map(_large, parameters)):  # rules compute with them
            known = self._known.plan(statement, types)
            if known is None and (found := self._plans.generic(self._asked(statement, types))) is not None:
                known = self._known.keep(statement, types, found)
            if known is not None:
                self._plans.hits += 1
                return with_parameters(known.plan, parameters, known.free)
        asked, made = await self._unchanged(
            lambda asked: plan_anew(asked, parameters, self._plans.generic(asked)), statement, types
        )
        self._plans.keep_planned(asked, made)
        return made.result

    def look_up_plan(self, statement: Statement, parameters: Sequence[Literal]) -> LookUpPlan | None:
        """How the statement is executed if it is a look-up that this session has executed before, and may execute."""
        if not parameters:
            return None
        known = self._known.plan(statement, tuple(parameter.type for parameter in parameters))
        if known is None or not known.allowed:
            return None
        found = known.look_up(self._catalog, self._variables.get("cluster"))
        self._plans.hits += found is not None
        return found

    def allowed(self, statement: Statement, parameters: Sequence[Literal]) -> None:
        """The current role may execute it."""
        known = self._known.plan(statement, tuple(parameter.type for parameter in parameters))
        if known is not None:
            known.allowed = True

    async def plan_prepared(
        self, prepared: Prepared, parameters: Sequence[Literal]
    ) -> tuple[Statement, PlannedStatement]:
        """What EXECUTE runs; 0A000 if its rows are not any more what they were."""
        (statement,) = await self.parse(prepared.sql)
        try:
            planned = await self.plan(statement, parameters)
        except PtvcError as error:
            if error.position is not None and prepared.text is not None:  # it counts in PREPARE's text
                error.position += len(prepared.text) - len(prepared.sql)
            raise
        if isinstance(planned, Execute):
            raise Unsupported("EXECUTE of a prepared EXECUTE is not supported")
        check_shape(prepared.schema, result_schema(planned))
        return statement, planned

    async def plan_anew(self, statement: Statement, parameters: Sequence[Literal]) -> PlannedStatement:
        """As `plan`, whatever is known: the catalog will not change until the caller does it."""
        return (await self._unchanged(lambda asked: plan(statement, asked.context, parameters), statement))[1]

    async def _unchanged(
        self, work: Callable[[Asked], T], statement: Statement, types: tuple[ScalarType | None, ...] = ()
    ) -> tuple[Asked, T]:
        """What `work` makes of the statement, computed beside the loop while the catalog stood still.

        Whatever came of it is forgotten if the catalog has changed meanwhile: then it looked at a mixture.  Under ever
        new changes the loop is kept waiting in the end.
        """
        for _ in range(MAX_ATTEMPTS):
            asked = self._asked(statement, types)
            try:
                result = await PLANNING.run(lambda asked=asked: work(asked))  # type: ignore[misc]
            except Exception:
                if self._catalog.version == asked.version:
                    raise
            else:
                if self._catalog.version == asked.version:
                    return asked, result
        asked = self._asked(statement, types)
        return asked, work(asked)

    def _asked(self, statement: Statement, types: tuple[ScalarType | None, ...]) -> Asked:
        catalog = self._catalog
        own_names = catalog.has_objects_in(self._temp_schema)
        return Asked(statement, self._context(), catalog.version, types, own_names)


def _large(parameter: Literal) -> bool:
    value = parameter.value
    return isinstance(value, str | bytes | list | dict) and len(value) > MAX_TEXT


def _at_once(statement: Statement) -> bool:
    """Whether planning is no work: a thread would cost more."""
    node = statement.node
    return isinstance(node, AT_ONCE) or (
        isinstance(node, ExecuteStatement) and node.constant and len(statement.sql) <= MAX_TEXT
    )
