"""A store whose blobs count what S3 would be asked for: a request for each call, and one for each thousand names."""

from __future__ import annotations

import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from time import process_time
from typing import Any, TypeVar

import numpy as np
import pyarrow as pa
from ptvc.clock import SystemClock
from ptvc.persist.blob.file import FileBlob
from ptvc.persist.client import Appended, PersistClient, Write
from ptvc.persist.compact import UNLIMITED
from ptvc.persist.consensus.sqlite import SqliteConsensus
from ptvc.persist.part import BlobKey, PartRef
from ptvc.persist.write import write_parts
from ptvc.repr.batch import NO_ERRORS, Batch, Delta
from ptvc.repr.schema import Column, Schema
from ptvc.repr.types import INT8, TEXT, TIMESTAMPTZ

T = TypeVar("T")

SCHEMA = Schema(
    (
        Column("id", INT8),
        Column("customer", INT8),
        Column("amount", INT8),
        Column("at", TIMESTAMPTZ),
        Column("text", TEXT),
    )
)
"""Of an order: 60 bytes of text, of which a third repeats."""
NAMES_AT_ONCE = 1000


class CountedBlob:
    """Files, and how often S3 would have been asked for what."""

    def __init__(self, inner: FileBlob) -> None:
        self._inner = inner
        self.requests: Counter[str] = Counter()
        self.nbytes: Counter[str] = Counter()

    def put(self, key: BlobKey, data: bytes) -> None:
        self.requests["PUT"] += 1
        self.nbytes["PUT"] += len(data)
        self._inner.put(key, data)

    def get(self, key: BlobKey) -> bytes:
        data = self._inner.get(key)
        self.requests["GET"] += 1
        self.nbytes["GET"] += len(data)
        return data

    def delete(self, key: BlobKey) -> None:
        self.requests["DELETE"] += 1
        self._inner.delete(key)

    def keys(self) -> Iterator[BlobKey]:
        found = list(self._inner.keys())
        self.requests["LIST"] += max(1, -(-len(found) // NAMES_AT_ONCE))
        return iter(found)

    def owner(self) -> int | None:
        return self._inner.owner()

    def claim(self, identity: int) -> int:
        return self._inner.claim(identity)


@dataclass(frozen=True, slots=True)
class Commit:
    """What a commit of `rows` rows asks for; `inline` bytes are in consensus, `blob` bytes in blobs."""

    rows: int
    parts: int
    puts: int
    inline: int
    blob: int


@dataclass(frozen=True, slots=True)
class Stream:
    """What `commits` commits of `rows` rows ask for until all merges are done: `encoded` bytes were committed, `put` were written in all,
    `got` read; `live` are there at the end, in `parts`."""

    commits: int
    rows: int
    encoded: int
    put: int
    got: int
    live: int
    parts: int
    requests: Counter[str]

    @property
    def amplification(self) -> float:
        """Bytes that merges have written for each byte that was committed."""
        return (self.put - self.encoded) / self.encoded


@dataclass(frozen=True, slots=True)
class Bookkeeping:
    """Of a part with statistics: bytes in consensus and in the coordinator's memory, CPU of reading it at a start.  Of a collection: CPU of
    moving its hold, and of an append to it, among a thousand in one transaction.  Of merges: encoded bytes that a core reads in a second."""

    consensus_bytes: float
    memory_bytes: float
    load_us: float
    hold_us: float
    append_us: float
    merge_bytes_s: float


def rows_of(start: int, count: int, time: int) -> Batch:
    random = np.random.default_rng(start)
    ids = np.arange(start, start + count)
    texts = np.char.add("order of customer ", random.integers(0, 1_000_000, count).astype(str))
    columns = (
        pa.array(ids),
        pa.array(random.integers(0, 100_000, count)),
        pa.array(random.integers(0, 10_000_000, count)),
        pa.array(1_700_000_000_000_000 + ids * 1_000 + random.integers(0, 1_000, count)).cast(
            TIMESTAMPTZ.arrow
        ),
        pa.array(np.char.add(texts, ", to be sent to the address that is known")),
    )
    return Batch(columns, np.full(count, time, np.uint64), np.ones(count, np.int64))


class CountedStore:
    def __init__(self, directory: Path) -> None:
        self.consensus = SqliteConsensus(directory / "consensus.sqlite")
        self.blob = CountedBlob(FileBlob(directory / "blobs"))
        self.client = PersistClient(self.consensus, self.blob, SystemClock())
        self.client.create_shard("s", SCHEMA)
        self.time = 0
        self.rows = 0

    def write(self, count: int) -> tuple[PartRef, ...]:
        batch = rows_of(self.rows, count, self.time)
        # As the changes of a transaction are.
        parts = write_parts(self.blob, "s", SCHEMA, Delta(batch, NO_ERRORS), writer="w", passing=True)
        outcome = self.client.append({"s": Write(self.time, self.time + 1, parts)})
        assert isinstance(outcome, Appended)
        self.time += 1
        self.rows += count
        return parts

    def maintain(self) -> None:
        self.client.set_hold("s", "benchmark", max(0, self.time - 1), critical=True)
        while self.client.compact("s", max_bytes=UNLIMITED):
            pass
        self.client.collect_garbage(grace_ms=0)


@contextmanager
def _store() -> Iterator[CountedStore]:
    with tempfile.TemporaryDirectory(prefix="ptvc-capacity-") as directory:
        store = CountedStore(Path(directory))
        with closing(store.consensus):
            yield store


def commit(rows: int) -> Commit:
    with _store() as store:
        parts = store.write(rows)
        inline = sum(part.nbytes for part in parts if part.blob is None)
        return Commit(rows, len(parts), store.blob.requests["PUT"], inline, store.blob.nbytes["PUT"])


def stream(commits: int, rows: int) -> Stream:
    """Merges as they come up: after each commit."""
    with _store() as store:
        encoded = 0
        for _ in range(commits):
            encoded += sum(part.nbytes for part in store.write(rows))
            store.maintain()
        found = store.consensus.batches("s", 0)
        assert found is not None
        live = [part for batch in found[1] for part in batch.parts]
        # What is inline is in consensus, and is written there.
        put = store.blob.nbytes["PUT"] + sum(part.nbytes for part in live if part.blob is None)
        assert sum(part.rows for part in live) == commits * rows
        return Stream(
            commits,
            rows,
            encoded,
            max(put, encoded),
            store.blob.nbytes["GET"],
            sum(part.nbytes for part in live),
            len(live),
            store.blob.requests,
        )


def bookkeeping(parts: int = 2_000, shards: int = 1_000, merged: int = 24) -> Bookkeeping:
    with _store() as store:
        (part,) = store.write(20_000)
        before = _size(store.consensus)
        blobs = (BlobKey(f"{part.blob}{number}") for number in range(parts))
        many = tuple(replace(part, blob=blob, min_time=1, max_time=1) for blob in blobs)
        assert isinstance(store.client.append({"s": Write(1, 2, many)}), Appended)
        consensus = (_size(store.consensus) - before) / parts
        read, load_s = min(
            (_timed(lambda: store.consensus.batches("s", 1)) for _ in range(3)), key=lambda r: r[1]
        )
        assert read is not None
        memory = _deep_size(read[1][-1].parts[0])
        for number in range(shards):
            store.client.create_shard(f"u{number}", SCHEMA)
        appends, holds = zip(*(_moved(store, shards, time) for time in range(1, 4)), strict=True)
    with _store() as store:
        for _ in range(merged):
            store.write(50_000)
        encoded = store.blob.nbytes["PUT"]
        _, merge_s = _timed(store.maintain)
        assert store.blob.requests["GET"] == merged
    return Bookkeeping(
        consensus,
        memory,
        load_s / parts * 1e6,
        min(holds) / shards * 1e6,
        min(appends) / shards * 1e6,
        encoded / merge_s,
    )


def _moved(store: CountedStore, shards: int, time: int) -> tuple[float, float]:
    """CPU seconds of an append to all shards, each of a row, and of moving the holds of all, as maintenance does."""
    rows = Delta(rows_of(time, 1, time - 1), NO_ERRORS)
    names = [f"u{number}" for number in range(shards)]
    parts = {name: write_parts(store.blob, name, SCHEMA, rows, writer="w") for name in names}
    writes = {name: Write(time - 1, time, parts[name]) for name in names}
    _, append = _timed(lambda: store.client.append(writes))
    sinces = dict.fromkeys(names, time - 1)
    _, hold = _timed(lambda: store.client.set_holds("benchmark", sinces, critical=True))
    return append, hold


def _timed(work: Callable[[], T]) -> tuple[T, float]:
    """What it returns, and its CPU seconds."""
    started = process_time()
    found = work()
    return found, process_time() - started


def _size(consensus: SqliteConsensus) -> int:
    ((pages, size),) = consensus._query(
        "SELECT page_count, page_size FROM pragma_page_count, pragma_page_size"
    )
    return int(pages) * int(size)


def _deep_size(value: Any, seen: set[int] | None = None) -> int:
    """Bytes of an object and of what it alone refers to."""
    seen = set() if seen is None else seen
    if id(value) in seen or isinstance(value, type):
        return 0
    seen.add(id(value))
    found = sys.getsizeof(value)
    if isinstance(value, dict):
        found += sum(_deep_size(inner, seen) for pair in value.items() for inner in pair)
    elif isinstance(value, list | tuple | set | frozenset):
        found += sum(_deep_size(inner, seen) for inner in value)
    elif hasattr(type(value), "__slots__"):
        found += sum(
            _deep_size(getattr(value, name), seen) for name in type(value).__slots__ if hasattr(value, name)
        )
    return found
