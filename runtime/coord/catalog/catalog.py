"""The catalog: every object of the environment, in memory, and its durable form.

The durable form is a persist shard of rows `(key, value)` where the value is the entry as JSON (`entries`): one
DDL statement is one append.  Objects of temporary schemas are in memory only.

`Catalog` implements `CatalogView` for planning: system relations first, users' after.
"""

from __future__ import annotations

import copy
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from ...config import ClusterOptions
from ...expr.tree.relation import GlobalId, Relation
from ...repr.types import ScalarType
from ...sql.catalog.catalog_view import CatalogItem, ItemKind
from .applications import applications
from .entries import (
    Change,
    ClusterEntry,
    DatabaseEntry,
    DefaultAclEntry,
    Entry,
    IdsEntry,
    Owned,
    SchemaEntry,
    SettingsEntry,
    entry_key,
)
from .items import (
    Apart,
    Connection,
    Function,
    Index,
    Item,
    ItemBase,
    NamedType,
    Relational,
    Secret,
    Table,
    View,
)
from .planned_items import planned_item, widened
from .role import FIRST_ROLE, RoleEntry, Roles
from .system_items import SYSTEM_ITEMS, SYSTEM_OIDS, is_system, system_item

FIRST_USER_OID = 16_384

SYSTEM_SCHEMAS = {"pg_catalog": 11, "information_schema": 13_000, "mz_catalog": 13_001, "mz_internal": 13_002}


Kind = TypeVar("Kind", bound=ItemBase)


@dataclass(slots=True)
class _NextIds:
    """The first id and oid that are free; one for a catalog and its forks."""

    id: int = 1
    oid: int = FIRST_USER_OID


