"""Sessions: those that are open, what the one that reads has prepared, and its cursors; and what sessions have done (the audit log)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...expr.coercion.type_rules import base_name
from ...sql.syntax.secret_text import shown_text
from .state import State, timestamp

Rows = Iterator[dict[str, Any]]


def pg_prepared_statements(state: State) -> Rows:
    """Plans are shared by all sessions and not counted by statement."""
    if state.session is None:
        return
    for name, prepared in state.session.statements.items():
        result = None if prepared.schema is None else [base_name(type_) for type_ in prepared.schema.types]
        yield {
            "name": name,
            "statement": shown_text(prepared.sql if prepared.text is None else prepared.text),
            "prepare_time": timestamp(prepared.prepared_us // 1000),
            "parameter_types": [base_name(type_) for type_ in prepared.parameter_types],
            "result_types": result,
            "from_sql": prepared.text is not None,
            "generic_plans": 0,
            "custom_plans": 0,
        }


def pg_cursors(state: State) -> Rows:
    if state.session is None:
        return
    for name, cursor in state.session.cursors.items():
        yield {
            "name": name,
            "statement": cursor.text,
            "is_holdable": cursor.hold,
            "is_binary": cursor.binary,
            "is_scrollable": False,
            "creation_time": timestamp(cursor.born_us // 1000),
        }


def mz_sessions(state: State) -> Rows:
    for number, session in state.sessions.items():
        address = session.backend.address
        yield {
            "id": str(number),
            "connection_id": session.backend.pid,
            "role_id": session.actor.session.id,
            "client_ip": None if address is None else address[0],
            "connected_at": timestamp(session.activity.since_us // 1000),
        }


def mz_audit_events(state: State) -> Rows:
    for event in state.audit.events():
        yield {
            "id": event.number,
            "event_type": event.kind,
            "object_type": event.object_type,
            "details": event.details,
            "user": event.user,
            "occurred_at": timestamp(event.at_ms),
        }
