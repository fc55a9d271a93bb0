"""What the sources of one connection of a replica have read, on its way into persist.

The data of all outputs and the position after it become durable together, at one time: a source that starts anew goes on
from where its durable data ends.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping
from dataclasses import dataclass

from ...errors import PtvcError, UndefinedTable
from ...expr.tree.relation import GlobalId
from ...replica.protocol import Ingest, Ingested, IngestProgress
from ..catalog.catalog import Catalog
from ..catalog.items import AnySource
from ..storage.storage import Storage
from .replicas import ReplicaClient
from .retried_commits import committed

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Ingests:
    """`writer` is the connection: an attempt that was replaced commits nothing any more.  `statistics` are those of
    every source and every output, as of the last commit, or of the last piece of a transaction."""

    replica: ReplicaClient
    writer: asyncio.StreamWriter
    storage: Storage
    catalog: Catalog
    statistics: dict[GlobalId, Mapping[str, int | float | None]]

    async def append(self, message: Ingest) -> None:
        """Commits data and position together, and answers."""
        if not self.replica.owns(self.writer):
            return
        item = self.catalog.find_by_id(message.id)
        if not isinstance(item, AnySource) or not self._is_installed(message):
            self._answer(message, None)
            return
        try:
            time = await self._commit(message, item)
        except PtvcError as error:
            if not self.replica.owns(self.writer):
                return  # another replica reads the records
            if isinstance(error, UndefinedTable) or not self._wanted(message, item):  # it ends there
                self._answer(message, None)
                return
            # The source reads the same records again once its replica is back.
            logger.error("cannot commit for source %s: %s", item.name, error)
            self.writer.close()
            return
        self.progressed(message)
        if self.replica.owns(self.writer):
            self._answer(message, time)

    def _answer(self, message: Ingest, time: int | None) -> None:
        self.replica.send(Ingested(message.id, time, message.installation))

    async def _commit(self, message: Ingest, item: AnySource) -> int:
        """At what time the data of the outputs that are there is durable; others were dropped since it was read."""

        def wanted() -> bool:
            return self.replica.owns(self.writer) and self._wanted(message, item)

        async def commit() -> int:
            parts = {id_: parts for id_, parts in message.parts.items() if self.catalog.find_by_id(id_)}
            return await self.storage.ingest(parts, item.remap, message.position, wanted, message.recorded)

        while True:
            try:
                return await committed(commit, f"source {item.name}", wanted)
            except UndefinedTable:
                gone = [id_ for id_ in message.parts if self.catalog.find_by_id(id_) is None]
                if not gone or not wanted():
                    raise  # else one of them was dropped a moment ago

    def progressed(self, message: Ingest | IngestProgress) -> None:
        """How far a source and its outputs have come."""
        for id_, statistics in message.statistics.items():
            if self.catalog.find_by_id(id_) is not None:
                self.statistics[id_] = statistics

    def _wanted(self, message: Ingest, item: AnySource) -> bool:
        return self.catalog.find_by_id(item.id) is not None and self._is_installed(message)

    def _is_installed(self, message: Ingest) -> bool:
        """Whether who has read it is the one that the source is installed as."""
        return self.replica.sources.get(message.id) == message.installation
