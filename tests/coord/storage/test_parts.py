"""Rows that a transaction has written, before they have a time."""

from __future__ import annotations

from dataclasses import replace

import pytest
from ptvc.coord.storage.parts import held_bytes, known_count
from ptvc.coord.storage.storage import Storage
from ptvc.persist.pushdown import Comparison, Condition
from ptvc.persist.read import read_updates
from ptvc.replica.protocol import Updates

from .stored import SCHEMA, create, insert, persist_of, rows, run, values

LARGE = 100_000


@pytest.mark.parametrize(("count", "stored"), [(3, False), (LARGE, True)])
def test_rows_come_back_as_they_were_written(count: int, stored: bool) -> None:
    async def test(storage: Storage) -> None:
        parts = await storage.encode("t", SCHEMA, rows(*range(count)))
        assert [part.blob is not None for part in parts] == [stored]
        assert values(await storage.decode(parts, SCHEMA)) == [(value, 1) for value in range(count)]
        assert len(await storage.decode((), SCHEMA)) == 0

    run(test)


def test_a_part_takes_the_memory_of_what_it_carries() -> None:
    async def test(storage: Storage) -> None:
        small = await storage.encode("t", SCHEMA, rows(*range(2_000)))
        large = await storage.encode("t", SCHEMA, rows(*range(LARGE)))
        assert held_bytes([Updates("t", 0, 1, small)]) > 5_000
        assert held_bytes([Updates("t", 0, 1, large)]) < 5_000
        assert held_bytes([]) == 0

    run(test)


def test_a_snapshot_has_what_is_durable_and_what_the_transaction_has_written_at_its_time() -> None:
    async def test(storage: Storage) -> None:
        create(storage, "t")
        time = await insert(storage, "t", 1, 2)
        await insert(storage, "t", 3)
        written = await storage.encode("t", SCHEMA, rows(4))
        source = storage.snapshot(storage.collections.import_of("t", time), written)
        assert source.updates == ()
        found = read_updates(persist_of(storage).blob, source.snapshot, SCHEMA, 0, time + 1).oks
        assert values(found) == [(1, 1), (2, 1), (4, 1)]

    run(test)


def test_a_snapshot_leaves_out_the_parts_in_which_nothing_is_true_of_a_condition() -> None:
    async def test(storage: Storage) -> None:
        create(storage, "t")
        await insert(storage, "t", *range(LARGE))
        time = await insert(storage, "t", *range(LARGE, 2 * LARGE))
        source = storage.collections.import_of("t", time)
        above = (Condition(0, Comparison.GE, LARGE),)
        below = (Condition(0, Comparison.LT, 5),)
        assert len(storage.snapshot(source).snapshot) == 2
        (chosen,) = storage.snapshot(source, where=[above]).snapshot
        assert chosen.blob == source.snapshot[1].blob
        assert chosen.stats is None, "it was chosen by them already"
        assert len(storage.snapshot(source, where=[above, below]).snapshot) == 2

    run(test)


def test_a_count_is_known_without_reading_where_no_part_is_partly_later_or_in_error() -> None:
    async def test(storage: Storage) -> None:
        create(storage, "t")
        time = await insert(storage, "t", *range(LARGE))
        await insert(storage, "t", 1, 2, 3, removed=(4,))
        last = await insert(storage, "t", removed=(5, 6))
        written = await storage.encode("t", SCHEMA, rows(7, 8, 9).negate())

        def count(as_of: int) -> int | None:
            return known_count(storage.snapshot(storage.collections.import_of("t", as_of)))

        assert [count(time - 1), count(time), count(last)] == [0, LARGE, LARGE]
        source = storage.snapshot(storage.collections.import_of("t", last), written)
        assert known_count(source) == LARGE - 3
        first, *others = source.snapshot
        for changed in (
            replace(first, net=None),
            replace(first, errors=1),
            replace(first, min_time=last, max_time=last + 1),
        ):
            assert known_count(replace(source, snapshot=(changed, *others))) is None

    run(test)
