"""A backup is one moment of the environment, whatever is written, merged and deleted while it is taken."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from backup_support import PAIRS, SHARDS, TOTAL, Watched, World, sums
from ptvc.backup import take as taking
from ptvc.backup.copying import parts_in_blobs
from ptvc.backup.manifest import Manifest
from ptvc.backup.place import Place, open_place, place_url
from ptvc.backup.restore import restore
from ptvc.backup.take import take
from ptvc.clock import ManualClock
from ptvc.coord.storage.catalog_store import CATALOG_SHARD
from ptvc.errors import InvalidParameter, StorageError
from ptvc.persist.client import PersistClient
from ptvc.persist.gc import PIN
from ptvc.persist.location import Location
from ptvc.persist.stores import locate, open_existing, open_stores


def restored(place: Place, manifest: Manifest, directory: Path) -> dict[str, int]:
    """What the shards of a backup add up to, once it is restored."""
    restore(place, manifest, directory, Location())
    with closing((stores := open_stores(directory, locate(directory))).consensus):
        return sums(PersistClient(stores.consensus, stores.blob, ManualClock()))


@pytest.mark.parametrize(("consensus", "blob"), PAIRS)
def test_every_pair_of_stores(
    consensus: str, blob: str, location: Callable[[str, str], Location], tmp_path: Path, place: Place
) -> None:
    with World.open(tmp_path / "environment", location(consensus, blob)) as world:
        world.begin()
        for number in range(20):
            world.move(large=number % 2 == 0)
            if number == 10:
                world.merge()
        wanted = sums(world.client)
        taken = take(world.stores, place, world.clock)
        assert taken.copied == taken.manifest.blobs == len(list(parts_in_blobs(world.stores.consensus))) > 4
        assert taken.manifest.upper == world.time
        world.move()
    assert wanted["left"] + wanted["right"] == TOTAL
    assert restored(place, taken.manifest, tmp_path / "restored") == wanted


def test_into_s3(s3: object, world: World, tmp_path: Path) -> None:
    place = open_place(place_url(s3.url(s3.bucket(), "backups/of")))  # type: ignore[attr-defined]
    world.begin()
    taken = take(world.stores, place, world.clock)
    assert place.complete() == [taken.manifest.name]
    assert restored(place, place.manifest(None), tmp_path / "restored") == {"left": TOTAL, "right": 0}


def test_while_it_is_written_merged_and_deleted(world: World, place: Place, tmp_path: Path) -> None:
    """Each backup is a moment at which both shards were as one transaction has left them."""
    world.begin()
    ended = threading.Event()
    failures: list[BaseException] = []

    def work() -> None:
        try:
            while not ended.is_set():
                for _ in range(3):
                    world.move()
                world.merge()
        except BaseException as error:
            failures.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    try:
        with closing((stores := open_existing(world.directory, locate(world.directory))).consensus):
            manifests = [take(stores, place, ManualClock(number)).manifest for number in range(5)]
    finally:
        ended.set()
        thread.join()
    assert failures == []
    uppers = [manifest.upper for manifest in manifests]
    assert uppers == sorted(uppers)
    for manifest in manifests:
        found = restored(place, manifest, tmp_path / manifest.name)
        assert found["left"] + found["right"] == TOTAL


def test_what_is_replaced_meanwhile_stays_until_it_is_copied(
    world: World, place: Place, tmp_path: Path
) -> None:
    """Also of a shard that is dropped."""
    world.begin()
    for _ in range(10):
        world.move()
    wanted, before = sums(world.client), world.blobs()

    def meanwhile() -> None:
        world.merge()
        world.client.drop_shard("right")
        world.client.collect_garbage(grace_ms=0)
        assert world.blobs() >= before

    blob = Watched(world.stores.blob, [meanwhile])
    taken = take(replace(world.stores, blob=blob), place, world.clock)
    world.client.collect_garbage(grace_ms=0)
    assert not world.blobs() & before, "the pin has gone with the backup"
    assert restored(place, taken.manifest, tmp_path / "restored") == wanted


def test_a_pin_ends_with_its_lease(world: World) -> None:
    """What a backup leaves that was killed."""
    world.begin()
    before = world.blobs()
    world.client.pin(CATALOG_SHARD, "dead", lease_ms=1000)
    world.move()
    world.merge()
    assert world.blobs() >= before
    world.clock.advance(1001)
    world.client.collect_garbage(grace_ms=0)
    assert not world.blobs() & before


def test_a_backup_whose_pin_was_lost_begins_again(world: World, place: Place, tmp_path: Path) -> None:
    world.begin()
    for _ in range(5):
        world.move()

    def lose() -> None:
        for hold in world.stores.consensus.leases():
            assert hold.holder.startswith(PIN)
            world.client.drop_hold(hold.shard, hold.holder)
        world.move()
        world.merge()

    blob = Watched(world.stores.blob, [lose])
    taken = take(replace(world.stores, blob=blob), place, world.clock)
    assert taken.manifest.upper == world.time, "it is of the second snapshot"
    assert restored(place, taken.manifest, tmp_path / "restored") == sums(world.client)


def test_it_does_not_begin_again_for_ever(
    world: World, place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(taking, "MOST_SNAPSHOTS", 2)
    world.begin()

    def lose() -> None:
        for hold in world.stores.consensus.leases():
            world.client.drop_hold(hold.shard, hold.holder)
        world.move()
        world.merge()

    blob = Watched(world.stores.blob, [lose] * 20)
    with pytest.raises(StorageError, match="its hold on the blobs was lost 2 times"):
        take(replace(world.stores, blob=blob), place, world.clock)
    assert place.complete() == []


def test_what_is_there_is_not_copied_again(world: World, place: Place) -> None:
    world.begin()
    first = take(world.stores, place, world.clock)
    for _ in range(3):
        world.move()
    second = take(world.stores, place, world.clock)
    assert (first.copied, second.copied) == (2, 6)
    assert second.manifest.blobs == 8
    assert take(world.stores, place, world.clock).copied == 0
    assert len(place.complete()) == 3


def test_damage_is_found_before_it_is_in_a_backup(world: World, place: Place) -> None:
    world.begin()
    key = min(world.blobs())
    path = world.directory / "blobs" / key
    path.write_bytes(path.read_bytes()[:-1] + b"?")
    with pytest.raises(StorageError, match="its checksum does not match"):
        take(world.stores, place, world.clock)
    path.unlink()
    with pytest.raises(StorageError, match="does not exist"):
        take(world.stores, place, world.clock)
    assert place.complete() == []
    assert world.stores.consensus.leases() == []


def test_a_place_is_of_one_environment(
    world: World, place: Place, tmp_path: Path, location: Callable[[str, str], Location]
) -> None:
    world.begin()
    take(world.stores, place, world.clock)
    with World.open(tmp_path / "other", location("sqlite", "file")) as other:
        other.begin()
        with pytest.raises(InvalidParameter, match="has backups of another environment"):
            take(other.stores, place, other.clock)


def test_an_environment_that_never_ran(world: World, place: Place) -> None:
    with pytest.raises(InvalidParameter, match="there is nothing to back up"):
        take(world.stores, place, world.clock)


_HANGS = """
import sys, threading
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from backup_support import Watched
from ptvc.backup.place import open_place, place_url
from ptvc.backup.take import take
from ptvc.clock import SystemClock
from ptvc.persist.stores import locate, open_existing

