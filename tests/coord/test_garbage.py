"""Full collections wait for statements that are being planned, but not for ever."""

from __future__ import annotations

import asyncio
import gc
import weakref
from collections.abc import Iterator
from typing import Any

import pytest
from ptvc.coord import garbage
from ptvc.coord.garbage import GarbageCollection


class Node:
    itself: Any = None


@pytest.fixture(autouse=True)
def by_hand() -> Iterator[None]:
    """Nothing else collects while a test runs."""
    gc.collect()
    gc.disable()
    yield
    gc.enable()


def old_cycle() -> weakref.ref[Node]:
    """One that collections of the younger objects do not find any more."""
    node = Node()
    node.itself = node
    gc.collect(1)
    return weakref.ref(node)


def make_due() -> None:
    for _ in range(garbage.DUE):
        gc.collect(1)


def test_it_collects_when_it_is_due() -> None:
    collection = GarbageCollection(lambda: False)
    found = old_cycle()
    assert not collection.look()
    make_due()
    assert found() is not None
    assert collection.look()
    assert found() is None


def test_it_waits_for_statements_that_are_being_planned(monkeypatch: pytest.MonkeyPatch) -> None:
    collection = GarbageCollection(lambda: True)
    make_due()
    assert not collection.look()
    monkeypatch.setattr(garbage, "PATIENCE_S", 0.0)
    assert collection.look()


def test_it_takes_a_small_part_of_the_time() -> None:
    collection = GarbageCollection(lambda: False)
    make_due()
    assert collection.look()
    make_due()
    assert not collection.look()


def test_python_itself_collects_the_younger_objects_only() -> None:
    before = gc.get_threshold()

    async def run() -> None:
        task = asyncio.get_running_loop().create_task(GarbageCollection().run())
        await asyncio.sleep(0)
        assert gc.get_threshold()[:2] == before[:2]
        assert gc.get_threshold()[2] > 1_000_000
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(run())
    assert gc.get_threshold() == before
