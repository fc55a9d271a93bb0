"""Compressed files beside those that grow: each once, when it is whole."""

from __future__ import annotations

import bz2
import gzip
import json
from collections.abc import Callable
from pathlib import Path
from random import Random

import pyarrow as pa
import pytest
from ptvc.clock import SystemClock
from ptvc.repr.schema import Column, Schema
from ptvc.repr.types import INT8
from ptvc.storage.connectors import AskedOutput, open_ingestion
from ptvc.storage.envelope import EnvelopeKind
from ptvc.storage.ingestion import Status
from ptvc.storage.source.directory import SourceStalled
from ptvc.storage.source.file import FileReader, Position
from ptvc.storage.source.file_options import FileOptions

from .test_file import BIG, read_all

PACKINGS: list[Callable[[bytes], bytes]] = [
    gzip.compress,
    bz2.compress,
    lambda data: pa.compress(data, "zstd", asbytes=True),
]


@pytest.mark.parametrize("seed", range(6))
def test_every_line_once_whatever_the_chunks_and_the_restarts(tmp_path: Path, seed: int) -> None:
    random = Random(seed)
    wanted = []
    for name in "abcdef":
        lines = [b"%s%d" % (name.encode(), i) * random.randrange(1, 9) for i in range(random.randrange(200))]
        data = b"".join(line + b"\n" for line in lines)
        if random.random() < 0.7:
            cut = random.randrange(len(data) + 1)
            packed = random.choice(PACKINGS)
            data = packed(data[:cut]) + packed(data[cut:].rstrip(b"\n"))
        (tmp_path / name).write_bytes(data)
        wanted += [(name, number, line) for number, line in enumerate(lines, 1)]
    found = []
    position: Position | None = None
    reader = FileReader(tmp_path)
    while (chunk := reader.poll(position, random.choice([10, 100, 3000]))) is not None:
        if random.random() < 0.3:  # it was not committed, or the process has ended
            reader = FileReader(tmp_path)
            continue
        position = json.loads(json.dumps(chunk.next_position))
        for piece in chunk.records:
            found += [
                (piece.file, piece.first_line + i, line) for i, line in enumerate(piece.data.splitlines())
            ]
    assert found == wanted
    assert FileReader(tmp_path).poll(position, BIG) is None


def test_one_that_is_still_written_waits_and_others_go_on(tmp_path: Path) -> None:
    data = gzip.compress(b"".join(b"line %d\n" % i for i in range(1000)))
    path = tmp_path / "a.gz"
    path.write_bytes(data[:100])
    (tmp_path / "b").write_bytes(b"one\n")
    reader = FileReader(tmp_path)
    lines, position = read_all(reader)
    assert lines == [("b", 1, b"one")]
    path.write_bytes(data[:-1])
    assert reader.poll(position, BIG) is None
    assert reader.cut == "a.gz"
    path.write_bytes(data)
    lines, position = read_all(reader, position)
    assert reader.cut is None
    assert (len(lines), lines[-1]) == (1000, ("a.gz", 1000, b"line 999"))


@pytest.mark.parametrize("packed", PACKINGS)
def test_a_source_says_what_it_waits_for(tmp_path: Path, packed: Callable[[bytes], bytes]) -> None:
    data = packed(b"".join(b"%d\n" % i for i in range(1000)))
    path = tmp_path / "a"
    path.write_bytes(data[:-20])
    options = FileOptions(str(tmp_path), "csv", header=False)
    schema = Schema((Column("id", INT8),))
    ingestion = open_ingestion(
        options, {"s": AskedOutput("", schema)}, (), EnvelopeKind.NONE, SystemClock(), position=None
    )
    assert ingestion.advance() is None
    now = ingestion.statistics
    assert (now.status, now.reason) == (Status.RUNNING, 'file "a" is compressed, and waits for its end')
    path.write_bytes(data)
    assert ingestion.advance() is not None
    assert ingestion.statistics.reason is None
    ingestion.close()


def test_headers(tmp_path: Path) -> None:
    (tmp_path / "a.gz").write_bytes(gzip.compress(b"\xef\xbb\xbfx;y\n1;2\n3;4"))
    (tmp_path / "b.gz").write_bytes(gzip.compress(b"x;y\n"))
    reader = FileReader(tmp_path, header=True, delimiter=";")
    first = reader.poll(None, 1)
    assert first is not None
    assert [(p.fields, p.first_line, p.data) for p in first.records] == [(("x", "y"), 2, b"1;2\n")]
    again = FileReader(tmp_path, header=True, delimiter=";")
    rest, position = read_all(again, first.next_position)
    assert rest == [("a.gz", 3, b"3;4")]
    assert again.fields("a.gz") == ("x", "y")
    assert position is not None
    assert position["files"].keys() == {"a.gz", "b.gz"}


def test_a_header_that_is_none_stalls(tmp_path: Path) -> None:
    (tmp_path / "a.gz").write_bytes(gzip.compress(b"a,b\rc\n1,x\n"))
    with pytest.raises(SourceStalled, match=r'^file "a.gz", line 1: .* unquoted carriage return') as raised:
        FileReader(tmp_path, header=True).poll(None, BIG)
    assert raised.value.sqlstate == "22P04"


@pytest.mark.parametrize("whole", [True, False])
def test_what_has_changed_stalls_and_goes_on(tmp_path: Path, whole: bool) -> None:
    path = tmp_path / "a.gz"
    data = gzip.compress(b"".join(b"line %d\n" % i for i in range(1000)), mtime=0)
    path.write_bytes(data)
    reader = FileReader(tmp_path)
    first = reader.poll(None, BIG if whole else 100)
    assert first is not None
    position = first.next_position
    for changed in (data + gzip.compress(b"more\n"), data[:20] + b"?" + data[21:]):
        path.write_bytes(changed)
        for each in (reader, FileReader(tmp_path)):
            with pytest.raises(SourceStalled, match=r'file "a.gz" was (changed|replaced)'):
                each.poll(position, BIG)
    path.unlink()
    with pytest.raises(SourceStalled, match=r'file "a.gz" has vanished'):
        reader.poll(position, BIG)
    path.write_bytes(data)
    lines, _ = read_all(FileReader(tmp_path), position)
    assert sum(piece.data.count(b"\n") for piece in first.records) + len(lines) == 1000


def test_one_that_is_damaged_stalls(tmp_path: Path) -> None:
    data = gzip.compress(Random(1).randbytes(5000))
    (tmp_path / "a.gz").write_bytes(data[:2000] + b"xxxx" + data[2004:])
    with pytest.raises(SourceStalled, match=r'file "a.gz" cannot be decompressed'):
        FileReader(tmp_path).poll(None, BIG)