def hang():
    print("half", flush=True)
    threading.Event().wait()

directory = Path(sys.argv[1])
stores = open_existing(directory, locate(directory))
before = [lambda: None] * 10 + [hang] * 100
take(replace(stores, blob=Watched(stores.blob, before)), open_place(place_url(sys.argv[2])), SystemClock())
"""


def test_one_that_is_killed_half_way_is_none(world: World, place: Place, tmp_path: Path) -> None:
    """The next one goes on with what was copied."""
    world.begin()
    for _ in range(20):
        world.move()
    process = subprocess.Popen(
        [sys.executable, "-c", _HANGS, str(world.directory), str(tmp_path / "backups")],
        stdout=subprocess.PIPE,
        env={"PYTHONPATH": ":".join(path for path in sys.path if path)},
    )
    with process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"half\n"
        process.kill()
    with pytest.raises(InvalidParameter, match="there is no backup that is whole"):
        place.manifest(None)
    assert [hold.shard for hold in world.stores.consensus.leases()] == [CATALOG_SHARD]
    taken = take(world.stores, place, world.clock)
    assert 0 < taken.copied < taken.manifest.blobs == 42
    assert restored(place, place.manifest(None), tmp_path / "restored") == sums(world.client)
    assert len(SHARDS) * 21 == 42
