"""Consensus in memory: for tests, and for environments that need not outlive their process."""

from __future__ import annotations

import secrets
import threading
from collections.abc import Iterable, Sequence
from dataclasses import replace

from ..part import BlobKey, ShardId
from ..state import Change, Head, Hold, ShardBatch
from .base import IDENTITY_BITS, Committed, Conflict, Garbage, Outcome, Superseded, Transaction, WriterRow


class MemoryConsensus:
    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._identity = secrets.randbits(IDENTITY_BITS)
        self._commits = 0
        self._heads: dict[ShardId, Head] = {}
        self._batches: dict[ShardId, dict[int, ShardBatch]] = {}
        self._writers: dict[str, WriterRow] = {}
        self._epochs: dict[str, int] = {}
        self._mark = 0
        self._garbage: dict[BlobKey, Garbage] = {}

    def identity(self) -> int:
        return self._identity

    def change_count(self) -> int:
        return self._commits

    def shard_ids(self, *, dropped: bool = False) -> list[ShardId]:
        with self._lock:
            return [head.shard for head in self._heads.values() if dropped or not head.dropped]

    def head(self, shard: ShardId) -> Head | None:
        with self._lock:
            return self._heads.get(shard)

    def version(self, shard: ShardId) -> int | None:
        with self._lock:
            head = self._heads.get(shard)
            return None if head is None else head.version

    def batches(self, shard: ShardId, after_version: int) -> tuple[Head, list[ShardBatch]] | None:
        with self._lock:
            head = self._heads.get(shard)
            if head is None:
                return None
            live = self._batches[shard].values()
            later = [batch for batch in live if batch.version > after_version]
            return head, sorted(later, key=lambda batch: batch.lower)

    def commit(self, transaction: Transaction) -> Outcome:
        with self._lock:
            if transaction.epoch is not None:
                name, epoch = transaction.epoch
                if (current := self._epochs.get(name, 0)) != epoch:
                    return Superseded(name, current)
            if lost := tuple(c.after.shard for c in transaction.changes if not self._expected(c)):
                return Conflict(lost)
            for change in transaction.changes:
                self._apply(change)
            if transaction.writer is not None:
                self._writers[transaction.writer.writer] = transaction.writer
            if transaction.mark is not None:
                self._mark = max(self._mark, transaction.mark)
            self._commits += 1
            return Committed()

    def _expected(self, change: Change) -> bool:
        current = self._heads.get(change.after.shard)
        if change.before is None or current is None:
            return change.before is current
        if current.version != change.before.version:
            return False
        ending = change.dropped_hold
        return ending is None or any(
            h.holder == ending.holder and h.beat == ending.beat for h in current.holds
        )

    def _apply(self, change: Change) -> None:
        shard, version = change.after.shard, change.after.version
        # Beats are counted beside the versions, so that the heads of others need not change for them.
        beats = {h.holder: h.beat for h in self._heads[shard].holds} if shard in self._heads else {}
        holds = tuple(replace(h, beat=max(h.beat, beats.get(h.holder, 0))) for h in change.after.holds)
        self._heads[shard] = replace(change.after, holds=holds)
        batches = self._batches.setdefault(shard, {})
        for batch in change.removed:
            del batches[batch.lower]
            for part in batch.parts:
                if part.blob is not None:
                    self._garbage[part.blob] = Garbage(shard, version, part.blob)
        for batch in change.inserted:
            batches[batch.lower] = batch
            for part in batch.parts:
                if part.blob is not None:
                    self._garbage.pop(part.blob, None)

    def writer(self, writer: str) -> WriterRow | None:
        return self._writers.get(writer)

    def forget_writers(self, before_ms: int) -> None:
        with self._lock:
            for row in list(self._writers.values()):
                if row.committed_ms < before_ms:
                    del self._writers[row.writer]

    def beat(self, holder: str) -> int:
        count = 0
        with self._lock:
            for shard, head in self._heads.items():
                if any(h.holder == holder and not h.critical for h in head.holds):
                    holds = tuple(
                        replace(h, beat=h.beat + 1) if h.holder == holder else h for h in head.holds
                    )
                    self._heads[shard] = replace(head, holds=holds)
                    count += 1
            self._commits += 1
        return count

    def leases(self) -> list[Hold]:
        with self._lock:
            return [hold for head in self._heads.values() for hold in head.holds if not hold.critical]

    def take_epoch(self, name: str) -> int:
        with self._lock:
            self._epochs[name] = self._epochs.get(name, 0) + 1
            return self._epochs[name]

    def mark(self) -> int:
        return self._mark

    def restored_upper(self) -> int:
        return 0

    def garbage(self) -> list[Garbage]:
        with self._lock:
            return list(self._garbage.values())

    def forget_garbage(self, blobs: Sequence[BlobKey]) -> None:
        with self._lock:
            for blob in blobs:
                self._garbage.pop(blob, None)

    def known_blobs(self, blobs: Iterable[BlobKey]) -> set[BlobKey]:
        with self._lock:
            live = {
                part.blob
                for batches in self._batches.values()
                for batch in batches.values()
                for part in batch.parts
                if part.blob is not None
            }
            return {blob for blob in blobs if blob in live or blob in self._garbage}

    def close(self) -> None:
        """Nothing to close: another client may share this store."""
