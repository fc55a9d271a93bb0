"""Old backups go, with the blobs that only they needed; what is kept can be restored."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest
from backup_support import World, sums
from ptvc.backup.manifest import piece
from ptvc.backup.marks import file_key
from ptvc.backup.place import Place, open_place, place_url
from ptvc.backup.prune import Pruned, prune
from ptvc.backup.restore import restore
from ptvc.backup.take import take
from ptvc.clock import ManualClock
from ptvc.errors import InvalidParameter, PtvcError, StorageError
from ptvc.persist.client import PersistClient
from ptvc.persist.location import Location
from ptvc.persist.part import BlobKey
from ptvc.persist.stores import locate, open_stores
from servers.s3_server import S3Server


@pytest.fixture
def taken(world: World, place: Place) -> dict[str, dict[str, int]]:
    """What five backups hold, between which all was merged."""
    world.begin()
    found = {}
    for _ in range(5):
        world.move()
        world.merge()
        world.clock.advance(1000)
        found[take(world.stores, place, world.clock).manifest.name] = sums(world.client)
    return found


def test_the_newest_are_kept(
    place: Place, world: World, taken: dict[str, dict[str, int]], tmp_path: Path
) -> None:
    # What one that was killed has left.
    place.files.put(file_key(f"{place.blobs.owner():x}", "killed", piece(0)), b"half")
    place.blobs.put(BlobKey("left/w/killed-0.parquet"), b"copied")
    before = len(list(place.blobs.keys()))
    assert prune(place, 2, world.clock) == Pruned(3, before - 4)
    kept = list(taken)[-2:]
    assert place.complete() == kept
    assert {key.split("/")[1] for key in place.files.keys()} == set(kept)  # noqa: SIM118
    for name in kept:
        directory = tmp_path / name
        restore(place, place.manifest(name), directory, Location())
        with closing((stores := open_stores(directory, locate(directory))).consensus):
            assert sums(PersistClient(stores.consensus, stores.blob, ManualClock())) == taken[name]
    assert prune(place, 2, world.clock) == Pruned(0, 0)


def test_nothing_goes_while_others_are_there(
    place: Place, world: World, taken: dict[str, dict[str, int]]
) -> None:
    with place.used(), place.used(), pytest.raises(PtvcError, match="is in use by another backup or restore"):
        prune(place, 1, world.clock)
    with place.used(alone=True), pytest.raises(PtvcError, match="is in use"), place.used():
        pass
    assert len(place.complete()) == len(taken)


def test_nothing_goes_while_what_is_kept_is_damaged(
    place: Place, world: World, taken: dict[str, dict[str, int]], tmp_path: Path
) -> None:
    manifest = place.manifest(None)
    path = tmp_path / "backups" / "backups" / file_key(manifest.environment, manifest.name, piece(0))
    path.write_bytes(path.read_bytes()[:-1] + b"?")
    before = set(place.blobs.keys())
    with pytest.raises(StorageError, match="is damaged"):
        prune(place, 2, world.clock)
    assert set(place.blobs.keys()) == before
    assert place.complete() == list(taken)


def test_none_at_all_is_no_choice(place: Place) -> None:
    with pytest.raises(InvalidParameter, match="cannot be kept"):
        prune(place, 0, ManualClock())


def test_in_s3(s3: S3Server, world: World, tmp_path: Path) -> None:
    """Whose answers are lost now and then."""
    place = open_place(place_url(s3.url(s3.bucket(), "of/backups")))
    s3.fail_at_random(0.05, seed=2)
    world.begin()
    names = []
    for _ in range(4):
        world.move()
        world.merge()
        world.clock.advance(1000)
        names.append(take(world.stores, place, world.clock).manifest.name)
        assert prune(place, 2, world.clock).backups == (len(names) > 2)
        assert place.complete() == names[-2:]
    assert len(list(place.blobs.keys())) == 4
    assert {key.split("/")[1] for key in place.files.keys()} == set(names[-2:])  # noqa: SIM118
    restore(place, place.manifest(names[-2]), tmp_path / "restored", Location())
    s3.fail_at_random(0.0, seed=2)
