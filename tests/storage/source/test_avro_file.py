"""Files of Avro as fastavro writes them: each record once, whatever grows, is cut, or dies in between."""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import fastavro
import pytest
from ptvc.clock import ManualClock
from ptvc.repr.schema import Column, Schema
from ptvc.repr.types import INT8, TEXT
from ptvc.storage.connectors import AskedOutput, open_ingestion
from ptvc.storage.envelope import EnvelopeKind
from ptvc.storage.ingestion import Ingestion, Status
from ptvc.storage.shares import Piece
from ptvc.storage.source.avro_file import AvroReader
from ptvc.storage.source.avro_records import AvroRecords
from ptvc.storage.source.file_options import FileOptions

SCHEMA = Schema((Column("id", INT8, False), Column("t", TEXT)))
ID = {"name": "id", "type": "long"}
TEXTS = {"name": "t", "type": ["null", "string"]}
WRITER = {"type": "record", "name": "r", "fields": [TEXTS, ID]}


def rows(first: int, count: int) -> list[dict[str, Any]]:
    return [{"id": i, "t": None if i % 5 == 0 else "x" * (i % 40)} for i in range(first, first + count)]


def write(
    path: Path, records: list[dict[str, Any]], schema: Any = WRITER, codec: str = "deflate", block: int = 300
) -> None:
    with path.open("wb") as sink:
        fastavro.writer(sink, schema, records, codec, block)


def append(path: Path, records: list[dict[str, Any]]) -> None:
    with path.open("a+b") as sink:
        fastavro.writer(sink, WRITER, records)


class Source:
    """What a source of a directory has made durable, and a process that reads on from there."""

    def __init__(
        self, path: Path, *, chunk_bytes: int = 500, key: tuple[int, ...] = (), schema: Schema = SCHEMA
    ) -> None:
        self._path, self._chunk, self._key, self._schema = path, chunk_bytes, key, schema
        self.position: str | None = None
        self.rows: Counter[tuple[Any, ...]] = Counter()
        self.errors: list[str] = []
        self.process = self.open()

    def open(self) -> Ingestion:
        envelope = EnvelopeKind.UPSERT if self._key else EnvelopeKind.NONE
        return open_ingestion(
            FileOptions(str(self._path), "avro"), {"s": AskedOutput("", self._schema)}, self._key, envelope, ManualClock(),
            position=self.position, chunk_bytes=self._chunk,
        )  # fmt: skip

    def step(self, *, commit: bool = True) -> bool:
        ingest = self.process.advance()
        if ingest is None:
            return False
        if not commit:
            self.process.aborted()
            return True
        changes = ingest.outputs["s"]
        columns = [column.to_pylist() for column in changes.oks.columns]
        for *row, diff in zip(*columns, changes.oks.diffs.tolist(), strict=True):
            self.rows[tuple(row)] += diff
        self.errors += changes.errs.at(0).columns[1].to_pylist()
        self.position = ingest.position
        self.process.committed(1)
        return True

    def drain(self) -> None:
        while self.step():
            pass

    @property
    def reason(self) -> str:
        assert self.process.statistics.status is Status.STALLED
        return self.process.statistics.reason or ""


def expected(count: int) -> Counter[tuple[Any, ...]]:
    return Counter((row["id"], row["t"]) for row in rows(0, count))


@pytest.mark.parametrize("seed", range(8))
def test_every_record_once_through_aborts_kills_and_growth(seed: int, tmp_path: Path) -> None:
    random = Random(seed)
    source = Source(tmp_path, chunk_bytes=random.choice([1, 700, 1 << 20]))
    written, held = 0, b""
    growing: Path | None = None
    for _ in range(80):
        match random.choice(["new", "grow", "grow", "step", "step", "step", "abort", "kill"]):
            case "new":
                count = random.randrange(0, 90)
                data = rows(written, count)
                write(
                    tmp_path / f"f{random.randrange(10**9)}",
                    data,
                    codec=random.choice(["null", "deflate", "xz", "bzip2"]),
                )
                written += count
            case "grow" if growing is None:
                growing = tmp_path / f"g{random.randrange(10**9)}"
                sink = tmp_path / "_whole"
                write(sink, rows(written, 60))
                written += 60
                held = sink.read_bytes()
                growing.touch()
            case "grow" if held and growing is not None:
                size = random.randrange(1, 200)
                with growing.open("ab") as stream:
                    stream.write(held[:size])
                held = held[size:]
            case "grow" if growing is not None:
                append(growing, rows(written, 30))
                written += 30
            case "step":
                source.step()
            case "abort":
                source.step(commit=False)
            case "kill":
                source.process = source.open()
    if growing is not None:
        with growing.open("ab") as stream:
            stream.write(held)
    source.drain()
    assert source.process.statistics.status is Status.RUNNING, source.process.statistics.reason
    assert source.rows == expected(written)
    assert not source.errors


def test_a_file_that_ends_within_a_block_waits_and_says_so(tmp_path: Path) -> None:
    write(tmp_path / "a", rows(0, 100))
    data = (tmp_path / "a").read_bytes()
    (tmp_path / "a").write_bytes(data[:-1])
    write(tmp_path / "b", rows(100, 10))
    source = Source(tmp_path)
    source.drain()
    assert 10 < source.rows.total() < 110, "the blocks that are whole, and other files"
    assert source.process.statistics.reason == 'file "a" ends within a block, and waits for its rest'
    with (tmp_path / "a").open("ab") as stream:
        stream.write(data[-1:])
    source.drain()
    assert source.rows == expected(110)
    assert source.process.statistics.reason is None


