"""Rows a second into tables of lakes, as sinks write them: contents, and then changes of a tenth of the rows.

```
changes in memory ── the sink: by key or as a log ── Parquet in a directory ── a commit
```

Four columns: `bigint`, `integer`, `double precision`, and a text of ten random letters.  A change replaces a row: it is two changes of the
log, and in a table by key the files that hold it are written anew.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pyarrow as pa
from ptvc.repr.batch import Batch, concat_batches
from ptvc.repr.schema import Column, Schema
from ptvc.repr.types import FLOAT8, INT4, INT8, TEXT
from ptvc.storage.connections.options import ConnectionKind, ConnectionOptions
from ptvc.storage.connections.values import Values
from ptvc.storage.sink.change_records import SinkEnvelope
from ptvc.storage.sink.delta.options import DeltaSinkOptions
from ptvc.storage.sink.delta.sink import DeltaSink
from ptvc.storage.sink.iceberg.options import IcebergSinkOptions
from ptvc.storage.sink.iceberg.sink import IcebergSink
from ptvc.storage.sink.lake.columns import MODES
from ptvc.storage.sink.lake.sink import LakeSink
from rich.table import Table

from ..measure import Transfer, load
from ..report import new_table, shows

ROWS = 1_000_000
REPEATS = 3
_CHANGED = 10
"""One row of so many is changed."""
_FIRST = 1_000
_SCHEMA = Schema(
    (Column("id", INT8, nullable=False), Column("n", INT4), Column("x", FLOAT8), Column("name", TEXT))
)
_LETTERS = 10


@dataclass(frozen=True, slots=True)
class LakeSinkResult(Transfer):
    """`cpu_s` is that of this process."""

    @property
    def per_cpu_second(self) -> float:
        return self.rows / self.cpu_s


def run_lake_sinks(rows: int = ROWS, repeats: int = REPEATS) -> list[LakeSinkResult]:
    """Of several repetitions the one that took the least CPU."""
    found = []
    for lake, make in (("Iceberg", _iceberg), ("Delta Lake", _delta)):
        for envelope in (SinkEnvelope.NONE, SinkEnvelope.UPSERT):
            runs = [_run(lake, make, envelope, rows) for _ in range(repeats)]
            found += [min(same, key=lambda result: result.cpu_s) for same in zip(*runs, strict=True)]
    return found


Make = Callable[[Path, SinkEnvelope], "LakeSink[Any]"]


def _run(lake: str, make: Make, envelope: SinkEnvelope, rows: int) -> tuple[LakeSinkResult, ...]:
    random = np.random.default_rng(1)
    contents = _rows(random, np.arange(rows), _FIRST)
    changed = random.choice(rows, rows // _CHANGED, replace=False)
    gone = contents.take(np.sort(changed)).negate()
    later = Batch(gone.columns, np.full(len(gone), _FIRST + 1, np.uint64), gone.diffs)
    change = concat_batches(_SCHEMA, [later, _rows(random, np.sort(changed), _FIRST + 1)])
    name = f"{lake}, {MODES[envelope]}"
    with TemporaryDirectory() as folder, _opened(make, Path(folder), envelope) as sink:
        return (
            _measured(f"{name}, contents", sink, contents, _FIRST),
            _measured(f"{name}, changes of a tenth", sink, change, _FIRST + 1),
        )


def _measured(what: str, sink: LakeSink[Any], changes: Batch, time_: int) -> LakeSinkResult:
    lower, cpu, started = sink.upper, time.process_time(), time.perf_counter()
    sink.write(changes, lower, time_ + 1)
    seconds, cpu = time.perf_counter() - started, time.process_time() - cpu
    assert sink.durable_upper == time_ + 1, "it is committed"
    return LakeSinkResult(what, len(changes), seconds, cpu, load())


def _rows(random: np.random.Generator, ids: np.ndarray[Any, Any], time_: int) -> Batch:
    count = len(ids)
    letters = random.integers(ord("a"), ord("z") + 1, count * _LETTERS, dtype=np.uint8)
    offsets = pa.py_buffer(np.arange(0, count * _LETTERS + 1, _LETTERS, dtype=np.int32))
    names = pa.StringArray.from_buffers(count, offsets, pa.py_buffer(letters))
    columns = (
        pa.array(ids.astype(np.int64)),
        pa.array(random.integers(0, 1 << 20, count, dtype=np.int32)),
        pa.array(random.random(count)),
        names,
    )
    return Batch(columns, np.full(count, time_, np.uint64), np.ones(count, np.int64))


@contextmanager
def _opened(make: Make, folder: Path, envelope: SinkEnvelope) -> Iterator[LakeSink[Any]]:
    sink = make(folder, envelope)
    try:
        sink.open()
        yield sink
    finally:
        sink.close()


def _key(envelope: SinkEnvelope) -> tuple[int, ...]:
    return (0,) if envelope is SinkEnvelope.UPSERT else ()


def _iceberg(folder: Path, envelope: SinkEnvelope) -> LakeSink[Any]:
    given = {
        "CATALOG TYPE": "sql",
        "URL": f"sqlite:///{folder}/catalog.db",
        "WAREHOUSE": f"file://{folder}/warehouse",
    }
    values = Values(ConnectionOptions(ConnectionKind.ICEBERG_CATALOG, given), {})
    options = IcebergSinkOptions("c", "n", "t", commit_interval_ms=1, identity="s")
    return IcebergSink(options, _SCHEMA, envelope, _key(envelope), 0, _FIRST, values, None, term=1)


def _delta(folder: Path, envelope: SinkEnvelope) -> LakeSink[Any]:
    options = DeltaSinkOptions(str(folder / "t"), commit_interval_ms=1, identity="s")
    return DeltaSink(options, _SCHEMA, envelope, _key(envelope), 0, _FIRST, None, term=1)


@shows(LakeSinkResult)
def _lake_sinks_table(results: list[LakeSinkResult]) -> Table:
    table = new_table(
        "Changes that become a commit of a lake's table",
        "what",
        "changes",
        "seconds",
        "CPU in s",
        "a second of CPU",
        "load",
    )
    for r in results:
        table.add_row(
            r.what,
            f"{r.rows:,}",
            f"{r.seconds:.2f}",
            f"{r.cpu_s:.2f}",
            f"{r.per_cpu_second:,.0f}",
            f"{r.load_1min:.1f}",
        )
    return table
