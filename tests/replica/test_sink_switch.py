"""What a sink writes when it goes over from one input to another, against a fold of both histories."""

from __future__ import annotations

import random
from collections import Counter

import pytest
from ptvc.replica.sink_switch import switched
from ptvc.repr.batch import NO_ERRORS, Batch, Delta, batch_from_rows, concat_batches
from ptvc.repr.schema import ERROR_SCHEMA, Column, Schema
from ptvc.repr.types import INT8
from ptvc.storage.sink.lake.exchange import Exchange

SCHEMA = Schema((Column("a", INT8),))
SAME = Exchange.between(SCHEMA, SCHEMA)
History = list[tuple[int, int, int]]


def batch(history: History) -> Batch:
    return concat_batches(SCHEMA, [batch_from_rows(SCHEMA, [(a,)], time, diff) for a, time, diff in history])


def fold(history: History, time: int) -> Counter[int]:
    found: Counter[int] = Counter()
    for a, at, diff in history:
        if at <= time:
            found[a] += diff
    return +found


def rows(found: Batch) -> History:
    [values] = (column.to_pylist() for column in found.columns)
    return list(zip(values, found.times.tolist(), found.diffs.tolist(), strict=True))


def history(seed: random.Random, first: int, upper: int) -> History:
    """Contents at `first`, changes after it, below `upper`."""
    found: History = [(a, first, 1) for a in seed.choices(range(6), k=4)]
    for time in range(first + 1, upper):
        held = fold(found, time)
        if held and seed.random() < 0.4:
            found.append((seed.choice(list(held)), time, -1))
        if seed.random() < 0.4:
            found.append((seed.randrange(6), time, 1))
    return found


@pytest.mark.parametrize("number", range(40))
def test_the_target_is_the_one_and_then_the_other(number: int) -> None:
    seed = random.Random(number)
    written, lower = sorted(seed.choices(range(5, 12), k=2))
    time = max(lower, seed.randrange(5, 15))
    former, new = history(seed, written, time), history(seed, min(time, 5), time + 6)
    told = rows(
        switched(SAME, Delta(batch(former), NO_ERRORS), Delta(batch(new), NO_ERRORS), lower, time).oks
    )
    assert all(at >= lower for _, at, _ in told)
    target = [row for row in former if row[1] < lower] + told
    for at in range(lower, time + 6):
        assert fold(target, at) == fold(former if at < time else new, at)


def test_what_cannot_be_shown_is_left_out() -> None:
    former: History = [(1, 5, 1), (2, 7, 1)]
    error = batch_from_rows(ERROR_SCHEMA, [("22012", "division by zero")], 7)
    told = switched(SAME, Delta(batch(former), error), Delta(batch([(3, 9, 1)]), NO_ERRORS), 6, 9)
    assert sorted(rows(told.oks)) == [(1, 9, -1), (3, 9, 1)]
    assert len(told.errs) == 0
    gone = concat_batches(
        ERROR_SCHEMA, [error, batch_from_rows(ERROR_SCHEMA, [("22012", "division by zero")], 8, -1)]
    )
    told = switched(SAME, Delta(batch(former), gone), None, 6, 9)
    assert sorted(rows(told.oks)) == [(1, 9, -1), (2, 7, 1), (2, 9, -1)]
