"""Planned definitions: CREATE, ALTER, DROP, COMMENT."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ...expr.tree.relation import GlobalId, Relation
from ...expr.tree.scalar import Scalar
from ...lineage.columns import Lineage
from ...repr.schema import Schema
from ...repr.types import ScalarType
from ...storage.projection import Projection
from ...storage.row_filter import RowFilter
from ...storage.row_retention import RowRetention
from ...storage.sink.delta.options import DeltaSinkOptions
from ...storage.sink.iceberg.options import IcebergSinkOptions
from ...storage.sink.kafka.options import KafkaSinkOptions
from ...storage.sink.postgres.options import PostgresSinkOptions
from ...storage.source.delta.options import DeltaSourceOptions
from ...storage.source.generator.options import GeneratorOptions
from ...storage.source.iceberg.options import IcebergSourceOptions
from ...storage.source.kafka.options import KafkaOptions
from ...storage.source.s3.options import S3Options
from ...storage.source.upstream_tables import UpstreamOptions
from ...storage.source.webhook import WebhookOptions
from ..catalog.catalog_view import CatalogItem, QualifiedName
from ..syntax.constraints import Constraint
from ..syntax.definition_statements import Waiting
from ..syntax.function_definition import FunctionDefinition
from ..syntax.vocabulary import ObjectKind, OfferKind
from .connection_plans import AlterConnection, AlterSecret, CreateConnection, CreateSecret
from .explain_plans import BindCondition
from .query_plans import Envelope, Select

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
    drop_on_commit: bool = False


@dataclass(frozen=True, slots=True)
class CreateType:
    """`type`, a list or a map, is what the name is to stand for."""

    name: QualifiedName
    type: ScalarType


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
    lineage: Lineage | None = None  # of the text; None until it was asked for


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
    lineage: Lineage | None = None


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
    uses: tuple[GlobalId, ...] = ()  # functions that the keys call
    retain_history_ms: int | None = None  # of what the relation is read from


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
class WantedTables:
    """What a source needs to know of upstream: the tables of the publication there, or (None) of the server; `connection` is an id."""

    connection: GlobalId
    publication: str | None


@dataclass(frozen=True, slots=True)
class CreateSourceTable:
    """A table of what the source offers as `reference`; `source` is its id, None where the same statement creates it, which
    then has no `create_sql`.  `upstream` is what the table is there, as the source needs it.  What has `wanted` tables has no columns yet, as
    `CreateSource`."""

    name: QualifiedName
    source: GlobalId | None
    reference: str
    schema: Schema
    if_not_exists: bool = False
    retain_history_ms: int | None = None
    create_sql: str | None = None
    upstream: str | None = None
    wanted: WantedTables | None = None
    where: RowFilter | None = None
    projection: Projection | None = None
    retention: RowRetention | None = None


@dataclass(frozen=True, slots=True)
class WantedSchema:
    """What a source needs of the registry `connection`: the schema of `id`, or the latest of `subject`; for keys or values."""

    part: str
    connection: GlobalId
    id: int | None
    subject: str | None


@dataclass(frozen=True, slots=True)
class CreateSource:
    """`key` are positions in `schema`; for ENVELOPE UPSERT, a record without its value columns deletes.  A source without
    a schema is no relation; `tables` are made from it with it.  What has `wanted` schemas has no columns yet, and what has `wanted` tables has
    no tables: it is planned again with these in the statement."""

    name: QualifiedName
    connector: (
        FileConnector
        | CounterConnector
        | GeneratorOptions
        | KafkaOptions
        | UpstreamOptions
        | S3Options
        | DeltaSourceOptions
        | IcebergSourceOptions
    )
    schema: Schema | None
    key: tuple[int, ...]
    envelope: Envelope
    cluster: str
    create_sql: str
    if_not_exists: bool
    retain_history_ms: int | None = None
    tables: tuple[CreateSourceTable, ...] = ()
    wanted: tuple[WantedSchema, ...] | WantedTables = ()
    where: RowFilter | None = None
    projection: Projection | None = None
    retention: RowRetention | None = None


@dataclass(frozen=True, slots=True)
class CreateWebhook:
    """A source that is posted to.  `uses` are the secrets, functions and types that its check names."""

    name: QualifiedName
    webhook: WebhookOptions
    create_sql: str
    uses: frozenset[GlobalId]
    if_not_exists: bool
    retain_history_ms: int | None = None


@dataclass(frozen=True, slots=True)
class FileSinkConnector:
    """A directory that receives one file of changes per commit.  `format` is json (lines) or parquet."""

    path: str
    format: str


SinkConnector = (
    FileSinkConnector | KafkaSinkOptions | PostgresSinkOptions | IcebergSinkOptions | DeltaSinkOptions
)


@dataclass(frozen=True, slots=True)
class CreateSink:
    name: QualifiedName
    from_id: GlobalId
    relation: Relation
    connector: SinkConnector
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
    notices: tuple[str, ...] = ()


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
    """Those of `reset` are as if they had never been given."""

    name: str
    options: Mapping[str, int]
    reset: frozenset[str]
    notices: tuple[str, ...] = ()
    waiting: Waiting | None = None


@dataclass(frozen=True, slots=True)
class Drop:
    """`ids` for relations and indexes; `names` for schemas and clusters.  `notices` are of what IF EXISTS has skipped."""

    kind: ObjectKind
    ids: tuple[GlobalId, ...]
    names: tuple[str, ...]
    notices: tuple[str, ...]
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
class CreateFunction:
    name: QualifiedName
    definition: FunctionDefinition
    or_replace: bool


@dataclass(frozen=True, slots=True)
class SetSchema:
    """ALTER ... SET SCHEMA, of an object that is in another one."""

    kind: ObjectKind
    id: GlobalId
    schema: str


@dataclass(frozen=True, slots=True)
class AddWhere:
    """ALTER SOURCE | TABLE ... ADD WHERE: of a source, or a table of one; `where` is over its columns."""

    kind: ObjectKind
    id: GlobalId
    where: RowFilter


@dataclass(frozen=True, slots=True)
class ApplyOffers:
    """ALTER SOURCE | TABLE ... APPLY: of a source, or a table of one; `bind` makes a condition of its text, over the columns that it
    shows."""

    kind: ObjectKind
    id: GlobalId
    offers: frozenset[OfferKind]
    bind: BindCondition


@dataclass(frozen=True, slots=True)
class AlterSink:
    """ALTER SINK ... SET FROM another relation, which has the columns of the one before, or SET CLUSTER; what is None stays."""

    id: GlobalId
    from_id: GlobalId | None
    cluster: str | None


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


Create = (
    CreateSchema
    | CreateTable
    | CreateType
    | CreateView
    | CreateMaterializedView
    | CreateIndex
    | CreateSource
    | CreateSourceTable
    | CreateWebhook
    | CreateSink
    | CreateCluster
    | CreateFunction
    | CreateSecret
    | CreateConnection
)

Alter = (
    AlterCluster
    | AlterConnection
    | AlterRetention
    | AlterSecret
    | AddWhere
    | ApplyOffers
    | AlterSink
    | AlterTable
    | ApplyReplacement
    | Comment
    | Drop
    | Rename
    | SetSchema
    | Swap
)

DefinitionPlan = Create | Alter
