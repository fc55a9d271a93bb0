"""Planned statements: what `sql/` hands to the coordinator.

One frozen dataclass per statement.  Names are resolved to ids, expressions typed, subqueries decorrelated; views
are already inlined, so a relation reads only tables, sources, materialized views and system relations.  No syntax
node leaves this package.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from ..expr.relation import Finishing, GlobalId, OrderBy, Relation
from ..expr.scalar import Literal, Scalar
from ..repr.schema import Schema
from ..repr.types import ScalarType
from .constraints import Constraint


class ItemKind(enum.Enum):
    TABLE = "table"
    VIEW = "view"
    MATERIALIZED_VIEW = "materialized-view"
    SOURCE = "source"
    SINK = "sink"
    INDEX = "index"
    SYSTEM = "system"  # a relation of pg_catalog, information_schema, mz_catalog or mz_internal


@dataclass(frozen=True, slots=True)
class QualifiedName:
    """A full name; `database` is always `ptvc` today.  Temporary objects live in schema `pg_temp_<n>`."""

    database: str
    schema: str
    name: str

    def __str__(self) -> str:
        return f"{self.schema}.{self.name}"


@dataclass(frozen=True, slots=True)
class CatalogItem:
    """What planning needs to know of an object.  `definition` is a view's relation, inlined where it is used.

    `defaults` has one entry per column of a table: the expression of its DEFAULT, or None.  `constraints` are a
    table's.  Where columns of a table have been dropped, `layout` says where those that are left are stored, and
    `definition` projects them.
    """

    id: GlobalId
    name: QualifiedName
    kind: ItemKind
    schema: Schema
    definition: Relation | None = None
    defaults: tuple[Scalar | None, ...] = ()
    constraints: tuple[Constraint, ...] = ()
    layout: tuple[int, ...] = ()

    def stored_position(self, index: int) -> int:
        """Where a table's column stands among those that are stored."""
        return self.layout[index] if self.layout else index

    def shown_position(self, place: int) -> int:
        """Which column is stored there: the inverse of `stored_position`."""
        return self.layout.index(place) if self.layout else place

    @property
    def shape(self) -> tuple[Schema, tuple[Constraint, ...]]:
        """What a write depends on of a table's definition."""
        return self.schema, self.constraints


class CatalogView(Protocol):
    """The catalog as planning sees it: one consistent version."""

    def schema_exists(self, schema: str) -> bool: ...

    def item(self, schema: str, name: str) -> CatalogItem | None:
        """The object of that exact name.  Types, relations and indexes share one name space per schema."""

    def item_by_id(self, id: GlobalId) -> CatalogItem: ...

    def items(self) -> Mapping[GlobalId, CatalogItem]: ...

    def oid(self, id: GlobalId) -> int:
        """The object's OID in pg_catalog."""

    def schema_oids(self) -> Mapping[str, int]: ...

    def clusters(self) -> tuple[str, ...]: ...


@dataclass(frozen=True, slots=True)
class PlanContext:
    """What of the session a plan depends on.  `now_us` is the transaction's time, microseconds since 1970 UTC; `zone` the
    session's time zone; `prepared` are its prepared statements, `cursors` what its cursors show."""

    catalog: CatalogView
    search_path: tuple[str, ...]
    database: str
    user: str
    cluster: str
    now_us: int
    temp_schema: str
    settings: Mapping[str, str]
    zone: str = "UTC"
    prepared: Mapping[str, Prepared] = field(default_factory=dict)
    cursors: Mapping[str, Schema] = field(default_factory=dict)

    def hold_once(self) -> None:
        """Said while planning, by what makes the plan hold for one execution: the cache does not keep it."""


# --- queries -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class AsOf:
    """When to read: at `time`, or, with `at_least`, at the latest time that needs no waiting, not before.

    `time` is a constant expression but for parameters and `mz_now()`: a bigint of milliseconds, or an instant.
    """

    time: Scalar
    at_least: bool


