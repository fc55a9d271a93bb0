"""Copying blobs from one store to another, several at once."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import islice

from ..persist.consensus.base import Consensus
from ..persist.part import BlobKey, PartRef

AT_ONCE = 8
"""Blobs that are copied at the same time: one may take 64 MiB."""
_SUBMITTED = 512


@dataclass(slots=True)
class Count:
    blobs: int = 0
    nbytes: int = 0

    def add(self, part: PartRef) -> None:
        self.blobs += 1
        self.nbytes += part.nbytes


def parts_in_blobs(consensus: Consensus) -> Iterator[PartRef]:
    """The parts that are blobs, one of each blob.  A shard's are in memory at a time."""
    for shard in consensus.shard_ids():
        known = consensus.batches(shard, 0)
        batches = known[1] if known is not None else ()
        yield from {
            part.blob: part for batch in batches for part in batch.parts if part.blob is not None
        }.values()


def copy_missing(
    parts: Iterable[PartRef],
    there: Collection[BlobKey],
    get: Callable[[PartRef, BlobKey], bytes],
    put: Callable[[BlobKey, bytes], object],
) -> tuple[Count, Count]:
    """Copies the blobs of the parts that are not `there`, on several threads.  Counts all of them, and those that were copied."""
    found, copied = Count(), Count()

    def copy(part: PartRef) -> None:
        assert part.blob is not None, "parts in blobs are copied"
        put(part.blob, get(part, part.blob))

    with ThreadPoolExecutor(AT_ONCE, "copy") as threads:
        left = iter(parts)
        while some := list(islice(left, _SUBMITTED)):
            lacking = [part for part in some if part.blob not in there]
            for _ in threads.map(copy, lacking):
                pass
            for part in some:
                found.add(part)
            for part in lacking:
                copied.add(part)
    return found, copied
