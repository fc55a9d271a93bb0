"""What a client remembers of a shard is what the store had at some moment, however commits and readers take turns."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import combinations_with_replacement
from types import TracebackType
from typing import TypeVar

import pytest
from persist_support import SCHEMA, delta_of
from ptvc.errors import UndefinedObject
from ptvc.persist.blob.memory import MemoryBlob
from ptvc.persist.cache import ShardCache
from ptvc.persist.consensus.base import Committed, Transaction
from ptvc.persist.consensus.memory import MemoryConsensus
from ptvc.persist.invariants import InvariantViolation
from ptvc.persist.state import Change, Head, Hold, ShardBatch, Write, appended, created, held, merged
from ptvc.persist.write import write_parts

T = TypeVar("T")

SHARD = "s"
BLOB = MemoryBlob()

Make = Callable[[Head, list[ShardBatch]], Change]
"""A change of the shard as it is."""


def appending(head: Head, _: list[ShardBatch]) -> Change:
    time = head.upper
    parts = write_parts(BLOB, SHARD, SCHEMA, delta_of([((time, "a"), time, 1)]), writer="w")
    return appended(head, Write(time, time + 1, parts))


def holding(head: Head, _: list[ShardBatch]) -> Change:
    return held(head, Hold(SHARD, "h", head.since, True, None, 0))


def merging(head: Head, batches: list[ShardBatch]) -> Change:
    chosen = tuple(batches[-2:])
    return merged(head, chosen, head.since, tuple(part for batch in chosen for part in batch.parts))


CHANGES: dict[str, Make] = {"append": appending, "hold": holding, "merge": merging}


class Store(MemoryConsensus):
    """Calls `turn` before it is read, and with `finely` after it as well; remembers all states that it was in."""

    def __init__(self) -> None:
        super().__init__()
        self.turn: Callable[[], None] = lambda: None
        self.finely = False
        self.states: dict[int, tuple[Head, list[ShardBatch]]] = {}

    def change_count(self) -> int:
        return self._between(super().change_count)

    def version(self, shard: str) -> int | None:
        return self._between(lambda: MemoryConsensus.version(self, shard))

    def head(self, shard: str) -> Head | None:
        return self._between(lambda: MemoryConsensus.head(self, shard))

    def batches(self, shard: str, after_version: int) -> tuple[Head, list[ShardBatch]] | None:
        return self._between(lambda: MemoryConsensus.batches(self, shard, after_version))

    def _between(self, read: Callable[[], T]) -> T:
        self.turn()
        found = read()
        if self.finely:
            self.turn()
        return found

    def write(self, make: Make | None) -> Change:
        found = MemoryConsensus.batches(self, SHARD, 0)
        if make is None:
            change = created(SHARD, SCHEMA, 0)
        else:
            assert found is not None
            change = make(*found)
        assert isinstance(self.commit(Transaction((change,))), Committed)
        now = MemoryConsensus.batches(self, SHARD, 0)
        assert now is not None
        self.states[now[0].version] = now
        return change


@dataclass
class Turns:
    """The lock of what is remembered: another thread may run before it is taken, and with `finely` after it is let go."""

    inner: object
    turn: Callable[[], None]
    finely: bool

    def __enter__(self) -> None:
        self.turn()
        self.inner.__enter__()  # type: ignore[attr-defined]

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        self.inner.__exit__(kind, error, where)  # type: ignore[attr-defined]
        if self.finely:
            self.turn()


@dataclass
class Race:
    """A reader asks `cache` for all batches, and at its n-th turn the writer makes the steps that are to be made there:
    a commit becomes durable in one, and is taken in by the cache in a later one."""

    places: tuple[int, ...]
    steps: list[Callable[[], None]]
    turns: int = 0
    busy: bool = field(default=False)

    def turn(self) -> None:
        if self.busy:  # the writer's own use of the store and of the lock
            return
        self.busy = True
        while self.places and self.places[0] <= self.turns:
            self.places = self.places[1:]
            self.steps.pop(0)()
        self.turns += 1
        self.busy = False


def remembered_is_a_state(store: Store, cache: ShardCache, least: int = 0) -> None:
    try:
        head, batches = cache.remembered_between(SHARD, 0, None)
    except UndefinedObject:
        return  # nothing is said yet
    assert head.version >= least
    assert (head, batches) == store.states[head.version]


def raced(knows: str, changes: tuple[Make, ...], own: bool, places: tuple[int, ...]) -> int:
    """Returns how many turns the reader had.  `own`: the commits are those of the cache's client."""
    store = Store()
    cache = ShardCache(store)
    todo: list[Make | None] = [*changes]
    if knows == "unborn":
        todo = [None, *changes]
    else:
        for make in (None, appending, appending, appending):
            store.write(make)
        if knows == "head":
            cache.current(SHARD)
        elif knows == "batches":
            cache.batches(SHARD)
            if not own:
                store.write(appending)
    steps: list[Callable[[], None]] = []
    for make in todo:
        durable: list[Change] = []

        def commit(make: Make | None = make, durable: list[Change] = durable) -> None:
            durable.append(store.write(make))
            remembered_is_a_state(store, cache)

        def take_in(durable: list[Change] = durable) -> None:
            cache.apply(durable[0])
            remembered_is_a_state(store, cache, least=durable[0].after.version)

        steps += [commit, take_in] if own else [commit]
    race = Race(places, steps)
    store.turn, store.finely = race.turn, len(steps) <= 2
    cache._lock = Turns(cache._lock, race.turn, store.finely)  # type: ignore[assignment]
    try:
        cache.batches(SHARD)
    except UndefinedObject:
        assert knows == "unborn"
    remembered_is_a_state(store, cache)
    race.busy = True
    for step in race.steps:
        step()
    assert cache.batches(SHARD) == store.states[max(store.states)]
    return race.turns


def all_races(knows: str, changes: tuple[Make, ...], own: bool) -> Iterator[tuple[int, ...]]:
    steps = (len(changes) + (knows == "unborn")) * (2 if own else 1)
    most = raced(knows, changes, own, (0,) * steps)
    most = max(most, raced(knows, changes, own, (1 << 30,) * steps)) + 4  # a fetch may have to be made again
    return combinations_with_replacement(range(most), steps)


@pytest.mark.parametrize("own", [True, False], ids=["own", "foreign"])
@pytest.mark.parametrize("knows", ["nothing", "head", "batches"])
@pytest.mark.parametrize("change", CHANGES)
def test_one_commit_beside_a_reader(change: str, knows: str, own: bool) -> None:
    changes = (CHANGES[change],)
    for places in all_races(knows, changes, own):
        raced(knows, changes, own, places)


@pytest.mark.parametrize("second", CHANGES)
@pytest.mark.parametrize("first", CHANGES)
def test_two_commits_beside_a_reader(first: str, second: str) -> None:
    changes = (CHANGES[first], CHANGES[second])
    for places in all_races("batches", changes, True):
        raced("batches", changes, True, places)


def test_a_shard_is_created_beside_a_reader() -> None:
    for places in all_races("unborn", (appending,), True):
        raced("unborn", (appending,), True, places)


def test_batches_that_overlap_are_refused() -> None:
    """As if the store gave once more what is known."""
    store = Store()
    cache = ShardCache(store)
    for make in (None, appending):
        store.write(make)
    cache.batches(SHARD)
    store.write(appending)
    whole = MemoryConsensus.batches(store, SHARD, 0)
    store.batches = lambda shard, after_version: whole  # type: ignore[method-assign]
    with pytest.raises(InvariantViolation, match="overlap"):
        cache.batches(SHARD)
