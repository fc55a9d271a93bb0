"""What CREATE SOURCE ... FROM DELTA says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..lake.options import SCAN_MS


@dataclass(frozen=True, slots=True)
class DeltaSourceOptions:
    """`uri` is `s3://bucket/...`, or an absolute path; `connection` is the id of the one to AWS, of the former only."""

    uri: str
    connection: str | None = None
    scan_ms: int = SCAN_MS

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> DeltaSourceOptions:
        return cls(**value)

    @property
    def connections(self) -> tuple[str, ...]:
        """The ids of all that it reads through."""
        return () if self.connection is None else (self.connection,)

    @property
    def local_path(self) -> str | None:
        return None if self.uri.startswith("s3://") else self.uri
