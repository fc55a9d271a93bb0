"""The requests of one source on their way: what comes while a batch is being written is the next batch.

```
put ── waiting ── taken: a batch ── judged ── committed: rows and keys, at one time ── each request is answered
```

One batch is under way at a time, so that keys are looked up among all that were committed.  A request that is under way when
nobody waits for its answer any more is written none the less.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from ...config import Settings
from ...errors import PtvcError, SerializationFailure, UndefinedTable
from ...expr.cost import cost
from ...expr.tree.relation import GlobalId
from ...repr.batch import Batch, concat_batches
from ...storage.source.webhook import WebhookOptions
from ..catalog.catalog import Catalog
from ..catalog.items import Secret, WebhookSource
from ..secrets.key_ring import KeyRing
from ..storage.parts import WrittenPart
from ..storage.shards import KEYS_SCHEMA
from ..storage.storage import Storage
from ..thread_pool import EVALUATION
from .delivery import Delivery, Refused, defect, dropped, unavailable
from .judge import Judged, judge, judge_each
from .key_window import KeyChange, KeyWindow

logger = logging.getLogger(__name__)

MOST_REQUESTS = 1_000
MOST_BYTES = 8 << 20
"""Of a batch, so that what comes behind a flood is answered soon."""

FEW_BYTES = 32 << 10
"""Bodies of so many bytes are parsed in a few milliseconds, which is less than it takes to wait for a thread of its own."""

CHEAP = 1 << 28
"""The most that a check may cost by its estimate to be evaluated here.  Of signatures it is much too high, as it takes each function
to make eight times as much as it is given; what repeats a text, or searches in one for one, is far beyond it."""


@dataclass(slots=True)
class Counted:
    """Since the process began: requests and bytes that came, rows and bytes that are durable, requests that were refused, and
    rows that WHERE has left out."""

    messages: int = 0
    bytes: int = 0
    records: int = 0
    written_bytes: int = 0
    refused: int = 0
    left_out: int = 0


@dataclass(slots=True, eq=False)
class _Waiting:
    delivery: Delivery
    answer: asyncio.Future[bool]

    def settle(self, outcome: bool | Refused) -> None:
        if self.answer.done():
            return  # nobody waits for it any more
        if isinstance(outcome, Refused):
            self.answer.set_exception(outcome)
        else:
            self.answer.set_result(outcome)


@dataclass(slots=True, eq=False)
class Inbox:
    """Of the source `id`.  `spawn` runs a coroutine to its end, whoever waits for it."""

    id: GlobalId
    storage: Storage
    catalog: Catalog
    keys: KeyRing
    settings: Settings
    now_ms: Callable[[], int]
    spawn: Callable[[Coroutine[Any, Any, None]], object]
    counted: Counted = field(default_factory=Counted)
    _waiting: deque[_Waiting] = field(default_factory=deque)
    _running: bool = False
    _window: KeyWindow | None = None
    _weighed: tuple[WebhookOptions, bool] | None = None

    async def put(self, delivery: Delivery) -> bool:
        """Returns when what the request says is durable: whether it was written, or had been before.  Raises Refused."""
        self.counted.messages += 1
        self.counted.bytes += len(delivery.body)
        waiting = _Waiting(delivery, asyncio.get_running_loop().create_future())
        self._waiting.append(waiting)
        if not self._running:
            self._running = True
            self.spawn(self._run())
        try:
            written = await waiting.answer
        except Refused:
            self.counted.refused += 1
            raise
        if written:
            self.counted.written_bytes += len(delivery.body)
        return written

    async def _run(self) -> None:
        batch: list[_Waiting] = []
        try:
            while self._waiting:
                batch = self._take()
                for waiting, outcome in zip(batch, await self._outcomes(batch), strict=True):
                    waiting.settle(outcome)
        finally:
            self._running = False
            for waiting in (*batch, *self._waiting):  # none, unless the process stops
                waiting.settle(unavailable("the runtime is stopping", "57P01"))
            self._waiting.clear()

    def _take(self) -> list[_Waiting]:
        """What waits, as far as it makes a batch; at least one request."""
        batch = [self._waiting.popleft()]
        size = len(batch[0].delivery.body)
        while self._waiting and len(batch) < MOST_REQUESTS:
            size += len(self._waiting[0].delivery.body)
            if size > MOST_BYTES:
                break
            batch.append(self._waiting.popleft())
        return batch

    async def _outcomes(self, batch: Sequence[_Waiting]) -> list[bool | Refused]:
        """One for each request: whether it was written, or why not."""
        try:
            return await self._written([waiting.delivery for waiting in batch])
        except Refused as refused:
            return [refused] * len(batch)
        except UndefinedTable:
            return [dropped()] * len(batch)
        except PtvcError as error:  # of the store, or of the keys of secrets
            logger.warning("webhook requests cannot be written: %s", error)
            return [unavailable("the request cannot be written now", error.sqlstate)] * len(batch)
        except Exception:
            # A defect that a request has found: what it says is in no answer, and the next one may be sound.
            logger.exception("webhook requests have failed")
            return [defect()] * len(batch)

    async def _written(self, deliveries: Sequence[Delivery]) -> list[bool | Refused]:
        item = self._item()
        if item.keys is not None and self._window is None:
            self._window = KeyWindow(await self.storage.beside(item.keys, KEYS_SCHEMA))
        found = await self._judged(item, deliveries)
        rows = [judged.rows for judged in found if judged.rows is not None]
        added = {key: digest for judged in found for key, digest in judged.keys.items()}
        if rows or added:
            await self._commit(item, rows, added)
        self.counted.records += sum(map(len, rows))
        self.counted.left_out += sum(judged.left_out for judged in found)
        return [outcome for judged in found for outcome in _outcomes(judged, len(deliveries) // len(found))]

    async def _judged(self, item: WebhookSource, deliveries: Sequence[Delivery]) -> list[Judged]:
        """Of all together, or, where that fails, of each by itself."""
        known = _none if self._window is None else self._window.digest_of
        now = datetime.fromtimestamp(self.now_ms() / 1000, UTC)
        secrets = self._secrets(item)

        def work() -> list[Judged]:
            try:
                return [judge(item.webhook, deliveries, secrets, known, now)]
            except Exception:  # of one of them, most often: that one is told
                return judge_each(item.webhook, deliveries, secrets, known, now)

        size = sum(len(delivery.body) for delivery in deliveries)
        if size <= FEW_BYTES and self._is_cheap(item.webhook):
            return work()
        return await EVALUATION.run(work)

    def _is_cheap(self, webhook: WebhookOptions) -> bool:
        """The estimate takes longer than to evaluate the check, so it is made once."""
        if self._weighed is None or self._weighed[0] is not webhook:
            conditions = [c.predicate for c in (webhook.check, webhook.where) if c is not None]
            self._weighed = webhook, all(cost(condition).work <= CHEAP for condition in conditions)
        return self._weighed[1]

    async def _commit(self, item: WebhookSource, rows: Sequence[Batch], added: Mapping[str, bytes]) -> None:
        batch = concat_batches(item.schema, list(rows))
        beside: dict[str, tuple[WrittenPart, ...]] = {}
        change: KeyChange | None = None
        if item.keys is not None and self._window is not None and added:
            change = self._window.change(added, self.settings.webhook_idempotency_keys)
            beside[item.keys] = await self.storage.encode(item.keys, KEYS_SCHEMA, change.rows())
        parts = await self.storage.encode(item.shard, item.schema, batch)
        try:
            await self.storage.deliver({item.id: parts}, beside, lambda: self._is_there(item))
        except SerializationFailure:
            raise dropped() from None
        if self._window is not None and change is not None:
            self._window.apply(change)

    def _item(self) -> WebhookSource:
        item = self.catalog.find_by_id(self.id)
        if not isinstance(item, WebhookSource):
            raise dropped()
        return item

    def _is_there(self, item: WebhookSource) -> bool:
        """Whether the rows still fit: another name, or another owner, changes nothing."""
        now = self.catalog.find_by_id(item.id)
        return isinstance(now, WebhookSource) and now.webhook == item.webhook

    def _secrets(self, item: WebhookSource) -> dict[GlobalId, bytes]:
        """The values that they have now."""
        found = {}
        for id_ in () if item.webhook.check is None else item.webhook.check.secrets:
            secret = self.catalog.get_as(id_, Secret)
            found[id_] = self.keys.unseal(secret.sealed, secret.id, secret.full_name)
        return found


def _none(key: str) -> bytes | None:
    """No key is known."""
    return None


def _outcomes(judged: Judged, count: int) -> list[bool | Refused]:
    return [judged.refused.get(place, place not in judged.repeats) for place in range(count)]
