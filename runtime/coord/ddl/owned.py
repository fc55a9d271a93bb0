"""What depends on a role: objects that it owns, and privileges that it has or has given."""

from __future__ import annotations

from collections.abc import Container

from ...config import DATABASE
from ..catalog.catalog import Catalog
from ..catalog.entries import ClusterEntry, DatabaseEntry, Owned, SchemaEntry
from ..catalog.items import ItemBase
from ..catalog.role import RoleEntry
from .dependents import noun


def described(entry: Owned) -> str:
    """`table public.t`: what it is, and its name."""
    match entry:
        case ItemBase():
            return f"{noun(entry)} {entry.full_name if entry.schema_name != 'public' else entry.shown_name}"
        case SchemaEntry(name=name):
            return f"schema {name}"
        case ClusterEntry(name=name):
            return f"cluster {name}"
        case DatabaseEntry():
            return f"database {DATABASE}"


def held_by(catalog: Catalog, role: RoleEntry, others: Container[str]) -> list[str]:
    """One line for everything that keeps the role, as PostgreSQL's DETAIL has it; memberships of `others` go with them."""
    lines = []
    for entry in catalog.owned():
        if entry.owner == role.id:
            lines.append(f"owner of {described(entry)}")
        elif any(role.id in (item.grantee, item.grantor) for item in entry.privileges):
            lines.append(f"privileges for {described(entry)}")
    for default in catalog.default_acls.values():
        if default.role == role.id or any(item.grantee == role.id for item in default.acl):
            what = "relations" if default.kind == "table" else f"{default.kind}s"
            of = catalog.roles.name(default.role)
            lines.append(f"privileges for default privileges on new {what} belonging to role {of}")
    for member in catalog.roles.by_id.values():
        for membership in member.member_of:
            if membership.grantor == role.id and member.id not in others and membership.role not in others:
                into = catalog.roles.name(membership.role)
                lines.append(f"privileges for membership of role {member.name} in role {into}")
    return lines
