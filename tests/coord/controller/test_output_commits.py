"""What becomes of a replica's outputs, with a commit that takes as long as the test wants."""

from __future__ import annotations

import asyncio
from typing import Any, cast

from ptvc.clock import ManualClock
from ptvc.coord.controller.checkpoints import Checkpoints
from ptvc.coord.controller.output_commits import Outputs
from ptvc.coord.controller.replicas import ReplicaClient
from ptvc.coord.storage.collections import Collections
from ptvc.coord.storage.group_commit import GroupCommit
from ptvc.coord.storage.oracle import Oracle
from ptvc.persist.blob.memory import MemoryBlob
from ptvc.persist.client import PersistClient
from ptvc.persist.consensus.memory import MemoryConsensus
from ptvc.replica.protocol import Append, Updates
from ptvc.repr.schema import Column, Schema
from ptvc.repr.types import INT4

SCHEMA = Schema((Column("a", INT4),))


class Writer:
    def write(self, data: bytes) -> None: ...

    def close(self) -> None: ...


class SlowCommit:
    """Commits when `settled` is set."""

    def __init__(self) -> None:
        self.settled = asyncio.Event()

    async def append(self, updates: tuple[Updates, ...]) -> int:
        await self.settled.wait()
        return 0


def outputs_of(replica: ReplicaClient, writer: Any, commit: SlowCommit) -> Outputs:
    """Of a connection of the replica, with a view `v` and an index `i`."""
    clock = ManualClock()
    persist = PersistClient(MemoryConsensus(), MemoryBlob(), clock)
    persist.create_shard("v", SCHEMA, epoch=persist.take_epoch("coordinator"))
    collections = Collections(persist, Oracle(clock, 0))
    collections.add("v", "v", "v", SCHEMA, timestamped=False)
    collections.add_unstored("i", "i")
    return Outputs(
        replica,
        writer,
        cast(GroupCommit, commit),
        collections,
        cast(Checkpoints, None),
        lambda uppers: None,
        lambda work: None,
    )


MOVED = Append((Updates("v", 0, 6, ()),), (("v", 6), ("i", 6)))


def test_an_index_is_readable_before_the_views_of_its_step_are_durable() -> None:
    async def scenario() -> None:
        replica, writer, commit = ReplicaClient("c1", "quickstart", "r1"), cast(Any, Writer()), SlowCommit()
        replica.attach(writer, (1, 1), 1)
        outputs = outputs_of(replica, writer, commit)
        collections = outputs.collections
        running = asyncio.create_task(outputs.run())
        reads = {id_: asyncio.create_task(collections.wait_until_readable((id_,), 5)) for id_ in "iv"}
        await asyncio.sleep(0)
        outputs.put(MOVED)
        await asyncio.wait_for(reads["i"], 10)
        assert replica.frontiers == {"i": 6}
        assert collections.frontier("v") == 0
        assert not reads["v"].done()
        commit.settled.set()
        await asyncio.wait_for(reads["v"], 10)
        assert replica.frontiers == {"v": 6, "i": 6}
        running.cancel()

    asyncio.run(scenario())


def test_the_last_words_of_an_old_connection_move_nothing() -> None:
    """The new attempt's index is not there yet: a read that believed them would miss rows."""

    async def scenario() -> None:
        replica = ReplicaClient("c1", "quickstart", "r1")
        old, new = cast(Any, Writer()), cast(Any, Writer())
        replica.attach(old, (1, 1), 1)
        outputs = outputs_of(replica, old, SlowCommit())
        replica.attach(new, (1, 2), 2)
        outputs.put(MOVED)
        await asyncio.wait_for(outputs.run(), 10)
        assert replica.frontiers == {}
        assert outputs.collections.frontier("i") == 0

    asyncio.run(scenario())
