"""Statistics bound what they describe, and survive their JSON."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime
from decimal import Decimal

import pytest
from persist_support import batch_of
from ptvc.persist.part_stats import ColumnStats, PartStats, batch_stats
from ptvc.repr.schema import Column, Schema
from ptvc.repr.types import (
    BOOL,
    BYTEA,
    DATE,
    FLOAT8,
    INT4RANGE,
    INT8,
    INTERVAL,
    NUMERIC,
    TEXT,
    TIME,
    TIMESTAMP,
    TIMESTAMPTZ,
    UUID,
    ScalarType,
    array_of,
    derived_numeric,
)

NAN = float("nan")


@pytest.mark.parametrize(
    ("type_", "values", "expected"),
    [
        (INT8, [3, None, -(2**63), 2**63 - 1], ColumnStats(1, (-(2**63), 2**63 - 1))),
        (INT8, [None, None], ColumnStats(2, None)),
        (BOOL, [True, False, None], ColumnStats(1, (False, True))),
        (FLOAT8, [0.1, -1e300, float("inf")], ColumnStats(0, (-1e300, float("inf")))),
        (FLOAT8, [0.1, NAN, None], ColumnStats(1, None)),
        (TEXT, ["b", "Z", "ä", None], ColumnStats(1, ("Z", "ä"))),
        (TEXT, ["b", "c" * 300], ColumnStats(0, None)),
        (NUMERIC, [Decimal("1.5"), Decimal("-2")], ColumnStats(0, (Decimal("-2"), Decimal("1.5")))),
        (derived_numeric(2), [Decimal("1.25"), None], ColumnStats(1, (Decimal("1.25"), Decimal("1.25")))),
        (DATE, [date(1970, 1, 3), date(1969, 12, 31)], ColumnStats(0, (-1, 2))),
        (TIMESTAMP, [datetime(1970, 1, 1, 0, 0, 1), None], ColumnStats(1, (1_000_000, 1_000_000))),
        (TIMESTAMPTZ, [datetime(1970, 1, 2, tzinfo=UTC)], ColumnStats(0, (86_400_000_000,) * 2)),
        (array_of(INT8), [[1], [], None], ColumnStats(1, None)),
        (BYTEA, [b"\xff", b"", None], ColumnStats(1, (b"", b"\xff"))),
        (UUID, [bytes(16)], ColumnStats(0, (bytes(16), bytes(16)))),
        (INTERVAL, [bytes(16), None], ColumnStats(1, None)),
        (INT4RANGE, [bytes(12), None], ColumnStats(1, (bytes(12), bytes(12)))),
        (TIME, [86_400_000_000, 0], ColumnStats(0, (0, 86_400_000_000))),
    ],
    ids=lambda value: str(value)[:20],
)
def test_bounds(type_: ScalarType, values: list[object], expected: ColumnStats) -> None:
    batch = batch_of(Schema((Column("c", type_),)), [((value,), 1, 1) for value in values])
    stats = batch_stats(batch)
    assert stats == PartStats(len(values), (expected,))
    assert PartStats.from_json(json.loads(json.dumps(stats.to_json()))) == stats


def test_no_rows_and_no_columns() -> None:
    schema = Schema((Column("c", INT8),))
    assert batch_stats(batch_of(schema, [])) == PartStats(0, (ColumnStats(0, None),))
    assert batch_stats(batch_of(Schema(()), [((), 1, 1)])) == PartStats(1, ())
