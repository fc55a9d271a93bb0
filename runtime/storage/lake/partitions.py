"""How a lake's table is partitioned: by columns, or by a transform of one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ...errors import InvalidParameter
from ...repr.schema import Column, Schema
from ...repr.types import Kind

IDENTITY = "identity"
WITH_ARGUMENT = ("bucket", "truncate")
OF_TIMES = ("year", "month", "day", "hour")
TRANSFORMS = (*WITH_ARGUMENT, *OF_TIMES)

DISCRETE = frozenset(
    (
        Kind.INT2,
        Kind.INT4,
        Kind.INT8,
        Kind.UINT2,
        Kind.UINT4,
        Kind.OID,
        Kind.TEXT,
        Kind.VARCHAR,
        Kind.NAME,
        Kind.UUID,
        Kind.DATE,
    )
)
"""What is the same value in all lakes, by which partitions may be made."""
_BUCKETED = DISCRETE | {Kind.TIMESTAMP, Kind.TIMESTAMPTZ}
_TRUNCATED = _BUCKETED - {Kind.DATE, Kind.TIMESTAMP, Kind.TIMESTAMPTZ}
_TIMES = frozenset((Kind.DATE, Kind.TIMESTAMP, Kind.TIMESTAMPTZ))
_KINDS = {
    "bucket": _BUCKETED,
    "truncate": _TRUNCATED,
    "hour": _TIMES - {Kind.DATE},
    IDENTITY: _BUCKETED | {Kind.BOOL},
}


@dataclass(frozen=True, slots=True)
class PartitionField:
    """`argument` is the number of buckets, or the width."""

    column: str
    transform: str = IDENTITY
    argument: int | None = None

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> PartitionField:
        return cls(**value)

    @property
    def name(self) -> str:
        """Of the field in the table, as Iceberg's writers name it."""
        return self.column if self.transform == IDENTITY else f"{self.column}_{self.transform}"


def check_partitions(fields: tuple[PartitionField, ...], schema: Schema) -> None:
    """Raises InvalidParameter for a column that is not there, or whose type the transform does not take."""
    columns = {column.name: column for column in schema}
    names = [field.name for field in fields]
    for field in fields:
        if names.count(field.name) > 1:
            raise InvalidParameter(f'PARTITION BY has "{field.name}" more than once')
        if (column := columns.get(field.column)) is None:
            raise InvalidParameter(f'PARTITION BY names column "{field.column}", which is not there')
        _check_type(field, column)
        if field.transform != IDENTITY and field.name in columns:
            raise InvalidParameter(
                f'the table would have a partition "{field.name}" beside the column of that name',
                hint="Rename the column in a view.",
            )


def _check_type(field: PartitionField, column: Column) -> None:
    if column.type.kind not in _KINDS.get(field.transform, _TIMES):
        what = "itself" if field.transform == IDENTITY else field.transform
        raise InvalidParameter(
            f'PARTITION BY cannot take {what} of column "{column.name}", which is of type {column.type}'
        )
