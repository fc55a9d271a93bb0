"""Shares of a source: tasks read what the source itself would read, and it goes on behind that."""

from __future__ import annotations

import bz2
import gzip
import io
import json
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import fastavro
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from ptvc.clock import SystemClock
from ptvc.errors import PtvcError
from ptvc.persist.location import open_blob
from ptvc.persist.read import read_updates
from ptvc.replica.protocol import ReadShares
from ptvc.replica.protocol.codec import decode, encode
from ptvc.repr.batch import Batch
from ptvc.repr.schema import Column, Schema
from ptvc.repr.types import INT8, TEXT
from ptvc.storage.connections.options import ConnectionKind, ConnectionOptions
from ptvc.storage.connections.values import Values
from ptvc.storage.connectors import AskedOutput, open_ingestion, parsed_options
from ptvc.storage.dead_letters import DEAD_LETTERS, LINE_LETTERS
from ptvc.storage.envelope import EnvelopeKind
from ptvc.storage.ingestion import PROGRESS, Ingest, Ingestion
from ptvc.storage.projection import Projection
from ptvc.storage.share_reading import ShareReader, WrittenShare
from ptvc.storage.shares import OF_JOBS, Sizes
from servers.s3_server import S3Server

from .test_row_filter import where as filter_of


def small(nbytes: int) -> Sizes:
    """Shares and pieces of so many bytes."""
    return replace(OF_JOBS, share=nbytes, piece=nbytes)


SCHEMA = Schema((Column("id", INT8), Column("word", TEXT)))


@dataclass
class Durable:
    """What a source has made durable, read by itself or by shares."""

    connector: str
    options: dict[str, Any]
    blobs: str
    outputs: dict[str, AskedOutput] = field(default_factory=lambda: {"s": AskedOutput("", SCHEMA)})
    connections: Mapping[str, Values] = field(default_factory=dict)
    position: str | None = None
    recorded: list[Batch] = field(default_factory=list)
    rows: Counter[tuple[Any, ...]] = field(default_factory=Counter)
    errors: Counter[tuple[Any, ...]] = field(default_factory=Counter)

    def open(self) -> Ingestion:
        return open_ingestion(
            parsed_options(self.connector, self.options), self.outputs, (), EnvelopeKind.NONE, SystemClock(),
            position=self.position, connections=self.connections, recorded=self.recorded, chunk_bytes=500,
            label="source s, ",
        )  # fmt: skip

    def read(self, ingestion: Ingestion, *, most: int | None = None) -> None:
        """By itself, so many chunks at most."""
        while most != 0 and (ingest := ingestion.advance()) is not None:
            most = None if most is None else most - 1
            for id_, changes in ingest.outputs.items():
                self._add(id_, changes.oks.at(0), changes.errs.at(0))
            self._commit(ingestion, ingest)

    def by_shares(
        self, ingestion: Ingestion, *, least: int = 1, sizes: Sizes = OF_JOBS
    ) -> list[WrittenShare]:
        """As the tasks of a job do it, the last share first."""
        found = ingestion.shares(least, sizes)
        outputs = {id_: output for id_, output in self.outputs.items() if output.reference != PROGRESS}
        reader = ShareReader(
            self.connector, self.options, outputs, dict.fromkeys(outputs, "shard"), self.connections,
            "source s, ", self.blobs, "job-1",
        )  # fmt: skip
        if not sizes.messages:  # a job's cross to the coordinator
            crossed = decode(b"".join(encode(ReadShares("s", 1, reader, tuple(found)))))
            assert isinstance(crossed, ReadShares)
            found = crossed.shares
        written = [reader(share) for share in reversed(found)][::-1]
        if not written:
            return []
        ingest = ingestion.read_by_shares([each.read for each in written])
        assert ingest.outputs.keys() == self.outputs.keys() - outputs.keys()
        for id_, changes in ingest.outputs.items():
            self._add(id_, changes.oks.at(0), changes.errs.at(0))
        blob = open_blob(self.blobs)
        for each in written:
            for id_, parts in each.parts.items():
                delta = read_updates(blob, parts, self.outputs[id_].schema, 0, 1)
                self._add(id_, delta.oks, delta.errs)
        self._commit(ingestion, ingest)
        return written

    def _add(self, id: str, oks: Batch, errs: Batch) -> None:
        nested = [pa.types.is_nested(column.type) for column in oks.columns]
        columns = [
            list(map(str, column.to_pylist())) if deep else column.to_pylist()
            for column, deep in zip(oks.columns, nested, strict=True)
        ]
        for diff, *row in zip(oks.diffs.tolist(), *columns, strict=True):
            self.rows[id, *row] += diff
        self.rows = +self.rows
        self.errors.update(zip(*(column.to_pylist() for column in errs.columns), strict=True))

    def _commit(self, ingestion: Ingestion, ingest: Ingest) -> None:
        assert ingest.complete
        self.position = ingest.position
        if ingest.recorded is not None:
            self.recorded.append(ingest.recorded.at(0))
        ingestion.committed(1)


