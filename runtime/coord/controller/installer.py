"""The installer: sees to it that replicas run what they should, however often that has to be tried.

Every installation (`coord.controller.installation`) is a task of its replica, which ends with the replica's connection, and with
the object: its job is cancelled, its inputs are let go.  One that fails is tried again with growing delays: what fails
(a full disk, a job) may pass.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable

from ...errors import ObjectNotReady, PtvcError, ReplicaUnavailable
from ...expr.tree.relation import GlobalId
from ...retry import Backoff, Pauses
from ...supervision import Supervisor
from ..catalog.catalog import Catalog
from ..catalog.items import Item, Maintained, Running
from ..storage.collections import Failure
from ..storage.storage import Storage
from .checkpoints import Checkpoints
from .installation import Installation
from .replicas import Installing, ReplicaClient
from .source_jobs import SourceJobs
from .statuses import Statuses
from .step_jobs import StepJobs

logger = logging.getLogger(__name__)

BACKOFF = Backoff(first_s=5.0, longest_s=300.0)


class Installer:
    """Everything here runs on the coordinator's event loop."""

    def __init__(
        self,
        installation: Installation,
        catalog: Catalog,
        checkpoints: Checkpoints,
        storage: Storage,
        statuses: Statuses,
        steps: StepJobs,
        reads: SourceJobs,
        now_ms: Callable[[], int],
        supervisor: Supervisor,
    ) -> None:
        self._supervisor = supervisor
        self._installation = installation
        self._catalog = catalog
        self._checkpoints = checkpoints
        self._storage = storage
        self._statuses = statuses
        self._steps = steps
        self._reads = reads
        self._now_ms = now_ms
        self._tasks: dict[tuple[str, GlobalId], asyncio.Task[None]] = {}

    def install(self, replica: ReplicaClient, item: Running) -> None:
        """Begins to install the item, anew if that was under way; returns at once."""
        self._cancel(replica, item.id)
        tried: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        replica.installing[item.id] = Installing(tried, self._now_ms())
        task = self._supervisor.run(f"install {item.full_name}", self._try_install(replica, item, tried))
        key = replica.id, item.id
        self._tasks[key] = task
        replica.tasks.add(task)

        def done(ended: asyncio.Task[None]) -> None:
            replica.tasks.discard(ended)
            if self._tasks.get(key) is ended:
                del self._tasks[key]
            _tried(replica, item.id, tried)

        task.add_done_callback(done)

    def _cancel(self, replica: ReplicaClient, id: GlobalId) -> None:
        """Cancels the installation, and a job that it has begun."""
        if (task := self._tasks.pop((replica.id, id), None)) is not None:
            task.cancel()

    def uninstall(self, replica: ReplicaClient, item: Item) -> None:
        """The item was dropped."""
        self._cancel(replica, item.id)
        self._storage.release(replica.id, item.id)
        if item.id in replica.installed:
            replica.unsubscribe(self._installation.subscribed(item.id))
        self._steps.cancel(replica, item.id)
        self._reads.cancel(replica, item.id)
        replica.uninstall(item.id)

    def try_failed(self, replica: ReplicaClient, item: Maintained) -> None:
        """Installs once more what the replica has given up: the options of its cluster have changed."""
        replica.failed.discard(item.id)
        self._steps.cancel(replica, item.id)
        self._withdraw(replica, item.id)
        self._statuses.set(item.id, "starting", None)
        self.install(replica, item)

    def install_without_state(self, replica: ReplicaClient, id: GlobalId, reason: str) -> None:
        """What the replica was to go on from is damaged: it hydrates."""
        self._withdraw(replica, id)
        self._storage.release(replica.id, id)
        self._checkpoints.reject(id, replica.name, reason)
        if isinstance(item := self._catalog.find_by_id(id), Running):
            self.install(replica, item)

    def install_again(self, replica: ReplicaClient, id: GlobalId) -> None:
        """A sink has ended there because it lags: it goes on with what is stored."""
        item = self._catalog.find_by_id(id)
        if isinstance(item, Running) and id in replica.installed:
            self._withdraw(replica, id)
            self._storage.release(replica.id, id)
            self.install(replica, item)

    def _withdraw(self, replica: ReplicaClient, id: GlobalId) -> None:
        """Forgets the object on the replica, as if it had never been installed."""
        replica.unsubscribe(self._installation.subscribed(id))
        replica.installed.discard(id)

    async def _try_install(self, replica: ReplicaClient, item: Running, tried: asyncio.Future[None]) -> None:
        """Installs the item as it is at each attempt, trying again with growing delays.  `tried` is done after the first."""
        pauses = Pauses(BACKOFF)
        while isinstance(now := self._catalog.find_by_id(item.id), Running):
            item = now
            try:
                await self._installation.install(replica, item)
                return
            except ReplicaUnavailable as error:
                # Everything is installed again as soon as the replica is back, so this is no failure to report.
                logger.info("%s waits to be installed: %s", item.full_name, error)
                return
            except Exception as error:
                if self._catalog.find_by_id(item.id) is None:
                    logger.info("%s was dropped while it was being installed", item.full_name)
                    return
                self._cannot_install(replica, item, error)
            _tried(replica, item.id, tried)
            await asyncio.sleep(pauses.endless())

    def _cannot_install(self, replica: ReplicaClient, item: Running, error: Exception) -> None:
        """The object has failed, unless another replica maintains it."""
        if not isinstance(error, PtvcError):
            logger.error("cannot install %s on %s", item.full_name, replica.id, exc_info=error)
            if not self._installation.is_maintained(item):
                self._statuses.set(item.id, "failed", f"internal error: {error!r}")
            return
        logger.warning("cannot install %s on %s: %s", item.full_name, replica.id, error)
        if self._installation.is_maintained(item):
            return
        waited = isinstance(error, ObjectNotReady)
        failure = Failure(error.message, error.sqlstate, error.hint) if waited else None
        self._statuses.set(item.id, "failed", error.message, failure)


def _tried(replica: ReplicaClient, id: GlobalId, tried: asyncio.Future[None]) -> None:
    """The first attempt at an installation is over."""
    if (installing := replica.installing.get(id)) is not None and installing.tried is tried:
        del replica.installing[id]
    if not tried.done():
        tried.set_result(None)
