"""Sources and sinks in a replica: exactly once, and only what is not in error."""

from __future__ import annotations

import json
import queue
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from ptvc.persist.blob.memory import MemoryBlob
from ptvc.persist.read import read_updates
from ptvc.persist.write import write_parts
from ptvc.replica.egress import Egress
from ptvc.replica.ingest import Sources
from ptvc.replica.protocol import (
    Import,
    Ingest,
    Ingested,
    InstallSink,
    InstallSource,
    Progress,
    SinkDescription,
    SinkProgress,
    SourceDescription,
    Status,
    Updates,
)
from ptvc.repr.batch import Batch, Delta, batch_from_rows, empty_batch
from ptvc.repr.schema import ERROR_SCHEMA
from ptvc.storage.sink.change_records import SinkEnvelope

from .support import SCHEMA, imported

WAIT_S = 120


class Sent:
    """What a replica has told the coordinator, by kind."""

    def __init__(self) -> None:
        self._queue: queue.SimpleQueue[Any] = queue.SimpleQueue()

    def __call__(self, message: Any) -> None:
        self._queue.put(message)

    def next(self, kind: type[Any]) -> Any:
        while True:
            message = self._queue.get(timeout=WAIT_S)
            if isinstance(message, kind):
                return message

    def nothing(self, kind: type[Any], within_s: float) -> bool:
        try:
            while True:
                if isinstance(self._queue.get(timeout=within_s), kind):
                    return False
        except queue.Empty:
            return True


def source(path: Path, position: str | None) -> InstallSource:
    options = {"path": str(path), "format": "csv"}
    description = SourceDescription("src", "file", options, SCHEMA, (), "none")
    output = Import("s", "s", SCHEMA, True, 0, (), (), 1)
    return InstallSource("s", "src", description, position, output)


def values(blob: MemoryBlob, ingest: Ingest) -> list[int]:
    return read_updates(blob, ingest.parts, SCHEMA, 0, 1).oks.columns[0].to_pylist()  # type: ignore[no-any-return]


def test_a_source_has_one_commit_under_way_and_a_lost_reply_repeats_it(tmp_path: Path) -> None:
    blob = MemoryBlob()
    file = tmp_path / "in.csv"
    file.write_text("a\n1\n2\n")
    sent = Sent()
    first = Sources(blob, "first", sent)
    first.install(source(file, None))
    ingest = sent.next(Ingest)
    assert values(blob, ingest) == [1, 2]
    with file.open("a") as out:
        out.write("3\n")
    assert sent.nothing(Ingest, 0.3)  # before the reply nothing more is read
    first.close()

    # The commit did not happen: the successor starts where the durable output ends, at the beginning.
    sent = Sent()
    second = Sources(blob, "second", sent)
    second.install(source(file, None))
    again = sent.next(Ingest)
    assert values(blob, again) == [1, 2, 3]
    second.close()

    # The first one did happen, though its reply was lost: the successor goes on behind it.
    sent = Sent()
    third = Sources(blob, "third", sent)
    third.install(source(file, ingest.position))
    rest = sent.next(Ingest)
    assert values(blob, rest) == [3]
    third.ingested(Ingested("s", 10))
    with file.open("a") as out:
        out.write("4\n")
    assert values(blob, sent.next(Ingest)) == [4]
    third.close()


def test_a_source_that_is_dropped_under_its_commit_ends(tmp_path: Path) -> None:
    file = tmp_path / "in.csv"
    file.write_text("a\n1\n")
    sent = Sent()
    sources = Sources(MemoryBlob(), "w", sent)
    sources.install(source(file, None))
    sent.next(Ingest)
    sources.ingested(Ingested("s", None))
    with file.open("a") as out:
        out.write("2\n")
    assert sent.nothing(Ingest, 0.3)
    sources.uninstall("s")


def test_a_source_that_cannot_read_says_why(tmp_path: Path) -> None:
    sent = Sent()
    sources = Sources(MemoryBlob(), "w", sent)
    sources.install(source(tmp_path / "missing.csv", None))
    status = sent.next(Status)
    assert status.state in ("stalled", "failed")
    assert "missing.csv" in status.reason
    sources.close()


def records(directory: Path) -> list[dict[str, Any]]:
    found = []
    for file in sorted(directory.glob("*.jsonl")):
        found += [json.loads(line) for line in file.read_text().splitlines() if line]
    return found


@pytest.fixture
def envelope() -> str:
    return next(iter(SinkEnvelope)).value


def sink(path: Path, source: Import, envelope: str) -> InstallSink:
    description = SinkDescription("file", {"path": str(path), "format": "json"}, envelope, (0,))
    return InstallSink("k", "snk", description, source)


def test_a_sink_waits_while_its_input_is_in_error(tmp_path: Path, envelope: str) -> None:
    blob = MemoryBlob()
    sent = Sent()
    sinks = Egress(blob, sent)
    sinks.install(
        sink(tmp_path / "out", imported(blob, "v", as_of=10, upper=11, timestamped=False), envelope)
    )
    sent.next(SinkProgress)

    def commit(lower: int, upper: int, oks: Batch, errs: Batch) -> None:
        part = write_parts(blob, "v", SCHEMA, Delta(oks, errs), writer="test")
        sinks.receive(Progress(upper, 0, (Updates("v", lower, upper, part),)))

    error = batch_from_rows(ERROR_SCHEMA, [("22012", "division by zero")], 15)
    commit(11, 20, batch_from_rows(SCHEMA, [(1,)], 15), error)
    status = sent.next(Status)
    while status.state == "running":
        status = sent.next(Status)
    assert (status.state, status.reason) == ("stalled", "its input is in error: division by zero")
    commit(20, 30, batch_from_rows(SCHEMA, [(2,)], 25), empty_batch(ERROR_SCHEMA))
    assert sent.nothing(SinkProgress, 0.3)
    before = records(tmp_path / "out")

    gone = Batch(error.columns, np.full(1, 35, np.uint64), -error.diffs)
    commit(30, 40, empty_batch(SCHEMA), gone)
    assert sent.next(SinkProgress).upper == 40
    written = json.dumps(records(tmp_path / "out"))
    assert len(records(tmp_path / "out")) > len(before)
    assert '"a": 1' in written or '"a":1' in written
    assert '"a": 2' in written or '"a":2' in written
    sinks.close()


def test_a_sink_that_starts_again_writes_nothing_twice(tmp_path: Path, envelope: str) -> None:
    blob = MemoryBlob()
    out = tmp_path / "out"
    for _ in range(2):
        sent = Sent()
        sinks = Egress(blob, sent)
        history = [(1, 5, 1), (2, 15, 1)]
        start = imported(
            blob, "v", as_of=10, upper=20, snapshot=history[:1], updates=history[1:], timestamped=False
        )
        sinks.install(sink(out, start, envelope))
        assert sent.next(SinkProgress).upper == 20
        sinks.uninstall("k")
        first = records(out)
    assert records(out) == first
    assert len(first) == 2
