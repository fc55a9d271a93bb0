"""The syntax tree of statements, names unresolved.  Queries and expressions within are of `ast`."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass

from .ast import (
    AsOf,
    Boolean,
    Decimal,
    Expression,
    FromItem,
    Integer,
    Name,
    Null,
    Query,
    SelectItem,
    SortKey,
    String,
    TypeName,
)
from .constraints import ConstraintKind
from .plans import CopyOptions, Direction, ExplainFormat, ExplainStage, ObjectKind

ObjectName = Name
_CONSTANTS = Integer | Decimal | String | Boolean | Null
OptionValue = str | int | bool


@dataclass(frozen=True, slots=True)
class QueryStatement:
    query: Query
    as_of: AsOf | None = None


@dataclass(frozen=True, slots=True)
class SubscribeStatement:
    """`envelope` is none, upsert or debezium; `key` are its columns, `order` is within a timestamp."""

    query: Query
    snapshot: bool
    progress: bool
    as_of: AsOf | None
    up_to: Expression | None
    order: tuple[SortKey, ...]
    envelope: str
    key: tuple[Name, ...]
    position: int


@dataclass(frozen=True, slots=True)
class ExplainStatement:
    """`what` is plan, timestamp, pushdown or analyze; of a query, of one that was prepared, or of the object of that kind and
    name."""

    what: str
    stage: ExplainStage
    format: ExplainFormat
    query: Query | None
    kind: ObjectKind | None = None
    name: ObjectName | None = None
    measures: tuple[str, ...] = ()
    execute: ExecuteStatement | None = None
    as_of: AsOf | None = None


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
class CopyStatement:
    """FROM STDIN with a table, or TO STDOUT with a table, a query or a subscription."""

    table: ObjectName | None
    columns: tuple[Name, ...] | None
    query: Query | SubscribeStatement | None
    incoming: bool
    options: CopyOptions
    as_of: AsOf | None = None


@dataclass(frozen=True, slots=True)
class ColumnDefinition:
    name: str
    type: TypeName
    not_null: bool
    default: Expression | None
    position: int


@dataclass(frozen=True, slots=True)
class ConstraintDefinition:
    """`columns` are a key's; for a CHECK behind a column, that column.  `text` is that of `check`."""

    name: str | None
    kind: ConstraintKind
    columns: tuple[Name, ...]
    nulls_distinct: bool
    check: Expression | None
    position: int
    text: str = ""


@dataclass(frozen=True, slots=True)
class CreateTableStatement:
    name: ObjectName
    columns: tuple[ColumnDefinition, ...]
    if_not_exists: bool
    temporary: bool
    query: Query | None = None
    column_names: tuple[str, ...] = ()
    with_data: bool = True
    constraints: tuple[ConstraintDefinition, ...] = ()
    retain_history_ms: int | None = None


@dataclass(frozen=True, slots=True)
class CreateViewStatement:
    name: ObjectName
    columns: tuple[str, ...]
    query: Query
    or_replace: bool
    if_not_exists: bool
    temporary: bool


@dataclass(frozen=True, slots=True)
class CreateMaterializedViewStatement:
    name: ObjectName
    columns: tuple[str, ...]
    query: Query
    cluster: Name | None
    or_replace: bool
    if_not_exists: bool
    retain_history_ms: int | None
    assert_not_null: tuple[Name, ...]
    replaces: ObjectName | None = None


@dataclass(frozen=True, slots=True)
class CreateIndexStatement:
    """`keys` None is the DEFAULT index: all columns; `texts` are the keys as they were written."""

    name: str | None
    cluster: Name | None
    on: ObjectName
    keys: tuple[Expression, ...] | None
    if_not_exists: bool
    texts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Option:
    name: str
    value: OptionValue | tuple[str, ...]
    position: int


@dataclass(frozen=True, slots=True)
class CreateSourceStatement:
    """`path` None is the load generator."""

    name: ObjectName
    columns: tuple[ColumnDefinition, ...]
    primary_key: tuple[Name, ...]
    cluster: Name | None
    path: str | None
    generator: tuple[Option, ...]
    format: str
    options: tuple[Option, ...]
    key: tuple[Name, ...]
    envelope: str
    if_not_exists: bool
    position: int
    retain_history_ms: int | None = None


@dataclass(frozen=True, slots=True)
class CreateSinkStatement:
    name: ObjectName
    cluster: Name | None
    from_name: ObjectName
    path: str
    format: str
    key: tuple[Name, ...]
    envelope: str
    if_not_exists: bool
    position: int


@dataclass(frozen=True, slots=True)
class CreateSchemaStatement:
    name: str
    if_not_exists: bool


@dataclass(frozen=True, slots=True)
class CreateClusterStatement:
    name: str
    options: tuple[Option, ...]
    if_not_exists: bool


@dataclass(frozen=True, slots=True)
class AlterClusterStatement:
    name: Name
    options: tuple[Option, ...]


