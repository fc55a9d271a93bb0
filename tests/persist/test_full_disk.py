"""A real file system without room: what is refused is refused with 53100, and goes on once there is room."""

from __future__ import annotations

import errno
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from persist_support import SCHEMA, append, read_at
from ptvc.clock import ManualClock
from ptvc.errors import DiskFull
from ptvc.persist.blob.file import FileBlob
from ptvc.persist.client import Appended, PersistClient
from ptvc.persist.consensus.sqlite import SqliteConsensus


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system in memory of 2 MiB."""
    place = tmp_path / "small"
    place.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", str(place)]
    try:
        made = subprocess.run(command, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        pytest.skip("there is no mount on this machine")
    if made.returncode:
        pytest.skip(f"no file system can be mounted here: {made.stderr.strip()}")
    try:
        yield place
    finally:
        subprocess.run(["umount", "--lazy", str(place)], check=True)


def fill(path: Path) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT)
    try:
        while os.write(descriptor, b"x" * 4096):
            pass
    except OSError as error:
        if error.errno != errno.ENOSPC:
            raise
    finally:
        os.close(descriptor)


@pytest.mark.parametrize("inline", [True, False])
def test_appends_are_refused_and_go_on(small_disk: Path, inline: bool) -> None:
    """Ballast leaves little room; each refusal leaves everything as it was."""
    consensus = SqliteConsensus(small_disk / "consensus.db")
    client = PersistClient(consensus, FileBlob(small_disk / "blobs"), ManualClock())
    client.create_shard("s", SCHEMA)
    ballast = small_disk / "ballast"
    time, refusals = 0, 0
    for round_ in range(3):
        fill(ballast)
        os.truncate(ballast, max(0, ballast.stat().st_size - 40_000))
        refused = False
        while not refused:
            rows = [((time, "x" * 3000), time, 1)]
            try:
                outcome = append(client, "s", time, time + 1, rows, inline=inline)
            except DiskFull:
                refused, refusals = True, refusals + 1
            else:
                assert outcome == Appended({"s": time + 1})
                time += 1
            assert time < 1000, f"round {round_} was never refused"
        assert client.state("s").upper == time
        if time:
            assert sum(read_at(client, "s", time - 1).values()) == time
        ballast.unlink()
        rows = [((time, "y"), time, 1)]
        assert append(client, "s", time, time + 1, rows, inline=inline) == Appended({"s": time + 1})
        time += 1
    assert refusals == 3
    consensus.close()
    again = SqliteConsensus(small_disk / "consensus.db")
    reopened = PersistClient(again, FileBlob(small_disk / "blobs"), ManualClock())
    assert sum(read_at(reopened, "s", time - 1).values()) == time
    assert not list((small_disk / "blobs").rglob(".tmp-*"))
    again.close()