def other_marker(data: bytes) -> bytes:
    return data[:-1] + bytes([data[-1] ^ 1])


def other_file(data: bytes) -> bytes:
    sink = io.BytesIO()
    fastavro.writer(sink, WRITER, rows(0, 100), "deflate", 300)
    assert len(sink.getvalue()) == len(data)
    return sink.getvalue()


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda data: data[:-40], 'file "a" was truncated: '),
        (lambda data: data[:60], 'file "a" was truncated: '),
        (other_file, 'file "a" was replaced or edited after it was read'),
        (lambda data: b"x" * len(data), 'file "a" cannot be read as Avro at byte 0: it does not begin as a file of Avro does'),
        (None, 'file "a" has vanished after it was read'),
    ],
)  # fmt: skip
def test_what_was_read_may_not_change(
    tmp_path: Path, change: Callable[[bytes], bytes] | None, reason: str
) -> None:
    path = tmp_path / "a"
    write(path, rows(0, 100))
    source = Source(tmp_path)
    source.drain()
    data = path.read_bytes()
    if change is None:
        path.unlink()
    else:
        path.write_bytes(change(data))
    assert not source.step()
    assert source.reason.startswith(reason)
    path.write_bytes(data)
    append(path, rows(100, 5))
    source.drain()
    assert source.rows == expected(105)


@pytest.mark.parametrize("chunk_bytes", [1, 500, 1 << 20])
def test_a_broken_block_stalls_the_source_behind_those_that_are_whole(
    tmp_path: Path, chunk_bytes: int
) -> None:
    write(tmp_path / "a", rows(0, 100))
    data = (tmp_path / "a").read_bytes()
    (tmp_path / "a").write_bytes(other_marker(data))
    whole = sum(block.num_records for block in list(fastavro.block_reader(io.BytesIO(data)))[:-1])
    source = Source(tmp_path, chunk_bytes=chunk_bytes)
    source.drain()
    assert source.rows.total() == whole
    assert source.reason.endswith("the block there has not the file's marker behind it")
    (tmp_path / "a").write_bytes(data)
    source.drain()
    assert source.rows == expected(100)


def test_files_may_have_schemas_of_their_own(tmp_path: Path) -> None:
    write(tmp_path / "a", [{"id": 1, "t": "x"}])
    write(
        tmp_path / "b",
        [{"id": 2, "more": [1, 2]}],
        record([{"name": "more", "type": {"type": "array", "items": "int"}}, {"name": "id", "type": "int"}]),
    )
    source = Source(tmp_path)
    source.drain()
    assert source.rows == {(1, "x"): 1, (2, None): 1}
    write(tmp_path / "c", [{"id": "3"}], record([{"name": "id", "type": "string"}]))
    assert not source.step()
    assert source.reason == 'file "c": column "id" is text and cannot be read as bigint'
    write(tmp_path / "c", [{"t": "3"}], record([{"name": "t", "type": "string"}]))
    assert not source.step()
    assert source.reason == 'file "c": it has no field "id"'
    write(tmp_path / "c", [{"id": 3, "t": b"3"}], record([ID, {"name": "t", "type": "bytes"}]))
    source.drain()
    assert source.rows[3, "3"] == 1


def record(fields: list[Any]) -> Any:
    return {"type": "record", "name": "r", "fields": fields}


def test_values_in_error_name_their_records(tmp_path: Path) -> None:
    nullable = record([{"name": "id", "type": ["null", "long"]}, TEXTS])
    write(
        tmp_path / "a",
        [{"id": i, "t": "a\0b" if i == 17 else "x"} for i in range(40)] + [{"id": None, "t": "x"}],
        nullable,
        block=20,
    )
    source = Source(tmp_path)
    source.drain()
    assert source.rows.total() == 39
    assert source.errors == [
        'file "a", line 18: column "t": invalid byte sequence for encoding "UTF8": 0x00',
        'file "a", line 41: column "id": null value in column "id" violates not-null constraint',
    ]


def test_records_by_key(tmp_path: Path) -> None:
    write(tmp_path / "a", [{"id": 1, "t": "x"}, {"id": 2, "t": "y"}, {"id": 1, "t": "z"}])
    source = Source(tmp_path, key=(0,))
    source.drain()
    write(tmp_path / "b", [{"id": 2, "t": None}, {"id": 3, "t": "w"}])
    source.drain()
    assert +source.rows == {(1, "z"): 1, (3, "w"): 1}


@pytest.mark.parametrize("of", [1, 2, 3, 7, 50])
@pytest.mark.parametrize("limit", [1, 1 << 20])
def test_pieces_have_each_block_once_and_number_their_rows(tmp_path: Path, of: int, limit: int) -> None:
    path = tmp_path / "a"
    write(path, rows(0, 200), block=150)
    records = AvroRecords(SCHEMA)
    ids: list[int] = []
    lines: list[int] = []
    marks = []
    for number in range(of):
        reader = AvroReader(path, piece=Piece(number, of))
        position = None
        while (chunk := reader.poll(position, limit)) is not None:
            position = chunk.next_position
            for piece in chunk.records:
                found = records.decode(piece)
                ids += found.columns[0].to_pylist()
                lines += found.lines.tolist()
        assert position is not None
        marks.append(position["files"]["a"])
    assert ids == list(range(200))
    assert lines == list(range(1, 201))
    assert (marks[-1]["offset"], marks[-1]["rows"]) == (path.stat().st_size, 200)
    assert len({mark["check"] for mark in marks}) == 1
