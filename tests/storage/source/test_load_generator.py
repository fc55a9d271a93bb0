"""The counter: a function of the clock and the last tick."""

from __future__ import annotations

import pytest
from ptvc.clock import ManualClock
from ptvc.errors import InvalidParameter
from ptvc.storage.source.load_generator import Counter


@pytest.mark.parametrize("max_bytes", [1, 32, 1 << 20])
@pytest.mark.parametrize("cardinality", [None, 1, 4])
def test_ticks_and_retractions(max_bytes: int, cardinality: int | None) -> None:
    clock = ManualClock(5000)
    counter = Counter(clock, 10, cardinality)
    position = None
    live: list[int] = []
    for due in (1, 1, 3, 9, 10, 40):
        clock.advance(max(0, 5000 + (due - 1) * 10 - clock.now_ms()))
        while (chunk := counter.poll(position, max_bytes)) is not None:
            for value, diff in zip(
                chunk.changes.columns[0].to_pylist(), chunk.changes.diffs.tolist(), strict=True
            ):
                if diff > 0:
                    live.append(value)
                else:
                    live.remove(value)
            position = chunk.next_position
        first = 1 if cardinality is None else max(1, due - cardinality + 1)
        assert live == list(range(first, due + 1))


def test_a_clock_that_jumps_back_brings_nothing() -> None:
    clock = ManualClock(5000)
    counter = Counter(clock, 10)
    chunk = counter.poll(None, 100)
    assert chunk is not None
    clock.advance(-3000)
    assert counter.poll(chunk.next_position, 100) is None


def test_options() -> None:
    with pytest.raises(InvalidParameter, match="TICK INTERVAL"):
        Counter(ManualClock(), 0)
    with pytest.raises(InvalidParameter, match="MAX CARDINALITY"):
        Counter(ManualClock(), 10, 0)
