"""What a source has a Spark job read, instead of reading it: much that is there at once.

```
ingestion: shares ── ReadShares ──> coordinator: job ── SharesRead ──> ingestion: an open chunk, whose parts are written
```
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from time import monotonic

from ...errors import PtvcError
from ...expr.tree.relation import GlobalId
from ...persist.write import PartRef
from ...retry import Backoff, Pauses
from ...storage.ingestion import Ingest, Ingestion
from ...storage.share_reading import ShareReader, WrittenShare
from ..protocol import InstallSource, ReadShares, SharesRead, SourceOutput
from .opening import asked, label_of

logger = logging.getLogger(__name__)

JOBS_AGAIN = Backoff(first_s=30.0, longest_s=3600.0)
"""After a job that has failed a source reads by itself for so long: what it fails of may be what is read, all of it each time."""


@dataclass(frozen=True, slots=True)
class ReadByJob:
    """An open chunk of the ingestion, and what the job has written for it."""

    ingest: Ingest
    job_id: int
    parts: Mapping[GlobalId, tuple[PartRef, ...]]


class ReadingJob:
    """`ask` has the job run, and waits; it gives None when the source is to end."""

    def __init__(self, command: InstallSource, ask: Callable[[ReadShares], SharesRead | None]) -> None:
        self._command = command
        self._ask = ask
        self._not_before = 0.0
        self._pauses = Pauses(JOBS_AGAIN)

    def read(self, ingestion: Ingestion, outputs: Mapping[GlobalId, SourceOutput]) -> ReadByJob | None:
        """What a job has read, if there is so much to read that it is a job's; else nothing, and the source reads by itself."""
        command = self._command
        least = command.job_min_bytes
        if least is None or monotonic() < self._not_before or not (shares := ingestion.shares(least)):
            return None
        read = self._ask(ReadShares(command.id, command.installation, self._reader(outputs), tuple(shares)))
        if read is None:
            return None
        if read.error is None:
            try:
                ingest = ingestion.read_by_shares([each.read for each in read.written])
            except PtvcError as error:
                logger.warning("source %s reads by itself: %s", command.name, error.message)
            else:
                self._pauses.reset()
                return ReadByJob(ingest, read.job_id, _parts(read.written))
        self._not_before = monotonic() + self._pauses.endless()
        return None

    def _reader(self, outputs: Mapping[GlobalId, SourceOutput]) -> ShareReader:
        description = self._command.description
        return ShareReader(
            description.connector,
            description.options,
            asked(outputs),
            {id_: output.shard for id_, output in outputs.items()},
            self._command.connections,
            label_of(description.label),
        )


def _parts(written: tuple[WrittenShare, ...]) -> dict[GlobalId, tuple[PartRef, ...]]:
    parts: dict[GlobalId, list[PartRef]] = {}
    for share in written:
        for id_, more in share.parts.items():
            parts.setdefault(id_, []).extend(more)
    return {id_: tuple(found) for id_, found in parts.items()}
