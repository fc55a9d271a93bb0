"""Map, filter, project: values, order of evaluation, and errors that come and go with their rows."""

from __future__ import annotations

from random import Random

import pytest
from ptvc.compute.operators import linear
from ptvc.compute.operators.constant import Constant
from ptvc.compute.operators.linear import MapFilterProject
from ptvc.compute.operators.union import Negate, Union
from ptvc.compute.plan import ConstantOp, Mfp
from ptvc.expr.registry import resolve_call
from ptvc.expr.tree.scalar import ColumnRef, Literal, Scalar
from ptvc.repr.batch import NO_ERRORS, Batch, Delta, batch_from_rows
from ptvc.repr.schema import ERROR_SCHEMA, Schema
from ptvc.repr.types import INT4, TEXT

from ..histories import batch_of, check, history, run, schema_of, updates_of
from ..reference import Row, Rows, as_of, collect, scalar

T = schema_of(INT4, INT4, TEXT)
A, B = ColumnRef(0, INT4), ColumnRef(1, INT4)
ZERO, ONE = Literal(0, INT4), Literal(1, INT4)
DIVISION = ("22012", "division by zero")
OVERFLOW = ("22003", "integer out of range")


def call(name: str, *args: Scalar) -> Scalar:
    return resolve_call(name, args)


def mfp(
    maps: tuple[Scalar, ...], predicates: tuple[Scalar, ...], projection: tuple[int, ...]
) -> MapFilterProject:
    types = [*T.types, *(m.type for m in maps)]
    return MapFilterProject(Mfp(maps, predicates, projection), T, schema_of(*(types[i] for i in projection)))


def outcome(operator: MapFilterProject, rows: list[Row]) -> tuple[list[Row], list[Row]]:
    oks, errs = run(operator, [(T, [(row, 1, 1) for row in rows])], [0, 2])
    return [u[0] for u in oks], [u[0] for u in errs]


def row(random: Random) -> Row:
    return (
        random.choice((None, 0, 1, 2, 3)),
        random.choice((None, 0, 5, 7)),
        random.choice((None, "a", "b")),
    )


@pytest.mark.parametrize("seed", range(10))
def test_matches_recomputation(seed: int) -> None:
    random = Random(seed)
    maps = (call("add", A, ONE), call("multiply", ColumnRef(3, INT4), B))
    predicates = (call("gt", A, ZERO), call("lt", ColumnRef(4, INT4), Literal(20, INT4)))

    def expected(contents: list[Rows]) -> Rows:
        out = []
        for found, n in contents[0].items():
            wide = found
            for expression in maps:
                wide = (*wide, scalar(expression, wide))
            if all(scalar(predicate, wide) is True for predicate in predicates):
                out.append(((wide[4], wide[2], wide[2]), n))
        return collect(out)

    check(
        lambda: mfp(maps, predicates, (4, 2, 2)), [(T, history(random, row, negative=True))], expected, random
    )


