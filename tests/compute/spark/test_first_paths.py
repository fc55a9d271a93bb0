"""The path of a delta join that a first step takes: which it is, and that contents and state are as by any other."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from random import Random

import pytest
from ptvc.compute.lower import lower
from ptvc.compute.plan import DataflowPlan, LookupOp, ReduceOp, levels, silent_at_first
from ptvc.compute.spark.first_paths import first_paths
from ptvc.expr.registry import resolve_call
from ptvc.expr.tree import relation as r
from ptvc.expr.tree.scalar import ColumnRef, Literal

from .cases import AS_OF, NUMBERS, Case, column, get, part, random_numbers, totals

INPUTS = ("u1", "u2", "u3")


def chain(*inputs: r.Relation) -> r.Relation:
    """Each joined with the one before it: #1 = #0."""
    joined = inputs[0]
    for other in inputs[1:]:
        key = ColumnRef(len(joined.schema) - 1, NUMBERS.types[1])
        joined = r.Join(joined, other, r.JoinKind.INNER, (key,), (column(0),))
    return joined


def one(relation: r.Relation) -> r.Relation:
    """Rows of one value."""
    return r.Filter(relation, (resolve_call("eq", (column(1), Literal(7, NUMBERS.types[1]))),))


def start(relation: r.Relation, sizes: Mapping[str, int]) -> str:
    """The input whose rows meet those of the others."""
    plan = first_paths(lower(relation, delta_joins=True), sizes)
    silent = silent_at_first(plan)
    found = [node for node in plan if isinstance(node.op, LookupOp) and node.id not in silent]
    assert len(found) == len(plan.imports) - 1
    below = plan.nodes[found[0].inputs[0]]
    while below.inputs:
        below = plan.nodes[below.inputs[0]]
    return str(below.op.id)


@pytest.mark.parametrize("small", INPUTS)
def test_the_smallest_input_comes_first(small: str) -> None:
    assert start(chain(*map(get, INPUTS)), dict.fromkeys(INPUTS, 1_000_000) | {small: 10}) == small


@pytest.mark.parametrize("filtered", INPUTS)
def test_or_the_one_that_is_filtered(filtered: str) -> None:
    inputs = [one(get(id_)) if id_ == filtered else get(id_) for id_ in INPUTS]
    assert start(chain(*inputs), dict.fromkeys(INPUTS, 1_000)) == filtered


def test_or_the_one_of_a_semi_join() -> None:
    chosen = r.Join(get("u2"), one(get("u4")), r.JoinKind.SEMI, (column(0),), (column(0),))
    plan = first_paths(lower(chain(get("u1"), chosen, get("u3"))), dict.fromkeys((*INPUTS, "u4"), 1_000))
    silent = silent_at_first(plan)
    first = next(node for node in plan if isinstance(node.op, LookupOp) and node.id not in silent)
    assert plan.nodes[first.inputs[0]].op == next(
        node.op for node in plan if getattr(node.op, "kind", None) is r.JoinKind.SEMI
    )


def test_not_the_smallest_if_that_leads_to_all_rows() -> None:
    """Few kinds have all the rows; of the other end a tenth is asked for."""
    relation = chain(get("u1"), get("u2"), one(get("u3")))
    assert start(relation, {"u1": 10, "u2": 1_000_000, "u3": 100_000}) == "u3"


def lookups(plan: DataflowPlan) -> list[tuple[int, bool]]:
    return [(node.id, node.op.before) for node in plan if isinstance(node.op, LookupOp)]


def test_inputs_that_cannot_be_told_apart_are_left() -> None:
    plan = lower(chain(get("u1"), get("u1"), get("u1")), delta_joins=True)
    assert lookups(plan)
    assert lookups(first_paths(plan, {"u1": 10})) == lookups(plan)


def test_what_is_looked_up_in_vain_is_not_waited_for() -> None:
    plan = first_paths(lower(chain(*map(get, INPUTS))), {"u1": 10, "u2": 1_000_000, "u3": 1_000_000})
    silent = silent_at_first(plan)
    assert silent
    assert all(plan.nodes[id_].exchange == (None, None) for id_ in silent)
    first = {id_: at for at, ids in enumerate(levels(plan, silent)) for id_ in ids}
    assert all(
        first[id_] == 0
        for id_ in silent
        if not isinstance(plan.nodes[plan.nodes[id_].inputs[0]].op, LookupOp)
    )


@pytest.mark.parametrize("small", INPUTS)
@pytest.mark.parametrize("partitions", [1, 3])
def test_contents_and_state_are_as_by_any_other(tmp_path: Path, small: str, partitions: int) -> None:
    random = Random(partitions)
    inputs = {id_: [part(NUMBERS, random_numbers(random, 80, 20)) for _ in range(2)] for id_ in INPUTS}
    case = Case(None, tmp_path, totals(chain(*map(get, INPUTS)), (0, 5)), inputs, partitions)
    assert any(isinstance(node.op, ReduceOp) for node in case.plan)
    case.plan_for(dict.fromkeys(INPUTS, 1_000) | {small: 10})
    change = {id_: part(NUMBERS, random_numbers(random, 20, 20), time=AS_OF + 1) for id_ in INPUTS}
    undo = {id_: part(NUMBERS, [(5, 5), (7, 5)], time=AS_OF + 2, diff=-1) for id_ in INPUTS}
    case.check([change, undo])


def test_what_is_looked_up_late_is_arranged_late() -> None:
    """Its rows pass as they were sent, and are not arranged twice."""
    plan = first_paths(lower(chain(*map(get, INPUTS))), {"u1": 10, "u2": 1_000_000, "u3": 1_000_000})
    silent = silent_at_first(plan)
    at = {id_: level for level, ids in enumerate(levels(plan, silent)) for id_ in ids}
    active = [node for node in plan if isinstance(node.op, LookupOp) and node.id not in silent]
    assert [at[node.id] for node in active] == [1, 2]
    assert [at[node.inputs[1]] for node in active] == [1, 2]
