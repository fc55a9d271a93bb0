"""What a change of the catalog is called in the audit log: its kind, the kind of object, and what it was about.

No value of a secret, a password or a connection is in it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from ...config import DATABASE
from ..catalog.acl import Acl, AclItem, shown, united, without
from ..catalog.entries import (
    Change,
    ClusterEntry,
    DatabaseEntry,
    DefaultAclEntry,
    Entry,
    IdsEntry,
    Owned,
    SchemaEntry,
    SettingsEntry,
)
from ..catalog.items import AnyView, Item, ItemBase
from ..catalog.role import RoleEntry

Named = tuple[str, str, dict[str, Any]]
"""A kind (`create`, `alter`, `drop`, `grant`, `revoke`, `comment`), a kind of object, and details."""

Name = Callable[[str], str]
"""The name of a role, by its id."""

ROLE_FIELDS = ("superuser", "inherit", "create_role", "create_db", "create_cluster", "login")


def events_of(change: Change, name: Name) -> Iterator[Named]:
    """None of what is temporary, and of counters."""
    before, after = change.before, change.after
    one = after if before is None else before
    if one is None or isinstance(one, IdsEntry) or (isinstance(one, ItemBase) and one.temporary):
        return
    match before, after:
        case (None, RoleEntry() as role):
            yield "create", "role", _named(role) | _attributes(role)
            yield from _memberships(None, role, name)
        case (RoleEntry() as old, RoleEntry() as new):
            yield from _altered_role(old, new, name)
        case (SettingsEntry() | None, SettingsEntry() | None):
            yield from _settings(before, after)
        case (DefaultAclEntry() | None, DefaultAclEntry() | None):
            yield "alter", "default-privileges", _default_acls(before, after, name)
        case (None, _):
            yield "create", _kind(one), _named(one)
        case (_, None):
            yield "drop", _kind(one), _named(one)
        case _:
            assert isinstance(before, Owned)
            assert isinstance(after, Owned)
            yield from _altered(before, after, name)


def _altered(old: Owned, new: Owned, name: Name) -> Iterator[Named]:
    kind, named, count = _kind(new), _named(new), 0
    if _named(old) != named:
        count += 1
        yield "alter", kind, {"old_name": _named(old), "new_name": named}
    if old.owner != new.owner:
        count += 1
        owners = {"old_owner": name(old.owner), "new_owner": name(new.owner)}
        yield "alter", kind, named | owners
    elif old.acl != new.acl:  # who gives an object away gives away what he could do with it
        count += 1
        yield from _privileges(kind, named, old.privileges, new.privileges, name)
    if _comments(old) != _comments(new):
        count += 1
        yield "comment", kind, named
    if not count and not _written_otherwise(old, new):
        yield "alter", kind, named


def _written_otherwise(old: Owned, new: Owned) -> bool:
    """Whether the text of a view is all that has changed: it follows what it reads, of which there are events."""
    return (
        isinstance(old, AnyView)
        and isinstance(new, AnyView)
        and old != new
        and replace(new, definition_sql=old.definition_sql) == old
    )


def _privileges(kind: str, named: dict[str, Any], old: Acl, new: Acl, name: Name) -> Iterator[Named]:
    """What was added and what was taken, each in the form of an aclitem."""
    if added := _beyond(new, old):
        yield "grant", kind, named | {"privileges": shown(added, name)}
    if taken := _beyond(old, new):
        yield "revoke", kind, named | {"privileges": shown(taken, name)}


def _beyond(one: Acl, other: Acl) -> Acl:
    """What the one list grants and the other does not; a right to grant on what both do counts."""
    found: list[AclItem] = []
    others = {(item.grantee, item.grantor): item for item in other}
    for item in one:
        beside = others.get((item.grantee, item.grantor), AclItem(item.grantee, item.grantor, ""))
        grantable = without(item.grantable, beside.grantable)
        if privileges := united(without(item.privileges, beside.privileges), grantable):
            found.append(AclItem(item.grantee, item.grantor, privileges, grantable))
    return tuple(found)


def _comments(one: Owned) -> tuple[Any, Any]:
    """Of the object, and of its columns."""
    return getattr(one, "comment", None), getattr(one, "column_comments", None)


def _attributes(role: RoleEntry) -> dict[str, Any]:
    """What a new role may, and whether it has a password."""
    found: dict[str, Any] = {field: True for field in ROLE_FIELDS if getattr(role, field)}
    return found if role.password is None else {**found, "password": "set"}


def _altered_role(old: RoleEntry, new: RoleEntry, name: Name) -> Iterator[Named]:
    changed: dict[str, Any] = {
        field: getattr(new, field) for field in ROLE_FIELDS if getattr(old, field) != getattr(new, field)
    }
    if old.password != new.password:
        changed["password"] = "set" if new.password is not None else "removed"
    if settings := _differing(old.settings, new.settings):
        changed["settings"] = settings
    if old.name != new.name:
        yield "alter", "role", {"old_name": _named(old), "new_name": _named(new)}
    if changed:
        yield "alter", "role", _named(new) | changed
    yield from _memberships(old, new, name)


def _memberships(old: RoleEntry | None, new: RoleEntry, name: Name) -> Iterator[Named]:
    before = {} if old is None else {(m.role, m.grantor): m for m in old.member_of}
    after = {(m.role, m.grantor): m for m in new.member_of}
    for kind, these, others in (("grant", after, before), ("revoke", before, after)):
        for key, membership in these.items():
            if key not in others or (kind == "grant" and others[key] != membership):
                options = {"admin": membership.admin, "inherit": membership.inherit, "set": membership.set}
                yield (
                    kind,
                    "role",
                    {"role": name(key[0]), "member": new.name, "grantor": name(key[1])} | options,
                )


def _settings(old: SettingsEntry | None, new: SettingsEntry | None) -> Iterator[Named]:
    before, after = ({} if entry is None else entry.settings for entry in (old, new))
    for setting, value in _differing(before, after).items():
        yield "alter", "system", {"name": setting, "value": value}


def _default_acls(old: DefaultAclEntry | None, new: DefaultAclEntry | None, name: Name) -> dict[str, Any]:
    entry = old or new
    assert entry is not None
    lists = {
        key: [] if found is None else shown(found.acl, name)
        for key, found in (("old_privileges", old), ("new_privileges", new))
    }
    return {"role": name(entry.role), "object_type": entry.kind, **lists}


def _differing(before: Mapping[str, str], after: Mapping[str, str]) -> dict[str, str | None]:
    """New values by name; None: it is not set any more."""
    names = sorted({*before, *after})
    return {name: after.get(name) for name in names if before.get(name) != after.get(name)}


def _kind(entry: Entry) -> str:
    match entry:
        case ItemBase():
            return entry.kind.value
        case SchemaEntry():
            return "schema"
        case ClusterEntry():
            return "cluster"
        case RoleEntry():
            return "role"
        case _:
            return "database"


def _named(entry: Entry) -> dict[str, Any]:
    match entry:
        case ItemBase():
            item: Item = entry
            return {
                "id": item.id,
                "database": DATABASE,
                "schema": item.schema_name,
                "item": item.shown_name,
            }
        case SchemaEntry():
            return {"id": str(entry.oid), "database": DATABASE, "name": entry.name}
        case ClusterEntry() | RoleEntry():
            return {"id": entry.id, "name": entry.name}
        case _:
            assert isinstance(entry, DatabaseEntry)
            return {"name": DATABASE}