@dataclass(frozen=True, slots=True)
class AlterRetentionStatement:
    """SET (RETAIN HISTORY FOR ...); None is RESET."""

    kind: ObjectKind
    name: ObjectName
    retain_history_ms: int | None
    if_exists: bool


@dataclass(frozen=True, slots=True)
class DropStatement:
    kind: ObjectKind
    names: tuple[ObjectName, ...]
    if_exists: bool
    cascade: bool


@dataclass(frozen=True, slots=True)
class RenameStatement:
    kind: ObjectKind
    name: ObjectName
    new_name: str
    if_exists: bool


@dataclass(frozen=True, slots=True)
class AddColumn:
    column: ColumnDefinition
    constraints: tuple[ConstraintDefinition, ...]
    if_not_exists: bool


@dataclass(frozen=True, slots=True)
class DropColumn:
    name: Name
    if_exists: bool
    cascade: bool


@dataclass(frozen=True, slots=True)
class AddConstraint:
    constraint: ConstraintDefinition


@dataclass(frozen=True, slots=True)
class DropConstraint:
    name: Name
    if_exists: bool


@dataclass(frozen=True, slots=True)
class RenameConstraint:
    name: Name
    new_name: str


@dataclass(frozen=True, slots=True)
class RenameColumn:
    name: Name
    new_name: str


@dataclass(frozen=True, slots=True)
class SetNotNull:
    column: Name
    not_null: bool


@dataclass(frozen=True, slots=True)
class SetDefault:
    """Without `default` there is none any more."""

    column: Name
    default: Expression | None


TableAction = (
    AddColumn
    | DropColumn
    | AddConstraint
    | DropConstraint
    | RenameConstraint
    | RenameColumn
    | SetNotNull
    | SetDefault
)


@dataclass(frozen=True, slots=True)
class AlterTableStatement:
    """`kind` says what the statement calls the relation; only columns of views can be renamed."""

    kind: ObjectKind
    name: ObjectName
    actions: tuple[TableAction, ...]
    if_exists: bool


@dataclass(frozen=True, slots=True)
class SwapStatement:
    kind: ObjectKind
    first: ObjectName
    second: ObjectName


@dataclass(frozen=True, slots=True)
class ApplyReplacementStatement:
    name: ObjectName
    replacement: ObjectName
    if_exists: bool


@dataclass(frozen=True, slots=True)
class CommentStatement:
    kind: ObjectKind
    name: ObjectName
    text: str | None


@dataclass(frozen=True, slots=True)
class SetStatement:
    name: str
    value: str | None
    local: bool


@dataclass(frozen=True, slots=True)
class ShowVariableStatement:
    name: str | None


@dataclass(frozen=True, slots=True)
class ShowObjectsStatement:
    """`kind` is tables, views, ..., or columns and create (of `name`, an object of kind `create_kind`).  Shown are the
    objects of `schema`, on `on` (indexes), in `cluster`, with names `like` a pattern, or for which `where` holds, a
    condition on what is shown."""

    kind: str
    name: ObjectName | None = None
    schema: str | None = None
    like: str | None = None
    create_kind: str | None = None
    where: str | None = None
    on: ObjectName | None = None
    cluster: Name | None = None


@dataclass(frozen=True, slots=True)
class BeginStatement:
    read_only: bool


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
    name: str | None
    all_session_state: bool


@dataclass(frozen=True, slots=True)
class NoOpStatement:
    tag: str


PreparableNode = QueryStatement | InsertStatement | UpdateStatement | DeleteStatement | MergeStatement

StatementNode = (
    QueryStatement
    | SubscribeStatement
    | ExplainStatement
    | InsertStatement
    | UpdateStatement
    | DeleteStatement
    | MergeStatement
    | TruncateStatement
    | CopyStatement
    | CreateTableStatement
    | CreateViewStatement
    | CreateMaterializedViewStatement
    | CreateIndexStatement
    | CreateSourceStatement
    | CreateSinkStatement
    | CreateSchemaStatement
    | CreateClusterStatement
    | AlterClusterStatement
    | AlterRetentionStatement
    | DropStatement
    | RenameStatement
    | AlterTableStatement
    | SwapStatement
    | ApplyReplacementStatement
    | CommentStatement
    | SetStatement
    | ShowVariableStatement
    | ShowObjectsStatement
    | BeginStatement
    | CommitStatement
    | RollbackStatement
    | SavepointStatement
    | RollbackToStatement
    | ReleaseStatement
    | PrepareStatement
    | ExecuteStatement
    | DeclareStatement
    | FetchStatement
    | CloseStatement
    | DeallocateStatement
    | NoOpStatement
)

AT_ONCE = (
    SavepointStatement
    | RollbackToStatement
    | ReleaseStatement
    | FetchStatement
    | CloseStatement
    | DeallocateStatement
    | SetStatement
    | ShowVariableStatement
)
"""Statements whose planning is no work at all."""

KIND_WORDS: Mapping[str, ObjectKind] = {kind.value.lower(): kind for kind in ObjectKind}
