"""Joins of few keys that change at many times of a step: exact at each of these times, and no dearer than the changes."""

from __future__ import annotations

import functools
import math
from itertools import pairwise
from random import Random

import numpy as np
import pytest
from ptvc.compute import arrangement, spine
from ptvc.compute.dataflow import Dataflow
from ptvc.compute.lower import lower
from ptvc.compute.operators import segments
from ptvc.compute.operators.base import Operator
from ptvc.compute.operators.joins import lookup, versions
from ptvc.compute.operators.joins.join import Join
from ptvc.compute.operators.joins.outer_join import OuterJoin
from ptvc.compute.operators.joins.semijoin import SemiJoin
from ptvc.expr.registry import resolve_call
from ptvc.expr.tree import relation as r
from ptvc.expr.tree.scalar import ColumnRef, Scalar
from ptvc.repr.batch import NO_ERRORS, Delta
from ptvc.repr.types import FLOAT8, INT8

from ..histories import batch_of, check, consolidated, history, random_cuts, run, schema_of, updates_of
from ..reference import Row, Rows, Update, as_of, evaluate, join

ROWS = schema_of(INT8, INT8)
TIMES = 40
KINDS = list(r.JoinKind)


@pytest.fixture
def always(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every key that changes at several times on both sides is busy, and what is inserted is added up."""
    monkeypatch.setattr(versions, "FEW_PAIRS", 0)
    monkeypatch.setattr(versions, "PAIRS_PER_ROW", 0)
    monkeypatch.setattr(lookup, "FEW_UPDATES", 1)
    monkeypatch.setattr(arrangement, "SETTLED_ROWS", 1)
    monkeypatch.setattr(arrangement, "REPEATED_KEYS", 0)


def row(random: Random) -> Row:
    return (random.choice((1, 1, 1, 2, None)), random.choice((0, 1, 2, None)))


def node(kind: r.JoinKind, key: tuple[int, ...], residual: tuple[Scalar, ...], null_safe: bool) -> r.Join:
    keys = tuple(ColumnRef(i, INT8) for i in key)
    return r.Join(r.Get("a", ROWS), r.Get("b", ROWS), kind, keys, keys, residual, null_safe)


def operator(
    kind: r.JoinKind, key: tuple[int, ...], residual: tuple[Scalar, ...], null_safe: bool
) -> Operator:
    match kind:
        case r.JoinKind.INNER:
            return Join(ROWS, ROWS, key, key, residual, null_safe)
        case r.JoinKind.SEMI | r.JoinKind.ANTI:
            return SemiJoin(ROWS, ROWS, key, key, residual, null_safe, anti=kind is r.JoinKind.ANTI)
        case _:
            return OuterJoin(kind, ROWS, ROWS, key, key, residual, null_safe)


@pytest.mark.usefixtures("always")
@pytest.mark.parametrize("residual", [False, True], ids=["", "residual"])
@pytest.mark.parametrize("key", [(0,), ()], ids=["key", "cross"])
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.value)
@pytest.mark.parametrize("seed", range(4))
def test_joins_match_recomputation(seed: int, kind: r.JoinKind, key: tuple[int, ...], residual: bool) -> None:
    random = Random(seed)
    predicates = (resolve_call("lt", (ColumnRef(1, INT8), ColumnRef(3, INT8))),) if residual else ()
    arguments = (kind, key, predicates, seed % 2 == 1)
    negative = kind is r.JoinKind.INNER
    inputs = [
        (ROWS, history(random, row, times=TIMES, per_time=1)),
        (ROWS, history(random, row, times=TIMES, per_time=1, negative=negative)),
    ]
    check(
        lambda: operator(*arguments),
        inputs,
        lambda contents: join(node(*arguments), *contents),
        random,
        TIMES,
    )


@pytest.mark.usefixtures("always")
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.value)
def test_hashes_that_collide(kind: r.JoinKind, monkeypatch: pytest.MonkeyPatch) -> None:
    def same(columns: object, length: int) -> np.ndarray[tuple[int], np.dtype[np.uint64]]:
        return np.full(length, 7, np.uint64)

    for module in (arrangement, spine, segments, versions):
        monkeypatch.setattr(module, "hash_columns", same)
    random = Random(1)
    inputs = [(ROWS, history(random, row, times=TIMES, per_time=1)) for _ in range(2)]
    whole = node(kind, (0,), (), False)
    make = functools.partial(operator, kind, (0,), (), False)
    check(make, inputs, lambda contents: join(whole, *contents), random, TIMES)


@pytest.mark.usefixtures("always")
def test_keys_that_are_equal_though_they_differ() -> None:
    """-0.0 joins 0.0, and stays what it is."""
    floats = schema_of(FLOAT8)
    left = [((0.0 if time % 2 else -0.0,), time, 1) for time in range(1, 9)]
    right = [((0.0,), time, 1) for time in range(1, 9)]
    for cuts in ([0, 9], list(range(10))):
        out, _ = run(Join(floats, floats, (0,), (0,)), [(floats, left), (floats, right)], cuts)
        signs = [(math.copysign(1, row[0]), diff) for row, _, diff in out]
        assert sum(diff for sign, diff in signs if sign > 0) == 4 * 8
        assert sum(diff for sign, diff in signs if sign < 0) == 4 * 8


@pytest.mark.usefixtures("always")
@pytest.mark.parametrize("seed", range(12))
def test_delta_joins_match_recomputation(seed: int) -> None:
    random = Random(seed)
    inputs = [r.Get(name, ROWS) for name in "abc"]
    keys = (ColumnRef(0, INT8),)
    other = (ColumnRef(random.choice((0, 1, 2)), INT8),)
    two = r.Join(inputs[0], inputs[1], r.JoinKind.INNER, keys, keys)
    whole = r.Join(two, inputs[2], r.JoinKind.INNER, other, keys)
    plan = lower(whole, delta_joins=True)
    assert "Lookup" in "".join(type(n.op).__name__ for n in plan.nodes)
    histories = {name: history(random, row, times=TIMES, per_time=1) for name in "abc"}
    outputs = []
    for cuts in ([0, TIMES + 1], list(range(TIMES + 2)), random_cuts(random, TIMES)):
        output = steps(Dataflow(plan, 0), histories, cuts)
        for time in range(TIMES + 1):
            contents = {name: as_of(updates, time) for name, updates in histories.items()}
            assert as_of(output, time) == evaluate(whole, contents), f"at {time}, steps {cuts}"
        outputs.append(consolidated(output))
    assert outputs[0] == outputs[1] == outputs[2]


def steps(dataflow: Dataflow, histories: dict[str, list[Update]], cuts: list[int]) -> list[Update]:
    out: list[Update] = []
    for begin, end in pairwise(cuts):
        inputs = {
            name: Delta(batch_of(ROWS, [u for u in updates if begin <= u[1] < end]), NO_ERRORS)
            for name, updates in histories.items()
        }
        out += updates_of(dataflow.step(inputs, begin, end).oks)
    return out


@pytest.mark.usefixtures("always")
def test_what_is_large_comes_in_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(versions, "PROBE_ROWS", 13)
    random = Random(2)
    inputs = [(ROWS, history(random, row, times=TIMES)) for _ in range(2)]
    whole = node(r.JoinKind.INNER, (0,), (), False)
    check(lambda: Join(ROWS, ROWS, (0,), (0,)), inputs, lambda rows: join(whole, *rows), random, TIMES)


@pytest.mark.usefixtures("always")
def test_rows_without_columns() -> None:
    nothing = schema_of()
    updates: list[Update] = [((), time, 1) for time in range(1, 9)]
    out, _ = run(Join(nothing, nothing, (), ()), [(nothing, updates), (nothing, updates)], [0, 9])
    assert [as_of(out, time) for time in range(1, 9)] == [{(): time * time} for time in range(1, 9)]


def backlog(times: int, *, first: int = 1) -> list[Update]:
    """One row of one key, which changes at every time: as an aggregate of everything does."""
    changes = [((1, time - 1), time, -1) for time in range(max(first, 2), first + times)]
    return changes + [((1, time), time, 1) for time in range(first, first + times)]


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.value)
def test_a_step_of_many_times_costs_what_changes(kind: r.JoinKind) -> None:
    """2,000 updates of a key on both sides would be 4,000,000 pairs, and the next step would find as many rows of the key."""
    join_ = operator(kind, (0,), (), False)
    out, _ = run(join_, [(ROWS, backlog(1_000)), (ROWS, backlog(1_000))], [0, 1_001])
    assert len(out) <= 6 * 1_000
    assert as_of(out, 1_000) == expected_at(kind, 1_000)
    assert sum(held.rows for held in join_.spines().values()) <= 2_010
    more, _ = run(join_, [(ROWS, backlog(1, first=1_001)), (ROWS, backlog(1, first=1_001))], [1_001, 1_002])
    assert len(more) <= 8
    assert as_of(out + more, 1_001) == expected_at(kind, 1_001)


def expected_at(kind: r.JoinKind, time: int) -> Rows:
    content: Rows = {(1, time): 1}
    return join(node(kind, (0,), (), False), content, content)


@pytest.mark.parametrize("kind", [r.JoinKind.SEMI, r.JoinKind.ANTI, r.JoinKind.FULL], ids=lambda k: k.value)
def test_a_match_that_comes_and_goes_all_the_time(kind: r.JoinKind) -> None:
    right = [((1, 0), time, 1 if time % 2 else -1) for time in range(1, 1_001)]
    join_ = operator(kind, (0,), (), False)
    out, _ = run(join_, [(ROWS, backlog(1_000)), (ROWS, right)], [0, 1_001])
    assert len(out) <= 8 * 1_000
    for time in (1, 2, 499, 500, 1_000):
        contents = [{(1, time): 1}, {(1, 0): 1} if time % 2 else {}]
        assert as_of(out, time) == join(node(kind, (0,), (), False), *contents)


@pytest.mark.parametrize("key", [(), (ColumnRef(0, INT8),)], ids=["cross", "key"])
def test_join_after_join_costs_what_changes(key: tuple[Scalar, ...]) -> None:
    """As of several scalar subqueries: what came and went in one join would be multiplied by the next."""
    whole: r.Relation = r.Get("a", ROWS)
    for name in "bcd":
        whole = r.Join(whole, r.Get(name, ROWS), r.JoinKind.INNER, key, key)
    plan = lower(whole, delta_joins=False)
    dataflow = Dataflow(plan, 0)
    out = steps(dataflow, dict.fromkeys("abcd", backlog(500)), [0, 501])
    assert len(out) == 2 * 500 - 1
    assert all(as_of(out, time) == {(1, time) * 4: 1} for time in (1, 250, 500))
    assert max(operator.rows_out for operator in dataflow.statistics()) <= 10 * 500
    assert sum(operator.state_rows for operator in dataflow.statistics()) <= 10


@pytest.mark.parametrize("delta_joins", [False, True], ids=["chain", "lookups"])
@pytest.mark.parametrize(
    "kind", [r.JoinKind.INNER, r.JoinKind.LEFT, r.JoinKind.FULL], ids=lambda kind: kind.value
)
def test_joins_of_tables_that_change_together_cost_what_changes(kind: r.JoinKind, delta_joins: bool) -> None:
    """As of a dozen figures of each customer: what an update of all of them leaves to cancel tripled with each join."""
    keys = (ColumnRef(0, INT8),)
    names = "abcdefghijkl"
    whole: r.Relation = r.Get(names[0], ROWS)
    for name in names[1:]:
        whole = r.Join(whole, r.Get(name, ROWS), kind, keys, keys)
    dataflow = Dataflow(lower(whole, delta_joins=delta_joins), 1)
    out = []
    for time in range(1, 9):
        updates = [((key, time), time, 1) for key in range(5)]
        updates += [((key, time - 1), time, -1) for key in range(5) if time > 1]
        out = steps(dataflow, dict.fromkeys(names, updates), [time, time + 1])
        assert max(operator.rows_out for operator in dataflow.statistics()) <= 200 * time
    assert len(out) == 10
    updates = [((0, 8), 9, -1), ((0, 9), 9, 1)]
    assert len(steps(dataflow, {"a": updates}, [9, 10])) == 2
    assert max(operator.rows_out for operator in dataflow.statistics()) <= 200 * 9


def test_lookups_of_many_times_cost_what_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    found = []
    passing = lookup.pair

    def counted(left: object, right: object) -> object:
        pairs = passing(left, right)  # type: ignore[arg-type]
        found.append(len(pairs))
        return pairs

    monkeypatch.setattr(lookup, "pair", counted)
    a, b, c = (r.Get(name, ROWS) for name in "abc")
    keys = (ColumnRef(0, INT8),)
    plan = lower(
        r.Join(r.Join(a, b, r.JoinKind.INNER, keys, keys), c, r.JoinKind.INNER, keys, keys), delta_joins=True
    )
    dataflow = Dataflow(plan, 0)
    out = steps(dataflow, dict.fromkeys("abc", backlog(500)), [0, 1, 501])
    assert len(out) == 2 * 500 - 1
    assert 0 < sum(found) <= 100 * 500
