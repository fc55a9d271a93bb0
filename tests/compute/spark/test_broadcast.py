"""Small sides of joins that go everywhere: which do, and that contents and state are as without."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from ptvc.compute.lower import lower
from ptvc.compute.plan import (
    EVERYWHERE,
    ArrangeOp,
    DataflowPlan,
    Exchange,
    Import,
    JoinOp,
    Mfp,
    ReduceOp,
    levels,
)
from ptvc.compute.spark.broadcast import FEW_PARTITIONS, MOST_ROWS, broadcast
from ptvc.expr.registry import resolve_call
from ptvc.expr.tree import relation as r
from ptvc.expr.tree.scalar import ColumnRef, Scalar
from ptvc.repr.types import INT4, INT8

from ..random_views import TABLES
from .cases import AS_OF, NUMBERS, Case, column, get, part, random_case, random_numbers, totals

MANY = 10 * MOST_ROWS
SEEDS = [*range(60), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(60, 600))]
KINDS = list(r.JoinKind)


def joined(
    left: r.Relation, right: r.Relation, kind: r.JoinKind = r.JoinKind.INNER, *residual: Scalar, key: int = 0
) -> r.Join:
    return r.Join(left, right, kind, (ColumnRef(key, INT4),), (column(0),), residual)


def less() -> Scalar:
    return resolve_call("lt", (ColumnRef(1, INT4), ColumnRef(3, INT4)))


def exchanges(plan: DataflowPlan, kind: type = JoinOp) -> list[tuple[Exchange, ...]]:
    return [node.exchange for node in plan if isinstance(node.op, kind)]


def of_sizes(relation: r.Relation, **sizes: int) -> DataflowPlan:
    return broadcast(lower(relation), sizes, 2)[0]


@pytest.mark.parametrize("seed", SEEDS)
def test_random_views(tmp_path: Path, seed: int) -> None:
    random = Random(seed)
    case, changes = random_case(random, None, tmp_path)
    case.job = replace(case.job, partitions=random.choice((2, 3)))
    case.plan_for({id_: random.choice((1, 1, MANY)) for id_ in TABLES})
    case.check(changes)


@pytest.mark.parametrize("residual", [False, True])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("small", ["u1", "u2"])
def test_kinds_of_joins(tmp_path: Path, kind: r.JoinKind, small: str, *, residual: bool) -> None:
    """Rows and their retractions lie in different places, and some twice."""
    random = Random(3)
    rows = {id_: random_numbers(random, 200) for id_ in ("u1", "u2")}
    inputs = {
        id_: [
            part(NUMBERS, found[:120]),
            part(NUMBERS, found[120:] + found[:20]),
            part(NUMBERS, found[:60], time=AS_OF, diff=-1),
        ]
        for id_, found in rows.items()
    }
    relation = joined(joined(get("u1"), get("u3")), get("u2"), kind, *([less()] if residual else []))
    narrow = r.Project(relation, tuple(range(1, len(relation.schema))))
    inputs["u3"] = [part(NUMBERS, [(i, i) for i in range(0, 20, 2)])]
    later = [
        {"u1": part(NUMBERS, rows["u1"][60:100], time=AS_OF + 1, diff=-1)},
        {"u2": part(NUMBERS, rows["u2"][60:150], time=AS_OF + 2, diff=-1)},
        {id_: part(NUMBERS, [(i, i) for i in range(20)], time=AS_OF + 3) for id_ in ("u1", "u2", "u3")},
    ]
    case = Case(None, tmp_path, narrow, inputs, partitions=3)
    case.plan_for({"u1": MANY, "u2": MANY, "u3": MANY} | {small: 1})
    case.check(later)


def test_what_goes_everywhere() -> None:
    plan = of_sizes(joined(get("u1"), get("u2")), u1=MANY, u2=5)
    assert exchanges(plan) == [(None, EVERYWHERE)]
    assert exchanges(of_sizes(joined(get("u1"), get("u2")), u1=5, u2=MANY)) == [(EVERYWHERE, None)]
    assert exchanges(of_sizes(joined(get("u1"), get("u2")), u1=5, u2=6)) == [((0,), (0,))]
    assert exchanges(of_sizes(joined(get("u1"), get("u2")), u1=MANY, u2=MOST_ROWS + 1)) == [((0,), (0,))]
    assert broadcast(lower(joined(get("u1"), get("u2"))), {"u1": MANY, "u2": 5}, 1)[1] == {}


@pytest.mark.parametrize(
    ("kind", "left_stays", "right_stays"),
    [
        (r.JoinKind.INNER, True, True),
        (r.JoinKind.LEFT, True, False),
        (r.JoinKind.RIGHT, False, True),
        (r.JoinKind.FULL, False, False),
        (r.JoinKind.SEMI, True, False),
        (r.JoinKind.ANTI, True, False),
    ],
)
def test_a_side_that_is_preserved_is_not_sent(
    kind: r.JoinKind, *, left_stays: bool, right_stays: bool
) -> None:
    join = joined(get("u1"), get("u2"), kind)
    assert (exchanges(of_sizes(join, u1=MANY, u2=5))[0][0] is None) == left_stays
    assert (exchanges(of_sizes(join, u1=5, u2=MANY))[0][1] is None) == right_stays


def test_rows_that_are_counted_stay_only_where_equal_ones_are_together() -> None:
    left = joined(get("u1"), get("u2"), r.JoinKind.LEFT, less())
    assert exchanges(of_sizes(left, u1=MANY, u2=5)) == [((0,), (0,))]
    first = r.Project(joined(get("u1"), get("u3")), (1, 0))
    after = r.Join(first, get("u2"), r.JoinKind.LEFT, (column(0),), (column(0),), (less(),))
    assert exchanges(of_sizes(after, u1=MANY, u2=5, u3=MANY))[-1] == (None, EVERYWHERE)
    # Without the column by which they were placed, equal ones may be in two places.
    without = r.Project(joined(get("u1"), get("u3")), (1, 1))
    after = r.Join(without, get("u2"), r.JoinKind.LEFT, (column(0),), (column(0),), (less(),))
    assert exchanges(of_sizes(after, u1=MANY, u2=5, u3=MANY))[-1] == ((0,), (0,))


def test_a_chain_is_one_level() -> None:
    chain = joined(joined(get("u1"), get("u2")), get("u3"), r.JoinKind.LEFT, key=1)
    sizes: Mapping[str, int] = {"u1": MANY, "u2": 5, "u3": 5}
    plan = broadcast(lower(chain), sizes, 2)[0]
    assert [len(level) for level in levels(plan)] == [2, 3]
    assert len(levels(lower(chain))) == 3
    # The large input is read where it is joined.
    (large,) = (node.id for node in plan if isinstance(node.op, Import) and node.op.id == "u1")
    assert large in levels(plan)[1]


def test_an_arrangement_that_several_paths_look_up() -> None:
    inner = joined(get("u1"), get("u2"))
    delta = r.Join(inner, get("u3"), r.JoinKind.INNER, (ColumnRef(1, INT4),), (column(0),))
    plan = broadcast(lower(delta), {"u1": MANY, "u2": 5, "u3": 5}, 2)[0]
    assert sorted(map(str, exchanges(plan, ArrangeOp))) == sorted(
        map(str, [((0,),), ((1,),), (EVERYWHERE,), (EVERYWHERE,)])
    )


def test_one_row_meets_all(tmp_path: Path) -> None:
    """A cross join with an aggregate of everything leaves the many where they are."""
    total = totals(get("u1"), (), scalar=True)
    cross = r.Join(get("u1"), total, r.JoinKind.INNER, (), ())
    inputs = {"u1": [part(NUMBERS, random_numbers(Random(i), 100), time=1 + i) for i in range(3)]}
    case = Case(None, tmp_path, cross, inputs, partitions=3)
    case.plan_for({"u1": MANY})
    assert exchanges(case.job.plan) == [(None, EVERYWHERE)]
    result = case.check([{"u1": part(NUMBERS, [(1, 50)], time=AS_OF + 1)}])
    assert len(result.parts) == 3


def test_no_import_is_read_later_than_its_readers_exchange() -> None:
    plan = lower(joined(r.Filter(get("u1"), (resolve_call("lt", (column(0), column(1))),)), get("u2")))
    at = {node_id: level for level, ids in enumerate(levels(plan)) for node_id in ids}
    assert all(at[node.id] == 0 for node in plan if isinstance(node.op, Import | Mfp) and node.id < 3)


def test_each_level_reads_equal_shares(tmp_path: Path) -> None:
    """The large input is read at level 1, the small one at level 0, and both by all tasks."""
    inputs = {
        "u1": [part(NUMBERS, random_numbers(Random(i), 300), time=1 + i % 4) for i in range(4)],
        "u2": [part(NUMBERS, random_numbers(Random(i), 100), time=1) for i in range(2)],
    }
    case = Case(None, tmp_path, joined(get("u1"), get("u2")), inputs, partitions=2)
    case.plan_for({"u1": MANY, "u2": 1})
    reports = case.check().reports
    assert [(report.level, report.rows_read) for report in reports] == [
        (0, 100),
        (0, 100),
        (1, 600),
        (1, 600),
    ]


def by_key(relation: r.Relation) -> r.Relation:
    present = r.Aggregate("count", column(1), INT8, "n", nullable=False)
    return r.Reduce(relation, (column(0),), ("key",), (present,))


def test_rows_that_lie_by_a_key_are_not_exchanged_by_it() -> None:
    sizes = {"u1": MANY, "u2": MANY}
    semi = joined(get("u1"), by_key(get("u2")), r.JoinKind.SEMI)
    plan = of_sizes(by_key(semi), **sizes)
    assert exchanges(plan) == [((0,), None)]
    assert exchanges(plan, ReduceOp) == [((0,),), (None,)]
    assert len(levels(plan)) == 2
    elsewhere = r.Join(get("u1"), by_key(get("u2")), r.JoinKind.INNER, (column(0),), (ColumnRef(1, INT8),))
    assert exchanges(of_sizes(elsewhere, **sizes)) == [((0,), (1,))]


def test_of_many_tasks_a_join_can_split_its_keys() -> None:
    relation = by_key(joined(get("u1"), by_key(get("u2"))))
    plan, _ = broadcast(lower(relation), {"u1": MANY, "u2": MANY}, FEW_PARTITIONS + 1)
    assert exchanges(plan) == [((0,), (0,))]
    assert exchanges(plan, ReduceOp) == [((0,),), ((0,),)], "as a hot key's rows lie elsewhere"


@pytest.mark.parametrize("kind", KINDS)
def test_joins_with_groups_by_their_key(tmp_path: Path, kind: r.JoinKind) -> None:
    random = Random(5)
    rows = {id_: random_numbers(random, 200, 20) for id_ in ("u1", "u2")}
    inputs = {id_: [part(NUMBERS, found[:120]), part(NUMBERS, found[90:])] for id_, found in rows.items()}
    view = joined(get("u1"), by_key(get("u2")), kind)
    again = by_key(r.Project(view, (0, 1)))
    later = [
        {"u1": part(NUMBERS, rows["u1"][60:100], time=AS_OF + 1, diff=-1)},
        {"u2": part(NUMBERS, rows["u2"][60:150], time=AS_OF + 2, diff=-1)},
    ]
    case = Case(None, tmp_path, again, inputs, partitions=3)
    case.plan_for({"u1": MANY, "u2": MANY})
    case.job = replace(case.job, hot_rows=1)
    case.check(later)
