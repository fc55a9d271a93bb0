from __future__ import annotations

from random import Random

import pytest
from ptvc.compute.operators.threshold import Threshold
from ptvc.repr.types import INT8, TEXT

from ..histories import check, history, run, schema_of
from ..reference import Row, Rows

SCHEMA = schema_of(INT8, TEXT)


def row(random: Random) -> Row:
    return (random.choice((1, 2, None)), random.choice(("a", "é", None)))


@pytest.mark.parametrize("negative", [False, True])
@pytest.mark.parametrize("seed", range(10))
def test_threshold_matches_recomputation(seed: int, negative: bool) -> None:
    random = Random(seed)

    def expected(contents: list[Rows]) -> Rows:
        return {row: n for row, n in contents[0].items() if n > 0}

    inputs = [(SCHEMA, history(random, row, times=20, negative=negative))]
    check(lambda: Threshold(SCHEMA), inputs, expected, random, times=20)


def test_rows_appear_as_far_as_their_count_is_above_zero() -> None:
    updates = [((1, "a"), 1, -2), ((1, "a"), 2, 3), ((1, "a"), 3, 2), ((1, "a"), 4, -9)]
    output, _ = run(Threshold(SCHEMA), [(SCHEMA, updates)], [0, 2, 5])
    assert output == [((1, "a"), 2, 1), ((1, "a"), 3, 2), ((1, "a"), 4, -3)]
