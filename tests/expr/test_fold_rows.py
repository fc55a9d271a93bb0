"""Constants of many rows: the same as cell by cell, and few evaluations."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
from ptvc.expr import fold_rows as module
from ptvc.expr.evaluate import fold
from ptvc.expr.fold_rows import MIN_CELLS, fold_rows
from ptvc.expr.registry import resolve_call
from ptvc.expr.tree.scalar import And, Cast, Literal, Scalar
from ptvc.repr.types import BOOL, DATE, INT4, INT8, NUMERIC, TEXT

COUNT = 3 * MIN_CELLS


def plus(left: Any, right: Any) -> Scalar:
    return resolve_call("add", (Literal(left, INT4), Literal(right, INT4)))


@pytest.mark.parametrize(
    "cells",
    [
        [plus(i, 7) for i in range(COUNT)],
        [plus(i, None) if i % 2 else plus(None if i % 3 else i, i) for i in range(COUNT)],
        [plus(2**31 - 1 - i % 3, 1) for i in range(COUNT)],  # a third fails
        [Cast(Literal(str(i) if i % 5 else "x", TEXT), INT8) for i in range(COUNT)],
        [Cast(Literal(f"2024-01-{i % 40}", TEXT), DATE) for i in range(COUNT)],
        [
            resolve_call("div", (Literal(Decimal(i), NUMERIC), Literal(Decimal(3), NUMERIC)))
            for i in range(COUNT)
        ],
        [And((Literal(i % 2 == 0, BOOL), Literal(True, BOOL))) for i in range(COUNT)],
        [Literal(i, INT4) if i % 2 else plus(i, i) for i in range(COUNT)],
        [resolve_call("upper", (Literal(f"é{i}", TEXT),)) for i in range(COUNT)],
    ],
    ids=["plain", "nulls", "overflow", "casts", "dates", "numeric", "connectives", "mixed", "texts"],
)
def test_it_is_as_cell_by_cell(cells: list[Scalar]) -> None:
    assert fold_rows(cells) == [fold(cell) for cell in cells]


def test_cells_that_differ_in_their_literals_are_one_evaluation(monkeypatch: pytest.MonkeyPatch) -> None:
    evaluations = []

    def counted(*args: Any) -> Any:
        evaluations.append(args)
        return evaluate(*args)

    evaluate = module.evaluate
    monkeypatch.setattr(module, "evaluate", counted)
    monkeypatch.setattr(module, "fold", lambda cell: pytest.fail(f"{cell} was folded by itself"))
    assert fold_rows([plus(i, 1) for i in range(COUNT)]) == [Literal(i + 1, INT4) for i in range(COUNT)]
    assert len(evaluations) == 1
