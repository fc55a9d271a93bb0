"""What a source has a job, or the workers of its replica, read: it commits what they have written, or reads by itself."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from ptvc.persist.location import open_blob
from ptvc.persist.read import read_updates
from ptvc.replica.ingest import Sources
from ptvc.replica.protocol import Ingest, Ingested, InstallSource, ReadShares, SharesRead, SourceOutput

from ..support import SCHEMA
from ..test_sources_and_sinks import Sent, source


def command(path: Path, position: str | None = None) -> InstallSource:
    outputs = {"s": SourceOutput("shard", "", SCHEMA)}
    return replace(source(path, position), outputs=outputs, installation=7, job_min_bytes=4)


def read(asked: ReadShares, blobs: str) -> SharesRead:
    """As a job does it."""
    reader = replace(asked.reader, blobs=blobs, writer="job-5")
    return SharesRead("s", asked.installation, 5, tuple(map(reader, asked.shares)))


def test_the_parts_of_a_job_are_committed_with_the_position(tmp_path: Path) -> None:
    blobs = f"file://{tmp_path}/blobs"
    blob = open_blob(blobs)
    folder = tmp_path / "in"
    folder.mkdir()
    for n in range(3):
        (folder / f"{n}.csv").write_text(f"a\n{n}\n{n + 10}\n")
    sent = Sent()
    sources = Sources(blob, "first", sent)
    sources.install(command(folder))
    asked = sent.next(ReadShares)
    assert len(asked.shares) == 1, "small files are read together"
    assert sent.nothing(Ingest, 0.3)
    sources.shares_read(replace(read(asked, blobs), installation=6))  # the answer to another installation
    sources.shares_read(read(asked, blobs))
    ingest = sent.next(Ingest)
    assert ingest.job_id == 5
    rows = read_updates(blob, ingest.parts["s"], SCHEMA, 0, 1).oks.columns[0].to_pylist()
    assert rows == [0, 10, 1, 11, 2, 12]
    assert ingest.statistics["s"]["updates_committed"] == 6
    sources.ingested(Ingested("s", 1, 7))
    (folder / "3.csv").write_text("a\n3\n")
    rest = sent.next(Ingest)
    assert rest.job_id is None
    assert read_updates(blob, rest.parts["s"], SCHEMA, 0, 1).oks.columns[0].to_pylist() == [3]
    sources.close()
    # One that goes on from there has nothing that it has read.
    again = Sent()
    second = Sources(blob, "second", again)
    second.install(command(folder, ingest.position))
    assert len(again.next(ReadShares).shares) == 1
    second.close()


def test_what_no_job_can_read_the_source_reads(tmp_path: Path) -> None:
    blob = open_blob(f"file://{tmp_path}/blobs")
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "0.csv").write_text("a\n1\n2\n")
    sent = Sent()
    sources = Sources(blob, "first", sent)
    sources.install(command(folder))
    asked = sent.next(ReadShares)
    sources.shares_read(SharesRead("s", asked.installation, error="Spark is not running"))
    ingest = sent.next(Ingest)
    assert ingest.job_id is None
    assert read_updates(blob, ingest.parts["s"], SCHEMA, 0, 1).oks.columns[0].to_pylist() == [1, 2]
    sources.close()
