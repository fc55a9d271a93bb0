"""Real processes on real stores: killed in the middle of an append, and racing each other; and a server that dies under
them."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from random import Random

import pytest
from persist_process import open_client
from persist_support import SCHEMA, read_at
from ptvc.persist.client import PersistClient
from servers.postgres_stores import failing_server, url_of, wait_until_gone

SCRIPT = Path(__file__).with_name("persist_process.py")


@contextmanager
def process(*arguments: object) -> Iterator[subprocess.Popen[str]]:
    child = subprocess.Popen(
        [sys.executable, str(SCRIPT), *map(str, arguments)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        with child:
            yield child
    finally:
        child.kill()


@pytest.fixture
def client(directory: Path) -> Iterator[PersistClient]:
    with open_client(directory) as client:
        client.create_shard("s", SCHEMA)
        yield client


@pytest.fixture(params=["sqlite", "postgres"])
def directory(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """Where the blobs are, and what says where consensus is."""
    if request.param == "postgres":
        (tmp_path / "consensus.url").write_text(request.getfixturevalue("postgres_url"))
    return tmp_path


@pytest.mark.slow(ordinary=1)
def test_a_killed_writer_loses_and_doubles_nothing(directory: Path, client: PersistClient) -> None:
    """`kill -9` at random moments: what was acknowledged is there, at most one more append is, each once."""
    random = Random(7)
    owners: dict[int, str] = {}
    for life in range(4):
        name = f"writer-{life}"
        begin = client.state("s").upper
        acknowledged = begin - 1
        with process("append", directory, name) as child:
            assert child.stdout is not None
            for line in child.stdout:
                acknowledged = int(line)
                if acknowledged - begin >= 12 and random.random() < 0.2:
                    child.kill()
        assert child.returncode == -9
        if (url := directory / "consensus.url").is_file():
            wait_until_gone(url.read_text(), name)
        upper = client.state("s").upper
        assert acknowledged + 1 <= upper <= acknowledged + 2
        owners.update(dict.fromkeys(range(begin, upper), name))
        expected = {("row", time, owner): 1 for time, owner in owners.items()}
        assert read_at(client, "s", upper - 1) == expected
        with open_client(directory) as other:
            assert read_at(other, "s", upper - 1) == expected
    client.collect_garbage(grace_ms=0, writer_is_dead=lambda writer: True)
    snapshot = client.snapshot("s", client.state("s").upper - 1)
    assert set(client.blob.keys()) == {part.blob for part in snapshot.parts if part.blob is not None}
    assert not list((directory / "blobs").rglob(".tmp-*"))


@pytest.mark.parametrize(("processes", "goal"), [(2, 60), pytest.param(8, 400, marks=[pytest.mark.slow])])
def test_of_racing_processes_one_wins_each_upper(
    directory: Path, client: PersistClient, processes: int, goal: int
) -> None:
    names = [f"racer-{number}" for number in range(processes)]
    with ExitStack() as stack:
        children = [stack.enter_context(process("race", directory, name, goal)) for name in names]
        for child in children:
            assert child.stdout is not None
            assert child.stdout.readline() == "ready\n"
        for child in children:
            assert child.stdin is not None
            child.stdin.write("go\n")
            child.stdin.flush()
        # Lines are short: what nobody reads yet fits the pipes.
        won = [[int(line) for line in child.stdout] for child in children if child.stdout is not None]
    assert [child.returncode for child in children] == [0] * processes
    assert sorted(time for times in won for time in times) == list(range(goal))
    expected = {("row", time, name): 1 for name, times in zip(names, won, strict=True) for time in times}
    assert read_at(client, "s", goal - 1) == expected


@pytest.mark.parametrize("deaths", [2, pytest.param(20, marks=[pytest.mark.slow])])
def test_a_server_that_dies_loses_and_doubles_nothing(tmp_path: Path, deaths: int) -> None:
    """In the middle of appends: stopped without a checkpoint, or a backend killed.  The writer goes on by itself, what
    was acknowledged is there, and everything once."""
    random = Random(11)
    with failing_server() as server:
        (tmp_path / "consensus.url").write_text(url_of(server.uri, "store"))
        acknowledged: list[int] = []
        with open_client(tmp_path) as client:
            client.create_shard("s", SCHEMA)
        with process("append", tmp_path, "writer") as child:
            assert child.stdout is not None
            for death in range(deaths):
                for _ in range(random.randrange(10, 40)):
                    acknowledged.append(int(child.stdout.readline()))
                if death % 2:
                    server.kill_backend("writer")
                else:
                    server.stop()
                    server.start()
            for _ in range(20):
                acknowledged.append(int(child.stdout.readline()))
            child.kill()
            acknowledged += [int(line) for line in child.stdout if line.endswith("\n")]
        wait_until_gone(server.uri, "writer")
        assert acknowledged == list(range(len(acknowledged)))
        with open_client(tmp_path) as client:
            upper = client.state("s").upper
            assert len(acknowledged) <= upper <= len(acknowledged) + 1
            expected = {("row", time, "writer"): 1 for time in range(upper)}
            assert read_at(client, "s", upper - 1) == expected
