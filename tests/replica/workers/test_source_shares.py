"""What a source has to read, read by all workers: once each, whoever fails, ends or is not wanted any more."""

from __future__ import annotations

import json
import os
import signal
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from time import monotonic, sleep

import pytest
from faults.standing_still import stand_still
from ptvc.compute.shared_files import MACHINE
from ptvc.errors import PtvcError, QueryCanceled
from ptvc.persist.blob.base import Blob, key_writer
from ptvc.persist.location import open_blob
from ptvc.persist.part import PartRef
from ptvc.persist.read import read_updates
from ptvc.replica import ingest
from ptvc.replica.ingest import Sources
from ptvc.replica.protocol import Ingest, Ingested, InstallSource, ReadShares, SourceOutput, Status
from ptvc.replica.workers import source_shares
from ptvc.replica.workers.layout import Layout
from ptvc.replica.workers.member import Start
from ptvc.replica.workers.message_stream import MessageStream
from ptvc.replica.workers.source_shares import CancelShare, ReadShare
from ptvc.replica.workers.team import Team
from ptvc.repr.schema import Column, Schema
from ptvc.repr.types import INT8, TEXT
from ptvc.storage.connectors import AskedOutput
from ptvc.storage.share_reading import ShareReader, WrittenShare
from ptvc.storage.shares import OF_WORKERS, Share
from ptvc.storage.source.file_shares import Extent

from ..test_sources_and_sinks import Sent, source
from .machines import Machines

SCHEMA = Schema((Column("id", INT8), Column("word", TEXT)))
LINES = 2_000
"""Of a file: more than is kept inline."""


@pytest.fixture
def blob(tmp_path: Path) -> Blob:
    return open_blob(f"file://{tmp_path}/blobs")


@pytest.fixture(params=[2, 3])
def team(request: pytest.FixtureRequest, blob: Blob) -> Iterator[Team]:
    team = Team(request.param, Start(blob, MACHINE, "member", dict(os.environ)))
    yield team
    team.close()


@pytest.fixture
def two(blob: Blob) -> Iterator[Team]:
    team = Team(2, Start(blob, MACHINE, "member", dict(os.environ)))
    yield team
    team.close()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "in"
    folder.mkdir()
    for n in range(9):
        write(folder, n)
    return folder


def write(folder: Path, n: int) -> None:
    rows = (json.dumps({"id": i, "word": f"word {i}"}) for i in range(n * LINES, (n + 1) * LINES))
    (folder / f"{n}.json").write_text("".join(f"{row}\n" for row in rows))


def reader(folder: Path) -> ShareReader:
    options = {"path": str(folder), "format": "json"}
    return ShareReader(
        "file", options, {"s": AskedOutput("", SCHEMA)}, {"s": "shard"}, {}, "source s, ", writer="leader"
    )


def shares(*names: str) -> list[Share]:
    return [Share(Extent((f"{name}.json",)), None, LINES) for name in names]


def ids(blob: Blob, parts: tuple[PartRef, ...]) -> list[int]:
    found: list[int] = read_updates(blob, parts, SCHEMA, 0, 1).oks.columns[0].to_pylist()
    return found


def always() -> bool:
    return True


def test_all_workers_read_and_answers_are_in_the_order_of_the_shares(
    team: Team, blob: Blob, folder: Path
) -> None:
    written = team.shares.read(reader(folder), shares(*"012345678"), blob, always)
    found = [ids(blob, each.parts["s"]) for each in written]
    assert found == [list(range(n * LINES, (n + 1) * LINES)) for n in range(9)]
    assert [each.read.records for each in written] == [LINES] * 9
    writers = {key_writer(part.blob) for each in written for part in each.parts["s"] if part.blob is not None}
    assert writers == {"leader", "member"}, "each under the name of the replica's attempt"


