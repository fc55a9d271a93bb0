"""Rows as parts: what a transaction has written waits, encoded, for the time that its commit gives it.

Small parts are carried inline.  Large ones are blobs, which a thread writes and reads: their store may be slow, or away for a
while, and the other sessions go on.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from ...persist.client import PartRef, PersistClient, ShardId
from ...persist.part import stamp
from ...persist.read import read_updates
from ...persist.state import MAX_TIME
from ...persist.write import PACKED_MAX_BYTES, inline_part, write_parts
from ...replica.protocol import Import, Updates
from ...repr.batch import NO_ERRORS, Batch, Delta
from ...repr.schema import Schema
from .part_choice import Conditions, needed

WrittenPart = PartRef
"""Some of the rows that a transaction has written.  Nobody looks into it but storage."""

REFERENCE_BYTES = 1024
"""About what a part takes in memory, with its statistics, besides the rows that it carries."""

FEW_COLUMNS = 100
"""A part of more columns takes tens of ms to encode, however few its rows are."""


class Parts:
    def __init__(self, persist: PersistClient) -> None:
        self._persist = persist

    async def write(self, shard: ShardId, schema: Schema, rows: Batch) -> tuple[WrittenPart, ...]:
        """The rows, whose times are open, with the columns of `schema`."""
        untimed = Batch(rows.columns, np.zeros(len(rows), np.uint64), rows.diffs)
        delta = Delta(untimed, NO_ERRORS)
        if not delta:
            return ()
        if untimed.nbytes < PACKED_MAX_BYTES and len(rows.columns) <= FEW_COLUMNS:
            small = inline_part(shard, schema, delta, passing=True)
            if small is not None:
                return (small,)
        blob, writer = self._persist.blob, self._persist.writer_id
        write = partial(write_parts, blob, shard, schema, delta, writer=writer, passing=True)
        return await asyncio.to_thread(write)

    async def read(self, parts: Sequence[WrittenPart], schema: Schema) -> Batch:
        """The rows of parts that have no time yet."""
        read = partial(read_updates, self._persist.blob, tuple(parts), schema, 0, MAX_TIME)
        stored = any(part.blob is not None for part in parts)
        return (await asyncio.to_thread(read) if stored else read()).oks


def row_count(parts: Iterable[WrittenPart]) -> int:
    """How many updates of rows the parts hold."""
    return sum(part.rows for part in parts)


def known_count(source: Import) -> int | None:
    """How many rows there are in what `snapshot` gives; None when that is not known without reading them, or one is in error."""
    total = 0
    for part in source.snapshot:
        net = part.net_at(source.as_of)
        if net is None or part.errors:
            return None
        total += net
    return total if total >= 0 else None


def encoded_bytes(parts: Iterable[WrittenPart]) -> int:
    """What has to be fetched to read the parts."""
    return sum(part.nbytes for part in parts)


def held_bytes(updates: Iterable[Updates]) -> int:
    """About how much memory the updates take until they are durable."""
    parts = (part for update in updates for part in update.parts)
    return sum(REFERENCE_BYTES + (0 if part.inline is None else len(part.inline)) for part in parts)


def snapshot(source: Import, written: Sequence[WrittenPart], where: Sequence[Conditions] | None) -> Import:
    """What a one-off query reads of `source`: the contents at its time, and what the query's own transaction has `written`.

    Parts in which nothing is true of `where` (see `part_choice`) are left out.  The others have no statistics any more: they were most
    of what is sent with a query.
    """
    own = tuple(stamp(part, source.as_of) for part in written)
    parts = needed(source.snapshot + own, source.schema, where)
    parts = tuple(part if part.stats is None else replace(part, stats=None) for part in parts)
    return replace(source, snapshot=parts, updates=())
