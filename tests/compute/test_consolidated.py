"""What is consolidated by construction; that such outputs are, `test_views` and `test_dataflow` assert of every step."""

from __future__ import annotations

import pytest
from ptvc.compute.consolidated import consolidated_nodes
from ptvc.compute.lower import lower
from ptvc.expr.tree import relation as r
from ptvc.expr.tree.scalar import ColumnRef
from ptvc.repr.types import INT8

from .histories import schema_of

GET = r.Get("u1", schema_of(INT8, INT8))
COUNT = r.Aggregate("count", None, INT8, "n")
COUNTS = r.Reduce(GET, (ColumnRef(0, INT8),), ("k",), (COUNT,))
TOTAL = r.Reduce(GET, (), (), (COUNT,), scalar=True)


@pytest.mark.parametrize(
    ("relation", "expected"),
    [
        (GET, False),
        (COUNTS, True),
        (TOTAL, False),
        (r.Distinct(GET), True),
        (r.Union((r.Distinct(GET), r.Distinct(GET)), GET.schema), False),
        (r.Project(COUNTS, (1, 0)), True),
        (r.Project(COUNTS, (1,)), False),
        (r.Project(GET, (1, 0)), False),
        (r.TopK(GET, (0,), (), 3, 0), True),
        (r.TopK(GET, (0,), (), None, 0), False),
    ],
)
def test_output_is_known_to_be_consolidated(relation: r.Relation, expected: bool) -> None:
    plan = lower(relation)
    assert consolidated_nodes(plan)[plan.output] is expected


@pytest.mark.parametrize(
    ("relation", "expected"),
    [
        (GET, True),
        (r.Project(GET, (1, 0, 1)), True),
        (r.Project(GET, (1,)), False),
        (r.Union((GET, GET), GET.schema), False),
    ],
)
def test_inputs_that_are_consolidated_stay_so(relation: r.Relation, expected: bool) -> None:
    plan = lower(relation)
    assert consolidated_nodes(plan, imports=True)[plan.output] is expected
