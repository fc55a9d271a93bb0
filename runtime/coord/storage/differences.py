"""The difference between two stored collections of one schema, as changes that make the one into the other.

It is computed in two parts: what the one has and the other has not at a time that is past, which may be much; then, at the
time at which the change is made, what has come since.
"""

from __future__ import annotations

import asyncio

from ...persist.client import PersistClient, ShardId
from ...persist.read import read_snapshot, read_updates
from ...persist.state import Snapshot
from ...persist.write import write_parts
from ...replica.protocol import Import
from ...repr.batch import Delta, concat_deltas
from ...repr.consolidate import advance, consolidate
from ...repr.schema import Schema
from .parts import WrittenPart


class Differences:
    """All reading and writing is done in threads."""

    def __init__(self, persist: PersistClient) -> None:
        self._persist = persist

    async def between(self, new: Import, old: Import, schema: Schema) -> Delta:
        """What `new` has and `old` has not, at the time of the imports."""
        return await asyncio.to_thread(self._between, new, old, schema)

    async def write(
        self, shard: ShardId, schema: Schema, known: Delta, new: Import, old: Import, time: int
    ) -> tuple[WrittenPart, ...]:
        """The parts of the difference for `shard`, at `time`: what was `known` at the time of the imports, and what has come
        since, of `old` before `time` and of `new` with it."""
        return await asyncio.to_thread(self._write, shard, schema, known, new, old, time)

    def _between(self, new: Import, old: Import, schema: Schema) -> Delta:
        there, gone = (
            read_snapshot(self._persist.blob, Snapshot(side.shard, side.as_of, schema, side.snapshot))
            for side in (new, old)
        )
        return _sum(schema, [there, _negated(gone)], new.as_of)

    def _write(
        self, shard: ShardId, schema: Schema, known: Delta, new: Import, old: Import, time: int
    ) -> tuple[WrittenPart, ...]:
        blob, since = self._persist.blob, new.as_of + 1
        added = read_updates(blob, new.updates, schema, since, time + 1)
        gone = read_updates(blob, old.updates, schema, since, time)
        delta = _sum(schema, [known, added, _negated(gone)], time)
        return write_parts(blob, shard, schema, delta, writer=self._persist.writer_id)


def _negated(delta: Delta) -> Delta:
    return Delta(delta.oks.negate(), delta.errs.negate())


def _sum(schema: Schema, deltas: list[Delta], time: int) -> Delta:
    """All of them at one time: equal rows, and equal errors, are one update or none."""
    whole = concat_deltas(schema, deltas)
    return Delta(consolidate(advance(whole.oks, time)), consolidate(advance(whole.errs, time)))
