"""Delta joins as jobs: contents and arrangements are those of a dataflow, and steps go on from them.

The tasks run in this process.
"""

from __future__ import annotations

from pathlib import Path
from random import Random

import numpy as np
import pytest
from ptvc.compute.lower.shared_arrangements import IndexKey
from ptvc.compute.plan import ArrangeOp, LookupOp, shared_nodes
from ptvc.expr.registry import resolve_call
from ptvc.expr.tree import relation as r
from ptvc.expr.tree.scalar import ColumnRef, Literal
from ptvc.repr.batch import NO_ERRORS, Batch, Delta

from .cases import AS_OF, NUMBERS, Case, column, get, part, random_numbers, totals


def three() -> r.Relation:
    """a.0 = b.0 and b.1 = c.0"""
    inner = r.Join(get("u1"), get("u2"), r.JoinKind.INNER, (column(0),), (column(0),))
    return r.Join(inner, get("u3"), r.JoinKind.INNER, (ColumnRef(3, NUMBERS.types[1]),), (column(0),))


@pytest.mark.parametrize("partitions", [1, 3])
def test_a_delta_join_and_then_a_reduction(tmp_path: Path, partitions: int) -> None:
    random = Random(partitions)
    inputs = {
        "u1": [part(NUMBERS, random_numbers(random, 200, 30)), part(NUMBERS, random_numbers(random, 50, 30))],
        "u2": [part(NUMBERS, random_numbers(random, 60, 30))],
        "u3": [part(NUMBERS, [(n, n % 7) for n in range(100)])],
    }
    change = {
        "u1": part(NUMBERS, [(5, 1), (3, 4), (None, 5)], time=AS_OF + 1),
        "u2": part(NUMBERS, [(5, 17), (99, 2)], time=AS_OF + 1),
        "u3": part(NUMBERS, [(17, 17), (18, 4)], time=AS_OF + 1),
    }
    undo = {
        id_: Delta(Batch(d.oks.columns, d.oks.times + np.uint64(1), -d.oks.diffs), NO_ERRORS)
        for id_, d in change.items()
    }
    case = Case(None, tmp_path, totals(three(), (0, 5)), inputs, partitions)
    assert any(isinstance(node.op, LookupOp) for node in case.plan)
    result = case.check([change, undo])
    arranged = {node.id for node in case.plan if isinstance(node.op, ArrangeOp)}
    assert arranged <= {node for node, _ in result.state}, "every arrangement is left for the replica"


def test_an_input_without_rows(tmp_path: Path) -> None:
    inputs = {"u1": [part(NUMBERS, [(1, 2)])], "u3": [part(NUMBERS, [(7, 8)])]}
    change = {"u2": part(NUMBERS, [(1, 7)], time=AS_OF + 1)}
    Case(None, tmp_path, three(), inputs, 2).check([change])


def test_an_error_of_an_input_is_there_once(tmp_path: Path) -> None:
    """However many lookups read that input: when its row is deleted, the view is in error no more."""
    quotient = resolve_call("divide", (Literal(100, NUMBERS.types[1]), column(1)))
    failing = r.Project(r.Map(get("u1"), (quotient,), ("quotient",)), (0, 2))
    inner = r.Join(failing, get("u2"), r.JoinKind.INNER, (column(0),), (column(0),))
    view = r.Join(inner, get("u3"), r.JoinKind.INNER, (column(0),), (column(0),))
    rows = [(1, 1), (2, 2)]
    inputs = {
        "u1": [part(NUMBERS, [(1, 0), (2, 5)])],
        "u2": [part(NUMBERS, rows)],
        "u3": [part(NUMBERS, rows)],
    }
    case = Case(None, tmp_path, view, inputs, 2)
    assert any(isinstance(node.op, LookupOp) for node in case.plan)
    case.check([{"u1": part(NUMBERS, [(1, 0)], time=AS_OF + 1, diff=-1)}])


@pytest.mark.parametrize("partitions", [1, 3])
def test_what_an_index_has_is_not_left(tmp_path: Path, partitions: int) -> None:
    random = Random(partitions)
    inputs = {
        "u1": [part(NUMBERS, random_numbers(random, 200, 30))],
        "u2": [part(NUMBERS, random_numbers(random, 60, 30))],
    }
    change = {
        "u1": part(NUMBERS, [(5, 1), (3, 4), (None, 5)], time=AS_OF + 1),
        "u2": part(NUMBERS, [(5, 17), (99, 2)], time=AS_OF + 1),
    }
    join = r.Join(get("u1"), get("u2"), r.JoinKind.INNER, (column(0),), (column(0),))
    case = Case(None, tmp_path, join, inputs, partitions, indexes=(IndexKey("u9", "u1", (0,)),))
    (shared,) = shared_nodes(case.plan)
    result = case.check([change])
    assert shared.node not in {node for node, _ in result.state}
