"""Random histories of collections, cut into steps at random, and what an operator makes of them.

A history is a list of (row, time, diff).  The same history may be handed over in one step, in one step per time, or
cut anywhere: the consolidated output must be the same, and at every time what the reference says.
"""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Callable, Sequence
from random import Random
from typing import Any

import numpy as np
import pyarrow as pa
from ptvc.compute.operators.base import Operator
from ptvc.repr.batch import NO_ERRORS, Batch, Delta
from ptvc.repr.schema import Column, Schema
from ptvc.repr.types import ScalarType

from .reference import Row, Rows, Update, as_of, collect


def schema_of(*types: ScalarType) -> Schema:
    return Schema(tuple(Column(f"column{i}", type_) for i, type_ in enumerate(types)))


def history(
    random: Random,
    row: Callable[[Random], Row],
    *,
    times: int = 12,
    per_time: int = 5,
    negative: bool = False,
) -> list[Update]:
    """Inserts, deletes and updates at times 1 to `times`, about `per_time` at each.

    Multiplicities stay at zero or more at every time, unless `negative` is set.  Within a time, updates come in any
    order, some cancel, some repeat.
    """
    updates: list[Update] = []
    live: defaultdict[Row, int] = defaultdict(int)
    for time in range(1, times + 1):
        for _ in range(random.randrange(2 * per_time + 1)):
            held = [r for r, n in live.items() if n > 0]
            if random.random() < 0.45 and (held or negative):
                gone = (
                    row(random) if negative and (not held or random.random() < 0.5) else random.choice(held)
                )
                count = 1 if negative else random.randint(1, live[gone])
                live[gone] -= count
                updates.append((gone, time, -count))
                if random.random() < 0.4:  # an update: the row comes back changed
                    new = row(random)
                    live[new] += count
                    updates.append((new, time, count))
            else:
                new = row(random)
                count = random.choice((1, 1, 1, 2, 3))
                live[new] += count
                updates.append((new, time, count))
            if random.random() < 0.1:  # nothing at all, said twice
                noise = row(random)
                updates += [(noise, time, 1), (noise, time, -1)]
    random.shuffle(updates)
    return updates


def append_only_history(
    random: Random, row: Callable[[Random], Row], *, times: int = 12, per_time: int = 5
) -> list[Update]:
    """Inserts only, at times 1 to `times`, about `per_time` at each; what comes and goes within a time was not there."""
    updates: list[Update] = []
    for time in range(1, times + 1):
        for _ in range(random.randrange(2 * per_time + 1)):
            updates.append((row(random), time, random.choice((1, 1, 1, 2, 3))))
            if random.random() < 0.1:
                noise = row(random)
                updates += [(noise, time, 1), (noise, time, -1)]
    random.shuffle(updates)
    return updates


def batch_of(schema: Schema, updates: Sequence[Update]) -> Batch:
    return Batch(
        tuple(pa.array([u[0][i] for u in updates], column.type.arrow) for i, column in enumerate(schema)),
        np.array([u[1] for u in updates], np.uint64),
        np.array([u[2] for u in updates], np.int64),
    )


def updates_of(batch: Batch) -> list[Update]:
    columns = [column.to_pylist() for column in batch.columns]
    rows = list(map(frozen, zip(*columns, strict=True))) if columns else [()] * len(batch)
    return list(zip(rows, batch.times.tolist(), batch.diffs.tolist(), strict=True))


def frozen(row: tuple[Any, ...]) -> Row:
    """The row with arrays as tuples, which can be keys."""
    return tuple(tuple(value) if isinstance(value, list) else value for value in row)


def consolidated(updates: Sequence[Update]) -> Rows:
    """Net diff per (row, time), keyed by row + (time,)."""
    return collect(((*row, time), diff) for row, time, diff in updates)


def random_cuts(random: Random, times: int) -> list[int]:
    """Boundaries of steps over the times 1 to `times`."""
    inner = [t for t in range(2, times + 1) if random.random() < 0.4]
    return [0, *inner, times + 1]


def run(
    operator: Operator, inputs: Sequence[tuple[Schema, Sequence[Update]]], cuts: Sequence[int]
) -> tuple[list[Update], list[Update]]:
    """Steps the operator over `[cuts[i], cuts[i + 1])`; all updates of rows, and of errors, that it puts out."""
    oks: list[Update] = []
    errs: list[Update] = []
    for lower, upper in itertools.pairwise(cuts):
        deltas = tuple(
            Delta(batch_of(schema, [u for u in updates if lower <= u[1] < upper]), NO_ERRORS)
            for schema, updates in inputs
        )
        out = operator.step(deltas, lower, upper)
        for update in updates_of(out.oks) + updates_of(out.errs):
            assert lower <= update[1] < upper, (update, lower, upper)
        assert tuple(c.type for c in out.oks.columns) == tuple(t.arrow for t in operator.schema.types)
        oks += updates_of(out.oks)
        errs += updates_of(out.errs)
    return oks, errs


def check(
    make: Callable[[], Operator],
    inputs: Sequence[tuple[Schema, Sequence[Update]]],
    expected: Callable[[list[Rows]], Rows],
    random: Random,
    times: int = 12,
) -> None:
    """The operator agrees with `expected` (a function of its inputs' contents) at every time, in any batching."""
    histories = []
    for cuts in ([0, times + 1], list(range(times + 2)), random_cuts(random, times)):
        output, errors = run(make(), inputs, cuts)
        assert errors == []
        for time in range(times + 1):
            contents = [as_of(updates, time) for _, updates in inputs]
            assert as_of(output, time) == expected(contents), f"at {time}, steps {cuts}"
        histories.append(consolidated(output))
    assert histories[0] == histories[1] == histories[2]
