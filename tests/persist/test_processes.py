"""Real processes on real files: killed in the middle of an append, and racing each other."""

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


def test_a_killed_writer_loses_and_doubles_nothing(tmp_path: Path) -> None:
    """`kill -9` at random moments: what was acknowledged is there, at most one more append is, each once."""
    random = Random(7)
    client = open_client(tmp_path)
    client.create_shard("s", SCHEMA)
    owners: dict[int, str] = {}
    for life in range(4):
        name = f"writer-{life}"
        begin = client.state("s").upper
        acknowledged = begin - 1
        with process("append", tmp_path, name) as child:
            assert child.stdout is not None
            for line in child.stdout:
                acknowledged = int(line)
                if acknowledged - begin >= 12 and random.random() < 0.2:
                    child.kill()
        assert child.returncode == -9
        upper = client.state("s").upper
        assert acknowledged + 1 <= upper <= acknowledged + 2
        owners.update(dict.fromkeys(range(begin, upper), name))
        expected = {("row", time, owner): 1 for time, owner in owners.items()}
        assert read_at(client, "s", upper - 1) == expected
        assert read_at(open_client(tmp_path), "s", upper - 1) == expected
    client.collect_garbage(grace_ms=0, writer_is_dead=lambda writer: True)
    snapshot = client.snapshot("s", client.state("s").upper - 1)
    assert set(client.blob.keys()) == {part.blob for part in snapshot.parts if part.blob is not None}
    assert not list((tmp_path / "blobs").rglob(".tmp-*"))


@pytest.mark.parametrize(("processes", "goal"), [(2, 60), pytest.param(8, 400, marks=[pytest.mark.slow])])
def test_of_racing_processes_one_wins_each_upper(tmp_path: Path, processes: int, goal: int) -> None:
    client = open_client(tmp_path)
    client.create_shard("s", SCHEMA)
    names = [f"racer-{number}" for number in range(processes)]
    with ExitStack() as stack:
        children = [stack.enter_context(process("race", tmp_path, name, goal)) for name in names]
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
