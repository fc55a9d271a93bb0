"""What CREATE SOURCE ... FROM ICEBERG CATALOG says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..lake.options import SCAN_MS


@dataclass(frozen=True, slots=True)
class IcebergSourceOptions:
    """`connection` is the id of the one to the catalog, `files` that of the one to AWS for the table's files."""

    connection: str
    namespace: str
    table: str
    files: str | None = None
    scan_ms: int = SCAN_MS

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> IcebergSourceOptions:
        return cls(**value)

    @property
    def connections(self) -> tuple[str, ...]:
        """The ids of all that it reads through."""
        return (self.connection,) if self.files is None else (self.connection, self.files)

    @property
    def identifier(self) -> tuple[str, ...]:
        """Of the table, in the catalog."""
        return (*self.namespace.split("."), self.table)
