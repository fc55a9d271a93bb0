"""What must hold of every change of a shard, each a named predicate, checked before the commit.

A violation is a bug of this program, found before it reaches the disk: it raises `InvariantViolation`, which
names the predicate, the shard and both states.  Each check costs the same whatever the shard's history.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise

from ..errors import PtvcError
from .state import Change, ShardBatch


class InvariantViolation(PtvcError):
    """A change that would corrupt a shard: refused."""

    sqlstate = "XX000"


def frontiers_never_regress(change: Change) -> bool:
    before, after = change.before, change.after
    return before is None or (before.since <= after.since and before.upper <= after.upper)


def since_is_not_beyond_upper(change: Change) -> bool:
    return change.after.since <= change.after.upper


def version_rises_by_one(change: Change) -> bool:
    if change.before is None:
        return change.after.version == 1
    return change.after.version == change.before.version + 1


def removing_batches_counts_as_a_rewrite(change: Change) -> bool:
    before = 0 if change.before is None else change.before.rewrites
    return change.after.rewrites == before + bool(change.removed or change.after.dropped)


def dropped_shards_stay_as_they_are(change: Change) -> bool:
    return change.before is None or not change.before.dropped


def since_is_allowed_by_every_hold(change: Change) -> bool:
    """A hold beyond the upper is no promise yet; every other one is at or above since."""
    return all(change.after.since <= hold.since for hold in change.after.holds)


def batches_are_intervals_below_upper(change: Change) -> bool:
    upper = change.after.upper
    return all(batch.lower < batch.upper <= upper for batch in change.inserted)


def appended_batches_begin_at_the_old_upper(change: Change) -> bool:
    if change.removed or not change.inserted:
        return True
    return (
        change.before is not None
        and len(change.inserted) == 1
        and change.inserted[0].lower == change.before.upper
        and change.inserted[0].upper == change.after.upper
    )


def batch_since_is_within_shard_since(change: Change) -> bool:
    return all(batch.since <= change.after.since for batch in change.inserted)


def merged_batches_fill_the_place_of_those_removed(change: Change) -> bool:
    """In order, disjoint, and within the interval that they leave; a dropped shard leaves nothing."""
    if not change.removed:
        return True
    if change.after.dropped:
        return not change.inserted
    ordered = all(left.upper <= right.lower for left, right in pairwise(change.removed))
    return (
        ordered
        and len(change.inserted) <= 1
        and all(_same_span(batch, change.removed) for batch in change.inserted)
        and all(batch.since >= old.since for batch in change.inserted for old in change.removed)
    )


def times_are_within_their_batch(change: Change) -> bool:
    """An update's time is in its batch's interval, or at the since that it was advanced to."""
    return all(
        batch.lower <= part.first_time and part.max_time < max(batch.upper, batch.since + 1)
        for batch in change.inserted
        for part in batch.parts
    )


def parts_belong_to_the_shard(change: Change) -> bool:
    return all(
        part.shard == batch.shard == change.after.shard and (part.inline is None) != (part.blob is None)
        for batch in change.inserted
        for part in batch.parts
    )


INVARIANTS: tuple[Callable[[Change], bool], ...] = (
    frontiers_never_regress,
    since_is_not_beyond_upper,
    version_rises_by_one,
    removing_batches_counts_as_a_rewrite,
    dropped_shards_stay_as_they_are,
    since_is_allowed_by_every_hold,
    batches_are_intervals_below_upper,
    appended_batches_begin_at_the_old_upper,
    batch_since_is_within_shard_since,
    merged_batches_fill_the_place_of_those_removed,
    times_are_within_their_batch,
    parts_belong_to_the_shard,
)


def check(change: Change) -> None:
    """Raise InvariantViolation unless every invariant holds of `change`."""
    for invariant in INVARIANTS:
        if not invariant(change):
            raise InvariantViolation(
                f'a change of shard "{change.after.shard}" was refused: {invariant.__name__} does not hold',
                detail=f"before: {change.before}; after: {change.after}",
                hint="This is a bug of the runtime; nothing was written.",
            )


def _same_span(batch: ShardBatch, removed: Sequence[ShardBatch]) -> bool:
    return batch.lower == removed[0].lower and batch.upper == removed[-1].upper
