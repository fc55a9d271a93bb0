"""Who may do what: roles and access control lists put together, at the version that the catalog has.

A superuser may do everything, an owner (every role with the owner's privileges) everything with what it owns; the others what
the list of the object says.  What a view reads is read with the rights of the view's owner, as in PostgreSQL: a role that may
SELECT from the view need not be allowed to below it, but its owner must.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ...config import DATABASE
from ...errors import InvalidParameter, PermissionDenied
from ...expr.tree.relation import GlobalId
from ...sql.calls.privilege_functions import DATABASE_OID
from ...sql.syntax.role_statements import Securable
from .acl import ALL, LETTERS, grantable, held
from .catalog import SYSTEM_SCHEMAS, Catalog
from .entries import ClusterEntry, DatabaseEntry, Owned, SchemaEntry
from .items import Function, ItemBase, NamedType, View
from .role import RoleEntry
from .system_items import SYSTEM_OIDS, is_system

SELECT, INSERT, UPDATE, DELETE = LETTERS["SELECT"], LETTERS["INSERT"], LETTERS["UPDATE"], LETTERS["DELETE"]
EXECUTE, TRUNCATE, USAGE, CREATE, TEMPORARY = (
    LETTERS["EXECUTE"],
    LETTERS["TRUNCATE"],
    LETTERS["USAGE"],
    LETTERS["CREATE"],
    LETTERS["TEMPORARY"],
)
_SECRET = frozenset({"pg_authid", "pg_shadow", "mz_audit_events"})
"""System relations that only superusers may read."""


class Privileges:
    """Answers are as of the moment of the call."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog
        self._limited = False
        self._hidden: dict[str, frozenset[str]] = {}
        self._version = -1

    # -- questions --

    def owns(self, role: RoleEntry, entry: Owned) -> bool:
        return role.superuser or entry.owner in self._catalog.roles.inherited(role.id)

    def has(self, role: RoleEntry, entry: Owned, letters: str) -> bool:
        """Whether the role has all of these privileges."""
        if self.owns(role, entry):
            return True
        mine = held(entry.privileges, self._catalog.roles.inherited(role.id))
        return all(letter in mine for letter in letters)

    def hidden_schemas(self, role: RoleEntry) -> frozenset[str]:
        """Schemas that the role may not use."""
        if role.superuser:
            return frozenset()
        self._renew()
        found = self._hidden.get(role.id)
        if found is None:
            schemas = self._catalog.schemas()
            found = frozenset(entry.name for entry in schemas if not self.has(role, entry, USAGE))
            self._hidden[role.id] = found
        return found

    @property
    def views_are_limited(self) -> bool:
        """Whether some view's owner is no superuser: then not even superusers may read all views."""
        self._renew()
        return self._limited

    def _renew(self) -> None:
        """Forgets what was found in another version of the catalog."""
        if self._version == self._catalog.version:
            return
        self._version = self._catalog.version
        self._hidden.clear()
        roles = self._catalog.roles.by_id
        self._limited = len(roles) > 1 and any(
            isinstance(item, View) and not roles[item.owner].superuser for item in self._catalog.user_items()
        )

    # -- what planning asks --

    def role_name(self, oid: int) -> str | None:
        return next((r.name for r in self._catalog.roles.by_id.values() if r.oid == oid), None)

    def allowed(self, role: str, kind: Securable, word: str, *, option: bool) -> Mapping[int, bool]:
        """By OID; clusters, which have none, by their place among the names in order."""
        entry = self._catalog.roles.get(role)
        letter = LETTERS.get("TEMPORARY" if word == "TEMP" else word)
        if letter is None or letter not in ALL[kind]:
            raise InvalidParameter(f'unrecognized privilege type: "{word}"')
        catalog = self._catalog
        owned: list[tuple[int, Owned]]
        found: dict[int, bool] = {}
        match kind:
            case Securable.DATABASE:
                owned = [(DATABASE_OID, catalog.database)]
            case Securable.SCHEMA:
                owned = [(schema.oid, schema) for schema in catalog.schemas()]
                found = dict.fromkeys(
                    SYSTEM_SCHEMAS.values(), entry.superuser or (word == "USAGE" and not option)
                )
            case Securable.CLUSTER:
                clusters = sorted(catalog.cluster_entries(), key=lambda cluster: cluster.name)
                owned = list(enumerate(clusters, 1))
            case Securable.FUNCTION:
                owned = [(item.oid, item) for item in catalog.user_functions()]
            case Securable.SECRET:
                owned = [(item.oid, item) for item in catalog.user_secrets()]
            case Securable.CONNECTION:
                owned = [(item.oid, item) for item in catalog.user_connections()]
            case Securable.TABLE:
                owned = [(item.oid, item) for item in catalog.user_items()]
                for id_, oid in SYSTEM_OIDS.items():
                    secret = catalog.item_by_id(id_).name.name in _SECRET
                    found[oid] = entry.superuser or (word == "SELECT" and not option and not secret)
        for oid, what in owned:
            found[oid] = self._may(entry, what, kind, letter, option=option)
        return found

    def _may(self, role: RoleEntry, entry: Owned, kind: Securable, letter: str, *, option: bool) -> bool:
        if self.owns(role, entry) or not option:
            return self.has(role, entry, letter)
        mine = self._catalog.roles.inherited(role.id)
        return any(letter in grantable(entry.privileges, entry.owner, id_, kind) for id_ in mine)

    def memberships(self, role: str, mode: str, *, admin: bool) -> frozenset[int]:
        roles = self._catalog.roles
        entry = roles.get(role)
        if entry.superuser:
            return frozenset(other.oid for other in roles.by_id.values())
        ways = {"MEMBER": roles.within, "USAGE": roles.inherited, "SET": roles.reachable}
        found = ways[mode](entry.id)
        if admin:
            found = frozenset(id_ for id_ in found if roles.administers(entry, id_))
        return frozenset(roles.by_id[id_].oid for id_ in found)

    # -- demands: 42501 when they are not met --

    def must_have(self, role: RoleEntry, entry: Owned, letters: str) -> None:
        if not self.has(role, entry, letters):
            raise PermissionDenied(f"permission denied for {_called(entry)}")

    def must_own(self, role: RoleEntry, entry: Owned) -> None:
        if not self.owns(role, entry):
            raise PermissionDenied(f"must be owner of {_called(entry)}")

    def must_read(self, role: RoleEntry, ids: Iterable[GlobalId]) -> None:
        """The relations, with what is below views."""
        for id_ in sorted(ids):
            if is_system(id_):
                name = self._catalog.item_by_id(id_).name.name
                if name in _SECRET and not role.superuser:
                    word = "table" if name == "pg_authid" else "view"
                    raise PermissionDenied(f"permission denied for {word} {name}")
                continue
            item = self._catalog.get(id_)
            if isinstance(item, NamedType):
                continue  # everybody may use them
            self.must_have(role, item, EXECUTE if isinstance(item, Function) else SELECT)
            if isinstance(item, View):
                self._must_read_below(item, role, set())

    def _must_read_below(self, view: View, role: RoleEntry, seen: set[GlobalId]) -> None:
        """Only views of others, and what they read: who owns everything below may read it.  Functions are called by `role`,
        not by the view's owner, as in PostgreSQL."""
        if view.id in seen:
            return
        seen.add(view.id)
        owner = self._catalog.roles.by_id[view.owner]
        if owner.superuser:
            below = [i for i in map(self._catalog.find_by_id, view.uses) if i is not None]
        else:
            below = []
            for id_ in view.uses:
                item = self._catalog.find_by_id(id_)
                if not isinstance(item, Function | NamedType):
                    self._must_read_one(owner, id_)
                if item is not None:
                    below.append(item)
        for item in below:
            if isinstance(item, Function):
                self.must_have(role, item, EXECUTE)
            elif isinstance(item, View):
                self._must_read_below(item, role, seen)

    def _must_read_one(self, role: RoleEntry, id: GlobalId) -> None:
        item = self._catalog.find_by_id(id)
        if item is None:  # one of the system
            self.must_read(role, (id,))
        else:
            self.must_have(role, item, SELECT)

    def must_use_cluster(self, role: RoleEntry, name: str, letters: str = USAGE) -> None:
        """A cluster that does not exist is refused where it is used, not here."""
        entry = self._catalog.cluster(name)
        if entry is not None:
            self.must_have(role, entry, letters)

    def must_create_in(self, role: RoleEntry, schema: str) -> None:
        """A schema of the system, or none, is refused where the object is created, not here."""
        entry = self._catalog.schema_entry(schema)
        if entry is not None:
            self.must_have(role, entry, CREATE)
        elif schema not in SYSTEM_SCHEMAS and not self.has(role, self._catalog.database, TEMPORARY):
            raise PermissionDenied(f'permission denied to create temporary tables in database "{DATABASE}"')


def _called(entry: Owned) -> str:
    match entry:
        case ItemBase(kind=kind, name=name):
            return f"{kind.value.replace('-', ' ')} {name}"
        case SchemaEntry(name=name):
            return f"schema {name}"
        case ClusterEntry(name=name):
            return f"cluster {name}"
        case DatabaseEntry():
            return f"database {DATABASE}"
