"""A table of Iceberg as a source reads it: its contents as of the current snapshot, then the snapshots that follow it.

| position   |                                                                                     |
|------------|-------------------------------------------------------------------------------------|
| `table`    | the table's UUID                                                                    |
| `snapshot` | up to which everything is read; None: the table had none                            |
| `fields`   | the number of each column, by which files know it: another one of its name is another column |

A snapshot that follows is read by the files that it adds and takes away. Where there are files of deletes, and where the table went back to
another snapshot, what is read is the files whose rows differ between both. The snapshots of one commit are read together. Snapshots that replace files by others with the same rows
(compaction) are passed over, but where rows are in error.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from time import monotonic
from typing import Any

import numpy as np
import pyarrow as pa
from pyiceberg.expressions import AlwaysTrue
from pyiceberg.io.pyarrow import ArrowScan, _read_all_delete_files, schema_to_pyarrow
from pyiceberg.manifest import DataFile, ManifestContent, ManifestEntryStatus, ManifestFile
from pyiceberg.table import FileScanTask, ManifestGroupPlanner, Table
from pyiceberg.table.snapshots import Operation, Snapshot

from ....repr.batch import Indices
from ....repr.schema import Schema
from ...connections.values import Values
from ...lake.catalogs import CONNECT_S, open_catalog, table_of
from ..lake.table import ERRORS, Commit, LakeRows, expired, gone, lacks, replaced
from ..lake.values import check_readable, ordered
from .options import IcebergSourceOptions


@dataclass(frozen=True, slots=True)
class IcebergDataFile:
    """A file with those that say which of its rows are gone; `names` are those that the source's columns have in the table."""

    table: Table
    names: Mapping[str, str]
    task: FileScanTask

    @property
    def name(self) -> str:
        return str(self.task.file.file_path)

    @property
    def nbytes(self) -> int:
        return int(self.task.file.file_size_in_bytes)

    @property
    def count(self) -> int:
        return int(self.task.file.record_count)

    def batches(self) -> Iterator[LakeRows]:
        table = self.table
        wanted = table.schema().select(*self.names.values())
        types = {field.name: field.type for field in schema_to_pyarrow(wanted, include_field_ids=False)}
        scan = ArrowScan(table.metadata, table.io, wanted, AlwaysTrue())
        deletes = _read_all_delete_files(table.io, [self.task])
        before = _gone_before(deletes.get(self.name, []))
        row = 0
        # The library's own iterator over several files has each of them in memory, whole.
        for batch in scan._record_batches_from_scan_tasks_and_deletes([self.task], deletes):
            columns = ordered(batch, list(self.names.values()))
            places = np.arange(row, row + len(batch))
            numbers = places + np.searchsorted(before, places, "right") + 1
            row += len(batch)
            yield LakeRows(
                {column: _as(columns[name], types[name]) for column, name in self.names.items()}, numbers
            )


def _as(values: pa.Array, type_: pa.DataType) -> pa.Array:
    return values if values.type == type_ else values.cast(type_)


def _gone_before(deletes: Sequence[pa.ChunkedArray]) -> Indices:
    """For each row of a file that is gone, in order, how many of those before it are there."""
    if not deletes:
        return np.empty(0, np.int64)
    gone = np.unique(np.concatenate([one.to_numpy() for one in deletes]))
    return gone - np.arange(len(gone))


