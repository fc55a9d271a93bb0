"""The state of a shard and its transitions: pure functions, no input or output.

A shard's state is a **head** (a few numbers, the schema, the holds) and a list of **batches**.  A batch holds
the updates of an interval of times `[lower, upper)` as parts; batches are in order and do not overlap, and a gap
between them means that nothing happened.  A merged batch has had its times advanced to its own `since`.

    since            upper
      |----------------|          readable: every time in [since, upper)
    [b0      )[b1 ) [b2)          batches; the interval between b1 and b2 is empty

A transition takes the state that the client believes to be current and gives a `Change`, which the commit loop
checks (`invariants`) and hands to consensus; consensus accepts it only if the heads are still at their versions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from ..errors import DataError, InvalidUsage, ObjectNotReady
from ..repr.schema import Schema
from .part import PartRef, ShardId

MAX_TIME = 2**63 - 1
"""Times are unsigned in memory and fit a signed 64-bit column on disk."""


@dataclass(frozen=True, slots=True)
class ShardState:
    """What a client may know of a shard: readable at every time in `[since, upper)`, in rows of `schema`."""

    id: ShardId
    since: int
    upper: int
    schema: Schema


@dataclass(frozen=True, slots=True)
class Write:
    """The updates of one shard for all times in `[lower, upper)`; without parts it only advances the upper.  With `schema`
    the shard has that from now on, as by `evolve_schema`."""

    lower: int
    upper: int
    parts: tuple[PartRef, ...] = ()
    schema: Schema | None = None


@dataclass(frozen=True, slots=True)
class Appended:
    """The append is durable; `uppers` are the shards' new uppers."""

    uppers: Mapping[ShardId, int]


@dataclass(frozen=True, slots=True)
class UpperMismatch:
    """Nothing was written: some shard's upper is not the write's lower.  `current` are all uppers as they are."""

    current: Mapping[ShardId, int]


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The parts that hold a shard's contents at `as_of`; reading them advances times to `as_of`."""

    shard: ShardId
    as_of: int
    schema: Schema
    parts: tuple[PartRef, ...]


@dataclass(frozen=True, slots=True)
class Hold:
    """`holder` needs the shard to stay readable at `since`.

    A critical hold lasts until it is dropped; a leased one expires `lease_ms` after its last heartbeat.  `beat`
    counts heartbeats.  `version` is the shard's version when the hold was last set: a leased hold also
    keeps every blob that was live then, or came later.
    """

    shard: ShardId
    holder: str
    since: int
    critical: bool
    lease_ms: int | None
    version: int
    beat: int = 0


@dataclass(frozen=True, slots=True)
class Head:
    """All of a shard but its batches.

    `version` rises by one with every commit and is what consensus compares.  `rewrites` counts the commits
    that removed batches, so that a reader who has seen version v of the same `rewrites` needs later batches only.
    `start` is the upper that the shard began with: it never had an update below.
    """

    shard: ShardId
    version: int
    rewrites: int
    start: int
    since: int
    upper: int
    schema: Schema
    holds: tuple[Hold, ...] = ()
    dropped: bool = False

    def state(self) -> ShardState:
        return ShardState(self.shard, self.since, self.upper, self.schema)


@dataclass(frozen=True, slots=True)
class ShardBatch:
    """The updates of `[lower, upper)`, their times advanced to `since`.  `version` is the commit that added it."""

    shard: ShardId
    lower: int
    upper: int
    since: int
    version: int
    parts: tuple[PartRef, ...]

    @property
    def nbytes(self) -> int:
        return sum(part.nbytes for part in self.parts)

    @property
    def decoded_nbytes(self) -> int:
        """About the bytes that its updates take in memory."""
        return sum(part.decoded_nbytes for part in self.parts)


@dataclass(frozen=True, slots=True)
class Change:
    """One shard's step from `before` (None: the shard is new) to `after`.

    `inserted` and `removed` are batches; `hold` was set, `dropped_hold` is the one that ended.
    """

    before: Head | None
    after: Head
    inserted: tuple[ShardBatch, ...] = ()
    removed: tuple[ShardBatch, ...] = ()
    hold: Hold | None = None
    dropped_hold: Hold | None = None


def created(shard: ShardId, schema: Schema, since: int) -> Change:
    """A new, empty shard with `since = upper`."""
    _check_time(shard, "since", since)
    return Change(None, Head(shard, 1, 0, since, since, since, schema))


def appended(head: Head, write: Write) -> Change:
    """`write` added at the end.  The caller has seen that `write.lower` is the upper."""
    assert write.lower == head.upper, "a lost race is found before the transition"
    check_write(head.shard, write)
    version = head.version + 1
    schema = head.schema
    if write.schema is not None and write.schema != schema:
        schema = evolved(head, write.schema).after.schema
    after = replace(head, version=version, upper=write.upper, schema=schema)
    if not write.parts:
        return Change(head, after)
    batch = ShardBatch(
        head.shard, write.lower, write.upper, min(head.since, write.lower), version, write.parts
    )
    return Change(head, after, inserted=(batch,))


