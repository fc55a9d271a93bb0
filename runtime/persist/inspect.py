"""What an environment's store holds, and whether all of it is there: for operators.

`overview` reads consensus and the names of blobs only.  `verify` reads every part of every shard as a reader would, and
says what is damaged, missing, or not as the invariants have it.  Both only read, so they may run beside a runtime: what
it commits meanwhile is looked at again before it is called a problem.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from ..errors import PtvcError
from .blob.base import Blob
from .consensus.base import Consensus
from .part import BlobKey, PartRef, ShardId
from .read import read_part
from .state import Head, Hold, ShardBatch


@dataclass(frozen=True, slots=True)
class ShardOverview:
    """One shard: `rows` and `errors` count updates, `inline_bytes` and `blob_bytes` are encoded."""

    shard: ShardId
    since: int
    upper: int
    columns: int
    batches: int
    parts: int
    rows: int
    errors: int
    inline_bytes: int
    blob_bytes: int
    holds: tuple[Hold, ...]


@dataclass(frozen=True, slots=True)
class Overview:
    """`garbage` are blobs that were replaced and wait to be deleted; `unreferenced` ones are named by nothing: writes
    under way, or of writers that died; a collection of garbage deletes those."""

    shards: tuple[ShardOverview, ...]
    blobs: int
    garbage: tuple[BlobKey, ...]
    unreferenced: tuple[BlobKey, ...]


@dataclass(frozen=True, slots=True)
class Problem:
    """Something that is not as it was written, and in which shard."""

    shard: ShardId
    message: str


def overview(consensus: Consensus, blob: Blob) -> Overview:
    """All shards in order of id, and the blobs that belong to none of them."""
    keys = set(blob.keys())  # first: what is appended after this is no leak
    shards, live = [], set()
    for shard in sorted(consensus.shard_ids()):
        found = consensus.batches(shard, 0)
        if found is None or found[0].dropped:
            continue
        head, batches = found
        shards.append(_shard_overview(head, batches))
        live |= {part.blob for part in _parts(batches) if part.blob is not None}
    garbage = {row.blob for row in consensus.garbage()}
    unknown = sorted(keys - live - garbage)
    known = consensus.known_blobs(unknown)
    return Overview(
        tuple(shards), len(keys), tuple(sorted(garbage)), tuple(key for key in unknown if key not in known)
    )


def verify(consensus: Consensus, blob: Blob) -> Iterator[Problem]:
    """Every problem that there is, as it is found; reads all that is stored."""
    for shard in sorted(consensus.shard_ids()):
        try:
            found = consensus.batches(shard, 0)
        except PtvcError as error:
            yield Problem(shard, error.message)
            continue
        if found is None or found[0].dropped:
            continue
        head, batches = found
        yield from _misplaced(head, batches)
        for part in _parts(batches):
            problem = _unreadable(blob, part, head)
            # Merged meanwhile: it is no part of the shard any more.
            if problem is not None and part in _live(consensus, shard):
                yield problem


def _shard_overview(head: Head, batches: list[ShardBatch]) -> ShardOverview:
    parts = list(_parts(batches))
    return ShardOverview(
        shard=head.shard,
        since=head.since,
        upper=head.upper,
        columns=len(head.schema),
        batches=len(batches),
        parts=len(parts),
        rows=sum(part.rows for part in parts),
        errors=sum(part.errors for part in parts),
        inline_bytes=sum(part.nbytes for part in parts if part.blob is None),
        blob_bytes=sum(part.nbytes for part in parts if part.blob is not None),
        holds=head.holds,
    )


def _misplaced(head: Head, batches: list[ShardBatch]) -> Iterator[Problem]:
    """What the invariants say of a shard at rest."""
    if not head.start <= head.since <= head.upper:
        yield Problem(head.shard, f"its frontiers are [{head.since}, {head.upper}), begun at {head.start}")
    for left, right in pairwise(batches):
        if left.upper > right.lower:
            yield Problem(head.shard, f"batch {_span(left)} overlaps {_span(right)}")
    for batch in batches:
        if not head.start <= batch.lower < batch.upper <= head.upper:
            yield Problem(head.shard, f"batch {_span(batch)} is outside of [{head.start}, {head.upper})")
        if batch.since > head.since:
            yield Problem(
                head.shard, f"batch {_span(batch)} was advanced to {batch.since}, beyond {head.since}"
            )


def _unreadable(blob: Blob, part: PartRef, head: Head) -> Problem | None:
    try:
        read_part(blob, part, head.schema)
    except PtvcError as error:
        return Problem(head.shard, error.message)
    return None


def _live(consensus: Consensus, shard: ShardId) -> list[PartRef]:
    found = consensus.batches(shard, 0)
    return [] if found is None else list(_parts(found[1]))


def _parts(batches: list[ShardBatch]) -> Iterator[PartRef]:
    for batch in batches:
        yield from batch.parts


def _span(batch: ShardBatch) -> str:
    return f"[{batch.lower}, {batch.upper})"
