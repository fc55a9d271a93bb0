"""min and max of large groups: fronts, and what they save."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from ptvc.compute.dataflow import Dataflow
from ptvc.compute.lower import lower
from ptvc.compute.operators import hierarchical, settled
from ptvc.compute.operators.presence import Values
from ptvc.compute.operators.segments import segments_of
from ptvc.compute.spine import Matches, Spine
from ptvc.repr.batch import NO_ERRORS, Batch, Delta
from ptvc.repr.types import FLOAT8, INT4, TEXT, ScalarType

from .histories import consolidated, random_cuts
from .reference import Update, as_of, evaluate
from .test_reduce import reduction, steps

VALUES: dict[ScalarType, list[Any]] = {
    INT4: [None, *range(12)],
    TEXT: [None, *(f"v{i}" for i in range(12))],
    FLOAT8: [None, -0.0, 0.0, float("inf"), *(i / 4 for i in range(-4, 4))],
}


@pytest.fixture
def small_fronts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Groups of a few rows have fronts of a few values, which run short and grow too long all the time."""
    monkeypatch.setattr(hierarchical, "LARGE_ROWS", 3)
    monkeypatch.setattr(hierarchical, "FRONT_VALUES", (1, 2))


def random_updates(random: Random, values: list[Any], times: int, spread: float) -> list[Update]:
    """Rows come and go in three groups; with a large `spread` mostly at the ends of the order."""
    live: list[tuple[Any, ...]] = []
    updates: list[Update] = []
    for time in range(1, times + 1):
        for _ in range(random.randint(0, 5)):
            if live and random.random() < 0.5:
                at = min(int(random.random() ** spread * len(live)), len(live) - 1)
                updates.append((live.pop(at), time, -1))
            else:
                row = (random.choice((1, 2, 3)), random.choice(values))
                updates.append((row, time, 1))
                live.append(row)
                live.sort(key=lambda r: (r[1] is not None, str(r[1]), r[0]))
    return updates


@pytest.mark.usefixtures("small_fronts")
@pytest.mark.parametrize("functions", [("min", "max"), ("min",), ("max",)])
@pytest.mark.parametrize("type_", VALUES, ids=str)
@pytest.mark.parametrize("seed", range(3))
def test_fronts_answer_as_whole_groups_do(seed: int, type_: ScalarType, functions: tuple[str, ...]) -> None:
    random = Random(seed)
    updates = random_updates(random, VALUES[type_], 60, random.choice((0.3, 1.0, 4.0)))
    relation = reduction(type_, *functions)
    outputs = []
    for cuts in ([0, 61], list(range(62)), random_cuts(random, 60), random_cuts(random, 60)):
        oks, errs = steps(relation, updates, cuts)
        assert errs == []
        outputs.append(consolidated(oks))
        for time in range(0, 61, 10):
            assert as_of(oks, time) == evaluate(relation, {"t": as_of(updates, time)})
    assert all(output == outputs[0] for output in outputs)


@pytest.mark.usefixtures("small_fronts")
@pytest.mark.parametrize("seed", range(5))
def test_counts_below_zero_leave_nothing_behind(seed: int) -> None:
    """Deletions may arrive before the insertions that they take back; in the end all is well."""
    random = Random(seed)
    updates = random_updates(random, VALUES[INT4], 30, 1.0)
    early = [
        (row, max(time - random.choice((0, 0, 3)), 1), n) if n < 0 else (row, time, n)
        for row, time, n in updates
    ]
    relation = reduction(INT4, "min", "max")
    oks, _ = steps(relation, early, list(range(32)))
    whole, _ = steps(relation, early, [0, 32])
    assert consolidated(oks) == consolidated(whole)
    assert as_of(oks, 31) == evaluate(relation, {"t": as_of(early, 31)})


def batch(keys: Any, values: Any, time: int, diff: int) -> Delta:
    n = len(keys)
    columns = (pa.array(keys, pa.int32()), pa.array(values, pa.int32()))
    return Delta(Batch(columns, np.full(n, time, np.uint64), np.full(n, diff, np.int64)), NO_ERRORS)


