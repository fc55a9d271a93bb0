"""The parts of collections, as one worker reads and writes them."""

from __future__ import annotations

from ...compute.partitioned.messages import Writing
from ...compute.partitioned.stored import Share, read_share
from ...persist.blob.base import Blob
from ...persist.part import PartRef
from ...repr.batch import NO_ERRORS, Batch, Delta
from ...repr.schema import Schema
from ..blob_retry import write_parts_when_there_is_room


class PartStore:
    """`writer` names this attempt of the replica in blobs.  A disk that is full is waited for as long as the step is wanted."""

    def __init__(self, blob: Blob, writer: str) -> None:
        self._blob = blob
        self._writer = writer

    def read(self, share: Share) -> Delta:
        """Raises InputLost."""
        return read_share(self._blob, share)

    def write(self, writing: Writing, schema: Schema, rows: Batch) -> tuple[PartRef, ...]:
        """The parts that hold the rows."""
        return write_parts_when_there_is_room(
            self._blob,
            writing.shard,
            schema,
            Delta(rows, NO_ERRORS),
            writer=self._writer,
            wanted=lambda: True,
            passing=writing.passing,
        )
