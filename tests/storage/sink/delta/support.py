"""Tables of sinks in a directory, and what readers see in them."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
from deltalake import DeltaTable
from ptvc.repr.schema import Schema
from ptvc.storage.connections.values import Values
from ptvc.storage.sink.change_records import SinkEnvelope
from ptvc.storage.sink.delta.options import DeltaSinkOptions
from ptvc.storage.sink.delta.sink import DeltaSink

from ..kafka.support import SCHEMA

FIRST = 1_000


class Target:
    """A sink's table; `sink()` is its next writer, with a term of its own unless one is given."""

    def __init__(
        self,
        uri: str,
        envelope: SinkEnvelope = SinkEnvelope.UPSERT,
        schema: Schema = SCHEMA,
        key: tuple[int, ...] = (0,),
        values: Values | None = None,
        **options: Any,
    ) -> None:
        self.envelope = envelope
        self.schema = schema
        self.former: Schema | None = None
        self.older: dict[int, Schema] = {}
        self.values = values
        self.term = 0
        self.key = key if envelope is SinkEnvelope.UPSERT else ()
        self.options = DeltaSinkOptions(uri, identity="u1-abc", **{"commit_interval_ms": 1, **options})

    def sink(self, generation: int = 0, term: int | None = None) -> DeltaSink:
        if term is None:
            self.term = term = self.term + 1
        return DeltaSink(
            self.options,
            self.schema,
            self.envelope,
            self.key,
            generation,
            FIRST,
            self.values,
            term=term,
            formers=self.older if self.former is None else {**self.older, generation - 1: self.former},
        )

    def table(self, version: int | None = None) -> DeltaTable:
        return DeltaTable(self.options.uri, version=version)

    def read(self) -> pa.Table:
        """The present rows, as the library reads them."""
        return self.table().to_pyarrow_table()

    def close(self) -> None:
        """Nothing is open."""

    def rows(self, version: int | None = None) -> Counter[tuple[Any, ...]]:
        return Counter(duckdb_rows(self.table(version)))


def duckdb_rows(table: DeltaTable) -> list[tuple[Any, ...]]:
    """What DuckDB finds in the files that the library lists."""
    paths = [uri.removeprefix("file://") for uri in table.file_uris()]
    if not paths:
        return []
    names = ", ".join(f'"{field.name}"' for field in table.schema().fields)
    partitioned = str(bool(table.metadata().partition_columns)).lower()
    with duckdb.connect() as db:
        read = f"read_parquet(?, hive_partitioning={partitioned}, hive_types_autocast=false)"
        return db.execute(f"SELECT {names} FROM {read}", [paths]).fetchall()


def place(directory: Path) -> str:
    return str(directory / "lake" / "out")
