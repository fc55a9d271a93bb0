"""Sources and sinks in a replica: exactly once, and only what is not in error."""

from __future__ import annotations

import json
import queue
import threading
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from faults.scarce_disk import ScarceDisk
from ptvc.errors import StorageError
from ptvc.persist.blob.memory import MemoryBlob
from ptvc.persist.part import PartRef, stamp
from ptvc.persist.read import read_updates
from ptvc.persist.write import write_parts
from ptvc.replica import egress
from ptvc.replica.egress import Egress
from ptvc.replica.ingest import Sources
from ptvc.replica.memory import MemoryLimit
from ptvc.replica.protocol import (
    Import,
    Ingest,
    Ingested,
    InstallSink,
    InstallSource,
    Progress,
    SetOutputs,
    SinkBehind,
    SinkDescription,
    SinkProgress,
    SourceDescription,
    SourceOutput,
    Status,
    Updates,
    UpsertState,
)
from ptvc.repr.batch import Batch, Delta, batch_from_rows, empty_batch
from ptvc.repr.consolidate import advance, consolidate
from ptvc.repr.schema import ERROR_SCHEMA, Column, Schema
from ptvc.repr.types import INT8, TEXT
from ptvc.retry import Backoff
from ptvc.storage.sink.change_records import SinkEnvelope
from ptvc.storage.sink.contract import SinkStalled, refuse_ahead
from ptvc.storage.sink.file import FileSink
from ptvc.storage.source.generator import auction

from .support import SCHEMA, imported, parts

WAIT_S = 20


class Sent:
    """What a replica has told the coordinator, by kind."""

    def __init__(self) -> None:
        self._queue: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._all: list[Any] = []

    def __call__(self, message: Any) -> None:
        self._all.append(message)
        self._queue.put(message)

    def last(self, kind: type[Any]) -> Any:
        return [message for message in self._all if isinstance(message, kind)][-1]

    def state(self, state: str) -> Status:
        while True:
            status = self.next(Status)
            if status.state == state:
                return status  # type: ignore[no-any-return]

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
    description = SourceDescription("src", "file", options, (), "none")
    return InstallSource("s", "src", description, position, {"s": SourceOutput("s", "", SCHEMA)})


def values(blob: MemoryBlob, ingest: Ingest) -> list[int]:
    return read_updates(blob, ingest.parts["s"], SCHEMA, 0, 1).oks.columns[0].to_pylist()  # type: ignore[no-any-return]


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


KEYED = Schema((Column("k", INT8, False), Column("v", INT8)))
RECORDED = Schema((Column("position", TEXT, False),))


class UpsertSource:
    """What an upsert source has made durable, a commit at a time."""

    def __init__(self, directory: Path, blob: MemoryBlob) -> None:
        self.file, self.scratch = directory / "in.csv", directory / "scratch"
        self.blob = blob
        self.position: str | None = None
        self._rows: tuple[PartRef, ...] = ()
        self._recorded: tuple[PartRef, ...] = ()
        self._time = 0

    def command(self) -> InstallSource:
        options = {"path": str(self.file), "format": "csv"}
        description = SourceDescription("src", "file", options, (0,), "upsert")
        stored = Import("s", "s", KEYED, True, self._time, self._rows, (), self._time + 1)
        recorded = Import("s", "remap", RECORDED, False, self._time, self._recorded, (), self._time + 1)
        state = UpsertState(stored, 1)
        outputs = {"s": SourceOutput("s", "", KEYED)}
        return InstallSource("s", "src", description, self.position, outputs, state, recorded=recorded)

    def commit(self, ingest: Ingest) -> Ingested:
        self._time += 1
        self._rows += tuple(stamp(part, self._time) for part in ingest.parts["s"])
        self._recorded += tuple(stamp(part, self._time) for part in ingest.recorded)
        self.position = ingest.position
        return Ingested("s", self._time)

    def contents(self) -> tuple[list[tuple[object, ...]], int, int]:
        """The rows; how many errors there are; how many are recorded."""
        found = read_updates(self.blob, self._rows, KEYED, 0, self._time + 1)
        recorded = read_updates(self.blob, self._recorded, RECORDED, 0, self._time + 1).oks
        rows = consolidate(advance(found.oks, self._time))
        errors = consolidate(advance(found.errs, self._time))
        assert set(rows.diffs.tolist()) | set(errors.diffs.tolist()) <= {1}
        values = sorted(zip(*(column.to_pylist() for column in rows.columns), strict=True))
        return values, len(errors), len(consolidate(advance(recorded, self._time)))


