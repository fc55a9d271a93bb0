"""What persist keeps, whatever has happened before.

```
updates of few keys ── append, hold, compact ──> bytes at rest      against the same rows written once
```

No Spark, no runtime: the store alone, on files.  What is read back is compared with what it must be.
"""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
from ptvc.clock import SystemClock
from ptvc.persist.blob.file import FileBlob
from ptvc.persist.client import Appended, PersistClient, Write
from ptvc.persist.consensus.base import Consensus
from ptvc.persist.consensus.sqlite import SqliteConsensus
from ptvc.persist.inspect import overview
from ptvc.persist.read import read_snapshot
from ptvc.persist.write import write_parts
from ptvc.repr.batch import NO_ERRORS, Batch, Delta
from ptvc.repr.schema import Column, Schema
from ptvc.repr.types import INT8, TEXT
from rich.table import Table

from .report import new_table, shows

SCHEMA = Schema((Column("key", INT8), Column("value", INT8), Column("text", TEXT)))
SHARD = "s"
KEPT = 10
"""Times that stay readable: how far the hold is behind."""


@dataclass(frozen=True, slots=True)
class StorageResult:
    """Bytes at rest after `updates` of `keys` rows, as a multiple of those rows written once; `batches` are left."""

    keys: int
    updates: int
    ratio: float
    batches: int


class Store:
    """A store with one shard, whose since follows its upper: on files, but for a consensus that is named."""

    def __init__(self, directory: Path, consensus: Consensus | None = None) -> None:
        self.consensus = consensus or SqliteConsensus(directory / "consensus.sqlite")
        self.blob = FileBlob(directory / "blobs")
        self.client = PersistClient(self.consensus, self.blob, SystemClock())
        self.client.create_shard(SHARD, SCHEMA)
        self.time = self.client.state(SHARD).upper

    def append(self, batch: Batch) -> None:
        parts = write_parts(self.blob, SHARD, SCHEMA, Delta(batch, NO_ERRORS), writer="benchmark")
        outcome = self.client.append({SHARD: Write(self.time, self.time + 1, parts)})
        assert isinstance(outcome, Appended)
        self.time += 1

    def maintain(self, kept: int = KEPT) -> None:
        self.client.set_hold(SHARD, "benchmark", max(0, self.time - kept), critical=True)
        while self.client.compact(SHARD):
            pass
        self.client.collect_garbage(grace_ms=0, writer_is_dead=lambda writer: False)

    def nbytes(self) -> int:
        (shard,) = overview(self.consensus, self.blob).shards
        return shard.inline_bytes + shard.blob_bytes


def rows_of(keys: np.ndarray, values: np.ndarray, time: int, diff: int) -> Batch:
    texts = pa.array([f"value {value} of key {key}" for key, value in zip(keys, values, strict=True)])
    return Batch(
        (pa.array(keys), pa.array(values), texts),
        np.full(len(keys), time, np.uint64),
        np.full(len(keys), diff, np.int64),
    )


def run_storage(keys: int, updates: int, per_append: int, seed: int = 0) -> StorageResult:
    """Bytes at rest after `updates` updates of `keys` keys (a deletion and an insertion count as two), compared with
    those of the rows written once; and the batches that are left."""
    random = np.random.default_rng(seed)
    with tempfile.TemporaryDirectory(prefix="ptvc-storage-") as directory:
        (Path(directory) / "once").mkdir()
        (Path(directory) / "often").mkdir()
        often = Store(Path(directory) / "often")
        values = np.zeros(keys, np.int64)
        often.append(rows_of(np.arange(keys), values, 0, 1))
        for number in range((updates - keys) // (2 * per_append)):
            touched = random.choice(keys, per_append, replace=False)
            old = rows_of(touched, values[touched], often.time, -1)
            values[touched] += 1
            new = rows_of(touched, values[touched], often.time, 1)
            often.append(_both(old, new))
            if number % 10 == 9:
                often.maintain()
        often.maintain(kept=1)
        once = Store(Path(directory) / "once")
        once.append(rows_of(np.arange(keys), values, 0, 1))
        found = read_snapshot(often.blob, often.client.snapshot(SHARD, often.time - 1)).oks
        assert len(found) == keys
        assert sorted(zip(found.columns[0].to_pylist(), found.columns[1].to_pylist(), strict=True)) == list(
            enumerate(values.tolist())
        )
        (shard,) = overview(often.consensus, often.blob).shards
        ratio = often.nbytes() / once.nbytes()
        often.consensus.close()
        once.consensus.close()
        return StorageResult(keys, updates, ratio, shard.batches)


def _both(one: Batch, other: Batch) -> Batch:
    columns = tuple(pa.concat_arrays(pair) for pair in zip(one.columns, other.columns, strict=True))
    return Batch(
        columns,
        np.concatenate([one.times, other.times]),
        np.concatenate([one.diffs, other.diffs]),
    )


@shows(StorageResult)
def _storage_table(results: list[StorageResult]) -> Table:
    table = new_table(
        "What is kept after many updates of few rows", "rows", "updates", "bytes, of once", "batches"
    )
    for r in results:
        table.add_row(f"{r.keys:,}", f"{r.updates:,}", f"{r.ratio:.2f}x", f"{r.batches}")
    return table
