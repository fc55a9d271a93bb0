"""The format `ptvc`: a relation of an environment as a DataFrame, at one time.

Spark asks for the schema in one process, plans in another one (`partitions`), and reads in tasks.  The time is fixed when
a plan is made; everything that a task needs is in its partition.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

import pyarrow as pa
from pyspark.sql.datasource import (
    DataSource,
    DataSourceReader,
    DataSourceStreamReader,
    Filter,
    InputPartition,
)
from pyspark.sql.types import StructType

from ..errors import InvalidParameter, Unsupported
from ..persist.location import open_blob
from ..persist.pushdown import wanted
from ..repr.schema import Schema
from .columns import arrow_schema, changes_schema, spark_columns, spark_schema
from .division import Piece, divide
from .failure import explained
from .lease import Lease, take_lease
from .options import DEFAULT_LEASE_S, Options, parse_options
from .pushed import conditions
from .reading import Interval, first_error, repeated, rows_of
from .relation import PersistedRelation, opened, resolve_time

_STARTING_HINT = 'Give option("starting", ...): latest, snapshot (what there is, then what changes), or a time from which on changes come.'


class PtvcSource(DataSource):
    @classmethod
    def name(cls) -> str:
        return "ptvc"

    def schema(self) -> StructType:
        with explained():
            options = parse_options(self.options)
            with opened(options) as relation:
                return (spark_schema if options.starting is None else changes_schema)(relation.schema)

    def reader(self, schema: StructType) -> DataSourceReader:
        with explained():
            options = parse_options(self.options)
            if options.max_bytes is not None:
                raise InvalidParameter("max_bytes is an option of spark.readStream")
            return (
                SnapshotReader(options, schema) if options.starting is None else _changelog(options, schema)
            )

    def streamReader(self, schema: StructType) -> DataSourceStreamReader:
        options = parse_options(self.options)
        with explained():
            if options.as_of is not None:
                raise InvalidParameter("as_of is an option of spark.read")
            if options.starting is None:
                raise InvalidParameter("a stream needs to know where it begins", hint=_STARTING_HINT)
            try:
                from .stream import ChangesReader
            except ImportError:
                raise Unsupported("streams of the format ptvc need Spark 4.2 or newer") from None
            return ChangesReader(options, schema)


def _changelog(options: Options, schema: StructType) -> DataSourceReader:
    from .changelog import ChangelogReader

    return ChangelogReader(options, schema)


@dataclass(frozen=True)
class SnapshotPartition(InputPartition):
    """What a task needs: rows are of `interval.schema`, of which `schema` shows those at `layout`.  No lease: no blob is
    read."""

    piece: Piece
    interval: Interval
    schema: Schema
    layout: tuple[int, ...]
    blobs: str
    lease: Lease | None


class SnapshotReader(DataSourceReader):
    def __init__(self, options: Options, schema: StructType) -> None:
        self._options = options
        self._schema = schema
        self._filters: list[Filter] = []

    def pushFilters(self, filters: list[Filter]) -> Iterable[Filter]:
        """Keeps all to leave parts unread; Spark evaluates all."""
        self._filters = list(filters)
        return filters

    @explained()
    def partitions(self) -> list[InputPartition]:
        with opened(self._options) as relation:
            if self._schema != spark_schema(relation.schema):
                raise InvalidParameter(
                    "the columns are not those of the relation",
                    hint="Load it without a schema, and select from what there is; load it again after ALTER TABLE.",
                )
            lease_ms = self._options.lease_ms or DEFAULT_LEASE_S * 1000
            lease = take_lease(relation.persist, relation.shard, relation.consensus, lease_ms)
            try:
                planned = self.planned(relation, lease)
            except BaseException:
                relation.persist.drop_hold(relation.shard, lease.holder)
                raise
            if all(each.lease is None for each in planned):
                relation.persist.drop_hold(relation.shard, lease.holder)
            return list(planned)

    def planned(self, relation: PersistedRelation, lease: Lease) -> list[SnapshotPartition]:
        as_of = resolve_time(relation, self._options.as_of)
        if as_of is None:
            interval = Interval.snapshot(relation.persist.state(relation.shard).schema, 0)
            return [_partition(relation, Piece((), ()), interval, None)]
        snapshot = relation.persist.snapshot(relation.shard, as_of)
        interval = Interval.snapshot(snapshot.schema, as_of)
        if (error := first_error(relation.persist.blob, snapshot.parts, interval)) is not None:
            raise error
        pushed = conditions(self._filters, relation.schema, relation.layout)
        parts = wanted(snapshot.parts, snapshot.schema, pushed)
        pieces = divide(parts, snapshot.schema, self._options.partition_bytes)
        if len(parts) < len(snapshot.parts):
            # Of rows that the filters leave out, some updates are not read.
            pieces = [replace(piece, whole=False) for piece in pieces]
        kept = lease if any(part.blob is not None for part in parts) else None
        return [_partition(relation, piece, interval, kept) for piece in pieces or [Piece((), ())]]

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        assert isinstance(partition, SnapshotPartition)
        with explained():
            yield from self._read(partition)

    def _read(self, partition: SnapshotPartition) -> Iterator[pa.RecordBatch]:
        blob = open_blob(partition.blobs)
        if partition.lease is None:
            batch = rows_of(blob, partition.piece, partition.interval)
        else:
            with partition.lease.kept(blob):
                batch = rows_of(blob, partition.piece, partition.interval)
        target = arrow_schema(self._schema)
        batch = batch.select(partition.layout)
        for indices in repeated(batch.diffs):
            columns = batch.take(indices).columns
            yield pa.RecordBatch.from_arrays(spark_columns(partition.schema, columns, target), schema=target)


def small_table(options: Options, most_bytes: int) -> tuple[StructType, pa.Table] | None:
    """The rows of a relation, read in this process; None if there are more than so many bytes of them, in memory."""
    with opened(options) as relation:
        schema = spark_schema(relation.schema)
        reader = SnapshotReader(options, schema)
        lease_ms = options.lease_ms or DEFAULT_LEASE_S * 1000
        lease = take_lease(relation.persist, relation.shard, relation.consensus, lease_ms)
        try:
            planned = reader.planned(relation, lease)
            if len(planned) > 1 or _stored_bytes(planned[0].piece) > most_bytes:
                return None
            batches, size = [], 0
            for batch in reader.read(planned[0]):
                size += batch.nbytes
                if size > most_bytes:  # what is stored once can be there many times
                    return None
                batches.append(batch)
            return schema, pa.Table.from_batches(batches, schema=arrow_schema(schema))
        finally:
            relation.persist.drop_hold(relation.shard, lease.holder)


def _stored_bytes(piece: Piece) -> int:
    return sum(part.decoded_nbytes for part in piece.base + piece.rest)


def _partition(
    relation: PersistedRelation, piece: Piece, interval: Interval, lease: Lease | None
) -> SnapshotPartition:
    return SnapshotPartition(piece, interval, relation.schema, relation.layout, relation.blobs, lease)
