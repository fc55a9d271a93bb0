"""What CREATE SINK ... INTO ICEBERG CATALOG asks for, and which of it goes together with the columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ....repr.schema import Schema
from ...lake.partitions import PartitionField, check_partitions
from ..change_records import SinkEnvelope
from ..lake.columns import check_columns
from ..lake.intervals import DEFAULT_INTERVAL_MS


@dataclass(frozen=True, slots=True)
class IcebergSinkOptions:
    """`connection` is the id of the one to the catalog, `files` that of the one to AWS for the table's files; `identity` is what tells
    the sink from all others of the world."""

    connection: str
    namespace: str
    table: str
    files: str | None = None
    partition_by: tuple[PartitionField, ...] = ()
    commit_interval_ms: int = DEFAULT_INTERVAL_MS
    identity: str = ""

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> IcebergSinkOptions:
        fields = tuple(map(PartitionField.from_json, value["partition_by"]))
        return cls(**{**value, "partition_by": fields})

    @property
    def connections(self) -> tuple[str, ...]:
        """The ids of all that it writes through."""
        return (self.connection,) if self.files is None else (self.connection, self.files)

    @property
    def identifier(self) -> tuple[str, ...]:
        """Of the table, in the catalog."""
        return (*self.namespace.split("."), self.table)


def check_options(
    options: IcebergSinkOptions, schema: Schema, envelope: SinkEnvelope, key: Sequence[int]
) -> None:
    """Raises InvalidParameter or Unsupported for options, columns, a mode and a key that do not go together."""
    check_columns(schema, envelope, key)
    check_partitions(options.partition_by, schema)
