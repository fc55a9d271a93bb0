"""The changelog of a relation as a stream: its columns, `_time` (milliseconds since 1970) and `_diff` (how many more of the
row there are; fewer, if negative), each change once.

Spark asks one process for offsets and partitions, as long as the query runs, and reads in tasks; both get a reader of their own.
A batch ends at a durable time and holds all of every time in it; what it holds depends on its two offsets alone, so a
batch that is repeated after a failure is the same, and with a sink that is idempotent every change arrives once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import pyarrow as pa
from pyspark.sql.datasource import DataSourceStreamReader, InputPartition
from pyspark.sql.streaming.datasource import (
    ReadAllAvailable,
    ReadLimit,
    ReadMaxBytes,
    SupportsTriggerAvailableNow,
)
from pyspark.sql.types import StructType

from .changelog import planned_partitions, read_changes
from .failure import explained
from .following import Following
from .offset import Offset
from .options import DEFAULT_STREAM_LEASE_S, Options


class ChangesReader(DataSourceStreamReader, SupportsTriggerAvailableNow):
    def __init__(self, options: Options, schema: StructType) -> None:
        self._options = options
        self._schema = schema
        self._following: Following | None = None
        self._initial: Offset | None = None
        self._target: int | None = None

    def __reduce__(self) -> tuple[type[ChangesReader], tuple[Options, StructType]]:
        return ChangesReader, (self._options, self._schema)

    @property
    def _followed(self) -> Following:
        if self._following is None:
            lease_ms = self._options.lease_ms or DEFAULT_STREAM_LEASE_S * 1000
            self._following = Following(self._options, self._schema, lease_ms)
        return self._following

    @explained()
    def initialOffset(self) -> dict[str, Any]:
        if self._initial is None:  # Spark asks again until there is a first batch
            self._initial = self._followed.begin()
        return self._initial.to_json()

    def getDefaultReadLimit(self) -> ReadLimit:
        most = self._options.max_bytes
        return ReadAllAvailable() if most is None else ReadMaxBytes(most)

    @explained()
    def prepareForTriggerAvailableNow(self) -> None:
        self._target = self._followed.state().upper

    @explained()
    def latestOffset(self, start: dict[str, Any], limit: ReadLimit) -> dict[str, Any]:
        most = limit.max_bytes if isinstance(limit, ReadMaxBytes) else None
        return self._followed.latest(Offset.from_json(start), most, self._target).to_json()

    @explained()
    def reportLatestOffset(self) -> dict[str, Any]:
        return {"upper": self._followed.state().upper}

    @explained()
    def partitions(self, start: dict[str, Any], end: dict[str, Any]) -> Sequence[InputPartition]:
        return planned_partitions(self._followed, Offset.from_json(start), Offset.from_json(end))

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        return read_changes(partition, self._schema)

    @explained()
    def commit(self, end: dict[str, Any]) -> None:
        self._followed.advance(Offset.from_json(end))

    def stop(self) -> None:
        if self._following is not None:
            self._following.close()
            self._following = None