def lines(first: int, count: int, *, bad: bool = False) -> bytes:
    rows = [json.dumps({"id": first + i, "word": f"w{i}"}) for i in range(count)]
    if bad:
        rows[count // 2] = '{"id": "x"}'
    return "".join(f"{row}\n" for row in rows).encode()


def table(first: int, count: int, group: int = 10) -> bytes:
    sink = io.BytesIO()
    ids = range(first, first + count)
    found = pa.table({"id": list(ids), "word": [None if i % 7 == 0 else f"w{i}" for i in ids]})
    pq.write_table(found, sink, row_group_size=group)
    return sink.getvalue()


def csv_lines(first: int, count: int, *, bad: bool = False) -> bytes:
    rows = [b"%d,w%d" % (first + i, i) for i in range(count)]
    if bad:
        rows[count // 2] = b"7,w\r8,v"
    return b"".join(b"%s\n" % row for row in [b"id,word", *rows])


def avro(first: int, count: int, block: int = 60, bad: int | None = None) -> bytes:
    """With a record in error, the number `bad`."""
    sink = io.BytesIO()
    fields = [{"name": "word", "type": ["null", "string"]}, {"name": "id", "type": "long"}]
    words = [None if i % 7 == 0 else f"w{i}" + "\0" * (i == bad) for i in range(count)]
    rows = [{"id": first + i, "word": word} for i, word in enumerate(words)]
    schema = {"type": "record", "name": "r", "fields": fields}
    fastavro.writer(sink, schema, rows, "deflate", block)
    return sink.getvalue()


CONTENTS: dict[str, Callable[[int], bytes]] = {
    "json": lambda n: lines(100 * n, 60, bad=n == 2),
    "csv": lambda n: csv_lines(100 * n, 60, bad=n == 2),
    "parquet": lambda n: table(100 * n, 60),
    "avro": lambda n: avro(100 * n, 60, bad=30 if n == 2 else None),
}
PACKED: dict[int, Callable[[bytes], bytes]] = {1: gzip.compress, 3: bz2.compress}


def content(format: str, n: int) -> bytes:
    data = CONTENTS[format](n)
    return PACKED[n](data) if format in ("json", "csv") and n in PACKED else data


class Files:
    """A directory, or a prefix in a bucket."""

    def __init__(self, path: Path, s3: S3Server | None, format: str) -> None:
        self.path = path / "in"
        self.path.mkdir()
        self.s3, self.format = s3, format
        self.bucket = "" if s3 is None else s3.bucket()
        self.blobs = f"file://{path}/blobs"

    def write(self, n: int) -> None:
        data = content(self.format, n)
        if self.s3 is None:
            (self.path / f"f{n}").write_bytes(data)
        else:
            self.s3.write(self.bucket, f"in/f{n}", data)

    def source(self, **more: Any) -> Durable:
        if self.s3 is None:
            return Durable("file", {"path": str(self.path), "format": self.format}, self.blobs, **more)
        options = {
            "connection": "c",
            "bucket": self.bucket,
            "prefix": "in",
            "format": self.format,
            "scan_ms": 0,
        }
        keys = {"ENDPOINT": self.s3.endpoint, "ACCESS KEY ID": "testing", "SECRET ACCESS KEY": "secret"}
        values = Values(ConnectionOptions(ConnectionKind.AWS, dict(keys)), {})
        return Durable("s3", options, self.blobs, connections={"c": values}, **more)


@pytest.fixture(params=[f"{place} {format}" for place in ("file", "s3") for format in CONTENTS])
def files(request: pytest.FixtureRequest, tmp_path: Path) -> Files:
    place, format = request.param.split()
    return Files(tmp_path, request.getfixturevalue("s3") if place == "s3" else None, format)


def test_shares_have_what_the_source_would_read(files: Files) -> None:
    for n in range(5):
        files.write(n)
    itself, shared = files.source(), files.source()
    itself.read(itself.open())
    ingestion = shared.open()
    assert shared.by_shares(ingestion)
    assert shared.rows == itself.rows
    assert shared.errors == itself.errors
    assert bool(shared.errors) == (files.format in ("json", "csv", "avro"))
    assert json.loads(shared.position or "") == json.loads(itself.position or "")
    assert ingestion.statistics.records == 300
    assert ingestion.statistics.errors == sum(shared.errors.values())
    assert ingestion.statistics.outputs["s"].updates_committed == 300
    assert ingestion.statistics.snapshot_done
    assert ingestion.advance() is None
    assert not ingestion.shares(1)
    files.write(7)  # it goes on by itself, in this process or in another
    shared.read(shared.open())
    itself.read(itself.open())
    assert shared.rows == itself.rows
    assert sum(shared.rows.values()) + sum(shared.errors.values()) == 360


def test_shares_go_on_where_the_source_stands(files: Files) -> None:
    for n in range(4):
        files.write(n)
    shared = files.source()
    ingestion = shared.open()
    shared.read(ingestion, most=2)
    assert 0 < sum(shared.rows.values()) < 240
    restarted = shared.open()
    assert shared.by_shares(restarted)
    assert sum(shared.rows.values()) + sum(shared.errors.values()) == 240
    assert set(shared.rows.values()) == {1}
    assert restarted.advance() is None


def test_what_is_too_little_the_source_reads_itself(files: Files) -> None:
    files.write(0)
    source = files.source()
    ingestion = source.open()
    assert not ingestion.shares(1 << 20)
    source.read(ingestion)
    assert len(source.rows) == 60


def test_a_large_parquet_file_is_read_in_pieces(tmp_path: Path, s3: S3Server) -> None:
    for place in (None, s3):
        folder = tmp_path / str(place is None)
        folder.mkdir()
        files = Files(folder, place, "parquet")
        for n in range(2):
            files.write(n)
        source = files.source()
        ingestion = source.open()
        written = source.by_shares(ingestion, sizes=small(300))
        assert len(written) > 6
        assert sorted(row[1] for row in source.rows) == [*range(60), *range(100, 160)]
        assert set(source.rows.values()) == {1}
        assert ingestion.advance() is None
        files.write(2)
        source.read(source.open())
        assert len(source.rows) == 180


@pytest.mark.parametrize("place", ["file", "s3"])
@pytest.mark.parametrize("condition", [None, "1 / (id - 17) < 5"])
def test_a_large_file_of_avro_is_read_in_pieces(
    tmp_path: Path, s3: S3Server, place: str, condition: str | None
) -> None:
    files = Files(tmp_path, s3 if place == "s3" else None, "avro")
    for n in range(3):
        files.write(n)
    where = None if condition is None else filter_of(condition, "id bigint, word text")
    outputs = {"s": AskedOutput("", SCHEMA, where=where)}
    itself, source = files.source(outputs=outputs), files.source(outputs=outputs)
    itself.read(itself.open())
    ingestion = source.open()
    assert len(source.by_shares(ingestion, sizes=small(150))) > 8
    assert (source.rows, source.errors) == (itself.rows, itself.errors)
    assert len(source.errors) == (1 if condition is None else 2)
    assert ingestion.advance() is None
    files.write(4)
    source.read(source.open())
    assert source.rows.total() == 239 if condition is None else 238


@pytest.mark.parametrize("format", ["json", "csv"])
def test_a_large_file_of_lines_is_read_in_parts(tmp_path: Path, format: str) -> None:
    files = Files(tmp_path, None, format)
    for n in (0, 2, 4):
        files.write(n)
    with (files.path / "f4").open("ab") as file:
        file.write(b'{"id": 7, ' if format == "json" else b"7,")
    itself, source = files.source(), files.source()
    itself.read(itself.open())
    ingestion = source.open()
    assert len(source.by_shares(ingestion, sizes=small(100))) > 8
    assert (source.rows, source.errors) == (itself.rows, itself.errors), "the numbers of lines, too"
    assert len(source.errors) == 1
    assert json.loads(source.position or "") == json.loads(itself.position or "")
    assert not ingestion.shares(100)
    with (files.path / "f4").open("ab") as file:
        file.write(b'"word": "x"}\n' if format == "json" else b"x\n")
        file.write(lines(500, 40) if format == "json" else csv_lines(500, 40).partition(b"\n")[2])
    again = source.open()
    assert len(source.by_shares(again, sizes=small(100))) >= 3, "from where the source stands, too"
    itself.read(itself.open())
    assert (source.rows, source.errors, source.position) == (itself.rows, itself.errors, itself.position)
    assert source.rows["s", 7, "x"] == 1


def test_a_commit_has_so_many_bytes_of_a_file_of_lines(tmp_path: Path) -> None:
    files = Files(tmp_path, None, "json")
    files.write(0)
    files.write(4)
    itself, source = files.source(), files.source()
    itself.read(itself.open())
    ingestion = source.open()
    sizes = replace(small(100), most_bytes=500)
    commits = 0
    while source.by_shares(ingestion, sizes=sizes):
        commits += 1
        assert ingestion.statistics.snapshot_done == (source.rows == itself.rows)
    assert commits > 5
    assert source.rows == itself.rows
    assert source.position == itself.position


@pytest.mark.parametrize("when", ["before", "between"])
def test_a_file_of_lines_that_is_replaced_while_it_is_read_is_not_taken(tmp_path: Path, when: str) -> None:
    files = Files(tmp_path, None, "json")
    files.write(4)
    (file,) = files.path.iterdir()
    source = files.source()
    ingestion = source.open()
    found = ingestion.shares(1, small(1000))
    reader = ShareReader(
        "file", source.options, source.outputs, {"s": "shard"}, {}, "source s, ", source.blobs, "job-1"
    )
    later = file.read_bytes().replace(b"w1", b"u1")
    if when == "before":
        file.write_bytes(later)
        with pytest.raises(PtvcError, match="f4"):
            list(map(reader, found))
        return
    reads = [reader(share).read for share in found[1:]]
    file.write_bytes(later)
    with pytest.raises(PtvcError, match="f4"):
        ingestion.read_by_shares([reader(found[0]).read, *reads])
    source.read(source.open())
    assert source.rows["s", 401, "u1"] == 1


def test_small_files_are_read_together(tmp_path: Path) -> None:
    files = Files(tmp_path, None, "csv")
    for n in range(5):
        files.write(n)
    itself, source = files.source(), files.source()
    itself.read(itself.open())
    ingestion = source.open()
    assert 1 < len(source.by_shares(ingestion, sizes=small(1000))) < 5
    assert (source.rows, source.errors) == (itself.rows, itself.errors)
    assert json.loads(source.position or "") == json.loads(itself.position or "")


def test_a_file_of_avro_that_was_read_in_pieces_grows(tmp_path: Path) -> None:
    files = Files(tmp_path, None, "avro")
    files.write(0)
    source = files.source()
    source.by_shares(source.open(), sizes=small(150))
    with (files.path / "f0").open("a+b") as stream:
        fastavro.writer(stream, None, [{"id": -1, "word": "x"}, {"id": -2, "word": "\0"}])
    source.read(source.open())
    assert source.rows["s", -1, "x"] == 1
    ((_, error),) = source.errors
    assert (
        error
        == 'source s, file "f0", line 62: column "word": invalid byte sequence for encoding "UTF8": 0x00'
    )


def test_a_file_of_avro_that_grows_while_tasks_read_it_is_read_by_the_source_itself(tmp_path: Path) -> None:
    files = Files(tmp_path, None, "avro")
    files.write(0)
    source = files.source()
    ingestion = source.open()
    found = ingestion.shares(1, small(150))
    reader = ShareReader(
        "file", source.options, source.outputs, {"s": "shard"}, {}, "source s, ", source.blobs, "job-1"
    )
    reads = [reader(found[0]).read]
    with (files.path / "f0").open("a+b") as stream:
        fastavro.writer(stream, None, [{"id": -1, "word": "x"}])
    reads += [reader(share).read for share in found[1:]]
    with pytest.raises(PtvcError, match="f0"):
        ingestion.read_by_shares(reads)
    source.read(source.open())
    assert source.rows.total() == 61


@pytest.mark.parametrize("format", ["json", "avro"])
def test_conditions_columns_and_dead_letters_are_the_same(tmp_path: Path, format: str) -> None:
    files = Files(tmp_path, None, format)
    for n in range(4):
        files.write(n)
    where = filter_of("id % 3 > 0 AND word <> 'w1'", "id bigint, word text")
    own = AskedOutput("", SCHEMA.project((0,)), where=where, projection=Projection(SCHEMA, (0,)))
    outputs = {"s": own, "d": AskedOutput(DEAD_LETTERS, LINE_LETTERS)}
    itself, shared = files.source(outputs=outputs), files.source(outputs=outputs)
    itself.read(itself.open())
    ingestion = shared.open()
    assert shared.by_shares(ingestion)
    assert shared.rows == itself.rows
    assert not shared.errors
    letters = [row for row in shared.rows.elements() if row[0] == "d"]
    assert [row[1:3] for row in letters] == [("f2", 31)]
    assert ingestion.statistics.dead_letters == 1


def test_a_file_that_is_not_whole_waits(tmp_path: Path) -> None:
    files = Files(tmp_path, None, "json")
    files.write(0)
    cut = content("json", 1)
    (files.path / "f1").write_bytes(cut[: len(cut) // 2])
    source = files.source()
    ingestion = source.open()
    assert source.by_shares(ingestion)
    assert len(source.rows) == 60
    assert not ingestion.shares(1), "nothing new is there, and no job is run for it"
    (files.path / "f1").write_bytes(cut)
    source.read(ingestion)
    assert len(source.rows) == 120


def test_what_a_task_cannot_read_the_source_says(tmp_path: Path) -> None:
    files = Files(tmp_path, None, "parquet")
    files.write(0)
    (files.path / "f1").write_bytes(b"PAR1 this is nothing of the kind PAR1")
    source = files.source()
    ingestion = source.open()
    with pytest.raises(Exception, match="f1"):
        source.by_shares(ingestion)
    source.read(ingestion)
    assert ingestion.statistics.reason is not None
    assert "f1" in ingestion.statistics.reason


def test_a_source_with_keys_has_no_shares(tmp_path: Path) -> None:
    files = Files(tmp_path, None, "json")
    files.write(0)
    options = parsed_options("file", {"path": str(files.path), "format": "json"})
    ingestion = open_ingestion(
        options, {"s": AskedOutput("", SCHEMA)}, (0,), EnvelopeKind.UPSERT, SystemClock()
    )
    assert not ingestion.shares(1)
