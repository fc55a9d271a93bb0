"""The catalog: every object of the environment, in memory, and its durable form.

An `Item` is a frozen value; items refer to each other by id, so a rename changes one item and nothing else.  The
durable form is a persist shard of rows `(key, value)` where the value is the item as JSON: one DDL statement is one
append.  Objects of temporary schemas are in memory only.

`Catalog` implements `CatalogView` for planning: system relations first, users' after.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import pyarrow as pa

from ..config import DATABASE, DEFAULT_CLUSTER, DEFAULT_SCHEMA, ClusterOptions
from ..errors import UndefinedObject
from ..expr.codec import relation_from_json, relation_to_json, scalar_from_json, scalar_to_json
from ..expr.relation import Get, GlobalId, Project, Relation, inputs, with_inputs
from ..expr.scalar import Scalar
from ..repr.schema import Column, Schema, type_from_json, type_to_json
from ..repr.types import ScalarType
from ..sql.constraints import Constraint
from ..sql.plans import CatalogItem, ItemKind, QualifiedName
from ..sql.system_relations import SYSTEM_RELATIONS

CATALOG_VERSION = 1
FIRST_USER_OID = 16_384
SYSTEM_SCHEMAS = {"pg_catalog": 11, "information_schema": 13_000, "mz_catalog": 13_001, "mz_internal": 13_002}
TEMP_SCHEMA_PREFIX = "pg_temp_"


Shape = tuple[Schema, tuple[Constraint, ...]]
"""What a write depends on of a table's definition."""


