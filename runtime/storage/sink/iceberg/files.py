"""A table of Iceberg as of one snapshot: its data files, and the snapshot that adds some and takes some away."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
from pyiceberg.conversions import from_bytes
from pyiceberg.expressions import AlwaysTrue
from pyiceberg.io.pyarrow import ArrowScan, _dataframe_to_data_files, schema_to_pyarrow
from pyiceberg.manifest import DataFile, ManifestContent
from pyiceberg.schema import Schema
from pyiceberg.table import FileScanTask, Table, TableProperties, Transaction
from pyiceberg.table.snapshots import Operation
from pyiceberg.table.update.schema import UpdateSchema
from pyiceberg.table.update.snapshot import _MergeAppendFiles, _OverwriteFiles
from pyiceberg.types import IntegerType, ListType, LongType, StringType

from ...lake.catalogs import Conflicted
from ...lake.columns import beyond_python
from ..lake.columns import refuse_odd_partitions
from ..lake.table import Bounds, Progress, Unreadable
from .progress import progress_of, summary_of

_METRICS = TableProperties.METRICS_MODE_COLUMN_CONF_PREFIX


class ManifestCache:
    """The data files that manifests list, as of one snapshot after the other: a manifest, which does not change, is read once."""

    def __init__(self) -> None:
        self._read: dict[str, tuple[DataFile, ...]] = {}

    def of(self, table: Table) -> list[DataFile]:
        """Raises Unreadable."""
        snapshot = table.current_snapshot()
        manifests = snapshot.manifests(table.io) if snapshot is not None else []
        read: dict[str, tuple[DataFile, ...]] = {}
        for manifest in manifests:
            if not manifest.has_added_files() and not manifest.has_existing_files():
                continue
            if manifest.content != ManifestContent.DATA:
                raise Unreadable
            path = manifest.manifest_path
            read[path] = self._read.get(path) or tuple(
                entry.data_file for entry in manifest.fetch_manifest_entry(table.io)
            )
        self._read = read
        return [file for files in read.values() for file in files]


@dataclass(frozen=True, slots=True)
class IcebergFile:
    table: Table
    file: DataFile

    @property
    def nbytes(self) -> int:
        return int(self.file.file_size_in_bytes)

    @property
    def count(self) -> int:
        return int(self.file.record_count)

    @property
    def partition(self) -> Hashable:
        return self.file.spec_id, self.file.partition

    def rows(self, names: Sequence[str] | None = None) -> pa.Table:
        table = self.table
        wanted = table.schema() if names is None else table.schema().select(*names)
        scan = ArrowScan(table.metadata, table.io, wanted, AlwaysTrue())
        rows: pa.Table = scan.to_table([FileScanTask(self.file)])
        return rows if names is None else rows.select(list(names))

    def bounds(self, name: str) -> Bounds | None:
        """Of whole numbers and texts."""
        field = self.table.schema().find_field(name)
        low, high = (self.file.lower_bounds or {}), (self.file.upper_bounds or {})
        if not isinstance(field.field_type, IntegerType | LongType | StringType):
            return None
        if field.field_id not in low or field.field_id not in high:
            return None
        lower, upper = low[field.field_id], high[field.field_id]
        if isinstance(field.field_type, LongType):  # it may have been written when the column was an integer
            return int.from_bytes(lower, "little", signed=True), int.from_bytes(upper, "little", signed=True)
        return from_bytes(field.field_type, lower), from_bytes(field.field_type, upper)


class Rewriting(_OverwriteFiles, _MergeAppendFiles):  # type: ignore[misc]
    """The library's overwrite, whose manifests are merged as those of its appends are, and which lets go of those that only say what
    is gone, or every later commit would read them all."""

    def _existing_manifests(self) -> list[Any]:
        return [m for m in super()._existing_manifests() if m.has_added_files() or m.has_existing_files()]


def _leaf(schema: Schema, name: str) -> str:
    """The column itself, or the elements of its lists."""
    return f"{name}.element" if isinstance(schema.find_field(name).field_type, ListType) else name


class IcebergTable:
    """With a `transaction` the table is as that has made it so far, and the commit is one of all."""

    rewrites_all = False

    def __init__(
        self, table: Table, manifests: ManifestCache, transaction: Transaction | None = None
    ) -> None:
        self._table = table
        self._manifests = manifests
        self._transaction = transaction

    @property
    def names(self) -> frozenset[str]:
        return frozenset(field.name for field in self._table.schema().fields)

    def grown(self, grow: Callable[[UpdateSchema, Schema], None]) -> IcebergTable:
        """With the columns that `grow` makes of those that are there."""
        table = self._table
        transaction = table.transaction()
        with transaction.update_schema() as update:
            grow(update, table.schema())
        metadata = transaction.table_metadata
        there = Table(table.name(), metadata, table.metadata_location, table.io, table.catalog)
        return IcebergTable(there, self._manifests, transaction)

    def progress(self, sink: str) -> Progress | None:
        return progress_of(self._table, sink)

    def rolled_back(self, sink: str) -> bool:
        """Progress is that of a snapshot."""
        return False

    def files(self) -> list[IcebergFile]:
        return [IcebergFile(self._table, file) for file in self._manifests.of(self._table)]

    def in_columns(self, names: Sequence[str], arrays: Sequence[pa.Array]) -> pa.Table:
        found = dict(zip(names, arrays, strict=True))
        schema = schema_to_pyarrow(self._table.schema(), include_field_ids=False)
        length = len(arrays[0])
        columns = [
            found[field.name].cast(field.type) if field.name in found else pa.nulls(length, field.type)
            for field in schema
        ]
        return pa.table(columns, schema=schema)

    def written(self, rows: pa.Table) -> Iterator[IcebergFile]:
        """A few for each partition.  Of columns with dates beyond Python's the library is to tell no bounds, for which it would make them."""
        metadata = self._table.metadata
        schema = metadata.schema()
        by = {schema.find_column_name(field.source_id) for field in metadata.spec().fields}
        refuse_odd_partitions(rows, [name for name in rows.column_names if name in by])
        odd = [name for name in rows.column_names if beyond_python(rows[name])]
        if odd:
            counts = {f"{_METRICS}.{_leaf(schema, name)}": "counts" for name in odd}
            metadata = metadata.model_copy(update={"properties": {**metadata.properties, **counts}})
        for file in _dataframe_to_data_files(metadata, rows, self._table.io):
            yield IcebergFile(self._table, file)

    def commit(
        self, added: Sequence[IcebergFile], removed: Sequence[IcebergFile], progress: Progress
    ) -> bool:
        transaction = self._transaction or self._table.transaction()
        producer = Rewriting(
            Operation.OVERWRITE if removed else Operation.APPEND,
            transaction,
            self._table.io,
            snapshot_properties=summary_of(progress),
        )
        for one in added:
            producer.append_data_file(one.file)
        for one in removed:
            producer.delete_data_file(one.file)
        producer.commit()
        try:
            transaction.commit_transaction()
        except Conflicted:
            # An answer may get lost, and the request be sent again by what lies in between: it conflicts with itself then.
            return self._table.refresh().metadata.snapshot_by_id(producer.snapshot_id) is not None
        return True

    def discard(self, files: Sequence[IcebergFile]) -> None:
        for one in files:
            self._table.io.delete(one.file.file_path)
