"""What CREATE SOURCE ... FROM S3 says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

SCAN_MS = 10_000
"""How often the bucket is asked for new objects."""


@dataclass(frozen=True, slots=True)
class S3Options:
    """The objects of `bucket` below `prefix` ("" of all), `connection` is the id of an AWS connection.  `format` is csv, json (lines),
    parquet or avro, `pattern` a glob over keys behind the prefix.  With `keep_deleted` an object that was read may go, and its rows stay."""

    connection: str
    bucket: str
    prefix: str
    format: str
    delimiter: str = ","
    header: bool = True
    pattern: str | None = None
    scan_ms: int = SCAN_MS
    keep_deleted: bool = False

    @property
    def connections(self) -> tuple[str, ...]:
        """The ids of all that it reads through."""
        return (self.connection,)

    @property
    def uri(self) -> str:
        return f"s3://{self.bucket}/{self.prefix}{'/' if self.prefix else ''}"

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> S3Options:
        return cls(**value)
