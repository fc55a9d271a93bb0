"""The ways in which a query can be answered, each as a variant of a runtime in the test process.

docs/architecture/select.md says which way the runtime takes for which query: by its rows, its tables' indexes, and what is
stored and decoded.  A `Way` is a variant in which the smallest query takes one of them, and a `Variant` a runtime that is one: it
says how often to ask a query, and has its tables stored, indexed and decoded as the way says.

| of a way | | |
|---|---|---|
| engine | `duckdb` | in a query process, by DuckDB what it may compute |
| | `operators` | in a query process, by the operators of dataflows alone |
| | `job` | by the tasks of a job, of several partitions, one after the other in this process |
| | `spark` | by Spark itself, which has the replicas as well |
| stored | `inline` | every write is a part that is carried inline |
| | `arrow` | every write is a blob of Arrow, as those of middling size are |
| | `blobs` | every write is a blob of Parquet: changes and deletions stand beside the rows that they undo |
| | `merged` | before a query, all writes of a table are made one blob |
| indexed | | tables have an index on each column |

In a query process each query is asked with nothing decoded (`cold`), and again (`warm`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import product
from typing import Any, Literal
from unittest import mock
from zlib import crc32

import psycopg
import pytest
from inprocess import FAST, InProcess, eventually, hydrated, rows, running
from psycopg.pq import TransactionStatus
from ptvc.config import Settings
from ptvc.persist import write

NEVER = 10**9

STILL = replace(FAST, compaction_interval_ms=NEVER)
"""Settings under which nothing is merged by itself."""

Engine = Literal["duckdb", "operators", "job", "spark"]
Stored = Literal["inline", "arrow", "blobs", "merged"]


@dataclass(frozen=True, slots=True)
class Way:
    engine: Engine
    stored: Stored
    indexed: bool = False

    @property
    def name(self) -> str:
        return f"{self.engine}-{'indexed' if self.indexed else self.stored}"

    @property
    def times(self) -> tuple[str, ...]:
        """How a query is asked, in turn.  Neither jobs nor indexes read what queries have decoded."""
        return ("once",) if self.by_jobs or self.indexed else ("cold", "warm")

    @property
    def by_jobs(self) -> bool:
        return self.engine in ("job", "spark")

    def settings(self, others: Settings) -> Settings:
        return replace(
            others,
            duckdb_min_rows=1 if self.engine == "duckdb" else NEVER,
            query_job_min_rows=1 if self.by_jobs else NEVER,
            job_partitions=2,
        )


WAYS = (
    *(
        Way(engine, stored)
        for engine in ("duckdb", "operators", "job")
        for stored in ("inline", "blobs", "merged")
    ),
    Way("duckdb", "arrow"),
    Way("duckdb", "inline", indexed=True),
    Way("operators", "inline", indexed=True),
)
"""All but Spark itself, which takes some 10 s to start."""

SPARK = Way("spark", "blobs")

ORDINARY = ("duckdb-blobs", "job-merged", "operators-indexed")
"""Of these ways some cases are in the ordinary part."""
SLICES = 60
"""One case in so many of the others is in a slice of CI."""

WIDE = 25
"""A table of more columns has one index."""

_QUERY = re.compile(r"[\s(]*(select|with|values|table)\b", re.IGNORECASE)


def by_each_way(cases: Sequence[tuple[str, Any]], ordinary: int) -> list[Any]:
    """Parameters: a way and a case, which come with their names.  Of `ORDINARY` ways one in so many is not slow."""
    made = []
    for way, (name, case) in product(WAYS, cases):
        full = f"{way.name}-{name}"
        slow = way.name not in ORDINARY or crc32(full.encode()) % ordinary != 0
        marks = [pytest.mark.slow(slices=SLICES)] if slow else []
        made.append(pytest.param(way, case, id=full, marks=marks))
    return made


class Variant:
    """A runtime whose queries are answered in one way."""

    def __init__(self, way: Way, runtime: InProcess) -> None:
        self.way = way
        self.runtime = runtime
        self._changed = False
        self._indexed: set[tuple[int, int]] = set()

    def asked(self, connection: psycopg.Connection[Any], sql: str) -> Iterator[str]:
        """Once for each time that the statement is to be run, before it is: how it is run.  A query that has aborted its block
        is not asked again."""
        if _QUERY.match(sql) is None:
            self.changed()
            yield "once"
            return
        for when in self.way.times:
            state = connection.info.transaction_status
            if when == "warm" and state == TransactionStatus.INERROR:
                return
            if state == TransactionStatus.IDLE and self._changed:
                self._changed = False
                self._settle(connection)
            if when == "cold":
                self.runtime.driver.forget_columns()
            yield when

    def changed(self) -> None:
        """Tables have changed, or others are there."""
        self._changed = True

    def _settle(self, connection: psycopg.Connection[Any]) -> None:
        if self.way.stored == "merged":
            self.runtime.merge()
        if self.way.indexed:
            self._index(connection)

    def _index(self, connection: psycopg.Connection[Any]) -> None:
        """An index on every column, or the first of many, of every table that has none by us."""
        made = []
        for oid, table, number, column, count in rows(connection, _COLUMNS):
            if (count <= WIDE or number == 1) and (oid, number) not in self._indexed:
                self._indexed.add((oid, number))
                made.append(f"way_{oid}_{number}")
                connection.execute(f"CREATE INDEX {made[-1]} ON {table} ({column})".encode())
        eventually(lambda: not made or hydrated(connection, *made))


@contextmanager
def running_in(way: Way, settings: Settings = STILL) -> Iterator[Variant]:
    """A fresh environment in which queries are answered in that way."""
    inline = write.INLINE_MAX_BYTES if way.stored == "inline" else 0
    arrow = write.PASSING_MAX_BYTES if way.stored == "arrow" else 0
    with (
        mock.patch.object(write, "INLINE_MAX_BYTES", inline),
        mock.patch.object(write, "PASSING_MAX_BYTES", arrow),
        running(way.settings(settings), jobs=True, spark=way.engine == "spark") as runtime,
    ):
        yield Variant(way, runtime)


_COLUMNS = """
    SELECT c.oid, quote_ident(n.nspname) || '.' || quote_ident(c.relname), a.attnum, quote_ident(a.attname), c.relnatts
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace JOIN pg_attribute a ON a.attrelid = c.oid
    WHERE c.relkind = 'r' AND n.nspname NOT IN ('pg_catalog', 'information_schema') AND n.nspname NOT LIKE 'mz%'
      AND a.attnum > 0 AND NOT a.attisdropped
    ORDER BY 1, 3"""