class Catalog:
    """All entries by id and by name.  `apply` is the only way in which it changes.

    A fork changes by itself, and takes its ids from where they all come from; `unbuilt` are the objects that exist in a
    fork only, and are not stored or maintained yet, and those that are maintained by what they have been: views of which the
    definition is another in the fork (`applied`), and what is over them.  `redefined` is the version that last changed what a name
    means or a view says: a plan that is older may be read with others only at a time before.
    """

    def __init__(self, entries: Iterable[Entry] = ()) -> None:
        self._items: dict[GlobalId, Item] = {}
        self._by_name: dict[tuple[str, str], Relational] = {}
        self._populated: frozenset[str] = frozenset()
        self._schemas: dict[str, SchemaEntry] = {}
        self._clusters: dict[str, ClusterEntry] = {}
        self._ordered: tuple[Item, ...] = ()
        self._relations: tuple[Relational, ...] = ()
        self._functions: dict[str, list[Function]] = {}
        self._apart: dict[tuple[ItemKind, str, str], Apart] = {}
        self._dependents: dict[GlobalId, list[Item]] = {}
        self._planned: dict[GlobalId, CatalogItem] = {}
        self._next = _NextIds()
        self.unbuilt: frozenset[GlobalId] = frozenset()
        self.applied: frozenset[GlobalId] = frozenset()
        self._durable_ids: IdsEntry | None = None
        self.roles = Roles([FIRST_ROLE])
        self.database = DatabaseEntry()
        self.settings: SettingsEntry | None = None
        self.default_acls: dict[tuple[str, int, str], DefaultAclEntry] = {}
        self.version = 0
        self.redefined = 0
        self.apply([Change(None, entry) for entry in entries])

    def fork(self, changes: Iterable[Change]) -> Catalog:
        """This catalog after some changes, which it does not know of."""
        changes = list(changes)
        fork = copy.copy(self)
        fork._items, fork._by_name = dict(self._items), dict(self._by_name)
        fork._schemas, fork._clusters = dict(self._schemas), dict(self._clusters)
        fork.default_acls = dict(self.default_acls)
        fork.unbuilt = self.unbuilt | {
            change.after.id for change in changes if change.before is None and isinstance(change.after, Item)
        }
        fork.apply(changes)
        fork.applied = self.applied | {application.after.id for application in applications(changes)}
        fork.unbuilt |= {item.id for item in fork.above(fork.applied)}
        return fork

    def entries(self) -> dict[str, Entry]:
        """All of them as they are now, by key; but for the ids."""
        entries: list[Entry] = [*self.owned(), *self.roles.by_id.values(), *self.default_acls.values()]
        if self.settings is not None:
            entries.append(self.settings)
        return {entry_key(entry): entry for entry in entries}

    # -- identity --

    def allocate(self) -> tuple[GlobalId, int]:
        """A new id and oid; never used again, even if the statement fails."""
        oid = self.allocate_oid()
        self._next.id += 1
        return f"u{self._next.id - 1}", oid

    def allocate_oid(self) -> int:
        self._next.oid += 1
        return self._next.oid - 1

    def has_objects_in(self, schema: str) -> bool:
        """Whether a schema has objects, of any kind."""
        return schema in self._populated

    def skip_ids(self, ids: Iterable[GlobalId]) -> None:
        """Counts ids as used that no entry has."""
        self._next.id = max([self._next.id, *(int(id_[1:]) + 1 for id_ in ids)])

    def ids_change(self) -> Change | None:
        """What makes the ids durable that were allocated since it was last applied; part of every statement."""
        now = IdsEntry(self._next.id, self._next.oid)
        return Change(self._durable_ids, now) if now != self._durable_ids else None

    # -- change --

    def apply(self, changes: Iterable[Change]) -> None:
        changes = list(changes)
        roles = dict(self.roles.by_id)
        for change in changes:
            match change.before:
                case ItemBase(id=id_, schema_name=schema, name=name) as item:
                    del self._items[id_]
                    if isinstance(item, Relational):
                        del self._by_name[schema, name]
                case SchemaEntry(name=name):
                    del self._schemas[name]
                case ClusterEntry(name=name):
                    del self._clusters[name]
                case RoleEntry(id=id_):
                    del roles[id_]
                case SettingsEntry():
                    self.settings = None
                case DefaultAclEntry() as defaults:
                    del self.default_acls[defaults.role, defaults.schema, defaults.kind]
        for change in changes:
            match change.after:
                case ItemBase() as item:
                    self._items[item.id] = item
                    if isinstance(item, Relational):
                        self._by_name[item.schema_name, item.name] = item
                    constraints = item.constraints if isinstance(item, Table) else ()
                    oids = (item.oid, *(constraint.oid for constraint in constraints))
                    self._next.oid = max(self._next.oid, max(oids) + 1)
                    self._next.id = max(self._next.id, int(item.id[1:]) + 1)
                case SchemaEntry() as schema_entry:
                    self._schemas[schema_entry.name] = schema_entry
                    self._next.oid = max(self._next.oid, schema_entry.oid + 1)
                case ClusterEntry() as cluster:
                    self._clusters[cluster.name] = cluster
                case IdsEntry(next_id=next_id, next_oid=next_oid) as ids:
                    self._durable_ids = ids
                    self._next.id = max(self._next.id, next_id)
                    self._next.oid = max(self._next.oid, next_oid)
                case RoleEntry() as role:
                    roles[role.id] = role
                    self._next.oid = max(self._next.oid, role.oid + 1)
                case DefaultAclEntry() as defaults:
                    self.default_acls[defaults.role, defaults.schema, defaults.kind] = defaults
                case DatabaseEntry() as database:
                    self.database = database
                case SettingsEntry() as settings:
                    self.settings = settings
        self.roles = Roles(roles.values())
        self._populated = frozenset(schema for schema, _ in self._by_name)
        self._ordered = tuple(sorted(self._items.values(), key=lambda item: int(item.id[1:])))
        self._relations = tuple(item for item in self._ordered if isinstance(item, Relational))
        functions: dict[str, list[Function]] = {}
        apart: dict[tuple[ItemKind, str, str], Apart] = {}
        if len(self._relations) != len(self._ordered):
            for item in self._ordered:
                match item:
                    case Function():
                        functions.setdefault(item.name, []).append(item)
                    case _ if isinstance(item, Apart):
                        apart[item.kind, item.schema_name, item.name] = item
        self._functions, self._apart = functions, apart
        dependents: dict[GlobalId, list[Item]] = {}
        for item in self._ordered:
            for id_ in dict.fromkeys(item.uses):
                dependents.setdefault(id_, []).append(item)
        self._dependents = dependents
        self._planned = {}
        self.version += 1
        if any(map(_redefines, changes)):
            self.redefined = self.version

    # -- users' objects --

    def get(self, id: GlobalId) -> Item:
        return self._items[id]

    def get_as(self, id: GlobalId, kind: type[Kind]) -> Kind:
        """As `get`, of what a plan knows the kind."""
        item = self._items[id]
        assert isinstance(item, kind), f"{item.full_name} is a {item.kind.value}"
        return item

    def find_by_id(self, id: GlobalId) -> Item | None:
        return self._items.get(id)

    def widened(self, relation: Relation) -> Relation:
        """`relation` over tables as they are now."""
        return widened(relation, self._items)

    def find(self, schema: str, name: str) -> Relational | None:
        return self._by_name.get((schema, name))

    def user_items(self) -> list[Relational]:
        """Relations, indexes and sinks, in order of creation, so that every one comes after those it uses."""
        return list(self._relations)

    def user_functions(self) -> list[Function]:
        """In order of creation."""
        return [item for item in self._ordered if isinstance(item, Function)]

    def user_objects(self) -> list[Item]:
        """As `user_items`, and functions, types, secrets and connections."""
        return list(self._ordered)

    def user_types(self) -> list[NamedType]:
        return [item for item in self._apart.values() if isinstance(item, NamedType)]

    def user_secrets(self) -> list[Secret]:
        return [item for item in self._apart.values() if isinstance(item, Secret)]

    def user_connections(self) -> list[Connection]:
        return [item for item in self._apart.values() if isinstance(item, Connection)]

    def find_apart(self, kind: ItemKind, schema: str, name: str) -> Apart | None:
        """What has the name among its like."""
        return self._apart.get((kind, schema, name))

    def find_type(self, schema: str, name: str) -> NamedType | None:
        found = self.find_apart(ItemKind.TYPE, schema, name)
        return found if isinstance(found, NamedType) else None

    def find_function(self, schema: str, name: str, types: Sequence[ScalarType]) -> Function | None:
        """The function of that name which takes exactly such arguments."""
        for item in self._functions.get(name, ()):
            if item.schema_name == schema and item.definition.types == tuple(types):
                return item
        return None

    def dependents(self, id: GlobalId) -> list[Item]:
        """Objects whose definition names `id`, indexes on it included, in order of creation."""
        return list(self._dependents.get(id, ()))

    def below(self, ids: Collection[GlobalId]) -> Iterator[Item]:
        """The objects of these ids, and all that they are made of, once each."""
        pending, seen = list(ids), set(ids)
        while pending:
            if (item := self.find_by_id(pending.pop())) is not None:
                yield item
                pending += set(item.uses) - seen
                seen.update(item.uses)

    def above(self, ids: Collection[GlobalId]) -> Iterator[Item]:
        """The objects of these ids, and all whose definitions rest on them, once each."""
        pending, seen = list(ids), set(ids)
        while pending:
            if (item := self.find_by_id(pending.pop())) is not None:
                yield item
                found = [other.id for other in self.dependents(item.id) if other.id not in seen]
                pending += found
                seen.update(found)

    def schemas(self) -> list[SchemaEntry]:
        return list(self._schemas.values())

    def schema_entry(self, name: str) -> SchemaEntry | None:
        return self._schemas.get(name)

    def cluster(self, name: str) -> ClusterEntry | None:
        return self._clusters.get(name)

    def owned(self) -> list[Owned]:
        """Everything that has an owner."""
        return [self.database, *self._schemas.values(), *self._clusters.values(), *self._ordered]

    def default_acls_in(self, schema: int) -> list[DefaultAclEntry]:
        """What is granted on new objects of the schema with that oid."""
        return [entry for entry in self.default_acls.values() if entry.schema == schema]

    def cluster_options(self, name: str) -> ClusterOptions:
        """Those of the cluster; of one that is gone, what the settings say."""
        entry = self._clusters.get(name)
        return ClusterOptions.from_mapping(entry.options if entry is not None else {})

    def cluster_entries(self) -> list[ClusterEntry]:
        return list(self._clusters.values())

    def indexes_on(self, id: GlobalId) -> list[Index]:
        return [i for i in self.dependents(id) if isinstance(i, Index) and i.on == id]

    # -- CatalogView --

    def schema_exists(self, schema: str) -> bool:
        return schema in self._schemas or schema in SYSTEM_SCHEMAS

    def item(self, schema: str, name: str) -> CatalogItem | None:
        if (system := system_item(schema, name)) is not None:
            return system
        kept = self._planned
        item = self.find(schema, name)
        return self._plan_item(item, kept) if item is not None else None

    def functions(self, name: str) -> list[CatalogItem]:
        kept = self._planned
        found = self._functions.get(name)
        return [] if found is None else [self._plan_item(item, kept) for item in found]

    def all_functions(self) -> list[CatalogItem]:
        if not self._functions:
            return []
        kept = self._planned
        return [self._plan_item(item, kept) for item in self.user_functions()]

    def type(self, schema: str, name: str) -> CatalogItem | None:
        return self.of_kind(ItemKind.TYPE, schema, name)

    def of_kind(self, kind: ItemKind, schema: str, name: str) -> CatalogItem | None:
        kept = self._planned
        found = self.find_apart(kind, schema, name)
        return None if found is None else self._plan_item(found, kept)

    def all_types(self) -> list[CatalogItem]:
        kept = self._planned
        return [self._plan_item(item, kept) for item in self.user_types()]

    def item_by_id(self, id: GlobalId) -> CatalogItem:
        if (system := SYSTEM_ITEMS.get(id)) is not None:
            return system
        kept = self._planned
        return self._plan_item(self._items[id], kept)

    def items(self) -> Mapping[GlobalId, CatalogItem]:
        kept = self._planned
        return {**SYSTEM_ITEMS, **{item.id: self._plan_item(item, kept) for item in self._relations}}

    def oid(self, id: GlobalId) -> int:
        if is_system(id):
            return SYSTEM_OIDS[id]
        return self._items[id].oid

    def schema_oids(self) -> Mapping[str, int]:
        return {**SYSTEM_SCHEMAS, **{entry.name: entry.oid for entry in self._schemas.values()}}

    def clusters(self) -> tuple[str, ...]:
        return tuple(self._clusters)

    def role_oids(self) -> Mapping[str, int]:
        return {role.name: role.oid for role in self.roles.by_id.values()}

    def _plan_item(self, item: Item, kept: dict[GlobalId, CatalogItem]) -> CatalogItem:
        """`kept` is what `_planned` was before `item` was looked up: planning may run in another thread while the
        catalog changes, and what it found before belongs to the old one."""
        planned = kept.get(item.id)
        if planned is None:
            indexed = isinstance(item, View) and bool(self.indexes_on(item.id))
            kept[item.id] = planned = planned_item(item, self._items, indexed)
        return planned


def _redefines(change: Change) -> bool:
    """Whether a name means something else than before, or nothing, or a view is another query."""
    match change:
        case Change(View() as before, View() as after) if after.relation is not before.relation:
            return True
        case Change(ItemBase() as before, after) if not before.temporary:
            return (
                not isinstance(after, ItemBase)
                or (after.schema_name, after.name) != (before.schema_name, before.name)
                or (isinstance(after, Function) and after != before)
            )
        case _:
            return False
