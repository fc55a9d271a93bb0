"""The outputs of one connection of a replica, on their way into persist, in the order in which they came.

```
Append ...  ── those that wait, in one commit ── Appended, and frontiers to their readers
        └─ frontiers of indexes, and what has been computed, at once
Checkpointed ── after what was put out before it ── output durable up to the cut ── manifest ── CheckpointPublished
```

An index is not stored: it can be read as soon as the replica says how far it has come, and need not wait for the views
of the same step.  All it is computed from follows from commits that are durable, so a restart computes the same.  So it is with rows
of a view that are looked up in the replica that has computed it (`query/computed_rows`).

A checkpoint at a cut says that everything below it was put out before: once that is committed, and the output's durable
upper is not below the cut, a restart from there misses nothing.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field

from ...errors import PtvcError
from ...expr.tree.relation import GlobalId
from ...replica.protocol import Append, Appended, Checkpointed, CheckpointPublished, Updates
from ..storage.parts import held_bytes
from ..storage.storage import Storage
from .checkpoints import Checkpoints
from .replicas import ReplicaClient
from .retried_commits import committed

logger = logging.getLogger(__name__)


MOST_WAITING_BYTES = 64 << 20
"""Of outputs that are not durable yet, of one connection.  Beyond that nothing more is read from it, so that a replica is no
further ahead of the store than that."""


@dataclass(slots=True)
class Outputs:
    """`writer` is the connection: as long as it is the replica's, what comes from it counts.

    `forward` tells readers of frontiers that have moved; `spawn` runs something to its end beside.
    """

    replica: ReplicaClient
    writer: asyncio.StreamWriter
    storage: Storage
    checkpoints: Checkpoints
    forward: Callable[[tuple[tuple[GlobalId, int], ...]], None]
    spawn: Callable[[Coroutine[None, None, None]], object]
    _waiting: asyncio.Queue[Append | Checkpointed] = field(default_factory=asyncio.Queue)
    _bytes: int = 0
    _moved: asyncio.Event = field(default_factory=asyncio.Event)
    _ended: bool = False

    async def put(self, message: Append | Checkpointed) -> None:
        """Returns when the next message may come."""
        if isinstance(message, Append):
            self._bytes += held_bytes(message.writes)
            # The last words of a connection may come when the replica has another, whose indexes are not there yet.
            if self.replica.owns(self.writer):
                stored = self.storage.collections.is_stored
                indexes = [moved for moved in message.uppers if not stored(moved[0])]
                self._advance(indexes)
                for id_, upper in message.computed:
                    self.replica.computed[id_] = upper
                    self.storage.collections.computed(id_, upper)
                if indexes or message.computed:
                    self.storage.collections.wake()
        self._waiting.put_nowait(message)
        while self._bytes > MOST_WAITING_BYTES and not self._ended:
            self._moved.clear()
            await self._moved.wait()

    async def run(self) -> None:
        """Until it is cancelled, the replica has another connection, or something cannot be committed: then the
        connection is closed, and the replica starts anew from what is durable."""
        try:
            while self.replica.owns(self.writer):
                await self._commit(await self._next())
        except PtvcError as error:
            # The replica's idea of the frontiers is not ours.
            logger.error("cannot commit for %s: %s", self.replica.id, error)
            self.writer.close()
        finally:
            self._ended = True
            self._moved.set()

    async def _next(self) -> list[Append | Checkpointed]:
        """All that waits; at least one message."""
        messages = [await self._waiting.get()]
        while not self._waiting.empty():
            messages.append(self._waiting.get_nowait())
        return messages

    async def _commit(self, messages: list[Append | Checkpointed]) -> None:
        if not self.replica.owns(self.writer):
            return
        appends = [message for message in messages if isinstance(message, Append)]
        await self._append(appends)
        self._bytes -= sum(held_bytes(append.writes) for append in appends)
        self._moved.set()
        for message in messages:
            if isinstance(message, Checkpointed):
                self.spawn(self._publish(message))

    async def _append(self, appends: list[Append]) -> None:
        if writes := tuple(update for append in appends for update in append.writes):
            await committed(
                lambda: self.storage.append(writes),
                f"replica {self.replica.id}",
                lambda: self.replica.owns(self.writer),
            )
        uppers = tuple({id_: u for append in appends for id_, u in append.uppers}.items())
        self._advance([moved for moved in uppers if self.storage.collections.is_stored(moved[0])])
        if appends:
            self.replica.send(Appended(uppers))
            self.forward(uppers)
            self.storage.collections.wake()

    def _advance(self, uppers: list[tuple[GlobalId, int]]) -> None:
        for id_, upper in uppers:
            self.replica.frontiers[id_] = upper
            self.storage.collections.advance(id_, upper)

    async def _publish(self, message: Checkpointed) -> None:
        """Makes the checkpoint the one to restart from, once the output is durable up to its cut."""
        cut = message.checkpoint.cut
        published = False
        try:
            collections = self.storage.collections
            if message.id in collections and collections[message.id].durable_upper < cut:
                await self.storage.append((Updates(message.id, 0, cut, ()),))
            if self.replica.owns(self.writer) and message.id in self.replica.installed:
                published = await self.checkpoints.publish(message.id, self.replica.name, message.checkpoint)
        except PtvcError as error:
            logger.warning("cannot publish a checkpoint of %s: %s", message.id, error)
        if self.replica.owns(self.writer):
            self.replica.send(CheckpointPublished(message.id, cut, published))
