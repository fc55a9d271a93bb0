"""Lowering: what becomes one operator, what is shared, and where rows must be exchanged."""

from __future__ import annotations

import pickle
import time

from ptvc.compute.dataflow import Dataflow
from ptvc.compute.lower import lower
from ptvc.compute.plan import Import, IterateOp, JoinOp, Mfp, ReduceOp, TopKOp, UnionOp, levels
from ptvc.compute.plan_text import plan_text
from ptvc.expr.registry import resolve_call
from ptvc.expr.tree import relation as r
from ptvc.expr.tree.scalar import Case, ColumnRef, Literal, Scalar
from ptvc.repr.types import BOOL, FLOAT8, INT4, INT8, TEXT

from .histories import schema_of

T = schema_of(INT4, INT4, TEXT)
GET = r.Get("u1", T)
OTHER = r.Get("u2", schema_of(INT8, TEXT))


def column(index: int) -> ColumnRef:
    return ColumnRef(index, T[index].type)


def plus_one(scalar: Scalar) -> Scalar:
    return resolve_call("add", (scalar, Literal(1, INT4)))


def positive(scalar: Scalar) -> Scalar:
    return resolve_call("gt", (scalar, Literal(0, INT4)))


def test_a_chain_is_one_operator() -> None:
    chain: r.Relation = r.Map(GET, (plus_one(column(0)),), ("a",))
    chain = r.Filter(chain, (positive(ColumnRef(3, INT4)),))
    chain = r.Map(chain, (plus_one(ColumnRef(3, INT4)), column(2)), ("b", "c"))
    chain = r.Project(chain, (5, 4, 0))
    plan = lower(chain)
    assert [type(node.op) for node in plan.nodes] == [Import, Mfp]
    assert plan.nodes[1].op == Mfp(
        (plus_one(column(0)), plus_one(ColumnRef(3, INT4))), (positive(ColumnRef(3, INT4)),), (2, 4, 0)
    )
    assert plan.schema == chain.schema


def test_equal_expressions_are_computed_once_and_unread_ones_never() -> None:
    chain = r.Map(
        r.Map(GET, (plus_one(column(0)),), ("a",)), (plus_one(column(0)), plus_one(column(1))), ("b", "c")
    )
    (mfp,) = (node.op for node in lower(r.Project(chain, (3, 4))).nodes if isinstance(node.op, Mfp))
    assert mfp == Mfp((plus_one(column(0)),), (), (3, 3))


def test_negative_zero_is_not_zero() -> None:
    zeros = r.Map(GET, (Literal(0.0, FLOAT8), Literal(-0.0, FLOAT8)), ("a", "b"))
    (mfp,) = (node.op for node in lower(zeros).nodes if isinstance(node.op, Mfp))
    assert len(mfp.maps) == 2


def test_many_columns_and_conditions_take_time_in_proportion() -> None:
    """Of 2,000 each was compared with all before it, by text: 20 s."""
    sums = tuple(resolve_call("add", (column(0), Literal(i, INT4))) for i in range(2_000))
    wide = r.Map(GET, sums, tuple(f"c{i}" for i in range(2_000)))
    began = time.process_time()
    (mfp,) = (
        node.op
        for node in lower(r.Filter(wide, tuple(map(positive, sums)))).nodes
        if isinstance(node.op, Mfp)
    )
    assert time.process_time() - began < 2.0
    assert len(mfp.maps) == len(mfp.predicates) == 2_000


def test_identity_is_no_operator() -> None:
    plan = lower(r.Project(r.Filter(GET, ()), (0, 1, 2)))
    assert [type(node.op) for node in plan.nodes] == [Import]


def test_an_equal_subtree_is_lowered_once() -> None:
    def grouped() -> r.Relation:
        return r.Reduce(GET, (column(0),), ("k",), (r.Aggregate("count", None, INT8, "n"),))

    plan = lower(r.Union((grouped(), grouped()), grouped().schema))
    assert [type(node.op) for node in plan.nodes].count(ReduceOp) == 1
    assert plan.nodes[plan.output].op == UnionOp()
    assert plan.nodes[plan.output].inputs == (2, 2)


def test_join_keys_that_are_expressions_become_columns_and_leave_again() -> None:
    join = r.Join(
        GET, GET, r.JoinKind.LEFT, (plus_one(column(1)),), (column(0),), (positive(ColumnRef(4, INT4)),)
    )
    plan = lower(join)
    node = next(node for node in plan.nodes if isinstance(node.op, JoinOp))
    assert isinstance(node.op, JoinOp)
    assert (node.op.left_key, node.op.right_key) == ((3,), (0,))
    assert node.exchange == ((3,), (0,))
    assert node.op.residual == (positive(ColumnRef(5, INT4)),)
    assert plan.nodes[plan.output].op == Mfp((), (), (0, 1, 2, 4, 5, 6))
    assert len(node.schema) == 7
    assert plan.nodes[plan.output].schema == join.schema