def test_an_upsert_source_goes_on_from_its_own_output_and_what_is_recorded_of_its_errors(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    disk, upsert = ScarceDisk(monkeypatch), UpsertSource(tmp_path, MemoryBlob())
    lines = [*(f"{i},{i}" for i in range(400)), *(f"{i},bad" for i in range(300))]
    expected: list[tuple[list[tuple[object, ...]], int, int]] = [
        ([(i, i) for i in range(300, 400)], 300, 300),
        ([(i, 7) for i in range(0, 300, 2)] + [(i, i) for i in range(300, 400)], 150, 150),
        ([(i, i) for i in range(350, 400)], 0, 0),
    ]
    upsert.file.write_text("k,v\n")
    for number, contents in enumerate(expected):
        if number == 1:
            lines = [f"{i},7" for i in range(0, 300, 2)]
        elif number == 2:
            lines = [f"{i}," for i in range(350)]
        with upsert.file.open("a") as file:
            file.writelines(f"{line}\n" for line in lines)
        sent = Sent()
        sources = Sources(upsert.blob, f"attempt {number}", sent, upsert.scratch)
        if number == 2:
            disk.room = 0
        sources.install(upsert.command())
        if number == 2:
            stalled = sent.state("stalled")
            assert stalled.reason is not None
            assert "No space left on device" in stalled.reason
            disk.room = 1 << 40
        sources.ingested(upsert.commit(sent.next(Ingest)))
        assert upsert.contents() == contents
        assert sent.nothing(Ingest, 0.3)
        sources.close()


def test_outputs_of_a_source_come_and_go_between_its_transactions() -> None:
    def output(table: str) -> SourceOutput:
        return SourceOutput(table, f"auction.{table}", auction.TABLES[table])

    blob, sent = MemoryBlob(), Sent()
    sources = Sources(blob, "w", sent)
    description = SourceDescription("s", "auction", {"tick_ms": 20}, (), "none")
    sources.install(InstallSource("s", "s", description, None, {}))
    assert sent.nothing(Ingest, 0.3)
    sources.set_outputs(SetOutputs("s", {"u1": output("organizations")}))
    ingest = sent.next(Ingest)
    assert ingest.parts.keys() == {"u1"}
    # What is asked for under a commit waits for the next transaction.
    sources.set_outputs(SetOutputs("s", {"u1": output("organizations"), "u2": output("users")}))
    assert sent.nothing(Ingest, 0.3)
    sources.ingested(Ingested("s", 5))
    ingest = sent.next(Ingest)
    assert ingest.parts.keys() == {"u2"}
    users = read_updates(blob, ingest.parts["u2"], auction.TABLES["users"], 0, 1).oks
    assert len(users) == auction.USERS
    assert json.loads(ingest.position)["read"]["outputs"] == ["u1", "u2"]
    sources.set_outputs(SetOutputs("s", {"u2": output("users"), "u3": output("bids")}))
    sources.ingested(Ingested("s", 6))
    ingest = sent.next(Ingest)
    assert json.loads(ingest.position)["read"]["outputs"] == ["u2", "u3"]
    assert ingest.statistics["u2"]["snapshot_committed"] is True
    assert "u1" not in ingest.statistics
    sources.close()


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


def test_a_source_that_fails_when_nobody_is_there_to_be_told_ends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ended: list[threading.ExceptHookArgs] = []
    monkeypatch.setattr(threading, "excepthook", ended.append)

    class Removed(MemoryBlob):
        def put(self, key: str, data: bytes) -> None:
            raise StorageError("the directory is gone")

    def told(message: Any) -> None:
        if isinstance(message, Status) and message.state == "failed":
            asked.append(message)
            raise ConnectionAbortedError("the connection is closed")

    asked: list[Status] = []
    file = tmp_path / "in.csv"  # of more rows than are kept with the shard's state, without a blob
    file.write_text("a\n" + "".join(f"{n}\n" for n in range(100_000)))
    sources = Sources(Removed(), "first", told)
    sources.install(source(file, None))
    running = sources._running["s"]._thread
    running.join(WAIT_S)
    assert not running.is_alive()
    assert len(asked) == 1
    assert ended == []


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
    return InstallSink("k", "snk", description, source, 1)


@pytest.mark.parametrize(
    ("written", "acknowledged", "restored", "refused"),
    [
        (40, 30, 35, True),  # what lies between 35 and 40 is not here
        (35, 30, 35, False),
        (40, 36, 35, False),  # this environment itself has written it
        (40, 30, 0, False),  # it comes from no backup
        (0, 30, 35, False),
    ],
)
def test_a_target_ahead_of_a_backup_is_left_alone(
    written: int, acknowledged: int, restored: int, refused: bool
) -> None:
    with pytest.raises(StorageError, match="the backup that was restored") if refused else nullcontext():
        refuse_ahead(written, acknowledged, restored)


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


class Follows:
    """A collection of single rows, as persist has it: what a sink is told of, and what it is installed anew with."""

    def __init__(self, blob: MemoryBlob) -> None:
        self.blob = blob
        self.history: list[tuple[int, int, int]] = []
        self.upper = 11

    def commit(self, sinks: Egress, count: int = 1) -> None:
        for _ in range(count):
            update = (self.upper, self.upper, 1)
            self.history.append(update)
            lower, self.upper = self.upper, self.upper + 1
            committed = Updates("v", lower, self.upper, parts(self.blob, update))
            sinks.receive(Progress(self.upper, 0, (committed,)))

    def installed(self, path: Path, as_of: int) -> InstallSink:
        snapshot = [u for u in self.history if u[1] <= as_of]
        updates = [u for u in self.history if u[1] > as_of]
        source = imported(
            self.blob,
            "v",
            as_of=as_of,
            upper=self.upper,
            snapshot=snapshot,
            updates=updates,
            timestamped=False,
        )
        return sink(path, source, "none")


class Gate:
    """A target that refuses until it is opened."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.refuses = False
        self.largest = 0
        write = FileSink.write

        def guarded(this: FileSink, changes: Batch, lower: int, upper: int, *rest: Any) -> None:
            self.largest = max(self.largest, len(changes))
            if self.refuses:
                raise SinkStalled("the target is away")
            write(this, changes, lower, upper, *rest)

        monkeypatch.setattr(FileSink, "write", guarded)
        monkeypatch.setattr(egress, "BACKOFF", Backoff(0.001, 0.01))


def test_a_stalled_sink_holds_no_more_than_its_budget_and_catches_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate, sent, out = Gate(monkeypatch), Sent(), tmp_path / "out"
    follows = Follows(MemoryBlob())
    most = 100_000
    sinks = Egress(follows.blob, sent, most)
    sinks.install(follows.installed(out, 10))
    sent.next(SinkProgress)
    gate.refuses = True
    held = []
    for _ in range(20):
        follows.commit(sinks, 50)
        held.append(sinks.nbytes)
    assert max(held) < 1.5 * most, "references up to the budget, and the rows that are being written"
    assert held[-1] == held[10], "what comes beyond it is not held"
    assert sent.state("stalled").reason == "the target is away"
    gate.refuses = False
    behind = sent.next(SinkBehind)
    done = sent.last(SinkProgress).upper
    assert 11 < done < follows.upper
    sinks.install(follows.installed(out, done - 1))
    while sent.next(SinkProgress).upper < follows.upper:
        pass
    assert behind.id == "k"
    assert sorted(r["a"] for r in records(out)) == [u[0] for u in follows.history], "each once"
    sinks.close()


def test_a_sink_sheds_what_it_holds_when_memory_is_short(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate, sent, out = Gate(monkeypatch), Sent(), tmp_path / "out"
    follows = Follows(MemoryBlob())
    sinks = Egress(follows.blob, sent)
    sinks.install(follows.installed(out, 10))
    sent.next(SinkProgress)
    gate.refuses = True
    follows.commit(sinks)
    sent.state("stalled")
    follows.commit(sinks, 100)
    limit = MemoryLimit()
    limit.limit, limit.buffers = 10_000, (sinks,)
    assert sinks.nbytes > 100_000
    assert limit.check([]) is None
    assert sinks.nbytes < 10_000
    gate.refuses = False
    sent.next(SinkBehind)
    sinks.install(follows.installed(out, sent.last(SinkProgress).upper - 1))
    while sent.next(SinkProgress).upper < follows.upper:
        pass
    assert sorted(r["a"] for r in records(out)) == [u[0] for u in follows.history]
    sinks.close()


def test_the_first_contents_are_read_while_commits_are_received(tmp_path: Path) -> None:
    """The thread that steps dataflows hands commits over, and must not wait for a sink to read."""
    reading, go_on = threading.Event(), threading.Event()

    class Slow(MemoryBlob):
        def get(self, key: str) -> bytes:
            reading.set()
            assert go_on.wait(WAIT_S)
            return super().get(key)  # type: ignore[arg-type]

    sent = Sent()
    blob = Slow()
    follows = Follows(blob)
    follows.history = [(n, 10, 1) for n in range(50_000)]  # a blob, not inline
    sinks = Egress(blob, sent)
    sinks.install(follows.installed(tmp_path / "out", 10))
    assert reading.wait(WAIT_S)
    finished = threading.Thread(target=lambda: follows.commit(sinks, 10), daemon=True)
    finished.start()
    finished.join(5)
    waited = finished.is_alive()
    go_on.set()
    assert not waited
    while sent.next(SinkProgress).upper < follows.upper:
        pass
    assert len(records(tmp_path / "out")) == 50_010
    sinks.close()


def test_parts_that_were_merged_away_are_read_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gate, sent, out = Gate(monkeypatch), Sent(), tmp_path / "out"
    blob = MemoryBlob()
    follows = Follows(blob)
    sinks = Egress(blob, sent)
    sinks.install(follows.installed(out, 10))
    sent.next(SinkProgress)
    gate.refuses = True
    follows.commit(sinks)
    sent.state("stalled")
    rows = [(n, 12, 1) for n in range(50_000)]
    follows.history += rows
    gone = parts(blob, *rows)
    follows.upper = 13
    sinks.receive(Progress(13, 0, (Updates("v", 12, 13, gone),)))
    for part in gone:
        assert part.blob is not None
        blob.delete(part.blob)
    gate.refuses = False
    sent.next(SinkBehind)
    sinks.install(follows.installed(out, sent.last(SinkProgress).upper - 1))
    while sent.next(SinkProgress).upper < 13:
        pass
    assert sorted(r["a"] for r in records(out)) == sorted(u[0] for u in follows.history)
    sinks.close()


def test_a_part_that_is_lost_is_an_error(tmp_path: Path) -> None:
    """Nothing was written since it was held: it cannot have been merged away."""
    sent, blob = Sent(), MemoryBlob()
    follows = Follows(blob)
    follows.history = [(n, 10, 1) for n in range(50_000)]
    command = follows.installed(tmp_path / "out", 10)
    for part in command.input.snapshot:
        assert part.blob is not None
        blob.delete(part.blob)
    sinks = Egress(blob, sent)
    sinks.install(command)
    assert "does not exist" in sent.state("failed").reason
    sinks.close()


def test_a_target_that_was_exchanged_for_an_older_one_is_refused(tmp_path: Path) -> None:
    sent = Sent()
    follows = Follows(MemoryBlob())
    sinks = Egress(follows.blob, sent)
    sinks.install(follows.installed(tmp_path / "out", 10))
    follows.commit(sinks, 2)
    while sent.next(SinkProgress).upper < 13:
        pass
    follows.commit(sinks, 5)
    while sent.next(SinkProgress).upper < 18:
        pass
    sinks.uninstall("k")
    late = follows.installed(tmp_path / "out", 16)
    manifest = tmp_path / "out" / "manifest.json"
    manifest.write_text(manifest.read_text().replace('"upper": 18', '"upper": 13'))
    sinks.install(late)
    assert "below 13" in sent.state("failed").reason
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