@dataclass(frozen=True, slots=True)
class Item:
    """One user object.

    `relation` is what a view, index or sink computes; `shard` where a collection is stored (tables, sources,
    materialized views), `remap` a source's second one.  `definition_sql` is the query as the user wrote it, `create_sql`
    a whole statement.  `uses` are the ids named in the definition.  `options` depend on the kind, plain JSON.
    `missing` are the values, as text, that rows have which are older than the last columns of a table, one for each
    column that was added.  Columns of a table that are dropped stay where they are stored: `stored` has the types of
    all, `layout` the places of those that are left; both are empty while none has been dropped.  `columns` are the
    columns of tables, by place, that a view names (None: it is not known).
    """

    id: GlobalId
    oid: int
    kind: ItemKind
    schema_name: str
    name: str
    schema: Schema
    cluster: str | None = None
    relation: Relation | None = None
    shard: str | None = None
    remap: str | None = None
    definition_sql: str = ""
    create_sql: str = ""
    uses: tuple[GlobalId, ...] = ()
    keys: tuple[Scalar, ...] = ()
    defaults: tuple[Scalar | None, ...] = ()
    options: Mapping[str, Any] = field(default_factory=dict)
    comment: str | None = None
    column_comments: Mapping[int, str] = field(default_factory=dict)
    created_at: int = 0
    constraints: tuple[Constraint, ...] = ()
    missing: tuple[str | None, ...] = ()
    stored: tuple[ScalarType, ...] = ()
    layout: tuple[int, ...] = ()
    columns: tuple[tuple[GlobalId, int], ...] | None = None

    @property
    def shape(self) -> Shape:
        return self.schema, self.constraints

    @property
    def stored_columns(self) -> tuple[Column, ...]:
        """The columns that were added to the table, as its shard has them: all nullable."""
        columns = self.physical.columns
        first = len(columns) - len(self.missing)
        return tuple(
            Column(column.name, column.type, True, missing)
            for column, missing in zip(columns[first:], self.missing, strict=True)
        )

    @property
    def physical(self) -> Schema:
        """The rows as they are stored: dropped columns, too."""
        if not self.layout:
            return self.schema
        columns = [Column("dropped", type_) for type_ in self.stored]
        for column, place in zip(self.schema, self.layout, strict=True):
            columns[place] = column
        return Schema(tuple(columns))

    @property
    def dropped_places(self) -> frozenset[int]:
        """Where columns are stored that were dropped."""
        return frozenset(range(len(self.stored))) - set(self.layout)

    @property
    def stored_shape(self) -> tuple[int, tuple[int, ...]]:
        """How the rows are stored, as far as ALTER TABLE changes it."""
        return len(self.physical), self.layout

    @property
    def contents(self) -> Relation:
        """A table's rows."""
        rows = Get(self.id, self.physical)
        return Project(rows, self.layout, self.schema.names) if self.layout else rows

    def visible(self, columns: Sequence[pa.Array]) -> tuple[pa.Array, ...]:
        """Stored columns as the table shows them."""
        return tuple(columns[place] for place in self.layout) if self.layout else tuple(columns)

    def as_stored(self, columns: Sequence[pa.Array], count: int) -> tuple[pa.Array, ...]:
        """Columns of the table as they are stored; dropped ones are NULL."""
        if not self.layout:
            return tuple(columns)
        places: list[pa.Array] = [None] * len(self.stored)
        for column, place in zip(columns, self.layout, strict=True):
            places[place] = column
        return tuple(
            pa.nulls(count, type_.arrow) if column is None else column
            for column, type_ in zip(places, self.stored, strict=True)
        )

    @property
    def temporary(self) -> bool:
        return self.schema_name.startswith(TEMP_SCHEMA_PREFIX)

    @property
    def full_name(self) -> str:
        return f"{self.schema_name}.{self.name}"

    @property
    def state_name(self) -> str:
        """What the directory of its dataflow's state is called: after the replacement that it began as, if any."""
        return str(self.options.get("state", self.id))

    @property
    def replaces(self) -> GlobalId | None:
        """The materialized view that this one is to replace."""
        return self.options.get("replaces")

    @property
    def on(self) -> GlobalId:
        """What an index is on, or a sink reads."""
        return self.uses[0]

    def to_json(self) -> str:
        value = {
            "version": CATALOG_VERSION,
            "id": self.id,
            "oid": self.oid,
            "kind": self.kind.value,
            "schema_name": self.schema_name,
            "name": self.name,
            "schema": self.schema.to_json(),
            "cluster": self.cluster,
            "relation": relation_to_json(self.relation) if self.relation is not None else None,
            "shard": self.shard,
            "remap": self.remap,
            "definition_sql": self.definition_sql,
            "create_sql": self.create_sql,
            "uses": list(self.uses),
            "keys": [scalar_to_json(key) for key in self.keys],
            "defaults": [scalar_to_json(d) if d is not None else None for d in self.defaults],
            "options": dict(self.options),
            "comment": self.comment,
            "column_comments": {str(i): text for i, text in self.column_comments.items()},
            "created_at": self.created_at,
            "constraints": [constraint.to_json() for constraint in self.constraints],
            "missing": list(self.missing),
            "stored": [type_to_json(type_) for type_ in self.stored],
            "layout": list(self.layout),
            "columns": None if self.columns is None else [list(column) for column in self.columns],
        }
        return json.dumps(value, separators=(",", ":"))

    @classmethod
    def from_json(cls, text: str) -> Item:
        v = json.loads(text)
        return cls(
            id=v["id"],
            oid=v["oid"],
            kind=ItemKind(v["kind"]),
            schema_name=v["schema_name"],
            name=v["name"],
            schema=Schema.from_json(v["schema"]),
            cluster=v["cluster"],
            relation=relation_from_json(v["relation"]) if v["relation"] is not None else None,
            shard=v["shard"],
            remap=v["remap"],
            definition_sql=v["definition_sql"],
            create_sql=v["create_sql"],
            uses=tuple(v["uses"]),
            keys=tuple(scalar_from_json(key) for key in v["keys"]),
            defaults=tuple(scalar_from_json(d) if d is not None else None for d in v["defaults"]),
            options=v["options"],
            comment=v["comment"],
            column_comments={int(i): text for i, text in v["column_comments"].items()},
            created_at=v["created_at"],
            constraints=tuple(Constraint.from_json(c) for c in v.get("constraints", ())),
            missing=tuple(v.get("missing", ())),
            stored=tuple(type_from_json(type_) for type_ in v.get("stored", ())),
            layout=tuple(v.get("layout", ())),
            columns=_columns_from_json(v.get("columns")),
        )


