"""Stores in memory that survive the coordinator, and fail as a seed decides.

A commit may be refused (`StorageError`, `DiskFull`: certainly not applied), lose its request or its reply
(`Indeterminate`), or never be heard of again, as the process dies at it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Any

from ptvc.errors import DiskFull, StorageError
from ptvc.persist.blob.memory import MemoryBlob
from ptvc.persist.consensus.base import Indeterminate, Outcome, Transaction
from ptvc.persist.consensus.memory import MemoryConsensus

from .loop import Killed

_READS = frozenset({"head", "version", "batches", "writer", "known_blobs", "garbage", "leases", "shard_ids"})


@dataclass(slots=True)
class StoreFaults:
    """What goes wrong now.  `lose` and `fail` are probabilities of a commit's reply and request being lost; while `away`
    nothing can be committed; `cut`: it goes away at the next commit, which is applied and never answered; `unread`: nothing
    can be read; `full`: there is no room; `die_at` counts commits down to the one at which the process dies, before or after it is applied."""

    fail: float = 0.0
    lose: float = 0.0
    away: bool = False
    cut: bool = False
    unread: bool = False
    full: bool = False
    die_at: int | None = None
    die_after: bool = False

    def heal(self) -> None:
        self.fail = self.lose = 0.0
        self.away = self.cut = self.unread = self.full = False
        self.die_at = None


class SimulatedConsensus:
    """One process's view of the store: `dead` ones change nothing any more.  `touched(name)` hears of every call."""

    def __init__(
        self,
        inner: MemoryConsensus,
        faults: StoreFaults,
        random: Random,
        touched: Callable[[str], None],
    ) -> None:
        self._inner = inner
        self._faults = faults
        self._random = random
        self._touched = touched
        self.dead = False

    def __getattr__(self, name: str) -> Any:
        if self.dead:
            raise Killed
        if name in _READS:
            self._touched(name)
            if self._faults.unread:
                raise StorageError("the store does not answer")
        return getattr(self._inner, name)

    def commit(self, transaction: Transaction) -> Outcome:
        if self.dead:
            raise Killed
        self._touched("commit")
        faults = self._faults
        dying = False
        if faults.die_at is not None:
            faults.die_at -= 1
            dying = faults.die_at <= 0
        if dying and not faults.die_after:
            self._die()
        if faults.away:
            raise StorageError("the store cannot be reached")
        if faults.full:
            raise DiskFull("there is no room")
        dice = self._random.random() if faults.fail or faults.lose else 1.0
        if dice < faults.fail:
            raise Indeterminate("the request was lost")
        outcome = self._inner.commit(transaction)
        if dying:
            self._die()
        if faults.cut:
            faults.cut, faults.away = False, True
            raise Indeterminate("the connection was lost")
        if dice < faults.fail + faults.lose:
            raise Indeterminate("the reply was lost")
        return outcome

    def _die(self) -> None:
        self._faults.die_at = None
        self.dead = True
        raise Killed

    def close(self) -> None:
        """Another process goes on with it."""


@dataclass(frozen=True, slots=True)
class Disk:
    """What outlives processes."""

    consensus: MemoryConsensus
    blob: MemoryBlob
