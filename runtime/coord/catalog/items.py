"""The objects that users create: a class for each kind, with the fields that this kind has.

`Item` is any of them.  The other unions are what kinds have in common:

| union        | what holds                                                                      |
|--------------|---------------------------------------------------------------------------------|
| `Relational` | its name is in the namespace of tables                                          |
| `Apart`      | its name is among those of its kind only: types, secrets, connections           |
| `Readable`   | a query may read it: it has a schema, and its columns may have comments         |
| `Stored`     | its rows are in a shard                                                         |
| `LaidOut`    | its columns may be stored at other places than it shows them                    |
| `AnySource`  | it reads upstream: it is a relation, or tables are made from it                 |
| `AnyView`    | it is a query                                                                   |
| `Computed`   | it has a relation, from which it is computed                                    |
| `Maintained` | a dataflow keeps it as its definition says                                      |
| `External`   | it talks to the outside: it has a connector, and a shard of how far it has come |
| `Running`    | it runs on replicas of its cluster                                              |
| `Retaining`  | its history may be kept for a time of its own                                   |

Items refer to each other by id, so a rename changes one item and nothing else.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar, Self, TypedDict

from ...compute.lower.shared_arrangements import IndexKey
from ...errors import About
from ...expr.tree.relation import Get, GlobalId, Map, Project, Relation
from ...expr.tree.scalar import Literal, Scalar
from ...lineage.columns import Lineage
from ...repr.schema import NO_COLUMNS, Column, Schema
from ...repr.types import ScalarType
from ...sql.catalog.catalog_view import ItemKind
from ...sql.plans.definition_plans import SinkConnector
from ...sql.plans.query_plans import Envelope
from ...sql.syntax.constraints import Constraint
from ...sql.syntax.function_definition import FunctionDefinition
from ...sql.syntax.role_statements import Securable
from ...storage.connections.options import ConnectionOptions
from ...storage.dead_letters import DEAD_LETTERS
from ...storage.projection import Projection
from ...storage.row_filter import RowFilter
from ...storage.row_retention import RowRetention
from ...storage.source.webhook import WebhookOptions
from .acl import Acl, default_acl
from .connectors import SharedConnector, SourceConnector, connections_of
from .role import OWNER_ID
from .stored_layout import AS_CREATED, StoredLayout

TEMP_SCHEMA_PREFIX = "pg_temp_"

Shape = tuple[Schema, tuple[Constraint, ...]]
"""What a write depends on of a table's definition."""


class Identity(TypedDict):
    """What a new object of any kind is made with."""

    id: GlobalId
    oid: int
    schema_name: str
    name: str
    created_at: int
    owner: str
    acl: Acl | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemBase:
    """What objects of all kinds have.  `uses` are the ids named in the definition.  `owner` is a role's id, `acl` who may do
    what (None: the default)."""

    kind: ClassVar[ItemKind]
    securable: ClassVar[Securable] = Securable.TABLE

    id: GlobalId
    oid: int
    schema_name: str
    name: str
    created_at: int = 0
    owner: str = OWNER_ID
    acl: Acl | None = None
    comment: str | None = None
    uses: tuple[GlobalId, ...] = ()

    @property
    def privileges(self) -> Acl:
        return default_acl(self.securable, self.owner) if self.acl is None else self.acl

    def about(self, *, column: str | None = None, constraint: str | None = None) -> About:
        """What an error of one of the table's rules is about."""
        return About(self.schema_name, self.name, column, constraint)

    @property
    def shown_name(self) -> str:
        """What it is called in its schema: of a function, with the types of its arguments."""
        return self.name

    @property
    def temporary(self) -> bool:
        return self.schema_name.startswith(TEMP_SCHEMA_PREFIX)

    @property
    def full_name(self) -> str:
        return f"{self.schema_name}.{self.shown_name}"


@dataclass(frozen=True, slots=True, kw_only=True)
class _ReadableBase(ItemBase):
    schema: Schema
    column_comments: Mapping[int, str] = field(default_factory=dict)


