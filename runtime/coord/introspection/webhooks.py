"""Sources that are posted to: where, and what has come."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

from ...config import DATABASE
from ..catalog.items import WebhookSource
from .state import State, timestamp

Row = dict[str, Any]


def mz_webhook_sources(state: State) -> Iterator[Row]:
    """Without an HTTP port they have no URL."""
    for item in state.catalog.user_items():
        if isinstance(item, WebhookSource):
            path = "/".join(quote(part, safe="") for part in (DATABASE, item.schema_name, item.name))
            base = state.webhooks.base_url
            yield {
                "id": item.id,
                "name": item.name,
                "url": None if base is None else f"{base}/api/webhook/{path}",
            }


def status(state: State, item: WebhookSource) -> Row:
    listening = state.webhooks.base_url is not None
    return {
        "id": item.id,
        "name": item.name,
        "type": "webhook",
        "last_status_change_at": timestamp(max(item.created_at, state.webhooks.since_ms)),
        "status": "running" if listening else "stalled",
        "error": None if listening else "the runtime has no HTTP port: ptvc serve --http-port",
    }


def statistics(state: State, item: WebhookSource) -> Row:
    counted = state.webhooks.counted(item.id)
    return {
        "id": item.id,
        "records": counted.records,
        "bytes": counted.written_bytes,
        "errors": counted.refused,
        "messages_received": counted.messages,
        "bytes_received": counted.bytes,
        "updates_staged": counted.records,
        "updates_committed": counted.records,
        "updates_filtered": counted.left_out,
        "snapshot_committed": True,  # there is nothing that it begins with
    }
