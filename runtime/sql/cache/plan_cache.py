"""Plans of statements that were executed before.

```
text ──────────────────────────────────────> syntax trees
text, parameter types, session ────────────> shape of the rows (describe)
text, parameter types, session, catalog ───> plan over $1, $2 ── values ──> plan of this execution
```

A plan is a function of its key: the statement's text, the types of its parameters, what the session says of names
(search_path, user, cluster, its own temporary objects) and of times (its zone), and the catalog, any change of which empties the cache.  What a
plan takes from the moment or from other settings (`now()`, `current_setting(...)`), or draws (`random()`), is seen while it is planned
(`_Watched`): such a plan is not kept.  A statement whose plan depends on the values of parameters (a LIMIT, rows of
VALUES) is planned with them each time; its syntax tree is kept.  So are errors: none is cached, the ordinary way says
what is wrong.  Answers are never kept.

A look-up whose values stand in its text is planned as the statement with parameters in their places (`auto_parameterization`) from
the second of its kind on: one of a kind that does not come again would only be planned twice.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any, Generic, TypeVar

from ...errors import PtvcError
from ...expr.tree.relation import Relation
from ...expr.tree.relation_tree import inputs
from ...expr.tree.scalar import Literal
from ...repr.types import ScalarType
from ...transform.bind_parameters import parameter_free
from ..catalog.catalog_view import PlanContext, Prepared
from ..parser.parse import Statement, parse
from ..plan import describe, plan, plan_generic, relation_of, with_parameters
from ..plans.plans import PlannedStatement
from ..syntax.connection_statements import ConnectionStatement
from ..syntax.data_statements import (
    CopyStatement,
    DeleteStatement,
    InsertStatement,
    TruncateStatement,
    UpdateStatement,
)
from ..syntax.query_statements import QueryStatement
from ..syntax.session_statements import BeginStatement, CommitStatement, DeclareStatement, RollbackStatement

MAX_ENTRIES = 2_000
MAX_WEIGHT = 64 << 20
MAX_TEXT = 16 << 10
"""A longer statement is hardly ever sent twice."""

TEXT_WEIGHT = 50
"""Bytes of memory per character: a syntax tree is much larger than its text."""

NODE_WEIGHT = 2_000

K = TypeVar("K")
V = TypeVar("V")


@dataclass(frozen=True, slots=True)
class Planned:
    """A plan over parameters; `plan` None: it depends on their values, or on the moment.  `free`: what of it no parameter is in."""

    plan: PlannedStatement | None
    free: tuple[Relation, ...] = ()


@dataclass(frozen=True, slots=True)
class Asked:
    """A statement in its context.  `version` is the catalog's, `types` those of the parameters (None: to be inferred),
    `own_names`: the session has temporary objects."""

    statement: Statement
    context: PlanContext
    version: int
    types: tuple[ScalarType | None, ...]
    own_names: bool

    @property
    def key(self) -> tuple[Any, ...]:
        return (self.statement.sql, self.types, *_session(self.context, self.own_names))


@dataclass(frozen=True, slots=True)
class Described:
    """`lasting`: it depends on nothing but its key."""

    result: Prepared
    lasting: bool


@dataclass(frozen=True, slots=True)
class Made:
    """A plan for some values; `generic` is what is to be kept of it."""

    result: PlannedStatement
    generic: Planned | None


class PlanCache:
    """Of one coordinator, for all sessions."""

    def __init__(self, entries: int = MAX_ENTRIES, weight: int = MAX_WEIGHT) -> None:
        self._statements: _Recent[str, list[Statement]] = _Recent(entries, weight // 4)
        self._prepared: _Recent[tuple[Any, ...], Prepared] = _Recent(entries, weight // 4)
        self._plans: _Recent[tuple[Any, ...], Planned] = _Recent(entries, weight // 2)
        self._parameterized: _Recent[str, bool] = _Recent(entries, weight // 4)
        self._version = 0
        self.hits = 0
        """Executions whose plan was there."""

    # What is known is looked up, and what was made is kept, by one thread; `*_anew` are pure, and may run in any.

    def parse(self, text: str) -> list[Statement]:
        found = self.parsed(text)
        if found is None:
            found = parse(text)
            self.keep_parsed(text, found)
        return found

    def parsed(self, text: str) -> list[Statement] | None:
        return (
            self._statements.get(text) if len(text) <= MAX_TEXT else None
        )  # of which not even a hash is made

    def keep_parsed(self, text: str, statements: list[Statement]) -> None:
        if len(text) <= MAX_TEXT and not any(map(_is_secret, statements)):
            self._statements.put(text, statements, len(text) * TEXT_WEIGHT)

    def came_before(self, parameterized: str) -> bool:
        """Whether a text with these parameters in place of its values has come before, and none was refused."""
        found = self._parameterized.get(parameterized)
        if found is None:
            self._parameterized.put(parameterized, True, len(parameterized))
        return bool(found)

    def refuse(self, parameterized: str) -> None:
        """Texts of this kind are planned with their values, until the catalog changes."""
        self._parameterized.put(parameterized, False, len(parameterized))

    def describe(self, asked: Asked) -> Prepared:
        """As `describe` of sql.plan."""
        found = self.described(asked)
        if found is None:
            made = describe_anew(asked)
            self.keep_described(asked, made)
            found = made.result
        return found

    def described(self, asked: Asked) -> Prepared | None:
        self._keep(asked.version)
        return self._prepared.get(asked.key) if len(asked.statement.sql) <= MAX_TEXT else None

    def keep_described(self, asked: Asked, made: Described) -> None:
        if made.lasting and not _is_secret(asked.statement) and len(asked.statement.sql) <= MAX_TEXT:
            self._prepared.put(asked.key, made.result, NODE_WEIGHT + len(asked.statement.sql))

    def plan(self, asked: Asked, parameters: Sequence[Literal]) -> PlannedStatement:
        """As `plan` of sql.plan."""
        found = self.planned(asked, parameters)
        if found is None:
            made = plan_anew(asked, parameters, self.generic(asked))
            self.keep_planned(asked, made)
            found = made.result
        return found

    def planned(self, asked: Asked, parameters: Sequence[Literal]) -> PlannedStatement | None:
        """The plan of this execution, if it is known for all values."""
        found = self.generic(asked)
        if found is None or found.plan is None:
            return None
        self.hits += 1
        return with_parameters(found.plan, parameters, found.free)

    def generic(self, asked: Asked) -> Planned | None:
        """What is known of the plan for all values."""
        self._keep(asked.version)
        return self._plans.get(asked.key) if len(asked.statement.sql) <= MAX_TEXT else None

    def keep_planned(self, asked: Asked, made: Made) -> None:
        if made.generic is not None and not _is_secret(asked.statement):
            plan_ = made.generic.plan
            weight = 0 if plan_ is None else _nodes(plan_) * NODE_WEIGHT
            self._plans.put(asked.key, made.generic, weight + len(asked.statement.sql))

    def _keep(self, version: int) -> None:
        """Forgets all plans if the catalog has changed."""
        if version != self._version:
            self._version = version
            self._prepared.clear()
            self._plans.clear()
            self._parameterized.clear()


def _is_secret(statement: Statement) -> bool:
    """Whether nothing of the statement may be kept: a password may stand in that of a connection, too, which then fails."""
    return isinstance(statement.node, ConnectionStatement)


def describe_anew(asked: Asked) -> Described:
    watched = _watched(asked.context)
    result = describe(asked.statement, watched, asked.types)
    return Described(result, not watched.seen)


def plan_anew(asked: Asked, parameters: Sequence[Literal], known: Planned | None) -> Made:
    """`known`: what `PlanCache.generic` returned."""
    statement, context = asked.statement, asked.context
    if len(statement.sql) > MAX_TEXT:
        return Made(plan(statement, context, parameters), None)
    found = known
    if found is None:
        found = _generic(statement, context, tuple(parameter.type for parameter in parameters))
    if found.plan is None:
        return Made(plan(statement, context, parameters), found)
    return Made(with_parameters(found.plan, parameters, found.free), found)


def _generic(statement: Statement, context: PlanContext, types: tuple[ScalarType, ...]) -> Planned:
    if not isinstance(statement.node, _KEPT):
        return Planned(None)
    watched = _watched(context)
    try:
        planned = plan_generic(statement, watched, types)
    except PtvcError:
        return Planned(None)  # planned with the values it may do; if not, that is the error to show
    if watched.seen:
        return Planned(None)
    relation = relation_of(planned)
    return Planned(planned, () if relation is None else parameter_free(relation))


_KEPT = (
    QueryStatement
    | InsertStatement
    | UpdateStatement
    | DeleteStatement
    | TruncateStatement
    | CopyStatement
    | DeclareStatement
    | BeginStatement
    | CommitStatement
    | RollbackStatement
)
"""Definitions change what they were planned over; what SHOW and EXPLAIN say is rarely asked twice."""


def _session(context: PlanContext, own_names: bool) -> tuple[Any, ...]:
    """What a plan may depend on, apart from the catalog and from what `_Watched` sees."""
    own = context.temp_schema if own_names else ""
    roles = context.user, context.session_user, context.role, context.hidden
    return context.search_path, context.database, roles, context.cluster, context.zone, own


class _Watched(PlanContext):
    """Tells whether planning has looked at what another execution may find changed."""

    __slots__ = ("seen",)

    seen: bool

    def hold_once(self) -> None:
        object.__setattr__(self, "seen", True)

    def __getattribute__(self, name: str) -> Any:
        if name in ("now_us", "statement_us", "settings", "prepared", "cursors", "pid"):
            object.__setattr__(self, "seen", True)
        return object.__getattribute__(self, name)


def _watched(context: PlanContext) -> _Watched:
    watched = _Watched(*(getattr(context, field.name) for field in fields(PlanContext)))
    object.__setattr__(watched, "seen", False)
    return watched


def _nodes(planned: PlannedStatement) -> int:
    """The number of relations in a plan."""
    relation = relation_of(planned)
    pending = [] if relation is None else [relation]
    seen: set[int] = set()
    while pending:
        node = pending.pop()
        if id(node) not in seen:
            seen.add(id(node))
            pending.extend(inputs(node))
    return 1 + len(seen)


class _Recent(Generic[K, V]):
    """Values by key, the ones used last: at most so many, and so heavy together."""

    def __init__(self, entries: int, weight: int) -> None:
        self._entries = entries
        self._most = weight
        self._weight = 0
        self._values: OrderedDict[K, tuple[V, int]] = OrderedDict()

    def __len__(self) -> int:
        return len(self._values)

    def get(self, key: K) -> V | None:
        found = self._values.get(key)
        if found is None:
            return None
        self._values.move_to_end(key)
        return found[0]

    def put(self, key: K, value: V, weight: int) -> None:
        if weight > self._most:
            return
        before = self._values.pop(key, None)
        self._weight += weight - (0 if before is None else before[1])
        self._values[key] = (value, weight)
        while len(self._values) > self._entries or self._weight > self._most:
            _, (_, dropped) = self._values.popitem(last=False)
            self._weight -= dropped

    def clear(self) -> None:
        self._values.clear()
        self._weight = 0