@dataclass(frozen=True, slots=True)
class Select:
    """A one-off query.  `schema` is what the client sees, after `finishing`; without `as_of` it is read now."""

    relation: Relation
    finishing: Finishing
    schema: Schema
    as_of: AsOf | None = None


class Envelope(enum.Enum):
    NONE = "none"
    UPSERT = "upsert"
    DEBEZIUM = "debezium"


@dataclass(frozen=True, slots=True)
class Subscribe:
    """`relation` and how it changes, told in rows of `schema` (see `plan_subscribe`).

    `order` is that of the rows of one time: column 0 is the diff, then come the relation's.  `key` are columns of the
    relation.  `up_to` is a time as in `AsOf`; changes at it are not told any more.
    """

    relation: Relation
    schema: Schema
    snapshot: bool
    progress: bool
    as_of: AsOf | None
    up_to: Scalar | None
    order: tuple[OrderBy, ...]
    envelope: Envelope
    key: tuple[int, ...]


class ExplainStage(enum.Enum):
    RAW = "raw"
    DECORRELATED = "decorrelated"
    OPTIMIZED = "optimized"
    PHYSICAL = "physical"


class ExplainFormat(enum.Enum):
    TEXT = "text"
    JSON = "json"


@dataclass(frozen=True, slots=True)
class Explain:
    """EXPLAIN PLAN of a query, which is optimized unless the stage is earlier, or of the definition of `object`."""

    stage: ExplainStage
    relation: Relation | None
    finishing: Finishing | None
    object: GlobalId | None
    format: ExplainFormat


@dataclass(frozen=True, slots=True)
class ExplainTimestamp:
    query: Select
    format: ExplainFormat


@dataclass(frozen=True, slots=True)
class ExplainPushdown:
    """Of a query's relation, or of an object's."""

    relation: Relation | None
    object: GlobalId | None


@dataclass(frozen=True, slots=True)
class ExplainAnalyze:
    """Of a query, which is run, or of a maintained object; `measures` are cpu, memory, hydration, or none for all."""

    query: Select | None
    object: GlobalId | None
    measures: tuple[str, ...]
    format: ExplainFormat


# --- data --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class OnConflict:
    """What becomes of a proposed row that agrees with a row on a key of `arbiters` (names of constraints).

    `assignments` is empty for DO NOTHING, else has every column of the new row; `where` keeps what is updated.  Both
    are over the columns of the row that exists, then those of the proposed one.
    """

    arbiters: tuple[str, ...]
    assignments: tuple[Scalar, ...] = ()
    where: Scalar | None = None


@dataclass(frozen=True, slots=True)
class Insert:
    """`relation` yields whole rows of the table: assignment casts and defaults are in it.

    With `conflict`, behind them an int8 column that orders the rows: the first of those that agree on a key counts.
    """

    table: GlobalId
    relation: Relation
    returning: Returning | None = None
    conflict: OnConflict | None = None


@dataclass(frozen=True, slots=True)
class Merge:
    """`relation` yields what changes: the action (int4: `MERGE_INSERT`, ...), the target's row as it is, and as it
    shall be; once for each match."""

    table: GlobalId
    relation: Relation


MERGE_INSERT, MERGE_UPDATE, MERGE_DELETE = 1, 2, 3


@dataclass(frozen=True, slots=True)
class Update:
    """`relation` yields the table's columns as they are, then all of them as they shall be."""

    table: GlobalId
    relation: Relation
    returning: Returning | None = None


@dataclass(frozen=True, slots=True)
class Delete:
    """`relation` yields the rows of the table that go."""

    table: GlobalId
    relation: Relation
    returning: Returning | None = None


@dataclass(frozen=True, slots=True)
class Returning:
    """Expressions over the row that was written (deleted, for a DELETE)."""

    scalars: tuple[Scalar, ...]
    schema: Schema


@dataclass(frozen=True, slots=True)
class Truncate:
    tables: tuple[GlobalId, ...]


