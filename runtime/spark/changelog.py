"""The changelog of a relation in partitions: its columns, `_time` (milliseconds since 1970) and `_diff` (how many more of the row
there are; fewer, if negative).

A stream reads it from offset to offset (`stream`), `spark.read` from one time to another.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import dataclass, replace

import pyarrow as pa
from pyspark.sql.datasource import DataSourceReader, InputPartition
from pyspark.sql.types import StructType

from ..errors import InvalidParameter
from ..persist.location import open_blob
from ..repr.schema import Schema
from .columns import arrow_schema, spark_columns
from .division import Piece
from .failure import explained
from .following import Following
from .lease import Lease
from .offset import Offset
from .options import DEFAULT_LEASE_S, Options
from .reading import EMITTED_ROWS, Interval, rows_of, updates_of
from .relation import resolve_time


@dataclass(frozen=True)
class ChangesPartition(InputPartition):
    """What a task needs; of `contents`, rows as they are at the interval's end, otherwise the updates in it.  No lease: none is
    needed, or who planned it keeps one."""

    piece: Piece
    interval: Interval
    contents: bool
    schema: Schema
    layout: tuple[int, ...]
    blobs: str
    lease: Lease | None = None


def planned_partitions(following: Following, start: Offset, end: Offset) -> list[ChangesPartition]:
    """What is told between two offsets."""
    planned, relation = following.plan(start, end), following.relation

    def partition(piece: Piece, interval: Interval, contents: bool) -> ChangesPartition:
        return ChangesPartition(piece, interval, contents, relation.schema, relation.layout, relation.blobs)

    return [
        *(partition(piece, planned.at, True) for piece in planned.contents),
        *(partition(piece, planned.between, False) for piece in planned.changes),
    ]


def read_changes(partition: InputPartition, schema: StructType) -> Iterator[pa.RecordBatch]:
    assert isinstance(partition, ChangesPartition)
    with explained():
        blob = open_blob(partition.blobs)
        with partition.lease.kept(blob) if partition.lease is not None else nullcontext():
            read = rows_of if partition.contents else updates_of
            shown = read(blob, partition.piece, partition.interval).select(partition.layout)
        target = arrow_schema(schema)
        for start in range(0, len(shown), EMITTED_ROWS):
            rows = shown.slice(start, min(start + EMITTED_ROWS, len(shown)))
            columns = [
                *spark_columns(partition.schema, rows.columns, target),
                pa.array(rows.times.astype("int64")),
                pa.array(rows.diffs),
            ]
            yield pa.RecordBatch.from_arrays(columns, schema=target)


class ChangelogReader(DataSourceReader):
    """The changes from the time `starting` to `as_of`, both included."""

    def __init__(self, options: Options, schema: StructType) -> None:
        if not isinstance(options.starting, int):
            raise InvalidParameter(
                f"starting {options.starting} is for spark.readStream: spark.read tells changes from a time on",
                hint="Give milliseconds since 1970, or a timestamp such as 2026-01-31 12:00:00Z.",
            )
        self._options = options
        self._schema = schema

    @explained()
    def partitions(self) -> list[InputPartition]:
        lease_ms = self._options.lease_ms or DEFAULT_LEASE_S * 1000
        following = Following(self._options, self._schema, lease_ms)
        try:
            start = following.begin()
            try:
                return self._planned(following, start, lease_ms)
            except BaseException:
                following.forget(start)
                raise
        finally:
            following.close()

    def _planned(self, following: Following, start: Offset, lease_ms: int) -> list[InputPartition]:
        relation = following.relation
        time = resolve_time(relation, self._options.as_of)
        end = start if time is None else start.at(max(start.upper, time + 1))
        if time is not None and (error := following.error_at(time)) is not None:
            raise error
        found = planned_partitions(following, start, end)
        lease = Lease(relation.consensus, start.holder, lease_ms)
        if not any(part.blob is not None for each in found for part in each.piece.rest):
            following.forget(start)
            return list(found) or [_nothing(following)]
        return [replace(each, lease=lease) for each in found]

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        return read_changes(partition, self._schema)


def _nothing(following: Following) -> ChangesPartition:
    relation, schema = following.relation, following.state().schema
    return ChangesPartition(
        Piece((), ()), Interval(schema, 0, 0, 0), False, relation.schema, relation.layout, relation.blobs
    )
