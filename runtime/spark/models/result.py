"""What a model returns, as columns of a table and lines of COPY.

A DataFrame of Spark is written to lines by its tasks, in parallel, and kept on disk: nobody holds all of it in memory, and what is
computed is computed once.  What is in this process's memory already (pandas, Arrow) is written here, a slice at a time.  So is a
DataFrame that Spark's optimizer takes for small, which spares the start of Python workers; one that turns out not to be is computed anew.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
from pyspark import StorageLevel
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.pandas.types import to_arrow_schema

from ...errors import DatatypeMismatch, DuplicateObject, InvalidParameter, PtvcError, Unsupported
from ...pgwire.copy_write import RowWriter
from ...pgwire.pieces import joined_bytes
from ...repr.schema import Column, Schema
from ...repr.types import NUMERIC, Kind
from ...sql.syntax.vocabulary import CopyFormat, CopyOptions
from .column_types import column_values, sql_type

COPY_OPTIONS = CopyOptions(CopyFormat.TEXT, "\t", "\\N", False)
SLICE_ROWS = 10_000
COLLECTED_BYTES = 64 << 20
"""Lines of so many bytes are taken from Spark at once, more of them a partition at a time."""

SMALL_BYTES = 1 << 20
SMALL_ROWS = 100_000
"""A result of which the optimizer expects at most `SMALL_BYTES`, and which has no more rows, is written in this process."""

_MAX_NAME_BYTES = 63
_KINDS = "a DataFrame of PySpark, of pandas or of pandas on Spark, a pyarrow.Table, or what can be exported to Arrow"


@dataclass(frozen=True)
class Lines:
    """Writes batches of the schema as lines of COPY.  Goes to Spark's tasks as it is."""

    schema: Schema

    def written(self, batch: pa.RecordBatch) -> bytes:
        columns = tuple(
            column_values(column.name, values, column.type)
            for column, values in zip(self.schema, batch.columns, strict=True)
        )
        return bytes(joined_bytes(RowWriter(self.schema, COPY_OPTIONS).lines(columns)))

    def in_task(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            try:
                lines = self.written(batch)
            except PtvcError as error:
                raise ValueError(_explained(error)) from None  # the driver sees the text only
            sizes = (pa.array([batch.num_rows], pa.int64()), pa.array([len(lines)], pa.int64()))
            yield pa.RecordBatch.from_arrays(
                [*sizes, pa.array([lines], pa.binary())], ["rows", "size", "lines"]
            )


def _explained(error: PtvcError) -> str:
    return f"{error.message} (HINT: {error.hint})" if error.hint else error.message


@dataclass(frozen=True)
class Result:
    """`lines` are to be taken once."""

    schema: Schema
    rows: int
    lines: Iterator[bytes]

    @property
    def columns(self) -> list[tuple[str, str]]:
        return [(column.name, str(column.type)) for column in self.schema]


@contextmanager
def result_of(returned: Any, session: SparkSession) -> Iterator[Result]:
    """What the model has returned, computed.  DatatypeMismatch if it is no DataFrame; Unsupported, and others, which name the
    column, if no table can have its columns."""
    if type(returned).__module__.startswith("pyspark.pandas"):
        # Known by its name, since the import takes seconds.
        returned = (returned if hasattr(returned, "to_spark") else returned.to_frame()).to_spark()
    if not isinstance(returned, DataFrame):
        yield _in_memory(returned)
        return
    if returned.isStreaming:
        raise Unsupported(
            "model() has returned a stream, which has no end",
            hint="Read with spark.read instead of spark.readStream; what shall follow its inputs is a materialized view.",
        )
    schema = table_schema(to_arrow_schema(returned.schema, timezone="UTC"))
    if (small := _small_table(returned)) is not None:
        yield _written_here(schema, small)
        return
    written = returned.mapInArrow(Lines(schema).in_task, "rows long, size long, lines binary")
    kept = written.persist(StorageLevel.DISK_ONLY)
    try:
        written_batches = kept.select("rows", "size").collect()  # this computes all, in parallel
        rows, size = (sum(batch[i] for batch in written_batches) for i in (0, 1))
        lines = kept.select("lines")
        found = lines.collect() if size <= COLLECTED_BYTES else lines.toLocalIterator()
        yield Result(schema, rows, (bytes(row[0]) for row in found))
    finally:
        kept.unpersist()


def _small_table(returned: DataFrame) -> pa.Table | None:
    # PySpark has no name for the optimizer's estimate; it is huge where nothing is known.
    estimate = returned._jdf.queryExecution().optimizedPlan().stats().sizeInBytes()
    if int(str(estimate)) > SMALL_BYTES:
        return None
    table = returned.limit(SMALL_ROWS + 1).toArrow()
    return table if table.num_rows <= SMALL_ROWS else None


def _in_memory(returned: Any) -> Result:
    table, decimals = _arrow_table(returned)
    return _written_here(table_schema(table.schema, decimals), table)


def _written_here(schema: Schema, table: pa.Table) -> Result:
    lines = Lines(schema)
    batches = table.to_batches(max_chunksize=SLICE_ROWS)
    return Result(schema, table.num_rows, (lines.written(batch) for batch in batches))


def _arrow_table(returned: Any) -> tuple[pa.Table, frozenset[str]]:
    """And the columns of Python's Decimals, whose digits are those of the values that are there today."""
    import pandas  # type: ignore[import-untyped]

    if isinstance(returned, pandas.DataFrame):
        objects = {str(name) for name, type_ in returned.dtypes.items() if type_.hasobject}
        try:
            table = pa.Table.from_pandas(returned, preserve_index=False)
        except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError) as error:
            raise DatatypeMismatch(
                f"a column of the pandas DataFrame holds values of several kinds: {'; '.join(map(str, error.args))}",
                hint="Give the column one type, for instance with .astype(str).",
            ) from error
        decimals = {field.name for field in table.schema if pa.types.is_decimal(field.type)}
        return table, frozenset(objects & decimals)
    if isinstance(returned, pa.Table):
        return returned, frozenset()
    if isinstance(returned, pa.RecordBatch):
        return pa.table(returned), frozenset()
    if hasattr(returned, "__arrow_c_stream__"):
        return pa.table(returned), frozenset()
    if returned is None:
        raise DatatypeMismatch("model() has returned nothing", hint=f"Return {_KINDS}.")
    kind = type(returned)
    name = kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"
    raise DatatypeMismatch(f"model() has returned a {name}", hint=f"Return {_KINDS}.")


def table_schema(schema: pa.Schema, decimals: frozenset[str] = frozenset()) -> Schema:
    """The columns of a table for such rows; those of `decimals` are numeric of any size."""
    if not len(schema):
        raise InvalidParameter("the DataFrame has no columns", hint="A table has one at least.")
    seen = set()
    for name in schema.names:
        if name in seen:
            raise DuplicateObject(
                f'the DataFrame has several columns "{name}"',
                sqlstate="42701",
                hint="Give each a name of its own, for instance with .alias().",
            )
        if not name or "\0" in name or len(name.encode()) > _MAX_NAME_BYTES:
            raise InvalidParameter(
                f'"{name}" is no name of a column: it has 1 to {_MAX_NAME_BYTES} bytes', sqlstate="42622"
            )
        seen.add(name)
    columns = []
    for field in schema:
        type_ = sql_type(field.name, field.type)
        if field.name in decimals and type_.kind is Kind.NUMERIC:
            type_ = NUMERIC
        columns.append(Column(field.name, type_))
    return Schema(tuple(columns))
