"""The coordinator, assembled: from an environment's directory to sessions that can be opened.

Start: take the epoch (an older coordinator is fenced from here on), read the mark, load the catalog, drop shards that no
item names, open collections, then the control socket and the driver.  Clients are served before Spark is up.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping
from itertools import count
from pathlib import Path

from ..clock import Clock
from ..config import DATABASE, Settings
from ..errors import PtvcError
from ..persist.blob.file import FileBlob
from ..persist.client import PersistClient
from ..persist.consensus.sqlite import SqliteConsensus
from .catalog import TEMP_SCHEMA_PREFIX, Catalog
from .catalog_store import CATALOG_SHARD, CatalogStore
from .collections import Collections
from .controller import Controller
from .ddl import Ddl
from .group_commit import GroupCommit
from .introspection import Introspection
from .maintenance import Maintenance
from .oracle import Oracle
from .peeks import Peeks
from .reads import ActiveReads
from .sequencer import Sequencer
from .session import Session
from .variables import Variables
from .writes import Writes

logger = logging.getLogger(__name__)

EPOCH_NAME = "coordinator"


class Coordinator:
    """`on_fenced` runs when another process has taken the environment over."""

    def __init__(
        self, directory: Path, settings: Settings, clock: Clock, on_fenced: Callable[[], None]
    ) -> None:
        self._settings = settings
        self._clock = clock
        self._on_fenced = on_fenced
        directory.mkdir(parents=True, exist_ok=True)
        blob = FileBlob(directory / "blobs")
        self._consensus = SqliteConsensus(directory / "consensus.sqlite")
        self.persist = PersistClient(self._consensus, blob, clock)
        self.epoch = self.persist.take_epoch(EPOCH_NAME)
        self.oracle = Oracle(
            clock, self.persist.mark(), lambda mark: self.persist.raise_mark(mark, self.epoch)
        )
        self.collections = Collections(self.persist, self.oracle)
        self._store = CatalogStore(self.persist, self.epoch)
        self.catalog = Catalog(self._store.load())
        self.reads = ActiveReads(self.oracle)
        self.controller = Controller(
            directory,
            settings,
            self.persist,
            self.oracle,
            self.collections,
            self.catalog,
            self.reads,
            clock.now_ms,
            self.epoch,
        )
        self._sessions: dict[int, Session] = {}
        self._session_numbers = count(1)
        self._tasks: list[asyncio.Task[None]] = []

    async def start(self) -> None:
        self._commit = GroupCommit(
            self.persist,
            self.oracle,
            self.collections,
            self.epoch,
            self.controller.on_commit,
            self._on_fenced,
        )
        ddl = Ddl(
            self.persist,
            self.oracle,
            self.catalog,
            self._store,
            self.collections,
            self.controller,
            self._commit,
            self.epoch,
            self._settings.replica_slots,
        )
        self._drop_orphans()
        for item in self.catalog.user_items():
            ddl.open(item)
        peeks = Peeks(self.oracle, self.collections, self.catalog, self.reads, self.controller)
        self._sequencer = Sequencer(
            self._clock,
            self.catalog,
            peeks,
            Writes(self.persist, self.catalog, self.collections, peeks),
            ddl,
            self._commit,
            Introspection(self.catalog, self.collections, self.controller, self._sessions),
        )
        maintenance = Maintenance(
            self._settings,
            self.persist,
            self.oracle,
            self.collections,
            self.catalog,
            self.reads,
            self.controller,
            self._commit,
            self.epoch,
        )
        await self.controller.start(self._commit)
        self._tasks = [
            asyncio.create_task(self._tick(), name="tick"),
            asyncio.create_task(maintenance.run(), name="maintenance"),
        ]

    async def stop(self) -> None:
        """Stops replicas and Spark; what was acknowledged is durable already."""
        for task in self._tasks:
            task.cancel()
        await self.controller.stop()
        await self._commit.close()
        self._consensus.close()

    # -- SessionFactory --

    async def open(self, user: str, database: str, options: Mapping[str, str]) -> Session:
        if database not in (DATABASE, user):
            raise PtvcError(
                f'database "{database}" does not exist',
                sqlstate="3D000",
                hint=f'There is one database: "{DATABASE}".',
            )
        number = next(self._session_numbers)
        defaults = {"statement_timeout": str(self._settings.statement_timeout_ms)}
        variables = Variables({**defaults, **options})
        session = Session(self._sequencer, number, user, DATABASE, variables, self._closed)
        self._sessions[number] = session
        return session

    def _closed(self, session: Session) -> None:
        self._sessions.pop(session.number, None)

    async def _tick(self) -> None:
        while True:
            await asyncio.sleep(self._settings.tick_ms / 1000)
            self.controller.tick()

    def _drop_orphans(self) -> None:
        """Shards whose statement did not finish, and those of sessions that ended with the last process."""
        stale = [item for item in self.catalog.user_items() if item.schema_name.startswith(TEMP_SCHEMA_PREFIX)]
        assert not stale, "temporary objects are never durable"
        named = {CATALOG_SHARD}
        for item in self.catalog.user_items():
            named.update(shard for shard in (item.shard, item.remap) if shard is not None)
        for state in self.persist.shards():
            if state.id not in named:
                logger.info("dropping shard %s, which no object names", state.id)
                self.persist.drop_shard(state.id, epoch=self.epoch)

