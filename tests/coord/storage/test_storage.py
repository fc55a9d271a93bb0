"""What the rest of the coordinator asks of storage."""

from __future__ import annotations

import asyncio

import pytest
from ptvc.clock import ManualClock
from ptvc.coord.storage.remap import REMAP_SCHEMA
from ptvc.coord.storage.storage import Storage
from ptvc.errors import Fenced, SerializationFailure, UndefinedTable
from ptvc.persist.blob.memory import MemoryBlob
from ptvc.persist.consensus.memory import MemoryConsensus
from ptvc.persist.location import Location
from ptvc.persist.stores import Stores

from .stored import SCHEMA, create, insert, persist_of, rows, run


def create_remap(storage: Storage, shard: str) -> None:
    persist_of(storage).create_shard(shard, REMAP_SCHEMA, epoch=storage.epoch)


def test_a_source_s_rows_and_its_position_are_one_transaction() -> None:
    async def test(storage: Storage) -> None:
        create(storage, "t")
        create_remap(storage, "r")
        assert storage.position("r") is None
        for position in ("10", "20"):
            parts = await storage.encode("t", SCHEMA, rows(1))
            time = await storage.ingest({"t": parts}, "r", position, lambda: True)
            assert storage.position("r") == position
            assert storage.frontiers("r").upper == storage.frontiers("t").upper == time + 1

    run(test)


def test_all_outputs_of_a_source_are_written_at_one_time() -> None:
    async def test(storage: Storage) -> None:
        create(storage, "t", "u", "untouched")
        create_remap(storage, "r")
        parts = {name: await storage.encode(name, SCHEMA, rows(1)) for name in ("t", "u")}
        time = await storage.ingest(parts, "r", "10", lambda: True)
        assert {storage.frontiers(shard).upper for shard in ("r", "t", "u")} == {time + 1}
        assert storage.frontiers("untouched").upper < time
        # One of them is gone: nothing of the transaction is durable.
        storage.collections.remove("u")
        with pytest.raises(UndefinedTable):
            await storage.ingest(parts, "r", "20", lambda: True)
        assert storage.position("r") == "10"
        assert storage.frontiers("t").upper == time + 1

    run(test)


def test_what_a_replica_has_read_that_was_replaced_before_the_commit_s_turn_is_not_committed() -> None:
    async def test(storage: Storage) -> None:
        create(storage, "t")
        create_remap(storage, "r")
        parts = await storage.encode("t", SCHEMA, rows(1))
        owned = [True]
        reading = asyncio.ensure_future(storage.ingest({"t": parts}, "r", "10", lambda: owned[0]))
        await asyncio.sleep(0)
        owned[0] = False
        await storage.drained()
        with pytest.raises(SerializationFailure):
            await reading
        assert storage.position("r") is None

    run(test)


def test_positions_that_are_recorded_already_cost_nothing() -> None:
    async def test(storage: Storage) -> None:
        create_remap(storage, "r")
        create_remap(storage, "q")
        await storage.record(lambda: {"r": "1", "q": "1"})
        before = storage.frontiers("q").upper
        await storage.record(lambda: {"r": "2", "q": "1"})
        assert (storage.position("r"), storage.position("q")) == ("2", "1")
        assert storage.frontiers("q").upper == before
        after = storage.frontiers("r").upper
        await storage.record(lambda: {"r": "2", "q": "1"})
        assert storage.frontiers("r").upper == after

    run(test)


def test_positions_that_are_recorded_at_one_time_take_each_other_s_place() -> None:
    """The later one is what it is when the first one is durable."""

    async def test(storage: Storage) -> None:
        create_remap(storage, "r")
        reached = iter(("1", "2"))
        await asyncio.gather(*(storage.record(lambda: {"r": next(reached)}) for _ in range(2)))
        assert storage.position("r") == "2"
        storage._remap.forget("r")  # as a restart does
        assert storage.position("r") == "2"

    run(test)


def test_inputs_are_held_until_every_reader_has_let_go() -> None:
    async def test(storage: Storage) -> None:
        create(storage, "t")
        first = await insert(storage, "t", 1)
        last = await insert(storage, "t", 2)
        source = storage.collections.import_of("t", first)
        for reader in ("r1", "r2"):
            await storage.hold(reader, "v", (source,))
        everything = {"t": last}
        since = storage.frontiers("t").since
        await storage.compact(everything, (), set(), None, 0)
        storage.release("r1", "v")
        await storage.hold("r3", "other", ())  # behind the release, as one thread does both
        assert persist_of(storage).state("t").since == since
        storage.release("r2", "v")
        await storage.hold("r3", "other", ())
        assert persist_of(storage).state("t").since == last

    run(test)


def test_who_takes_the_environment_over_fences_the_one_before() -> None:
    stores = Stores(Location(), MemoryConsensus(), MemoryBlob())
    first = Storage(stores, ManualClock())
    first.load_catalog()
    second = Storage(stores, ManualClock())
    assert second.epoch == first.epoch + 1
    assert second.oracle.read_time >= first.oracle.mark
    with pytest.raises(Fenced):
        persist_of(first).raise_mark(1 << 50, first.epoch)


def test_shards_that_nothing_names_are_dropped_at_the_start() -> None:
    stores = Stores(Location(), MemoryConsensus(), MemoryBlob())
    first = Storage(stores, ManualClock())
    first.load_catalog()
    create(first, "u7")
    second = Storage(stores, ManualClock())
    catalog = second.load_catalog()
    left = {state.id for state in persist_of(second).shards()}
    assert left == {"catalog", "audit-definitions", "audit-logins"}
    assert catalog.allocate()[0] == "u8", "ids are not used again"


def test_what_was_accepted_is_settled_when_it_stops() -> None:
    async def test(storage: Storage) -> None:
        create(storage, "t")
        writing = asyncio.create_task(insert(storage, "t", 1))
        while not storage._commit._pending:
            await asyncio.sleep(0)
        await storage.stop()
        assert writing.done()
        assert storage.collections["t"].last_write == await writing

    run(test)
