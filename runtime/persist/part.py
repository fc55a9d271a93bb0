"""A part: some updates of one shard, encoded once and never changed.

A small part is carried inline in its reference, so that a small append is one transaction and no object; a
larger one is a blob.  Inline parts are Arrow; blobs are Parquet, but for those that are soon merged with others.  The reference is all that consensus keeps of a part and all that a reader needs to fetch
it: frozen, small, picklable.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NewType

from .part_stats import PartStats

ShardId = str
BlobKey = NewType("BlobKey", str)

IPC_ENCODING = "ipc1"
PARQUET_ENCODING = "parquet1"

DECODED_ROW_BYTES = 32
DECODED_FACTOR = 4


@dataclass(frozen=True, slots=True)
class PartRef:
    """Where one part is and what is known about it.

    Exactly one of `inline` (the encoded bytes) and `blob` (their key) is set.  `rows` counts updates of rows
    and `errors` updates of errors; `nbytes` is the encoded size; `min_time` and `max_time` bound the
    updates' times, both inclusive; `checksum` is the CRC-32 of the encoded bytes.  `stats` is kept for blobs
    only: what is inline is quicker to look at than to describe.

    Updates before `lower` do not belong to the part, though its bytes have them (see `trim`).

    `settled`, unless it is 0, is the upper of a batch that a merge has made and whose updates all have one time: no
    other part of that batch has an update of a row that is in this one.

    `net` is the sum of the diffs of all updates of rows in its bytes; None in parts that an earlier version wrote.
    """

    shard: ShardId
    encoding: str
    inline: bytes | None
    blob: BlobKey | None
    rows: int
    errors: int
    nbytes: int
    min_time: int
    max_time: int
    checksum: int
    stats: PartStats | None = None
    lower: int = 0
    settled: int = 0
    net: int | None = None

    @property
    def is_arrow(self) -> bool:
        """Whether the bytes are decoded in less time than it takes to find what somebody else has decoded."""
        return self.encoding == IPC_ENCODING

    @property
    def first_time(self) -> int:
        """No update that belongs to the part is earlier."""
        return max(self.min_time, self.lower)

    def net_at(self, as_of: int) -> int | None:
        """The sum of the diffs of the updates of rows that belong to the part and are not after `as_of`; None when its bytes have to be
        looked at, as where it has both."""
        return self.net if self.first_time == self.min_time and self.max_time <= as_of else None

    @property
    def decoded_nbytes(self) -> int:
        """About the bytes that the updates take in memory.

        Encoded ones say little of it: a row of integers takes 32 to 40 bytes and is packed to 1 to 4, one with 60 bytes
        of text takes 110 and is packed to 11.
        """
        return DECODED_ROW_BYTES * (self.rows + self.errors) + DECODED_FACTOR * self.nbytes

    @property
    def name(self) -> str:
        """How an error names the part."""
        if self.blob is not None:
            return self.blob
        return f"inline at times {self.min_time}..{self.max_time}"

    def metadata(self) -> str:
        """Everything but the shard and the bytes, as JSON; see `from_metadata`."""
        values: list[object] = [
            self.encoding,
            self.rows,
            self.errors,
            self.nbytes,
            self.min_time,
            self.max_time,
            self.checksum,
        ]
        known = self.net is not None
        if self.stats is not None or self.lower or self.settled or known:
            values.append(self.stats.to_json() if self.stats is not None else None)
        if self.lower or self.settled or known:
            values.append(self.lower)
        if self.settled or known:
            values.append(self.settled)
        if known:
            values.append(self.net)
        return json.dumps(values, separators=(",", ":"), ensure_ascii=False)

    @classmethod
    def from_metadata(cls, shard: ShardId, metadata: str, inline: bytes | None, blob: str | None) -> PartRef:
        encoding, rows, errors, nbytes, min_time, max_time, checksum, *rest = json.loads(metadata)
        return cls(
            shard=shard,
            encoding=encoding,
            inline=inline,
            blob=None if blob is None else BlobKey(blob),
            rows=rows,
            errors=errors,
            nbytes=nbytes,
            min_time=min_time,
            max_time=max_time,
            checksum=checksum,
            stats=PartStats.from_json(rest[0]) if rest and rest[0] is not None else None,
            lower=rest[1] if len(rest) > 1 else 0,
            settled=rest[2] if len(rest) > 2 else 0,
            net=rest[3] if len(rest) > 3 else None,
        )


def stamp(part: PartRef, time: int) -> PartRef:
    """The part, encoded with its times open, at `time`.

    A part whose `min_time` and `max_time` are equal is all at that time, whatever its bytes say: so data can be
    encoded, and made durable, before a commit gives it its time.
    """
    return replace(part, min_time=time, max_time=time)


def trim(parts: Sequence[PartRef], lower: int) -> tuple[PartRef, ...]:
    """The updates of `parts` from `lower` on: somebody else has made the earlier ones durable.

    Bytes are left as they are; parts that are wholly earlier go.
    """
    return tuple(
        part if part.first_time >= lower else replace(part, lower=lower)
        for part in parts
        if part.max_time >= lower
    )