def test_several_sources_are_read_at_once(two: Team, blob: Blob, folder: Path) -> None:
    found: dict[int, tuple[WrittenShare, ...]] = {}

    def read(n: int) -> None:
        found[n] = two.shares.read(reader(folder), shares(*"01234"), blob, always)

    threads = [threading.Thread(target=read, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for written in found.values():
        assert [ids(blob, each.parts["s"])[0] for each in written] == [n * LINES for n in range(5)]
    assert len(found) == 4


def test_what_a_worker_cannot_read_ends_the_reading_and_leaves_nothing(
    team: Team, blob: Blob, folder: Path
) -> None:
    with pytest.raises(PtvcError, match=r"none\.json"):
        team.shares.read(reader(folder), shares("0", "1", "2", "none", "3", "4"), blob, always)
    kept: set[str] = set()
    deadline = monotonic() + 60
    while True:  # late answers are looked for when a member is asked again
        for each in team.shares.read(reader(folder), shares(*"01"), blob, always):
            kept |= {part.blob for part in each.parts["s"] if part.blob is not None}
        if set(blob.keys()) == kept:
            return
        assert monotonic() < deadline


def stopped(pid: int) -> Callable[[], None]:
    """Has the process stand still; what is returned has it go on."""
    stand_still(pid)
    return lambda: os.kill(pid, signal.SIGCONT)


def test_nobody_waits_for_a_member_when_the_source_is_not_wanted_any_more(
    two: Team, blob: Blob, folder: Path
) -> None:
    go_on = stopped(two.pids[0])
    try:
        begun = monotonic()
        with pytest.raises(QueryCanceled):
            two.shares.read(reader(folder), shares(*"01234"), blob, lambda: monotonic() - begun < 1)
        assert monotonic() - begun < 30
        # It is not asked for more before it has answered: the leader reads alone.
        assert len(two.shares.read(reader(folder), shares(*"012"), blob, always)) == 3
    finally:
        go_on()


def test_a_share_of_a_member_that_is_killed_is_read_by_another(two: Team, blob: Blob, folder: Path) -> None:
    go_on = stopped(two.pids[0])
    found: list[tuple[WrittenShare, ...]] = []

    def read() -> None:
        found.append(two.shares.read(reader(folder), shares(*"01234"), blob, always))

    thread = threading.Thread(target=read)
    thread.start()
    thread.join(0.5)
    assert thread.is_alive(), "it waits for the one that the member has"
    os.kill(two.pids[0], signal.SIGKILL)
    go_on()
    thread.join(60)
    (written,) = found
    assert [ids(blob, each.parts["s"])[0] for each in written] == [n * LINES for n in range(5)]


def test_a_member_hears_in_the_middle_of_a_share_that_it_is_not_wanted() -> None:
    """What is canceled is looked for between the chunks of a share; its answer comes then, and the member is asked again."""
    theirs, ours = (MessageStream(end, threading.Event()) for end in socket.socketpair())
    looked = source_shares._Canceled(theirs)
    assert not looked()
    ours.send(CancelShare())
    begun = monotonic()
    while not looked() and monotonic() - begun < 10:
        sleep(0.01)
    assert looked()
    ours.close()
    theirs.close()


def test_a_share_that_comes_with_the_cancellation_of_the_one_before_is_read(blob: Blob, folder: Path) -> None:
    """Both are there when the member, which has answered, looks for what is next."""
    theirs, end = socket.socketpair()
    ours = MessageStream(end, threading.Event())
    (share,) = shares("0")
    ours.send(CancelShare())
    ours.send(ReadShare(reader(folder), share))
    member = threading.Thread(target=source_shares.read_shares, args=(theirs, blob, "member"))
    member.start()
    with closing(ours):
        written = ours.receive(monotonic() + 20)
        assert ids(blob, written.parts["s"])[0] == 0
    member.join(20)
    assert not member.is_alive()


def test_workers_on_other_machines_read_too(blob: Blob, folder: Path) -> None:
    machines = Machines(Layout(3, 1), blob)
    team = machines.team()
    try:
        written = team.shares.read(reader(folder), shares(*"012345678"), blob, always)
        assert [ids(blob, each.parts["s"])[0] for each in written] == [n * LINES for n in range(9)]
    finally:
        team.close()
    assert machines.ended()


# -- a source --


def command(path: Path, position: str | None = None) -> InstallSource:
    found = source(path, position)
    description = replace(found.description, options={"path": str(path), "format": "json"})
    return replace(
        found,
        outputs={"s": SourceOutput("shard", "", SCHEMA)},
        description=description,
        installation=7,
        job_min_bytes=4,
    )


@contextmanager
def sources_of(team: Team, blob: Blob) -> Iterator[tuple[Sources, Sent]]:
    sent = Sent()
    sources = Sources(blob, "leader", sent, workers=team.shares)
    yield sources, sent
    sources.close()


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ingest, "WORKERS_MIN_BYTES", 1000)
    monkeypatch.setattr(ingest, "OF_WORKERS", replace(OF_WORKERS, share=1000, piece=20_000))


@pytest.mark.usefixtures("small")
def test_what_workers_have_read_is_one_commit_with_the_position(team: Team, blob: Blob, folder: Path) -> None:
    with sources_of(team, blob) as (sources, sent):
        sources.install(command(folder))
        ingest = sent.next(Ingest)
        assert ingest.job_id is None
        assert ids(blob, ingest.parts["s"]) == list(range(9 * LINES))
        assert ingest.statistics["s"]["updates_committed"] == 9 * LINES
        assert ingest.statistics["s"]["records"] == 9 * LINES
        assert ingest.statistics["s"]["updates_staged"] == 9 * LINES
        sources.ingested(Ingested("s", 1, 7))
        with (folder / "9.json").open("w") as file:
            file.write('{"id": -1, "word": "few"}\n')
        assert ids(blob, sent.next(Ingest).parts["s"]) == [-1]
    assert sent.nothing(ReadShares, 0.1), "no job is asked for"
    with sources_of(team, blob) as (sources, sent):  # what goes on from there has nothing that it has read
        sources.install(command(folder, ingest.position))
        assert ids(blob, sent.next(Ingest).parts["s"]) == [-1]


@pytest.mark.usefixtures("small")
def test_what_is_not_committed_is_read_again(team: Team, blob: Blob, folder: Path) -> None:
    with sources_of(team, blob) as (sources, sent):
        sources.install(command(folder))
        sent.next(Ingest)
        sources.uninstall("s")
        sources.install(replace(command(folder), installation=8))
        again = sent.next(Ingest)
        assert again.installation == 8
        assert ids(blob, again.parts["s"]) == list(range(9 * LINES))


@pytest.mark.usefixtures("small")
def test_what_workers_cannot_read_the_source_reads_and_says(team: Team, blob: Blob, folder: Path) -> None:
    (folder / "4.json").write_bytes(b"\x50\x4b\x03\x04" * 5_000)
    with sources_of(team, blob) as (sources, sent):
        sources.install(command(folder))
        status = sent.next(Status)
        while status.state != "stalled":
            status = sent.next(Status)
        assert "4.json" in (status.reason or "")
        write(folder, 4)
        found: list[int] = []
        while len(found) < 9 * LINES:
            found += ids(blob, sent.next(Ingest).parts["s"])
            sources.ingested(Ingested("s", 1, 7))
        assert sorted(found) == list(range(9 * LINES))
