"""A table of Delta Lake as a source reads it: its contents as of the newest version, then the log, one version after the other.

| position  |                                                                      |
|-----------|----------------------------------------------------------------------|
| `version` | up to which everything is read                                       |
| `mark`    | what that entry of the log is known by, if it was still there        |
| `columns` | what files call each column, by which it is known after the first time, however the table calls it |

With column mapping the log and the files have other names than the table, which stay where a column is renamed.  Actions that change no data (`dataChange` false: OPTIMIZE, statistics) are passed over; but
where rows are in error, the files are found out that such a version has and the one before it has not.
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
from ..lake.table import ERRORS as IN_ERROR
from ..lake.table import Commit, expired, gone, lacks, replaced
from ..lake.values import check_readable
from .files import DeltaDataFile, partition_value, path_of
from .log import Actions, DeltaLog
from .options import DeltaSourceOptions

_FEATURES = frozenset(
    ("timestampNtz", "deletionVectors", "v2Checkpoint", "vacuumProtocolCheck", "columnMapping")
)
"""What a table may ask of its readers."""
_PHYSICAL_NAME = "delta.columnMapping.physicalName"
_VECTORS = "deletionVectors"
_MOST_READER_VERSION = 3


@dataclass(frozen=True, slots=True)
class _Columns:
    """The source's columns in the table as of `version`: their types; what files call them, and the log; and as what the table is partitioned by
    some of them."""

    version: int
    types: Mapping[str, pa.DataType]
    stored: Mapping[str, str]
    partitions: Mapping[str, str]


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
        self._known: Mapping[str, str] = {}

    def close(self) -> None:
        self._columns = None

    def next(self, position: Mapping[str, Any] | None) -> Commit | None:
        self._known = {} if position is None else position.get("columns", {})
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
        return self._commit(version, actions, bool(position.get(IN_ERROR)))

    # -- the contents --

    def _contents(self) -> Commit:
        table = self._newest_or_raise()
        version = table.version()
        protocol = table.protocol()
        self._check_features(protocol.min_reader_version, protocol.reader_features or ())
        self._columns = self._columns_of(version, table)
        vectors = self._vectors(version) if _VECTORS in (protocol.reader_features or ()) else {}
        files = self._listed(table, self._columns, vectors)
        position = {
            "version": version,
            "mark": self._log.mark(version),
            "columns": dict(self._columns.stored),
        }
        return Commit([], files, position, True, version, version, contents=True)

    def _listed(
        self, table: DeltaTable, columns: _Columns, vectors: Mapping[str, pa.Array]
    ) -> list[DeltaDataFile]:
        actions = pa.table(table.get_add_actions(flatten=False))
        types = columns.types
        by_partition = {}
        if columns.partitions:
            values = actions["partition"].combine_chunks()
            values = values.combine_chunks() if isinstance(values, pa.ChunkedArray) else values
            by_partition = {
                column: values.field(name).cast(types[column]) for column, name in columns.partitions.items()
            }
        sizes, counts = actions["size_bytes"].to_pylist(), actions["num_records"].to_pylist()
        found = []
        for place, uri in enumerate(actions["path"].to_pylist()):
            path = path_of({"path": uri}, self._what)
            values_of = {name: values[place] for name, values in by_partition.items()}
            kept = vectors.get(path)
            size, count = sizes[place], counts[place]
            found.append(
                DeltaDataFile(self._files, path, size, count, types, columns.stored, values_of, kept)
            )
        return found

    def _newest_or_raise(self) -> DeltaTable:
        table = delta_table(self._uri, self._storage)
        if table is None:
            raise gone(self._what)
        return table

    # -- versions --

    def _commit(self, before: int, actions: Actions, in_error: bool) -> Commit:
        version = before + 1
        if actions.protocol is not None:
            protocol = actions.protocol
            self._check_features(protocol["minReaderVersion"], protocol.get("readerFeatures") or ())
        columns = self._columns
        if columns is None or columns.version != before:
            columns = self._columns_at(before)
        before_that = columns
        if (metadata := actions.metadata) is not None:
            columns = self._checked(
                version,
                DeltaSchema.from_json(metadata["schemaString"]),
                metadata.get("configuration") or {},
                metadata.get("partitionColumns") or (),
            )
        self._columns = replace(columns, version=version)
        former = replace(self._columns, partitions=before_that.partitions)
        if in_error and not all(map(_changes_data, (*actions.removed, *actions.added))):
            removed, added = self._differing(before, former, self._columns)
        else:
            removed = self._of_actions(list(filter(_changes_data, actions.removed)), before, former)
            added = self._of_actions(list(filter(_changes_data, actions.added)), version, self._columns)
        newest = self._log.newest(version)
        return Commit(
            removed,
            added,
            {"version": version, "mark": actions.mark, "columns": dict(columns.stored)},
            version >= newest,
            newest,
            version,
        )

    def _of_actions(
        self, actions: Sequence[Mapping[str, Any]], version: int, columns: _Columns
    ) -> list[DeltaDataFile]:
        """The files as of the version, by whose `partitions` they may be."""
        vectors: Mapping[str, pa.Array] = {}
        if any(action.get("deletionVector") for action in actions):
            vectors = self._vectors(version)
        if columns.partitions and any(action.get("partitionValues") is None for action in actions):
            paths = {path_of(action, self._what) for action in actions}
            return [file for file in self._as_of(version, columns) if file.name in paths]
        found = []
        for action in actions:
            path = path_of(action, self._what)
            partition = action.get("partitionValues") or {}
            values = {
                column: partition_value(partition[columns.stored[column]], type_)
                for column, type_ in columns.types.items()
                if columns.stored[column] in partition
            }
            kept = None
            if action.get("deletionVector") and (kept := vectors.get(path)) is None:
                raise expired(self._what, f"the deletion vector of version {version}")
            size, types = action.get("size") or 0, columns.types
            found.append(DeltaDataFile(self._files, path, size, None, types, columns.stored, values, kept))
        return found

    def _differing(
        self, before: int, former: _Columns, columns: _Columns
    ) -> tuple[list[DeltaDataFile], list[DeltaDataFile]]:
        """Files that only the one version has, and those that only the next one has, or that have other rows there."""
        was = {file.name: file for file in self._as_of(before, former)}
        now = {file.name: file for file in self._as_of(before + 1, columns)}
        return (
            [file for name, file in was.items() if name not in now or now[name].kept != file.kept],
            [file for name, file in now.items() if name not in was or was[name].kept != file.kept],
        )

    def _as_of(self, version: int, columns: _Columns) -> list[DeltaDataFile]:
        """All files, those too of which the log says no more than that they are gone."""
        try:
            table = DeltaTable(self._uri, version=version, storage_options=self._storage)
            has_vectors = _VECTORS in (table.protocol().reader_features or ())
            return self._listed(table, columns, self._vectors(version) if has_vectors else {})
        except ERRORS:
            raise expired(self._what, f"version {version}") from None

    def _vectors(self, version: int) -> dict[str, pa.Array]:
        """Which rows files have as of the version, of those that have lost some."""
        try:
            table = DeltaTable(self._uri, version=version, storage_options=self._storage)
            found = pa.RecordBatchReader.from_stream(table.deletion_vectors())
            root = unquote(table.table_uri).rstrip("/") + "/"
            return {
                unquote(path)
                .removeprefix(root)
                .removeprefix("file://")
                .removeprefix(root)
                .lstrip("/"): kept.values
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
        mode = configuration.get("delta.columnMapping.mode") or "none"
        if mode not in ("none", "name"):
            raise SourceStalled(
                f'{self._what} has column mapping by "{mode}", which is not supported',
                hint="Write its contents to a table without, or with one by name.",
            )
        mapped = mode == "name"
        stored = {f.name: f.metadata.get(_PHYSICAL_NAME, f.name) if mapped else f.name for f in schema.fields}
        names = {physical: name for name, physical in stored.items()}
        types = {field.name: field.type for field in pa.schema(schema.to_arrow())}
        found: dict[str, str] = {}
        for column in self._schema:
            known = self._known.get(column.name)
            name = column.name if known is None else names.get(known)
            if name is None and column.name in types:
                raise lacks(self._what, column.name, "was dropped, and made anew")
            if name is None or name not in types:
                raise lacks(self._what, column.name)
            check_readable(self._what, column, types[name])
            found[column.name] = name
        return _Columns(
            version,
            {column: types[name] for column, name in found.items()},
            {column: stored[name] for column, name in found.items()},
            {column: name for column, name in found.items() if name in partitions},
        )

    def _check_features(self, version: int, features: Iterable[str]) -> None:
        beyond = sorted(set(features) - _FEATURES)
        if beyond or version > _MOST_READER_VERSION:
            asked = ", ".join(beyond) or f"version {version} of the protocol"
            raise SourceStalled(
                f"{self._what} asks its readers for {asked}, which is not supported",
                hint="Write its contents to a table without.",
            )


def _changes_data(action: Mapping[str, Any]) -> bool:
    return bool(action.get("dataChange", True))
