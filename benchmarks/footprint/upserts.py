"""An UPSERT source's state alone: what a process holds while every key arrives, while keys change, and at a restart.

```
batches ── envelope ──> changes ── parts in a store          one process
                                     └── restore ──> state, batches ── envelope      another
```

No Spark, no runtime: the envelope as a source has it, and persist on files.
"""

from __future__ import annotations

import multiprocessing
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
from ptvc import no_pandas  # noqa: F401 - as in a replica
from ptvc.compute.memory import hand_back
from ptvc.memory import resident_memory
from ptvc.persist.blob.file import FileBlob
from ptvc.persist.read import read_updates
from ptvc.persist.write import PartRef, write_parts
from ptvc.repr.batch import NO_ERRORS, Batch, Delta
from ptvc.repr.schema import Column, Schema
from ptvc.repr.types import INT8, TEXT
from ptvc.storage.decode import Decoded, RecordErrors
from ptvc.storage.envelope import UpsertEnvelope
from ptvc.storage.upsert.scratch import Scratch
from rich.table import Table

from ..measure import load, peak_mib, resident_mib
from ..report import new_table, shows

SCHEMA = Schema((Column("key", INT8), Column("text", TEXT)))
BATCH = 50_000
TEXT_BYTES = 100
TEXTS = 1 << 16
_STRIDE = 7_368_787
"""A prime: key i of all is i times this, modulo their number, so that keys come in no order."""

_SHARD = "s"
_MIB = 1 << 20


@dataclass(frozen=True, slots=True)
class UpsertResult:
    """One phase: `records` in `seconds` and `cpu_s` of the envelope alone, `longest_ms` for a batch.

    Memory in MiB: resident at most and at the end (pages of files included), and at the end without these; of it `own_mib` were there before.
    `files_mib` is what the state has in files, `state_mib` what it has in memory.
    """

    phase: str
    keys: int
    records: int
    seconds: float
    cpu_s: float
    longest_ms: float
    peak_mib: float
    resident_mib: float
    private_mib: float
    own_mib: float
    state_mib: float
    files_mib: float
    load_1min: float


def run_upserts(keys: int, changes: int) -> list[UpsertResult]:
    """Every key once, then `changes` of random ones; then a restart, and as many changes again."""
    with tempfile.TemporaryDirectory(prefix="ptvc-upserts-") as name:
        context = multiprocessing.get_context("spawn")
        with context.Pool(1, maxtasksperchild=1) as pool:
            filled, parts = pool.apply(_fill, (Path(name), keys, changes))
            return [*filled, *pool.apply(_restart, (Path(name), keys, changes, parts))]


class Records:
    """Records of `keys` keys, from a seed."""

    def __init__(self, keys: int, seed: int = 0) -> None:
        self._keys = keys
        self._random = np.random.default_rng(seed)
        letters = self._random.integers(97, 123, TEXTS * TEXT_BYTES, np.uint8)
        offsets = np.arange(0, len(letters) + 1, TEXT_BYTES, dtype=np.int32)
        buffers = [None, pa.py_buffer(offsets), pa.py_buffer(letters)]
        self._texts = pa.Array.from_buffers(pa.string(), TEXTS, buffers)

    def every(self) -> Iterator[Decoded]:
        for start in range(0, self._keys, BATCH):
            numbers = np.arange(start, min(start + BATCH, self._keys))
            yield self._records(numbers * _STRIDE % self._keys)

    def some(self, count: int) -> Iterator[Decoded]:
        for start in range(0, count, BATCH):
            yield self._records(self._random.integers(0, self._keys, min(BATCH, count - start)))

    def _records(self, keys: np.ndarray) -> Decoded:
        texts = self._texts.take(pa.array(self._random.integers(0, TEXTS, len(keys))))
        return Decoded(
            (pa.array(keys), texts), np.arange(len(keys)), np.ones(len(keys), np.bool_), _NO_ERRORS
        )


_NO_ERRORS = RecordErrors(
    np.empty(0, np.int64), np.empty(0, np.int64), pa.array([], pa.string()), pa.array([], pa.string())
)


