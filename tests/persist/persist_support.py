"""Shared by the persist tests: a slow obvious model of a shard, small makers of deltas, stores that fail."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from random import Random

import numpy as np
import pyarrow as pa
from ptvc.errors import StorageError
from ptvc.persist.client import Appended, PersistClient, UpperMismatch, Write
from ptvc.persist.consensus.base import Consensus, Indeterminate, Outcome, Transaction
from ptvc.persist.part import BlobKey
from ptvc.persist.read import read_snapshot, read_updates
from ptvc.persist.write import write_parts
from ptvc.repr.batch import Batch, Delta
from ptvc.repr.schema import ERROR_SCHEMA, Column, Schema
from ptvc.repr.types import INT8, TEXT

SCHEMA = Schema((Column("id", INT8), Column("name", TEXT)))

Update = tuple[tuple[object, ...], int, int]
"""(row, time, diff)."""

Contents = Counter[tuple[object, ...]]


def batch_of(schema: Schema, updates: Sequence[Update]) -> Batch:
    columns = tuple(
        pa.array([row[i] for row, _, _ in updates], column.type.arrow) for i, column in enumerate(schema)
    )
    return Batch(
        columns,
        np.array([time for _, time, _ in updates], np.uint64),
        np.array([diff for _, _, diff in updates], np.int64),
    )


def delta_of(updates: Iterable[Update], errors: Iterable[Update] = (), schema: Schema = SCHEMA) -> Delta:
    return Delta(batch_of(schema, list(updates)), batch_of(ERROR_SCHEMA, list(errors)))


def updates_of(batch: Batch) -> list[Update]:
    columns = [column.to_pylist() for column in batch.columns]
    rows = list(zip(*columns, strict=True)) if columns else [()] * len(batch)
    return [
        (row, int(time), int(diff)) for row, time, diff in zip(rows, batch.times, batch.diffs, strict=True)
    ]


def contents_of(delta: Delta) -> Contents:
    """What the rows and the errors of a delta sum to, whatever their times."""
    found: Contents = Counter()
    for kind, batch in (("row", delta.oks), ("error", delta.errs)):
        for row, _, diff in updates_of(batch):
            values = (tuple(value) if isinstance(value, list) else value for value in row)
            found[(kind, *values)] += diff
    return Counter({key: count for key, count in found.items() if count})


class ModelShard:
    """A shard as its definition has it: a list of updates and two frontiers."""

    def __init__(self, since: int = 0) -> None:
        self.start = self.since = self.upper = since
        self.rows: list[Update] = []
        self.errors: list[Update] = []

    def append(self, rows: Sequence[Update], errors: Sequence[Update], upper: int) -> None:
        self.rows.extend(rows)
        self.errors.extend(errors)
        self.upper = upper

    def at(self, time: int) -> Contents:
        return self.between(0, time + 1)

    def between(self, lower: int, upper: int) -> Contents:
        found: Contents = Counter()
        for kind, updates in (("row", self.rows), ("error", self.errors)):
            for row, time, diff in updates:
                if lower <= time < upper:
                    found[(kind, *row)] += diff
        return Counter({key: count for key, count in found.items() if count})


def append(
    client: PersistClient,
    shard: str,
    lower: int,
    upper: int,
    updates: Iterable[Update] = (),
    errors: Iterable[Update] = (),
    *,
    writer: str = "writer",
    inline: bool = True,
) -> Appended | UpperMismatch:
    """Write the parts and append them; `inline` unset makes them blobs by repeating them until they are large."""
    updates = list(updates)
    delta = delta_of(updates, errors)
    if not inline:
        padding = [(("pad" * 40_000)[:70_000], 1), (("pad" * 40_000)[:70_000], -1)]
        pads: list[Update] = [((-1, text), lower, diff) for text, diff in padding]
        delta = delta_of([*updates, *pads], errors)
    parts = write_parts(client.blob, shard, SCHEMA, delta, writer=writer)
    assert inline or all(part.blob is not None for part in parts)
    return client.append({shard: Write(lower, upper, parts)}, writer=writer)


def read_at(client: PersistClient, shard: str, as_of: int) -> Contents:
    return contents_of(read_snapshot(client.blob, client.snapshot(shard, as_of)))


def read_between(client: PersistClient, shard: str, lower: int, upper: int) -> Contents:
    parts = client.updates(shard, lower, upper)
    return contents_of(read_updates(client.blob, parts, client.state(shard).schema, lower, upper))


class UnreliableConsensus:
    """A store whose commits sometimes fail, and sometimes succeed but say that they may have failed; and which sometimes
    cannot be read."""

    def __init__(
        self, inner: Consensus, random: Random, *, fail: float, lose: float, unread: float = 0.0
    ) -> None:
        self._inner = inner
        self._random = random
        self._fail, self._lose, self._unread = fail, lose, unread
        self.lost = 0

    def __getattr__(self, name: str) -> object:
        if name in _READS and self._random.random() < self._unread:
            raise StorageError("the store does not answer")
        return getattr(self._inner, name)

    def commit(self, transaction: Transaction) -> Outcome:
        dice = self._random.random()
        if dice < self._fail:
            raise Indeterminate("the request was lost")
        outcome = self._inner.commit(transaction)
        if dice < self._fail + self._lose:
            self.lost += 1
            raise Indeterminate("the reply was lost")
        return outcome


_READS = {"head", "version", "batches", "writer", "known_blobs", "garbage", "leases"}


class UnreliableBlob:
    """A store that sometimes fails, before or after it has done what it was asked."""

    def __init__(self, inner: object, random: Random, *, fail: float) -> None:
        self._inner = inner
        self._random = random
        self._fail = fail

    def put(self, key: BlobKey, data: bytes) -> None:
        self._trouble()
        self._inner.put(key, data)  # type: ignore[attr-defined]
        self._trouble()

    def get(self, key: BlobKey) -> bytes:
        return self._inner.get(key)  # type: ignore[attr-defined,no-any-return]

    def delete(self, key: BlobKey) -> None:
        self._trouble()
        self._inner.delete(key)  # type: ignore[attr-defined]
        self._trouble()

    def keys(self) -> Iterator[BlobKey]:
        return self._inner.keys()  # type: ignore[attr-defined,no-any-return]

    def _trouble(self) -> None:
        if self._random.random() < self._fail:
            raise StorageError("the disk is unwell")