class CopyFormat(enum.Enum):
    TEXT = "text"
    CSV = "csv"
    BINARY = "binary"


@dataclass(frozen=True, slots=True)
class CopyOptions:
    format: CopyFormat
    delimiter: str
    null: str
    header: bool
    quote: str = '"'
    escape: str = '"'


@dataclass(frozen=True, slots=True)
class CopyFrom:
    """COPY table (columns) FROM STDIN.  `columns` are positions of the table, in the order of the input.

    `defaults` gives the expression for each column of the table that the input does not carry.
    """

    table: GlobalId
    columns: tuple[int, ...]
    defaults: Mapping[int, Scalar]
    options: CopyOptions


@dataclass(frozen=True, slots=True)
class CopyTo:
    query: Select | Subscribe
    options: CopyOptions


# --- definitions -------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class CreateSchema:
    name: str
    if_not_exists: bool


@dataclass(frozen=True, slots=True)
class CreateTable:
    name: QualifiedName
    schema: Schema
    defaults: tuple[Scalar | None, ...]
    if_not_exists: bool
    temporary: bool
    query: Select | None = None  # CREATE TABLE AS
    constraints: tuple[Constraint, ...] = ()
    retain_history_ms: int | None = None


@dataclass(frozen=True, slots=True)
class CreateView:
    name: QualifiedName
    relation: Relation
    schema: Schema
    definition_sql: str
    or_replace: bool
    if_not_exists: bool
    temporary: bool
    uses: frozenset[GlobalId]  # every object named in the body, views included
    columns: frozenset[tuple[GlobalId, int]] = frozenset()  # of tables, where they are stored
    named: bool = False  # the statement names the view's columns


@dataclass(frozen=True, slots=True)
class CreateMaterializedView:
    """`definition_sql` is the query's text as the user wrote it."""

    name: QualifiedName
    relation: Relation
    schema: Schema
    definition_sql: str
    cluster: str
    or_replace: bool
    if_not_exists: bool
    uses: frozenset[GlobalId]
    retain_history_ms: int | None = None
    assert_not_null: tuple[int, ...] = ()
    columns: frozenset[tuple[GlobalId, int]] = frozenset()
    named: bool = False
    replaces: GlobalId | None = None  # the view whose definition this one may become


@dataclass(frozen=True, slots=True)
class CreateIndex:
    """`keys` are expressions over the relation's columns; `on` may be a view, which is then maintained here.

    `name.name` is generated (`<relation>_<columns>_idx`) when the statement has none.
    """

    name: QualifiedName
    on: GlobalId
    relation: Relation
    keys: tuple[Scalar, ...]
    cluster: str
    if_not_exists: bool
    texts: tuple[str, ...] = ()  # of expressions among the keys, as they were written
    columns: Mapping[str, int] = field(default_factory=dict)  # by the names in `texts`, where they are stored


@dataclass(frozen=True, slots=True)
class FileConnector:
    """FILE: one file or a directory of files that are tailed.  `format` is csv, json (lines) or parquet."""

    path: str
    format: str
    delimiter: str = ","
    header: bool = True
    pattern: str | None = None  # a glob over file names within a directory


@dataclass(frozen=True, slots=True)
class CounterConnector:
    """LOAD GENERATOR COUNTER: 1, 2, 3, ... one per tick; the oldest vanish beyond `max_cardinality`."""

    tick_ms: int = 1000
    max_cardinality: int | None = None


@dataclass(frozen=True, slots=True)
class CreateSource:
    """`key` are positions in `schema`; for ENVELOPE UPSERT, a record without its value columns deletes."""

    name: QualifiedName
    connector: FileConnector | CounterConnector
    schema: Schema
    key: tuple[int, ...]
    envelope: Envelope
    cluster: str
    create_sql: str
    if_not_exists: bool
    retain_history_ms: int | None = None