class _LaidOut(_ReadableBase):
    """What has rows of which columns may have gone: where those are stored that it has."""

    __slots__ = ()

    @property
    def layout(self) -> StoredLayout:
        raise AssertionError("tables and sources say where their columns are stored")

    @property
    def physical(self) -> Schema:
        """The rows as they are stored: dropped columns, too."""
        return self.layout.physical(self.schema)

    @property
    def stored_columns(self) -> tuple[Column, ...]:
        """The columns that were added to the table, as its shard has them: all nullable."""
        return self.layout.added(self.schema)

    @property
    def stored_schema(self) -> Schema:
        """As `physical`, with what older rows have in columns that were added; dropped ones are marked."""
        return self.layout.stored(self.schema)

    @property
    def stored_shape(self) -> tuple[int, tuple[int, ...]]:
        """How the rows are stored, as far as ALTER changes it."""
        return len(self.physical), self.layout.places

    @property
    def contents(self) -> Relation:
        """The rows."""
        rows = Get(self.id, self.physical)
        return Project(rows, self.layout.places, self.schema.names) if self.layout.places else rows

    @property
    def stored_rows(self) -> Relation:
        """The rows as they are stored: NULL where a column was dropped, which nobody may read."""
        physical, gone = self.physical, sorted(self.layout.dropped_places)
        rows = Get(self.id, physical)
        if not gone:
            return rows
        nulls = tuple(Literal(None, physical[place].type) for place in gone)
        places = tuple(
            len(physical) + gone.index(place) if place in gone else place for place in range(len(physical))
        )
        return Project(
            Map(rows, nulls, tuple(physical.names[place] for place in gone)), places, physical.names
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Table(_LaidOut):
    """`defaults` has an entry for each column, or none at all.  One that is `dropped_on_commit` is temporary, and ends with the
    transaction that creates it."""

    kind = ItemKind.TABLE

    shard: str
    defaults: tuple[Scalar | None, ...] = ()
    constraints: tuple[Constraint, ...] = ()
    layout: StoredLayout = AS_CREATED
    retain_history_ms: int | None = None
    dropped_on_commit: bool = False

    @property
    def shape(self) -> Shape:
        return self.schema, self.constraints


@dataclass(frozen=True, slots=True, kw_only=True)
class _FromUpstream(_LaidOut):
    """Rows that a source writes, and nobody else: those that `where` keeps and that are not too old for `retention`, with the columns
    of the `projection`.  The places of these, of a key and of `retention` are those of what is stored."""

    where: RowFilter | None = None
    projection: Projection | None = None
    retention: RowRetention | None = None
    applied: tuple[str, ...] = ()
    """What ALTER has added to these, as it is written in a definition."""

    @property
    def layout(self) -> StoredLayout:
        kept = self.projection
        if kept is None or not kept.unstored:
            return AS_CREATED
        return StoredLayout(types=kept.schema.types, places=kept.shown)

    @property
    def physical(self) -> Schema:
        """The rows as they are stored, with the names that columns have upstream."""
        kept = self.projection
        return self.schema if kept is None or not kept.unstored else kept.schema

    @property
    def kept(self) -> tuple[RowFilter | None, Projection | None, RowRetention | None]:
        """What it keeps of what upstream has."""
        return self.where, self.projection, self.retention

    @property
    def read(self) -> Schema:
        """The columns that are read, of which those of the schema are shown."""
        return self.schema if self.projection is None else self.projection.read


@dataclass(frozen=True, slots=True, kw_only=True)
class Source(_FromUpstream):
    """`uses` are the connections that it reads through.  `remap` is the shard of its positions.  `label` is the name that it had at first, by which it is known in its positions;
    `create_sql` the whole statement; `key` are positions in what is stored."""

    kind = ItemKind.SOURCE

    cluster: str
    shard: str
    remap: str
    create_sql: str
    label: str
    connector: SourceConnector
    key: tuple[int, ...]
    envelope: Envelope
    retain_history_ms: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedSource(ItemBase):
    """A source that is no relation: what it reads is in the tables that are made from it.  Otherwise as `Source`."""

    kind = ItemKind.SOURCE
    key: ClassVar[tuple[int, ...]] = ()
    envelope: ClassVar[Envelope] = Envelope.NONE

    cluster: str
    remap: str
    create_sql: str
    label: str
    connector: SharedConnector


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceTable(_FromUpstream):
    """A table that a source writes, and nobody else.  `reference` is what it is of what the source offers, `upstream` what was known of
    that when the table was made (of a POSTGRES or MYSQL source an `AnyTable`, as JSON); `create_sql` the whole statement, None where the source's
    made it."""

    kind = ItemKind.TABLE

    shard: str
    reference: str
    retain_history_ms: int | None = None
    create_sql: str | None = None
    upstream: str | None = None

    @property
    def source(self) -> GlobalId:
        return self.uses[0]

    @property
    def is_dead_letters(self) -> bool:
        """Whether it has the records that the source could not decode."""
        return self.reference == DEAD_LETTERS


@dataclass(frozen=True, slots=True, kw_only=True)
class WebhookSource(_ReadableBase):
    """A source that is posted to: the coordinator writes it.  `keys` is the shard of the keys of requests that it has taken, None
    where requests have none.  `create_sql` is the whole statement."""

    kind = ItemKind.SOURCE

    shard: str
    keys: str | None
    create_sql: str
    webhook: WebhookOptions
    retain_history_ms: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class _ViewBase(_ReadableBase):
    """`relation` is what it computes, `definition_sql` the query as the user wrote it, `columns` those of tables, by place, that
    the query names (None: it is not known).  If it is `named`, its columns are not called as the query calls them.  `lineage` is
    that of the query's text over what it names, columns by their place (None: it was created by an older version)."""

    relation: Relation
    definition_sql: str
    columns: tuple[tuple[GlobalId, int], ...] | None = None
    named: bool = False
    lineage: Lineage | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class View(_ViewBase):
    kind = ItemKind.VIEW


@dataclass(frozen=True, slots=True, kw_only=True)
class MaterializedView(_ViewBase):
    """`shares` are the indexes whose arrangements its dataflow shares; `assert_not_null` the columns that must not be NULL;
    `replaces` the view that this one is to replace.  One that was `replaced` has the definition of its replacement; `state`
    is then what the directory of its dataflow's state is called."""

    kind = ItemKind.MATERIALIZED_VIEW

    cluster: str
    shard: str
    shares: tuple[IndexKey, ...] = ()
    retain_history_ms: int | None = None
    assert_not_null: tuple[int, ...] = ()
    replaces: GlobalId | None = None
    replaced: bool = False
    state: str | None = None

    @property
    def state_name(self) -> str:
        """What the directory of its dataflow's state is called: after the replacement that it began as, if any."""
        return self.id if self.state is None else self.state


@dataclass(frozen=True, slots=True, kw_only=True)
class Index(ItemBase):
    """The rows of `relation` by `keys`, expressions over its columns.  `shares` as a materialized view's.  `key_texts` are the
    keys as they were written, where one of them is not just a column; `key_columns` says where the columns that they name
    are stored."""

    kind = ItemKind.INDEX

    cluster: str
    relation: Relation
    keys: tuple[Scalar, ...]
    shares: tuple[IndexKey, ...] = ()
    retain_history_ms: int | None = None
    key_texts: tuple[str, ...] = ()
    key_columns: Mapping[str, int] = field(default_factory=dict)

    @property
    def on(self) -> GlobalId:
        """What the index is on."""
        return self.uses[0]

    @property
    def arranged_by(self) -> tuple[int, ...]:
        """The columns that its plan adds behind those of the indexed object."""
        width = len(self.relation.schema)
        return tuple(range(width, width + len(self.keys)))

    @property
    def state_name(self) -> str:
        return self.id


UNCOMMITTED = 0
"""The last time of a former input until what takes its place is committed."""


@dataclass(frozen=True, slots=True)
class Former:
    """What a sink has read in a generation, which shows it up to the time `last`, unless it has not come to it."""

    id: GlobalId
    generation: int
    last: int = UNCOMMITTED


@dataclass(frozen=True, slots=True, kw_only=True)
class Sink(ItemBase):
    """`uses` are what it reads, what it has read before, as long as its target may show that, and the connections that it writes through.
    `schema` is that of what it reads, `remap` the shard of how far it has come, `create_sql` the whole statement.  `as_of`
    is the time at which it begins.  `generation` says how often it was given something else to read; `formers` are those of which its target
    may show one still, the oldest first.  `kept` are columns that its target has of what it has read before."""

    kind = ItemKind.SINK

    schema: Schema
    cluster: str
    remap: str
    create_sql: str
    connector: SinkConnector
    key: tuple[int, ...]
    envelope: Envelope
    as_of: int
    generation: int = 0
    formers: tuple[Former, ...] = ()
    kept: Schema = NO_COLUMNS

    @property
    def on(self) -> GlobalId:
        """What the sink reads."""
        return self.uses[0]

    def reading(self, on: GlobalId, formers: Sequence[Former]) -> Self:
        """The sink, which reads that, and has read those; the last of them is the second that it uses."""
        uses = dict.fromkeys((on, *(former.id for former in reversed(formers)), *self.connections))
        return replace(self, uses=tuple(uses), formers=tuple(formers))

    def begins(self, written: int) -> Iterator[tuple[GlobalId, int]]:
        """From which time on each of its inputs, the former ones first, may be read, as the target has everything up to `written`."""
        first = written
        for former in self.formers:
            yield former.id, first
            first = max(written, former.last)
        yield self.on, first

    @property
    def connections(self) -> tuple[GlobalId, ...]:
        return connections_of(self.connector)


@dataclass(frozen=True, slots=True, kw_only=True)
class Function(ItemBase):
    kind = ItemKind.FUNCTION
    securable = Securable.FUNCTION

    definition: FunctionDefinition

    @property
    def shown_name(self) -> str:
        return self.definition.signature(self.name)


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedType(ItemBase):
    """A name for a list or a map."""

    kind = ItemKind.TYPE

    type: ScalarType


@dataclass(frozen=True, slots=True, kw_only=True)
class Secret(ItemBase):
    """`sealed` is its value, encrypted for it (`coord.secrets.sealing`)."""

    kind = ItemKind.SECRET
    securable = Securable.SECRET

    sealed: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Connection(ItemBase):
    """`uses` are the secrets that its options refer to."""

    kind = ItemKind.CONNECTION
    securable = Securable.CONNECTION

    options: ConnectionOptions


AnySource = Source | SharedSource

Apart = NamedType | Secret | Connection
Relational = Table | SourceTable | AnySource | WebhookSource | View | MaterializedView | Index | Sink
Item = Relational | Function | Apart
Readable = Table | SourceTable | Source | WebhookSource | View | MaterializedView
Stored = Table | SourceTable | Source | WebhookSource | MaterializedView
LaidOut = Table | SourceTable | Source
AnyView = View | MaterializedView
Computed = View | MaterializedView | Index
Maintained = MaterializedView | Index
External = AnySource | Sink
Running = AnySource | MaterializedView | Index | Sink
Retaining = Table | SourceTable | Source | WebhookSource | MaterializedView | Index


def shards_beside(item: Item) -> list[str]:
    """The item's shards that are no collection: how far it has come, or what it has been given."""
    match item:
        case WebhookSource(keys=str() as keys):
            return [keys]
        case _ if isinstance(item, External):
            return [item.remap]
        case _:
            return []


def shards_of(item: Item) -> list[str]:
    """Where the item's rows are stored, and what is beside them."""
    rows = [item.shard] if isinstance(item, Stored) else []
    return [*rows, *shards_beside(item)]
