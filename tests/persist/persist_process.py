"""Run by the process tests: a writer on real stores, which says what was acknowledged.

Blobs are in DIRECTORY, and so is consensus, or else the file `consensus.url` there says where it is.

python persist_process.py append DIRECTORY NAME     append one row per time, for ever
python persist_process.py race DIRECTORY NAME GOAL  append until the upper is GOAL, against others
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from persist_support import SCHEMA, Update, delta_of
from ptvc.clock import SystemClock
from ptvc.persist.blob.file import FileBlob
from ptvc.persist.client import Appended, PersistClient, UpperMismatch, Write
from ptvc.persist.consensus.base import Consensus
from ptvc.persist.consensus.postgres import PostgresConsensus
from ptvc.persist.consensus.sqlite import SqliteConsensus
from ptvc.persist.write import write_parts

PADDING = "pad" * 25_000


@contextmanager
def open_client(directory: str | Path, application: str = "test") -> Iterator[PersistClient]:
    with closing(open_consensus(directory, application)) as consensus:
        yield PersistClient(consensus, FileBlob(Path(directory) / "blobs"), SystemClock())


def open_consensus(directory: str | Path, application: str = "test") -> Consensus:
    url = Path(directory) / "consensus.url"
    if url.is_file():
        return PostgresConsensus(f"{url.read_text()}&application_name={application}")
    return SqliteConsensus(Path(directory) / "consensus.db")


def updates_at(time: int, name: str) -> list[Update]:
    """One row; every third time beside a padding that makes the part a blob, and that cancels out."""
    row: list[Update] = [((time, name), time, 1)]
    return row if time % 3 else [*row, ((-1, PADDING), time, 1), ((-1, PADDING), time, -1)]


def append_for_ever(client: PersistClient, name: str) -> None:
    while True:
        time = client.state("s").upper
        parts = write_parts(client.blob, "s", SCHEMA, delta_of(updates_at(time, name)), writer=name)
        assert client.append({"s": Write(time, time + 1, parts)}, writer=name) == Appended({"s": time + 1})
        print(time, flush=True)
        if time % 5 == 4:
            client.set_hold("s", "test", time, critical=True)
            client.compact("s", force=time % 10 == 9)
            client.collect_garbage(grace_ms=0)


def race(client: PersistClient, name: str, goal: int) -> None:
    print("ready", flush=True)
    sys.stdin.readline()
    time = client.state("s").upper
    while time < goal:
        parts = write_parts(client.blob, "s", SCHEMA, delta_of([((time, name), time, 1)]), writer=name)
        match client.append({"s": Write(time, time + 1, parts)}, writer=name):
            case Appended():
                print(time, flush=True)
                time += 1
            case UpperMismatch(current=current):
                assert current["s"] > time
                time = current["s"]


if __name__ == "__main__":
    _, command, directory, name, *rest = sys.argv
    with open_client(directory, name) as client:
        if command == "append":
            append_for_ever(client, name)
        else:
            race(client, name, int(rest[0]))
