"""min and max of large groups: fronts, and what they save."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from decimal import Decimal
from random import Random
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from ptvc.compute.dataflow import Dataflow
from ptvc.compute.lower import lower
from ptvc.compute.merge import merge_worker
from ptvc.compute.operators.reductions import hierarchical
from ptvc.compute.spine import Matches, Spine
from ptvc.repr.batch import NO_ERRORS, Batch, Delta
from ptvc.repr.types import (
    DATE,
    FLOAT4,
    FLOAT8,
    INT4,
    INT8,
    NUMERIC,
    TEXT,
    TIMESTAMP,
    ScalarType,
    derived_numeric,
)

from ..histories import consolidated, random_cuts
from ..reference import Update, as_of, evaluate
from .test_reduce import MONEY, reduction, steps

WIDE = derived_numeric(0)

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
    merge_worker().drain()  # what cancels out is counted until the merges have caught up
    looked_at.clear()
    dataflow.step({"t": batch([0], [-9_999], time, 1)}, time, time + 1)
    assert sum(looked_at) < 6_000


DATES = [None, *(date(2026, 1, 1) + timedelta(days=i) for i in (-20_000, *range(6)))]
AT_THE_ENDS: dict[ScalarType, list[Any]] = {
    INT4: [None, -(2**31), 2**31 - 1, *range(12)],
    INT8: [None, -(2**63), 2**63 - 1, *range(4)],
    DATE: DATES,
    TIMESTAMP: [None if d is None else datetime(d.year, d.month, d.day) for d in DATES],
    FLOAT8: [None, float("nan"), float("inf"), -float("inf"), -0.0, 0.0, -1.5, 5e-324],
    FLOAT4: [None, float("nan"), float("inf"), -float("inf"), -0.0, 0.0, -1.5, 0.25],
    MONEY: [None, *(Decimal(i).scaleb(-2) for i in (-(10**12) + 1, -1, 0, 1, 250, 10**12 - 1))],
    WIDE: [None, *(Decimal(i) for i in (-(2**64), -(2**63), -1, 0, 2**63 - 1, 2**63, 10**37))],
    NUMERIC: [None, Decimal("-1e20"), Decimal("-0.5"), Decimal(0), Decimal("1e-20"), Decimal("1e30")],
}


def told(row: tuple[Any, ...]) -> tuple[Any, ...]:
    """The row with NaN as a value that equals itself."""
    return tuple("NaN" if value != value else value for value in row)


@pytest.mark.parametrize("functions", [("min", "max"), ("max",)])
@pytest.mark.parametrize("early", [False, True])
@pytest.mark.parametrize("type_", AT_THE_ENDS, ids=str)
@pytest.mark.parametrize("seed", [0, pytest.param(1, marks=pytest.mark.slow)])
def test_ends_answer_as_values_do(
    seed: int, type_: ScalarType, early: bool, functions: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Duplicates, NULLs, values at the ends of the type, deletions ahead of insertions, with fronts and without."""
    random = Random(seed)
    monkeypatch.setattr(hierarchical, "LARGE_ROWS", random.choice((3, 256)))
    monkeypatch.setattr(hierarchical, "FRONT_VALUES", (1, 2))
    updates = random_updates(random, AT_THE_ENDS[type_], 60, random.choice((0.3, 1.0, 4.0)))
    if early:
        updates = [
            (row, max(time - random.choice((0, 0, 3)), 1), n) if n < 0 else (row, time, n)
            for row, time, n in updates
        ]
    relation = reduction(type_, *functions)
    outputs = []
    for cuts in ([0, 61], list(range(62)), random_cuts(random, 60), random_cuts(random, 60)):
        outputs.append(steps(relation, updates, cuts)[0])
    monkeypatch.setattr(hierarchical, "has_order_words", lambda type_: False)
    outputs.append(steps(relation, updates, random_cuts(random, 60))[0])
    outputs = [[(told(row), time, n) for row, time, n in output] for output in outputs]
    assert all(consolidated(output) == consolidated(outputs[0]) for output in outputs)
    for time in (60,) if early else (0, 20, 40, 60):
        expected = evaluate(relation, {"t": as_of(updates, time)})
        assert as_of(outputs[1], time) == {told(row): n for row, n in expected.items()}


def test_only_groups_that_lose_an_end_are_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    """1,000 groups of ten values each: 0, 10, ... 90.  Counted are the groups whose values a step looks at."""
    dataflow = Dataflow(lower(reduction(INT4, "min", "max")), 0)
    groups = np.arange(1_000)
    keys, values = np.repeat(groups, 10), np.tile(np.arange(0, 100, 10), 1_000)
    looked_at: list[int] = []
    read = hierarchical.Extremes._read

    def counting(extremes: hierarchical.Extremes, *args: Any) -> Matches:
        found = read(extremes, *args)
        looked_at.append(len(np.unique(found.probe)))
        return found

    monkeypatch.setattr(hierarchical.Extremes, "_read", counting)
    time = 0

    def step(keys: Any, values: Any, diff: int) -> tuple[int, int]:
        """(groups that were looked at, updates that came out)"""
        nonlocal time
        looked_at.clear()
        time += 1
        output = dataflow.step({"t": batch(keys, values, time - 1, diff)}, time - 1, time)
        return sum(looked_at), len(output.oks)

    assert step(keys, values, 1) == (0, 1_000)
    assert step(groups, groups % 100, 1) == (0, 2 * 90)  # nine values in ten are within
    assert step(groups, groups % 100, -1) == (90 + 20, 2 * 90)
    assert step(groups, np.full(1_000, 50), -1) == (0, 0)
    assert step(groups[:10], np.full(10, 0), -1) == (10, 2 * 10)
    assert step(groups[:10], np.full(10, -5), 1) == (0, 2 * 10)
    assert step(groups[:10], np.full(10, 95), 1) == (0, 2 * 10)
    assert step(np.arange(1_000, 2_000), groups, 1) == (0, 1_000)  # groups that are new
