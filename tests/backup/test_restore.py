"""What is restored is what was backed up, in an environment of its own; nothing is ever restored over another one."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from backup_support import EPOCH, PAIRS, TOTAL, Watched, World, sums
from ptvc.backup.manifest import FORMAT_VERSION, MANIFEST_FILE, Manifest, piece
from ptvc.backup.marks import file_key
from ptvc.backup.place import Place
from ptvc.backup.restore import restore
from ptvc.backup.take import take
from ptvc.clock import ManualClock
from ptvc.errors import InvalidParameter, StorageError
from ptvc.persist.client import PersistClient
from ptvc.persist.consensus.copies import EPOCHS_AHEAD
from ptvc.persist.inspect import verify
from ptvc.persist.location import Location, open_objects
from ptvc.persist.stores import locate, open_stores


@pytest.fixture
def manifest(world: World, place: Place) -> Manifest:
    world.begin()
    for number in range(10):
        world.move(large=number % 2 == 0)
    return take(world.stores, place, world.clock, b"the keys").manifest


def path_of(place: Place, directory: Path, kind: str, key: str) -> Path:
    assert place.url.startswith("file:")
    return directory / "backups" / kind / key


@pytest.mark.parametrize(("consensus", "blob"), PAIRS)
def test_into_every_pair_of_stores(
    consensus: str,
    blob: str,
    location: Callable[[str, str], Location],
    world: World,
    place: Place,
    manifest: Manifest,
    tmp_path: Path,
) -> None:
    wanted = sums(world.client)
    place_of_stores = location(consensus, blob)
    restore(place, manifest, tmp_path / "restored", place_of_stores)
    directory = tmp_path / "restored"
    assert locate(directory) == place_of_stores
    with closing((stores := open_stores(directory, locate(directory))).consensus):
        client = PersistClient(stores.consensus, stores.blob, ManualClock())
        assert sums(client) == wanted
        assert list(verify(stores.consensus, stores.blob)) == []
        assert client.mark() == manifest.upper
        assert client.restored_upper() == manifest.upper
        assert stores.consensus.identity() != world.stores.consensus.identity()
        assert client.take_epoch(EPOCH) == world.epoch + EPOCHS_AHEAD + 1
        assert stores.consensus.leases() == []
        assert stores.consensus.garbage() == []
    key = directory / "secrets.key"
    assert key.read_bytes() == b"the keys"
    assert key.stat().st_mode & 0o077 == 0
    with pytest.raises(InvalidParameter, match="is not empty"):
        restore(place, manifest, directory, place_of_stores)
    if consensus == "postgres" or blob == "s3":
        with pytest.raises(InvalidParameter, match="holds an environment already"):
            restore(place, manifest, tmp_path / "beside", place_of_stores)


def test_what_is_restored_can_be_backed_up_and_goes_on(
    place: Place, manifest: Manifest, tmp_path: Path, location: Callable[[str, str], Location]
) -> None:
    directory = tmp_path / "restored"
    restore(place, manifest, directory, Location())
    with World.open(directory, Location(), seed=2) as again:
        again.time = manifest.upper
        for _ in range(5):
            again.move()
        again.merge()
        found = sums(again.client)
        assert found["left"] + found["right"] == TOTAL
        with pytest.raises(InvalidParameter, match="another environment"):
            take(again.stores, place, again.clock)


def test_one_that_was_interrupted_goes_on(
    world: World, place: Place, manifest: Manifest, tmp_path: Path
) -> None:
    directory = tmp_path / "restored"

    def fail() -> None:
        raise StorageError("the disk is gone")

    broken = replace(place, blobs=Watched(place.blobs, [lambda: None] * 3 + [fail] * 100))
    with pytest.raises(StorageError, match="the disk is gone"):
        restore(broken, manifest, directory, Location())
    with pytest.raises(InvalidParameter, match="was interrupted"):
        open_stores(directory, locate(directory))
    for begun in ("spark", "columns"):  # by the runtime that was refused
        (directory / begun).mkdir()
    other = take(world.stores, place, ManualClock(5_000_000)).manifest
    with pytest.raises(InvalidParameter, match=f'has a part of backup "{manifest.name}"'):
        restore(place, other, directory, Location())
    restore(place, manifest, directory, Location())
    with closing((stores := open_stores(directory, locate(directory))).consensus):
        assert sums(PersistClient(stores.consensus, stores.blob, ManualClock())) == sums(world.client)


def test_damage_is_refused(world: World, place: Place, manifest: Manifest, tmp_path: Path) -> None:
    """And leaves nothing that a runtime would start on."""
    world.clock.advance(1000)
    other = take(world.stores, place, world.clock).manifest.name

    def refused(what: str) -> None:
        directory = tmp_path / f"into {what}"
        with pytest.raises(StorageError, match=what) as raised:
            restore(place, manifest, directory, Location())
        assert raised.value.message.startswith(f'backup "{manifest.name}" in {place.url} is damaged: ')
        assert raised.value.sqlstate == "XX001"
        assert raised.value.hint == f"Restore another one, with --backup: {other}."
        assert not (directory / "consensus.sqlite").exists()

    blob = path_of(place, tmp_path, "blobs", min(key for key in place.blobs.keys()))  # noqa: SIM118
    data = blob.read_bytes()
    blob.write_bytes(data[:-1] + b"?")
    refused(r'the checksum of ".*parquet~\w+" does not match')
    blob.unlink()
    refused("lacks 1 of its")
    blob.write_bytes(data)
    copy = path_of(place, tmp_path, "backups", file_key(manifest.environment, manifest.name, piece(0)))
    copy.write_bytes(copy.read_bytes()[:-1] + b"?")
    refused("the copy of consensus is not what was written")


def test_the_manifest(place: Place, manifest: Manifest, tmp_path: Path) -> None:
    assert place.manifest(None) == place.manifest(manifest.name) == manifest
    with pytest.raises(InvalidParameter, match='there is no backup "other" that is whole') as raised:
        place.manifest("other")
    assert raised.value.hint == f"Name one that is there, with --backup: {manifest.name}."
    path = path_of(place, tmp_path, "backups", file_key(manifest.environment, manifest.name, MANIFEST_FILE))
    text = path.read_text()
    path.write_text(text.replace(f'"format": {FORMAT_VERSION}', f'"format": {FORMAT_VERSION + 1}'))
    with pytest.raises(StorageError, match="this release knows up to"):
        place.manifest(None)
    path.write_text(text[:100])
    with pytest.raises(StorageError, match="is not what was written"):
        place.manifest(None)


def test_a_directory_with_something_in_it(place: Place, manifest: Manifest, tmp_path: Path) -> None:
    """State of another environment, which would be taken for its own."""
    directory = tmp_path / "used"
    (directory / "state").mkdir(parents=True)
    with pytest.raises(InvalidParameter, match='is not empty: it has "state"'):
        restore(place, manifest, directory, Location())


@pytest.mark.parametrize("blob", ["file", "s3"])
def test_a_place_of_blobs_with_state_in_it(
    place: Place, manifest: Manifest, tmp_path: Path, location: Callable[[str, str], Location], blob: str
) -> None:
    """The blobs were removed, and what replicas had left for each other was not: checkpoints of rows that are not restored."""
    there = Location(blob=(tmp_path / "there").as_uri()) if blob == "file" else location("sqlite", blob)
    (tmp_path / "run").write_bytes(b"rows")
    open_objects(there.blob).put("u1/r1/a.run", tmp_path / "run")
    with pytest.raises(InvalidParameter, match="holds an environment already"):
        restore(place, manifest, tmp_path / "restored", there)
    open_objects(there.blob).delete(["u1/r1/a.run"])
    restore(place, manifest, tmp_path / "restored", there)


def test_a_key_file_that_is_there_stays(place: Place, manifest: Manifest, tmp_path: Path) -> None:
    directory = tmp_path / "restored"
    directory.mkdir()
    (directory / "secrets.key").write_bytes(b"my own")
    restore(place, manifest, directory, Location())
    assert (directory / "secrets.key").read_bytes() == b"my own"