@dataclass(frozen=True, slots=True)
class SchemaEntry:
    name: str
    oid: int
    comment: str | None = None


@dataclass(frozen=True, slots=True)
class ClusterEntry:
    """`id` is the cluster's identity for life; options override settings (config.ClusterOptions)."""

    id: str
    name: str
    options: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class IdsEntry:
    """The first id and the first oid that were never used; kept, so that those of dropped objects stay unique."""

    next_id: int
    next_oid: int


Entry = Item | SchemaEntry | ClusterEntry | IdsEntry


def entry_key(entry: Entry) -> str:
    match entry:
        case Item(id=id_):
            return f"item/{id_}"
        case SchemaEntry(oid=oid):
            return f"schema/{oid}"
        case ClusterEntry(id=id_):
            return f"cluster/{id_}"
        case IdsEntry():
            return "ids"


def entry_to_json(entry: Entry) -> str:
    if isinstance(entry, Item):
        return entry.to_json()
    return json.dumps(asdict(entry), separators=(",", ":"))


def entry_from_json(key: str, text: str) -> Entry:
    match key.partition("/")[0]:
        case "item":
            return Item.from_json(text)
        case "schema":
            return SchemaEntry(**json.loads(text))
        case "cluster":
            return ClusterEntry(**json.loads(text))
        case "ids":
            return IdsEntry(**json.loads(text))
        case kind:
            raise UndefinedObject(
                f'the catalog holds an entry of unknown kind "{kind}"',
                hint="It was written by a newer version: use that one.",
            )


@dataclass(frozen=True, slots=True)
class Change:
    """One entry before and after a statement; None means that it is not there."""

    before: Entry | None
    after: Entry | None