@dataclass(frozen=True, slots=True)
class FileSinkConnector:
    """A directory that receives one file of changes per commit.  `format` is json (lines) or parquet."""

    path: str
    format: str


@dataclass(frozen=True, slots=True)
class CreateSink:
    name: QualifiedName
    from_id: GlobalId
    relation: Relation
    connector: FileSinkConnector
    envelope: Envelope
    key: tuple[int, ...]
    cluster: str
    create_sql: str
    if_not_exists: bool


@dataclass(frozen=True, slots=True)
class CreateCluster:
    """`options` are checked names and values: size, job_min_rows."""

    name: str
    options: Mapping[str, int]
    if_not_exists: bool


@dataclass(frozen=True, slots=True)
class AlterTable:
    """The table's definition afterwards, and what of it existing rows must be checked for.

    `present` are columns that become NOT NULL, `nullable` those that are so no longer; `before` is the definition that
    the statement was planned over.  `missing` are, for each added column, the value (as text) of the rows there are;
    `empty` is one that these cannot have.  `dropped` are positions in `before`; `cascade` takes what uses them along.
    """

    id: GlobalId
    kind: ObjectKind
    before: CatalogItem
    schema: Schema
    defaults: tuple[Scalar | None, ...]
    constraints: tuple[Constraint, ...]
    present: tuple[int, ...] = ()
    nullable: tuple[int, ...] = ()
    notices: tuple[str, ...] = ()
    missing: tuple[str | None, ...] = ()
    empty: int | None = None
    dropped: tuple[int, ...] = ()
    cascade: bool = False


@dataclass(frozen=True, slots=True)
class AlterRetention:
    """How long the history of a table, source or materialized view is kept; None: as long as everything's."""

    kind: ObjectKind
    id: GlobalId
    retain_history_ms: int | None


@dataclass(frozen=True, slots=True)
class AlterCluster:
    name: str
    options: Mapping[str, int]


class ObjectKind(enum.Enum):
    """What DROP, ALTER and COMMENT may name, as the statement spells it."""

    TABLE = "TABLE"
    VIEW = "VIEW"
    MATERIALIZED_VIEW = "MATERIALIZED VIEW"
    SOURCE = "SOURCE"
    SINK = "SINK"
    INDEX = "INDEX"
    SCHEMA = "SCHEMA"
    CLUSTER = "CLUSTER"
    COLUMN = "COLUMN"


@dataclass(frozen=True, slots=True)
class Drop:
    """`ids` for relations and indexes; `names` for schemas and clusters.  Missing ones were skipped with
    IF EXISTS and are in `missing`, for the notice."""

    kind: ObjectKind
    ids: tuple[GlobalId, ...]
    names: tuple[str, ...]
    missing: tuple[str, ...]
    cascade: bool


@dataclass(frozen=True, slots=True)
class Rename:
    """ALTER <kind> a RENAME TO b; an id, or a schema's or cluster's old name."""

    kind: ObjectKind
    target: str
    new_name: str


@dataclass(frozen=True, slots=True)
class Swap:
    """ALTER SCHEMA|CLUSTER a SWAP WITH b, or of two relations by id."""

    kind: ObjectKind
    first: str
    second: str


@dataclass(frozen=True, slots=True)
class ApplyReplacement:
    """ALTER MATERIALIZED VIEW ... APPLY REPLACEMENT: `id` takes the definition of `replacement`, which goes."""

    id: GlobalId
    replacement: GlobalId


@dataclass(frozen=True, slots=True)
class Comment:
    """COMMENT ON; `target` is an id (or a schema's name), `column` a position."""

    kind: ObjectKind
    target: str
    column: int | None
    text: str | None


# --- session -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class SetVariable:
    """SET [LOCAL] name = value; `value` None is RESET or DEFAULT."""

    name: str
    value: str | None
    local: bool


@dataclass(frozen=True, slots=True)
class ShowVariable:
    """`name` None is SHOW ALL."""

    name: str | None


