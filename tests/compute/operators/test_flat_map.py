"""FlatMap: rows times table functions, errors per row, limits."""

from __future__ import annotations

from random import Random

import pytest
from ptvc.compute.operators import flat_map
from ptvc.compute.operators.flat_map import FlatMap
from ptvc.compute.plan import FlatMapOp
from ptvc.errors import PtvcError
from ptvc.expr.registry import resolve_call
from ptvc.expr.tables import table_functions
from ptvc.expr.tree.relation import FlatMap as FlatMapRelation
from ptvc.expr.tree.relation import Get, TableCall
from ptvc.expr.tree.scalar import ColumnRef, Literal
from ptvc.repr.schema import Schema
from ptvc.repr.types import BOOL, INT4, INT8, TEXT, array_of

from .. import reference
from ..histories import check, history, run, schema_of
from ..reference import Row, Rows, as_of, collect

ARRAY = array_of(TEXT)
T = schema_of(INT4, INT4, TEXT, ARRAY)
A, B, C, D = (ColumnRef(i, type_) for i, type_ in enumerate(T.types))
ONE = Literal(1, INT4)
SERIES = TableCall("generate_series", (A, B), INT4, False)
UNNEST = TableCall("unnest", (D,), TEXT)
PARTS = TableCall("string_to_table", (C, Literal(",", TEXT)), TEXT, False)
BY_ITSELF = TableCall("string_to_table", (Literal("a,b,a", TEXT), C), TEXT, False)
SUBSCRIPTS = TableCall("generate_subscripts", (D, ONE), INT4, False)
STEPS = TableCall("generate_series", (B, A, Literal(-2, INT4)), INT4, False)


def relation(
    *calls: TableCall, kept: tuple[int, ...] = (0, 2), ordinality: bool = False, outer: bool = False
) -> FlatMapRelation:
    names = tuple(f"value{i}" for i in range(len(calls) + ordinality))
    return FlatMapRelation(Get("u1", T), calls, names, kept, ordinality, outer)


def operator(node: FlatMapRelation) -> FlatMap:
    return FlatMap(FlatMapOp(node.calls, node.kept, node.ordinality, node.outer), node.schema)


def row(random: Random) -> Row:
    return (
        random.choice((None, 0, 1, -2, 3)),
        random.choice((None, 0, 1, 2, 5)),
        random.choice((None, "", "a", "a,b", ",", ",é,")),
        random.choice((None, [], ["x"], ["x", None, "z"])),
    )


VIEWS = [
    relation(SERIES),
    relation(UNNEST, kept=()),
    relation(UNNEST, SUBSCRIPTS, ordinality=True),
    relation(SERIES, PARTS, STEPS, kept=(1, 0, 1)),
    relation(BY_ITSELF, UNNEST, outer=True, ordinality=True),
    relation(PARTS, outer=True),
]


class Hashed(list[object]):
    """A list that a dict takes as part of a key: the reference keeps rows in dicts."""

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(tuple(self))


@pytest.mark.parametrize("view", VIEWS, ids=range(len(VIEWS)))
@pytest.mark.parametrize("seed", range(5))
def test_matches_recomputation(seed: int, view: FlatMapRelation) -> None:
    random = Random(seed)

    def hashed(rng: Random) -> Row:
        return tuple(Hashed(v) if isinstance(v, list) else v for v in row(rng))

    def expected(contents: list[Rows]) -> Rows:
        return collect((new, n) for old, n in contents[0].items() for new in reference.flat_map(view, old))

    check(lambda: operator(view), [(T, history(random, hashed, negative=True))], expected, random)


def outcome(node: FlatMapRelation, rows: list[Row]) -> tuple[list[Row], list[Row]]:
    oks, errs = run(operator(node), [(T, [(row, 1, 1) for row in rows])], [0, 2])
    return [u[0] for u in oks], [u[0] for u in errs]


def test_a_row_on_which_a_call_fails_is_an_error_for_as_long_as_it_is_there() -> None:
    step = TableCall("generate_series", (ONE, B, A), INT4, False)
    updates = [((0, 3, "x", []), 1, 1), ((2, 3, "y", []), 2, 1), ((0, 3, "x", []), 3, -1)]
    oks, errs = run(operator(relation(step, UNNEST)), [(T, updates)], [0, 4])
    error = ("22023", "step size cannot equal zero")
    assert [as_of(errs, time) for time in range(1, 4)] == [{error: 1}, {error: 1}, {}]
    assert as_of(oks, 3) == {(2, "y", 1, None): 1, (2, "y", 3, None): 1}


def test_an_argument_that_fails_is_the_error_of_its_row() -> None:
    call = TableCall("generate_series", (ONE, resolve_call("divide", (B, A))), INT4, False)
    rows, errors = outcome(relation(call), [(0, 1, "a", None), (1, 2, "b", None)])
    assert rows == [(1, "b", 1), (1, "b", 2)]
    assert errors == [("22012", "division by zero")]


def test_more_values_than_the_limit_are_an_error_of_the_row(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table_functions, "MAX_ROWS", 3)
    rows, errors = outcome(
        relation(SERIES, kept=()), [(1, 3, "", None), (1, 4, "", None), (-(2**31), 2**31 - 1, "", None)]
    )
    assert rows == [(1,), (2,), (3,)]
    assert errors == [("54000", "generate_series gives more than 3 rows")] * 2


def test_a_step_of_more_rows_than_the_limit_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(flat_map, "MAX_STEP_ROWS", 5)
    with pytest.raises(PtvcError, match="6 rows in one step, more than 5") as caught:
        outcome(relation(SERIES), [(1, 3, "", None)] * 2)
    assert caught.value.sqlstate == "54000"


@pytest.mark.parametrize(
    ("first", "last", "step", "values"),
    [
        (2**63 - 3, 2**63 - 1, 2, [2**63 - 3, 2**63 - 1]),
        (-(2**63), 2**63 - 1, 2**63 - 1, [-(2**63), -1, 2**63 - 2]),
        (2**63 - 1, -(2**63), -(2**63), [2**63 - 1, -1]),
        (5, 1, 1, []),
        (1, 5, -1, []),
    ],
)
def test_series_up_to_the_ends_of_bigint(first: int, last: int, step: int, values: list[int]) -> None:
    schema = schema_of(INT8, INT8, INT8)
    call = TableCall("generate_series", tuple(ColumnRef(i, INT8) for i in range(3)), INT8, False)
    node = FlatMapRelation(Get("u1", schema), (call,), ("value",), ())
    oks, errs = run(operator(node), [(schema, [((first, last, step), 1, 1)])], [0, 2])
    assert [u[0][0] for u in oks] == values
    assert errs == []


def test_subscripts_backwards_and_of_other_dimensions() -> None:
    schema = Schema((*T.columns[3:], *schema_of(INT4, BOOL).columns))
    call = TableCall(
        "generate_subscripts", (ColumnRef(0, ARRAY), ColumnRef(1, INT4), ColumnRef(2, BOOL)), INT4, False
    )
    node = FlatMapRelation(Get("u1", schema), (call,), ("value",), (1,))
    rows = [(["x", "y"], 1, True), (["x", "y"], 2, True), (["x"], 1, None), (["x", "y"], None, True)]
    oks, _ = run(operator(node), [(schema, [(row, 1, 1) for row in rows])], [0, 2])
    assert [u[0] for u in oks] == [(1, 2), (1, 1)]
