"""A table that a sink writes, from its first rows to other columns, and what a reader is to find in it after each step."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
from ptvc.repr.batch import Batch, concat_batches
from ptvc.repr.schema import Column, Schema
from ptvc.repr.types import (
    BOOL,
    DATE,
    FLOAT8,
    INT4,
    INT8,
    TEXT,
    TIMESTAMP,
    TIMESTAMPTZ,
    Kind,
    ScalarType,
    list_of,
)
from ptvc.storage.sink.lake.exchange import Exchange

from ..sink.delta import support as delta
from ..sink.iceberg import support as iceberg

Row = tuple[Any, ...]
Target = iceberg.Target | delta.Target

WRITTEN = Schema(
    (
        Column("k", INT4, nullable=False),
        Column("v", TEXT),
        Column("n", ScalarType(Kind.NUMERIC, precision=12, scale=2)),
        Column("at", TIMESTAMPTZ),
        Column("day", DATE),
        Column("yes", BOOL),
        Column("tags", list_of(TEXT)),
    )
)
EXCHANGED = Schema(
    (
        Column("k", INT8, nullable=False),
        Column("v", TEXT),
        Column("n", ScalarType(Kind.NUMERIC, precision=14, scale=2)),
        Column("f", FLOAT8),
        Column("moment", TIMESTAMP),
    )
)


def batch(schema: Schema, rows: list[Row], time: int, diff: int = 1) -> Batch:
    columns = tuple(
        pa.array(values, column.type.arrow)
        for values, column in zip(zip(*rows, strict=True), schema, strict=True)
    )
    return Batch(columns, np.full(len(rows), time, np.uint64), np.full(len(rows), diff, np.int64))


def written(k: int) -> Row:
    even = k % 2 == 0
    n, tags = (Decimal(k) / 4, ["a", None]) if even else (None, None)
    return k, f"v{k % 3}", n, k * 1_000_000 + 1, k - 3, even, tags


def shown(row: Row, tags: str) -> Row:
    """A row of `WRITTEN`, its numbers and days as texts, and `tags` in place of those that it has."""
    k, v, n, at, day, yes, given = row
    text = None if n is None else f"{n:.2f}"
    return k, v, text, at, str(np.datetime64(day, "D")), yes, None if given is None else tags


def steps(out: Target) -> Iterator[list[Row]]:
    """The rows of `WRITTEN` after each commit, and at last of k, v, n, f, moment and day of an exchange, of which n is a text."""
    first = iceberg.FIRST
    rows = [written(k) for k in range(300)]
    sink = out.sink()
    sink.open()
    sink.write(batch(WRITTEN, rows, first), 0, first + 1)
    yield rows
    sink.write(batch(WRITTEN, rows[:100], first + 1, -1), first + 1, first + 2)
    yield rows[100:]
    out.former, out.schema = WRITTEN, EXCHANGED
    exchange = Exchange.between(WRITTEN, EXCHANGED)
    others = [(k << 33, f"v{k % 4}", Decimal(k) * 10**9, k / 8, k) for k in range(50)]
    gone = exchange.of_former(batch(WRITTEN, rows[100:], first + 2, -1))
    come = exchange.of_new(batch(EXCHANGED, others, first + 2))
    sink = out.sink(generation=1)
    sink.open()
    sink.write(concat_batches(exchange.schema, [gone, come]), first + 2, first + 3, first + 2)
    yield [(k, v, f"{n:.2f}", f, moment, None) for k, v, n, f, moment in others]
