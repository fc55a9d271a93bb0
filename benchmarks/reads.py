"""One-off queries: what dbt's tests, dashboards and look-ups ask of tables that nothing is maintained for.

```
the same rows ──┬── ptvc: two tables, no index        ┐
                ├── PostgreSQL: two tables, analyzed  ├── each query in turn, the answers compared
                └── DuckDB: two tables in memory      ┘
```

A query is measured from sending its text to having its rows as Python objects, through psycopg and DuckDB's own client.
DuckDB is left out where it is not installed.
"""

from __future__ import annotations

import io
import math
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

import numpy as np
import psycopg
import pyarrow as pa
import pyarrow.csv as csv
from rich.table import Table

from .measure import Latencies, load
from .postgres import postgres
from .report import ms, new_table, shows
from .runtime import RuntimeFailed, served

SEED = 1
GROUPS = 1_000
STATUSES = 5
DAYS = 730

TABLES = {
    "facts": "id bigint NOT NULL, k int NOT NULL, v float8, status text, name text, day date",
    "keys": "k int NOT NULL, name text",
}

QUERIES = {
    "count(*)": "SELECT count(*) FROM facts",
    "unique test": "SELECT id FROM facts GROUP BY id HAVING count(*) > 1",
    "accepted values": "SELECT status, count(*) FROM facts GROUP BY status",
    "group by int, sum": "SELECT k, sum(v) FROM facts GROUP BY k",
    "filter, 20 rows out": "SELECT id, v FROM facts WHERE v < {few} AND status = 'status 3'",
    "id = k": "SELECT * FROM facts WHERE id = {middle}",
    "order by v, limit 10": "SELECT id, v FROM facts ORDER BY v DESC, id LIMIT 10",
    "join, count": "SELECT count(*) FROM facts JOIN keys ON keys.k = facts.k",
    "relationships test": "SELECT facts.k FROM facts LEFT JOIN keys ON keys.k = facts.k WHERE keys.k IS NULL",
    "group by date, avg": "SELECT day, avg(v) FROM facts GROUP BY day",
    "count(distinct text)": "SELECT count(DISTINCT name) FROM facts",
    "row_number() = 1": (
        "SELECT id, k FROM (SELECT id, k, row_number() OVER (PARTITION BY k ORDER BY v, id) AS n FROM facts) AS x"
        " WHERE n = 1"
    ),
}

PATIENCE_S = 600.0

Rows = list[tuple[Any, ...]]
Ask = Callable[[str], Rows]


@dataclass(frozen=True, slots=True)
class QueryResult:
    """`cpu_ms` of the latencies is of all processes of the runtime; those of the others have none.  `two_at_once`: of two
    clients that ask the same at the same time, alone on the machine."""

    query: str
    rows: int
    ptvc: Latencies
    two_at_once: Latencies
    postgres: Latencies
    duckdb: Latencies | None
    load_1min: float


def run_reads(rows: int, repeats: int) -> list[QueryResult]:
    with (
        served() as runtime,
        postgres() as server,
        runtime.connect() as first,
        runtime.connect() as second,
        psycopg.connect(server.uri, autocommit=True) as other,
    ):
        return measure_reads((first, second), runtime.cpu_seconds, other, rows, repeats)


