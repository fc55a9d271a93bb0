"""The difference between two collections against the sets that they hold."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest
from ptvc.coord.storage.storage import Storage
from ptvc.persist.read import read_updates

from .stored import SCHEMA, create, insert, persist_of, run


@pytest.mark.parametrize("seed", range(10))
def test_the_difference_makes_the_one_into_the_other(seed: int) -> None:
    random = Random(seed)
    held: dict[str, Counter[int]] = {"new": Counter(), "old": Counter()}

    async def change(storage: Storage, name: str) -> int:
        inserted = [random.randrange(5) for _ in range(random.randrange(4))]
        removed = [value for value in held[name] if held[name][value] and random.random() < 0.3]
        held[name].update(inserted)
        held[name].subtract(removed)
        return await insert(storage, name, *inserted, removed=tuple(removed))

    async def test(storage: Storage) -> None:
        create(storage, "new", "old")
        for name in ("new", "old") * 3:
            before = await change(storage, name)
        sides = [storage.collections.import_of(name, before) for name in ("new", "old")]
        known = await storage.difference(sides[0], sides[1], SCHEMA)
        for name in ("new", "old") * 2:
            await change(storage, name)
        storage.tick()
        time = storage.oracle.closed + 10
        sides = [storage.collections.import_of(name, before) for name in ("new", "old")]
        parts = await storage.write_difference("old", SCHEMA, known, sides[0], sides[1], time)
        found = read_updates(persist_of(storage).blob, parts, SCHEMA, 0, time + 1).oks
        assert set(found.times.tolist()) <= {time}
        assert (found.diffs != 0).all()
        for value, diff in zip(found.columns[0].to_pylist(), found.diffs.tolist(), strict=True):
            held["old"][value] += diff
        assert +held["old"] == +held["new"]

    run(test)
