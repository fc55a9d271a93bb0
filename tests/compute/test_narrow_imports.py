"""Imports without the columns that no node looks at: the same rows, by nodes of the same ids."""

from __future__ import annotations

import pytest
from ptvc.compute.dataflow import Dataflow
from ptvc.compute.lower import lower
from ptvc.compute.narrow_imports import narrow_imports
from ptvc.compute.plan import DataflowPlan, Import
from ptvc.expr.registry import resolve_call
from ptvc.expr.tree import relation as r
from ptvc.expr.tree.scalar import ColumnRef, Literal, Scalar
from ptvc.repr.batch import NO_ERRORS, Delta
from ptvc.repr.types import INT4, TEXT

from .histories import batch_of, consolidated, schema_of, updates_of

T = schema_of(INT4, TEXT, INT4, INT4)
GET = r.Get("u1", T)
AS_OF = 5


def column(index: int) -> ColumnRef:
    return ColumnRef(index, T[index].type)


def called(name: str, *args: Scalar) -> Scalar:
    return resolve_call(name, args)


def positive(index: int) -> r.Relation:
    return r.Filter(GET, (called("gt", column(index), Literal(0, INT4)),))


def contents(plan: DataflowPlan, columns: tuple[int, ...]) -> tuple[object, object]:
    rows = [(i - 3, f"text {i}", i % 3, 10 - i) for i in range(10)]
    batch = batch_of(T, [(row, AS_OF, 1) for row in rows]).select(columns)
    found = Dataflow(plan, AS_OF).step({"u1": Delta(batch, NO_ERRORS)}, AS_OF, AS_OF + 1)
    return consolidated(updates_of(found.oks)), consolidated(updates_of(found.errs))


@pytest.mark.parametrize(
    ("relation", "read"),
    [
        (r.Project(positive(3), (2,)), (2, 3)),
        (r.Project(r.Map(GET, (called("add", column(3), column(0)),), ("sum",)), (4, 2)), (0, 2, 3)),
        (r.Project(r.Map(GET, (called("div", column(3), column(2)),), ("failing",)), (4,)), (2, 3)),
        (r.Project(r.Map(GET, (Literal(1, INT4),), ("one",)), (4,)), ()),
        (r.Union((r.Project(positive(0), (2,)), r.Project(positive(2), (3,))), schema_of(INT4)), (0, 2, 3)),
    ],
)
def test_columns_that_are_read(relation: r.Relation, read: tuple[int, ...]) -> None:
    plan = lower(relation)
    narrow, columns = narrow_imports(plan)
    assert columns == {"u1": read}
    assert contents(narrow, read) == contents(plan, (0, 1, 2, 3))
    assert [(node.id, node.inputs, node.exchange) for node in narrow] == [
        (node.id, node.inputs, node.exchange) for node in plan
    ]
    assert [node.schema for node in narrow if not isinstance(node.op, Import)] == [
        node.schema for node in plan if not isinstance(node.op, Import)
    ]


@pytest.mark.parametrize(
    "relation",
    [
        GET,
        positive(3),
        r.Distinct(GET),
        # Read whole in one of two places.
        r.Union((r.Project(positive(3), (2,)), r.Project(r.Distinct(GET), (2,))), schema_of(INT4)),
    ],
)
def test_all_of_them_are(relation: r.Relation) -> None:
    plan = lower(relation)
    assert narrow_imports(plan) == (plan, {})
