"""Storage over stores in memory, with collections that have no catalog."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

from ptvc.clock import ManualClock
from ptvc.coord.storage.storage import Storage
from ptvc.persist.blob.memory import MemoryBlob
from ptvc.persist.client import PersistClient
from ptvc.persist.consensus.memory import MemoryConsensus
from ptvc.persist.location import Location
from ptvc.persist.stores import Stores
from ptvc.repr.batch import Batch, batch_from_rows
from ptvc.repr.schema import Column, Schema
from ptvc.repr.types import INT4
from ptvc.supervision import Supervisor

SCHEMA = Schema((Column("a", INT4),))


def persist_of(storage: Storage) -> PersistClient:
    return storage._persist


def rows(*values: int) -> Batch:
    return batch_from_rows(SCHEMA, [(value,) for value in values], 0)


def values(batch: Batch) -> list[tuple[int, int]]:
    """Values with their multiplicities, in order."""
    return sorted(zip(batch.columns[0].to_pylist(), batch.diffs.tolist(), strict=True))


def create(storage: Storage, *names: str) -> None:
    """Tables, which are their own shards."""
    for name in names:
        persist_of(storage).create_shard(name, SCHEMA, epoch=storage.epoch)
        storage.collections.add(name, name, name, SCHEMA, timestamped=True)


async def insert(storage: Storage, table: str, *inserted: int, removed: tuple[int, ...] = ()) -> int:
    """At which time the rows are durable."""
    parts = await storage.encode(table, SCHEMA, rows(*inserted))
    if removed:
        parts += await storage.encode(table, SCHEMA, rows(*removed).negate())
    time = await storage.write({table: parts}, {}, {}, frozenset(), lambda: True)
    assert isinstance(time, int)
    return time


@asynccontextmanager
async def opened() -> AsyncIterator[Storage]:
    storage = Storage(Stores(Location(), MemoryConsensus(), MemoryBlob()), ManualClock())
    storage.load_catalog()
    failures: list[BaseException] = []
    supervisor = Supervisor(lambda name, error: failures.append(error))
    storage.start(supervisor, lambda updates: None, lambda: None)
    yield storage
    await storage.stop()
    await supervisor.stop()
    storage.close()
    assert not failures


def run(test: Callable[[Storage], Awaitable[None]]) -> None:
    async def main() -> None:
        async with asyncio.timeout(120), opened() as storage:
            await test(storage)

    asyncio.run(main())
