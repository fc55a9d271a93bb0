"""What the catalog holds: objects, schemas, clusters, roles, grants and counters, each a frozen value, and its JSON.

Items refer to each other by id, so a rename changes one item and nothing else.  A `Change` replaces one entry by another.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import pyarrow as pa

from ...config import DEFAULT_CLUSTER, DEFAULT_SCHEMA
from ...errors import About, UndefinedObject
from ...expr.tree.codec import relation_from_json, relation_to_json, scalar_from_json, scalar_to_json
from ...expr.tree.relation import Get, GlobalId, Project, Relation
from ...expr.tree.scalar import Scalar
from ...repr.schema import Column, Schema, type_from_json, type_to_json
from ...repr.types import ScalarType
from ...sql.catalog.catalog_view import ItemKind
from ...sql.syntax.constraints import Constraint
from ...sql.syntax.function_definition import FunctionDefinition
from ...sql.syntax.role_statements import Securable
from .acl import Acl, acl_from_json, default_acl
from .role import FIRST_ROLE, OWNER_ID, RoleEntry

CATALOG_VERSION = 1

PUBLIC_SCHEMA_OID = 2_200

FIRST_CLUSTER_ID = "c1"

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
    columns of tables, by place, that a view names (None: it is not known).  `function` is what a function is, whose schema has
    no columns; a type's has one, of what its name stands for.  `owner` is a role's id, `acl` who may do what (None:
    the default).
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
    owner: str = OWNER_ID
    acl: Acl | None = None
    function: FunctionDefinition | None = None

    def about(self, *, column: str | None = None, constraint: str | None = None) -> About:
        """What an error of one of the table's rules is about."""
        return About(self.schema_name, self.name, column, constraint)

    @property
    def securable(self) -> Securable:
        return Securable.FUNCTION if self.kind is ItemKind.FUNCTION else Securable.TABLE

    @property
    def privileges(self) -> Acl:
        return default_acl(self.securable, self.owner) if self.acl is None else self.acl

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
    def stored_schema(self) -> Schema:
        """As `physical`, with what older rows have in columns that were added; dropped ones are marked."""
        first = len(self.physical) - len(self.missing)
        columns = (*self.physical.columns[:first], *self.stored_columns)
        gone = self.dropped_places
        return Schema(tuple(replace(c, dropped=place in gone) for place, c in enumerate(columns)))

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
    def shown_name(self) -> str:
        """What it is called in its schema: of a function, with the types of its arguments."""
        return self.name if self.function is None else self.function.signature(self.name)

    @property
    def temporary(self) -> bool:
        return self.schema_name.startswith(TEMP_SCHEMA_PREFIX)

    @property
    def full_name(self) -> str:
        return f"{self.schema_name}.{self.shown_name}"

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

    @property
    def former(self) -> GlobalId | None:
        """What a sink has read before, until its target holds all of that."""
        return self.uses[1] if self.kind is ItemKind.SINK and len(self.uses) > 1 else None

    @property
    def generation(self) -> int:
        """How often a sink was given something else to read."""
        return int(self.options.get("generation", 0))

    @property
    def switched_at(self) -> int:
        """The last time of what the sink has read before; it has a former input."""
        return int(self.options["switched_at"])

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
            "owner": self.owner,
            "acl": None if self.acl is None else [asdict(item) for item in self.acl],
        }
        if self.function is not None:
            value["function"] = self.function.to_json()
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
            owner=v.get("owner", OWNER_ID),
            acl=acl_from_json(v.get("acl")),
            function=FunctionDefinition.from_json(v["function"]) if "function" in v else None,
        )


@dataclass(frozen=True, slots=True)
class SchemaEntry:
    name: str
    oid: int
    comment: str | None = None
    owner: str = OWNER_ID
    acl: Acl | None = None

    @property
    def privileges(self) -> Acl:
        """Every role may use the schema `public`; schemas that are created, only their owner."""
        public = "U" if self.oid == PUBLIC_SCHEMA_OID else ""
        return default_acl(Securable.SCHEMA, self.owner, public) if self.acl is None else self.acl


