"""CREATE, ALTER and DROP ROLE, memberships, and what sessions begin with: of a role, and of all (ALTER SYSTEM).

Who may: a superuser everything; a role with CREATEROLE makes roles that are no superusers, of which it then has the ADMIN
OPTION, and alters and drops those of which it has that.  As PostgreSQL 16 and later do it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from ...errors import (
    DependentObjectsExist,
    DuplicateObject,
    InvalidParameter,
    ObjectInUse,
    PermissionDenied,
    Unsupported,
)
from ...sql.syntax.role_statements import (
    AlterRole,
    AlterRoleSetting,
    AlterSystem,
    CreateRole,
    DropRoles,
    GrantRoles,
    RenameRole,
    RevokeRoles,
    RoleDefinition,
    RoleFlag,
    RoleSpec,
    RoleWord,
)
from ..catalog.actor import Actor
from ..catalog.catalog import Catalog
from ..catalog.entries import Change, Entry, SettingsEntry
from ..catalog.role import OWNER_ID, Membership, RoleEntry, Roles
from ..catalog.scram_secret import ScramSecret, new_secret
from ..results.results import Command, Notice
from ..variables import checked_setting
from .definitions import skipping
from .owned import held_by

_ATTRIBUTES = {
    RoleFlag.SUPERUSER: "superuser",
    RoleFlag.INHERIT: "inherit",
    RoleFlag.CREATEROLE: "create_role",
    RoleFlag.CREATEDB: "create_db",
    RoleFlag.CREATECLUSTER: "create_cluster",
    RoleFlag.LOGIN: "login",
}
_NEEDED = (RoleFlag.CREATEDB, RoleFlag.CREATECLUSTER)
"""What only gives away who has it."""


class RoleDefinitions:
    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog

    def changes(
        self, plan: RoleDefinition, actor: Actor, notices: list[Notice]
    ) -> tuple[Command, list[Change]]:
        match plan:
            case CreateRole():
                changes = self._create(plan, actor)
                tag = "CREATE ROLE"
            case AlterRole():
                changes = self._alter(plan, actor)
                tag = "ALTER ROLE"
            case AlterRoleSetting():
                changes = self._set(plan, actor)
                tag = "ALTER ROLE"
            case AlterSystem():
                changes = self._set_system(plan, actor)
                tag = "ALTER SYSTEM"
            case RenameRole():
                changes = self._rename(plan, actor)
                tag = "ALTER ROLE"
            case DropRoles():
                changes = self._drop(plan, actor, notices)
                tag = "DROP ROLE"
            case GrantRoles():
                changes = self._grant(plan, actor, notices)
                tag = "GRANT ROLE"
            case RevokeRoles():
                changes = self._revoke(plan, actor, notices)
                tag = "REVOKE ROLE"
        return Command(tag), changes

    # -- roles --

    def _create(self, plan: CreateRole, actor: Actor) -> list[Change]:
        me = actor.role
        if not (me.superuser or me.create_role):
            raise PermissionDenied(
                "permission denied to create role",
                detail="Only roles with the CREATEROLE attribute may create roles.",
            )
        self._may_give(plan.flags, me, "create")
        _check_name(plan.name)
        if self._catalog.roles.find(plan.name) is not None:
            raise DuplicateObject(f'role "{plan.name}" already exists', sqlstate="42710")
        oid = self._catalog.allocate_oid()
        role = RoleEntry(f"u{oid}", oid, plan.name, password=_verifier(plan.password))
        role = _flagged(role, plan.flags)
        entries = {role.id: role}
        roles = self._catalog.roles
        for spec in plan.memberships:
            into = actor.resolve(spec, roles)
            self._may_admit(into, me)
            entries[role.id] = _joined(entries[role.id], into.id, me.id, {})
        given: list[tuple[RoleSpec, dict[str, bool]]] = [(spec, {}) for spec in plan.members]
        given += [(spec, {"admin": True}) for spec in plan.admins]
        for spec, options in given:
            member = actor.resolve(spec, roles)
            entries[member.id] = _joined(entries.get(member.id, member), role.id, me.id, options)
        if not me.superuser:  # it may administer what it has made, and use it when it says so
            options = {"admin": True, "inherit": False, "set": False}
            entries[me.id] = _joined(entries.get(me.id, me), role.id, OWNER_ID, options)
        return [Change(roles.by_id.get(id_), entry) for id_, entry in entries.items()]

    def _alter(self, plan: AlterRole, actor: Actor) -> list[Change]:
        role = actor.resolve(plan.role, self._catalog.roles)
        own_password = plan.has_password and not plan.flags and role.id == actor.role.id
        if not own_password:
            self._may_alter(role, actor.role, "alter")
        self._may_give(plan.flags, actor.role, "alter")
        if role.id == OWNER_ID and plan.flags.get(RoleFlag.SUPERUSER) is False:
            raise PermissionDenied(
                "permission denied to alter role",
                detail="The bootstrap superuser must have the SUPERUSER attribute.",
            )
        changed = _flagged(role, plan.flags)
        if plan.has_password:
            changed = replace(changed, password=_verifier(plan.password))
        return [Change(role, changed)]

    def _set(self, plan: AlterRoleSetting, actor: Actor) -> list[Change]:
        role = actor.resolve(plan.role, self._catalog.roles)
        if role.id != actor.role.id:
            self._may_alter(role, actor.role, "alter")
        return [Change(role, replace(role, settings=_with_setting(role.settings, plan)))]

    def _set_system(self, plan: AlterSystem, actor: Actor) -> list[Change]:
        if not actor.role.superuser:
            what = "perform ALTER SYSTEM RESET ALL" if plan.name is None else f'set parameter "{plan.name}"'
            raise PermissionDenied(f"permission denied to {what}")
        known = self._catalog.settings
        settings = _with_setting({} if known is None else known.settings, plan)
        now = SettingsEntry(settings) if settings else None
        return [Change(known, now)] if now != known else []

    def _rename(self, plan: RenameRole, actor: Actor) -> list[Change]:
        role = actor.resolve(plan.role, self._catalog.roles)
        if role.id in (actor.role.id, actor.session.id):
            what = "session" if role.id == actor.session.id else "current"
            raise Unsupported(f"{what} user cannot be renamed")
        self._may_alter(role, actor.role, "rename")
        if role.id == OWNER_ID:
            raise Unsupported(
                f'role "{role.name}" cannot be renamed',
                hint="Clients connect by that name: make another role.",
            )
        _check_name(plan.new_name)
        if self._catalog.roles.find(plan.new_name) is not None:
            raise DuplicateObject(f'role "{plan.new_name}" already exists', sqlstate="42710")
        return [Change(role, replace(role, name=plan.new_name))]

    def _drop(self, plan: DropRoles, actor: Actor, notices: list[Notice]) -> list[Change]:
        roles = self._catalog.roles
        dropped: dict[str, RoleEntry] = {}
        if not (actor.role.superuser or actor.role.create_role):
            raise PermissionDenied(
                "permission denied to drop role",
                detail="Only roles with the CREATEROLE attribute and the ADMIN option on the target roles may drop roles.",
            )
        for spec in plan.roles:
            if isinstance(spec.name, str) and plan.if_exists and roles.find(spec.name) is None:
                notices.append(skipping(f'role "{spec.name}" does not exist', "00000"))
                continue
            if isinstance(spec.name, RoleWord):
                raise InvalidParameter("cannot use special role specifier in DROP ROLE")
            role = actor.resolve(spec, roles)
            if role.id in (actor.role.id, actor.session.id):
                word = "current" if role.id == actor.role.id else "session"
                raise ObjectInUse(f"{word} user cannot be dropped")
            self._may_alter(role, actor.role, "drop")
            if role.id == OWNER_ID:
                raise DependentObjectsExist(
                    f"cannot drop role {role.name} because it is required by the database system"
                )
            dropped[role.id] = role
        for role in dropped.values():
            if lines := held_by(self._catalog, role, dropped):
                raise DependentObjectsExist(
                    f'role "{role.name}" cannot be dropped because some objects depend on it',
                    detail="\n".join(lines),
                )
        changes = [Change(role, None) for role in dropped.values()]
        for entry in roles.by_id.values():
            left = tuple(m for m in entry.member_of if m.role not in dropped)
            if entry.id not in dropped and left != entry.member_of:
                changes.append(Change(entry, replace(entry, member_of=left)))
        return changes

    # -- memberships --

    def _grant(self, plan: GrantRoles, actor: Actor, notices: list[Notice]) -> list[Change]:
        roles = self._catalog.roles
        entries: dict[str, RoleEntry] = {}
        for spec in plan.roles:
            into = actor.resolve(spec, roles)
            self._may_admit(into, actor.role)
            for member_spec in plan.members:
                member = actor.resolve(member_spec, roles)
                now = entries.get(member.id, member)
                seen = Roles([*(e for e in roles.by_id.values() if e.id not in entries), *entries.values()])
                if member.id in seen.within(into.id):
                    raise InvalidParameter(
                        f'role "{into.name}" is a member of role "{member.name}"', sqlstate="0LP01"
                    )
                entries[member.id] = joined = _joined(now, into.id, actor.role.id, plan.options)
                if joined == now:
                    text = f'role "{member.name}" has already been granted membership in role "{into.name}"'
                    notices.append(Notice("NOTICE", f'{text} by role "{actor.role.name}"', "00000"))
        return _changed(roles, entries.values())

    def _revoke(self, plan: RevokeRoles, actor: Actor, notices: list[Notice]) -> list[Change]:
        roles = self._catalog.roles
        entries: dict[str, RoleEntry] = {}
        for spec in plan.roles:
            out = actor.resolve(spec, roles)
            self._may_admit(out, actor.role)
            for member_spec in plan.members:
                member = actor.resolve(member_spec, roles)
                now = entries.get(member.id, member)
                kept = tuple(m for m in now.member_of if m.role != out.id)
                found = [m for m in now.member_of if m.role == out.id]
                if not found:
                    text = f'role "{member.name}" has not been granted membership in role "{out.name}"'
                    notices.append(Notice("WARNING", f'{text} by role "{actor.role.name}"', "01000"))
                elif plan.option is not None:
                    kept += tuple(_optioned(m, {plan.option: False}) for m in found)
                entries[member.id] = replace(now, member_of=kept)
        return _changed(roles, entries.values())

    # -- who may --

    def _may_alter(self, role: RoleEntry, me: RoleEntry, verb: str) -> None:
        if me.superuser:
            return
        if role.superuser:
            raise PermissionDenied(
                f"permission denied to {verb} role",
                detail=f"Only roles with the SUPERUSER attribute may {verb} roles with the SUPERUSER attribute.",
            )
        if not (me.create_role and self._catalog.roles.administers(me, role.id)):
            raise PermissionDenied(
                f"permission denied to {verb} role",
                detail=f'Only roles with the CREATEROLE attribute and the ADMIN option on role "{role.name}" may {verb} '
                "this role.",
            )

    def _may_give(self, flags: Mapping[RoleFlag, bool], me: RoleEntry, verb: str) -> None:
        if me.superuser:
            return
        for flag in (RoleFlag.SUPERUSER, *_NEEDED):
            asked = flag in flags if verb == "alter" else flags.get(flag, False)
            if asked and (flag is RoleFlag.SUPERUSER or not getattr(me, _ATTRIBUTES[flag])):
                word = flag.value.upper()
                detail = (
                    f"Only roles with the {word} attribute may create roles with the {word} attribute."
                    if verb == "create"
                    else f"Only roles with the {word} attribute may change the {word} attribute."
                )
                raise PermissionDenied(f"permission denied to {verb} role", detail=detail)

    def _may_admit(self, role: RoleEntry, me: RoleEntry) -> None:
        if me.superuser:
            return
        if role.superuser:
            raise PermissionDenied(
                f'permission denied to grant role "{role.name}"',
                detail="Only roles with the SUPERUSER attribute may grant roles with the SUPERUSER attribute.",
            )
        if not self._catalog.roles.administers(me, role.id):
            raise PermissionDenied(
                f'permission denied to grant role "{role.name}"',
                detail=f'Only roles with the ADMIN option on role "{role.name}" may grant this role.',
            )


def _changed(roles: Roles, entries: Iterable[RoleEntry]) -> list[Change]:
    changes: list[tuple[Entry | None, Entry]] = [(roles.by_id.get(entry.id), entry) for entry in entries]
    return [Change(before, after) for before, after in changes if before != after]


def _with_setting(settings: Mapping[str, str], plan: AlterRoleSetting | AlterSystem) -> dict[str, str]:
    """The settings after the statement; raises where SET would."""
    if plan.name is None:
        return {}
    name, value = checked_setting(plan.name, plan.value)
    rest = {known: kept for known, kept in settings.items() if known != name}
    return rest if plan.value is None else {**rest, name: value}


def _joined(member: RoleEntry, role: str, grantor: str, options: Mapping[str, bool]) -> RoleEntry:
    """The member with the membership; options that are not given stay, and INHERIT is at first the member's own
    attribute."""
    for place, known in enumerate(member.member_of):
        if known.role == role:
            again = _optioned(known, options)
            return replace(
                member, member_of=(*member.member_of[:place], again, *member.member_of[place + 1 :])
            )
    first = _optioned(Membership(role, grantor, inherit=member.inherit), options)
    return replace(member, member_of=(*member.member_of, first))


def _optioned(membership: Membership, options: Mapping[str, bool]) -> Membership:
    known = {"admin": membership.admin, "inherit": membership.inherit, "set": membership.set}
    return Membership(membership.role, membership.grantor, **{**known, **options})


def _flagged(role: RoleEntry, flags: Mapping[RoleFlag, bool]) -> RoleEntry:
    return replace(role, **{_ATTRIBUTES[flag]: value for flag, value in flags.items()})  # type: ignore[arg-type]


def _check_name(name: str) -> None:
    if name.startswith("pg_"):
        raise InvalidParameter(
            f'role name "{name}" is reserved',
            sqlstate="42939",
            detail='Role names starting with "pg_" are reserved.',
        )


def _verifier(password: str | None) -> str | None:
    """What is kept of a password; one that is a verifier already is kept as it is."""
    if not password:
        return None
    if password.startswith("SCRAM-SHA-256$"):
        try:
            return str(ScramSecret.parse(password))
        except ValueError:
            pass
    return str(new_secret(password))
