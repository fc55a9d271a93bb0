"""AssertSingle: error 21000 while a group has more than one row."""

from __future__ import annotations

from random import Random

import pytest
from ptvc.compute.operators.assert_single import MESSAGE, SQLSTATE, AssertSingle
from ptvc.compute.plan import AssertSingleOp
from ptvc.repr.types import INT4

from ..histories import consolidated, history, random_cuts, run, schema_of
from ..reference import Row, as_of

SCHEMA = schema_of(INT4, INT4)


def row(random: Random) -> Row:
    return (random.choice((1, 2, 3, None)), random.randrange(2))


@pytest.mark.parametrize("group", [(), (0,)])
@pytest.mark.parametrize("seed", range(10))
def test_one_error_for_every_group_of_more_than_one_row(seed: int, group: tuple[int, ...]) -> None:
    random = Random(seed)
    updates = history(random, row, times=8, per_time=2)
    histories = []
    for cuts in ([0, 9], list(range(10)), random_cuts(random, 8)):
        oks, errs = run(AssertSingle(AssertSingleOp(group), SCHEMA), [(SCHEMA, updates)], cuts)
        assert consolidated(oks) == consolidated(updates)
        for time in range(9):
            counts: dict[Row, int] = {}
            for found, n in as_of(updates, time).items():
                key = tuple(found[i] for i in group)
                counts[key] = counts.get(key, 0) + n
            many = sum(n > 1 for n in counts.values())
            assert as_of(errs, time) == ({(SQLSTATE, MESSAGE): many} if many else {})
        histories.append(consolidated(errs))
    assert histories[0] == histories[1] == histories[2]
