"""What a source has others read, instead of reading it: much that is there at once.  In a replica of several workers all of these read, else
a Spark job.

```
ingestion: shares ── ReadShares ──┬──> coordinator: job ────┬── SharesRead ──> ingestion: an open chunk, whose parts are written
                                  └──> workers of the team ─┘
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
from ...storage.ingestion import PROGRESS, Ingest, Ingestion
from ...storage.share_reading import ShareReader, WrittenShare
from ...storage.shares import Sizes
from ..protocol import InstallSource, ReadShares, SharesRead, SourceOutput
from .opening import asked, label_of

logger = logging.getLogger(__name__)

AGAIN = Backoff(first_s=30.0, longest_s=3600.0)
"""After others have failed a source reads by itself for so long: what they fail of may be what is read, all of it each time."""


@dataclass(frozen=True, slots=True)
class ReadByOthers:
    """An open chunk of the ingestion, and what was written for it, by a job or by workers."""

    ingest: Ingest
    job_id: int | None
    parts: Mapping[GlobalId, tuple[PartRef, ...]]


class ReadingByOthers:
    """`ask` has them read, and waits; it gives None when the source is to end.  What is there is theirs from `min_bytes` on, if it is not
    None."""

    def __init__(
        self,
        command: InstallSource,
        ask: Callable[[ReadShares], SharesRead | None],
        min_bytes: int | None,
        sizes: Sizes,
    ) -> None:
        self._command = command
        self._ask = ask
        self._min_bytes = min_bytes
        self._sizes = sizes
        self._not_before = 0.0
        self._pauses = Pauses(AGAIN)

    def read(self, ingestion: Ingestion, outputs: Mapping[GlobalId, SourceOutput]) -> ReadByOthers | None:
        """What others have read, if there is so much that it is theirs; else nothing, and the source reads by itself."""
        command = self._command
        if self._min_bytes is None or monotonic() < self._not_before:
            return None
        if not (shares := ingestion.shares(self._min_bytes, self._sizes)):
            return None
        read = self._ask(ReadShares(command.id, command.installation, self._reader(outputs), tuple(shares)))
        if read is None:
            return None
        if read.error is not None:
            logger.warning("source %s reads by itself: %s", command.name, read.error)
        else:
            try:
                ingest = ingestion.read_by_shares([each.read for each in read.written])
            except PtvcError as error:
                logger.warning("source %s reads by itself: %s", command.name, error.message)
            else:
                self._pauses.reset()
                return ReadByOthers(ingest, read.job_id, _parts(read.written))
        self._not_before = monotonic() + self._pauses.endless()
        return None

    def _reader(self, outputs: Mapping[GlobalId, SourceOutput]) -> ShareReader:
        description = self._command.description
        # What the source says of itself is written with the position.
        outputs = {id_: output for id_, output in outputs.items() if output.reference != PROGRESS}
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
