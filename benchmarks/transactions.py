"""End to end: a transaction that changes many rows, then a read of the view that depends on them, through pgwire.

```
BEGIN; DELETE FROM orders WHERE order_id = ANY (...); COPY orders FROM STDIN; COMMIT ── SELECT of one key of the view
```

Half of the changed rows are deleted and half inserted.  The table that changes has a primary key; no index is made by hand.  In turns
with it DuckDB deletes and inserts the same rows, tables in its memory, and computes the whole view anew.  Where it is asked for, a
PostgreSQL does the same transaction, sent by the same client, and finds the row by the view's query: a database that makes durable what
it is told through a protocol, and maintains nothing.  What is read is compared with a recomputation in the end.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import psycopg
import pyarrow as pa
from ptvc.repr.batch import Batch
from rich.table import Table

from .duck import DuckView
from .hydration import await_hydrated, copy_in
from .measure import Latencies, load
from .postgres import postgres
from .report import ms, new_table, shows
from .runtime import RuntimeFailed, ServedRuntime, served
from .workloads import Data, Workload, answer

WARM_UP = 3
REPEATS = {1: 60, 10: 60, 100: 40, 1_000: 20, 10_000: 12, 100_000: 6}


@dataclass(frozen=True, slots=True)
class TransactionResult:
    """`write`: BEGIN sent to COMMIT acknowledged; `read`: from there to the row in the client's hands; `whole`: both.

    `duckdb`: its DELETE, INSERT and the whole view; None where it is not installed.  `postgres_write` and `postgres`: the transaction
    alone, and with the row by the view's query after it; None where it was not asked for.  `cpu_ms_each`: CPU time of all processes of the
    runtime per transaction and read.
    """

    workload: str
    base_rows: int
    change_rows: int
    write: Latencies
    read: Latencies
    whole: Latencies
    duckdb: Latencies | None
    postgres_write: Latencies | None
    postgres: Latencies | None
    cpu_ms_each: float
    load_1min: float


def run_transactions(
    workload: Workload, base_rows: int, sizes: list[int], scale: float, beside_postgres: bool = False
) -> list[TransactionResult]:
    """One runtime, one client, transactions of each size in turn; the whole view is checked at the end."""
    data = Data(workload, base_rows)
    tables = data.tables()
    duck = DuckView.if_installed(workload, tables)
    with served() as runtime, runtime.connect() as connection, _postgres_of(data, beside_postgres) as other:
        fill(connection, data)
        connection.execute(f"CREATE MATERIALIZED VIEW totals AS {workload.query}")  # type: ignore[arg-type]
        await_hydrated(connection, "totals")
        measured = _Measured(runtime, connection, duck, other, data)
        results = [measured.result(base_rows, size, scale) for size in sizes]
        found = connection.execute("SELECT * FROM totals").fetchall()
        if {tuple(map(int_or_same, row)) for row in found} != answer(workload, data.tables()):
            raise RuntimeFailed(f"{workload.name}: the view is not what recomputation says")
        return results


def fill(connection: psycopg.Connection[tuple[Any, ...]], data: Data) -> None:
    """The tables, of which the one that changes has a primary key."""
    workload = data.workload
    copy_in(connection, data.tables())
    connection.execute(
        f"ALTER TABLE {workload.changing} ADD PRIMARY KEY ({workload.orders.names[0]})"  # type: ignore[arg-type]
    )


@contextmanager
def _postgres_of(data: Data, wanted: bool) -> Iterator[psycopg.Connection[tuple[Any, ...]] | None]:
    if not wanted:
        yield None
        return
    with postgres() as server, psycopg.connect(server.uri, autocommit=True) as connection:
        fill(connection, data)
        connection.execute("VACUUM ANALYZE")
        yield connection


def int_or_same(value: Any) -> Any:
    """A sum is a numeric: for the comparison it is a whole number."""
    return value if isinstance(value, str | None) else int(value)


class _Measured:
    """The runtime, and what is beside it."""

    def __init__(
        self,
        runtime: ServedRuntime,
        connection: psycopg.Connection[tuple[Any, ...]],
        duck: DuckView | None,
        postgres: psycopg.Connection[tuple[Any, ...]] | None,
        data: Data,
    ) -> None:
        self._runtime = runtime
        self._connection = connection
        self._duck = duck
        self._postgres = postgres
        self._data = data
        self._key = connection.execute("SELECT * FROM totals LIMIT 0").description[0].name  # type: ignore[index]
        keys = connection.execute(f"SELECT {self._key} FROM totals").fetchall()  # type: ignore[arg-type]
        self._keys = [key for (key,) in keys]

    def result(self, base_rows: int, size: int, scale: float) -> TransactionResult:
        count = max(int(REPEATS.get(size, 12) * scale), 4)
        writes, reads, wholes, recomputed, others_writes, others = [], [], [], [], [], []
        cpu = 0.0
        for i in range(-WARM_UP, count):
            change = self._data.change(size, 0)
            before = self._runtime.cpu_seconds()
            key = self._keys[i * 7_919 % len(self._keys)]
            write, read = self._transaction(self._connection, change, "totals", key)
            cpu += self._runtime.cpu_seconds() - before if i >= 0 else 0
            anew = None if self._duck is None else _recomputed(self._duck, change)
            if self._postgres is not None:
                view = f"({self._data.workload.query}) AS totals"
                other = self._transaction(self._postgres, change, view, key)
                if i >= 0:
                    others_writes.append(other[0])
                    others.append(sum(other))
            if i >= 0:
                writes.append(write)
                reads.append(read)
                wholes.append(write + read)
                if anew is not None:
                    recomputed.append(anew)
        return TransactionResult(
            self._data.workload.name,
            base_rows,
            size,
            Latencies.of(writes),
            Latencies.of(reads),
            Latencies.of(wholes),
            Latencies.of(recomputed) if recomputed else None,
            Latencies.of(others_writes) if others_writes else None,
            Latencies.of(others) if others else None,
            cpu * 1e3 / count,
            load(),
        )

    def _transaction(
        self, connection: psycopg.Connection[tuple[Any, ...]], change: Batch, view: str, key: Any
    ) -> tuple[float, float]:
        """Seconds of the write and of the read."""
        commit = transaction(self._data.workload, change)
        started = time.perf_counter()
        commit(connection)
        written = time.perf_counter()
        connection.execute(f"SELECT * FROM {view} WHERE {self._key} = %s", (key,)).fetchall()  # type: ignore[arg-type]
        return written - started, time.perf_counter() - written


def transaction(workload: Workload, change: Batch) -> Callable[[psycopg.Connection[tuple[Any, ...]]], None]:
    """What deletes and inserts the rows of a change, and commits; texts are made before."""
    table, id_ = workload.changing, workload.orders.names[0]
    deleted = change.columns[0].filter(pa.array(change.diffs < 0)).to_pylist()
    keys = f"{{{','.join(map(str, deleted))}}}"
    inserted = change.filter(change.diffs > 0)
    rows = zip(*(column.to_pylist() for column in inserted.columns), strict=True)
    lines = "".join(f"{a}\t{b}\t{c}\n" for a, b, c in rows)

    def commit(connection: psycopg.Connection[tuple[Any, ...]]) -> None:
        with connection.transaction():
            if deleted:
                connection.execute(
                    f"DELETE FROM {table} WHERE {id_} = ANY(%s::bigint[])",  # type: ignore[arg-type]
                    (keys,),
                )
            if lines:
                with connection.cursor().copy(f"COPY {table} FROM STDIN") as copy:  # type: ignore[arg-type]
                    copy.write(lines)

    return commit


def _recomputed(duck: DuckView, change: Batch) -> float:
    started = time.perf_counter()
    duck.apply([change])
    duck.recompute()
    return time.perf_counter() - started


@shows(TransactionResult)
def _transactions_table(results: list[TransactionResult]) -> Table:
    table = new_table(
        "A transaction of deletes and COPY, then a read of the view, through pgwire (milliseconds; medians, taken in turns)",
        *(
            "workload",
            "base",
            "change",
            "write",
            "read",
            "whole",
            "p99",
            "DuckDB anew",
            "ratio",
            "PostgreSQL's write",
            "and its row",
            "CPU",
            "load",
        ),
    )
    for r in results:
        anew = None if r.duckdb is None else r.duckdb.median_ms
        table.add_row(
            r.workload,
            f"{r.base_rows:,}",
            f"{r.change_rows:,}",
            ms(r.write.median_ms),
            ms(r.read.median_ms),
            ms(r.whole.median_ms),
            ms(r.whole.p99_ms),
            ms(anew),
            "-" if anew is None else f"{r.whole.median_ms / anew:.2f}",
            *(ms(None if one is None else one.median_ms) for one in (r.postgres_write, r.postgres)),
            ms(r.cpu_ms_each),
            f"{r.load_1min:.1f}",
        )
    return table
