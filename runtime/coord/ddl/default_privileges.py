"""ALTER DEFAULT PRIVILEGES: what will be granted on objects that are made later.

As in PostgreSQL a role has one list for everything of a kind, which takes the place of the default one, and one for each
schema, which is granted beside it; a list that says what is so anyway is not kept.
"""

from __future__ import annotations

from ...errors import PermissionDenied, PtvcError, UndefinedSchema
from ...sql.syntax.role_statements import DefaultPrivileges, RoleWord, Securable
from ..catalog.acl import ALL, LETTERS, PUBLIC, Acl, default_acl, grant, revoke
from ..catalog.actor import Actor
from ..catalog.catalog import Catalog
from ..catalog.entries import Change, DefaultAclEntry
from ..catalog.role import RoleEntry

ANYWHERE = 0


def default_changes(catalog: Catalog, plan: DefaultPrivileges, actor: Actor) -> list[Change]:
    roles = [actor.resolve(spec, catalog.roles) for spec in plan.roles] or [actor.role]
    places = [_schema(catalog, name) for name in plan.schemas] or [ANYWHERE]
    letters = ALL[plan.kind] if plan.words is None else "".join(LETTERS[word] for word in plan.words)
    grantees = [_grantee(catalog, plan, actor, index) for index in range(len(plan.grantees))]
    changes = []
    for role in {role.id: role for role in roles}.values():
        _check(catalog, actor.role, role)
        for place in dict.fromkeys(places):
            before = catalog.default_acls.get((role.id, place, plan.kind.value))
            usual: Acl = default_acl(plan.kind, role.id) if place == ANYWHERE else ()
            acl = usual if before is None else before.acl
            for grantee in grantees:
                if plan.revoke:
                    acl = revoke(
                        acl, grantee, role.id, letters, role.id, option_only=plan.option, cascade=True
                    )
                else:
                    acl = grant(acl, grantee, role.id, letters, plan.option and grantee != role.id)
            same = sorted(map(repr, acl)) == sorted(map(repr, usual))
            after = None if same else DefaultAclEntry(role.id, place, plan.kind.value, acl)
            if before != after:
                changes.append(Change(before, after))
    return changes


def first_acl(catalog: Catalog, owner: str, kind: Securable, schema: str | None = None) -> Acl | None:
    """The list of an object that `owner` makes; None without default privileges."""
    general = catalog.default_acls.get((owner, ANYWHERE, kind.value))
    entry = None if schema is None else catalog.schema_entry(schema)
    special = None if entry is None else catalog.default_acls.get((owner, entry.oid, kind.value))
    if general is None and special is None:
        return None
    acl = default_acl(kind, owner) if general is None else general.acl
    for item in () if special is None else special.acl:
        acl = grant(acl, item.grantee, item.grantor, item.privileges, False)
        if item.grantable:
            acl = grant(acl, item.grantee, item.grantor, item.grantable, True)
    return acl


def _schema(catalog: Catalog, name: str) -> int:
    entry = catalog.schema_entry(name)
    if entry is None:
        raise UndefinedSchema(f'schema "{name}" does not exist')
    return entry.oid


def _grantee(catalog: Catalog, plan: DefaultPrivileges, actor: Actor, index: int) -> str:
    spec = plan.grantees[index]
    if spec.name is RoleWord.PUBLIC:
        if plan.option and not plan.revoke:
            raise PtvcError("grant options can only be granted to roles", sqlstate="0LP01")
        return PUBLIC
    return actor.resolve(spec, catalog.roles).id


def _check(catalog: Catalog, me: RoleEntry, role: RoleEntry) -> None:
    if not (me.superuser or role.id in catalog.roles.inherited(me.id)):
        raise PermissionDenied("permission denied to change default privileges")
