"""TopK: places of rows, with multiplicities, ties and many times in one step."""

from __future__ import annotations

from random import Random

import pytest
from ptvc.compute.operators import topk as topk_module
from ptvc.compute.operators.topk import TopK
from ptvc.compute.plan import TopKOp
from ptvc.expr import relation as r
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
@pytest.mark.parametrize("seed", range(2))
def test_top_k_matches_recomputation(
    seed: int, limit: int | None, offset: int, order: tuple[r.OrderBy, ...], group: tuple[int, ...]
) -> None:
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
