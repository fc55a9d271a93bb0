"""LOAD GENERATOR COUNTER: 1, 2, 3, ... one number per tick; beyond a cardinality the oldest one goes.

Tick n is due `(n - 1) * tick_ms` after the source began, so the position (the last tick, and when the first one was)
says all: a source that was down for a while catches up.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from ...clock import Clock
from ...errors import InvalidParameter
from ...repr.schema import Column, Schema
from ...repr.types import INT8
from ..changes import Changes
from .file import Position

COUNTER_SCHEMA = Schema((Column("counter", INT8, False),))

_BYTES_PER_TICK = 16


@dataclass(frozen=True, slots=True)
class CounterChunk:
    """Changes of some ticks; `at_end`: no other tick was `due`."""

    changes: Changes
    next_position: dict[str, Any]
    at_end: bool
    lag_bytes: int
    nbytes: int
    due: int


class Counter:
    """Raises InvalidParameter when the interval or the cardinality is not positive."""

    def __init__(self, clock: Clock, tick_ms: int = 1000, max_cardinality: int | None = None) -> None:
        if tick_ms < 1:
            raise InvalidParameter(f"TICK INTERVAL must be at least 1 ms, not {tick_ms} ms")
        if max_cardinality is not None and max_cardinality < 1:
            raise InvalidParameter(f"MAX CARDINALITY must be at least 1, not {max_cardinality}")
        self._clock = clock
        self._tick_ms = tick_ms
        self._max_cardinality = max_cardinality

    def poll(self, position: Position | None, max_bytes: int) -> CounterChunk | None:
        """The ticks after `position` that are due by now; None when there are none."""
        now = self._clock.now_ms()
        start, last = (now, 0) if position is None else (position["start_ms"], position["tick"])
        due = (now - start) // self._tick_ms + 1
        if due <= last:
            return None
        upto = min(due, last + max(1, max_bytes // _BYTES_PER_TICK))
        values = np.arange(last + 1, upto + 1)
        diffs = np.ones(len(values), np.int64)
        if self._max_cardinality is not None:
            old = values - self._max_cardinality
            # A number that comes and goes within these ticks is not seen at all.
            old, values = old[(old > 0) & (old <= last)], values[values > upto - self._max_cardinality]
            diffs = np.concatenate([np.full(len(old), -1, np.int64), np.ones(len(values), np.int64)])
            values = np.concatenate([old, values])
        return CounterChunk(
            Changes((pa.array(values, pa.int64()),), diffs),
            {"start_ms": start, "tick": upto},
            upto == due,
            (due - upto) * _BYTES_PER_TICK,
            (upto - last) * _BYTES_PER_TICK,
            due,
        )