class _Measured:
    """One envelope, and what it takes."""

    def __init__(self, directory: Path, keys: int) -> None:
        self.envelope = UpsertEnvelope(SCHEMA, (0,), Scratch(directory / "scratch"))
        self._own = _private_mib()
        self._keys = keys
        self._blob = FileBlob(directory / "blobs")
        self.parts: list[PartRef] = []

    def phase(self, name: str, batches: Iterator[Decoded], *, kept: bool) -> UpsertResult:
        """With `kept`, what comes out is stored."""
        _forget_peak()
        taken, cpu, records = [0.0], 0.0, 0
        for decoded in batches:
            begin, cpu_begin = time.perf_counter(), time.process_time()
            oks, _ = self.envelope.apply(decoded)
            self.envelope.commit()
            taken.append(time.perf_counter() - begin)
            cpu += time.process_time() - cpu_begin
            records += len(decoded)
            if kept:
                delta = Delta(oks.at(len(self.parts)), NO_ERRORS)
                self.parts += write_parts(self._blob, _SHARD, SCHEMA, delta, writer="benchmark")
        return self._result(name, records, sum(taken), cpu, max(taken))

    def restore(self, parts: Sequence[PartRef]) -> UpsertResult:
        _forget_peak()
        begin, cpu_begin = time.perf_counter(), time.process_time()
        self.envelope.restore(self._stored(part) for part in parts)
        hand_back()
        taken = time.perf_counter() - begin
        return self._result("restart", self._keys, taken, time.process_time() - cpu_begin, taken)

    def _stored(self, part: PartRef) -> Batch:
        return read_updates(self._blob, [part], SCHEMA, 0, 1 << 62).oks

    def _result(self, name: str, records: int, seconds: float, cpu: float, longest: float) -> UpsertResult:
        state = self.envelope.state
        resident = resident_mib()
        return UpsertResult(
            name,
            self._keys,
            records,
            seconds,
            cpu,
            longest * 1e3,
            max(peak_mib(), resident),  # the kernel's highest mark may be some pages behind
            resident,
            _private_mib(),
            self._own,
            state.nbytes / _MIB,
            state.mapped_nbytes / _MIB,
            load(),
        )


def _fill(directory: Path, keys: int, changes: int) -> tuple[list[UpsertResult], list[PartRef]]:
    records, measured = Records(keys), _Measured(directory, keys)
    results = [
        measured.phase("every key", records.every(), kept=True),
        measured.phase("changes", records.some(changes), kept=True),
    ]
    return results, measured.parts


def _restart(directory: Path, keys: int, changes: int, parts: list[PartRef]) -> list[UpsertResult]:
    measured = _Measured(directory, keys)
    restored = measured.restore(parts)
    return [restored, measured.phase("changes after it", Records(keys, 1).some(changes), kept=False)]


def _private_mib() -> float:
    return (resident_memory() or 0) / _MIB


def _forget_peak() -> None:
    if sys.platform == "linux":
        Path("/proc/self/clear_refs").write_text("5")  # the high-water mark is that of now


@shows(UpsertResult)
def _upserts_table(results: list[UpsertResult]) -> Table:
    table = new_table(
        f"The state of an UPSERT source, {results[0].keys:,} keys; MiB",
        *(
            "phase",
            "records",
            "per second",
            "per CPU second",
            "longest batch, ms",
            "resident, most",
            "resident",
        ),
        *("without files' pages", "of these before", "state in memory", "state in files", "load"),
    )
    for r in results:
        table.add_row(
            r.phase,
            f"{r.records:,}",
            f"{r.records / r.seconds:,.0f}",
            f"{r.records / r.cpu_s:,.0f}",
            f"{r.longest_ms:,.0f}",
            *(f"{mib:,.0f}" for mib in (r.peak_mib, r.resident_mib, r.private_mib, r.own_mib)),
            *(f"{mib:,.0f}" for mib in (r.state_mib, r.files_mib)),
            f"{r.load_1min:.1f}",
        )
    return table
