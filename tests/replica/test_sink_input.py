"""Chunks of a sink's input: each update in exactly one, none larger than it may be, cut between times."""

from __future__ import annotations

from random import Random

import pytest
from ptvc.persist.blob.memory import MemoryBlob
from ptvc.replica.sink_input import Reference, SinkInput, cut

from .support import SCHEMA, Update, imported, parts, updates_of


@pytest.mark.parametrize("seed", range(20))
def test_chunks_have_each_update_once(seed: int) -> None:
    random = Random(seed)
    blob = MemoryBlob()
    snapshot: list[Update] = [(n, 10, 1) for n in range(random.randrange(20))]
    history = [(random.randrange(100), random.randrange(11, 30), 1) for _ in range(random.randrange(40))]
    source = imported(blob, "v", as_of=10, upper=30, snapshot=snapshot, updates=history)
    known = SinkInput(source)
    upper, expected = 30, [*snapshot, *history]
    for _ in range(random.randrange(30)):
        rows = [(n, random.randrange(upper, upper + 5), 1) for n in range(random.randrange(4))]
        upper += 5
        expected += rows
        # What came with the import, or before, comes again.
        again = [(-1, upper - 6, 1)] if random.random() < 0.3 else []
        known.receive(parts(blob, *again, *rows) if again or rows else (), upper)
    assert known.complete_to == known.frontier == upper
    found: list[Update] = []
    lower = 0
    while lower < upper:
        chunk = known.take(lower, most=random.choice((0, 100, 1_000)))
        assert (chunk.lower, chunk.upper > lower) == (lower, True)
        rows = updates_of(chunk.read(blob).oks)
        assert all(time < chunk.upper for _, time, _ in rows)
        found += rows
        lower = chunk.upper
    assert sorted(found) == sorted(expected)
    assert known.nbytes == 0


def test_a_target_that_is_further_is_spared_what_it_has() -> None:
    blob = MemoryBlob()
    source = imported(blob, "v", as_of=10, upper=30, snapshot=[(1, 10, 1)], updates=[(2, 20, 1)])
    known = SinkInput(source)
    known.receive(parts(blob, (3, 35, 1)), 40)
    chunk = known.take(25)
    assert chunk.contents is None
    assert updates_of(chunk.read(blob).oks) == [(3, 35, 1)]


def test_a_time_is_never_cut() -> None:
    part = parts(MemoryBlob(), *[(n, 12, 1) for n in range(100)], (0, 15, 1))[0]
    wide, narrow = Reference(part, SCHEMA, 11, 20), Reference(part, SCHEMA, 14, 20)
    assert cut((wide, narrow), 20, 1) == (2, 20), "the second begins before the first ends"
    apart = Reference(part, SCHEMA, 11, 13), Reference(part, SCHEMA, 14, 20)
    assert cut(apart, 20, 1) == (1, 14)


def test_beyond_the_budget_nothing_is_taken_until_all_is_read() -> None:
    blob = MemoryBlob()
    known = SinkInput(imported(blob, "v", as_of=10, upper=11), 20_000)
    for time in range(11, 100):
        known.receive(parts(blob, (time, time, 1)), time + 1)
        assert known.nbytes <= 20_000
    assert known.behind
    assert known.frontier == 100
    complete = known.complete_to
    assert 11 < complete < 100
    assert [time for _, time, _ in updates_of(known.take(11).read(blob).oks)] == list(range(11, complete))
    known.receive(parts(blob, (100, 100, 1)), 101)
    assert known.complete_to == complete, "what was left out stays left out"


def test_shedding_moves_back_what_is_complete() -> None:
    blob = MemoryBlob()
    known = SinkInput(imported(blob, "v", as_of=10, upper=20, updates=[(1, 15, 1)]))
    known.receive(parts(blob, (2, 25, 1)), 30)
    assert known.shed() > 0
    assert (known.complete_to, known.behind) == (20, True)
    chunk = known.take(11)
    assert (chunk.upper, updates_of(chunk.read(blob).oks)) == (20, [(1, 15, 1)])
    assert known.shed() == 0
