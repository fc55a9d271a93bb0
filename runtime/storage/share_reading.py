"""Reading a share of a source, in the task of a job or in a worker of a replica: from upstream to parts that await their commit.

It decodes and filters as the source itself does, by an ingestion over the share alone, and writes what comes of it under the name of the job,
or of the replica's attempt: parts that nobody refers to until the source has committed them all, with the position behind them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from ..clock import SystemClock
from ..errors import PtvcError
from ..interrupt import check_interrupt
from ..persist.blob.base import Blob
from ..persist.location import open_blob
from ..persist.part import PartRef, ShardId
from ..persist.write import write_parts
from ..repr.batch import Delta
from .connections.values import Values
from .connectors import AskedOutput, open_share, parsed_options
from .ingestion import Ingestion
from .shares import Share, ShareRead
from .statistics import OutputId, Status

CHUNK_BYTES = 48 << 20
"""Of a part, as it is read: who reads holds two or three times as much, and a row group of a Parquet file."""


@dataclass(frozen=True, slots=True)
class WrittenShare:
    """What was read of a share, as parts by output; their time is still open."""

    read: ShareRead
    parts: Mapping[OutputId, tuple[PartRef, ...]]

    def forget(self, blob: Blob) -> None:
        """Removes what nobody will commit."""
        _forget(self.parts, blob)


@dataclass(frozen=True, slots=True)
class ShareReader:
    """All that whoever reads needs to know: the source (`connector` is the word that the catalog knows it by), its outputs with their
    shards, and where the parts go, and whose they are."""

    connector: str
    options: Mapping[str, Any]
    outputs: Mapping[OutputId, AskedOutput]
    shards: Mapping[OutputId, ShardId]
    connections: Mapping[str, Values]
    label: str
    blobs: str = ""
    writer: str = ""

    def __call__(self, share: Share) -> WrittenShare:
        """As `read`, in the task of a job."""
        return self.read(share, open_blob(self.blobs))

    def read(self, share: Share, blob: Blob) -> WrittenShare:
        """Raises PtvcError: the source is to read by itself then, and will say what is wrong."""
        ingestion = open_share(
            parsed_options(self.connector, self.options),
            share,
            self.outputs,
            SystemClock(),
            connections=self.connections,
            chunk_bytes=CHUNK_BYTES,
            label=self.label,
        )
        try:
            return self._written(ingestion, blob)
        finally:
            ingestion.close()

    def _written(self, ingestion: Ingestion, blob: Blob) -> WrittenShare:
        parts: dict[OutputId, tuple[PartRef, ...]] = {}
        try:
            return WrittenShare(self._read(ingestion, blob, parts), parts)
        except BaseException:
            _forget(parts, blob)
            raise

    def _read(
        self, ingestion: Ingestion, blob: Blob, parts: dict[OutputId, tuple[PartRef, ...]]
    ) -> ShareRead:
        """Writes the parts, of which those that are written are among `parts` whatever fails."""
        position = None
        while (ingest := ingestion.advance()) is not None:
            check_interrupt()
            for output, changes in ingest.outputs.items():
                delta = Delta(changes.oks.at(0), changes.errs.at(0))
                written = write_parts(
                    blob, self.shards[output], self.outputs[output].schema, delta, writer=self.writer
                )
                parts[output] = parts.get(output, ()) + written
            position = json.loads(ingest.position)["read"]
            ingestion.committed(0)
            if ingest.at_end:
                break
        now = ingestion.statistics
        if now.status is Status.STALLED:
            raise PtvcError(now.reason or "the share cannot be read", hint=now.hint)
        return ShareRead(
            position,
            now.records,
            now.bytes,
            now.errors,
            now.dead_letters,
            {id_: output.updates_committed for id_, output in now.outputs.items()},
            {id_: output.updates_filtered for id_, output in now.outputs.items()},
        )


def _forget(parts: Mapping[OutputId, tuple[PartRef, ...]], blob: Blob) -> None:
    """What stays, as the store is away, is collected once its writer has ended."""
    with suppress(PtvcError):
        for written in parts.values():
            for part in written:
                if part.blob is not None:
                    blob.delete(part.blob)