class IcebergLakeTable:
    def __init__(
        self, options: IcebergSourceOptions, schema: Schema, values: Values, files: Values | None
    ) -> None:
        self._identifier = options.identifier
        self._what = f'table "{".".join(options.identifier)}"'
        self._schema = schema
        self._catalog = open_catalog(values, files, monotonic() + CONNECT_S)
        self._waiting: tuple[Table, list[list[Snapshot]]] | None = None

    def close(self) -> None:
        self._catalog.close()

    def next(self, position: Mapping[str, Any] | None) -> Commit | None:
        if position is not None and (known := self._known_next(position)) is not None:
            return known
        table = table_of(self._catalog, self._identifier)
        if table is None:
            raise gone(self._what)
        uuid = str(table.metadata.table_uuid)
        if position is not None and position["table"] != uuid:
            raise replaced(self._what)
        current = table.metadata.current_snapshot_id
        if position is None:
            snapshot = self._snapshot(table, current)
            fields = self._fields(table, {})
            files = [] if snapshot is None else self._files(table, fields, _tasks(table, snapshot))
            return self._commit(table, fields, snapshot, [], files, True, contents=True)
        if position["snapshot"] == current:
            return None
        self._waiting = (table, self._following(table, position["snapshot"]))
        return self._known_next(position)

    def _known_next(self, position: Mapping[str, Any]) -> Commit | None:
        """Of the commits that were there when the catalog was asked last."""
        if self._waiting is None:
            return None
        table, commits = self._waiting
        base = position["snapshot"]
        if commits and commits[0][-1].snapshot_id == base:
            del commits[0]
        if not commits:
            self._waiting = None
            return None
        fields = self._fields(table, position["fields"])
        in_error = bool(position.get(ERRORS))
        removed, added = self._changed(table, fields, self._snapshot(table, base), commits[0], in_error)
        return self._commit(table, fields, commits[0][-1], removed, added, len(commits) == 1)

    def _commit(
        self,
        table: Table,
        fields: Mapping[str, int],
        snapshot: Snapshot | None,
        removed: Sequence[IcebergDataFile],
        added: Sequence[IcebergDataFile],
        at_end: bool,
        *,
        contents: bool = False,
    ) -> Commit:
        newest = table.metadata.current_snapshot()
        return Commit(
            removed,
            added,
            {
                "table": str(table.metadata.table_uuid),
                "snapshot": None if snapshot is None else snapshot.snapshot_id,
                "fields": dict(fields),
            },
            at_end,
            None if newest is None else newest.sequence_number,
            None if snapshot is None else snapshot.sequence_number,
            contents=contents,
        )

    # -- snapshots --

    def _snapshot(self, table: Table, id: int | None) -> Snapshot | None:
        if id is None:
            return None
        snapshot: Snapshot | None = table.metadata.snapshot_by_id(id)
        if snapshot is None:
            raise expired(self._what, f"snapshot {id}")
        return snapshot

    def _following(self, table: Table, base: int | None) -> list[list[Snapshot]]:
        """The snapshots after the base, up to the current one, by commit.  Where the base is not among the ancestors of the current one, that
        alone follows."""
        current = table.metadata.current_snapshot()
        if current is None:
            raise replaced(self._what)
        found: list[Snapshot] = []
        snapshot: Snapshot | None = current
        while snapshot is not None and snapshot.snapshot_id != base:
            found.append(snapshot)
            parent = snapshot.parent_snapshot_id
            snapshot = None if parent is None else table.metadata.snapshot_by_id(parent)
        if base is not None and snapshot is None:
            self._snapshot(table, base)
            return [[current]]
        return _by_commit(table, found[::-1])

    def _changed(
        self,
        table: Table,
        fields: Mapping[str, int],
        base: Snapshot | None,
        commit: Sequence[Snapshot],
        in_error: bool,
    ) -> tuple[list[IcebergDataFile], list[IcebergDataFile]]:
        """Files whose rows are gone, and files whose rows are new; if some are `in_error`, those whose rows are elsewhere now, too."""
        after = commit[-1]
        follows = commit[0].parent_snapshot_id == (None if base is None else base.snapshot_id)
        changing = [one for one in commit if in_error or _operation(one) is not Operation.REPLACE]
        if follows and not changing:
            return [], []
        manifests = {one.snapshot_id: one.manifests(table.io) for one in commit}
        before = [] if base is None else base.manifests(table.io)
        every = chain(before, *manifests.values())
        if follows and not any(manifest.content == ManifestContent.DELETES for manifest in every):
            parts = [self._by_manifests(table, fields, manifests[one.snapshot_id], one) for one in changing]
            return [f for removed, _ in parts for f in removed], [f for _, added in parts for f in added]
        former = {} if base is None else _by_key(_tasks(table, base))
        now = _by_key(_tasks(table, after))
        return (
            self._files(table, fields, [task for key, task in former.items() if key not in now]),
            self._files(table, fields, [task for key, task in now.items() if key not in former]),
        )

    def _by_manifests(
        self, table: Table, fields: Mapping[str, int], manifests: Sequence[ManifestFile], after: Snapshot
    ) -> tuple[list[IcebergDataFile], list[IcebergDataFile]]:
        found: dict[ManifestEntryStatus, list[FileScanTask]] = {status: [] for status in ManifestEntryStatus}
        for manifest in manifests:
            if manifest.added_snapshot_id != after.snapshot_id:
                continue
            for entry in manifest.fetch_manifest_entry(table.io, discard_deleted=False):
                if entry.snapshot_id == after.snapshot_id:
                    found[entry.status].append(FileScanTask(entry.data_file))
        removed, added = found[ManifestEntryStatus.DELETED], found[ManifestEntryStatus.ADDED]
        return self._files(table, fields, removed), self._files(table, fields, added)

    # -- files and columns --

    def _files(
        self, table: Table, fields: Mapping[str, int], tasks: Sequence[FileScanTask]
    ) -> list[IcebergDataFile]:
        schema = table.schema()
        names = {name: schema.find_field(fields[name]).name for name in self._schema.names}
        return [IcebergDataFile(table, names, task) for task in tasks]

    def _fields(self, table: Table, known: Mapping[str, int]) -> dict[str, int]:
        """The numbers of the columns, by which they are found after the first time, however they are called.  Raises SourceStalled where they
        cannot be read, or are gone."""
        schema = table.schema()
        by_name = {field.name: field for field in schema.fields}
        by_number = {field.field_id: field for field in schema.fields}
        found = {}
        for column in self._schema:
            number = known.get(column.name)
            field = by_name.get(column.name) if number is None else by_number.get(number)
            if field is None and column.name in by_name:
                raise lacks(self._what, column.name, "was dropped, and made anew")
            if field is None:
                raise lacks(self._what, column.name)
            there = schema_to_pyarrow(schema.select(field.name), include_field_ids=False)
            check_readable(self._what, column, there.field(field.name).type)
            found[column.name] = field.field_id
        return {**known, **found}


