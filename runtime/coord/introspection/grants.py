"""Privileges as rows: one for everything that a role was granted by another."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...config import DATABASE
from ...sql.catalog.catalog_view import ItemKind
from ..catalog.acl import PUBLIC, WORDS, AclItem
from ..catalog.entries import ClusterEntry, DatabaseEntry, Owned, SchemaEntry
from ..catalog.items import Index, ItemBase, Readable, Sink
from .state import OWNER, State

Rows = Iterator[dict[str, Any]]

_OF_THE_STANDARD = frozenset("arwdDxt")
_OF_COLUMNS = ("SELECT", "INSERT", "UPDATE", "REFERENCES")


def table_privileges(state: State) -> Rows:
    """Those that the reader has, has given, or shares with everybody."""
    yield from _of_tables(state, public=True)
    for _, item in state.relations():
        if item.kind is ItemKind.SYSTEM:
            yield _table(item.name.schema, item.name.name, OWNER, "PUBLIC", "SELECT", grantable=False)


def role_table_grants(state: State) -> Rows:
    """Without those of everybody."""
    yield from _of_tables(state, public=False)


def column_privileges(state: State) -> Rows:
    """Privileges are on whole relations, and so on each of their columns."""
    columns = {
        (item.schema_name, item.name): item.schema.names
        for item in state.catalog.user_items()
        if isinstance(item, Readable)
    }
    for row in _of_tables(state, public=True):
        if row["privilege_type"] in _OF_COLUMNS:
            del row["with_hierarchy"]
            for name in columns.get((row["table_schema"], row["table_name"]), ()):
                yield row | {"column_name": name}


def _of_tables(state: State, *, public: bool) -> Rows:
    roles, reader = state.roles, state.reader
    mine = set(roles.by_id) if reader.superuser else roles.within(reader.id)
    for item in state.catalog.user_items():
        if isinstance(item, Index | Sink):
            continue
        for granted in item.privileges:
            seen = (
                granted.grantor in mine or granted.grantee in mine or (public and granted.grantee == PUBLIC)
            )
            if not seen or (granted.grantee == PUBLIC and not public):
                continue
            grantor, grantee = roles.name(granted.grantor), _grantee(state, granted)
            for letter in granted.privileges:
                if letter in _OF_THE_STANDARD:
                    may = letter in granted.grantable or granted.grantee == item.owner
                    yield _table(item.schema_name, item.name, grantor, grantee, WORDS[letter], grantable=may)


def _table(
    schema: str, name: str, grantor: str, grantee: str, word: str, *, grantable: bool
) -> dict[str, Any]:
    return {
        "grantor": grantor,
        "grantee": grantee,
        "table_catalog": DATABASE,
        "table_schema": schema,
        "table_name": name,
        "privilege_type": word,
        "is_grantable": "YES" if grantable else "NO",
        "with_hierarchy": "YES" if word == "SELECT" else "NO",
    }


def mz_show_all_privileges(state: State) -> Rows:
    """Of everything; those that an owner has of its own are left out."""
    for entry in state.catalog.owned():
        for granted in entry.privileges:
            if granted.grantee == entry.owner or isinstance(entry, Index | Sink):
                continue
            for letter in granted.privileges:
                yield {
                    "grantor": state.roles.name(granted.grantor),
                    "grantee": _grantee(state, granted),
                    "database": DATABASE,
                    **_named(entry),
                    "privilege_type": WORDS[letter],
                    "is_grantable": letter in granted.grantable,
                }


def mz_show_default_privileges(state: State) -> Rows:
    """What will be granted on objects that are made later: beside what their owner has, by ALTER DEFAULT PRIVILEGES."""
    schemas = {entry.oid: entry.name for entry in state.catalog.schemas()}
    for entry in state.catalog.default_acls.values():
        for granted in entry.acl:
            if granted.grantee == entry.role:
                continue
            for letter in granted.privileges:
                yield {
                    "object_owner": state.roles.name(entry.role),
                    "database": DATABASE if entry.schema in schemas else None,
                    "schema": schemas.get(entry.schema),
                    "object_type": entry.kind,
                    "grantee": _grantee(state, granted),
                    "privilege_type": WORDS[letter],
                }


def _named(entry: Owned) -> dict[str, str | None]:
    match entry:
        case ItemBase():
            return {"schema": entry.schema_name, "name": entry.name, "object_type": entry.kind.value}
        case SchemaEntry(name=name):
            return {"schema": None, "name": name, "object_type": "schema"}
        case ClusterEntry(name=name):
            return {"schema": None, "name": name, "object_type": "cluster"}
        case DatabaseEntry():
            return {"schema": None, "name": DATABASE, "object_type": "database"}


def _grantee(state: State, granted: AclItem) -> str:
    return "PUBLIC" if granted.grantee == PUBLIC else state.roles.name(granted.grantee)
