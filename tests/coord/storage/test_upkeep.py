"""Upkeep: read frontiers move, batches are merged, here or by a job, and what nobody needs goes."""

from __future__ import annotations

from collections.abc import Set as AbstractSet

from ptvc.coord.storage.storage import Storage
from ptvc.coord.storage.upkeep import LargeMerge
from ptvc.persist.read import read_snapshot, read_updates
from ptvc.persist.write import write_parts
from ptvc.repr.batch import NO_ERRORS, Batch, Delta
from ptvc.repr.consolidate import advance, consolidate

from .stored import SCHEMA, create, insert, persist_of, rows, run, values

MUCH = 1 << 40


async def compact(
    storage: Storage,
    since: int,
    most_bytes: int = MUCH,
    waiting: AbstractSet[str] = frozenset(),
    busy: LargeMerge | None = None,
) -> dict[str, LargeMerge | None]:
    readable = {collection.id: since for collection in storage.collections.all()}
    return await storage.compact(readable, (), waiting, busy, most_bytes)


async def filled(storage: Storage, batches: int = 20) -> int:
    """When the last of some batches of the table `t` was written."""
    create(storage, "t")
    return [await insert(storage, "t", value) for value in range(batches)][-1]


def contents(storage: Storage, time: int) -> list[tuple[int, int]]:
    return values(read_snapshot(persist_of(storage).blob, persist_of(storage).snapshot("t", time)).oks)


def test_history_that_nobody_reads_goes_and_batches_are_merged() -> None:
    async def test(storage: Storage) -> None:
        time = await filled(storage)
        assert storage.held_at("t") is None
        assert await compact(storage, time) == {"t": None}
        assert storage.held_at("t") == storage.frontiers("t").since == time
        assert len(storage.collections.import_of("t", time).snapshot) < 20
        assert contents(storage, time) == [(value, 1) for value in range(20)]

    run(test)


def test_a_collection_stays_readable_at_its_last_durable_time() -> None:
    async def test(storage: Storage) -> None:
        time = await filled(storage, 2)
        await compact(storage, time + 1_000)
        assert storage.frontiers("t").since == time

    run(test)


def test_a_merge_of_too_many_bytes_is_left_to_a_job() -> None:
    async def test(storage: Storage) -> None:
        time = await filled(storage)
        found = await compact(storage, time, most_bytes=0)
        large = found["t"]
        assert large is not None
        source = large.source
        assert source.id == "t"
        assert source.as_of == time
        assert await compact(storage, time, busy=large, waiting={"t"}) == {}, "a job merges its batches"
        blob = persist_of(storage).blob
        merged = read_updates(blob, source.snapshot, SCHEMA, 0, source.upper).oks
        delta = Delta(consolidate(advance(merged, source.as_of)), NO_ERRORS)
        parts = write_parts(blob, "t", SCHEMA, delta, writer="job")
        assert await storage.replace_merged(large, parts)
        assert contents(storage, time) == [(value, 1) for value in range(20)]
        persist_of(storage).drop_shard("t", epoch=storage.epoch)
        assert not await storage.replace_merged(large, parts), "the shard is gone"

    run(test)


def test_blobs_of_writers_that_are_gone_are_deleted() -> None:
    async def test(storage: Storage) -> None:
        create(storage, "t")
        await storage.encode("t", SCHEMA, _many())
        blob = persist_of(storage).blob
        for writer in ("alive", "gone"):
            write_parts(blob, "t", SCHEMA, Delta(_many(), NO_ERRORS), writer=writer)
        assert len(list(blob.keys())) == 3
        await storage.collect_garbage(0, lambda: {"alive", storage.writer})
        assert len(list(blob.keys())) == 2

    run(test)


def _many() -> Batch:
    return rows(*range(100_000))
