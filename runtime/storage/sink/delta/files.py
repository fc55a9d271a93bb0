"""A table of Delta Lake as of one version: its data files, and the version that adds some and takes some away.

How far a sink is stands in the numbers that Delta Lake keeps for applications, which its checkpoints have too: they outlive the log's
entries.

| application             | number                                                         |
|-------------------------|----------------------------------------------------------------|
| `<sink>`                | all below is in the table                                      |
| `<sink>/writer`, `/term`| who has opened the sink last, as its which installation        |
| `<sink>/generation`     | how often what the sink reads had been exchanged               |
| `<sink>/version`        | the version of the table in which the sink has written last    |
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from deltalake import CommitProperties, DeltaTable, TableFeatures, Transaction
from deltalake import Schema as DeltaSchema
from deltalake.exceptions import CommitFailedError
from deltalake.fs import DeltaStorageHandler
from deltalake.transaction import AddAction, RemoveAction
from pyarrow.fs import FileSystem, PyFileSystem

from ....clock import SystemClock
from ..contract import Unwritable
from ..lake.columns import refuse_odd_partitions
from ..lake.table import Bounds, Progress, Unreadable

LONGEST_BOUND = 64
"""Characters of texts that are told as the bounds of a file."""
_ROW_GROUP_ROWS = 256_000


def filesystem(uri: str, storage: Mapping[str, str]) -> FileSystem:
    """The files of a table, by their paths below it."""
    return PyFileSystem(DeltaStorageHandler(uri, dict(storage)))


@dataclass(frozen=True, slots=True)
class DeltaFile:
    table: DeltaVersion
    path: str
    nbytes: int
    count: int
    values: Mapping[str, str | None]
    """Of the columns that the table is partitioned by, as texts."""
    least: Mapping[str, Any]
    greatest: Mapping[str, Any]
    stats: str = ""

    @property
    def partition(self) -> Hashable:
        return tuple(sorted(self.values.items()))

    def rows(self, names: Sequence[str] | None = None) -> pa.Table:
        schema = self.table.schema
        wanted = [schema.field(name) for name in names] if names is not None else list(schema)
        stored = [field.name for field in wanted if field.name not in self.values]
        with pq.ParquetFile(self.table.files_of.open_input_file(self.path)) as file:
            there = set(file.schema_arrow.names)
            found = file.read([name for name in stored if name in there])
        columns = []
        for field in wanted:
            if field.name in self.values:
                columns.append(_constant(self.values[field.name], field.type, self.count))
            elif field.name in there:
                columns.append(found[field.name].cast(field.type))
            else:
                columns.append(pa.nulls(self.count, field.type))
        return pa.table(columns, schema=pa.schema(wanted))

    def bounds(self, name: str) -> Bounds | None:
        """Of whole numbers and texts."""
        low, high = self.least.get(name), self.greatest.get(name)
        if isinstance(low, int | str) and isinstance(high, int | str):
            return low, high
        return None


def _constant(text: str | None, type_: pa.DataType, count: int) -> pa.Array:
    return pa.nulls(count, type_) if text is None else pa.repeat(pa.scalar(text).cast(type_), count)


class DeltaVersion:
    def __init__(self, table: DeltaTable, files: FileSystem, columns: pa.Schema | None = None) -> None:
        """With `columns` the next version has those in place of what this one has."""
        self._table = table
        self.files_of = files
        self.schema = columns or pa.schema(table.schema().to_arrow())
        self.rewrites_all = columns is not None
        self._partitions = list(table.metadata().partition_columns)

    @property
    def names(self) -> frozenset[str]:
        return frozenset(self.schema.names)

    def with_columns(self, columns: pa.Schema) -> DeltaVersion:
        return DeltaVersion(self._table, self.files_of, columns)

    def progress(self, sink: str) -> Progress | None:
        upper = self._number(sink)
        if upper is None:
            return None
        writer, term, generation = (
            self._number(f"{sink}/{what}") or 0 for what in ("writer", "term", "generation")
        )
        return Progress(sink, upper, f"{writer:014x}", term, generation)

    def rolled_back(self, sink: str) -> bool:
        """Whether somebody has gone back to an older version after the sink has written last: its numbers do not go back with that."""
        last = self._number(f"{sink}/version")
        since = 0 if last is None else self._table.version() - last
        entries = self._table.history(since) if since > 0 else []
        return any(entry.get("operation") == "RESTORE" for entry in entries)

    def _number(self, application: str) -> int | None:
        found: int | None = self._table.transaction_version(application)
        return found

    def files(self) -> list[DeltaFile]:
        if "deletionVectors" in (self._table.protocol().reader_features or ()):
            raise Unreadable
        actions = pa.table(self._table.get_add_actions(flatten=False))
        return [
            DeltaFile(
                self,
                unquote(row["path"]),  # the log has URIs
                row["size_bytes"],
                _known(row["num_records"]),
                _texts(row.get("partition"), self._partitions, self.schema),
                row.get("min") or {},
                row.get("max") or {},
            )
            for row in actions.to_pylist()
        ]

    def in_columns(self, names: Sequence[str], arrays: Sequence[pa.Array]) -> pa.Table:
        found = dict(zip(names, arrays, strict=True))
        columns = [
            found[field.name].cast(field.type)
            if field.name in found
            else pa.nulls(len(arrays[0]), field.type)
            for field in self.schema
        ]
        return pa.table(columns, schema=self.schema)

    def written(self, rows: pa.Table) -> Iterator[DeltaFile]:
        """One for each partition."""
        for values, part in _parts(rows, self._partitions):
            # Values stand in the log, so that the folder need not be called like them, in letters that a store may not take.
            path = f"part-{secrets.token_hex(16)}.zstd.parquet"
            stored = part.drop_columns(self._partitions)
            with self.files_of.open_output_stream(path) as stream:
                pq.write_table(stored, stream, compression="zstd", row_group_size=_ROW_GROUP_ROWS)
            size = self.files_of.get_file_info(path).size
            least, greatest = _extremes(stored)
            stats = {
                "numRecords": stored.num_rows,
                "minValues": least,
                "maxValues": greatest,
                "nullCount": {name: stored[name].null_count for name in least},
            }
            yield DeltaFile(self, path, size, stored.num_rows, values, least, greatest, json.dumps(stats))

    def commit(self, added: Sequence[DeltaFile], removed: Sequence[DeltaFile], progress: Progress) -> bool:
        """The next version, or none: what somebody else has done meanwhile is looked at first."""
        now_ms = SystemClock().now_ms()
        actions: list[AddAction | RemoveAction] = [
            AddAction(one.path, one.nbytes, dict(one.values), now_ms, True, one.stats) for one in added
        ]
        actions += [RemoveAction(one.path, True, now_ms, one.nbytes, dict(one.values)) for one in removed]
        if not self.rewrites_all:
            return self._next("append", actions, progress)
        there = {file.path for file in self.files()}
        assert there == {file.path for file in removed}, "all files are written anew"
        return self._next("overwrite", actions[: len(added)], progress)

    def _next(self, mode: str, actions: Sequence[AddAction | RemoveAction], progress: Progress) -> bool:
        """With the mode "overwrite" the library takes away what is there, and writes down the columns."""
        schema = DeltaSchema.from_arrow(self.schema) if self.rewrites_all else self._table.schema()

        def write(properties: CommitProperties) -> None:
            self._table.create_write_transaction(
                list(actions), mode, schema, self._partitions, commit_properties=properties
            )

        return self._committed(write, progress)

    def _committed(self, write: Callable[[CommitProperties], None], progress: Progress) -> bool:
        """As `commit`, of whatever `write` makes the next version of."""
        sink, version = progress.sink, self._table.version() + 1
        numbers = {
            sink: progress.upper,
            f"{sink}/writer": int(progress.writer, 16),
            f"{sink}/term": progress.term,
            f"{sink}/generation": progress.generation,
            f"{sink}/version": version,
        }
        properties = CommitProperties(
            custom_metadata={"ptvc.sink-id": sink, "ptvc.frontier": str(progress.upper)},
            max_commit_retries=0,
            app_transactions=[Transaction(app, number) for app, number in numbers.items()],
        )
        try:
            write(properties)
        except CommitFailedError:
            self._table.update_incremental()
            if self._table.version() < version:
                raise  # the version is still to be had: this commit may come to be it
            # The store may have done it, and have said that it is there already when it was asked again.
            return self.progress(sink) == progress and self._number(f"{sink}/version") == version
        return True

    def allows(self, columns: pa.Schema) -> bool:
        """Has the table allow timestamps without a zone, if there are some, by a version of its own, which changes nothing else; False where
        somebody else has committed since."""
        protocol = self._table.protocol()
        zoneless = any(_is_zoneless(field.type) for field in columns)
        if not zoneless or "timestampNtz" in (protocol.writer_features or ()):
            return True
        version = self._table.version() + 1
        try:
            self._table.alter.add_feature(
                TableFeatures.TimestampWithoutTimezone,
                allow_protocol_versions_increase=True,
                commit_properties=CommitProperties(max_commit_retries=0),
            )
        except CommitFailedError:
            self._table.update_incremental()
            if self._table.version() < version:
                raise
            return False
        return True

    def add_columns(self, columns: pa.Schema, progress: Progress) -> bool:
        """A version in which nothing else changes; False where somebody else has committed since."""
        fields = [field for field in DeltaSchema.from_arrow(columns).fields if field.name not in self.names]
        return self._committed(
            lambda properties: self._table.alter.add_columns(fields, commit_properties=properties), progress
        )

    def discard(self, files: Sequence[DeltaFile]) -> None:
        for one in files:
            self.files_of.delete_file(one.path)


def _is_zoneless(type_: pa.DataType) -> bool:
    if pa.types.is_list(type_):
        return _is_zoneless(type_.value_type)
    return bool(pa.types.is_timestamp(type_)) and type_.tz is None


def _known(count: int | None) -> int:
    if count is None:
        raise Unreadable
    return count


def _texts(
    partition: Mapping[str, Any] | None, names: Sequence[str], schema: pa.Schema
) -> dict[str, str | None]:
    return {name: _text(pa.scalar((partition or {}).get(name), schema.field(name).type)) for name in names}


def _text(value: pa.Scalar) -> str | None:
    """A partition's value as Delta Lake writes it."""
    text: str | None = value.cast(pa.string()).as_py()
    if text == "":
        raise Unwritable(
            "a column that the table is partitioned by is an empty text in a row, which Delta Lake takes for NULL",
            hint="Write another value for it in a view, or do not partition by it.",
        )
    return text


