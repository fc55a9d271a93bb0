"""The way in for requests: finds the source, and bounds what waits."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from typing import Any

from ...config import DATABASE, Settings
from ...expr.tree.relation import GlobalId
from ...supervision import Supervisor
from ..catalog.catalog import Catalog
from ..catalog.items import WebhookSource
from ..secrets.key_ring import KeyRing
from ..storage.storage import Storage
from .delivery import Delivery, too_many, unavailable, unknown
from .inbox import Counted, Inbox


class Webhooks:
    """`base_url` is where requests are posted to, since `since_ms`; None while nobody listens."""

    def __init__(
        self,
        storage: Storage,
        catalog: Catalog,
        keys: KeyRing,
        settings: Settings,
        now_ms: Callable[[], int],
        supervisor: Supervisor,
    ) -> None:
        self._storage = storage
        self._catalog = catalog
        self._keys = keys
        self._settings = settings
        self._now_ms = now_ms
        self._supervisor = supervisor
        self._inboxes: dict[GlobalId, Inbox] = {}
        self._requests = 0
        self._bytes = 0
        self.base_url: str | None = None
        self.since_ms = now_ms()

    def listening(self, base_url: str) -> None:
        """Requests come from now on."""
        self.base_url, self.since_ms = base_url, self._now_ms()

    @property
    def ready(self) -> bool:
        """Whether what is posted can become durable, as far as is known."""
        return not self._storage.ended

    @property
    def most_bytes(self) -> int:
        """Of a body."""
        return self._settings.webhook_max_body_bytes

    def counted(self, id: GlobalId) -> Counted:
        """What has come for a source."""
        inbox = self._inboxes.get(id)
        return Counted() if inbox is None else inbox.counted

    def find(self, database: str, schema: str, name: str) -> GlobalId:
        """The source of that name; raises Refused."""
        item = self._catalog.find(schema, name) if database == DATABASE else None
        if not isinstance(item, WebhookSource) or item.id in self._catalog.unbuilt:
            raise unknown(f"{database}.{schema}.{name}")
        return item.id

    @contextmanager
    def place(self) -> Iterator[None]:
        """One of the places that there are for requests, from the head of one to its answer; raises Refused where none is free."""
        if not self.ready:
            raise unavailable("the runtime is stopping", "57P01")
        if self._requests >= self._settings.webhook_max_requests:
            raise too_many()
        self._requests += 1
        try:
            yield
        finally:
            self._requests -= 1

    @contextmanager
    def holding(self) -> Iterator[Callable[[int], None]]:
        """Counts bytes of a body that are held in memory until the request is answered; raises Refused where all hold too many."""
        held = 0

        def hold(count: int) -> None:
            nonlocal held
            if self._bytes + count > self._settings.webhook_max_held_bytes:
                raise too_many()
            held += count
            self._bytes += count

        try:
            yield hold
        finally:
            self._bytes -= held

    async def receive(self, id: GlobalId, delivery: Delivery) -> bool:
        """Returns when what the request says is durable: whether it was written, or had been before.  Raises Refused."""
        inbox = self._inboxes.get(id)
        if inbox is None:
            self._forget_dropped()
            inbox = self._inboxes[id] = Inbox(
                id, self._storage, self._catalog, self._keys, self._settings, self._now_ms, self._spawn
            )
        return await inbox.put(delivery)

    def _spawn(self, work: Coroutine[Any, Any, None]) -> object:
        return self._supervisor.run("webhook", work)

    def _forget_dropped(self) -> None:
        for id_ in [id_ for id_ in self._inboxes if self._catalog.find_by_id(id_) is None]:
            del self._inboxes[id_]
