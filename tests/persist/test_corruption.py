"""Files that are not what was written: one bit, or the end, is missing.  Every read is right or a named error, and what
lies in other files stays readable."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from random import Random

import pytest
from persist_support import SCHEMA, Contents, append, read_at
from ptvc.clock import ManualClock
from ptvc.errors import PtvcError, StorageError
from ptvc.persist.blob.file import FileBlob
from ptvc.persist.client import PersistClient
from ptvc.persist.consensus.sqlite import SqliteConsensus

SHARDS = ("large", "small", "other")
TIMES = 12


@dataclass(frozen=True, slots=True)
class Environment:
    directory: Path
    truth: dict[str, Contents]


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Environment:
    """`large` has blobs, `small` inline parts, `other` both."""
    directory = tmp_path_factory.mktemp("corruption") / "environment"
    directory.mkdir()
    consensus = SqliteConsensus(directory / "consensus.db")
    client = PersistClient(consensus, FileBlob(directory / "blobs"), ManualClock())
    for shard in SHARDS:
        client.create_shard(shard, SCHEMA)
        for time in range(TIMES):
            inline = shard == "small" or (shard == "other" and time > 2)
            rows = [((i, f"{shard} {time} {i}"), time, 1) for i in range(20)]
            append(client, shard, time, time + 1, rows, [(("22012", shard), time, 1)], inline=inline)
    truth = {shard: read_at(client, shard, TIMES - 1) for shard in SHARDS}
    consensus.close()
    assert not (directory / "consensus.db-wal").exists()
    return Environment(directory, truth)


def flip(data: bytes, random: Random) -> bytes:
    damaged = bytearray(data)
    damaged[random.randrange(len(data))] ^= 1 << random.randrange(8)
    return bytes(damaged)


def truncate(data: bytes, random: Random) -> bytes:
    return data[: random.randrange(1, len(data))]


DAMAGES = (flip, flip, truncate)


def read_all(directory: Path, truth: dict[str, Contents]) -> dict[str, PtvcError]:
    """Reads every shard: the truth, or an error, which is returned."""
    try:
        consensus = SqliteConsensus(directory / "consensus.db")
    except PtvcError as error:
        return dict.fromkeys(SHARDS, error)
    client = PersistClient(consensus, FileBlob(directory / "blobs"), ManualClock())
    errors = {}
    for shard in SHARDS:
        try:
            assert read_at(client, shard, TIMES - 1) == truth[shard], "wrong rows"
        except PtvcError as error:
            errors[shard] = error
    consensus.close()
    return errors


def damage(
    path: Path, random: Random, check: Callable[[], None], kind: Callable[[bytes, Random], bytes]
) -> None:
    data = path.read_bytes()
    path.write_bytes(kind(data, random))
    try:
        check()
    finally:
        path.write_bytes(data)


def damaged_blobs(environment: Environment, tmp_path: Path, seed: int, count: int) -> None:
    """Each is found, named with its shard, and the others are read."""
    directory = tmp_path / "copy"
    shutil.copytree(environment.directory, directory)
    random = Random(seed)
    blobs = sorted((directory / "blobs").glob("*/*/*"))
    for _ in range(count):
        path = random.choice(blobs)
        key = path.relative_to(directory / "blobs").as_posix()
        shard = key.split("/")[0]

        def check(key: str = key, shard: str = shard) -> None:
            errors = read_all(directory, environment.truth)
            assert list(errors) == [shard]
            assert errors[shard].sqlstate == "XX001"
            assert key in errors[shard].message
            assert f'"{shard}"' in errors[shard].message

        damage(path, random, check, random.choice(DAMAGES))


def damaged_consensus(environment: Environment, tmp_path: Path, seed: int, count: int) -> None:
    """A damaged page is found when it is needed; whoever does not need it reads on."""
    directory = tmp_path / "copy"
    random = Random(seed)
    for _ in range(count):
        shutil.copytree(environment.directory, directory)

        def check() -> None:
            errors = read_all(directory, environment.truth)
            for shard, error in errors.items():
                assert error.sqlstate == "XX001"
                assert str(directory / "consensus.db") in error.message or f'"{shard}"' in error.message

        damage(directory / "consensus.db", random, check, random.choice(DAMAGES))
        shutil.rmtree(directory)


def test_damaged_blobs(environment: Environment, tmp_path: Path) -> None:
    damaged_blobs(environment, tmp_path, 1, 25)


def test_damaged_consensus(environment: Environment, tmp_path: Path) -> None:
    damaged_consensus(environment, tmp_path, 2, 40)


@pytest.mark.slow
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("damaged", [damaged_blobs, damaged_consensus])
def test_a_thousand_damages(
    environment: Environment, tmp_path: Path, damaged: Callable[[Environment, Path, int, int], None]
) -> None:
    damaged(environment, tmp_path, 3, 500)


def test_pages_that_were_damaged_while_it_runs_are_found(environment: Environment, tmp_path: Path) -> None:
    """The very page of an inline part: the shard is unreadable, and the others are not."""
    directory = tmp_path / "copy"
    shutil.copytree(environment.directory, directory)
    path = directory / "consensus.db"
    data = path.read_bytes()
    position = data.index(b"small 5 7")
    path.write_bytes(data[:position] + b"S" + data[position + 1 :])
    errors = read_all(directory, environment.truth)
    assert "small" in errors
    assert "checksum does not match" in errors["small"].message


@pytest.mark.parametrize("missing", [1, 100, 4095, 4097])
def test_a_file_that_is_cut_off_within_a_page_is_refused(
    environment: Environment, tmp_path: Path, missing: int
) -> None:
    """Though nobody may ever need its last page."""
    path = tmp_path / "consensus.db"
    data = (environment.directory / "consensus.db").read_bytes()
    path.write_bytes(data[:-missing])
    with pytest.raises(StorageError, match=f"is cut off: its size of {len(data) - missing} bytes") as caught:
        SqliteConsensus(path)
    assert caught.value.sqlstate == "XX001"
    assert str(path) in caught.value.message
    assert path.read_bytes() == data[:-missing]


@pytest.mark.parametrize("logged", [True, False])
def test_a_page_that_was_cut_off_while_the_log_was_copied_comes_from_the_log(
    tmp_path: Path, logged: bool
) -> None:
    """After a crash in the middle of a checkpoint the end of the file may be missing: the log has it, or it is lost."""
    store = SqliteConsensus(tmp_path / "store.db")
    client = PersistClient(store, FileBlob(tmp_path / "blobs"), ManualClock())
    client.create_shard("s", SCHEMA)

    def add(time: int) -> None:
        append(client, "s", time, time + 1, [((i, f"{time} {i}"), time, 1) for i in range(100)])

    add(0)
    store._writer.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    if logged:
        for time in range(1, 20):
            add(time)
    truth = {"s": read_at(client, "s", client.state("s").upper - 1)}
    size = (tmp_path / "store.db").stat().st_size
    log = (tmp_path / "store.db-wal").read_bytes()
    if logged:
        store._writer.execute("PRAGMA wal_checkpoint(PASSIVE)")
    else:
        client.set_hold("s", "test", 0, critical=True)  # in the log, and not on the last page
        log = (tmp_path / "store.db-wal").read_bytes()
    data = (tmp_path / "store.db").read_bytes()
    store.close()
    path = tmp_path / "consensus.db"
    path.write_bytes(data[: max(size, len(data)) - 100])
    (tmp_path / "consensus.db-wal").write_bytes(log)
    if logged:
        again = SqliteConsensus(path)
        reader = PersistClient(again, FileBlob(tmp_path / "blobs"), ManualClock())
        assert read_at(reader, "s", reader.state("s").upper - 1) == truth["s"]
        again.close()
    else:
        with pytest.raises(StorageError, match="is cut off"):
            SqliteConsensus(path)


def test_a_file_of_an_earlier_release_gets_checksums(tmp_path: Path) -> None:
    fixture = Path(__file__).with_name("fixtures") / "v1" / "consensus.sqlite"
    path = tmp_path / "consensus.sqlite"
    shutil.copy(fixture, path)
    assert path.read_bytes()[20] == 0
    SqliteConsensus(path).close()
    assert path.read_bytes()[20] == 8
    SqliteConsensus(path).close()


@pytest.mark.parametrize("bit", range(8))
def test_a_file_that_has_lost_the_word_of_its_checksums_is_damaged(
    environment: Environment, tmp_path: Path, bit: int
) -> None:
    directory = tmp_path / "copy"
    shutil.copytree(environment.directory, directory)
    path = directory / "consensus.db"
    data = bytearray(path.read_bytes())
    data[20] ^= 1 << bit
    path.write_bytes(data)
    errors = read_all(directory, environment.truth)
    assert set(errors) == set(SHARDS)
    assert {error.sqlstate for error in errors.values()} == {"XX001"}