def check_write(shard: ShardId, write: Write) -> None:
    """Raise InvalidUsage unless the write is one that any state could accept."""
    _check_time(shard, "upper", write.upper)
    if not 0 <= write.lower <= write.upper:
        raise InvalidUsage(
            f'cannot append to shard "{shard}": lower {write.lower} is beyond upper {write.upper}'
        )
    for part in write.parts:
        if part.shard != shard:
            raise InvalidUsage(f'cannot append to shard "{shard}": part {part.name} is of "{part.shard}"')
        if not write.lower <= part.first_time <= part.max_time < write.upper:
            raise InvalidUsage(
                f'cannot append to shard "{shard}": part {part.name} has times '
                f"{part.min_time}..{part.max_time}, outside [{write.lower}, {write.upper})"
            )


def merged(head: Head, removed: Sequence[ShardBatch], since: int, parts: tuple[PartRef, ...]) -> Change:
    """Adjacent batches replaced by one with the same contents at every time from `since` on."""
    version = head.version + 1
    after = replace(head, version=version, rewrites=head.rewrites + 1)
    inserted: tuple[ShardBatch, ...] = ()
    if parts:
        inserted = (ShardBatch(head.shard, removed[0].lower, removed[-1].upper, since, version, parts),)
    return Change(head, after, inserted, tuple(removed))


def held(head: Head, hold: Hold) -> Change:
    """`hold` set in place of the holder's earlier one; the shard's since follows the meet of its holds."""
    if hold.since < head.since:
        raise ObjectNotReady(
            f'"{hold.holder}" cannot hold shard "{hold.shard}" at {hold.since}: it is readable from '
            f"{head.since} on",
            hint="Choose a later time, or retain more history.",
        )
    _check_time(hold.shard, "hold", hold.since)
    version = head.version + 1
    beat = next((h.beat + 1 for h in head.holds if h.holder == hold.holder), 0)
    hold = replace(hold, version=version, beat=beat)
    holds = (*(h for h in head.holds if h.holder != hold.holder), hold)
    after = replace(head, version=version, since=_meet(head, holds), holds=holds)
    return Change(head, after, hold=hold)


def released(head: Head, hold: Hold) -> Change:
    """`hold` ended; the shard's since follows the meet of those that remain."""
    holds = tuple(h for h in head.holds if h.holder != hold.holder)
    after = replace(head, version=head.version + 1, since=_meet(head, holds), holds=holds)
    return Change(head, after, dropped_hold=hold)


def evolved(head: Head, schema: Schema) -> Change:
    """Columns added at the end, all nullable: earlier parts read as NULL there, or as they say.  Others are dropped
    for good: all parts read as NULL there."""
    old, new = head.schema.columns, schema.columns
    kept = tuple(
        replace(column, dropped=column.dropped or later.dropped)
        for column, later in zip(old, new, strict=False)
    )
    if len(new) < len(old) or new[: len(old)] != kept:
        raise InvalidUsage(
            f'cannot change the schema of shard "{head.shard}": its columns must stay as they are',
            hint="Columns can only be added, at the end.",
        )
    for column in new[len(old) :]:
        if not column.nullable:
            raise InvalidUsage(
                f'cannot add column "{column.name}" to shard "{head.shard}": a new column must be nullable'
            )
    return Change(head, replace(head, version=head.version + 1, schema=schema))


def dropped(head: Head, batches: Sequence[ShardBatch]) -> Change:
    """An empty shard that nothing can be done with; its id is never used again."""
    after = replace(head, version=head.version + 1, rewrites=head.rewrites + 1, holds=(), dropped=True)
    return Change(head, after, removed=tuple(batches))


def check_readable(head: Head, as_of: int) -> None:
    """Raise ObjectNotReady unless `since <= as_of < upper`."""
    if as_of < head.since:
        raise ObjectNotReady(
            f'shard "{head.shard}" is not readable at {as_of}: its history begins at {head.since}',
            hint="Read at a later time, or retain more history.",
        )
    if as_of >= head.upper:
        raise ObjectNotReady(
            f'shard "{head.shard}" is not readable at {as_of}: it is known up to {head.upper}, exclusive',
            hint="Wait until it has been written up to that time.",
        )


def check_listenable(head: Head, lower: int, upper: int) -> None:
    """Raise ObjectNotReady unless single updates in `[lower, upper)` can be distinguished from earlier ones.

    They can above `since`, where no time has been advanced to; and anywhere while `since` has not passed the
    shard's first time, since there is nothing to advance then.
    """
    if upper > head.upper:
        raise ObjectNotReady(
            f'the updates of shard "{head.shard}" are known up to {head.upper}, exclusive, not up to {upper}'
        )
    if lower < upper and lower <= head.since and head.since > head.start:
        raise ObjectNotReady(
            f'the updates of shard "{head.shard}" from {lower} on are no longer known: its since is {head.since}',
            hint="Take a snapshot at its since or later, and read the updates after that.",
        )


def _meet(head: Head, holds: Sequence[Hold]) -> int:
    """The since that `holds` allow: never back, never beyond the upper, unchanged without holds."""
    if not holds:
        return head.since
    return max(head.since, min(head.upper, min(hold.since for hold in holds)))


def _check_time(shard: ShardId, what: str, time: int) -> None:
    if not 0 <= time <= MAX_TIME:
        raise DataError(f'{what} {time} of shard "{shard}" is not a timestamp', sqlstate="22008")
