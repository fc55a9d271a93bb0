"""KEY VALUE: keys, each with a random value that is replaced again and again.

The first rounds write all keys once each: at one time, so that only the last is seen, or a time for each.  Then every tick
writes some keys of every partition.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
import pyarrow as pa

from ....repr.schema import Column, Schema
from ....repr.types import BYTEA, UINT8
from ...changes import Changes
from .draws import Draws, Numbers, Shuffle
from .options import GeneratorOptions
from .ticking import Rows, Wanted, replaced

TABLES = {
    "": Schema(
        (Column("key", UINT8, False), Column("partition", UINT8, False), Column("value", BYTEA, False))
    )
}

PIECE_BYTES = 32 << 20


class KeyValue:
    """The rounds of the beginning are ticks up to 0."""

    tables = TABLES

    def __init__(self, options: GeneratorOptions) -> None:
        self._draws = Draws(options.seed)
        self._keys = options.keys
        self._partitions = options.partitions
        self._size = options.value_size
        self._rounds = options.snapshot_rounds
        self._per_tick = options.batch_size * options.partitions
        self._order = Shuffle(options.keys)
        self._row_bytes = 20 + options.value_size
        self.first_tick = 0 if options.transactional_snapshot else 1 - options.snapshot_rounds
        self.bytes_per_tick = 2 * self._per_tick * self._row_bytes

    def contents(self, wanted: Wanted, tick: int, start_ms: int) -> Iterator[Rows]:
        rows = max(1, PIECE_BYTES // self._row_bytes)
        for begin in range(0, self._keys, rows):
            keys = np.arange(begin, min(begin + rows, self._keys))
            yield {"": self._rows(keys, self._versions(keys, tick))}

    def count(self, table: str, tick: int) -> int:
        return self._keys

    def changes(self, wanted: Wanted, after: int, upto: int, start_ms: int) -> Mapping[str, Changes]:
        if after < 0:
            keys = np.arange(self._keys)
        else:
            keys = self._order.among(after * self._per_tick, upto * self._per_tick)
        old, new = self._versions(keys, after), self._versions(keys, upto)
        return {"": replaced(self._rows(keys, old), self._rows(keys, new))}

    def _versions(self, keys: Numbers, tick: int) -> Numbers:
        """How often each key has been written."""
        written = np.full(len(keys), self._rounds + min(tick, 0))
        return written + self._order.turns(keys, tick * self._per_tick) if tick > 0 else written

    def _rows(self, keys: Numbers, versions: Numbers) -> tuple[pa.Array, ...]:
        return (
            pa.array(keys.astype(np.uint64)),
            pa.array((keys % self._partitions).astype(np.uint64)),
            self._values(keys, versions),
        )

    def _values(self, keys: Numbers, versions: Numbers) -> pa.Array:
        words = -(-self._size // 8)
        places = ((versions * self._keys + keys)[:, None] * words + np.arange(words)).ravel()
        data = self._draws.bits("value", places).view(np.uint8).reshape(len(keys), 8 * words)
        cut = np.ascontiguousarray(data[:, : self._size])
        offsets = (np.arange(len(keys) + 1) * self._size).astype(np.int32)
        return pa.Array.from_buffers(
            pa.binary(), len(keys), [None, pa.py_buffer(offsets.tobytes()), pa.py_buffer(cut.tobytes())]
        )
