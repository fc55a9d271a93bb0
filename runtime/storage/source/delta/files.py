"""A data file of a table of Delta Lake: its rows, without those that a deletion vector marks as gone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from pyarrow.fs import FileSystem

from ..directory import SourceStalled
from ..lake.table import LakeRows

_BATCH_ROWS = 64_000


@dataclass(frozen=True, slots=True)
class DeltaDataFile:
    """`types` are those of the columns that are read, `stored` what the file calls them; `values` has those of them that the table is partitioned
    by.  `kept` says of each of the file's rows whether the table has it; None: it has all."""

    files_of: FileSystem
    name: str
    nbytes: int
    count: int | None
    types: Mapping[str, pa.DataType]
    stored: Mapping[str, str]
    values: Mapping[str, pa.Scalar]
    kept: pa.Array | None = None

    def batches(self) -> Iterator[LakeRows]:
        stored = [self.stored[column] for column in self.types if column not in self.values]
        with self.files_of.open_input_file(self.name) as raw:
            file = pq.ParquetFile(raw, coerce_int96_timestamp_unit="us")
            there = set(file.schema_arrow.names)
            row = 0
            wanted = [name for name in stored if name in there]
            for batch in file.iter_batches(_BATCH_ROWS, columns=wanted):
                length = batch.num_rows
                columns = {
                    column: self._column(
                        column, type_, batch if self.stored[column] in there else None, length
                    )
                    for column, type_ in self.types.items()
                }
                numbers = np.arange(row + 1, row + length + 1)
                if self.kept is not None:
                    mask = self.kept.slice(row, length)
                    if len(mask) < length:  # what it does not reach is there
                        mask = pa.concat_arrays([mask, pa.repeat(True, length - len(mask))])
                    columns = {name: column.filter(mask) for name, column in columns.items()}
                    numbers = numbers[mask.to_numpy(zero_copy_only=False)]
                row += length
                yield LakeRows(columns, numbers)

    def _column(self, name: str, type_: pa.DataType, batch: pa.RecordBatch | None, length: int) -> pa.Array:
        if name in self.values:
            return pa.repeat(self.values[name], length)
        if batch is None:
            return pa.nulls(length, type_)
        return _as(batch.column(batch.schema.get_field_index(self.stored[name])), type_)


def _as(values: pa.Array, type_: pa.DataType) -> pa.Array:
    """As the table has it; files may have been written when it had another type, or by somebody who stores it in another one."""
    return values if values.type == type_ else values.cast(type_)


def path_of(action: Mapping[str, Any], what: str) -> str:
    """Below the table's place.  Raises SourceStalled for a file elsewhere."""
    path = unquote(action["path"]).removeprefix("/")  # the log has URIs, and DuckDB's with a slash in front
    if "://" in path or path.startswith("/") or ".." in path.split("/"):
        raise SourceStalled(
            f'{what} has its file "{path}" elsewhere',
            hint="It is a shallow clone: make a deep one.",
        )
    return path


def partition_value(text: str | None, type_: pa.DataType) -> pa.Scalar:
    """A value as the log has it: a text, of which an empty one is NULL."""
    if not text:
        return pa.scalar(None, type_)
    if pa.types.is_timestamp(type_):
        return pa.scalar(text.removesuffix("Z")).cast(pa.timestamp("us")).cast(type_)
    if pa.types.is_binary(type_):
        raise pa.ArrowNotImplementedError("partitions by bytes are not read")
    return pa.scalar(text).cast(type_)
