"""What CREATE SOURCE ... FROM FILE says."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class FileOptions:
    """FILE: `path` is a file or a directory, `format` csv, json (lines), parquet or avro, `pattern` a glob over names."""

    path: str
    format: str
    delimiter: str = ","
    header: bool = True
    pattern: str | None = None
