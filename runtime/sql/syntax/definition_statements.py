"""The syntax tree of definitions: CREATE, ALTER, DROP, COMMENT."""

from __future__ import annotations

from dataclasses import dataclass

from ...storage.source.upstream_tables import UpstreamTables
from .ast import (
    Expression,
    Name,
    Query,
    TypeName,
)
from .constraints import ConstraintKind
from .query_statements import ObjectName
from .sink_statements import OutsideClause
from .source_statements import KafkaSourceClause, UpstreamSourceClause
from .vocabulary import ObjectKind, OfferKind

OptionValue = str | int | float | bool


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
    drop_on_commit: bool = False


@dataclass(frozen=True, slots=True)
class CreateTypeStatement:
    """`type` is the list or the map that is to have the name."""

    name: ObjectName
    type: TypeName


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
    retain_history_ms: int | None = None


@dataclass(frozen=True, slots=True)
class RetainRowsClause:
    """`RETAIN ROWS FOR duration BY column`"""

    duration_ms: int
    column: Name
    position: int


@dataclass(frozen=True, slots=True)
class Option:
    name: str
    value: OptionValue | tuple[str, ...] | RetainRowsClause
    position: int


@dataclass(frozen=True, slots=True)
class S3SourceClause:
    """What stands behind FROM S3, up to the format."""

    connection: Name
    options: tuple[Option, ...]
    position: int


@dataclass(frozen=True, slots=True)
class LakeSourceClause:
    """What stands behind FROM ICEBERG CATALOG, and behind FROM DELTA, which has no connection to a catalog.  `files` is the one to AWS."""

    connection: Name | None
    options: tuple[Option, ...]
    files: Name | None
    position: int


@dataclass(frozen=True, slots=True)
class SourceTableName:
    """Of FOR TABLES: what upstream calls it, and what the table is to be called, if that is said."""

    reference: ObjectName
    name: ObjectName | None


@dataclass(frozen=True, slots=True)
class DeadLettersClause:
    """`[DEAD LETTERS AS name] WITH (ON ERROR = DEAD LETTER)`"""

    name: ObjectName | None
    position: int


@dataclass(frozen=True, slots=True)
class WhereClause:
    """`WHERE (condition)` of a source; `text` is that of the condition."""

    condition: Expression
    text: str
    position: int


@dataclass(frozen=True, slots=True)
class CreateSourceStatement:
    """With `kafka` it is one of KAFKA, with `upstream` one of POSTGRES or MYSQL, with `s3` one of S3, with `lake` one of a table in a lake; else `path` None is a load generator, of which `generator_kind` says which.  `tables` are those to make from it, None of
    a statement without FOR ..., () of FOR ALL TABLES."""

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
    generator_kind: str = ""
    tables: tuple[SourceTableName, ...] | None = None
    progress: ObjectName | None = None
    kafka: KafkaSourceClause | None = None
    dead_letters: DeadLettersClause | None = None
    upstream: UpstreamSourceClause | None = None
    where: WhereClause | None = None
    excluded: tuple[Name, ...] = ()
    retain_rows: RetainRowsClause | None = None
    s3: S3SourceClause | None = None
    lake: LakeSourceClause | None = None

    @property
    def lists_columns(self) -> bool:
        """Whether it reads files or a table of a lake, wherever they are: it says which columns there are."""
        return self.path is not None or self.s3 is not None or self.lake is not None


@dataclass(frozen=True, slots=True)
class CreateSourceTableStatement:
    """CREATE TABLE ... FROM SOURCE.  `text` and `excluded` are its columns of TEXT COLUMNS and EXCLUDE COLUMNS; `published` is what upstream
    has, once it was asked."""

    name: ObjectName
    source: ObjectName
    reference: ObjectName
    if_not_exists: bool
    retain_history_ms: int | None = None
    text: tuple[Name, ...] = ()
    excluded: tuple[Name, ...] = ()
    published: UpstreamTables | None = None
    where: WhereClause | None = None
    retain_rows: RetainRowsClause | None = None


