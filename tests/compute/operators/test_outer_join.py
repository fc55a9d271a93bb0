from __future__ import annotations

from random import Random

import pytest
from ptvc.compute import arrangement
from ptvc.compute.operators.joins.outer_join import OuterJoin
from ptvc.expr.registry import resolve_call
from ptvc.expr.tree import relation as r
from ptvc.expr.tree.scalar import Cast, ColumnRef, Literal, Scalar
from ptvc.repr.schema import Column, Schema
from ptvc.repr.types import FLOAT8, INT4, INT8, TEXT

from ..histories import check, history, run, schema_of
from ..reference import Row, Rows, as_of, join

LEFT = schema_of(INT8, INT8, TEXT)
RIGHT = schema_of(INT8, INT4)
KINDS = [r.JoinKind.LEFT, r.JoinKind.RIGHT, r.JoinKind.FULL]


def left_row(random: Random) -> Row:
    return (random.choice((1, 2, 3, None)), random.choice((0, 1, None)), random.choice(("a", "b", None)))


def right_row(random: Random) -> Row:
    return (random.choice((1, 2, 4, None)), random.choice((0, 1, 2, None)))


def less() -> Scalar:
    return resolve_call("lt", (ColumnRef(1, INT8), ColumnRef(4, INT4)))


@pytest.mark.parametrize("residual", [False, True], ids=["", "residual"])
@pytest.mark.parametrize("null_safe", [False, True], ids=["", "null_safe"])
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.value)
@pytest.mark.parametrize("keys", [((0,), (0,)), ((), ())], ids=["key", "cross"])
@pytest.mark.parametrize("seed", range(4))
def test_outer_join_matches_recomputation(
    seed: int,
    keys: tuple[tuple[int, ...], tuple[int, ...]],
    kind: r.JoinKind,
    null_safe: bool,
    residual: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(arrangement, "ORDERED_ROWS", seed % 2 * 1_000)
    random = Random(seed)
    left_key, right_key = keys
    predicates = (less(),) if residual else ()
    node = r.Join(
        r.Get("left", LEFT),
        r.Get("right", RIGHT),
        kind,
        tuple(ColumnRef(i, INT8) for i in left_key),
        tuple(ColumnRef(i, INT8) for i in right_key),
        predicates,
        null_safe,
    )

    def expected(contents: list[Rows]) -> Rows:
        return join(node, *contents)

    inputs = [(LEFT, history(random, left_row)), (RIGHT, history(random, right_row, per_time=3))]
    check(
        lambda: OuterJoin(kind, LEFT, RIGHT, left_key, right_key, predicates, null_safe),
        inputs,
        expected,
        random,
    )


def test_a_row_in_no_pair_is_padded_until_it_is_in_one() -> None:
    left = [((1, 0, "a"), 1, 1), ((None, 0, "b"), 1, 2)]
    right = [((1, 7), 3, 1), ((1, 7), 5, -1)]
    output, _ = run(
        OuterJoin(r.JoinKind.LEFT, LEFT, RIGHT, (0,), (0,)), [(LEFT, left), (RIGHT, right)], [0, 2, 4, 6]
    )
    padded = {(None, 0, "b", None, None): 2}
    assert as_of(output, 1) == {(1, 0, "a", None, None): 1, **padded}
    assert as_of(output, 3) == {(1, 0, "a", 1, 7): 1, **padded}
    assert as_of(output, 5) == {(1, 0, "a", None, None): 1, **padded}


@pytest.mark.parametrize("residual", [False, True], ids=["", "residual"])
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.value)
def test_rows_that_come_with_their_matches_are_not_padded_for_a_moment(
    kind: r.JoinKind, residual: bool
) -> None:
    """What came and went at one time would be multiplied by the joins above."""
    predicates = (less(),) if residual else ()
    join = OuterJoin(kind, LEFT, RIGHT, (0,), (0,), predicates)
    left: Rows = {(key, 0, "a"): 1 for key in range(10)}
    right: Rows = {(key, 1): 1 for key in range(5, 15)}
    output, _ = run(
        join,
        [(LEFT, [(row, 1, 1) for row in left]), (RIGHT, [(row, 1, 1) for row in right])],
        [0, 2],
    )
    assert len(output) == {r.JoinKind.LEFT: 10, r.JoinKind.RIGHT: 10, r.JoinKind.FULL: 15}[kind]
    later = OuterJoin(kind, LEFT, RIGHT, (0,), (0,), predicates)
    output, _ = run(
        later,
        [(LEFT, [(row, 3, 1) for row in left]), (RIGHT, [(row, 2, 1) for row in right])],
        [0, 2, 5],
    )
    # Those of the right side are there, unmatched, at 2, when the others have not come yet.
    assert len(output) == {r.JoinKind.LEFT: 10, r.JoinKind.RIGHT: 20, r.JoinKind.FULL: 25}[kind]


def test_a_residual_tells_zeros_of_two_signs_apart() -> None:
    """0.0 and -0.0 are equal keys, but a residual over their text sees two rows: only one is padded."""
    schema = one = schema_of(INT8, FLOAT8)
    text = resolve_call("eq", (Cast(ColumnRef(1, FLOAT8), TEXT), Literal("-0", TEXT)))
    inputs = [(schema, [((1, 0.0), 1, 1), ((1, -0.0), 1, 1)]), (one, [((1, 5.0), 1, 1)])]
    output, errors = run(OuterJoin(r.JoinKind.LEFT, schema, one, (0,), (0,), (text,)), inputs, [0, 2])
    assert errors == []
    assert sorted(map(str, as_of(output, 1))) == ["(1, -0.0, 1, 5.0)", "(1, 0.0, None, None)"]


def test_an_error_of_the_residual_is_an_error_of_the_collection_until_its_pair_is_gone() -> None:
    division = resolve_call("divide", (Literal(10, INT8), ColumnRef(1, INT8)))
    predicate = resolve_call("gt", (division, Literal(0, INT8)))
    left = [((1, 0, "a"), 1, 1), ((1, 1, "a"), 1, 1), ((1, 0, "a"), 4, -1)]
    right = [((1, 7), 2, 1)]
    output, errors = run(
        OuterJoin(r.JoinKind.LEFT, LEFT, RIGHT, (0,), (0,), (predicate,)),
        [(LEFT, left), (RIGHT, right)],
        [0, 3, 6],
    )
    assert as_of(errors, 1) == {}
    assert as_of(errors, 2) == {("22012", "division by zero"): 1}
    assert as_of(errors, 4) == {}
    assert as_of(output, 4) == {(1, 1, "a", 1, 7): 1}


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.value)
def test_columns_that_may_be_padded_are_nullable(kind: r.JoinKind) -> None:
    sides = [Schema((Column("key", INT8, nullable=False),)) for _ in range(2)]
    found = [column.nullable for column in OuterJoin(kind, sides[0], sides[1], (0,), (0,)).schema]
    assert found == [kind is not r.JoinKind.LEFT, kind is not r.JoinKind.RIGHT]
