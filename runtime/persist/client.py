"""The client of persist: one handle on all shards of an environment.

Every operation that changes something is a pure transition (`state`) run by one commit loop (`machine`).  The
client keeps what it has read in memory (`cache`), so that an append costs one transaction whatever the
history; consensus still decides.

Thread-safe and synchronous: calls block for the store's fsync.  One committer runs at a time; reading does not
wait for it.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Callable, Mapping

from ..clock import Clock
from ..errors import DiskFull, InvalidUsage, ObjectNotReady, StorageError, UndefinedObject
from ..repr.schema import Schema
from . import compact, state
from .blob.base import Blob
from .cache import ShardCache
from .compact import MAX_MERGE_BYTES, UNLIMITED, Merge
from .consensus.base import Consensus, Indeterminate, Transaction, WriterRow
from .gc import PIN, Collector
from .holds import Leases
from .machine import Machine
from .mirror import Mirror, snapshot_of, updates_of
from .part import PartRef, ShardId
from .state import Appended, Change, Head, Hold, ShardState, Snapshot, UpperMismatch, Write

__all__ = [
    "MAX_MERGE_BYTES",
    "Appended",
    "Merge",
    "PartRef",
    "PersistClient",
    "ShardId",
    "ShardState",
    "Snapshot",
    "UpperMismatch",
    "Write",
]

DEFAULT_LEASE_MS = 60_000
DEFAULT_GRACE_MS = 300_000
WRITER_MEMORY_MS = 3_600_000
"""How long an append can be recognised by its writer.  A later repetition is refused as a mismatch of uppers."""


class PersistClient:
    """`epoch` arguments: the number that this client's last `take_epoch` gave; the operation is refused with
    `Fenced`, in the transaction itself, once someone else has taken a newer one."""

    def __init__(self, consensus: Consensus, blob: Blob, clock: Clock) -> None:
        self.blob = blob
        self.writer_id = f"client-{secrets.token_hex(8)}"
        """The writer of this client's own blobs (merged parts)."""
        self._consensus = consensus
        self._clock = clock
        self._cache = ShardCache(consensus)
        self._machine = Machine(consensus, self._cache)
        self.mirror = Mirror(self._cache)
        self._leases = Leases(clock)
        self._collector = Collector(consensus, blob, clock)

    # Shards

    def create_shard(
        self, shard: ShardId, schema: Schema, since: int = 0, *, epoch: int | None = None
    ) -> ShardState:
        """A new, empty shard with both frontiers at `since`.  One that exists already, with this schema, is left
        as it is; with another schema, or dropped before: InvalidUsage."""

        def create(head: Head | None) -> Change | None:
            if head is None:
                return state.created(shard, schema, since)
            if head.dropped:
                raise InvalidUsage(f'shard "{shard}" was dropped: its id cannot be used again')
            if head.schema != schema:
                raise InvalidUsage(f'shard "{shard}" exists already, with another schema')
            return None

        self._machine.transition(shard, create, epoch)
        return self.state(shard)

    def state(self, shard: ShardId) -> ShardState:
        """The shard's frontiers and schema now.  UndefinedObject if it does not exist."""
        return self._cache.current(shard).state()

    def shards(self) -> list[ShardState]:
        """All shards, in order of id."""
        heads = [self._cache.find(shard) for shard in sorted(self._consensus.shard_ids())]
        return [head.state() for head in heads if head is not None and not head.dropped]

    def shard_ids(self) -> list[ShardId]:
        """The ids of all shards that ever were, dropped ones too: none of them can be used again."""
        return self._consensus.shard_ids(dropped=True)

    def drop_shard(self, shard: ShardId, *, epoch: int | None = None) -> None:
        """Make the shard and all holds on it go away, if it exists.  Its blobs are garbage; its id is never used
        again."""

        def drop(head: Head | None) -> Change | None:
            if head is None or head.dropped:
                return None
            return state.dropped(*self._cache.batches(shard))

        self._machine.transition(shard, drop, epoch)

    def evolve_schema(self, shard: ShardId, schema: Schema, *, epoch: int | None = None) -> ShardState:
        """Add nullable columns at the end of the shard's schema, which earlier parts have as NULL or as the column's
        `missing`; or mark columns as dropped, which all parts then have as NULL.

        `schema` is the whole new schema; the one that the shard has already is accepted.  InvalidUsage otherwise.
        """

        def evolve(head: Head | None) -> Change | None:
            head = _existing(shard, head)
            return None if head.schema == schema else state.evolved(head, schema)

        self._machine.transition(shard, evolve, epoch)
        return self.state(shard)

    # Writing

    def append(
        self,
        writes: Mapping[ShardId, Write],
        *,
        writer: str | None = None,
        epoch: int | None = None,
        mark: int | None = None,
    ) -> Appended | UpperMismatch:
        """Append to one or many shards in ONE durable transaction, all or nothing.

        Accepted iff every write's lower is its shard's upper; otherwise nothing is written and the result says
        what the uppers are.  `writer` names who appends: when its latest append is repeated with the same
        contents (because the reply was lost), the answer is `Appended` again and nothing is written.  `mark` raises
        the oracle's reserved mark in the same transaction.  Raises Fenced, DiskFull, UndefinedObject; and
        StorageError, after which the same call resolves what happened, provided it names a `writer`.
        """
        for shard, write in writes.items():
            state.check_write(shard, write)
        row = WriterRow(writer or self.writer_id, _fingerprint(writes), self._clock.now_ms())
        mismatch: UpperMismatch | None = None

        def propose() -> Transaction | None:
            nonlocal mismatch
            heads = {shard: self._cache.remembered(shard) for shard in writes}
            if any(heads[shard].upper != write.lower for shard, write in writes.items()):
                heads = {shard: self._cache.current(shard) for shard in writes}
                if any(heads[shard].upper != write.lower for shard, write in writes.items()):
                    known = self._consensus.writer(row.writer)
                    if known is None or known.fingerprint != row.fingerprint:
                        mismatch = UpperMismatch({shard: head.upper for shard, head in heads.items()})
                    return None
            changes = tuple(state.appended(heads[shard], write) for shard, write in writes.items())
            return Transaction(changes, row, self._machine.named(epoch), mark)

        self._machine.commit(propose, epoch)
        return mismatch or Appended({shard: write.upper for shard, write in writes.items()})

    # Reading

    def snapshot(self, shard: ShardId, as_of: int) -> Snapshot:
        """The parts that make up the shard at `as_of`, for `read.read_snapshot`.

        ObjectNotReady (55000) unless `since <= as_of < upper`: this never waits.  A reader that takes longer than
        the grace period of garbage collection needs a leased hold, taken before.
        """
        return snapshot_of(*self._cache.between(shard, 0, as_of + 1), as_of)

    def updates(self, shard: ShardId, lower: int, upper: int) -> tuple[PartRef, ...]:
        """The parts with any update in `[lower, upper)`, for `read.read_updates`.

        Together with a snapshot at `lower - 1` these are the shard's contents at every time of the interval.
        ObjectNotReady (55000) if the shard's upper is below `upper`, or its since has reached `lower`.
        """
        return updates_of(*self._cache.between(shard, lower, upper), lower, upper)

    # Holds

    def set_hold(
        self,
        shard: ShardId,
        holder: str,
        since: int,
        *,
        critical: bool,
        lease_ms: int | None = None,
        epoch: int | None = None,
    ) -> None:
        """Keep the shard readable at `since` for `holder`, in place of the holder's earlier hold on it.

        The shard's since becomes the meet of its holds (never back, never beyond its upper), so advancing the
        lowest hold is what lets it advance; so does the first hold on a shard.  A critical hold stays until it is dropped; a leased one until
        `lease_ms` (default 60 s) pass without a `heartbeat`.  Setting a leased hold again tells that the snapshots taken
        under the earlier one have been read.  ObjectNotReady (55000) if `since` is below the shard's.
        """
        self.set_holds(holder, {shard: since}, critical=critical, lease_ms=lease_ms, epoch=epoch)

    def set_holds(
        self,
        holder: str,
        sinces: Mapping[ShardId, int],
        *,
        critical: bool,
        lease_ms: int | None = None,
        epoch: int | None = None,
    ) -> None:
        """`set_hold` for many shards in one transaction, all or nothing.  A critical hold that is already where it
        should be costs nothing."""
        if critical and lease_ms is not None:
            raise InvalidUsage("a critical hold has no lease")
        lease = None if critical else lease_ms or DEFAULT_LEASE_MS

        def propose() -> Transaction | None:
            changes = []
            for shard, since in sinces.items():
                head = self._cache.current(shard)
                change = state.held(head, Hold(shard, holder, since, critical, lease, 0))
                there = any((h.holder, h.since, h.critical) == (holder, since, True) for h in head.holds)
                if not (critical and there and change.after.since == head.since):
                    changes.append(change)
            return Transaction(tuple(changes), epoch=self._machine.named(epoch)) if changes else None

        self._machine.commit(propose, epoch)

    def pin(self, shard: ShardId, name: str, *, lease_ms: int | None = None) -> str:
        """Keep every blob that is live now, of all shards, even if they are dropped; returns the holder of a leased hold on `shard`,
        for `heartbeat` and `drop_hold`."""
        holder = PIN + name

        def propose() -> Transaction | None:
            head = self._cache.current(shard)
            hold = Hold(shard, holder, head.since, False, lease_ms or DEFAULT_LEASE_MS, 0)
            return Transaction((state.held(head, hold),))

        self._machine.commit(propose)
        return holder

    def drop_hold(self, shard: ShardId, holder: str, *, epoch: int | None = None) -> None:
        """End the holder's hold on the shard, if there are such a hold and such a shard."""

        def drop(head: Head | None) -> Change | None:
            if head is None or head.dropped:
                return None
            # Heartbeats do not show in the head's version, and the hold that ends must be the hold as it is.
            head = self._consensus.head(shard)
            found = [h for h in head.holds if h.holder == holder] if head is not None else []
            return state.released(head, found[0]) if head is not None and found else None

        self._machine.transition(shard, drop, epoch)

    def heartbeat(self, holder: str) -> None:
        """Keep the leased holds of `holder` from expiring.  ObjectNotReady (55000) if it has none any more."""
        if not self._consensus.beat(holder):
            raise ObjectNotReady(
                f'"{holder}" holds nothing: its lease has expired',
                hint="Take a new hold and read again from a snapshot.",
            )

    def expire_leases(self) -> int:
        """End the leased holds whose holders have not been heard for the length of their lease; returns how many.

        Called by `collect_garbage`; a client gives every hold a full lease from when it first sees it.
        """
        ended = 0
        for lease in self._leases.expired(self._consensus.leases()):
            ended += self._end_lease(lease)
        return ended

    def _end_lease(self, lease: Hold) -> bool:
        def end(_: Head | None) -> Change | None:
            head = self._consensus.head(lease.shard)
            if head is None or lease not in head.holds:
                return None  # renewed, moved or dropped meanwhile
            return state.released(head, lease)

        return self._machine.transition(lease.shard, end, None)

    # Epochs and the oracle's mark

    def take_epoch(self, name: str) -> int:
        """Become the one `name`, durably: every earlier epoch of that name is fenced.  Returns 1, 2, ..."""
        return self._machine.take_epoch(name)

    def mark(self) -> int:
        """The oracle's reserved high-water mark; 0 before the first."""
        return self._consensus.mark()

    def restored_upper(self) -> int:
        """What was committed from this time on where the environment comes from is not here; 0: it comes from no backup."""
        return self._consensus.restored_upper()

    def raise_mark(self, mark: int, epoch: int) -> None:
        """Raise the mark durably; it never falls.  Raises Fenced."""
        self._machine.commit(lambda: Transaction(epoch=self._machine.named(epoch), mark=mark))

    # Maintenance

    def compact(
        self,
        shard: ShardId,
        *,
        force: bool = False,
        max_bytes: int = MAX_MERGE_BYTES,
        after: int = 0,
        epoch: int | None = None,
    ) -> bool:
        """Merge one run of neighbouring batches of similar size, if there is one; False if nothing changed.

        Contents at every readable time stay what they are.  With `force`, all batches become one, whatever
        their size.  Batches below the time `after` are left alone.  Reads and writes blobs, so call it where it may
        take time; appends go on meanwhile.  The merge replaces exactly the batches that it read, or is dropped.
        """
        merge = self.next_merge(shard, force=force, max_bytes=max_bytes, after=after)
        if merge is None:
            return False
        return self.replace(merge, compact.merge(self.blob, merge, self.writer_id), epoch=epoch)

    def next_merge(
        self, shard: ShardId, *, force: bool = False, max_bytes: int = UNLIMITED, after: int = 0
    ) -> Merge | None:
        """What `compact` would merge now, if anything; by default of any size.  `replace` does the rest."""
        head, batches = self._cache.batches(shard)
        batches = [batch for batch in batches if batch.lower >= after]
        if force:
            chosen = compact.choose_all(batches, head.since)
        else:
            chosen = compact.choose_next(batches, head.since, max_bytes)
        return Merge(shard, head.schema, head.since, tuple(chosen)) if chosen else None

    def replace(self, merge: Merge, parts: tuple[PartRef, ...], *, epoch: int | None = None) -> bool:
        """Put `parts`, which somebody has made of the batches of `merge`, in their place.

        False if the batches are not there any more, or the shard is not: then the parts' blobs are deleted, as they are
        when this fails.
        """
        parts = compact.joined(self.blob, merge, parts, self.writer_id)
        read = [(batch.lower, batch.version) for batch in merge.batches]
        live = parts

        def propose() -> Transaction | None:
            nonlocal live
            now, found = self._cache.between(merge.shard, merge.lower, merge.upper)
            if [(batch.lower, batch.version) for batch in found] == read:
                change = state.merged(now, merge.batches, merge.since, parts)
                return Transaction((change,), epoch=self._machine.named(epoch))
            live = tuple(part for batch in found for part in batch.parts)
            return None

        try:
            if self._machine.commit(propose):
                return True
        except UndefinedObject:  # dropped meanwhile
            live = ()
        except Indeterminate:
            raise  # the merged parts may be live
        except (StorageError, DiskFull):
            self._delete_unknown(parts)
            raise
        if live == parts and parts:
            return True  # an earlier attempt, whose reply was lost, had succeeded
        self._delete_unknown(parts)
        return False

    def collect_garbage(
        self,
        *,
        grace_ms: int = DEFAULT_GRACE_MS,
        writer_is_dead: Callable[[str], bool] | None = None,
        epoch: int | None = None,
    ) -> int:
        """Delete the blobs that nothing needs any more; returns how many.  Ends expired leases first.

        Blobs that compaction or a drop replaced go `grace_ms` after this client first saw that, unless a leased
        hold may still read them.  Blobs that were written but never appended go if `writer_is_dead(writer)`, which
        must be True only if no append of that writer's parts can come any more; without it they stay.
        (This client's own writer is `writer_id`; it is alive.)  With `epoch`, nothing is deleted that was seen after
        somebody else had taken a newer one: that one's writers are not known here.
        """

        def confirm() -> None:
            self._machine.check_epoch(epoch)

        self.expire_leases()
        self._consensus.forget_writers(self._clock.now_ms() - WRITER_MEMORY_MS)
        deleted = self._collector.collect_replaced(grace_ms, confirm)
        if writer_is_dead is not None:
            is_dead = writer_is_dead
            deleted += self._collector.collect_orphans(lambda w: w != self.writer_id and is_dead(w), confirm)
        return deleted

    def check_epoch(self, epoch: int) -> None:
        """Raises Fenced when somebody has taken a newer one."""
        self._machine.check_epoch(epoch)

    def _delete_unknown(self, parts: tuple[PartRef, ...]) -> None:
        """Delete the blobs of parts that were not appended."""
        keys = [part.blob for part in parts if part.blob is not None]
        known = self._consensus.known_blobs(keys)
        for key in keys:
            if key not in known:
                self.blob.delete(key)


def _existing(shard: ShardId, head: Head | None) -> Head:
    if head is None or head.dropped:
        raise UndefinedObject(f'shard "{shard}" does not exist')
    return head


def _fingerprint(writes: Mapping[ShardId, Write]) -> str:
    """The contents of an append, hashed, so that its repetition is recognised."""
    contents = [
        (
            shard,
            write.lower,
            write.upper,
            [(part.checksum, part.nbytes, part.rows, part.first_time, part.max_time) for part in write.parts],
        )
        for shard, write in sorted(writes.items())
    ]
    return hashlib.blake2b(repr(contents).encode(), digest_size=16).hexdigest()
