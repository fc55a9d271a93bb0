"""The coordinator, assembled: from an environment's storage and directory to sessions that can be opened.

Start: load the catalog, open collections, then the control socket and the driver.  Clients are served before Spark is up.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping
from itertools import count
from pathlib import Path

from ..clock import Clock
from ..config import DATABASE, Settings
from ..directory import KEY_FILE, own_directories
from ..errors import PtvcError
from ..supervision import Supervisor
from ..watchdog import Watchdog
from .audit.log import AuditLog
from .backend import DETACHED, Backend
from .catalog.items import TEMP_SCHEMA_PREFIX
from .catalog.role import OWNER_ID, RoleEntry
from .catalog.scram_secret import ScramSecret
from .controller import Controller
from .controller.driver_process import Launch
from .controller.maintenance import Maintenance
from .controller.query_jobs import QueryJobs
from .ddl import Ddl
from .ddl.clusters import check_room
from .ddl.connections import Connections
from .ddl.secrets import unreadable
from .dml.exports import Exports
from .dml.replays import Replays
from .dml.row_retention import RowRetentions
from .dml.writes import Writes
from .introspection import Introspection
from .query.explainer import Explainer
from .query.peeks import Peeks
from .query.subscriptions import Subscriptions
from .secrets.key_ring import KeyRing
from .sequencer.sequencer import Sequencer
from .session.advisory_locks import AdvisoryLocks
from .session.session import Session
from .settings import server_settings
from .storage.storage import Storage
from .variables import Variables
from .webhooks.webhooks import Webhooks

logger = logging.getLogger(__name__)


class Coordinator:
    """It has taken `storage` over, and closes it.  `on_fenced` runs when another process has taken the environment over: then
    this one must stop, as it must when a part of it fails (`supervisor`), without which others would wait for ever.

    `launch` makes the driver.
    """

    def __init__(
        self,
        storage: Storage,
        directory: Path,
        settings: Settings,
        clock: Clock,
        supervisor: Supervisor,
        on_fenced: Callable[[], None],
        launch: Launch,
        keys: KeyRing | None = None,
    ) -> None:
        """Blocks.  `keys` seal secrets; without, those of the directory's file.  Raises InvalidParameter where the settings have no room
        for the clusters that are there."""
        self.storage = storage
        self._settings = settings
        self._server_settings = server_settings(settings)
        self._clock = clock
        self._supervisor = supervisor
        self._on_fenced = on_fenced
        self._answers = directory / "state" / "answers"
        self._own = own_directories(directory, storage.blobs)
        self._keys = keys or KeyRing.open(directory / KEY_FILE)
        self.catalog = storage.load_catalog()
        check_room((entry.options for entry in self.catalog.cluster_entries()), settings.replica_room)
        self.controller = Controller(
            directory,
            settings,
            storage,
            self.catalog,
            clock.now_ms,
            launch,
            supervisor,
            self._keys,
        )
        self.webhooks = Webhooks(storage, self.catalog, self._keys, settings, clock.now_ms, supervisor)
        self.audit = AuditLog(storage, self.catalog, clock.now_ms, settings.audit_log_events)
        self.watchdog = Watchdog()
        self._sessions: dict[int, Session] = {}
        self._session_numbers = count(1)
        self._locks = AdvisoryLocks()

    async def start(self) -> None:
        storage, catalog, controller = self.storage, self.catalog, self.controller
        storage.start(self._supervisor, controller.feed.committed, self._on_fenced)
        for item in catalog.user_items():
            assert not item.schema_name.startswith(TEMP_SCHEMA_PREFIX), "temporary objects are never durable"
            storage.load(item)
        connections = Connections(self._keys, self._settings, self._own)
        ddl = Ddl(
            storage,
            catalog,
            controller,
            self._settings.replica_room,
            self._own,
            connections,
            self._supervisor,
            self.audit,
            on_cluster=self._settings.on_cluster,
        )
        jobs = QueryJobs(controller.jobs, catalog, self._settings, controller.files)
        peeks = Peeks(storage, catalog, controller, jobs)
        self._sequencer = Sequencer(
            self._clock,
            catalog,
            peeks,
            Writes(storage, catalog, peeks),
            Replays(storage, catalog, peeks, connections.values),
            ddl,
            storage,
            Introspection(
                catalog, storage.collections, controller, self._sessions, self.webhooks, self.audit
            ),
            Explainer(storage, catalog, controller),
            Subscriptions(storage, catalog, controller, peeks, count(1)),
            Exports(
                self._own, self._answers, connections.values, by_tasks=not self._settings.shares_by_blobs
            ),
            self._answers,
        )
        maintenance = Maintenance(
            self._settings,
            storage,
            catalog,
            controller,
            ddl.settle_sinks_between,
            lambda: ddl.drop_left_behind({session.temp_schema for session in self._sessions.values()}),
            jobs.needs,
        )
        if lost := unreadable(catalog, self._keys):
            logger.warning(
                "the keys of %d secrets are not there, among them that of %s", len(lost), lost[0].full_name
            )
        await controller.start()
        await ddl.reseal_secrets()
        self._supervisor.thread("watchdog", self.watchdog.run).start()
        self._supervisor.start("tick", self._tick())
        self._supervisor.start("audit log", self.audit.run())
        self._supervisor.start("maintenance", maintenance.run())
        self._supervisor.start("row retention", RowRetentions(storage, catalog, peeks).run())

    async def stop(self) -> None:
        """Stops replicas and Spark; what was acknowledged is durable already."""
        await self.controller.stop()
        await self.audit.flush(last=True)
        await self.storage.stop()
        self.watchdog.stop()
        await self._supervisor.stop()
        self.storage.close()

    # -- SessionFactory --

    async def open(
        self, user: str, database: str, options: Mapping[str, str], backend: Backend = DETACHED
    ) -> Session:
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
        variables = Variables(
            {**defaults, **role.settings, **options, **first, **self._server_settings, "role": "none"}
        )
        session = Session(
            self._sequencer,
            number,
            user,
            role.id,
            DATABASE,
            variables,
            backend,
            self._sessions.values,
            self._locks,
            self._closed,
        )
        self._sessions[number] = session
        self.audit.login(user, database, variables.get("application_name"), backend)
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
        if self._sessions.pop(session.number, None) is not None:
            self.audit.logout(session.user, session.backend)

    async def _tick(self) -> None:
        while True:
            await asyncio.sleep(self._settings.tick_ms / 1000)
            self.storage.tick()