def _parts(rows: pa.Table, names: Sequence[str]) -> Iterator[tuple[dict[str, str | None], pa.Table]]:
    if not names:
        yield {}, rows
        return
    refuse_odd_partitions(rows, names)
    for found in rows.select(names).group_by(names).aggregate([]).to_pylist():
        mask = None
        for name, value in found.items():
            column = rows[name]
            same = (
                pc.is_null(column)
                if value is None
                else pc.fill_null(pc.equal(column, pa.scalar(value, column.type)), False)
            )
            mask = same if mask is None else pc.and_(mask, same)
        values = {name: _text(pa.scalar(value, rows[name].type)) for name, value in found.items()}
        yield values, rows.filter(mask)


def _extremes(rows: pa.Table) -> tuple[dict[str, Any], dict[str, Any]]:
    """The least and the greatest value of whole numbers and of texts that are short."""
    least: dict[str, Any] = {}
    greatest: dict[str, Any] = {}
    for field in rows.schema:
        if pa.types.is_integer(field.type) or pa.types.is_string(field.type):
            found = pc.min_max(rows[field.name]).as_py()
            low, high = found["min"], found["max"]
            if low is not None and (isinstance(low, int) or max(len(low), len(high)) <= LONGEST_BOUND):
                least[field.name], greatest[field.name] = low, high
    return least, greatest