@pytest.mark.parametrize("distinct", [100_000, 5])
def test_a_change_costs_the_front_and_not_the_group(monkeypatch: pytest.MonkeyPatch, distinct: int) -> None:
    """100,000 rows in one group: the work is counted in rows of state that a step looks at.  Deletions of the least
    value, one after the other, now and then need the whole group."""
    rows = 100_000
    dataflow = Dataflow(lower(reduction(INT4, "min", "max")), 0)
    values = np.sort(np.arange(rows) % distinct)
    dataflow.step({"t": batch(np.zeros(rows), values, 0, 1)}, 0, 1)
    looked_at: list[int] = []
    probe = Spine.probe

    def counting(spine: Spine, *args: Any, **options: Any) -> Matches:
        found = probe(spine, *args, **options)
        looked_at.append(len(found))
        return found

    monkeypatch.setattr(Spine, "probe", counting)
    random = np.random.default_rng(1)
    time, least = 1, 0
    for name, cost in (("anywhere", 1_500), ("least", 5_000)):
        looked_at.clear()
        for _ in range(500):
            if name == "anywhere":  # one value moves
                change = batch([0], [int(random.integers(distinct))], time, 1)
            else:
                change = batch([0], [int(values[least])], time, -1)
                least += 1
            output = dataflow.step({"t": change}, time, time + 1)
            assert len(output.oks) in (0, 2)
            time += 1
        assert sum(looked_at) / 500 < cost, name
    # Five thousand new least values, one after the other, do not make the front longer and longer.
    for start in range(0, 5_000, 500):
        dataflow.step(
            {"t": batch([0] * 500, list(range(-1 - start, -501 - start, -1)), time, 1)}, time, time + 1
        )
        time += 1
    looked_at.clear()
    dataflow.step({"t": batch([0], [-9_999], time, 1)}, time, time + 1)
    assert sum(looked_at) < 6_000


@pytest.mark.parametrize("large", [3, 256])
@pytest.mark.parametrize("functions", [("min", "max"), ("min",), ("max",)])
@pytest.mark.parametrize("early", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_settled_groups_answer_as_sorted_ones_do(
    seed: int, early: bool, functions: tuple[str, ...], large: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Duplicates, NULLs, values at the ends of the type, deletions ahead of insertions; with fronts and without."""
    monkeypatch.setattr(hierarchical, "LARGE_ROWS", large)
    monkeypatch.setattr(hierarchical, "FRONT_VALUES", (1, 2))
    random = Random(seed)
    values = [None, -(2**31), 2**31 - 1, *range(random.choice((2, 12)))]
    updates = random_updates(random, values, 60, random.choice((0.3, 1.0, 4.0)))
    if early:
        updates = [
            (row, max(time - random.choice((0, 0, 3)), 1), n) if n < 0 else (row, time, n)
            for row, time, n in updates
        ]
    relation = reduction(INT4, *functions)
    cuts = random.choice((list(range(62)), random_cuts(random, 60)))
    outputs = []
    for least in (1 << 30, 0):
        monkeypatch.setattr(settled, "SETTLED_VALUES", least)
        outputs.append(steps(relation, updates, cuts)[0])
    assert consolidated(outputs[0]) == consolidated(outputs[1])
    assert as_of(outputs[1], 60) == evaluate(relation, {"t": as_of(updates, 60)})


def test_groups_are_settled_where_their_ends_stay() -> None:
    """One whose end is retracted is not; one that begins is; one that is too large is not."""
    group = np.array([0, 0, 1, 1, 3, 3, 3, 0, 1, 2], np.int64)
    column = pa.array([5, 7, 5, 7, 1, 2, 3, 6, 5, 9], pa.int32())
    diffs = np.array([1, 1, 1, 1, 1, 1, 1, 1, -1, 1], np.int64)
    rows = Batch((pa.array([0, 1, 2, 3]),), np.ones(4, np.uint64), np.ones(4, np.int64))
    segments = segments_of(rows, rows.columns)
    numbers = np.argsort(segments.heads)[group]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(settled, "SETTLED_VALUES", 0)
        found = settled.settle(Values(column, numbers, numbers, diffs, 7), segments, ("min", "max"), 2)
        small = settled.settle(Values(column, numbers, numbers, diffs, 7), segments, ("min", "max"), 3)
    assert found is not None
    assert small is not None
    heads = np.argsort(segments.heads)
    assert found.groups[heads].tolist() == [False, False, True, False]
    assert small.groups[heads].tolist() == [True, False, True, True]
