"""CLOCK: one row, the time of the last tick."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
import pyarrow as pa

from ....repr.schema import Column, Schema
from ....repr.types import TIMESTAMPTZ
from ...changes import Changes
from .draws import times
from .options import GeneratorOptions
from .ticking import Rows, Wanted, replaced

TABLES = {"": Schema((Column("time", TIMESTAMPTZ, False),))}


class ClockRow:
    tables = TABLES
    first_tick = 0
    bytes_per_tick = 1

    def __init__(self, options: GeneratorOptions) -> None:
        assert options.tick_ms is not None
        self._tick_ms = options.tick_ms
        self._as_of = options.as_of

    def contents(self, wanted: Wanted, tick: int, start_ms: int) -> Iterator[Rows]:
        yield {"": self._row(tick, start_ms)}

    def count(self, table: str, tick: int) -> int:
        return 1

    def changes(self, wanted: Wanted, after: int, upto: int, start_ms: int) -> Mapping[str, Changes]:
        return {"": replaced(self._row(after, start_ms), self._row(upto, start_ms))}

    def _row(self, tick: int, start_ms: int) -> tuple[pa.Array, ...]:
        return (times(np.array([start_ms + (tick - self._as_of) * self._tick_ms])),)
