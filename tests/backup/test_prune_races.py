"""Backups and removals of old ones that get in each other's way at any point, are killed there or stand still, in a place like S3."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from random import Random

import pytest
from backup_support import World
from ptvc.backup.copies import blob_of, copies
from ptvc.backup.copying import parts_in_blobs
from ptvc.backup.marks import KILLED_MS, folders
from ptvc.backup.place import Place
from ptvc.backup.prune import prune
from ptvc.backup.take import take
from ptvc.clock import ManualClock
from ptvc.errors import StorageError
from ptvc.persist.blob.base import Blob
from ptvc.persist.blob.memory import MemoryBlob
from ptvc.persist.codec import checksum
from ptvc.persist.consensus.sqlite import SqliteConsensus
from ptvc.persist.part import BlobKey


class Killed(BaseException):
    """The process is no more."""


class Point:
    """Of what a process does to its place, that which is number `at`.  Before it something happens, on the process's own time; with
    Killed nothing more is done by it."""

    def __init__(self, at: int, before: Callable[[], None]) -> None:
        self._left = at
        self._before = before
        self._lock = threading.RLock()
        self._dead = False
        self.reached = False

    def passed(self) -> None:
        with self._lock:
            if self._dead:
                raise Killed
            self._left -= 1
            if self._left == -1:
                self.reached = True
                try:
                    self._before()
                except Killed:
                    self._dead = True
                    raise


@dataclass
class Steps:
    """A blob store as one process uses it, step by step."""

    inner: Blob
    point: Point

    def put(self, key: BlobKey, data: bytes) -> None:
        self.point.passed()
        self.inner.put(key, data)

    def get(self, key: BlobKey) -> bytes:
        self.point.passed()
        return self.inner.get(key)

    def delete(self, key: BlobKey) -> None:
        self.point.passed()
        self.inner.delete(key)

    def keys(self) -> Iterator[BlobKey]:
        self.point.passed()
        return self.inner.keys()

    def owner(self) -> int | None:
        return self.inner.owner()

    def claim(self, identity: int) -> int:
        return self.inner.claim(identity)


def by_steps(place: Place, point: Point) -> Place:
    return replace(place, blobs=Steps(place.blobs, point), files=Steps(place.files, point))


def killed() -> None:
    raise Killed


def cloned(place: Place) -> Place:
    def clone(blob: Blob) -> MemoryBlob:
        new = MemoryBlob()
        for key in blob.keys():  # noqa: SIM118
            new.put(key, blob.get(key))
        if (owner := blob.owner()) is not None:
            new.claim(owner)
        return new

    return replace(place, blobs=clone(place.blobs), files=clone(place.files))


class Scene:
    """Backups of an environment whose blobs are merged in between; of the last state a killed one has left copies."""

    def __init__(self, world: World, directory: Path) -> None:
        self.world = world
        self._directory = directory
        self._numbers = count()
        self._place = Place("s3://bucket/backups", MemoryBlob(), MemoryBlob())
        world.begin()
        for _ in range(3):
            self._change()
            take(world.stores, self._place, world.clock)
        self._change()
        with pytest.raises(Killed):
            take(world.stores, by_steps(self._place, Point(5, killed)), world.clock)
        assert len(folders(self._place.files)) == 4
        self.world.clock.advance(1000)

    def _change(self) -> None:
        self.world.clock.advance(1000)
        self.world.move()
        self.world.merge()
        self.world.move()

    def place(self) -> Place:
        """As it was at the beginning."""
        return cloned(self._place)

    def take(self, place: Place) -> str:
        self.world.clock.advance(1)
        return take(self.world.stores, place, self.world.clock).manifest.name

    def prune(self, place: Place, keep: int, *, later: int = 2) -> tuple[str, ...]:
        """So many days `later`; all that was killed before was so for a day at most.  Returns the others that kept it from going on."""
        return prune(place, keep, ManualClock(self.world.clock.now_ms() + later * KILLED_MS)).others

    def needed(self, place: Place, name: str) -> set[BlobKey]:
        """The blobs of a backup, each of which has a copy that is what was written."""
        path = self._directory / f"{next(self._numbers)}.sqlite"
        place.fetch(place.manifest(name), path)
        known = copies(place.blobs)
        with closing(SqliteConsensus(path)) as copy:
            parts = list(parts_in_blobs(copy))
        for part in parts:
            assert part.blob is not None
            for key in known[part.blob]:
                assert checksum(place.blobs.get(key)) == part.checksum
        return {part.blob for part in parts if part.blob is not None}

    def check(self, place: Place, *there: str) -> None:
        """What is whole is so, and these are."""
        names = place.complete()
        assert set(there) <= set(names)
        for name in names:
            self.needed(place, name)

    def settled(self, place: Place, keep: int, *there: str) -> None:
        """After all that was killed, one removal leaves nothing but the newest backups and marks."""
        assert self.prune(place, keep, later=4) == ()
        self.check(place, *there)
        names = place.complete()
        assert len(names) == keep
        needed = set().union(*(self.needed(place, name) for name in names))
        assert {blob_of(key) for key in place.blobs.keys()} == needed  # noqa: SIM118
        for folder in folders(place.files):
            if folder.name not in names:
                marks = {*folder.begun, "manifest.json", "void.json", "decision.json"}
                assert folder.files <= marks, folder
                assert "manifest.json" not in folder.files or folder.void


@pytest.fixture
def scene(world: World, tmp_path: Path) -> Scene:
    return Scene(world, tmp_path)


def points(
    before: Callable[[Place], Callable[[], None]], scene: Scene
) -> Iterator[tuple[Place, Place, Point]]:
    """The place, the same step by step, and the point; each point of what is done with it, until there is none any more."""
    for at in count():
        place = scene.place()
        point = Point(at, before(place))
        yield place, by_steps(place, point), point
        if not point.reached:
            assert at > 7, "all that is done was a point"
            return


def test_a_backup_is_killed(scene: Scene) -> None:
    """Then it is none, and nothing is lost; or it is one."""
    for place, steps, point in points(lambda place: killed, scene):
        before = place.complete()
        try:
            scene.take(steps)
        except Killed:
            assert point.reached
        scene.check(place, *before)
        scene.prune(place, 1, later=0)
        scene.check(place, before[-1])
        newest = scene.take(place)
        scene.check(place, newest)
        scene.settled(place, 1, newest)


def test_a_removal_is_killed(scene: Scene) -> None:
    for place, steps, point in points(lambda place: killed, scene):
        before = place.complete()
        try:
            scene.prune(steps, 2)
        except Killed:
            assert point.reached
        scene.check(place, *before[-2:])
        first = scene.take(place)
        scene.check(place, first, *before[-2:])
        scene.prune(place, 2, later=0)
        scene.check(place, first, before[-1])
        newest = scene.take(place)
        scene.settled(place, 2, first, newest)


@pytest.mark.parametrize("later", [0, 2])
def test_a_removal_while_a_backup_stands_still(scene: Scene, later: int) -> None:
    """Nothing goes while it may be alive; one that was taken for killed finds that it has failed."""

    def meanwhile(place: Place) -> Callable[[], None]:
        def happens() -> None:
            newest = place.complete()[-1]
            scene.prune(place, 1, later=later)
            scene.check(place, newest)

        return happens

    for place, steps, _ in points(meanwhile, scene):
        before = place.complete()
        try:
            name = scene.take(steps)
        except StorageError as error:
            if not later or "was given up" not in error.message:
                raise
            name = before[-1]
        scene.check(place, name)
        newest = scene.take(place)
        scene.settled(place, 1, newest)


@pytest.mark.parametrize("more", [False, True])
def test_a_backup_while_a_removal_stands_still(scene: Scene, more: bool) -> None:
    """It needs copies that a killed one has left, which are about to go; with `more` removals that take the first for killed, or not."""
    taken: list[str] = []

    def meanwhile(place: Place) -> Callable[[], None]:
        def happens() -> None:
            if more:
                scene.prune(place, 3, later=0)
            taken.append(scene.take(place))
            if more:
                scene.prune(place, 3)
                taken.append(scene.take(place))
            scene.check(place, *taken)

        return happens

    for place, steps, _ in points(meanwhile, scene):
        taken.clear()
        scene.prune(steps, 1)
        scene.check(place, *taken[-1:])
        newest = scene.take(place)
        scene.check(place, newest, *taken[-1:])
        scene.settled(place, 1, newest)


@pytest.mark.parametrize("at", [3, 4])
def test_a_backup_while_a_removal_that_was_given_up_stands_still(scene: Scene, at: int) -> None:
    """By another one, which was killed at some point then: what the first was to remove may be needed."""
    taken: list[str] = []

    def meanwhile(place: Place) -> Callable[[], None]:
        def happens() -> None:
            with suppress(Killed):
                scene.prune(by_steps(place, Point(at, killed)), 1, later=4)
            taken.append(scene.take(place))

        return happens

    for place, steps, _ in points(meanwhile, scene):
        taken.clear()
        scene.prune(steps, 1)
        scene.check(place, *taken)
        newest = scene.take(place)
        scene.settled(place, 1, newest)


def test_two_removals_at_once(scene: Scene) -> None:
    def meanwhile(place: Place) -> Callable[[], None]:
        def happens() -> None:
            scene.prune(place, 1)
            scene.prune(place, 1, later=0)

        return happens

    for place, steps, _ in points(meanwhile, scene):
        kept = place.complete()[-1]
        scene.prune(steps, 2)
        scene.check(place, kept)
        scene.settled(place, 1, kept)


@pytest.mark.parametrize("seed", range(8))
def test_many_at_once(scene: Scene, seed: int) -> None:
    """One stands still while another one does, and so on, or is killed; the last ones go on first."""
    random = Random(seed)

    def happen(place: Place, depth: int) -> None:
        for _ in range(random.randrange(1, 3)):
            inner = killed if depth == 3 or random.random() < 0.2 else lambda: happen(place, depth + 1)
            steps = by_steps(place, Point(random.randrange(20), inner))
            with suppress(Killed):
                if random.random() < 0.5:
                    scene.prune(steps, random.randrange(1, 4), later=random.randrange(3))
                    continue
                try:
                    scene.take(steps)
                except StorageError as error:
                    if "was given up" not in error.message:
                        raise
            scene.check(place)

    for _ in range(10):
        place = scene.place()
        happen(place, 0)
        scene.check(place)
        newest = scene.take(place)
        scene.settled(place, 1, newest)
