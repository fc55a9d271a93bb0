"""What travels between the levels of a job: rows `(pid, (port, payload))`, and the partition that each belongs to.

`pid` is the partition: an equal range of the 32 upper bits of the key's hash.  `port` is the edge of the plan that the
payload travels on, or REPORT.  `payload` is an Arrow IPC stream of updates, of rows or (the byte before it says so) of
errors, or of the sums that rows come to (see `compute.operators.reductions.combine`).  Times travel only where they are not
that one which all updates of a hydration have.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np
import pyarrow as pa

from ...repr.batch import NO_ERRORS, Batch, Delta, Indices, concat_batches, empty_batch
from ...repr.buffers import Words
from ...repr.hash import hash_columns
from ...repr.schema import ERROR_SCHEMA, Schema
from ..plan import EVERYWHERE, Exchange

Row = tuple[int, tuple[int, bytes]]
"""(pid, (port, payload)): a pair, as Spark shuffles pairs by their first half.  A large payload is in a file (`payload_file`)."""

REPORT = -1
"""The port of what a task reports to the driver.  An empty one only makes sure that its partition runs."""

WORK = -2
"""The port of what a task is to read."""

PAYLOAD_BYTES = 8 << 20
"""Of Arrow data in one row: the JVM holds some rows at a time, as one array of bytes."""

FILTERED = 4
"""Up to so many pieces are filtered one by one; more are cut from the rows in order, which takes a fifth of the time with 64."""

_ROWS, _ERRORS, _STATE = b"o", b"e", b"s"
_TIME, _DIFF = "__time", "__diff"
_ALIGNMENT = 64


def partition_of(hashes: Words, partitions: int) -> Indices:
    """The partition of each hash: equal ranges, in order, by the upper 32 bits."""
    return ((hashes >> np.uint64(32)) * np.uint64(partitions) >> np.uint64(32)).astype(np.int64)


def split(batch: Batch, by: Exchange, partitions: int, here: int) -> Iterator[tuple[int, Batch]]:
    """The batch by partition, none of the pieces empty; `here` is where rows are now."""
    if not len(batch):
        return
    if by is None or partitions == 1:
        yield here, batch
        return
    if by is EVERYWHERE:
        for pid in range(partitions):
            yield pid, batch
        return
    if not by:
        yield 0, batch
        return
    hashes = hash_columns([batch.columns[i] for i in by], len(batch))
    yield from pieces(batch, partition_of(hashes, partitions), partitions)


def pieces(batch: Batch, pids: Indices, partitions: int) -> Iterator[tuple[int, Batch]]:
    """The batch by the partition of each row, none of the pieces empty."""
    counts = np.bincount(pids, minlength=partitions)
    found = np.flatnonzero(counts)
    if len(found) <= FILTERED:
        for pid in found.tolist():
            yield pid, batch.filter(pids == pid)
        return
    ordered = batch.take(np.argsort(pids.astype(np.uint16) if partitions <= 1 << 16 else pids, kind="stable"))
    stops = np.cumsum(counts)
    for pid in found.tolist():
        yield pid, ordered.slice(int(stops[pid] - counts[pid]), int(stops[pid]))


def encode(schema: Schema, delta: Delta, time: int) -> Iterator[pa.Buffer]:
    """The delta as payloads of bounded size; none for an empty one.  The decoder knows `time`."""
    yield from _payloads(_ROWS, schema, delta.oks, time)
    yield from _payloads(_ERRORS, ERROR_SCHEMA, delta.errs, time)


def encode_state(name: str, schema: Schema, batch: Batch, time: int) -> Iterator[pa.Buffer]:
    """As `encode`, sums that rows come to; `name` is short ASCII."""
    return _payloads(_STATE + name.encode(), schema, batch, time)


def state_name(payload: pa.Buffer) -> str | None:
    """What sums a payload of `encode_state` has; None for one of `encode`."""
    tag = payload.slice(0, _ALIGNMENT).to_pybytes()
    return tag[1:].decode().strip() if tag[:1] == _STATE else None


def _payloads(tag: bytes, columns: Schema, batch: Batch, time: int) -> Iterator[pa.Buffer]:
    if not len(batch):
        return
    pieces = max(1, min(len(batch), -(-batch.nbytes // PAYLOAD_BYTES)))
    bounds = [len(batch) * i // pieces for i in range(pieces + 1)]
    for start, stop in pairwise(bounds):
        yield _payload(tag, columns, batch.slice(start, stop), time)


def _payload(tag: bytes, schema: Schema, batch: Batch, time: int) -> pa.Buffer:
    diffs = batch.diffs
    fields = list(schema.arrow())
    columns = list(batch.columns)
    if not (batch.times == np.uint64(time)).all():
        fields.append(pa.field(_TIME, pa.uint64()))
        columns.append(pa.array(batch.times))
    if not (diffs == 1).all() or not columns:
        fields.append(pa.field(_DIFF, pa.int64()))
        columns.append(pa.array(diffs))
    record = pa.RecordBatch.from_arrays(columns, schema=pa.schema(fields))
    sink = pa.BufferOutputStream()
    assert len(tag) <= _ALIGNMENT, tag
    sink.write(tag.ljust(_ALIGNMENT))  # the reader needs no copy to have its columns aligned
    with pa.ipc.new_stream(sink, record.schema) as writer:
        writer.write_batch(record)
    return sink.getvalue()


def decode(schema: Schema, payload: pa.Buffer, time: int) -> Delta:
    """The inverse of `encode`, one payload at a time; updates that came without a time are at `time`."""
    errors = payload.slice(0, 1).to_pybytes() == _ERRORS
    record = pa.ipc.open_stream(payload.slice(_ALIGNMENT)).read_next_batch()
    columns = list(record.columns)
    width = len(ERROR_SCHEMA) if errors else len(schema)
    extra = dict(zip(record.schema.names[width:], columns[width:], strict=True))
    times, diffs = np.full(len(record), time, np.uint64), np.ones(len(record), np.int64)
    if (sent := extra.get(_TIME)) is not None:
        times = sent.to_numpy(zero_copy_only=False)
    if (sent := extra.get(_DIFF)) is not None:
        diffs = sent.to_numpy(zero_copy_only=False)
    batch = Batch(tuple(columns[:width]), times, diffs)
    return Delta(empty_batch(schema), batch) if errors else Delta(batch, NO_ERRORS)


def concat(schema: Schema, deltas: list[Delta]) -> Delta:
    return Delta(
        concat_batches(schema, [d.oks for d in deltas]),
        concat_batches(ERROR_SCHEMA, [d.errs for d in deltas]),
    )
