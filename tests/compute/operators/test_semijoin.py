from __future__ import annotations

from random import Random

import pytest
from ptvc.compute import arrangement
from ptvc.compute.operators.joins.semijoin import SemiJoin
from ptvc.expr.registry import resolve_call
from ptvc.expr.tree import relation as r
from ptvc.expr.tree.scalar import ColumnRef, Scalar
from ptvc.repr.types import FLOAT8, INT4, INT8, TEXT

from ..histories import check, history, run, schema_of
from ..reference import Row, Rows, as_of, join

LEFT = schema_of(INT8, INT8, TEXT)
RIGHT = schema_of(INT8, INT4)


def left_row(random: Random) -> Row:
    return (random.choice((1, 2, 3, None)), random.choice((0, 1, None)), random.choice(("a", "b", None)))


def right_row(random: Random) -> Row:
    return (random.choice((1, 2, 4, None)), random.randrange(3))


def less(left: int, right: int) -> Scalar:
    """left column < right column, of the pair."""
    return resolve_call("lt", (ColumnRef(left, INT8), ColumnRef(len(LEFT) + right, INT4)))


@pytest.mark.parametrize("residual", [False, True], ids=["", "residual"])
@pytest.mark.parametrize("null_safe", [False, True], ids=["", "null_safe"])
@pytest.mark.parametrize("anti", [False, True], ids=["semi", "anti"])
@pytest.mark.parametrize("keys", [((0,), (0,)), ((), ())], ids=["key", "cross"])
@pytest.mark.parametrize("seed", range(4))
def test_semijoin_matches_recomputation(
    seed: int,
    keys: tuple[tuple[int, ...], tuple[int, ...]],
    anti: bool,
    null_safe: bool,
    residual: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(arrangement, "ORDERED_ROWS", seed % 2 * 1_000)
    random = Random(seed)
    left_key, right_key = keys
    predicates = (less(1, 1),) if residual else ()
    node = r.Join(
        r.Get("left", LEFT),
        r.Get("right", RIGHT),
        r.JoinKind.ANTI if anti else r.JoinKind.SEMI,
        tuple(ColumnRef(i, INT8) for i in left_key),
        tuple(ColumnRef(i, INT8) for i in right_key),
        predicates,
        null_safe,
    )

    def expected(contents: list[Rows]) -> Rows:
        return join(node, *contents)

    inputs = [(LEFT, history(random, left_row)), (RIGHT, history(random, right_row, per_time=3))]
    check(
        lambda: SemiJoin(LEFT, RIGHT, left_key, right_key, predicates, null_safe, anti=anti),
        inputs,
        expected,
        random,
    )


@pytest.mark.parametrize("anti", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_a_key_whose_count_is_negative_for_now_has_no_match(seed: int, anti: bool) -> None:
    random = Random(seed)
    left = history(random, left_row)
    right = history(random, right_row, negative=True)

    def expected(contents: list[Rows]) -> Rows:
        counts: dict[object, int] = {}
        for row, n in contents[1].items():
            counts[row[0]] = counts.get(row[0], 0) + n
        return {
            row: n
            for row, n in contents[0].items()
            if (row[0] is not None and counts.get(row[0], 0) > 0) is not anti
        }

    check(
        lambda: SemiJoin(LEFT, RIGHT, (0,), (0,), anti=anti), [(LEFT, left), (RIGHT, right)], expected, random
    )


def test_work_is_done_only_when_a_count_crosses_zero() -> None:
    left = [((1, 0, "a"), 1, 1)]
    right = [((1, i), 2 + i, 1) for i in range(5)] + [((1, i), 10 + i, -1) for i in range(5)]
    output, _ = run(SemiJoin(LEFT, RIGHT, (0,), (0,)), [(LEFT, left), (RIGHT, right)], list(range(20)))
    assert output == [((1, 0, "a"), 2, 1), ((1, 0, "a"), 14, -1)]


@pytest.mark.parametrize("residual", [False, True], ids=["", "residual"])
@pytest.mark.parametrize("anti", [False, True], ids=["semi", "anti"])
def test_rows_that_come_with_their_matches_are_one_update_or_none(anti: bool, residual: bool) -> None:
    predicates = (less(1, 1),) if residual else ()
    left = [((key, 0, "a"), 3, 1) for key in range(10)]
    right = [((key, 1), 2, 1) for key in range(5, 15)]
    for times in ((2, 2), (3, 2)):
        inputs = [(LEFT, [(row, times[0], 1) for row, _, _ in left]), (RIGHT, right)]
        output, _ = run(SemiJoin(LEFT, RIGHT, (0,), (0,), predicates, anti=anti), inputs, [0, 1, 5])
        assert sorted(output) == [
            ((key, 0, "a"), times[0], 1) for key in (range(5) if anti else range(5, 10))
        ]


def test_zeros_of_two_signs_are_one_key() -> None:
    schema = schema_of(FLOAT8)
    inputs = [(schema, [((-0.0,), 1, 1), ((1.0,), 1, 1)]), (schema, [((0.0,), 1, 1)])]
    output, _ = run(SemiJoin(schema, schema, (0,), (0,)), inputs, [0, 2])
    assert str(as_of(output, 1)) == "{(-0.0,): 1}"