@dataclass(frozen=True, slots=True)
class ClusterEntry:
    """`id` is the cluster's identity for life; options override settings (config.ClusterOptions)."""

    id: str
    name: str
    options: Mapping[str, int] = field(default_factory=dict)
    owner: str = OWNER_ID
    acl: Acl | None = None

    @property
    def privileges(self) -> Acl:
        """As a schema's."""
        public = "U" if self.id == FIRST_CLUSTER_ID else ""
        return default_acl(Securable.CLUSTER, self.owner, public) if self.acl is None else self.acl


@dataclass(frozen=True, slots=True)
class DatabaseEntry:
    """The one database, as far as it is anybody's."""

    owner: str = OWNER_ID
    acl: Acl | None = None

    @property
    def privileges(self) -> Acl:
        return default_acl(Securable.DATABASE, self.owner) if self.acl is None else self.acl


@dataclass(frozen=True, slots=True)
class IdsEntry:
    """The first id and the first oid that were never used; kept, so that those of dropped objects stay unique."""

    next_id: int
    next_oid: int


@dataclass(frozen=True, slots=True)
class SettingsEntry:
    """What sessions of all roles begin with, where a role's own settings do not say otherwise; there is none while nothing is set."""

    settings: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class DefaultAclEntry:
    """What a role's new objects of a kind are granted: anywhere (`schema` 0), in place of the default list, or in the schema with
    that oid, beside it."""

    role: str
    schema: int
    kind: str
    acl: Acl


Entry = (
    DefaultAclEntry | Item | SchemaEntry | ClusterEntry | IdsEntry | DatabaseEntry | RoleEntry | SettingsEntry
)

Owned = Item | SchemaEntry | ClusterEntry | DatabaseEntry


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
        case DatabaseEntry():
            return "database"
        case RoleEntry(id=id_):
            return f"role/{id_}"
        case SettingsEntry():
            return "settings"
        case DefaultAclEntry(role=role, schema=schema, kind=kind):
            return f"default_acl/{role}/{schema}/{kind}"


def entry_to_json(entry: Entry) -> str:
    if isinstance(entry, Item):
        return entry.to_json()
    return json.dumps(asdict(entry), separators=(",", ":"))


def entry_from_json(key: str, text: str) -> Entry:
    match key.partition("/")[0]:
        case "item":
            return Item.from_json(text)
        case "schema":
            return SchemaEntry(**_with_acl(json.loads(text)))
        case "cluster":
            return ClusterEntry(**_with_acl(json.loads(text)))
        case "database":
            return DatabaseEntry(**_with_acl(json.loads(text)))
        case "default_acl":
            return DefaultAclEntry(**_with_acl(json.loads(text)))
        case "role":
            return RoleEntry.from_json(json.loads(text))
        case "settings":
            return SettingsEntry(**json.loads(text))
        case "ids":
            return IdsEntry(**json.loads(text))
        case kind:
            raise UndefinedObject(
                f'the catalog holds an entry of unknown kind "{kind}"',
                hint="It was written by a newer version: use that one.",
            )


def _with_acl(value: dict[str, Any]) -> dict[str, Any]:
    return {**value, "acl": acl_from_json(value.get("acl"))}


@dataclass(frozen=True, slots=True)
class Change:
    """One entry before and after a statement; None means that it is not there."""

    before: Entry | None
    after: Entry | None


def bootstrap_entries() -> list[Entry]:
    """What exists from the start."""
    return [
        SchemaEntry(DEFAULT_SCHEMA, PUBLIC_SCHEMA_OID),
        ClusterEntry(FIRST_CLUSTER_ID, DEFAULT_CLUSTER),
        FIRST_ROLE,
        DatabaseEntry(),
    ]


def renamed(item: Item, **changes: Any) -> Change:
    return Change(item, replace(item, **changes))


def _columns_from_json(value: list[list[Any]] | None) -> tuple[tuple[GlobalId, int], ...] | None:
    return None if value is None else tuple((id_, place) for id_, place in value)
