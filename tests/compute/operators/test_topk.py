"""TopK: places of rows, with multiplicities, ties and many times in one step."""

from __future__ import annotations

from decimal import Decimal
from random import Random
from typing import Any

import pytest
from ptvc.compute.operators.topk import topk as topk_module
from ptvc.compute.operators.topk.topk import Step, TopK
from ptvc.compute.plan import TopKOp
from ptvc.expr.tree import relation as r
from ptvc.repr.batch import NO_ERRORS, Batch, Delta, batch_from_rows
from ptvc.repr.types import FLOAT8, INT4, NUMERIC, TEXT

from ..histories import (
    Update,
    batch_of,
    check,
    consolidated,
    history,
    random_cuts,
    run,
    schema_of,
    updates_of,
)
from ..reference import Row, Rows, as_of, collect, top_k

SCHEMA = schema_of(INT4, TEXT, FLOAT8)


def row(random: Random) -> Row:
    return (
        random.choice((1, 2, None)),
        random.choice((None, "", "a", "b", "abc")),
        random.choice((None, 0.5, -1.0, 2.0)),
    )


ORDERS = {
    "by nothing": (),
    "by text": (r.OrderBy(1),),
    "by number, then text": (r.OrderBy(2, True, True), r.OrderBy(1, True)),
}