@dataclass(frozen=True, slots=True)
class WebhookHeader:
    """`INCLUDE HEADER header AS column [BYTES]`"""

    header: str
    column: str
    binary: bool
    position: int


@dataclass(frozen=True, slots=True)
class WebhookInput:
    """Of a check: `HEADERS`, `BODY` or `SECRET secret`, `[AS alias] [BYTES]`"""

    word: str
    secret: ObjectName | None
    alias: str | None
    binary: bool
    position: int


@dataclass(frozen=True, slots=True)
class WebhookCheck:
    """`text` is that of the expression."""

    inputs: tuple[WebhookInput, ...]
    expression: Expression
    text: str


@dataclass(frozen=True, slots=True)
class CreateWebhookStatement:
    """CREATE SOURCE ... FROM WEBHOOK.  `headers` are those of INCLUDE HEADERS, each with whether it is left out; None without the
    clause."""

    name: ObjectName
    cluster: Name | None
    format: str
    array: bool
    headers: tuple[tuple[str, bool], ...] | None
    columns: tuple[WebhookHeader, ...]
    check: WebhookCheck | None
    options: tuple[Option, ...]
    if_not_exists: bool
    position: int
    where: WhereClause | None = None


@dataclass(frozen=True, slots=True)
class CreateSinkStatement:
    """`path` and `format` are of FILE, `outside` is of what a connection leads to."""

    name: ObjectName
    cluster: Name | None
    from_name: ObjectName
    path: str
    format: str
    key: tuple[Name, ...]
    envelope: str
    if_not_exists: bool
    position: int
    outside: OutsideClause | None = None


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
class Waiting:
    """WITH (WAIT UNTIL READY (TIMEOUT ..., ON TIMEOUT ...)): how long, and whether everything stays as it was if that is not enough."""

    timeout_ms: int
    rolls_back: bool


@dataclass(frozen=True, slots=True)
class AlterClusterStatement:
    """Either of `options` and `reset` is empty.  Without `waiting` it returns at once."""

    name: Name
    options: tuple[Option, ...]
    reset: tuple[Option, ...]
    if_exists: bool
    waiting: Waiting | None = None


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
class SetSchemaStatement:
    kind: ObjectKind
    name: ObjectName
    schema: Name
    if_exists: bool


@dataclass(frozen=True, slots=True)
class AddWhereStatement:
    """ALTER SOURCE | TABLE ... ADD WHERE"""

    kind: ObjectKind
    name: ObjectName
    where: WhereClause
    if_exists: bool


@dataclass(frozen=True, slots=True)
class ApplyOffersStatement:
    """ALTER SOURCE | TABLE ... APPLY: what EXPLAIN SOURCE offers, of the kinds that are listed, or of all."""

    kind: ObjectKind
    name: ObjectName
    offers: frozenset[OfferKind]
    if_exists: bool


@dataclass(frozen=True, slots=True)
class AlterSinkStatement:
    """SET FROM a relation, or SET CLUSTER: one of the two."""

    name: ObjectName
    from_name: ObjectName | None
    cluster: Name | None
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
    if_exists: bool


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


CreateStatement = (
    CreateTableStatement
    | CreateViewStatement
    | CreateMaterializedViewStatement
    | CreateIndexStatement
    | CreateSourceStatement
    | CreateSourceTableStatement
    | CreateWebhookStatement
    | CreateSinkStatement
    | CreateSchemaStatement
    | CreateClusterStatement
    | CreateTypeStatement
)

DefinitionStatement = (
    CreateStatement
    | AlterClusterStatement
    | AlterRetentionStatement
    | AddWhereStatement
    | ApplyOffersStatement
    | AlterSinkStatement
    | AlterTableStatement
    | ApplyReplacementStatement
    | CommentStatement
    | DropStatement
    | RenameStatement
    | SetSchemaStatement
    | SwapStatement
)
