"""Writing parts: what a replica or a job does before it asks for an append.

```
delta ── as Arrow below 64 KiB ──────────────────── inline
      ── passing, below 64 KiB when it is packed ── inline
      ── passing, at most 1 MiB ─────────────────── a blob of packed Arrow
      ── else ───────────────────────────────────── blobs of Parquet, split by size
```

*Passing* is what is soon merged with others: the changes of a transaction, or of a step.  Parquet would take ten times as long, to write and
to read, and have half of the bytes for some seconds.

What is inline touches no storage.  A blob is durable before its reference is returned; until an append refers to it no reader sees it.
"""

from __future__ import annotations

import secrets

import pyarrow as pa

from ..errors import InvalidUsage
from ..repr.batch import NO_ERRORS, Batch, Delta, empty_batch
from ..repr.schema import Schema
from .blob.base import Blob, blob_key
from .codec import checksum, encode_ipc, encode_parquet
from .part import IPC_ENCODING, PARQUET_ENCODING, BlobKey, PartRef, ShardId
from .part_stats import batch_stats
from .state import MAX_TIME, Appended, UpperMismatch, Write

__all__ = ["Appended", "PartRef", "UpperMismatch", "Write", "inline_part", "write_parts"]

INLINE_MAX_BYTES = 64 * 1024
"""An encoded delta of fewer bytes than this is kept inline."""

PACKED_MAX_BYTES = 4 * INLINE_MAX_BYTES
"""Of Arrow data that is packed to see whether it can be inline: of more it hardly ever can."""

PASSING_MAX_BYTES = 1024 * 1024
"""Of Arrow data in a blob that is not Parquet."""

PART_TARGET_BYTES = 64 * 1024 * 1024
"""Of Arrow data in one blob, before compression."""


def write_parts(
    blob: Blob,
    shard: ShardId,
    schema: Schema,
    delta: Delta,
    *,
    writer: str,
    passing: bool = False,
    target_bytes: int = PART_TARGET_BYTES,
) -> tuple[PartRef, ...]:
    """The parts that hold `delta`, whose rows have the columns of `schema`; none for an empty delta.

    `writer` says whose blobs they are, should no append ever refer to them: garbage collection removes them once
    that writer is known dead.  `passing`: they are soon merged with others.  Raises DiskFull.
    """
    if not delta:
        return ()
    if (inline := inline_part(shard, schema, delta, passing=passing)) is not None:
        return (inline,)
    nbytes = _nbytes(delta)
    attempt = secrets.token_hex(8)
    parts = []
    for ordinal, piece in enumerate(_split(schema, delta, -(-nbytes // target_bytes))):
        key = blob_key(shard, writer, attempt, ordinal)
        if passing and nbytes <= PASSING_MAX_BYTES:
            data, encoding = _encode(shard, schema, piece, packed=True), IPC_ENCODING
        else:
            data, encoding = encode_parquet(schema, piece), PARQUET_ENCODING
        blob.put(key, data)
        parts.append(_reference(shard, piece, data, encoding, key))
    return tuple(parts)


def inline_part(shard: ShardId, schema: Schema, delta: Delta, *, passing: bool = False) -> PartRef | None:
    """The part of a delta that is small enough to be inline, and not empty; of another one None."""
    if len(delta.oks.columns) != len(schema):
        raise InvalidUsage(
            f'cannot write to shard "{shard}": rows of {len(delta.oks.columns)} columns, expected {len(schema)}'
        )
    nbytes = _nbytes(delta)
    for packed, most in ((False, INLINE_MAX_BYTES), (True, PACKED_MAX_BYTES if passing else 0)):
        if nbytes < most:
            data = _encode(shard, schema, delta, packed=packed)
            if len(data) < INLINE_MAX_BYTES:
                return _reference(shard, delta, data, IPC_ENCODING, None)
    return None


def _nbytes(delta: Delta) -> int:
    return delta.oks.nbytes + delta.errs.nbytes


def _encode(shard: ShardId, schema: Schema, delta: Delta, *, packed: bool) -> bytes:
    try:
        return encode_ipc(schema, delta, packed=packed)
    except pa.ArrowInvalid as error:
        raise InvalidUsage(f'cannot write to shard "{shard}": {error}') from error


def _split(schema: Schema, delta: Delta, pieces: int) -> list[Delta]:
    """`delta` in pieces of about equal rows; the errors, which are few, go with the first."""
    rows = len(delta.oks)
    pieces = max(1, min(pieces, rows))
    if not rows:
        return [Delta(empty_batch(schema), delta.errs)]
    bounds = [rows * i // pieces for i in range(pieces + 1)]
    return [
        Delta(delta.oks.slice(bounds[i], bounds[i + 1]), NO_ERRORS if i else delta.errs)
        for i in range(pieces)
    ]


def _reference(shard: ShardId, delta: Delta, data: bytes, encoding: str, key: BlobKey | None) -> PartRef:
    times = [bound for batch in (delta.oks, delta.errs) if len(batch) for bound in _time_bounds(batch)]
    if max(times) > MAX_TIME:
        raise InvalidUsage(f'cannot write to shard "{shard}": time {max(times)} is not a timestamp')
    return PartRef(
        shard=shard,
        encoding=encoding,
        inline=data if key is None else None,
        blob=key,
        rows=len(delta.oks),
        errors=len(delta.errs),
        nbytes=len(data),
        min_time=min(times),
        max_time=max(times),
        checksum=checksum(data),
        stats=None if key is None else batch_stats(delta.oks),
        net=int(delta.oks.diffs.sum()),
    )


def _time_bounds(batch: Batch) -> tuple[int, int]:
    return int(batch.times.min()), int(batch.times.max())
