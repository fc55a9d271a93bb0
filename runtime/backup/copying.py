"""Copying blobs from one store to another, several at once, each compared with the checksum that its part has."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import islice

from ..persist.blob.base import Blob
from ..persist.codec import check_bytes
from ..persist.consensus.base import Consensus
from ..persist.part import BlobKey, PartRef

AT_ONCE = 8
"""Blobs that are copied at the same time: one may take 64 MiB."""
_SUBMITTED = 512


def parts_in_blobs(consensus: Consensus) -> dict[BlobKey, PartRef]:
    """The blobs that live parts name, each with such a part."""
    found: dict[BlobKey, PartRef] = {}
    for shard in consensus.shard_ids():
        known = consensus.batches(shard, 0)
        for batch in known[1] if known is not None else ():
            found.update((part.blob, part) for part in batch.parts if part.blob is not None)
    return found


def copy_blobs(
    parts: Iterable[PartRef], source: Blob, target: Blob, wanted: Callable[[], object] = lambda: None
) -> None:
    """Copies the blobs of the parts; durable on return.  `wanted` is called again and again, and raises what ends it.  StorageError for a blob
    that is not there, or is not what was written."""

    def copy(part: PartRef) -> None:
        assert part.blob is not None, "parts in blobs are copied"
        wanted()
        data = source.get(part.blob)
        check_bytes(part, data)
        target.put(part.blob, data)

    with ThreadPoolExecutor(AT_ONCE, "copy") as threads:
        left = iter(parts)
        while some := list(islice(left, _SUBMITTED)):
            for _ in threads.map(copy, some):
                pass


def missing(parts: dict[BlobKey, PartRef], there: Collection[BlobKey]) -> Iterator[PartRef]:
    """Those whose blobs are not `there`."""
    return (part for key, part in parts.items() if key not in there)
