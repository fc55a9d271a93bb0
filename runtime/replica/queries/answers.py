"""What crosses between a replica and its query workers, queries apart: what a worker is told first, and its answers.

An answer is a sequence of messages to the coordinator as they cross its stream, each behind an `ANSWER` header: the replica
relays them without looking into them.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from ...errors import COLLECTION_ERROR_HINT, PtvcError
from ...persist.blob.base import Blob
from ...persist.column_cache import ColumnCache
from ...repr.batch import Batch, Delta, to_ipc
from ...repr.limits import as_limit
from ...repr.schema import Schema
from ..protocol import Message, PeekFailed, PeekRows

ANSWER = struct.Struct("=?I")
"""Whether it is the last message of the answer, and how long it is."""

CHUNK_ROWS = 65_536
CHUNK_BYTES = 16 << 20
"""A message of an answer has no more rows than these, and about no more bytes."""

INTERNAL_ERROR = "XX000"


@dataclass(frozen=True, slots=True)
class Start:
    """The first message: where blobs and their decoded columns are, and the variables of the replica's environment, which may
    have credentials."""

    blob: Blob
    cache: ColumnCache | None
    environment: Mapping[str, str]


def answer(peek_id: int, schema: Schema, result: Delta) -> Iterator[PeekRows | PeekFailed]:
    """The rows, a chunk at a time, or the first error."""
    if len(result.errs):
        sqlstates, messages = result.errs.columns
        yield PeekFailed(peek_id, sqlstates[0].as_py(), messages[0].as_py(), COLLECTION_ERROR_HINT)
        return
    yield from _chunks(peek_id, schema, result.oks)


def _chunks(peek_id: int, schema: Schema, rows: Batch) -> Iterator[PeekRows]:
    each = max(rows.nbytes // max(len(rows), 1), 1)
    most = min(max(CHUNK_BYTES // each, 1), CHUNK_ROWS)
    for start in range(0, max(len(rows), 1), most):
        stop = min(start + most, len(rows))
        yield PeekRows(peek_id, to_ipc(schema, rows.slice(start, stop)), done=stop == len(rows))


def or_failure(peek_id: int, messages: Iterator[Message]) -> Iterator[Message]:
    """The answer; an error while it is computed is its last message, and the process goes on."""
    try:
        yield from messages
    except PtvcError as error:
        yield PeekFailed(peek_id, error.sqlstate, error.message, error.hint)
    except Exception as error:
        limit = as_limit(error)
        if limit is not None:
            yield PeekFailed(peek_id, limit.sqlstate, limit.message, limit.hint)
        else:
            yield PeekFailed(peek_id, INTERNAL_ERROR, f"internal error: {error!r}")
