"""A catalog in a directory, tables of sinks there, and what readers see in them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic
from typing import Any

import duckdb
import pyarrow as pa
from ptvc.repr.schema import Schema
from ptvc.storage.connections.options import ConnectionKind, ConnectionOptions
from ptvc.storage.connections.values import Values
from ptvc.storage.lake.catalogs import AnyCatalog, open_catalog
from ptvc.storage.sink.change_records import SinkEnvelope
from ptvc.storage.sink.iceberg.options import IcebergSinkOptions
from ptvc.storage.sink.iceberg.sink import IcebergSink
from pyiceberg.table import Table

from ..kafka.support import SCHEMA

FIRST = 1_000


def catalog_values(directory: Path) -> Values:
    given = {
        "CATALOG TYPE": "sql",
        "URL": f"sqlite:///{directory}/catalog.db",
        "WAREHOUSE": f"file://{directory}/warehouse",
    }
    return Values(ConnectionOptions(ConnectionKind.ICEBERG_CATALOG, given), {})


@contextmanager
def opened(values: Values) -> Iterator[AnyCatalog]:
    catalog = open_catalog(values, None, monotonic() + 10)
    try:
        yield catalog
    finally:
        catalog.close()


class Target:
    """A sink's table; `sink()` is its next writer, with a term of its own unless one is given."""

    def __init__(
        self,
        values: Values,
        envelope: SinkEnvelope = SinkEnvelope.UPSERT,
        schema: Schema = SCHEMA,
        key: tuple[int, ...] = (0,),
        **options: Any,
    ) -> None:
        self.values = values
        self.term = 0
        self.envelope = envelope
        self.schema = schema
        self.former: Schema | None = None
        self.older: dict[int, Schema] = {}
        self.key = key if envelope is SinkEnvelope.UPSERT else ()
        given = {"commit_interval_ms": 1, **options}
        self.options = IcebergSinkOptions("c1", "n", "out", identity="u1-abc", **given)
        self.made: list[IcebergSink] = []
        self.reader: AnyCatalog | None = None

    def sink(self, generation: int = 0, term: int | None = None) -> IcebergSink:
        if term is None:
            self.term = term = self.term + 1
        made = IcebergSink(
            self.options,
            self.schema,
            self.envelope,
            self.key,
            generation,
            FIRST,
            self.values,
            None,
            term=term,
            formers=self.older if self.former is None else {**self.older, generation - 1: self.former},
        )
        self.made.append(made)
        return made

    @property
    def table(self) -> Table:
        if self.reader is None:
            self.reader = open_catalog(self.values, None, monotonic() + 10)
        return self.reader.load_table(self.options.identifier)

    def read(self) -> pa.Table:
        """The present rows, as the library reads them."""
        return arrow_rows(self.table)

    def rows(self) -> Counter[tuple[Any, ...]]:
        return Counter(duckdb_rows(self.table))

    def close(self) -> None:
        for sink in self.made:
            sink.close()
        if self.reader is not None:
            self.reader.close()


def duckdb_rows(table: Table, snapshot_id: int | None = None) -> list[tuple[Any, ...]]:
    """What DuckDB finds in the files that the library lists for the current snapshot, or for another one."""
    tasks = list(table.scan(snapshot_id=snapshot_id).plan_files())
    assert not any(task.delete_files for task in tasks)
    paths = [task.file.file_path.removeprefix("file://") for task in tasks]
    if not paths:
        return []
    names = ", ".join(f'"{field.name}"' for field in table.schema().fields)
    with duckdb.connect() as db:
        return db.execute(f"SELECT {names} FROM read_parquet(?, hive_partitioning=false)", [paths]).fetchall()


def arrow_rows(table: Table, snapshot_id: int | None = None) -> pa.Table:
    return table.scan(snapshot_id=snapshot_id).to_arrow()
