"""The syntax tree of statements about a session: settings, transactions, prepared statements, cursors."""

from __future__ import annotations

from dataclasses import dataclass

from .ast import (
    AsOf,
    Boolean,
    Decimal,
    Expression,
    Integer,
    Null,
    Query,
    String,
    TypeName,
)
from .data_statements import DeleteStatement, InsertStatement, MergeStatement, UpdateStatement
from .query_statements import QueryStatement, SubscribeStatement
from .vocabulary import Direction, Discarded

_CONSTANTS = Integer | Decimal | String | Boolean | Null


@dataclass(frozen=True, slots=True)
class SetStatement:
    """SET, or with `reset` RESET; `value` None: what the session began with."""

    name: str
    value: str | None
    local: bool
    reset: bool = False


@dataclass(frozen=True, slots=True)
class BeginStatement:
    """BEGIN, or with `start` START TRANSACTION; `read_only` None: it does not choose."""

    read_only: bool | None
    start: bool = False


@dataclass(frozen=True, slots=True)
class SetTransactionStatement:
    """SET TRANSACTION; `read_only` None: it does not choose."""

    read_only: bool | None


@dataclass(frozen=True, slots=True)
class CommitStatement:
    pass


@dataclass(frozen=True, slots=True)
class RollbackStatement:
    pass


@dataclass(frozen=True, slots=True)
class SavepointStatement:
    name: str


@dataclass(frozen=True, slots=True)
class RollbackToStatement:
    name: str


@dataclass(frozen=True, slots=True)
class ReleaseStatement:
    name: str


@dataclass(frozen=True, slots=True)
class PrepareStatement:
    """`sql` is the text of `statement`, which is a query or changes data.  A type None is to be inferred."""

    name: str
    types: tuple[TypeName | None, ...]
    statement: PreparableNode
    sql: str


@dataclass(frozen=True, slots=True)
class ExecuteStatement:
    name: str
    arguments: tuple[Expression, ...]

    @property
    def constant(self) -> bool:
        """Whether the arguments are as they are written: nothing has to be computed."""
        return all(isinstance(argument, _CONSTANTS) for argument in self.arguments)


@dataclass(frozen=True, slots=True)
class DeclareStatement:
    """`scroll` is where SCROLL is written."""

    name: str
    query: Query | SubscribeStatement
    hold: bool
    binary: bool
    scroll: int | None
    as_of: AsOf | None = None


@dataclass(frozen=True, slots=True)
class FetchStatement:
    """FETCH and MOVE, as `plans.Fetch`."""

    name: str
    direction: Direction
    count: int | None
    move: bool
    timeout_ms: int | None = None


@dataclass(frozen=True, slots=True)
class CloseStatement:
    """`name` None is ALL."""

    name: str | None


@dataclass(frozen=True, slots=True)
class DeallocateStatement:
    """`name` None is ALL."""

    name: str | None


@dataclass(frozen=True, slots=True)
class DiscardStatement:
    what: Discarded


@dataclass(frozen=True, slots=True)
class NoOpStatement:
    tag: str


PreparableNode = QueryStatement | InsertStatement | UpdateStatement | DeleteStatement | MergeStatement


SessionStatement = (
    SetStatement
    | SetTransactionStatement
    | BeginStatement
    | CommitStatement
    | RollbackStatement
    | SavepointStatement
    | RollbackToStatement
    | ReleaseStatement
    | FetchStatement
    | CloseStatement
    | DeallocateStatement
    | DiscardStatement
    | NoOpStatement
)

NestingStatement = PrepareStatement | ExecuteStatement | DeclareStatement
"""Statements that are about another one, which they hold or name."""
