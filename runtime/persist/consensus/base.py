"""Consensus: the rows that say what every shard is, changed by compare-and-set only.

A `Transaction` names, for every shard that it changes, the version that it expects; the epoch that the committer
believes to hold; and what to write.  It is applied wholly, durably, or not at all: exactly one of two racing
transactions that expect the same version is.  An outcome is a value; an error is that of the storage.

Implementations are thread-safe.  Several clients, in one process or many, may share one store.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from ...errors import StorageError
from ..part import BlobKey, ShardId
from ..state import Change, Head, Hold, ShardBatch

FORMAT_VERSION = 1
"""Of what consensus keeps.  A newer one is refused, an older one would be migrated."""

IDENTITY_BITS = 62


class Indeterminate(StorageError):
    """The store failed in the middle of a commit: it may or may not have been applied."""


@dataclass(frozen=True, slots=True)
class WriterRow:
    """The latest append of a writer: its contents (`fingerprint`), and when it was committed (wall clock)."""

    writer: str
    fingerprint: str
    committed_ms: int


@dataclass(frozen=True, slots=True)
class Garbage:
    """A blob that no live state refers to since `version` of its shard."""

    shard: ShardId
    version: int
    blob: BlobKey


@dataclass(frozen=True, slots=True)
class Transaction:
    """One commit.  `epoch` is (name, value): applied only if that is the name's latest epoch."""

    changes: tuple[Change, ...] = ()
    writer: WriterRow | None = None
    epoch: tuple[str, int] | None = None
    mark: int | None = None


@dataclass(frozen=True, slots=True)
class Committed:
    """Applied and durable."""


@dataclass(frozen=True, slots=True)
class Conflict:
    """Nothing was applied: one of these shards is not as expected, or a lease that was to end has been renewed."""

    shards: tuple[ShardId, ...]


@dataclass(frozen=True, slots=True)
class Superseded:
    """Nothing was applied: the epoch's latest value is `current`."""

    name: str
    current: int


Outcome = Committed | Conflict | Superseded


class Consensus(Protocol):
    def identity(self) -> int:
        """A number of up to `IDENTITY_BITS` that was drawn when the store was made, and stays: which environment this is."""

    def change_count(self) -> int:
        """A number that differs from an earlier one if anything was committed since, by anyone; costs microseconds."""

    def shard_ids(self, *, dropped: bool = False) -> list[ShardId]:
        """The shards that exist, in no order; with `dropped`, those as well that did."""

    def head(self, shard: ShardId) -> Head | None:
        """The shard's head with its holds; a dropped shard's too."""

    def version(self, shard: ShardId) -> int | None:
        """The version of the shard's head."""

    def batches(self, shard: ShardId, after_version: int) -> tuple[Head, list[ShardBatch]] | None:
        """The head, and the live batches that a commit after `after_version` added, in order of time: one
        consistent view."""

    def commit(self, transaction: Transaction) -> Outcome:
        """Apply all of `transaction` durably, or nothing.  Raises Indeterminate if that cannot be known, and
        another StorageError or DiskFull if it certainly was not applied."""

    def writer(self, writer: str) -> WriterRow | None:
        """The writer's latest append."""

    def forget_writers(self, before_ms: int) -> None:
        """Forget the writers whose latest append was committed before `before_ms`."""

    def beat(self, holder: str) -> int:
        """Count one heartbeat for each leased hold of `holder`; returns how many it has."""

    def leases(self) -> list[Hold]:
        """All leased holds, of all shards."""

    def take_epoch(self, name: str) -> int:
        """Raise the epoch `name` by one, durably, and return it.  The first is 1."""

    def mark(self) -> int:
        """The oracle's reserved high-water mark; 0 before the first."""

    def restored_upper(self) -> int:
        """Of an environment that was restored from a backup: what was committed at this time or later, elsewhere, is not here.
        0: it was not restored."""

    def garbage(self) -> list[Garbage]:
        """The blobs that live state once referred to and that have not been deleted yet."""

    def forget_garbage(self, blobs: Sequence[BlobKey]) -> None:
        """The blobs have been deleted."""

    def known_blobs(self, blobs: Iterable[BlobKey]) -> set[BlobKey]:
        """Those of `blobs` that a live part or a garbage row names."""

    def close(self) -> None: ...
