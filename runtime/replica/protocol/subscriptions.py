"""Subscriptions: dataflows whose output goes to the coordinator, change by change, in `PeekRows`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ...repr.batch import Delta, from_ipc, to_ipc
from ...repr.schema import ERROR_SCHEMA, Schema
from .peek_messages import PeekRows

CHUNK_ROWS = 65_536
_UNKNOWN = 0


@dataclass(frozen=True, slots=True)
class SubscriptionOutput:
    """The dataflow's output at `lower` and later is the answer to `peek_id`, which has no end."""

    peek_id: int
    lower: int


def packed_changes(peek_id: int, schema: Schema, delta: Delta, upper: int) -> Iterator[PeekRows]:
    """Changes, and that these are all before `upper`: in several messages if they are many, of which the last says so."""
    rows = len(delta.oks)
    for start in range(0, max(rows, 1), CHUNK_ROWS):
        stop = min(start + CHUNK_ROWS, rows)
        last = stop == rows
        oks = to_ipc(schema, delta.oks.slice(start, stop))
        errs = to_ipc(ERROR_SCHEMA, delta.errs if last else delta.errs.slice(0, 0))
        head = (upper if last else _UNKNOWN).to_bytes(8, "big") + len(oks).to_bytes(8, "big")
        yield PeekRows(peek_id, b"".join((head, oks, errs)), done=False)


def upper_of(payload: bytes) -> int | None:
    """Before which time all changes are known with these; None: more of the same step come."""
    upper = int.from_bytes(payload[:8], "big")
    return None if upper == _UNKNOWN else upper


def unpack_changes(payload: bytes) -> tuple[Delta, int | None]:
    size = int.from_bytes(payload[8:16], "big")
    view = memoryview(payload)
    delta = Delta(from_ipc(view[16 : 16 + size]), from_ipc(view[16 + size :]))
    return delta, upper_of(payload)
