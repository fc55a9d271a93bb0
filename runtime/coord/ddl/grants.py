"""GRANT and REVOKE of privileges, OWNER TO, REASSIGN OWNED and DROP OWNED: statements to catalog changes.

An owner, or a role with its privileges, grants as the owner; others by the grant options that they have, as the role that
has them.  Whatever cannot be granted for lack of those is left out with a warning, as in PostgreSQL.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import UnionType

from ...config import DATABASE
from ...errors import PermissionDenied, PtvcError, Unsupported
from ...sql.syntax.role_statements import (
    AlterOwner,
    DefaultPrivileges,
    DropOwned,
    Grant,
    PrivilegeDefinition,
    ReassignOwned,
    RoleSpec,
    RoleWord,
    Securable,
)
from ..catalog.acl import ALL, LETTERS, PUBLIC, Acl, grant, grantable, held, owned_by, revoke, within
from ..catalog.actor import Actor
from ..catalog.authorize import entry_of
from ..catalog.catalog import Catalog
from ..catalog.entries import Change, ClusterEntry, DatabaseEntry, Owned, SchemaEntry
from ..catalog.items import Connection, Function, Index, Item, ItemBase, Readable, Secret
from ..catalog.privileges import CREATE, Privileges
from ..catalog.role import RoleEntry
from ..results.results import Command, Notice
from .default_privileges import default_changes
from .dependents import dropped_with, refuse_unless_empty

_OF_KIND: Mapping[Securable, type[Item] | UnionType] = {
    Securable.TABLE: Readable,
    Securable.FUNCTION: Function,
    Securable.SECRET: Secret,
    Securable.CONNECTION: Connection,
}
"""What GRANT ... ON ALL ... IN SCHEMA is about."""


class PrivilegeDefinitions:
    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog
        self._privileges = Privileges(catalog)

    def changes(
        self, plan: PrivilegeDefinition, actor: Actor, notices: list[Notice]
    ) -> tuple[Command, list[Change]]:
        match plan:
            case Grant(revoke=revoking):
                changes = self._grant(plan, actor, notices)
                tag = "REVOKE" if revoking else "GRANT"
            case DefaultPrivileges():
                changes = default_changes(self._catalog, plan, actor)
                tag = "ALTER DEFAULT PRIVILEGES"
            case AlterOwner(kind=kind):
                changes = self._alter_owner(plan, actor, notices)
                tag = f"ALTER {kind}"
            case ReassignOwned():
                changes = self._reassign(plan, actor)
                tag = "REASSIGN OWNED"
            case DropOwned():
                changes = self._drop_owned(plan, actor)
                tag = "DROP OWNED"
        return Command(tag), changes

    # -- grants --

    def _grant(self, plan: Grant, actor: Actor, notices: list[Notice]) -> list[Change]:
        wanted = ALL[plan.kind] if plan.words is None else "".join(LETTERS[word] for word in plan.words)
        grantees = [self._grantee(spec, actor, plan) for spec in plan.grantees]
        changes = []
        for entry in self._targets(plan):
            grantor, available = self._grantor(actor.role, entry, plan.kind, wanted)
            given = within(wanted, available)
            acl = entry.privileges
            if not given:
                mine = held(acl, self._catalog.roles.inherited(actor.role.id))
                if not mine:
                    self._privileges.must_have(actor.role, entry, wanted)
            if (text := _warning(plan, given, wanted)) is not None:
                notices.append(
                    Notice("WARNING", f'{text} for "{_name(entry)}"', "01006" if plan.revoke else "01007")
                )
            for grantee in grantees:
                acl = self._changed(plan, acl, entry, grantee, grantor, given)
            if acl != entry.privileges:
                changes.append(Change(entry, replace(entry, acl=acl)))
        return changes

    def _changed(self, plan: Grant, acl: Acl, entry: Owned, grantee: str, grantor: str, letters: str) -> Acl:
        if not letters:
            return acl
        if not plan.revoke:
            # An owner's own privileges are grantable in any case.
            return grant(acl, grantee, grantor, letters, plan.option and grantee != entry.owner)
        return revoke(
            acl, grantee, grantor, letters, entry.owner, option_only=plan.option, cascade=plan.cascade
        )

    def _grantee(self, spec: RoleSpec, actor: Actor, plan: Grant) -> str:
        if spec.name is RoleWord.PUBLIC:
            if plan.option and not plan.revoke:
                raise PtvcError("grant options can only be granted to roles", sqlstate="0LP01")
            return PUBLIC
        return actor.resolve(spec, self._catalog.roles).id

    def _targets(self, plan: Grant) -> list[Owned]:
        if plan.in_schemas:
            return [
                item
                for item in self._catalog.user_objects()
                if item.schema_name in plan.targets and isinstance(item, _OF_KIND[plan.kind])
            ]
        entries = [entry_of(self._catalog, plan.kind.name, target) for target in dict.fromkeys(plan.targets)]
        if any(entry is None for entry in entries):
            raise PermissionDenied("privileges on what belongs to the system cannot be changed")
        return [entry for entry in entries if entry is not None]

    def _grantor(self, me: RoleEntry, entry: Owned, kind: Securable, wanted: str) -> tuple[str, str]:
        """Who grants, and which of all privileges it may."""
        if self._privileges.owns(me, entry):
            return entry.owner, ALL[kind]
        mine = self._catalog.roles.inherited(me.id)
        options: Mapping[str, str] = {
            role: grantable(entry.privileges, entry.owner, role, kind)
            for role in (me.id, *sorted(mine - {me.id}))
        }
        best = max(options, key=lambda role: len(within(wanted, options[role])))  # the first of equals
        return best, options[best]

    # -- owners --

    def _alter_owner(self, plan: AlterOwner, actor: Actor, notices: list[Notice]) -> list[Change]:
        entry = entry_of(self._catalog, plan.kind, plan.object)
        new = actor.resolve(plan.owner, self._catalog.roles)
        if entry is None:
            raise PermissionDenied(f"must be owner of schema {plan.object}")
        if isinstance(entry, Index):
            text = f'cannot change owner of index "{entry.name}"'
            notices.append(Notice("WARNING", f"{text}: it is that of what the index is on", "42809"))
            return []
        if entry.owner == new.id:
            return []
        if not actor.role.superuser:
            self._privileges.must_own(actor.role, entry)
            if not self._catalog.roles.may_set(actor.role, new):
                raise PermissionDenied(f'must be able to SET ROLE "{new.name}"')
            self._new_owner_may(entry, new, actor.role)
        return self._given(entry, new)

    def _new_owner_may(self, entry: Owned, new: RoleEntry, me: RoleEntry) -> None:
        match entry:
            case ItemBase(schema_name=schema):
                self._privileges.must_create_in(new, schema)
            case SchemaEntry():
                self._privileges.must_have(me, self._catalog.database, CREATE)
            case ClusterEntry() | DatabaseEntry():
                pass

    def _given(self, entry: Owned, new: RoleEntry) -> list[Change]:
        """The object to its new owner, and its indexes with it."""
        changes = [Change(entry, _of_owner(entry, new))]
        if isinstance(entry, Item):
            changes += [Change(i, _of_owner(i, new)) for i in self._catalog.indexes_on(entry.id)]
        return changes

    def _reassign(self, plan: ReassignOwned, actor: Actor) -> list[Change]:
        to = actor.resolve(plan.to, self._catalog.roles)
        roles = {role.id: role for role in (actor.resolve(spec, self._catalog.roles) for spec in plan.roles)}
        for role in (*roles.values(), to):
            self._must_be(role, actor, "reassign objects", "reassign objects owned by it")
        return [
            Change(entry, _of_owner(entry, to))
            for entry in self._catalog.owned()
            if entry.owner in roles and entry.owner != to.id
        ]

    def _drop_owned(self, plan: DropOwned, actor: Actor) -> list[Change]:
        roles = {role.id: role for role in (actor.resolve(spec, self._catalog.roles) for spec in plan.roles)}
        for role in roles.values():
            self._must_be(role, actor, "drop objects", "drop objects owned by it")
        owned = [entry for entry in self._catalog.owned() if entry.owner in roles]
        for entry in owned:
            if isinstance(entry, ClusterEntry):
                raise Unsupported(
                    f'DROP OWNED of a role that owns clusters is not supported: cluster "{entry.name}"',
                    hint="DROP CLUSTER first, or REASSIGN OWNED.",
                )
        items = [entry for entry in owned if isinstance(entry, Item)]
        schemas = [entry for entry in owned if isinstance(entry, SchemaEntry)]
        for schema in schemas:
            inside = [item for item in self._catalog.user_objects() if item.schema_name == schema.name]
            others = [item for item in inside if item.owner not in roles]
            refuse_unless_empty(f"schema {schema.name}", others, plan.cascade, f"is in schema {schema.name}")
            items += others
        dropped = dropped_with(self._catalog, items, plan.cascade)
        gone = {item.id for item in dropped}
        changes = [
            *(Change(item, None) for item in dropped),
            *(Change(schema, None) for schema in schemas),
        ]
        oids = {schema.oid for schema in schemas}
        for default in self._catalog.default_acls.values():
            acl = tuple(i for i in default.acl if i.grantee not in roles)
            if default.role in roles or default.schema in oids:
                changes.append(Change(default, None))
            elif acl != default.acl:
                changes.append(Change(default, replace(default, acl=acl) if acl else None))
        for entry in self._catalog.owned():
            kept = entry.owner not in roles and not (isinstance(entry, Item) and entry.id in gone)
            acl = tuple(
                item for item in entry.privileges if item.grantee not in roles and item.grantor not in roles
            )
            if kept and acl != entry.privileges:
                changes.append(Change(entry, replace(entry, acl=acl)))
        return changes

    def _must_be(self, role: RoleEntry, actor: Actor, what: str, whose: str) -> None:
        me = actor.role
        if not (me.superuser or role.id in self._catalog.roles.inherited(me.id)):
            raise PermissionDenied(
                f"permission denied to {what}",
                detail=f'Only roles with privileges of role "{role.name}" may {whose}.',
            )


def _of_owner(entry: Owned, new: RoleEntry) -> Owned:
    acl = None if entry.acl is None else owned_by(entry.acl, entry.owner, new.id)
    return replace(entry, owner=new.id, acl=acl)


def _warning(plan: Grant, given: str, wanted: str) -> str | None:
    verb = "could be revoked" if plan.revoke else "were granted"
    if not given:
        return f"no privileges {verb}"
    return f"not all privileges {verb}" if plan.words is not None and len(given) < len(set(wanted)) else None


def _name(entry: Owned) -> str:
    return DATABASE if isinstance(entry, DatabaseEntry) else entry.name
