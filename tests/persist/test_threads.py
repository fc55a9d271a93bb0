"""One client, many threads: appends race, readers see whole states, nothing is lost."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from persist_support import SCHEMA, delta_of, read_at
from ptvc.clock import ManualClock
from ptvc.persist.blob.file import FileBlob
from ptvc.persist.client import Appended, PersistClient, UpperMismatch, Write
from ptvc.persist.consensus.sqlite import SqliteConsensus
from ptvc.persist.write import write_parts

WRITERS, ROUNDS = 3, 25


def test_threads_share_a_client(tmp_path: Path) -> None:
    store = SqliteConsensus(tmp_path / "consensus.db")
    client = PersistClient(store, FileBlob(tmp_path / "blobs"), ManualClock())
    for shard in ("s", "t"):
        client.create_shard(shard, SCHEMA)
    done = threading.Event()

    def writes(time: int, row: tuple[object, ...]) -> dict[str, Write]:
        return {
            shard: Write(
                time,
                time + 1,
                write_parts(client.blob, shard, SCHEMA, delta_of([(row, time, 1)]), writer="w"),
            )
            for shard in ("s", "t")
        }

    def write(name: int) -> int:
        lost = 0
        for index in range(ROUNDS):
            time = client.state("s").upper
            while True:
                match client.append(writes(time, (index, f"{name}")), writer=f"{name}"):
                    case Appended():
                        break
                    case UpperMismatch(current=current):
                        assert current["s"] == current["t"] > time
                        time, lost = current["s"], lost + 1
        return lost

    def read() -> int:
        reads, last = 0, False
        while not last:
            last = done.is_set()
            upper = client.state("s").upper
            assert client.state("t").upper >= upper
            if upper:
                assert sum(read_at(client, "s", upper - 1).values()) == upper
                assert read_at(client, "s", upper - 1) == read_at(client, "t", upper - 1)
                reads += 1
        return reads

    def maintain() -> int:
        merges, last = 0, False
        while not last:
            last = done.is_set()
            merges += sum(client.compact(shard) for shard in ("s", "t"))
            client.collect_garbage()
        return merges

    with ThreadPoolExecutor(WRITERS + 2) as pool:
        others: list[Callable[[], int]] = [read, maintain]
        background = [pool.submit(other) for other in others]
        try:
            writers = [pool.submit(write, name) for name in range(WRITERS)]
            for writer in writers:
                writer.result()
        finally:
            done.set()
        for each in background:
            assert each.result() > 0
    total = WRITERS * ROUNDS
    expected = {("row", index, f"{name}"): 1 for index in range(ROUNDS) for name in range(WRITERS)}
    assert client.state("s").upper == client.state("t").upper == total
    assert read_at(client, "s", total - 1) == read_at(client, "t", total - 1) == expected
    store.close()
