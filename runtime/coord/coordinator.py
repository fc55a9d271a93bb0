"""The coordinator, assembled: from an environment's directory to sessions that can be opened.

Start: take the epoch (an older coordinator is fenced from here on), read the mark, load the catalog, drop shards that no
item names, open collections, then the control socket and the driver.  Clients are served before Spark is up.
"""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Callable, Mapping
from functools import partial
from itertools import count
from pathlib import Path

from ..clock import Clock
from ..config import DATABASE, Settings
from ..directory import own_directories
from ..errors import PtvcError
from ..persist.client import PersistClient
from ..persist.location import Location
from ..persist.stores import locate, open_stores
from ..supervision import Supervisor
from ..watchdog import Watchdog
from .catalog.catalog import Catalog
from .catalog.entries import TEMP_SCHEMA_PREFIX
from .catalog.role import OWNER_ID, RoleEntry
from .catalog.scram_secret import ScramSecret
from .controller import Controller
from .controller.driver_process import DriverProcess, Launch
from .controller.query_jobs import QueryJobs
from .ddl import Ddl
from .dml.writes import Writes
from .introspection import Introspection
from .maintenance import Maintenance
from .query.explainer import Explainer
from .query.peeks import Peeks
from .query.subscriptions import Subscriptions
from .sequencer.sequencer import Sequencer
from .session.session import Session
from .storage.catalog_store import CATALOG_SHARD, CatalogStore
from .storage.collections import Collections
from .storage.group_commit import GroupCommit
from .storage.oracle import Oracle
from .storage.reads import ActiveReads
from .storage.unique_keys import UniqueKeys
from .variables import Variables

logger = logging.getLogger(__name__)

EPOCH_NAME = "coordinator"


