"""Reading files that grow, and noticing those that do anything else."""

from __future__ import annotations

import json
import lzma
from pathlib import Path

import pytest
from ptvc.storage.source.directory import SourceStalled
from ptvc.storage.source.file import FileReader, Position

BIG = 1 << 20


def read_all(
    reader: FileReader, position: Position | None = None, max_bytes: int = BIG
) -> tuple[list[tuple[str, int, bytes]], Position | None]:
    """Everything there is, as (file, line number, line), and the position after it; each position goes through JSON."""
    lines: list[tuple[str, int, bytes]] = []
    while (chunk := reader.poll(position, max_bytes)) is not None:
        for piece in chunk.records:
            lines += [
                (piece.file, piece.first_line + i, line) for i, line in enumerate(piece.data.splitlines())
            ]
        position = json.loads(json.dumps(chunk.next_position))
        if chunk.at_end:
            assert reader.poll(position, max_bytes) is None
            assert chunk.lag_bytes == 0 or b"\n" not in chunk.records[-1].data[-1:] or chunk.lag_bytes < 50
    return lines, position


@pytest.mark.parametrize("max_bytes", [1, 7, 20, BIG])
def test_every_line_once_in_order_of_names(tmp_path: Path, max_bytes: int) -> None:
    (tmp_path / "b").write_bytes(b"b1\nb2\n\nb4\n")
    (tmp_path / "a").write_bytes(b"a1\r\n" + b"a2" * 50 + b"\n")
    (tmp_path / "_tmp").write_bytes(b"no\n")
    (tmp_path / ".hidden").write_bytes(b"no\n")
    (tmp_path / "sub").mkdir()
    lines, position = read_all(FileReader(tmp_path), max_bytes=max_bytes)
    assert lines == [
        ("a", 1, b"a1"), ("a", 2, b"a2" * 50), ("b", 1, b"b1"), ("b", 2, b"b2"), ("b", 3, b""), ("b", 4, b"b4"),
    ]  # fmt: skip
    assert read_all(FileReader(tmp_path), position) == ([], position)


def test_growth_new_files_and_a_partial_last_line(tmp_path: Path) -> None:
    reader = FileReader(tmp_path)
    path = tmp_path / "m.jsonl"
    path.write_bytes(b"one\ntw")
    lines, position = read_all(reader)
    assert lines == [("m.jsonl", 1, b"one")]
    with path.open("ab") as stream:
        stream.write(b"o\nthree")
    (tmp_path / "a.jsonl").write_bytes(b"new\n")
    lines, position = read_all(reader, position)
    assert lines == [("a.jsonl", 1, b"new"), ("m.jsonl", 2, b"two")]
    with path.open("ab") as stream:
        stream.write(b"\n")
    assert read_all(FileReader(tmp_path), position)[0] == [("m.jsonl", 3, b"three")]


def test_pattern_single_file_and_byte_order_mark(tmp_path: Path) -> None:
    (tmp_path / "x.json").write_bytes(b"\xef\xbb\xbfone\n")
    (tmp_path / "x.txt").write_bytes(b"no\n")
    assert read_all(FileReader(tmp_path, pattern="*.json"))[0] == [("x.json", 1, b"one")]
    assert read_all(FileReader(tmp_path / "x.json"))[0] == [("x.json", 1, b"one")]


def test_header_is_known_in_the_middle_of_a_file(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_bytes(b'\xef\xbb\xbfa;"b;c"\r\n1;2\n3;4\n')
    reader = FileReader(tmp_path, header=True, delimiter=";")
    first = reader.poll(None, 16)
    assert first is not None
    fields = [piece.fields for piece in first.records]
    lines, _ = read_all(reader, max_bytes=5)
    assert lines == [("x.csv", 2, b"1;2"), ("x.csv", 3, b"3;4")]
    rest = FileReader(tmp_path, header=True, delimiter=";").poll(first.next_position, BIG)
    assert rest is not None
    assert [*fields, rest.records[0].fields] == [("a", "b;c")] * (len(fields) + 1)


def test_a_header_that_is_none_stalls_until_it_is_one(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_bytes(b"a,b\rc\n1,x\n")
    reader = FileReader(path, header=True)
    with pytest.raises(SourceStalled) as raised:
        reader.poll(None, BIG)
    expected = 'file "x.csv", line 1: the header cannot be read: unquoted carriage return found in data'
    assert (raised.value.message, raised.value.sqlstate) == (expected, "22P04")
    path.write_bytes(b'a,"b\rc"\n1,x\n')
    found = reader.poll(None, BIG)
    assert found is not None
    assert found.records[0].fields == ("a", "b\rc")


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"one\n", 'file "f" was truncated: 8 bytes were read, 4 are there'),
        (b"xxx\ntwo\nthree\n", 'file "f" was replaced or edited after it was read'),
        (b"one\nTWO\n", 'file "f" was replaced or edited after it was read'),
        (None, 'file "f" has vanished after it was read'),
    ],
)
@pytest.mark.parametrize("fresh_reader", [False, True])
def test_what_was_read_must_stay(
    tmp_path: Path, content: bytes | None, reason: str, fresh_reader: bool
) -> None:
    path = tmp_path / "f"
    path.write_bytes(b"one\ntwo\n")
    reader = FileReader(tmp_path)
    lines, position = read_all(reader)
    assert len(lines) == 2
    if fresh_reader:
        reader = FileReader(tmp_path)
    path.unlink()
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(SourceStalled) as caught:
        reader.poll(position, BIG)
    assert caught.value.message == reason
    assert caught.value.hint
    path.write_bytes(b"one\ntwo\nthree\n")
    assert read_all(reader, position)[0] == [("f", 3, b"three")]


def test_paths_and_formats_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(SourceStalled, match="does not exist") as missing:
        FileReader(tmp_path / "none").poll(None, BIG)
    assert missing.value.sqlstate == "58P01"
    (tmp_path / "x.xz").write_bytes(lzma.compress(b"one\n"))
    with pytest.raises(SourceStalled, match=r'file "x.xz" is compressed by xz') as compressed:
        FileReader(tmp_path).poll(None, BIG)
    assert compressed.value.sqlstate == "0A000"


def test_a_line_without_end_stalls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ptvc.storage.source.file.MAX_LINE_BYTES", 1 << 20)
    (tmp_path / "x").write_bytes(b"ok\n" + b"x" * (3 << 20))
    reader = FileReader(tmp_path)
    chunk = reader.poll(None, 100)
    assert chunk is not None
    with pytest.raises(SourceStalled, match='file "x" has a line of more than 1 MiB at byte 3'):
        reader.poll(chunk.next_position, 100)
