"""The syntax tree of statements that write rows, and of COPY."""

from __future__ import annotations

import enum
from dataclasses import dataclass

from .ast import (
    AsOf,
    Expression,
    FromItem,
    Name,
    Query,
    SelectItem,
)
from .query_statements import ObjectName, SubscribeStatement
from .vocabulary import CopyOptions


@dataclass(frozen=True, slots=True)
class Target:
    """The table that DML writes, and its alias."""

    name: ObjectName
    alias: str | None


@dataclass(frozen=True, slots=True)
class ConflictClause:
    """ON CONFLICT: its arbiter by `columns` or `constraint` (neither: any key); without `assignments` DO NOTHING."""

    columns: tuple[Name, ...] | None
    constraint: Name | None
    assignments: tuple[tuple[Name, Expression], ...]
    where: Expression | None
    position: int


@dataclass(frozen=True, slots=True)
class InsertStatement:
    """`query` None is DEFAULT VALUES."""

    target: Target
    columns: tuple[Name, ...] | None
    query: Query | None
    returning: tuple[SelectItem, ...]
    conflict: ConflictClause | None = None


class MergeAction(enum.Enum):
    NOTHING = "do nothing"
    INSERT = "insert"
    UPDATE = "update"
    DELETE = "delete"


@dataclass(frozen=True, slots=True)
class MergeClause:
    """A WHEN of MERGE.  `target` and `source` say whether there is a row on that side; an INSERT without `values`
    is of DEFAULT VALUES."""

    target: bool
    source: bool
    condition: Expression | None
    action: MergeAction
    assignments: tuple[tuple[Name, Expression], ...]
    columns: tuple[Name, ...] | None
    values: tuple[Expression, ...] | None
    position: int


@dataclass(frozen=True, slots=True)
class MergeStatement:
    target: Target
    source: FromItem
    on: Expression
    clauses: tuple[MergeClause, ...]
    position: int


@dataclass(frozen=True, slots=True)
class UpdateStatement:
    target: Target
    assignments: tuple[tuple[Name, Expression], ...]
    from_items: tuple[FromItem, ...]
    where: Expression | None
    returning: tuple[SelectItem, ...]


@dataclass(frozen=True, slots=True)
class DeleteStatement:
    target: Target
    using: tuple[FromItem, ...]
    where: Expression | None
    returning: tuple[SelectItem, ...]


@dataclass(frozen=True, slots=True)
class TruncateStatement:
    tables: tuple[ObjectName, ...]


@dataclass(frozen=True, slots=True)
class CopyPlace:
    """Where files are to be written: a directory of the server, or a prefix of S3 by the connection."""

    place: str
    connection: Name | None
    max_file_size: str | None
    position: int


@dataclass(frozen=True, slots=True)
class CopyStatement:
    """FROM STDIN with a table, or TO STDOUT, or files, with a table, a query or a subscription."""

    table: ObjectName | None
    columns: tuple[Name, ...] | None
    query: Query | SubscribeStatement | None
    incoming: bool
    options: CopyOptions
    as_of: AsOf | None = None
    place: CopyPlace | None = None


@dataclass(frozen=True, slots=True)
class ReplayStatement:
    """`ALTER SOURCE source REPLAY DEAD LETTERS [SET column = expression, ...] [WHERE condition]`"""

    source: ObjectName
    assignments: tuple[tuple[Name, Expression], ...]
    where: Expression | None
    if_exists: bool


DataStatement = (
    InsertStatement
    | UpdateStatement
    | DeleteStatement
    | MergeStatement
    | TruncateStatement
    | CopyStatement
    | ReplayStatement
)
