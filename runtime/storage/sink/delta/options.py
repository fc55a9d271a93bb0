"""What CREATE SINK ... INTO DELTA asks for, and which of it goes together with the columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ....errors import InvalidParameter, Unsupported
from ....repr.schema import Schema
from ....repr.types import Kind
from ...lake.partitions import DISCRETE, IDENTITY, PartitionField, check_partitions
from ..change_records import SinkEnvelope
from ..lake.columns import check_columns
from ..lake.intervals import DEFAULT_INTERVAL_MS

_PARTITIONED = DISCRETE | {Kind.BOOL}


@dataclass(frozen=True, slots=True)
class DeltaSinkOptions:
    """`uri` is `s3://bucket/...`, or an absolute path; `connection` is the id of the one to AWS, of the former only; `identity` is what tells the
    sink from all others of the world."""

    uri: str
    connection: str | None = None
    partition_by: tuple[PartitionField, ...] = ()
    commit_interval_ms: int = DEFAULT_INTERVAL_MS
    identity: str = ""

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> DeltaSinkOptions:
        fields = tuple(map(PartitionField.from_json, value["partition_by"]))
        return cls(**{**value, "partition_by": fields})

    @property
    def connections(self) -> tuple[str, ...]:
        """The ids of all that it writes through."""
        return () if self.connection is None else (self.connection,)

    @property
    def local_path(self) -> str | None:
        return None if self.uri.startswith("s3://") else self.uri


def check_options(
    options: DeltaSinkOptions, schema: Schema, envelope: SinkEnvelope, key: Sequence[int]
) -> None:
    """Raises InvalidParameter or Unsupported for options, columns, a mode and a key that do not go together."""
    check_columns(schema, envelope, key)
    check_partitions(options.partition_by, schema)
    types = {column.name: column.type for column in schema}
    for field in options.partition_by:
        if field.transform != IDENTITY:
            raise Unsupported(
                f"Delta Lake has no partitions by {field.transform} of a column",
                hint="Compute a column in a view, and partition by that.",
            )
        if types[field.column].kind not in _PARTITIONED:
            raise Unsupported(
                f'PARTITION BY of column "{field.column}", which is of type {types[field.column]}, is not supported',
                hint="Delta Lake keeps the values of partitions as texts: partition by a whole number, a text or a date.",
            )
    if options.partition_by and len(options.partition_by) == len(schema):
        raise InvalidParameter("a table of Delta Lake needs a column that it is not partitioned by")
