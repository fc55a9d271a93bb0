"""One input: nothing is missed, nothing comes twice, whatever the order in which it is told."""

from __future__ import annotations

import random

import pytest
from ptvc.compute.partitioned.stored import InputLost, read_share, whole
from ptvc.persist.blob.memory import MemoryBlob
from ptvc.persist.write import write_parts
from ptvc.replica.inputs import Input, load_rows, read_once

from .support import SCHEMA, Update, delta, imported, parts, updates_of


def taken(source: Input, upper: int) -> list[Update]:
    result = source.take(upper)
    return updates_of(result.oks) if result is not None else []


def test_it_begins_with_snapshot_and_updates() -> None:
    blob = MemoryBlob()
    source = Input(
        blob, imported(blob, "t", as_of=10, upper=20, snapshot=[(1, 3, 1), (2, 5, 1)], updates=[(3, 12, 1)])
    )
    assert source.load() == 2
    assert source.frontier == 20
    assert taken(source, 20) == [(1, 10, 1), (2, 10, 1), (3, 12, 1)]
    assert taken(source, 20) == []


def test_what_is_known_already_is_left_out() -> None:
    blob = MemoryBlob()
    source = Input(blob, imported(blob, "t", as_of=10, upper=20))
    source.receive(parts(blob, (1, 15, 1)), 20)  # that commit is in the import
    source.receive(parts(blob, (2, 15, 1), (3, 25, 1)), 30)
    assert source.frontier == 30
    assert taken(source, 30) == [(3, 25, 1)]
    source.hand_over(delta((3, 25, 1), (4, 31, 1)), 35)
    source.receive(parts(blob, (3, 25, 1), (4, 31, 1)), 35)
    assert taken(source, 35) == [(4, 31, 1)]


def test_taking_less_than_there_is() -> None:
    blob = MemoryBlob()
    source = Input(blob, imported(blob, "t", as_of=0, upper=1))
    source.receive(parts(blob, *((i, i, 1) for i in range(1, 10))), 10)
    assert taken(source, 4) == [(i, i, 1) for i in range(1, 4)]
    source.receive(parts(blob, (10, 10, 1)), 11)
    assert taken(source, 11) == [(i, i, 1) for i in range(4, 11)]


def test_closing_promises_without_data() -> None:
    blob = MemoryBlob()
    source = Input(blob, imported(blob, "t", as_of=0, upper=1))
    source.close(50)
    source.close(40)
    assert source.frontier == 50
    assert source.take(50) is None


def test_what_several_read_is_read_once() -> None:
    """By those that are known up to the same time; the others read it for themselves."""
    blob = MemoryBlob()
    sources = [Input(blob, imported(blob, "t", as_of=0, upper=upper)) for upper in (1, 1, 5)]
    update, read = parts(blob, (1, 3, 1), (2, 7, 1)), read_once()
    for source in sources:
        source.receive(update, 10, None, read)
    found = [source.take(10) for source in sources]
    assert [updates_of(delta.oks) for delta in found if delta] == [[(1, 3, 1), (2, 7, 1)]] * 2 + [[(2, 7, 1)]]
    first, second, _ = (delta.oks.columns[0].buffers()[1] for delta in found if delta)
    assert first.address == second.address


def told(blob: MemoryBlob, source: Input, upper: int) -> list[Update]:
    """What was not read: updates as they are stored."""
    stored = source.take_stored(upper)
    return sorted(u for some in stored for u in updates_of(read_share(blob, whole(some)).oks))


def test_much_is_told_and_not_read() -> None:
    blob = MemoryBlob()
    source = Input(blob, imported(blob, "t", as_of=0, upper=1), most_read=3)
    source.receive(parts(blob, (1, 3, 1), (2, 5, 1)), 10)
    source.receive(parts(blob, *((i, i + 10, 1) for i in range(5))), 20)
    assert source.waits
    assert taken(source, 20) == [(1, 3, 1), (2, 5, 1)]
    assert source.waits
    assert told(blob, source, 12) == [(0, 10, 1), (1, 11, 1)]
    source.read_stored()
    assert told(blob, source, 20) == []
    assert taken(source, 20) == [(2, 12, 1), (3, 13, 1), (4, 14, 1)]
    assert not source.waits


def test_contents_are_told_with_the_time_that_they_are_of() -> None:
    """They are stored as updates, of which some cancel out."""
    blob = MemoryBlob()
    begin = imported(
        blob,
        "t",
        as_of=10,
        upper=20,
        snapshot=[(1, 3, 1), (1, 5, -1), (2, 5, 1), (2, 6, 1)],
        updates=[(3, 12, 1)],
    )
    source = Input(blob, begin, most_read=4)
    assert source.load() == 4
    assert told(blob, source, 20) == [(1, 10, -1), (1, 10, 1), (2, 10, 1), (2, 10, 1)]
    assert taken(source, 20) == [(3, 12, 1)]
    source = Input(blob, begin, most_read=4)
    source.load()
    source.read_stored()
    assert taken(source, 20) == [(2, 10, 2), (3, 12, 1)]


def test_what_waited_too_long_is_lost() -> None:
    blob = MemoryBlob()
    source = Input(blob, imported(blob, "t", as_of=0, upper=1), most_read=1)
    (part,) = write_parts(blob, "t", SCHEMA, delta(*((i, 5, 1) for i in range(30_000))), writer="w")
    source.receive((part,), 10)
    assert part.blob is not None
    blob.delete(part.blob)
    with pytest.raises(InputLost):
        source.read_stored()


def test_random_deliveries_add_up_to_the_history() -> None:
    """Every commit is told twice, handed over as well, and taken in any portions."""
    for seed in range(30):
        rng = random.Random(seed)
        blob = MemoryBlob()
        history: list[Update] = []
        upper = 1
        source = Input(blob, imported(blob, "t", as_of=0, upper=1))
        result: list[Update] = []
        took = 1
        for _ in range(20):
            next_upper = upper + rng.randrange(1, 5)
            commit = [
                (rng.randrange(9), rng.randrange(upper, next_upper), 1) for _ in range(rng.randrange(4))
            ]
            history += commit
            for way in rng.sample(["receive", "hand over", "receive again"], 3):
                if way == "hand over":
                    source.hand_over(delta(*commit), next_upper)
                else:
                    source.receive(parts(blob, *commit) if commit else (), next_upper)
            upper = next_upper
            if rng.random() < 0.5:
                to = rng.randrange(took, upper + 1)
                got = taken(source, to)
                assert all(took <= time < to for _, time, _ in got)
                took = to
                result += got
        result += taken(source, upper)
        assert sorted(result) == sorted(history)


def test_rows_that_were_never_deleted_are_read_as_they_were_written() -> None:
    blob = MemoryBlob()
    rows = load_rows(
        blob, imported(blob, "t", as_of=10, upper=11, snapshot=[(2, 5, 1), (1, 3, 1), (2, 6, 1)])
    )
    assert [*zip(rows.delta.oks.columns[0].to_pylist(), rows.delta.oks.diffs.tolist(), strict=True)] == [
        (2, 1),
        (1, 1),
        (2, 1),
    ]
    assert set(rows.delta.oks.times.tolist()) == {10}
    deleted = imported(blob, "t", as_of=10, upper=11, snapshot=[(2, 5, 1), (1, 3, 1), (2, 6, 1), (1, 7, -1)])
    rows = load_rows(blob, deleted)
    assert [*zip(rows.delta.oks.columns[0].to_pylist(), rows.delta.oks.diffs.tolist(), strict=True)] == [
        (2, 2)
    ]