def _by_commit(table: Table, snapshots: Sequence[Snapshot]) -> list[list[Snapshot]]:
    """A commit may make several snapshots, of which only the last one has ever been what readers see.  It is known by the versions of the
    table's metadata, each of which is as old as its last snapshot; where these are not kept any more commits are taken together."""
    logged = {entry.snapshot_id for entry in table.metadata.snapshot_log}
    ends = {entry.timestamp_ms for entry in table.metadata.metadata_log}
    found: list[list[Snapshot]] = [[]]
    for snapshot, later in zip(snapshots, [*snapshots[1:], None], strict=True):
        found[-1].append(snapshot)
        if later is None:
            continue
        if (
            snapshot.snapshot_id in logged
            and snapshot.timestamp_ms in ends
            and later.timestamp_ms != snapshot.timestamp_ms
        ):
            found.append([])
    return found


def _operation(snapshot: Snapshot) -> Operation | None:
    return None if snapshot.summary is None else snapshot.summary.operation


def _tasks(table: Table, snapshot: Snapshot) -> list[FileScanTask]:
    planner = ManifestGroupPlanner(table.metadata, table.io)
    return list(planner.plan_files(snapshot.manifests(table.io)))


def _by_key(tasks: Sequence[FileScanTask]) -> dict[object, FileScanTask]:
    """By what their rows depend on."""
    return {(task.file.file_path, frozenset(map(_delete_key, task.delete_files))): task for task in tasks}


def _delete_key(file: DataFile) -> object:
    """Several vectors of deletes may be in one file."""
    return file.file_path, getattr(file, "content_offset", None)