def measure_reads(
    clients: tuple[psycopg.Connection[Any], psycopg.Connection[Any]],
    cpu_seconds: Callable[[], float],
    server: psycopg.Connection[Any],
    rows: int,
    repeats: int,
) -> list[QueryResult]:
    """Raises RuntimeFailed when the answers differ."""
    tables = tables_of(rows)
    for connection in (clients[0], server):
        _create(connection, tables)
    server.execute("VACUUM ANALYZE")
    subjects: dict[str, Ask] = {
        "ptvc": lambda text: _answer(clients[0], text),
        "postgres": lambda text: _answer(server, text),
    }
    with _duckdb(tables) as ask:
        if ask is not None:
            subjects["duckdb"] = ask
        return [
            _measure(
                name,
                text.format(middle=rows // 2, few=20 * STATUSES / rows),
                rows,
                repeats,
                subjects,
                lambda text: _answer(clients[1], text),
                cpu_seconds,
            )
            for name, text in QUERIES.items()
        ]


def tables_of(rows: int) -> dict[str, pa.Table]:
    """Facts, and their keys, a hundredth as many; a name for every ten facts."""
    random = np.random.default_rng(SEED)
    keys = max(rows // 100, 10)
    statuses = np.char.add("status ", random.integers(0, STATUSES, rows).astype(str))
    facts = {
        "id": np.arange(rows),
        "k": random.integers(0, min(GROUPS, keys), rows).astype(np.int32),
        "v": random.permutation(rows) / rows,
        "status": statuses,
        "name": np.char.add("name ", random.integers(0, rows // 10, rows).astype(str)),
        "day": np.datetime64("2024-01-01") + random.integers(0, DAYS, rows),
    }
    names = np.char.add("name ", np.arange(keys).astype(str))
    return {"facts": pa.table(facts), "keys": pa.table({"k": np.arange(keys, dtype=np.int32), "name": names})}


def _create(connection: psycopg.Connection[Any], tables: Mapping[str, pa.Table]) -> None:
    for name, columns in TABLES.items():
        connection.execute(f"CREATE TABLE {name} ({columns})".encode())
        text = io.BytesIO()
        csv.write_csv(tables[name], text, csv.WriteOptions(include_header=False))
        with connection.cursor().copy(f"COPY {name} FROM STDIN (FORMAT csv)".encode()) as copy:
            copy.write(text.getvalue())


@contextmanager
def _duckdb(tables: Mapping[str, pa.Table]) -> Iterator[Ask | None]:
    if find_spec("duckdb") is None:
        yield None
        return
    import duckdb

    with duckdb.connect(":memory:") as connection:
        for name, columns in TABLES.items():
            connection.execute(f"CREATE TABLE {name} ({columns})")
            connection.register("incoming", tables[name])
            connection.execute(f"INSERT INTO {name} SELECT * FROM incoming")
            connection.unregister("incoming")
        yield lambda text: connection.execute(text).fetchall()


def _answer(connection: psycopg.Connection[Any], text: str) -> Rows:
    return connection.execute(text.encode()).fetchall()


def _measure(
    name: str,
    text: str,
    rows: int,
    repeats: int,
    subjects: Mapping[str, Ask],
    second: Ask,
    cpu_seconds: Callable[[], float],
) -> QueryResult:
    wanted = subjects["postgres"](text)
    for subject, ask in subjects.items():
        if not _alike(found := ask(text), wanted):
            raise RuntimeFailed(
                f"{subject} answers {name} with {found[:3]}, and PostgreSQL with {wanted[:3]}"
            )
    seconds: dict[str, list[float]] = {subject: [] for subject in subjects}
    cpu = 0.0
    for _ in range(repeats):
        for subject, ask in subjects.items():
            cpu_before = cpu_seconds() if subject == "ptvc" else 0.0
            started = time.perf_counter()
            ask(text)
            seconds[subject].append(time.perf_counter() - started)
            if subject == "ptvc":
                cpu += cpu_seconds() - cpu_before
    duck = Latencies.of(seconds["duckdb"]) if "duckdb" in seconds else None
    return QueryResult(
        name,
        rows,
        Latencies.of(seconds["ptvc"], cpu),
        _at_once(text, repeats, (subjects["ptvc"], second)),
        Latencies.of(seconds["postgres"]),
        duck,
        load(),
    )


def _at_once(text: str, repeats: int, clients: Sequence[Ask]) -> Latencies:
    """Each client asks `repeats` times, and no client again before the others have their answers."""
    together = threading.Barrier(len(clients))

    def asked(ask: Ask) -> list[float]:
        seconds = []
        for _ in range(repeats + 1):
            together.wait(PATIENCE_S)
            started = time.perf_counter()
            ask(text)
            seconds.append(time.perf_counter() - started)
        return seconds[1:]  # its process was to be started

    with ThreadPoolExecutor(len(clients)) as threads:
        found = [*threads.map(asked, clients)]
    return Latencies.of([seconds for of_one in found for seconds in of_one])


def _alike(found: Rows, wanted: Rows) -> bool:
    """The same rows in any order; floats that were summed in another order may differ in their last digits."""
    if len(found) != len(wanted):
        return False
    return all(
        len(a) == len(b) and all(map(_same, a, b)) for a, b in zip(sorted(found), sorted(wanted), strict=True)
    )


def _same(a: object, b: object) -> bool:
    if isinstance(a, float) and isinstance(b, float):
        return math.isclose(a, b, rel_tol=1e-9)
    return a == b


@shows(QueryResult)
def _queries_table(results: list[QueryResult]) -> Table:
    table = new_table(
        f"One-off queries over {results[0].rows:,} rows (milliseconds; taken in turns)",
        *("query", "median", "p99", "CPU", "two at once", "PostgreSQL", "ratio", "DuckDB", "ratio", "load"),
    )
    for r in results:
        median_ms = r.ptvc.median_ms
        others = [
            text
            for other in (r.postgres, r.duckdb)
            for text in (
                ("-", "-") if other is None else (ms(other.median_ms), f"{median_ms / other.median_ms:.2f}")
            )
        ]
        own = (median_ms, r.ptvc.p99_ms, r.ptvc.cpu_ms, r.two_at_once.median_ms)
        table.add_row(r.query, *map(ms, own), *others, f"{r.load_1min:.1f}")
    return table
