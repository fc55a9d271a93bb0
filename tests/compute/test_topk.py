"""TopK: places of rows, with multiplicities, ties and many times in one step."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from ptvc.compute.operators.topk import topk as topk_module
from ptvc.compute.operators.topk.topk import TopK
from ptvc.compute.plan import TopKOp
from ptvc.expr import relation as r
from ptvc.repr.batch import NO_ERRORS, Batch, Delta, batch_from_rows
from ptvc.repr.types import FLOAT8, INT4, TEXT

from .histories import check, consolidated, history, run, schema_of
from .reference import Row, Rows, as_of, top_k

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

    def counting(self: TopK, combined: Batch, *rest: Any) -> Batch:
        looked_at.append(len(combined))
        return changes(self, combined, *rest)

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
