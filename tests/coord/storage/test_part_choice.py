"""Parts that a query leaves unread hold nothing of what it asks for, whatever types it compares."""

from __future__ import annotations

from itertools import product

import numpy as np
import pyarrow as pa
import pytest
from expr.values import EDGES
from ptvc.coord.storage.part_choice import needed, part_conditions
from ptvc.errors import PtvcError
from ptvc.expr.coercion.literals import any_value
from ptvc.expr.evaluate import evaluate
from ptvc.expr.registry import resolve_call
from ptvc.expr.text.text_input import from_text
from ptvc.expr.tree.scalar import ColumnRef, Literal, Scalar
from ptvc.persist.part import PARQUET_ENCODING, PartRef
from ptvc.persist.part_stats import batch_stats
from ptvc.repr.batch import Batch
from ptvc.repr.schema import Column, Schema
from ptvc.repr.types import DATE, TIMESTAMP, TIMESTAMPTZ, ScalarType

INPUT = "u1"
COMPARISONS = ("eq", "lt", "le", "gt", "ge")
MOMENTS = {
    DATE: [
        "2024-01-01",
        "2024-01-02",
        "1969-12-31",
        "infinity",
        "-infinity",
        "290000-01-01",
        "5000000-01-01",
    ],
    TIMESTAMP: [
        "2024-01-01 00:00",
        "2024-01-01 00:00:00.000001",
        "1969-12-31 12:00",
        "infinity",
        "-infinity",
    ],
    TIMESTAMPTZ: [
        "2024-01-01 00:00",
        "2023-12-31 23:59:59.999999",
        "1970-01-01 12:00",
        "infinity",
        "-infinity",
    ],
}
VALUES = EDGES | MOMENTS


def column(type_: ScalarType) -> pa.Array:
    """The edge values, and NULL."""
    found = from_text(pa.array(VALUES[type_], pa.string()), type_)
    assert found.errors is None
    return found.values


def part_of(values: pa.Array) -> PartRef:
    rows = Batch((values,), np.zeros(len(values), np.uint64), np.ones(len(values), np.int64))
    return PartRef("s", PARQUET_ENCODING, None, "blob", len(values), 0, 1, 0, 0, 0, batch_stats(rows))


def compared(name: str, left: Scalar, right: Scalar) -> Scalar | None:
    try:
        return resolve_call(name, (left, right))
    except PtvcError:
        return None


@pytest.mark.parametrize(("type_", "other"), list(product(VALUES, VALUES)), ids=str)
def test_what_a_comparison_is_true_of_is_read(type_: ScalarType, other: ScalarType) -> None:
    """Of a column of the one type with a constant of the other, each row of which is a part."""
    if compared("eq", ColumnRef(0, type_), Literal(None, other)) is None:
        return
    rows, schema = column(type_), Schema((Column("a", type_),))
    parts = [part_of(rows.slice(i, 1)) for i in range(len(rows))]
    for value, name, mirrored in product(column(other), COMPARISONS, (False, True)):
        constant = Literal(any_value(value), other)
        sides = (ColumnRef(0, type_), constant)
        predicate = compared(name, *(reversed(sides) if mirrored else sides))
        assert predicate is not None
        found = evaluate(predicate, (rows,), len(rows))
        conditions = part_conditions([(INPUT, (predicate,))])[INPUT]
        read = needed(parts, schema, conditions)
        for row, part in zip(found.values.to_pylist(), parts, strict=True):
            assert not row or any(part is other_part for other_part in read), (name, value, mirrored)


@pytest.mark.parametrize(
    ("type_", "values", "predicate", "read"),
    [
        (DATE, ["2024-01-01", "2024-01-02"], ("gt", TIMESTAMP, "2024-01-01 12:00"), [1]),
        (DATE, ["2024-01-01", "2024-01-02"], ("eq", TIMESTAMP, "2024-01-01 12:00"), []),
        (DATE, ["2024-01-01", "2024-01-02"], ("eq", TIMESTAMPTZ, "2024-01-02"), [1]),
        (TIMESTAMP, ["2024-01-01 12:00", "2024-01-02"], ("lt", DATE, "2024-01-02"), [0]),
        (TIMESTAMPTZ, ["2024-01-01 12:00", "2024-01-02"], ("ge", TIMESTAMP, "2024-01-02"), [1]),
    ],
    ids=str,
)
def test_moments_of_several_types_leave_parts_out(
    type_: ScalarType, values: list[str], predicate: tuple[str, ScalarType, str], read: list[int]
) -> None:
    name, other, text = predicate
    rows = from_text(pa.array(values), type_).values
    parts = [part_of(rows.slice(i, 1)) for i in range(len(rows))]
    constant = Literal(any_value(from_text(pa.array([text]), other).values[0]), other)
    asked = compared(name, ColumnRef(0, type_), constant)
    assert asked is not None
    conditions = part_conditions([(INPUT, (asked,))])[INPUT]
    found = needed(parts, Schema((Column("a", type_),)), conditions)
    assert [i for i, part in enumerate(parts) if any(part is each for each in found)] == read
