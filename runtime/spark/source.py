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
from .columns import arrow_schema, spark_columns, spark_schema
from .division import Piece, divide
from .lease import Lease, take_lease
from .options import Options, parse_options
from .pushed import conditions
from .reading import Interval, raise_errors, repeated, rows_of
from .relation import PersistedRelation, opened, resolve_time


class PtvcSource(DataSource):
    @classmethod
    def name(cls) -> str:
        return "ptvc"

    def schema(self) -> StructType:
        with opened(parse_options(self.options)) as relation:
            return spark_schema(relation.schema)

    def reader(self, schema: StructType) -> DataSourceReader:
        return SnapshotReader(parse_options(self.options), schema)

    def streamReader(self, schema: StructType) -> DataSourceStreamReader:
        raise Unsupported("the format ptvc cannot be read as a stream yet: read it with spark.read")


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

    def partitions(self) -> list[InputPartition]:
        with opened(self._options) as relation:
            if self._schema != spark_schema(relation.schema):
                raise InvalidParameter(
                    "the columns are not those of the relation",
                    hint="Load it without a schema, and select from what there is; load it again after ALTER TABLE.",
                )
            lease = take_lease(relation.persist, relation.shard, relation.consensus, self._options.lease_ms)
            try:
                planned = self._planned(relation, lease)
            except BaseException:
                relation.persist.drop_hold(relation.shard, lease.holder)
                raise
            if all(each.lease is None for each in planned):
                relation.persist.drop_hold(relation.shard, lease.holder)
            return list(planned)

    def _planned(self, relation: PersistedRelation, lease: Lease) -> list[SnapshotPartition]:
        as_of = resolve_time(relation, self._options.as_of)
        if as_of is None:
            interval = Interval.snapshot(relation.persist.state(relation.shard).schema, 0)
            return [_partition(relation, Piece((), ()), interval, None)]
        snapshot = relation.persist.snapshot(relation.shard, as_of)
        interval = Interval.snapshot(snapshot.schema, as_of)
        raise_errors(relation.persist.blob, snapshot.parts, interval)
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


def _partition(
    relation: PersistedRelation, piece: Piece, interval: Interval, lease: Lease | None
) -> SnapshotPartition:
    return SnapshotPartition(piece, interval, relation.schema, relation.layout, relation.blobs, lease)
