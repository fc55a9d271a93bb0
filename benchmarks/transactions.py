"""End to end: a transaction that changes many rows, then a read of the view that depends on them, through pgwire.

```
BEGIN; DELETE FROM orders WHERE order_id = ANY (...); COPY orders FROM STDIN; COMMIT ── SELECT of one key of the view
```

Half of the changed rows are deleted and half inserted.  Orders and the view have an index each, by which rows to
delete and the row to read are found.  What is read is compared with what the transaction makes of that key.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import psycopg
import pyarrow as pa

from .hydration import await_hydrated, copy_in
from .measure import Latencies, load
from .runtime import RuntimeFailed, ServedRuntime, served
from .workloads import Data, Workload, answer

WARM_UP = 3
REPEATS = {1: 60, 100: 40, 10_000: 12}


@dataclass(frozen=True, slots=True)
class TransactionResult:
    """`write`: BEGIN sent to COMMIT acknowledged; `read`: from there to the row in the client's hands; `whole`: both.

    `cpu_ms_each`: CPU time of all processes of the runtime per transaction and read.
    """

    workload: str
    base_rows: int
    change_rows: int
    write: Latencies
    read: Latencies
    whole: Latencies
    cpu_ms_each: float
    load_1min: float


def run_transactions(
    workload: Workload, base_rows: int, sizes: list[int], scale: float
) -> list[TransactionResult]:
    """One runtime, one client, transactions of each size in turn; the whole view is checked at the end."""
    data = Data(workload, base_rows)
    with served() as runtime, runtime.connect() as connection:
        copy_in(connection, data.tables())
        connection.execute("CREATE INDEX orders_by_id ON orders (order_id)")
        connection.execute(f"CREATE MATERIALIZED VIEW totals AS {workload.query}")
        connection.execute("CREATE INDEX totals_by_customer ON totals (customer)")
        for name in ("orders_by_id", "totals", "totals_by_customer"):
            await_hydrated(connection, name)
        results = [_measure(runtime, connection, data, base_rows, size, scale) for size in sizes]
        found = connection.execute("SELECT * FROM totals").fetchall()
        if {tuple(map(int_or_same, row)) for row in found} != answer(workload, data.tables()):
            raise RuntimeFailed(f"{workload.name}: the view is not what recomputation says")
        return results


def int_or_same(value: Any) -> Any:
    """A sum is a numeric: for the comparison it is a whole number."""
    return value if isinstance(value, str | None) else int(value)


def _measure(
    runtime: ServedRuntime,
    connection: psycopg.Connection[tuple[Any, ...]],
    data: Data,
    base_rows: int,
    size: int,
    scale: float,
) -> TransactionResult:
    count = max(int(REPEATS.get(size, 12) * scale), 4)
    writes, reads, wholes = [], [], []
    cpu = 0.0
    for i in range(-WARM_UP, count):
        if i == 0:
            cpu = runtime.cpu_seconds()
        change = data.change(size, 0)
        deleted = change.columns[0].filter(pa.array(change.diffs < 0)).to_pylist()
        inserted = change.filter(change.diffs > 0)
        lines = "".join(
            f"{a}\t{b}\t{c}\n" for a, b, c in zip(*(c.to_pylist() for c in inserted.columns), strict=True)
        )
        key = int(change.columns[1][0].as_py()) if len(change) else 0
        started = time.perf_counter()
        with connection.transaction():
            if deleted:
                connection.execute("DELETE FROM orders WHERE order_id = ANY(%s::bigint[])", (deleted,))
            if lines:
                with connection.cursor().copy("COPY orders FROM STDIN") as copy:
                    copy.write(lines)
        written = time.perf_counter()
        connection.execute("SELECT * FROM totals WHERE customer = %s", (key,)).fetchall()
        seen = time.perf_counter()
        if i >= 0:
            writes.append(written - started)
            reads.append(seen - written)
            wholes.append(seen - started)
    cpu = runtime.cpu_seconds() - cpu
    return TransactionResult(
        data.workload.name,
        base_rows,
        size,
        Latencies.of(writes),
        Latencies.of(reads),
        Latencies.of(wholes),
        cpu * 1e3 / count,
        load(),
    )
