"""Calls of functions in Python and JavaScript, and what comes of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyarrow as pa
from ptvc.expr.evaluate import evaluate
from ptvc.expr.tree.external_function import ExternalFunction
from ptvc.expr.tree.scalar import ColumnRef, ExternalCall, Scalar
from ptvc.repr.types import INT4, ScalarType


def called(made: ExternalFunction) -> ExternalCall:
    return ExternalCall(made, tuple(ColumnRef(i, type_) for i, type_ in enumerate(made.arguments)))


def answers(scalar: Scalar, *columns: Sequence[Any], types: Sequence[ScalarType] = (INT4,)) -> list[Any]:
    """Values; of a row in error its SQLSTATE and message."""
    arrays = tuple(pa.array(values, type_.arrow) for values, type_ in zip(columns, types, strict=True))
    result = evaluate(scalar, arrays, len(columns[0]))
    result.values.validate(full=True)
    assert result.values.type == scalar.type.arrow
    found: list[Any] = result.values.to_pylist()
    if result.errors is not None:
        for row, sqlstate, message in zip(
            result.errors.indices,
            result.errors.sqlstates.to_pylist(),
            result.errors.messages.to_pylist(),
            strict=True,
        ):
            assert found[row] is None
            found[row] = (sqlstate, message)
    return found