@dataclass(frozen=True, slots=True)
class Begin:
    read_only: bool


@dataclass(frozen=True, slots=True)
class Commit:
    pass


@dataclass(frozen=True, slots=True)
class Rollback:
    pass


@dataclass(frozen=True, slots=True)
class Savepoint:
    name: str


@dataclass(frozen=True, slots=True)
class RollbackTo:
    """ROLLBACK TO SAVEPOINT, in a block that has failed, too."""

    name: str


@dataclass(frozen=True, slots=True)
class Release:
    name: str


@dataclass(frozen=True, slots=True)
class Prepare:
    """PREPARE: EXECUTE and the messages of the extended protocol will find `prepared` under `name`."""

    name: str
    prepared: Prepared


@dataclass(frozen=True, slots=True)
class Execute:
    """EXECUTE: `parameters` are of the types that `prepared` has.  `prepared` is None where the statement was only to be
    described and there is none of that name (yet)."""

    prepared: Prepared | None
    parameters: tuple[Literal, ...]


@dataclass(frozen=True, slots=True)
class DeclareCursor:
    """`text` is the statement's own; with `hold` the cursor outlives its transaction."""

    name: str
    query: Select | Subscribe
    hold: bool
    binary: bool
    text: str


class Direction(enum.Enum):
    FORWARD = "forward"
    BACKWARD = "backward"
    ABSOLUTE = "absolute"
    RELATIVE = "relative"


@dataclass(frozen=True, slots=True)
class Fetch:
    """FETCH, or MOVE, which goes there without showing a row.

    FORWARD and BACKWARD: the next `count` rows (None: all that are left); ABSOLUTE and RELATIVE: one row, so far from the
    start (from the end, if negative) or from here.  `schema` is what the cursor shows, None if there is none (yet).
    Of a subscription, rows are waited for until `timeout_ms` have passed; None: until there is one.
    """

    name: str
    direction: Direction
    count: int | None
    move: bool
    schema: Schema | None
    timeout_ms: int | None = None


@dataclass(frozen=True, slots=True)
class CloseCursor:
    """`name` None is ALL."""

    name: str | None


@dataclass(frozen=True, slots=True)
class Deallocate:
    """DEALLOCATE name | ALL (`name` None); DISCARD ALL is `all_session_state`."""

    name: str | None
    all_session_state: bool = False


@dataclass(frozen=True, slots=True)
class NoOp:
    """Accepted, nothing to do (VACUUM, ANALYZE); `tag` is the command tag."""

    tag: str


PlannedStatement = (
    Select
    | Subscribe
    | Explain
    | ExplainTimestamp
    | ExplainPushdown
    | ExplainAnalyze
    | Insert
    | Update
    | Delete
    | Merge
    | Truncate
    | CopyFrom
    | CopyTo
    | CreateSchema
    | CreateTable
    | CreateView
    | CreateMaterializedView
    | CreateIndex
    | CreateSource
    | CreateSink
    | CreateCluster
    | AlterCluster
    | AlterRetention
    | AlterTable
    | Drop
    | Rename
    | Swap
    | ApplyReplacement
    | Comment
    | SetVariable
    | ShowVariable
    | Begin
    | Commit
    | Rollback
    | Savepoint
    | RollbackTo
    | Release
    | Prepare
    | Execute
    | DeclareCursor
    | Fetch
    | CloseCursor
    | Deallocate
    | NoOp
)


@dataclass(frozen=True, slots=True)
class Prepared:
    """A statement that was parsed and described, its parameters still open.

    `parameter_types` are inferred where the client left them unspecified; `schema` is the shape of its rows, or None
    for a statement that returns none.  `text` is the PREPARE that made it, at the time `prepared_us`.
    `late`: another statement or cursor may have come under the name that it uses, so its rows are described when it is bound.
    """

    sql: str
    parameter_types: tuple[ScalarType, ...]
    schema: Schema | None
    text: str | None = None
    prepared_us: int = 0
    late: bool = False
