"""What becomes of a replica's outputs, with a commit that takes as long as the test wants."""

from __future__ import annotations

import asyncio
from typing import Any, cast

import pytest
from ptvc.clock import ManualClock
from ptvc.coord.controller import output_commits
from ptvc.coord.controller.checkpoints import Checkpoints
from ptvc.coord.controller.output_commits import Outputs
from ptvc.coord.controller.replicas import ReplicaClient
from ptvc.coord.storage.collections import Collections
from ptvc.coord.storage.oracle import Oracle
from ptvc.coord.storage.storage import Storage
from ptvc.errors import PtvcError, StorageError
from ptvc.persist.blob.memory import MemoryBlob
from ptvc.persist.client import PersistClient
from ptvc.persist.consensus.memory import MemoryConsensus
from ptvc.persist.write import write_parts
from ptvc.replica.protocol import Append, Outbox, Updates
from ptvc.repr.batch import NO_ERRORS, Delta, batch_from_rows
from ptvc.repr.schema import Column, Schema
from ptvc.repr.types import INT4

SCHEMA = Schema((Column("a", INT4),))


class Writer:
    def write(self, data: bytes) -> None: ...

    def close(self) -> None: ...


class SlowStorage:
    """Commits when `settled` is set, or fails with `error`."""

    def __init__(self) -> None:
        self.settled = asyncio.Event()
        self.error: PtvcError | None = None
        clock = ManualClock()
        persist = PersistClient(MemoryConsensus(), MemoryBlob(), clock)
        persist.create_shard("v", SCHEMA, epoch=persist.take_epoch("coordinator"))
        self.collections = Collections(persist, Oracle(clock, 0))
        self.collections.add("v", "v", "v", SCHEMA, timestamped=False)
        self.collections.add_unstored("i", "i")

    async def append(self, updates: tuple[Updates, ...]) -> int:
        await self.settled.wait()
        if self.error is not None:
            raise self.error
        return 0


def outputs_of(replica: ReplicaClient, writer: Any, storage: SlowStorage) -> Outputs:
    """Of a connection of the replica, with a view `v` and an index `i`."""
    return Outputs(
        replica,
        writer,
        cast(Storage, storage),
        cast(Checkpoints, None),
        lambda uppers: None,
        lambda work: None,
    )


MOVED = Append((Updates("v", 0, 6, ()),), (("v", 6), ("i", 6)))


def test_an_index_is_readable_before_the_views_of_its_step_are_durable() -> None:
    async def scenario() -> None:
        replica, writer, storage = ReplicaClient("c1", "quickstart", "r1"), cast(Any, Writer()), SlowStorage()
        replica.attach(Outbox(writer, lambda work: work.close()), (1, 1), 1)
        outputs = outputs_of(replica, writer, storage)
        collections = storage.collections
        running = asyncio.create_task(outputs.run())
        reads = {id_: asyncio.create_task(collections.wait_until_readable((id_,), 5)) for id_ in "iv"}
        await asyncio.sleep(0)
        await outputs.put(MOVED)
        await asyncio.wait_for(reads["i"], 10)
        assert replica.frontiers == {"i": 6}
        assert collections.frontier("v") == 0
        assert not reads["v"].done()
        storage.settled.set()
        await asyncio.wait_for(reads["v"], 10)
        assert replica.frontiers == {"v": 6, "i": 6}
        running.cancel()

    asyncio.run(scenario())


def test_the_last_words_of_an_old_connection_move_nothing() -> None:
    """The new attempt's index is not there yet: a read that believed them would miss rows."""

    async def scenario() -> None:
        replica = ReplicaClient("c1", "quickstart", "r1")
        old, new = cast(Any, Writer()), cast(Any, Writer())
        replica.attach(Outbox(old, lambda work: work.close()), (1, 1), 1)
        storage = SlowStorage()
        outputs = outputs_of(replica, old, storage)
        replica.attach(Outbox(new, lambda work: work.close()), (1, 2), 2)
        await outputs.put(MOVED)
        await asyncio.wait_for(outputs.run(), 10)
        assert replica.frontiers == {}
        assert storage.collections.frontier("i") == 0

    asyncio.run(scenario())


def append(upper: int) -> Append:
    """A row of `v` just below `upper`."""
    delta = Delta(batch_from_rows(SCHEMA, [(upper,)], upper - 1), NO_ERRORS)
    parts = write_parts(MemoryBlob(), "v", SCHEMA, delta, writer="replica")
    return Append((Updates("v", upper - 1, upper, parts),), (("v", upper),))


@pytest.mark.parametrize("error", [None, StorageError("the store is away")])
def test_a_replica_is_not_read_from_while_too_much_of_it_is_not_durable(
    monkeypatch: pytest.MonkeyPatch, error: PtvcError | None
) -> None:
    """Until it is, or cannot be: then the connection is closed, and nobody waits for ever."""
    monkeypatch.setattr(output_commits, "MOST_WAITING_BYTES", 5_000)

    async def scenario() -> None:
        replica, writer, storage = ReplicaClient("c1", "quickstart", "r1"), cast(Any, Writer()), SlowStorage()
        storage.error = error
        replica.attach(Outbox(writer, lambda work: work.close()), (1, 1), 1)
        outputs = outputs_of(replica, writer, storage)
        running = asyncio.create_task(outputs.run())
        taken = 0

        async def read() -> None:
            nonlocal taken
            for upper in range(1, 101):
                await outputs.put(append(upper))
                taken += 1

        reading = asyncio.create_task(read())
        for _ in range(300):
            await asyncio.sleep(0)
        assert 1 <= taken < 10
        storage.settled.set()
        await asyncio.wait_for(reading, 10)
        assert taken == 100
        if error is not None:
            await asyncio.wait_for(running, 10)
        running.cancel()

    asyncio.run(scenario())
