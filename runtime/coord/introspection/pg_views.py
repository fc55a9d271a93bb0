"""pg_catalog's views: the same objects, by name."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from ...config import DATABASE
from ...sql.catalog.catalog_view import ItemKind
from ...sql.syntax.secret_text import shown_text
from ..catalog.items import MaterializedView, View
from ..settings import SETTINGS, Choice, Number, Real
from .constraints import key_index_sql, keys_of_tables
from .definitions import index_sql
from .state import DATABASE_OID, OpenSession, State, timestamp

Rows = Iterator[dict[str, Any]]

_QUERY_BYTES = 1024
"""So much of a query's text is shown, as PostgreSQL does."""


def pg_tables(state: State) -> Rows:
    indexed = {index.on for index in state.indexes()} | {item.id for item, _ in keys_of_tables(state)}
    for _, item in state.relations():
        if item.kind in (ItemKind.TABLE, ItemKind.SOURCE, ItemKind.SYSTEM):
            yield {
                "schemaname": item.name.schema,
                "tablename": item.name.name,
                "tableowner": state.owner(state.catalog.find_by_id(item.id)).name,
                "hasindexes": item.id in indexed,
                "hasrules": False,
                "hastriggers": False,
                "rowsecurity": False,
            }


def pg_views(state: State) -> Rows:
    for item in state.catalog.user_items():
        if isinstance(item, View):
            yield {
                "schemaname": item.schema_name,
                "viewname": item.name,
                "viewowner": state.owner(item).name,
                "definition": item.definition_sql,
            }


def pg_matviews(state: State) -> Rows:
    indexed = {index.on for index in state.indexes()}
    for item in state.catalog.user_items():
        if isinstance(item, MaterializedView):
            yield {
                "schemaname": item.schema_name,
                "matviewname": item.name,
                "matviewowner": state.owner(item).name,
                "hasindexes": item.id in indexed,
                "ispopulated": state.controller.is_hydrated(item.id),
                "definition": item.definition_sql,
            }


def pg_indexes(state: State) -> Rows:
    for index in state.indexes():
        on = state.catalog.item_by_id(index.on)
        yield {
            "schemaname": index.schema_name,
            "tablename": on.name.name,
            "indexname": index.name,
            "indexdef": index_sql(state, index),
        }
    for item, constraint in keys_of_tables(state):
        yield {
            "schemaname": item.schema_name,
            "tablename": item.name,
            "indexname": constraint.name,
            "indexdef": key_index_sql(item, constraint),
        }


def pg_settings(state: State) -> Rows:
    """Of the session that reads."""
    values = state.session.variables.all() if state.session is not None else {}
    for setting in SETTINGS:
        value = values.get(setting.name, setting.default)
        row: dict[str, Any] = {
            "name": setting.name,
            "setting": value,
            "category": "Session",
            "short_desc": setting.description,
            "context": "internal" if setting.fixed else "user",
            "vartype": setting.vartype,
            "source": "default" if value == setting.default else "session",
            "boot_val": setting.default,
            "reset_val": setting.default,
            "pending_restart": False,
        }
        match setting:
            case Number(unit=unit, least=least, most=most):
                count = str(setting.count(value))
                row |= {"setting": count, "unit": unit, "min_val": str(least), "max_val": str(most)}
            case Real(least=least, most=most):
                row |= {"min_val": f"{least:g}", "max_val": f"{most:g}"}
            case Choice(values=names):
                row |= {"enumvals": list(names)}
        yield row


def pg_stat_activity(state: State) -> Rows:
    """What a session does is shown to those who may act as its role.  It waits for its client, or for something that has no name here."""
    reader = state.reader
    for session in state.sessions.values():
        row: dict[str, Any] = {
            "datid": DATABASE_OID,
            "datname": DATABASE,
            "pid": session.backend.pid,
            "usesysid": session.actor.session.oid,
            "usename": session.user,
            "application_name": session.variables.get("application_name"),
            "query": "<insufficient privilege>",
            "backend_type": "client backend",
        }
        if reader.superuser or session.actor.session.id in state.roles.inherited(reader.id):
            row |= _activity(session)
        yield row


def _activity(session: OpenSession) -> dict[str, Any]:
    now = session.activity
    idle = {"I": "idle", "T": "idle in transaction", "E": "idle in transaction (aborted)"}
    host, port = session.backend.address or (None, None)
    since = session.transaction_us
    return {
        "client_addr": host,
        "client_port": port,
        "backend_start": timestamp(now.since_us // 1000),
        "xact_start": None if since is None else timestamp(since // 1000),
        "query_start": None if now.query_us is None else timestamp(now.query_us // 1000),
        "state_change": timestamp(now.changed_us // 1000),
        "wait_event_type": None if now.active else "Client",
        "wait_event": None if now.active else "ClientRead",
        "state": "active" if now.active else idle[session.transaction_status],
        "query": shown_text((now.query or "")[:_QUERY_BYTES]).encode()[:_QUERY_BYTES].decode(errors="ignore"),
    }


def pg_stat_database(state: State) -> Rows:
    """Sessions are counted, and nothing else is."""
    yield {"datid": DATABASE_OID, "datname": DATABASE, "numbackends": len(state.sessions)}


def pg_stat_ssl(state: State) -> Rows:
    """As of what a session does, only who may act as its role is shown whose certificate it has."""
    reader = state.reader
    for session in state.sessions.values():
        found = session.backend.encryption
        row: dict[str, Any] = {"pid": session.backend.pid}
        if reader.superuser or session.actor.session.id in state.roles.inherited(reader.id):
            row["ssl"] = found is not None
            if found is not None:
                row |= asdict(found)
        yield row