class Catalog:
    """All entries by id and by name.  `apply` is the only way in which it changes."""

    def __init__(self, entries: Iterable[Entry] = ()) -> None:
        self._items: dict[GlobalId, Item] = {}
        self._by_name: dict[tuple[str, str], GlobalId] = {}
        self._populated: frozenset[str] = frozenset()
        self._schemas: dict[str, SchemaEntry] = {}
        self._clusters: dict[str, ClusterEntry] = {}
        self._ordered: tuple[Item, ...] = ()
        self._dependents: dict[GlobalId, list[Item]] = {}
        self._planned: dict[GlobalId, CatalogItem] = {}
        self._next_oid = FIRST_USER_OID
        self._next_id = 1
        self._durable_ids: IdsEntry | None = None
        self.version = 0
        self._system = _system_items()
        self._system_by_name = {(i.name.schema, i.name.name): i for i in self._system.values()}
        self.apply([Change(None, entry) for entry in entries])

    # -- identity --

    def allocate(self) -> tuple[GlobalId, int]:
        """A new id and oid; never used again, even if the statement fails."""
        oid = self.allocate_oid()
        self._next_id += 1
        return f"u{self._next_id - 1}", oid

    def allocate_oid(self) -> int:
        self._next_oid += 1
        return self._next_oid - 1

    def has_objects_in(self, schema: str) -> bool:
        """Whether a schema has objects, of any kind."""
        return schema in self._populated

    def skip_ids(self, ids: Iterable[GlobalId]) -> None:
        """Counts ids as used that no entry has."""
        self._next_id = max([self._next_id, *(int(id_[1:]) + 1 for id_ in ids)])

    def ids_change(self) -> Change | None:
        """What makes the ids durable that were allocated since it was last applied; part of every statement."""
        now = IdsEntry(self._next_id, self._next_oid)
        return Change(self._durable_ids, now) if now != self._durable_ids else None

    # -- change --

    def apply(self, changes: Iterable[Change]) -> None:
        changes = list(changes)
        for change in changes:
            match change.before:
                case Item(id=id_, schema_name=schema, name=name):
                    del self._items[id_]
                    del self._by_name[schema, name]
                case SchemaEntry(name=name):
                    del self._schemas[name]
                case ClusterEntry(name=name):
                    del self._clusters[name]
        for change in changes:
            match change.after:
                case Item() as item:
                    self._items[item.id] = item
                    self._by_name[item.schema_name, item.name] = item.id
                    oids = (item.oid, *(constraint.oid for constraint in item.constraints))
                    self._next_oid = max(self._next_oid, max(oids) + 1)
                    self._next_id = max(self._next_id, int(item.id[1:]) + 1)
                case SchemaEntry() as schema_entry:
                    self._schemas[schema_entry.name] = schema_entry
                    self._next_oid = max(self._next_oid, schema_entry.oid + 1)
                case ClusterEntry() as cluster:
                    self._clusters[cluster.name] = cluster
                case IdsEntry(next_id=next_id, next_oid=next_oid) as ids:
                    self._durable_ids = ids
                    self._next_id = max(self._next_id, next_id)
                    self._next_oid = max(self._next_oid, next_oid)
        self._populated = frozenset(schema for schema, _ in self._by_name)
        self._ordered = tuple(sorted(self._items.values(), key=lambda item: int(item.id[1:])))
        dependents: dict[GlobalId, list[Item]] = {}
        for item in self._ordered:
            for id_ in dict.fromkeys(item.uses):
                dependents.setdefault(id_, []).append(item)
        self._dependents = dependents
        self._planned = {}
        self.version += 1

    # -- users' objects --

    def get(self, id: GlobalId) -> Item:
        return self._items[id]

    def find_by_id(self, id: GlobalId) -> Item | None:
        return self._items.get(id)

    def widened(self, relation: Relation) -> Relation:
        """`relation` over tables as they are now."""
        return widened(relation, self._items)

    def find(self, schema: str, name: str) -> Item | None:
        id_ = self._by_name.get((schema, name))
        return self._items[id_] if id_ is not None else None

    def user_items(self) -> list[Item]:
        """In order of creation, so that every object comes after those it uses."""
        return list(self._ordered)

    def dependents(self, id: GlobalId) -> list[Item]:
        """Objects whose definition names `id`, indexes on it included, in order of creation."""
        return list(self._dependents.get(id, ()))

    def schemas(self) -> list[SchemaEntry]:
        return list(self._schemas.values())

    def schema_entry(self, name: str) -> SchemaEntry | None:
        return self._schemas.get(name)

    def cluster(self, name: str) -> ClusterEntry | None:
        return self._clusters.get(name)

    def cluster_options(self, name: str) -> ClusterOptions:
        """Those of the cluster; of one that is gone, what the settings say."""
        entry = self._clusters.get(name)
        return ClusterOptions.from_mapping(entry.options if entry is not None else {})

    def cluster_entries(self) -> list[ClusterEntry]:
        return list(self._clusters.values())

    def indexes_on(self, id: GlobalId) -> list[Item]:
        return [i for i in self.dependents(id) if i.kind is ItemKind.INDEX and i.on == id]

    # -- CatalogView --

    def schema_exists(self, schema: str) -> bool:
        return schema in self._schemas or schema in SYSTEM_SCHEMAS

    def item(self, schema: str, name: str) -> CatalogItem | None:
        if (system := self._system_by_name.get((schema, name))) is not None:
            return system
        kept = self._planned
        item = self.find(schema, name)
        return self._plan_item(item, kept) if item is not None else None

    def item_by_id(self, id: GlobalId) -> CatalogItem:
        if (system := self._system.get(id)) is not None:
            return system
        kept = self._planned
        return self._plan_item(self._items[id], kept)

    def items(self) -> Mapping[GlobalId, CatalogItem]:
        kept = self._planned
        return {**self._system, **{id_: self._plan_item(item, kept) for id_, item in self._items.items()}}

    def oid(self, id: GlobalId) -> int:
        if id.startswith("s"):
            return SYSTEM_OIDS[id]
        return self._items[id].oid

    def schema_oids(self) -> Mapping[str, int]:
        return {**SYSTEM_SCHEMAS, **{entry.name: entry.oid for entry in self._schemas.values()}}

    def clusters(self) -> tuple[str, ...]:
        return tuple(self._clusters)

    def _plan_item(self, item: Item, kept: dict[GlobalId, CatalogItem]) -> CatalogItem:
        """`kept` is what `_planned` was before `item` was looked up: planning may run in another thread while the
        catalog changes, and what it found before belongs to the old one."""
        planned = kept.get(item.id)
        if planned is None:
            definition = item.relation
            # An indexed view stays a Get, so that a query can find its index; who cannot use one expands it.
            if item.kind is not ItemKind.VIEW or self.indexes_on(item.id):
                definition = None
            if item.kind is ItemKind.TABLE and item.layout:
                definition = item.contents
            elif definition is not None:
                definition = widened(definition, self._items)
            planned = CatalogItem(
                item.id,
                QualifiedName(DATABASE, item.schema_name, item.name),
                item.kind,
                item.schema,
                definition,
                item.defaults,
                item.constraints,
                item.layout,
            )
            kept[item.id] = planned
        return planned


