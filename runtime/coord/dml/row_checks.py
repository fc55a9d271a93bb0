"""What is checked of each row that is written, whatever else the table holds: NOT NULL and CHECK."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ...errors import CheckViolation, NotNullViolation, PtvcError
from ...expr.evaluate import evaluate
from ...expr.text.text_format import to_text
from ...expr.tree.scalar import Scalar
from ...repr.batch import Batch
from ...repr.buffers import validity
from ...repr.schema import Schema
from ..catalog.items import Table
from ..results.results import Columns

SHOWN_BYTES = 64
"""So much of a value is shown in an error, as in PostgreSQL."""


def check_rows(item: Table, rows: Batch) -> None:
    """Raises 23502 or 23514 if a row that `rows` adds may not be in the table."""
    if not len(rows):
        return
    for column, values in zip(item.schema, rows.columns, strict=True):
        if not column.nullable and values.null_count:
            valid = validity(values)
            assert valid is not None
            raise NotNullViolation(
                f'null value in column "{column.name}" of relation "{item.name}" violates not-null constraint',
                item.about(column=column.name),
                detail=_failing(item.schema, rows, int(np.flatnonzero(~valid)[0])),
            )
    for constraint in sorted(item.constraints, key=lambda constraint: constraint.name):
        if constraint.check is None:
            continue
        values = computed(constraint.check, rows.columns, len(rows))
        wrong = pc.index(values, pa.scalar(False)).as_py()
        if wrong >= 0:
            raise CheckViolation(
                f'new row for relation "{item.name}" violates check constraint "{constraint.name}"',
                item.about(constraint=constraint.name),
                detail=_failing(item.schema, rows, wrong),
            )


def computed(scalar: Scalar, columns: Columns, count: int) -> pa.Array:
    """The expression on each of `count` rows; the first error of one of them is the statement's."""
    result = evaluate(scalar, columns, count)
    if result.errors is not None and len(result.errors.indices):
        raise PtvcError(result.errors.messages[0].as_py(), sqlstate=result.errors.sqlstates[0].as_py())
    return result.values


def shown_values(schema: Schema, columns: tuple[pa.Array, ...], row: int) -> list[str]:
    """The values of one row as errors show them."""
    shown = []
    for column, values in zip(schema, columns, strict=True):
        text = to_text(values.slice(row, 1), column.type)[0].as_py()
        shown.append("null" if text is None else text)
    return shown


def _failing(schema: Schema, rows: Batch, row: int) -> str:
    values = (_cut(value) for value in shown_values(schema, rows.columns, row))
    return f"Failing row contains ({', '.join(values)})."


def _cut(value: str) -> str:
    data = value.encode()
    if len(data) <= SHOWN_BYTES:
        return value
    return data[:SHOWN_BYTES].decode(errors="ignore") + "..."
