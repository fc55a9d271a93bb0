"""Remap shards: which upstream position a source's output at each time stands for.

One row, `(position)`, a text that only the connector understands; a commit of a source retracts the old one and inserts
the new in the transaction that appends the data.  So a restart resumes upstream exactly where the durable output ends.
A sink records how far its target has come in the same way.

Other rows are JSON arrays, which a source writes and reads itself: an upsert source has one for each of its errors that has a key
(`storage/upsert/error_rows.py`), an S3 source for each object that it has read (`storage/source/s3/ledger.py`).
"""

from __future__ import annotations

import pyarrow.compute as pc

from ...persist.client import PartRef, PersistClient, ShardId
from ...persist.read import read_snapshot
from ...persist.write import write_parts
from ...replica.protocol import Import
from ...repr.batch import NO_ERRORS, Delta, batch_from_rows, concat_batches
from ...repr.schema import Column, Schema
from ...repr.types import TEXT

REMAP_SCHEMA = Schema((Column("position", TEXT, False),))

Position = str


class Remap:
    def __init__(self, persist: PersistClient) -> None:
        self._persist = persist
        self._current: dict[ShardId, Position | None] = {}

    def position(self, shard: ShardId) -> Position | None:
        """Where the durable output ends upstream; None before the first commit."""
        if shard not in self._current:
            state = self._persist.mirror.state(shard)
            self._current[shard] = None
            if state.upper > state.since:
                snapshot = self._persist.mirror.snapshot(shard, state.upper - 1)
                rows = read_snapshot(self._persist.blob, snapshot).oks.columns[0]
                positions = rows.filter(pc.invert(pc.starts_with(rows, "["))).to_pylist()
                assert len(positions) <= 1, "a remap shard holds one position"
                self._current[shard] = positions[0] if positions else None
        return self._current[shard]

    def import_of(self, shard: ShardId) -> Import:
        """All rows of the shard now."""
        state, mirror = self._persist.mirror.state(shard), self._persist.mirror
        written = state.upper > state.since
        snapshot = mirror.snapshot(shard, state.upper - 1).parts if written else ()
        return Import(shard, shard, REMAP_SCHEMA, False, state.upper - 1, snapshot, (), state.upper)

    def parts(self, shard: ShardId, position: Position) -> tuple[PartRef, ...]:
        """The change from the current position to `position`, its time still open."""
        changes = [batch_from_rows(REMAP_SCHEMA, [(position,)], 0)]
        if (current := self.position(shard)) is not None:
            changes.append(batch_from_rows(REMAP_SCHEMA, [(current,)], 0, -1))
        delta = Delta(concat_batches(REMAP_SCHEMA, changes), NO_ERRORS)
        return write_parts(self._persist.blob, shard, REMAP_SCHEMA, delta, writer=self._persist.writer_id)

    def committed(self, shard: ShardId, position: Position) -> None:
        self._current[shard] = position

    def forget(self, shard: ShardId) -> None:
        self._current.pop(shard, None)
