"""What the catalog holds: objects (`items`), schemas, clusters, roles, grants and counters, each a frozen value, and its JSON.

A `Change` replaces one entry by another.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from ...config import DEFAULT_CLUSTER, DEFAULT_SCHEMA
from ...errors import UndefinedObject
from ...sql.syntax.role_statements import Securable
from .acl import Acl, acl_from_json, default_acl
from .item_json import item_from_json, item_to_json
from .items import Item, ItemBase
from .role import FIRST_ROLE, OWNER_ID, RoleEntry

PUBLIC_SCHEMA_OID = 2_200

FIRST_CLUSTER_ID = "c1"


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
        case ItemBase(id=id_):
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
        return item_to_json(entry)
    return json.dumps(asdict(entry), separators=(",", ":"))


def entry_from_json(key: str, text: str) -> Entry:
    match key.partition("/")[0]:
        case "item":
            return item_from_json(text)
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