@pytest.mark.parametrize("few", [1, 4, 1_000])
@pytest.mark.parametrize("seed", range(10))
def test_predicates_that_cannot_fail(seed: int, few: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """In turn, over the rows that earlier ones have left or over all of them: NULL is not TRUE."""
    monkeypatch.setattr(linear, "_FEW", few)
    random = Random(seed)
    predicates = (
        call("eq", ColumnRef(2, TEXT), Literal("a", TEXT)),
        call(random.choice(("gt", "ne")), A, ONE),
        call("le", B, Literal(5, INT4)),
    )
    rows = [row(random) for _ in range(200)]
    kept = [found for found in rows if all(scalar(predicate, found) is True for predicate in predicates)]
    assert outcome(mfp((), predicates, (0, 1, 2)), rows) == (kept, [])


def test_an_error_retracts_with_its_row() -> None:
    operator = mfp((call("divide", A, B),), (), (3,))
    updates = [
        ((6, 0, "x"), 1, 1),
        ((6, 0, "y"), 2, 2),
        ((6, 2, "x"), 2, 1),
        ((6, 0, "x"), 3, -1),
        ((6, 0, "y"), 4, -2),
    ]
    oks, errs = run(operator, [(T, updates)], [0, 5])
    assert as_of(oks, 4) == {(3,): 1}
    assert [as_of(errs, time) for time in range(1, 5)] == [{DIVISION: 1}, {DIVISION: 3}, {DIVISION: 2}, {}]


def test_a_row_that_is_dropped_has_no_error() -> None:
    """The filter needs nothing that is computed, so it comes first."""
    operator = mfp((call("divide", A, B),), (call("ne", B, ZERO),), (3,))
    assert outcome(operator, [(6, 0, "x"), (6, 3, "x")]) == ([(2,)], [])


def test_a_filter_on_a_mapped_column_waits_for_that_column_only() -> None:
    maps = (call("divide", ONE, A), call("add", B, ONE))
    operator = mfp(maps, (call("gt", ColumnRef(4, INT4), Literal(5, INT4)),), (3,))
    assert outcome(operator, [(0, 1, "dropped"), (0, 5, "fails"), (1, 9, "stays")]) == ([(1,)], [DIVISION])


def test_an_error_in_a_predicate_is_one_unless_another_is_false() -> None:
    fails = call("gt", call("divide", ONE, A), ZERO)
    operator = mfp((), (fails, call("eq", B, ONE)), (0,))
    assert outcome(operator, [(0, 1, ""), (0, 2, ""), (1, 1, ""), (0, None, "")]) == (
        [(1,)],
        [DIVISION, DIVISION],
    )


def test_a_later_predicate_that_is_false_takes_an_error_back() -> None:
    fails = call("gt", call("divide", ONE, A), ZERO)
    late = call("eq", ColumnRef(3, INT4), Literal(2, INT4))
    operator = mfp((call("add", B, ONE),), (fails, late), (0, 3))
    rows = [(0, 1, "fails"), (0, 2, "is dropped"), (1, 1, "stays"), (1, 2, "is dropped")]
    assert outcome(operator, rows) == ([(1, 2)], [DIVISION])


def test_a_row_has_its_first_error_only() -> None:
    biggest = 2**31 - 1
    operator = mfp((call("divide", A, B), call("add", A, ONE)), (), (3, 4))
    assert outcome(operator, [(biggest, 0, ""), (biggest, 1, ""), (1, 1, "")]) == (
        [(1, 2)],
        [DIVISION, OVERFLOW],
    )


def test_nothing_is_left() -> None:
    operator = mfp((call("divide", A, B),), (call("gt", A, ZERO),), (3,))
    assert outcome(operator, [(0, 1, ""), (None, 1, "")]) == ([], [])
    assert outcome(operator, [(1, 0, "")]) == ([], [DIVISION])


def test_no_columns_at_all() -> None:
    operator = mfp((), (call("gt", A, ZERO),), ())
    assert outcome(operator, [(1, 1, ""), (0, 1, ""), (2, 2, "")]) == ([(), ()], [])


def test_union_adds_and_negate_changes_the_sign_of_rows_only() -> None:
    error = batch_from_rows(ERROR_SCHEMA, [DIVISION], 3)
    rows = batch_of(T, [((1, 2, "a"), 3, 2)])
    negated = Negate(T).step((Delta(rows, error),), 3, 4)
    assert updates_of(negated.oks) == [((1, 2, "a"), 3, -2)]
    assert updates_of(negated.errs) == [(DIVISION, 3, 1)]
    union = Union(T).step((Delta(rows, NO_ERRORS), negated), 3, 4)
    assert collect((row, diff) for row, _, diff in updates_of(union.oks)) == {}
    assert updates_of(union.errs) == [(DIVISION, 3, 1)]


def test_constant_appears_at_the_as_of_and_only_then() -> None:
    schema = Schema(T.columns[:1])
    operator = Constant(ConstantOp(((1,), (1,), (None,))), schema, 7)
    assert not operator.step((), 3, 7)
    out: Batch = operator.step((), 7, 20).oks
    assert updates_of(out) == [((1,), 7, 1), ((1,), 7, 1), ((None,), 7, 1)]
    assert not operator.step((), 20, 30)