def bootstrap_entries() -> list[Entry]:
    """What exists from the start."""
    return [SchemaEntry(DEFAULT_SCHEMA, 2_200), ClusterEntry("c1", DEFAULT_CLUSTER)]


def renamed(item: Item, **changes: Any) -> Change:
    return Change(item, replace(item, **changes))


def _columns_from_json(value: list[list[Any]] | None) -> tuple[tuple[GlobalId, int], ...] | None:
    return None if value is None else tuple((id_, place) for id_, place in value)


def widened(relation: Relation, items: Mapping[GlobalId, Item]) -> Relation:
    """`relation` with every table read with all the columns that it has now, and shown with those it had then."""
    if isinstance(relation, Get):
        item = items.get(relation.id)
        width = len(relation.schema)
        if item is None or item.kind is not ItemKind.TABLE or width >= len(item.physical):
            return relation
        return Project(Get(relation.id, item.physical), tuple(range(width)), relation.schema.names)
    children = inputs(relation)
    wide = tuple(widened(child, items) for child in children)
    if all(new is old for new, old in zip(wide, children, strict=True)):
        return relation
    return with_inputs(relation, wide)


def _system_items() -> dict[GlobalId, CatalogItem]:
    return {
        f"s{i}": CatalogItem(f"s{i}", QualifiedName(DATABASE, schema, name), ItemKind.SYSTEM, columns)
        for i, ((schema, _, name), columns) in enumerate(
            ((full.partition("."), columns) for full, columns in SYSTEM_RELATIONS.items()), 1
        )
    }


_WELL_KNOWN = {
    "pg_am": 2601, "pg_attrdef": 2604, "pg_attribute": 1249, "pg_authid": 1260, "pg_cast": 2605, "pg_class": 1259,
    "pg_collation": 3456, "pg_constraint": 2606, "pg_conversion": 2607, "pg_database": 1262, "pg_default_acl": 826,
    "pg_depend": 2608, "pg_description": 2609, "pg_enum": 3501, "pg_event_trigger": 3466, "pg_extension": 3079,
    "pg_foreign_data_wrapper": 2328, "pg_foreign_server": 1417, "pg_foreign_table": 3118, "pg_index": 2610,
    "pg_inherits": 2611, "pg_language": 2612, "pg_namespace": 2615, "pg_opclass": 2616, "pg_operator": 2617,
    "pg_opfamily": 2753, "pg_policy": 3256, "pg_proc": 1255, "pg_publication": 6104, "pg_range": 3541,
    "pg_rewrite": 2618, "pg_sequence": 2224, "pg_shdescription": 2396, "pg_statistic": 2619,
    "pg_statistic_ext": 3381, "pg_subscription": 6100, "pg_tablespace": 1213, "pg_trigger": 2620,
    "pg_ts_config": 3602, "pg_ts_dict": 3600, "pg_ts_parser": 3601, "pg_ts_template": 3764, "pg_type": 1247,
}  # fmt: skip
"""Relations that clients name by their OID in PostgreSQL, as in `classoid = 'pg_class'::regclass`."""

SYSTEM_OIDS = {
    f"s{i}": _WELL_KNOWN.get(name.removeprefix("pg_catalog."), 10_000 + i)
    for i, name in enumerate(SYSTEM_RELATIONS, 1)
}
