"""The commit loop: the one way from a transition to consensus.

Read the heads, compute the change, check the invariants, compare-and-set; on a lost race read again; when the store
cannot say whether it committed, read again too, and let the transition see what happened.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import suppress

from ..errors import DiskFull, Fenced, InvalidUsage, StorageError
from .cache import ShardCache
from .consensus.base import Committed, Conflict, Consensus, Indeterminate, Outcome, Superseded, Transaction
from .invariants import check
from .part import ShardId
from .state import Change, Head

MAX_ATTEMPTS = 1000
"""Of one commit.  Each failed one means that another commit succeeded."""

MAX_UNKNOWN_OUTCOMES = 5
"""Of one commit, before the store's error is passed on."""


class Machine:
    """Thread-safe; one commit at a time."""

    def __init__(self, consensus: Consensus, cache: ShardCache) -> None:
        self._consensus = consensus
        self._cache = cache
        self._committing = threading.RLock()
        self._fence: str | None = None  # the name of the epoch that was taken last

    def commit(self, propose: Callable[[], Transaction | None], epoch: int | None = None) -> bool:
        """Commit what `propose` gives, asking it again after each lost race; False once it gives None, and `epoch` is not
        superseded.

        Raises Fenced, Indeterminate (the store failed, repeatedly, or an attempt whose outcome is unknown may be why
        `propose` gave None) and the store's other errors.
        """
        unknown = 0
        done = False

        def next_of() -> Transaction | None:
            nonlocal done
            transaction = None if done else propose()
            if transaction is None:
                done = True  # what is to be found out now is only whose epoch it is
                return None if epoch is None else Transaction(epoch=self.named(epoch))
            return transaction

        with self._committing:
            for _ in range(MAX_ATTEMPTS):
                try:
                    outcome = self._attempt(next_of)
                except Indeterminate:
                    unknown += 1
                    if unknown == MAX_UNKNOWN_OUTCOMES:
                        raise
                    continue
                except (StorageError, DiskFull) as error:
                    if unknown:  # an earlier attempt may have been applied
                        raise Indeterminate(error.message, hint=error.hint) from error
                    raise
                match outcome:
                    case None:
                        return False
                    case Committed():
                        return not done
                    case Conflict():
                        continue
                    case Superseded(name=name, current=current):
                        raise Fenced(
                            f'another process has taken over as "{name}" (epoch {current})',
                            hint="Stop this process.",
                        )
        raise StorageError(
            f"could not commit: lost {MAX_ATTEMPTS} races in a row",
            hint="Other processes are committing to the same shards; try again.",
        )

    def _attempt(self, propose: Callable[[], Transaction | None]) -> Outcome | None:
        transaction = propose()
        if transaction is None:
            return None
        for change in transaction.changes:
            check(change)
        try:
            outcome = self._consensus.commit(transaction)
        except Indeterminate:
            # A failure to read must not take the place of this one, which says that something may have been written.
            # What is not seen now is a conflict when it is tried again.
            with suppress(StorageError):
                self._refresh(transaction)
            raise
        if isinstance(outcome, Conflict):
            self._refresh(transaction)
        elif isinstance(outcome, Committed):
            for change in transaction.changes:
                self._cache.apply(change)
        return outcome

    def transition(
        self, shard: ShardId, transition: Callable[[Head | None], Change | None], epoch: int | None
    ) -> bool:
        """Commit `transition` of the shard's head, or nothing if it gives None; True if something was.

        The head of a dropped shard is passed too, None for a shard that never was.
        """

        def propose() -> Transaction | None:
            change = transition(self._cache.find(shard))
            return None if change is None else Transaction((change,), epoch=self.named(epoch))

        return self.commit(propose, epoch)

    def take_epoch(self, name: str) -> int:
        """Raise the epoch `name`, durably; `named` means it from now on."""
        epoch = self._consensus.take_epoch(name)
        self._fence = name
        return epoch

    def named(self, epoch: int | None) -> tuple[str, int] | None:
        """What a transaction says of `epoch`."""
        if epoch is None:
            return None
        if self._fence is None:
            raise InvalidUsage(f"epoch {epoch} means nothing: this client has taken none")
        return self._fence, epoch

    def check_epoch(self, epoch: int | None) -> None:
        """Raise Fenced if the epoch is superseded.  (A transaction that writes nothing costs no fsync.)"""
        if epoch is not None:
            self.commit(lambda: Transaction(epoch=self.named(epoch)))

    def _refresh(self, transaction: Transaction) -> None:
        """See what has become of the shards, instead of what the cache remembers."""
        for change in transaction.changes:
            self._cache.find(change.after.shard)
