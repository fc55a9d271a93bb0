"""A table of Delta Lake as a source reads it: its contents as of the newest version, then the log, one version after the other.

| position  |                                                                      |
|-----------|----------------------------------------------------------------------|
| `version` | up to which everything is read                                       |
| `mark`    | what that entry of the log is known by, if it was still there        |

Actions that change no data (`dataChange` false: OPTIMIZE, statistics) are passed over.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import unquote

import pyarrow as pa
from deltalake import DeltaTable
from deltalake import Schema as DeltaSchema
from deltalake.fs import DeltaStorageHandler
from pyarrow.fs import PyFileSystem

from ....repr.schema import Schema
from ...connections.values import Values
from ...lake.delta import ERRORS, delta_table, storage_options
from ..directory import SourceStalled
from ..lake.table import Commit, expired, gone, lacks, replaced
from ..lake.values import check_readable
from .files import DeltaDataFile, partition_value, path_of
from .log import Actions, DeltaLog
from .options import DeltaSourceOptions

_FEATURES = frozenset(
    ("timestampNtz", "deletionVectors", "v2Checkpoint", "vacuumProtocolCheck", "columnMapping")
)
"""What a table may ask of its readers.  Column mapping may be allowed, and not be used."""
_VECTORS = "deletionVectors"
_MOST_READER_VERSION = 3


@dataclass(frozen=True, slots=True)
class _Columns:
    """Of the table as of `version`: the types of all, and those that it is partitioned by."""

    version: int
    types: Mapping[str, pa.DataType]
    partitions: Sequence[str]


class DeltaLakeTable:
    def __init__(self, options: DeltaSourceOptions, schema: Schema, values: Values | None) -> None:
        self._uri = options.uri
        self._what = f'table "{options.uri}"'
        self._schema = schema
        self._storage = storage_options(values)
        if not DeltaTable.is_deltatable(options.uri, self._storage):
            raise gone(self._what)
        self._files = PyFileSystem(DeltaStorageHandler(options.uri, self._storage))
        self._log = DeltaLog(self._files)
        self._columns: _Columns | None = None

    def close(self) -> None:
        self._columns = None

    def next(self, position: Mapping[str, Any] | None) -> Commit | None:
        if position is None:
            return self._contents()
        version = position["version"]
        mark = self._log.mark(version)
        if mark is not None and position["mark"] not in (None, mark):
            raise replaced(self._what)
        actions = self._log.read(version + 1)
        if actions is None:
            if mark is None:
                self._check_newest(version)
            return None
        return self._commit(version, actions)

    # -- the contents --

    def _contents(self) -> Commit:
        table = self._newest_or_raise()
        version = table.version()
        protocol = table.protocol()
        self._check_features(protocol.min_reader_version, protocol.reader_features or ())
        self._columns = self._columns_of(version, table)
        vectors = self._vectors(version) if _VECTORS in (protocol.reader_features or ()) else {}
        files = self._listed(table, self._columns.partitions, vectors)
        position = {"version": version, "mark": self._log.mark(version)}
        return Commit([], files, position, True, version, version, contents=True)

    def _listed(
        self, table: DeltaTable, partitions: Sequence[str], vectors: Mapping[str, pa.Array]
    ) -> list[DeltaDataFile]:
        actions = pa.table(table.get_add_actions(flatten=False))
        types = self._read_types()
        by_partition = {}
        if wanted := [name for name in partitions if name in types]:
            values = actions["partition"].combine_chunks()
            values = values.combine_chunks() if isinstance(values, pa.ChunkedArray) else values
            by_partition = {name: values.field(name).cast(types[name]) for name in wanted}
        sizes, counts = actions["size_bytes"].to_pylist(), actions["num_records"].to_pylist()
        found = []
        for place, uri in enumerate(actions["path"].to_pylist()):
            path = path_of({"path": uri}, self._what)
            values_of = {name: values[place] for name, values in by_partition.items()}
            kept = vectors.get(path)
            found.append(
                DeltaDataFile(self._files, path, sizes[place], counts[place], types, values_of, kept)
            )
        return found

    def _newest_or_raise(self) -> DeltaTable:
        table = delta_table(self._uri, self._storage)
        if table is None:
            raise gone(self._what)
        return table

    # -- versions --

    def _commit(self, before: int, actions: Actions) -> Commit:
        version = before + 1
        if actions.protocol is not None:
            protocol = actions.protocol
            self._check_features(protocol["minReaderVersion"], protocol.get("readerFeatures") or ())
        columns = self._columns
        if columns is None or columns.version != before:
            columns = self._columns_at(before)
        partitions = columns.partitions
        if (metadata := actions.metadata) is not None:
            columns = self._checked(
                version,
                DeltaSchema.from_json(metadata["schemaString"]),
                metadata.get("configuration") or {},
                metadata.get("partitionColumns") or (),
            )
        self._columns = replace(columns, version=version)
        removed = [action for action in actions.removed if action.get("dataChange", True)]
        added = [action for action in actions.added if action.get("dataChange", True)]
        newest = self._log.newest(version)
        return Commit(
            self._of_actions(removed, before, partitions),
            self._of_actions(added, version, columns.partitions),
            {"version": version, "mark": actions.mark},
            version >= newest,
            newest,
            version,
        )

    def _of_actions(
        self, actions: Sequence[Mapping[str, Any]], version: int, partitions: Sequence[str]
    ) -> list[DeltaDataFile]:
        """The files as of the version, by whose `partitions` they may be."""
        types = self._read_types()
        vectors: Mapping[str, pa.Array] = {}
        if any(action.get("deletionVector") for action in actions):
            vectors = self._vectors(version)
        by_partition = any(name in partitions for name in types)
        if by_partition and any(action.get("partitionValues") is None for action in actions):
            return self._looked_up({path_of(action, self._what) for action in actions}, version, vectors)
        found = []
        for action in actions:
            path = path_of(action, self._what)
            partition = action.get("partitionValues") or {}
            values = {
                name: partition_value(partition[name], type_)
                for name, type_ in types.items()
                if name in partition
            }
            kept = None
            if action.get("deletionVector") and (kept := vectors.get(path)) is None:
                raise expired(self._what, f"the deletion vector of version {version}")
            found.append(DeltaDataFile(self._files, path, action.get("size") or 0, None, types, values, kept))
        return found

    def _looked_up(
        self, paths: set[str], version: int, vectors: Mapping[str, pa.Array]
    ) -> list[DeltaDataFile]:
        """Files of which the log says no more than that they are gone."""
        try:
            table = DeltaTable(self._uri, version=version, storage_options=self._storage)
            files = self._listed(table, table.metadata().partition_columns, vectors)
        except ERRORS:
            raise expired(self._what, f"version {version}") from None
        return [file for file in files if file.name in paths]

    def _vectors(self, version: int) -> dict[str, pa.Array]:
        """Which rows files have as of the version, of those that have lost some."""
        try:
            table = DeltaTable(self._uri, version=version, storage_options=self._storage)
            found = pa.RecordBatchReader.from_stream(table.deletion_vectors())
            root = unquote(table.table_uri).rstrip("/") + "/"
            return {
                unquote(path).removeprefix(root).removeprefix("file://").removeprefix(root): kept.values
                for batch in found
                for path, kept in zip(
                    batch.column("filepath").to_pylist(), batch.column("selection_vector"), strict=True
                )
            }
        except ERRORS:
            raise expired(self._what, f"version {version}") from None

    def _check_newest(self, version: int) -> None:
        """Where the entry of the version is not there any more, and neither is the next one."""
        newest = self._newest_or_raise().version()
        if newest < version:
            raise replaced(self._what)
        if newest > version:
            raise expired(self._what, f"version {version + 1}")

    # -- columns --

    def _columns_at(self, version: int) -> _Columns:
        try:
            table = DeltaTable(self._uri, version=version, storage_options=self._storage)
        except ERRORS:
            table = self._newest_or_raise()  # what led to that version is not kept any more
        return self._columns_of(version, table)

    def _columns_of(self, version: int, table: DeltaTable) -> _Columns:
        metadata = table.metadata()
        return self._checked(version, table.schema(), metadata.configuration, metadata.partition_columns)

    def _checked(
        self,
        version: int,
        schema: DeltaSchema,
        configuration: Mapping[str, str | None],
        partitions: Sequence[str],
    ) -> _Columns:
        """Raises SourceStalled where the source's columns cannot be read."""
        if (configuration.get("delta.columnMapping.mode") or "none") != "none":
            raise SourceStalled(
                f"{self._what} has column mapping, which is not supported",
                hint="Write its contents to a table without.",
            )
        types = {field.name: field.type for field in pa.schema(schema.to_arrow())}
        for column in self._schema:
            if column.name not in types:
                raise lacks(self._what, column.name)
            check_readable(self._what, column, types[column.name])
        return _Columns(version, types, partitions)

    def _read_types(self) -> dict[str, pa.DataType]:
        assert self._columns is not None, "they are known before files are"
        return {column.name: self._columns.types[column.name] for column in self._schema}

    def _check_features(self, version: int, features: Iterable[str]) -> None:
        beyond = sorted(set(features) - _FEATURES)
        if beyond or version > _MOST_READER_VERSION:
            asked = ", ".join(beyond) or f"version {version} of the protocol"
            raise SourceStalled(
                f"{self._what} asks its readers for {asked}, which is not supported",
                hint="Write its contents to a table without.",
            )
