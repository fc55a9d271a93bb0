"""One-off queries: the same answers as a dataflow gives, errors included, with no state kept."""

from __future__ import annotations

from random import Random

import pytest
from ptvc.compute import snapshot_join as snapshot_join_module
from ptvc.compute.lower import lower
from ptvc.compute.oneshot import evaluate_once
from ptvc.expr.registry import resolve_call
from ptvc.expr.tree import relation as r
from ptvc.expr.tree.scalar import ColumnRef, Literal
from ptvc.repr.batch import NO_ERRORS, Delta, batch_from_rows
from ptvc.repr.schema import ERROR_SCHEMA
from ptvc.repr.types import INT4, INT8, TEXT

from .histories import batch_of, schema_of, updates_of
from .reference import Row, as_of, collect, join

T = schema_of(INT4, TEXT)
DIVISION = ("22012", "division by zero")


def row(random: Random) -> Row:
    return (random.choice((None, 1, 2, 3, 4)), random.choice((None, "a", "b")))


@pytest.mark.parametrize("kind", list(r.JoinKind))
@pytest.mark.parametrize("null_safe", [False, True])
@pytest.mark.parametrize("with_residual", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_joins_match_recomputation(
    seed: int, with_residual: bool, null_safe: bool, kind: r.JoinKind, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(snapshot_join_module, "PAIRS", 5)
    random = Random(seed)
    key = ColumnRef(0, INT4)
    keys = (key,) if seed else ()
    residual = (resolve_call("ne", (ColumnRef(1, TEXT), ColumnRef(3, TEXT))),) if with_residual else ()
    relation = r.Join(r.Get("a", T), r.Get("b", T), kind, keys, keys, residual, null_safe)
    a, b = (collect((row(random), random.randint(1, 3)) for _ in range(size)) for size in (12, 5))
    gone = ((9, "gone"), 0, 1), ((9, "gone"), 1, -1)
    inputs = {
        "a": batch_of(T, [*((found, 0, n) for found, n in a.items()), *gone]),
        "b": batch_of(T, [*((found, 0, n) for found, n in b.items()), *gone]),
    }
    delta = evaluate_once(relation, inputs, 4)
    assert as_of(updates_of(delta.oks), 4) == join(relation, a, b)


def test_missing_inputs_are_empty() -> None:
    relation = r.Reduce(r.Get("t", T), (), (), (r.Aggregate("count", None, INT8, "n"),), scalar=True)
    assert updates_of(evaluate_once(relation, {}, 8).oks) == [((0,), 8, 1)]
    assert not evaluate_once(r.Get("t", T), {}, 8)


def test_constants_need_no_input() -> None:
    relation = r.Constant(((1, "x"), (1, "x"), (2, None)), T)
    out = evaluate_once(relation, {}, 3)
    assert as_of(updates_of(out.oks), 3) == {(1, "x"): 2, (2, None): 1}


def test_errors_are_data() -> None:
    quotient = resolve_call("divide", (Literal(1, INT4), ColumnRef(0, INT4)))
    relation = r.Join(
        r.Map(r.Get("t", T), (quotient,), ("q",)),
        r.Get("t", T),
        r.JoinKind.SEMI,
        (quotient,),
        (ColumnRef(0, INT4),),
    )
    batch = batch_from_rows(T, [(0, "a"), (0, "b"), (1, "c")], 1)
    out = evaluate_once(relation, {"t": batch}, 2)
    assert updates_of(out.errs) == [(DIVISION, 2, 1)]
    assert updates_of(out.oks) == [((1, "c", 1), 2, 1)]


def test_an_error_that_was_taken_back_is_none() -> None:
    errs = batch_of(ERROR_SCHEMA, [(DIVISION, 1, 2), (DIVISION, 3, -2)])
    out = evaluate_once(r.Get("t", T), {"t": Delta(batch_of(T, []), errs)}, 5)
    assert not out
    still = evaluate_once(r.Get("t", T), {"t": Delta(batch_of(T, []), errs.slice(0, 1))}, 5)
    assert updates_of(still.errs) == [(DIVISION, 5, 1)]


def test_a_plan_may_be_evaluated_again_and_again() -> None:
    plan = lower(r.TopK(r.Distinct(r.Get("t", T)), (), (r.OrderBy(0, True),), 1))
    batch = batch_from_rows(T, [(1, "a"), (3, "b"), (3, "b")], 0)
    for time in (1, 2):
        out = evaluate_once(plan, {"t": Delta(batch, NO_ERRORS)}, time)
        assert updates_of(out.oks) == [((3, "b"), time, 1)]
