"""The columns of a lake's table that a sink writes: those of what it reads, and in a log of changes when and how often."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from ....errors import InvalidParameter, Unsupported
from ....repr.batch import Batch
from ....repr.schema import Column, Schema
from ....repr.types import INT8
from ...lake.columns import beyond_python, lake_arrays, lake_type
from ..change_records import SinkEnvelope
from ..contract import Unwritable

TIMESTAMP_COLUMN, DIFF_COLUMN = "_mz_timestamp", "_mz_diff"
"""Behind the columns of a change log: when the row changed (ms), and how many of it came (or went, below 0)."""

MODES = {SinkEnvelope.UPSERT: "UPSERT", SinkEnvelope.NONE: "APPEND"}


def written_columns(schema: Schema, envelope: SinkEnvelope) -> tuple[Column, ...]:
    if envelope is SinkEnvelope.UPSERT:
        return schema.columns
    log = (Column(TIMESTAMP_COLUMN, INT8, nullable=False), Column(DIFF_COLUMN, INT8, nullable=False))
    return (*schema.columns, *log)


def check_columns(schema: Schema, envelope: SinkEnvelope, key: Sequence[int]) -> None:
    """Raises InvalidParameter or Unsupported for what no table of a lake is made of."""
    if envelope is SinkEnvelope.UPSERT and not key:
        raise InvalidParameter("MODE UPSERT needs a key", hint="Name its columns: KEY (a, b).")
    if envelope is SinkEnvelope.NONE and key:
        raise InvalidParameter(
            "KEY means nothing with MODE APPEND", hint="MODE UPSERT keeps the rows by their key."
        )
    columns = written_columns(schema, envelope)
    names = [column.name.lower() for column in columns]
    for column in columns:
        if names.count(column.name.lower()) > 1:
            raise InvalidParameter(
                f'column "{column.name}" occurs more than once in the table',
                hint="Give the columns names that differ in more than case, as not all readers of lakes tell those apart.",
            )
        lake_type(column)
    for index in key:
        if schema[index].type.is_float or pa.types.is_nested(lake_type(schema[index])):
            raise Unsupported(
                f'column "{schema[index].name}" of the key is of type {schema[index].type}',
                hint="The key of a lake's table is made of numbers that are exact, texts, dates, and the like.",
            )


def refuse_odd_partitions(rows: pa.Table, names: Sequence[str]) -> None:
    """Raises Unwritable for years that no two readers would find in a partition's name or value."""
    for name in names:
        if beyond_python(rows[name]):
            raise Unwritable(
                f'column "{name}", by which the table is partitioned, is before the year 1 or after 9999 in a row',
                hint="Correct the row, write another value for it in a view, or do not partition by it.",
            )


def log_arrays(schema: Schema, changes: Batch) -> list[pa.Array]:
    """Of consolidated changes: those of `written_columns`."""
    log = [pa.array(changes.times.astype(np.int64)), pa.array(np.ascontiguousarray(changes.diffs))]
    return [*lake_arrays(changes.columns, schema.columns), *log]


def row_arrays(schema: Schema, rows: Batch) -> list[pa.Array]:
    return lake_arrays(rows.columns, schema.columns)
