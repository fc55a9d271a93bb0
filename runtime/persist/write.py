"""Writing parts: what a replica or a job does before it asks for an append.

A small delta becomes one inline part and touches no storage.  A larger one becomes blobs, split by size, each
durable before its reference is returned; until an append refers to them no reader sees them.
"""

from __future__ import annotations

import secrets

import pyarrow as pa

from ..errors import InvalidUsage
from ..repr.batch import NO_ERRORS, Batch, Delta, empty_batch
from ..repr.schema import Schema
from .blob.base import Blob, blob_key
from .codec import checksum, encode_inline, encode_parquet
from .part import INLINE_ENCODING, PARQUET_ENCODING, BlobKey, PartRef, ShardId
from .part_stats import batch_stats
from .state import MAX_TIME, Appended, UpperMismatch, Write

__all__ = ["Appended", "PartRef", "UpperMismatch", "Write", "write_parts"]

INLINE_MAX_BYTES = 64 * 1024
"""An encoded delta of fewer bytes than this is kept inline."""

PART_TARGET_BYTES = 64 * 1024 * 1024
"""Of Arrow data in one blob, before compression."""


def write_parts(
    blob: Blob,
    shard: ShardId,
    schema: Schema,
    delta: Delta,
    *,
    writer: str,
    target_bytes: int = PART_TARGET_BYTES,
) -> tuple[PartRef, ...]:
    """The parts that hold `delta`, whose rows have the columns of `schema`; none for an empty delta.

    `writer` says whose blobs they are, should no append ever refer to them: garbage collection removes them once
    that writer is known dead.  Raises DiskFull.
    """
    if not delta:
        return ()
    if len(delta.oks.columns) != len(schema):
        raise InvalidUsage(
            f'cannot write to shard "{shard}": rows of {len(delta.oks.columns)} columns, expected {len(schema)}'
        )
    nbytes = delta.oks.nbytes + delta.errs.nbytes
    if nbytes < INLINE_MAX_BYTES:
        data = _encode(shard, schema, delta)
        if len(data) < INLINE_MAX_BYTES:
            return (_reference(shard, delta, data, INLINE_ENCODING, None),)
    attempt = secrets.token_hex(8)
    parts = []
    for ordinal, piece in enumerate(_split(schema, delta, -(-nbytes // target_bytes))):
        data = encode_parquet(schema, piece)
        part = _reference(shard, piece, data, PARQUET_ENCODING, blob_key(shard, writer, attempt, ordinal))
        assert part.blob is not None
        blob.put(part.blob, data)
        parts.append(part)
    return tuple(parts)


def _encode(shard: ShardId, schema: Schema, delta: Delta) -> bytes:
    try:
        return encode_inline(schema, delta)
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
