"""What the sources of one connection of a replica have read, on its way into persist.

Data and the position after it become durable together: a source that starts anew goes on from where its durable data
ends.
"""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass

from ...errors import PtvcError, UndefinedTable
from ...expr.tree.relation import GlobalId
from ...replica.protocol import Ingest, Ingested
from ..catalog.catalog import Catalog
from ..catalog.items import Source
from ..storage.storage import Storage
from .replicas import ReplicaClient
from .retried_commits import committed

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Ingests:
    """`writer` is the connection: an attempt that was replaced commits nothing any more.  `statistics` are those of
    every source, as of its last commit."""

    replica: ReplicaClient
    writer: asyncio.StreamWriter
    storage: Storage
    catalog: Catalog
    statistics: dict[GlobalId, dict[str, int]]

    async def append(self, message: Ingest) -> None:
        """Commits data and position together, and answers."""
        if not self.replica.owns(self.writer):
            return
        item = self.catalog.find_by_id(message.id)
        if not isinstance(item, Source):
            self.replica.send(Ingested(message.id, None))
            return
        remap = item.remap

        def wanted() -> bool:
            return self.replica.owns(self.writer)

        try:
            time = await committed(
                lambda: self.storage.ingest(message.id, message.parts, remap, message.position, wanted),
                f"source {item.name}",
                wanted,
            )
        except UndefinedTable:  # it is being dropped
            self.replica.send(Ingested(message.id, None))
            return
        except PtvcError as error:
            if not wanted():
                return  # another replica reads the records
            # The source reads the same records again once its replica is back.
            logger.error("cannot commit for source %s: %s", item.name, error)
            self.writer.close()
            return
        self.statistics[message.id] = message.statistics
        if self.replica.owns(self.writer):
            self.replica.send(Ingested(message.id, time))