class Coordinator:
    """`on_fenced` runs when another process has taken the environment over; `on_failure`, when a part of this one has failed
    without which others would wait for ever.  Both mean: stop.

    `launch` makes the driver; without it, a process of its own that runs Spark.  `location` says where the stores are;
    without it, they are where they were before, or files in the directory.
    """

    def __init__(
        self,
        directory: Path,
        settings: Settings,
        clock: Clock,
        on_fenced: Callable[[], None],
        on_failure: Callable[[BaseException], None],
        launch: Launch | None = None,
        location: Location | None = None,
    ) -> None:
        self._settings = settings
        self._clock = clock
        self._on_fenced = on_fenced
        self._on_failure = on_failure
        self._answers = directory / "state" / "answers"
        stores = open_stores(directory, location or locate(directory))
        self._own = own_directories(directory, stores.location.blob)
        self._consensus = stores.consensus
        self.persist = PersistClient(stores.consensus, stores.blob, clock)
        self.epoch = self.persist.take_epoch(EPOCH_NAME)
        self.oracle = Oracle(clock, self.persist.mark())
        if (mark := self.oracle.wanted_mark()) is not None:
            self.persist.raise_mark(mark, self.epoch)
            self.oracle.mark_raised(mark)
        self._supervisor = Supervisor(lambda name, error: self._on_failure(error))
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
            launch or _spark(settings, stores.location.blob, self._supervisor),
            self._supervisor,
        )
        self._sessions: dict[int, Session] = {}
        self._session_numbers = count(1)

    async def start(self) -> None:
        unique = UniqueKeys(self.persist, self.oracle, self.collections, self.reads)
        self._commit = GroupCommit(
            self.persist,
            self.oracle,
            self.collections,
            self.epoch,
            self.controller.feed.committed,
            self._on_fenced,
            self._supervisor,
            unique,
        )
        ddl = Ddl(
            self.persist,
            self.oracle,
            self.catalog,
            self._store,
            self.collections,
            self.reads,
            self.controller,
            self._commit,
            self.epoch,
            self._settings.replica_room,
            self._own,
            unique,
            self._supervisor,
        )
        self._drop_orphans()
        for item in self.catalog.user_items():
            ddl.load(item)
        jobs = QueryJobs(self.controller.jobs, self.catalog, self._settings, self._answers)
        peeks = Peeks(self.oracle, self.collections, self.catalog, self.reads, self.controller, jobs)
        self._sequencer = Sequencer(
            self._clock,
            self.catalog,
            peeks,
            Writes(self.persist, self.catalog, self.collections, peeks, unique),
            ddl,
            self._commit,
            Introspection(self.catalog, self.collections, self.controller, self._sessions),
            Explainer(self.oracle, self.catalog, self.collections, self.controller),
            Subscriptions(
                self.oracle,
                self.collections,
                self.catalog,
                self.reads,
                self.controller,
                self.persist,
                peeks,
                count(1),
            ),
            self._answers,
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
            ddl.settle_sinks,
            lambda: ddl.drop_left_behind({session.temp_schema for session in self._sessions.values()}),
        )
        await self.controller.start(self._commit)
        self.watchdog = Watchdog()
        self._supervisor.thread("watchdog", self.watchdog.run).start()
        self._supervisor.start("tick", self._tick())
        self._supervisor.start("maintenance", maintenance.run())

    async def stop(self) -> None:
        """Stops replicas and Spark; what was acknowledged is durable already."""
        await self.controller.stop()
        await self._commit.close()
        self.watchdog.stop()
        await self._supervisor.stop()
        self._consensus.close()

    # -- SessionFactory --

    async def open(self, user: str, database: str, options: Mapping[str, str]) -> Session:
        if database not in (DATABASE, user):
            raise PtvcError(
                f'database "{database}" does not exist',
                sqlstate="3D000",
                hint=f'There is one database: "{DATABASE}".',
            )
        role = self._role_of(user)
        number = next(self._session_numbers)
        defaults = {"statement_timeout": str(self._settings.statement_timeout_ms)}
        first = {
            "session_authorization": user,
            "is_superuser": "on" if role.superuser else "off",
        }
        system = self.catalog.settings
        if system is not None:
            defaults.update(system.settings)
        variables = Variables({**defaults, **role.settings, **options, **first, "role": "none"})
        session = Session(self._sequencer, number, user, role.id, DATABASE, variables, self._closed)
        self._sessions[number] = session
        return session

    def secret(self, user: str) -> ScramSecret | None:
        """What the user must prove to know; None: nothing."""
        role = self.catalog.roles.find(user)
        return ScramSecret.parse(role.password) if role is not None and role.password is not None else None

    @property
    def asks_passwords(self) -> bool:
        """Whether some role has one: then unknown names are asked for one too, and cannot be probed."""
        return any(role.password is not None for role in self.catalog.roles.by_id.values())

    def is_superuser(self, user: str) -> bool:
        """Whether it is the name of a superuser; names that only stand for the first role are not."""
        role = self.catalog.roles.find(user)
        return role is not None and role.superuser

    def knows(self, user: str) -> bool:
        return self.catalog.roles.find(user) is not None

    def _role_of(self, user: str) -> RoleEntry:
        """As long as no role was created, any name is taken for the first."""
        roles = self.catalog.roles
        role = roles.find(user)
        if role is None:
            if roles.only_the_first:
                return roles.by_id[OWNER_ID]
            raise PtvcError(
                f'role "{user}" does not exist',
                sqlstate="28000",
                hint="Since this environment has roles of its own, only they may connect.",
            )
        if not role.login:
            raise PtvcError(f'role "{user}" is not permitted to log in', sqlstate="28000")
        return role

    def _closed(self, session: Session) -> None:
        self._sessions.pop(session.number, None)

    async def _tick(self) -> None:
        while True:
            await asyncio.sleep(self._settings.tick_ms / 1000)
            self._commit.tick()

    def _drop_orphans(self) -> None:
        """Shards whose statement did not finish, and those of sessions that ended with the last process."""
        stale = [
            item for item in self.catalog.user_items() if item.schema_name.startswith(TEMP_SCHEMA_PREFIX)
        ]
        assert not stale, "temporary objects are never durable"
        named = {CATALOG_SHARD}
        for item in self.catalog.user_items():
            named.update(shard for shard in (item.shard, item.remap) if shard is not None)
        orphans = [state.id for state in self.persist.shards() if state.id not in named]
        # The ids of all that ever were count as used: also of those that a statement has dropped that did not commit.
        self.catalog.skip_ids(id_ for id_ in self.persist.shard_ids() if re.fullmatch(r"u\d+", id_))
        if orphans and (ids := self.catalog.ids_change()) is not None:
            self._store.save([ids])
            self.catalog.apply([ids])
        for shard in orphans:
            logger.info("dropping shard %s, which no object names", shard)
            self.persist.drop_shard(shard, epoch=self.epoch)


def _spark(settings: Settings, blobs: str, supervisor: Supervisor) -> Launch:
    master = settings.spark_master or f"local[{settings.replica_slots + 2},4]"
    return partial(
        DriverProcess,
        blobs=blobs,
        master=master,
        memory=settings.spark_driver_memory,
        supervisor=supervisor,
    )
