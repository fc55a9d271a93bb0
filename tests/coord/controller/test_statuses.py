"""Whom a failure concerns, and a recovery."""

from __future__ import annotations

import asyncio

import pytest
from ptvc.clock import ManualClock
from ptvc.coord.catalog.catalog import Catalog
from ptvc.coord.catalog.entries import Change
from ptvc.coord.catalog.items import MaterializedView
from ptvc.coord.controller.statuses import KEPT, Statuses
from ptvc.coord.storage.collections import Collections
from ptvc.coord.storage.oracle import Oracle
from ptvc.errors import ObjectNotReady
from ptvc.expr.tree.relation import Constant
from ptvc.persist.blob.memory import MemoryBlob
from ptvc.persist.client import PersistClient
from ptvc.persist.consensus.memory import MemoryConsensus
from ptvc.repr.schema import Schema

LAYERS = 60


class World:
    """Two views in each layer, which both read both of the layer below: there are 2 ** LAYERS ways up."""

    def __init__(self) -> None:
        self.clock = clock = ManualClock()
        persist = PersistClient(MemoryConsensus(), MemoryBlob(), clock)
        oracle = Oracle(clock, persist.mark())
        self.catalog = Catalog()
        self.collections = Collections(persist, oracle)
        below: tuple[str, ...] = ()
        self.layers: list[tuple[str, ...]] = []
        for layer in range(LAYERS):
            items = []
            for side in "ab":
                id_, oid = self.catalog.allocate()
                name = f"{side}{layer}"
                items.append(
                    MaterializedView(
                        id=id_,
                        oid=oid,
                        schema_name="public",
                        name=name,
                        schema=Schema(()),
                        relation=Constant((), Schema(())),
                        definition_sql="SELECT",
                        uses=below,
                        cluster="quickstart",
                        shard=id_,
                    )
                )
                persist.create_shard(id_, Schema(()))
                self.collections.add(id_, name, id_, Schema(()), timestamped=False)
            self.catalog.apply([Change(None, item) for item in items])
            below = tuple(item.id for item in items)
            self.layers.append(below)
        self.statuses = Statuses(self.catalog, self.collections, clock.now_ms)

    def failure(self, id: str) -> str | None:
        async def wait() -> str | None:
            waiting = asyncio.create_task(self.collections.wait_until_readable((id,), 10))
            await asyncio.sleep(0)
            if not waiting.done():
                waiting.cancel()
                return None
            error = waiting.exception()
            assert isinstance(error, ObjectNotReady)
            return error.message

        return asyncio.run(wait())


def test_what_is_maintained_from_it_fails_and_recovers_with_it() -> None:
    world = World()
    (a, b), (a1, _), top = world.layers[0], world.layers[1], world.layers[-1]
    world.statuses.set(a, "failed", "no space left")
    assert world.failure(a) == '"a0" is not maintained any more: no space left'
    assert world.failure(b) is None
    assert world.failure(a1) == '"a1" is not maintained any more: "a0", which it reads, failed: no space left'
    for id_ in top:
        assert "no space left" in (world.failure(id_) or "")
    world.statuses.set(a, "running", None)
    assert [world.failure(id_) for layer in world.layers for id_ in layer] == [None] * 2 * LAYERS


@pytest.mark.parametrize("order", [1, -1])
def test_what_has_failed_by_itself_stays_so_with_what_reads_it(order: int) -> None:
    world = World()
    (a, b), middle = world.layers[0], world.layers[LAYERS // 2]
    for id_ in (a, middle[0])[::order]:
        world.statuses.set(id_, "failed", f"{id_} is broken")
    assert world.failure(middle[0]) == f'"a{LAYERS // 2}" is not maintained any more: {middle[0]} is broken'
    world.statuses.set(a, "running", None)
    assert world.failure(b) is None
    assert world.failure(middle[1]) is None
    assert world.failure(middle[0]) is not None
    assert f"{middle[0]} is broken" in (world.failure(world.layers[-1][0]) or "")


def test_what_reads_two_that_have_failed_waits_for_both() -> None:
    world = World()
    (a, b), (_, top) = world.layers[0], world.layers[-1]
    world.statuses.set(a, "failed", "a is broken")
    world.statuses.set(b, "failed", "b is broken")
    world.statuses.set(a, "running", None)
    assert world.failure(a) is None
    assert "b is broken" in (world.failure(top) or "")
    world.statuses.set(b, "running", None)
    assert world.failure(top) is None


def test_a_status_that_is_reported_again_is_no_change() -> None:
    world = World()
    (a, _) = world.layers[0]
    reports = [
        ("running", None),
        ("stalled", "away"),
        ("stalled", "away"),
        ("stalled", "refused"),
        ("running", None),
    ]
    for state, reason in reports:
        world.clock.advance(1_000)
        world.statuses.set(a, state, reason)
    begin = world.clock.now_ms() - 5_000
    found = [(status.state, status.reason, status.since_ms - begin) for status in world.statuses.history(a)]
    assert found == [
        ("running", None, 1_000),
        ("stalled", "away", 2_000),
        ("stalled", "refused", 4_000),
        ("running", None, 5_000),
    ]
    assert world.statuses.get(a) == world.statuses.history(a)[-1]


def test_of_a_history_the_newest_part_is_kept() -> None:
    world = World()
    (a, _) = world.layers[0]
    for number in range(KEPT + 10):
        world.statuses.set(a, "stalled", str(number))
    assert [status.reason for status in world.statuses.history(a)] == [str(n) for n in range(10, KEPT + 10)]
    world.statuses.forget(a)
    assert not world.statuses.history(a)


def test_nothing_is_kept_of_what_was_dropped() -> None:
    world = World()
    world.statuses.set("u9999", "failed", "too late")
    assert world.statuses.get("u9999") is None
    assert not world.collections.any_failed
