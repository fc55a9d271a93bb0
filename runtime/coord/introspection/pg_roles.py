"""pg_catalog's relations of roles.  No verifier of a password is ever shown."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...expr.functions.system.system import quote_ident
from ..catalog.acl import shown
from ..catalog.role import RoleEntry
from .state import State

Rows = Iterator[dict[str, Any]]

HIDDEN = "********"


def pg_roles(state: State) -> Rows:
    for role in state.roles.by_id.values():
        yield _role(role) | {"rolpassword": HIDDEN}


def pg_authid(state: State) -> Rows:
    for role in state.roles.by_id.values():
        yield _role(role)


def _role(role: RoleEntry) -> dict[str, Any]:
    return {
        "oid": role.oid,
        "rolname": role.name,
        "rolsuper": role.superuser,
        "rolinherit": role.inherit,
        "rolcreaterole": role.create_role,
        "rolcreatedb": role.create_db,
        "rolcanlogin": role.login,
        "rolreplication": False,
        "rolconnlimit": -1,
        "rolbypassrls": role.superuser,
        "rolconfig": [f"{name}={value}" for name, value in sorted(role.settings.items())] or None,
    }


def pg_user(state: State) -> Rows:
    for role in state.roles.by_id.values():
        if role.login:
            yield _user(role) | {"passwd": HIDDEN}


def pg_shadow(state: State) -> Rows:
    for role in state.roles.by_id.values():
        if role.login:
            yield _user(role)


def _user(role: RoleEntry) -> dict[str, Any]:
    return {
        "usename": role.name,
        "usesysid": role.oid,
        "usecreatedb": role.create_db,
        "usesuper": role.superuser,
        "userepl": False,
        "usebypassrls": role.superuser,
        "useconfig": [f"{name}={value}" for name, value in sorted(role.settings.items())] or None,
    }


def pg_group(state: State) -> Rows:
    for role in state.roles.by_id.values():
        if not role.login:
            members = [member.oid for member, _ in state.roles.members(role.id)]
            yield {"groname": role.name, "grosysid": role.oid, "grolist": members}


def pg_auth_members(state: State) -> Rows:
    roles = state.roles.by_id
    for member in roles.values():
        for membership in member.member_of:
            yield {
                "roleid": roles[membership.role].oid,
                "member": member.oid,
                "grantor": roles[membership.grantor].oid,
                "admin_option": membership.admin,
                "inherit_option": membership.inherit,
                "set_option": membership.set,
            }


def pg_default_acl(state: State) -> Rows:
    roles = state.roles
    for entry in state.catalog.default_acls.values():
        if entry.kind in _DEFACLOBJTYPE:
            yield {
                "oid": roles.by_id[entry.role].oid,
                "defaclrole": roles.by_id[entry.role].oid,
                "defaclnamespace": entry.schema,
                "defaclobjtype": _DEFACLOBJTYPE[entry.kind],
                "defaclacl": shown(entry.acl, lambda id_: quote_ident(roles.name(id_))),
            }


_DEFACLOBJTYPE = {"table": "r", "schema": "n", "function": "f"}


def enabled_roles(state: State) -> Rows:
    """What the reader is, through memberships too."""
    for id_ in state.roles.within(state.reader.id) if not state.reader.superuser else state.roles.by_id:
        yield {"role_name": state.roles.name(id_)}


def applicable_roles(state: State) -> Rows:
    reader = state.reader
    mine = set(state.roles.by_id) if reader.superuser else state.roles.within(reader.id)
    for member in state.roles.by_id.values():
        if member.id in mine:
            for membership in member.member_of:
                yield {
                    "grantee": member.name,
                    "role_name": state.roles.name(membership.role),
                    "is_grantable": "YES" if membership.admin else "NO",
                }
