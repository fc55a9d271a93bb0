"""The outputs of one connection of a replica, on their way into persist, in the order in which they came.

```
Append ...  ── those that wait, in one commit ── Appended, and frontiers to their readers
        └─ frontiers of indexes, at once
Checkpointed ── after what was put out before it ── output durable up to the cut ── manifest ── CheckpointPublished
```

An index is not stored: it can be read as soon as the replica says how far it has come, and need not wait for the views
of the same step.  All it is computed from follows from commits that are durable, so a restart computes the same.

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
from ..storage.collections import Collections
from ..storage.group_commit import GroupCommit
from .checkpoints import Checkpoints
from .replicas import ReplicaClient

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Outputs:
    """`writer` is the connection: as long as it is the replica's, what comes from it counts.

    `forward` tells readers of frontiers that have moved; `spawn` runs something to its end beside.
    """

    replica: ReplicaClient
    writer: asyncio.StreamWriter
    commit: GroupCommit
    collections: Collections
    checkpoints: Checkpoints
    forward: Callable[[tuple[tuple[GlobalId, int], ...]], None]
    spawn: Callable[[Coroutine[None, None, None]], object]
    _waiting: asyncio.Queue[Append | Checkpointed] = field(default_factory=asyncio.Queue)

    def put(self, message: Append | Checkpointed) -> None:
        # The last words of a connection may come when the replica has another, whose indexes are not there yet.
        if isinstance(message, Append) and self.replica.owns(self.writer):
            indexes = [moved for moved in message.uppers if not self.collections.is_stored(moved[0])]
            self._advance(indexes)
            if indexes:
                self.collections.wake()
        self._waiting.put_nowait(message)

    async def run(self) -> None:
        """Until it is cancelled, the replica has another connection, or something cannot be committed: then the
        connection is closed, and the replica starts anew from what is durable."""
        while True:
            messages = [await self._waiting.get()]
            while not self._waiting.empty():
                messages.append(self._waiting.get_nowait())
            if not self.replica.owns(self.writer):
                return
            try:
                await self._append([message for message in messages if isinstance(message, Append)])
            except PtvcError as error:
                # The replica's idea of the frontiers is not ours.
                logger.error("cannot commit for %s: %s", self.replica.id, error)
                self.writer.close()
                return
            for message in messages:
                if isinstance(message, Checkpointed):
                    self.spawn(self._publish(message))

    async def _append(self, appends: list[Append]) -> None:
        if writes := tuple(update for append in appends for update in append.writes):
            await self.commit.append(writes)
        uppers = tuple({id_: u for append in appends for id_, u in append.uppers}.items())
        self._advance([moved for moved in uppers if self.collections.is_stored(moved[0])])
        if appends:
            self.replica.send(Appended(uppers))
            self.forward(uppers)
            self.collections.wake()

    def _advance(self, uppers: list[tuple[GlobalId, int]]) -> None:
        for id_, upper in uppers:
            self.replica.frontiers[id_] = upper
            self.collections.advance(id_, upper)

    async def _publish(self, message: Checkpointed) -> None:
        """Makes the checkpoint the one to restart from, once the output is durable up to its cut."""
        cut = message.checkpoint.cut
        published = False
        try:
            if message.id in self.collections and self.collections[message.id].durable_upper < cut:
                await self.commit.append((Updates(message.id, 0, cut, ()),))
            if self.replica.owns(self.writer) and message.id in self.replica.installed:
                published = await self.checkpoints.publish(message.id, self.replica.name, message.checkpoint)
        except PtvcError as error:
            logger.warning("cannot publish a checkpoint of %s: %s", message.id, error)
        if self.replica.owns(self.writer):
            self.replica.send(CheckpointPublished(message.id, cut, published))