@pytest.mark.parametrize("group", [(), (0,), (0, 1)], ids=["no group", "by column", "by columns"])
@pytest.mark.parametrize("order", ORDERS.values(), ids=ORDERS)
@pytest.mark.parametrize(("limit", "offset"), [(1, 0), (3, 0), (2, 2), (None, 1), (0, 0), (None, 0)])
@pytest.mark.parametrize("reserve", [0, 2, topk_module.RESERVE_ROWS])
@pytest.mark.parametrize("seed", range(2))
def test_top_k_matches_recomputation(
    seed: int,
    reserve: int,
    limit: int | None,
    offset: int,
    order: tuple[r.OrderBy, ...],
    group: tuple[int, ...],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """With little reserve, fronts run short and are laid out anew, within a step too."""
    monkeypatch.setattr(topk_module, "RESERVE_ROWS", reserve)
    monkeypatch.setattr(topk_module, "RESERVE_FACTOR", 1 if reserve < 10 else 4)
    random = Random(seed)
    node = r.TopK(r.Get("t", SCHEMA), group, order, limit, offset)

    def expected(contents: list[Rows]) -> Rows:
        return top_k(node, contents[0])

    def make() -> TopK:
        return TopK(TopKOp(group, order, limit, offset), SCHEMA)

    check(make, [(SCHEMA, history(random, row))], expected, random)


def test_a_large_grid_is_cut_by_time(monkeypatch: pytest.MonkeyPatch) -> None:
    random = Random(3)
    updates = history(random, row, times=40, per_time=4)
    op = TopKOp((0,), (r.OrderBy(1),), 2, 1)
    whole, _ = run(TopK(op, SCHEMA), [(SCHEMA, updates)], [0, 41])
    monkeypatch.setattr(topk_module, "GRID_CELLS", 50)
    cut, _ = run(TopK(op, SCHEMA), [(SCHEMA, updates)], [0, 41])
    assert consolidated(whole) == consolidated(cut)
    assert len(consolidated(whole)) > 50


def test_a_row_takes_as_many_places_as_it_occurs() -> None:
    updates = [((1, "a", 1.0), 1, 3), ((1, "b", 1.0), 1, 1), ((1, "a", 1.0), 2, -2)]
    op = TopKOp((), (r.OrderBy(1),), 2, 0)
    output, _ = run(TopK(op, SCHEMA), [(SCHEMA, updates)], [0, 3])
    assert as_of(output, 1) == {(1, "a", 1.0): 2}
    assert as_of(output, 2) == {(1, "a", 1.0): 1, (1, "b", 1.0): 1}


def test_rows_behind_the_limit_step_in_when_others_leave() -> None:
    rows = [(1, f"{i:02}", 0.0) for i in range(30)]
    updates = [(row, 1, 1) for row in rows] + [(row, 2 + i, -1) for i, row in enumerate(rows[:28])]
    op = TopKOp((0,), (r.OrderBy(1),), 3, 0)
    for cuts in ([0, 31], [0, 2, 31], list(range(32))):
        output, _ = run(TopK(op, SCHEMA), [(SCHEMA, updates)], cuts)
        for i in range(28):
            assert as_of(output, 1 + i) == dict.fromkeys(rows[i : i + 3], 1)


def test_a_change_costs_the_front_and_not_the_group(monkeypatch: pytest.MonkeyPatch) -> None:
    """In a group of 20,000 rows, changes at any place are dealt with among a few hundred."""
    operator = TopK(TopKOp((0,), (r.OrderBy(2),), 3, 0), SCHEMA)
    rows = [(1, "a", float(i)) for i in range(20_000)]
    operator.step((Delta(batch_from_rows(SCHEMA, rows, 1), NO_ERRORS),), 0, 2)
    looked_at: list[int] = []
    changes = TopK._changes

    def counting(self: TopK, step: Step, *rest: Any) -> Batch:
        looked_at.append(len(step.rows))
        return changes(self, step, *rest)

    monkeypatch.setattr(TopK, "_changes", counting)
    time = 2
    for row_, diff in [((1, "b", 0.5), 1), ((1, "b", 1e6), 1), ((1, "a", 0.0), -1), ((1, "a", 500.0), -1)]:
        delta = Delta(batch_from_rows(SCHEMA, [row_], time, diff), NO_ERRORS)
        operator.step((delta,), time, time + 1)
        time += 1
    for value in range(1, 60):  # uses up part of the reserve, from the first row on
        delta = Delta(batch_from_rows(SCHEMA, [(1, "a", float(value))], time, -1), NO_ERRORS)
        operator.step((delta,), time, time + 1)
        time += 1
    assert max(looked_at) < 400
    assert len(looked_at) < 64  # what happens behind the front is not looked at


def test_a_change_behind_the_window_costs_no_group(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of groups of a few rows, those are read of which a change is not behind the bar."""
    operator = TopK(TopKOp((0,), (r.OrderBy(2), r.OrderBy(1)), 3, 0), SCHEMA)
    rows = [(group, "a", float(i)) for group in range(100) for i in range(10)]
    operator.step((Delta(batch_from_rows(SCHEMA, rows, 1), NO_ERRORS),), 0, 2)
    assert not operator.spines()["front"].rows
    looked_at: list[int] = []
    changes = TopK._changes

    def counting(self: TopK, step: Step, *rest: Any) -> Batch:
        looked_at.append(step.old)
        return changes(self, step, *rest)

    monkeypatch.setattr(TopK, "_changes", counting)

    def shown(updates: list[Update]) -> Rows:
        time = min(time for _, time, _ in updates)
        delta = Delta(batch_of(SCHEMA, updates), NO_ERRORS)
        return collect(
            (row, diff) for row, _, diff in updates_of(operator.step((delta,), time, time + 10).oks)
        )

    behind = [((group, "b", 5.0 + group % 3), 2 + group % 2, 1) for group in range(50)]
    behind += [((group, "a", 9.0), 2 + group % 2, -1) for group in range(50)]
    assert shown(behind) == {}
    assert looked_at == []
    mixed = [*((row, time + 10, -diff) for row, time, diff in behind), ((7, "a", 1.0), 12, -1)]
    assert shown(mixed) == {(7, "a", 1.0): -1, (7, "a", 3.0): 1}
    assert looked_at == [12]  # ten rows, one more, and the retraction of one
    # The bar of group 7 has moved back.
    assert shown([((7, "b", 2.5), 22, 1)]) == {(7, "b", 2.5): 1, (7, "a", 3.0): -1}
    assert shown([((7, "b", 2.75), 32, 1)]) == {}
    assert len(looked_at) == 2


WIDE = {
    "text": (TEXT, lambda random: random.choice(("", "a", "ab", "customer 1", "customer 2", "customer 10"))),
    "number": (INT4, lambda random: random.randrange(-20, 20)),
    "float": (FLOAT8, lambda random: random.choice((0.0, 1.5, float("inf"), -2.5, 1e300))),
    "numeric": (NUMERIC, lambda random: Decimal(random.randrange(-10, 10)).scaleb(random.randrange(-5, 20))),
}


@pytest.mark.parametrize("name", WIDE)
@pytest.mark.parametrize(("descending", "nulls_first"), [(False, False), (True, True), (True, False)])
@pytest.mark.parametrize("reserve", [0, topk_module.RESERVE_ROWS])
@pytest.mark.parametrize("seed", range(2))
def test_bars_of_values_that_are_told_apart_or_not(
    seed: int, reserve: int, descending: bool, nulls_first: bool, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Groups of some ten rows with many places of the order, in which few changes concern the window."""
    monkeypatch.setattr(topk_module, "RESERVE_ROWS", reserve)
    monkeypatch.setattr(topk_module, "ORDERED_ROWS", 2_000 * seed)
    random = Random(seed)
    type_, value = WIDE[name]
    schema = schema_of(INT4, type_, INT4)

    def wide(random: Random) -> Row:
        return (random.choice((1, 2, None)), random.choice((None, *[value(random)] * 9)), random.randrange(3))

    order = (r.OrderBy(1, descending, nulls_first), r.OrderBy(2))
    node = r.TopK(r.Get("t", schema), (0,), order, 2, 1)
    updates = history(random, wide, times=12, per_time=12)
    check(
        lambda: TopK(TopKOp((0,), order, 2, 1), schema),
        [(schema, updates)],
        lambda contents: top_k(node, contents[0]),
        random,
    )


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("reserve", [0, 2])
def test_rows_that_are_retracted_before_they_come(
    seed: int, reserve: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is shown at each time is the same however the history is cut into steps."""
    monkeypatch.setattr(topk_module, "RESERVE_ROWS", reserve)
    monkeypatch.setattr(topk_module, "RESERVE_FACTOR", 1)
    random = Random(seed)
    updates = history(random, row, per_time=8, negative=True)
    op = TopKOp((0,), (r.OrderBy(2), r.OrderBy(1)), 2, 0)
    outputs = [
        consolidated(run(TopK(op, SCHEMA), [(SCHEMA, updates)], cuts)[0])
        for cuts in ([0, 13], list(range(14)), random_cuts(random, 12))
    ]
    assert outputs[0] == outputs[1] == outputs[2]


def test_state_from_before_there_were_bars() -> None:
    """It has a front of every group, whole ones of small groups."""
    random = Random(5)
    updates = history(random, row, per_time=8)
    op = TopKOp((0,), (r.OrderBy(2), r.OrderBy(1)), 2, 0)
    expected, _ = run(TopK(op, SCHEMA), [(SCHEMA, updates)], list(range(14)))
    before = batch_of(SCHEMA, [(row, 0, diff) for row, time, diff in updates if time < 5])
    operator = TopK(op, SCHEMA)
    for name in ("rows", "front"):
        operator.spines()[name].insert(before)
    later, _ = run(operator, [(SCHEMA, updates)], list(range(5, 14)))
    assert consolidated(later) == consolidated([update for update in expected if update[1] >= 5])