def test_a_filter_above_a_join_is_fused_with_what_follows() -> None:
    residual = (positive(ColumnRef(3, INT4)),)
    joined = r.Join(GET, GET, r.JoinKind.INNER, (column(0),), (column(0),), residual)
    plan = lower(r.Project(r.Filter(joined, (positive(column(1)),)), (4, 0)))
    join, mfp = plan.nodes[-2:]
    assert isinstance(join.op, JoinOp)
    assert join.op.residual == residual
    assert mfp.op == Mfp((), (positive(column(1)),), (4, 0))


def test_filter_of_an_aggregate_moves_into_its_argument() -> None:
    condition = positive(column(1))
    aggregates = (
        r.Aggregate("sum", column(0), INT8, "s", filter=condition),
        r.Aggregate("count", None, INT8, "n", filter=condition),
        r.Aggregate("count", None, INT8, "m"),
    )
    plan = lower(r.Reduce(GET, (), (), aggregates, scalar=True))
    mfp, reduce = plan.nodes[-2].op, plan.nodes[-1].op
    assert isinstance(mfp, Mfp)
    assert isinstance(reduce, ReduceOp)
    assert mfp.maps == (
        Case(((condition, column(0)),), Literal(None, INT4), INT4),
        Case(((condition, Literal(True, BOOL)),), Literal(None, BOOL), BOOL),
    )
    assert [a.argument for a in reduce.aggregates] == [0, 1, None]
    assert plan.nodes[-1].exchange == ((),)


def test_levels_cut_the_plan_at_exchanges() -> None:
    join = r.Join(
        r.Filter(GET, (positive(column(0)),)), OTHER, r.JoinKind.INNER, (column(2),), (ColumnRef(1, TEXT),)
    )
    grouped = r.Reduce(join, (column(0),), ("k",), (r.Aggregate("count", None, INT8, "n"),))
    plan = lower(r.TopK(grouped, (), (r.OrderBy(1, True),), 3))
    names = [[type(plan.nodes[id].op).__name__ for id in level] for level in levels(plan)]
    assert names == [["Import", "Mfp", "Import"], ["JoinOp", "Mfp"], ["ReduceOp"], ["TopKOp"]]
    assert plan.imports == ("u1", "u2")
    assert plan.import_schema("u2") == OTHER.schema


def test_a_plan_travels() -> None:
    plan = lower(r.TopK(GET, (0,), (r.OrderBy(1),), 1))
    assert pickle.loads(pickle.dumps(plan)) == plan
    assert any(isinstance(node.op, TopKOp) for node in plan)


def test_text_names_every_operator() -> None:
    join = r.Join(GET, OTHER, r.JoinKind.LEFT, (column(2),), (ColumnRef(1, TEXT),))
    grouped = r.Reduce(
        r.Filter(join, (positive(column(1)),)),
        (column(0),),
        ("k",),
        (r.Aggregate("sum", column(1), INT8, "s"),),
    )
    top = r.TopK(r.Distinct(grouped), (0,), (r.OrderBy(1, True),), 3, 1)
    text = plan_text(lower(top))
    assert text.splitlines() == [
        "  0  level 0  Import u1  (column0, column1, column2)",
        "  1  level 0  Import u2  (column0, column1)",
        "  2  level 1  Join %0 by hash(#2), %1 by hash(#1) left on left #2 = right #1"
        "  (column0, column1, column2, column0, column1)",
        "  3  level 1  Mfp %2 filter gt(#1, 0) | project #0, #1  (k, ?argument?)",
        "  4  level 2  Reduce %3 by hash(#0) keys #0 | sum(#1)  (k, s)",
        "  5  level 3  Distinct %4 by hash(#0, #1)  (k, s)",
        "  6  level 4  TopK %5 by hash(#0) per #0 | order #1 DESC NULLS LAST | limit 3 | offset 1  (k, s) -> output",
    ]


def test_what_a_loop_has_that_nobody_reads_is_not_there() -> None:
    """A loop within a loop, which depends on the outer one by a third one only that nobody reads: it is lowered where the outer one is."""
    x, y, z = (r.LocalGet(name, T) for name in "xyz")
    unread = r.LetRec((r.Binding("z", r.Union((x, z), T)),), y)
    inner = r.LetRec((r.Binding("y", unread),), y)
    plan = lower(r.LetRec((r.Binding("x", r.Distinct(r.Union((GET, inner, x), T))),), x))
    loops = [node for node in plan.nodes if isinstance(node.op, IterateOp)]
    assert [len(node.inputs) for node in loops] == [0, 2]
    assert not any(isinstance(node.op, IterateOp) for loop in loops for node in loop.op.nodes)  # type: ignore[union-attr]
    Dataflow(plan, 0)
