from __future__ import annotations

from random import Random

import pytest
from ptvc.compute.operators.distinct import Distinct
from ptvc.repr.types import FLOAT8, INT8, TEXT

from ..histories import check, history, run, schema_of
from ..reference import Row, Rows, as_of

SCHEMA = schema_of(INT8, TEXT, FLOAT8)


def row(random: Random) -> Row:
    return (random.choice((1, 2, None)), random.choice(("a", "", None)), random.choice((0.5, None)))


@pytest.mark.parametrize("negative", [False, True])
@pytest.mark.parametrize("seed", range(10))
def test_distinct_matches_recomputation(seed: int, negative: bool) -> None:
    random = Random(seed)

    def expected(contents: list[Rows]) -> Rows:
        return {row: 1 for row, n in contents[0].items() if n > 0}

    inputs = [(SCHEMA, history(random, row, times=20, negative=negative))]
    check(lambda: Distinct(SCHEMA), inputs, expected, random, times=20)


def test_many_times_in_one_step_give_one_update_per_crossing() -> None:
    schema = schema_of(INT8)
    updates = [((1,), t, 1 if t % 2 else -1) for t in range(1, 1001)]
    output, _ = run(Distinct(schema), [(schema, updates)], [0, 2000])
    assert sorted(output, key=lambda u: u[1]) == updates


def test_zeros_of_two_signs_are_one_row() -> None:
    schema = schema_of(FLOAT8)
    updates = [((-0.0,), 1, 1), ((0.0,), 2, 1), ((0.0,), 3, -1), ((-0.0,), 4, -1)]
    for cuts in ([0, 5], [0, 2, 3, 4, 5]):
        output, _ = run(Distinct(schema), [(schema, updates)], cuts)
        assert [str(u) for u in output] == ["((0.0,), 1, 1)", "((0.0,), 4, -1)"]


def test_relation_without_columns() -> None:
    schema = schema_of()
    output, _ = run(Distinct(schema), [(schema, [((), 1, 3), ((), 2, -3), ((), 3, 1)])], [0, 2, 4])
    assert [as_of(output, t) for t in range(4)] == [{}, {(): 1}, {}, {(): 1}]
