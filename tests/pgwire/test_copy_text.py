"""COPY's text and csv against slow, obvious readers; line numbers; newlines; the end mark."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from itertools import pairwise
from random import Random

import pytest
from ptvc.coord.results.results import CopyIn
from ptvc.errors import Unsupported
from ptvc.pgwire.codec import CopyDataError
from ptvc.pgwire.copy import TextReader
from ptvc.repr.schema import Column, Schema
from ptvc.repr.types import INT4, TEXT
from ptvc.sql.syntax.vocabulary import CopyFormat, CopyOptions

Row = tuple[object, ...]
TEXT_OPTIONS = CopyOptions(CopyFormat.TEXT, "\t", "\\N", False)
CSV_OPTIONS = CopyOptions(CopyFormat.CSV, ",", "", False)
TWO = Schema((Column("a", TEXT), Column("b", TEXT)))
ONE = Schema((Column("a", TEXT),))
NUMBER = Schema((Column("n", INT4), Column("b", TEXT)))


def read(data: bytes, options: CopyOptions, schema: Schema = TWO, cuts: Sequence[int] = ()) -> list[Row]:
    reader = TextReader(CopyIn(schema, options, "t"), "COPY t")
    bounds = [0, *cuts, len(data)]
    parts = [data[a:b] for a, b in pairwise(bounds)]
    rows: list[Row] = []
    for part, final in [*((part, False) for part in parts), (b"", True)]:
        for columns in reader.feed(part, final):
            rows += zip(*(column.to_pylist() for column in columns), strict=True)
    return rows


def error(data: bytes, options: CopyOptions, schema: Schema = TWO) -> tuple[str, str]:
    with pytest.raises(CopyDataError) as caught:
        read(data, options, schema)
    return caught.value.message, caught.value.context


ALPHABET = ["a", "b", "\\", "\t", "\n", "\r", ",", '"', "\u00e9", "N", ".", ""]


def any_rows(random: Random) -> list[tuple[str | None, str | None]]:
    def value() -> str | None:
        return None if random.random() < 0.1 else "".join(random.choices(ALPHABET, k=random.randrange(6)))

    return [(value(), value()) for _ in range(random.randrange(1, 12))]


def escape(value: str | None) -> str:
    if value is None:
        return "\\N"
    for raw, shown in (("\\", "\\\\"), ("\t", "\\t"), ("\n", "\\\n"), ("\r", "\\r")):
        value = value.replace(raw, shown)
    return value


@pytest.mark.parametrize("seed", range(100))
def test_text_matches_what_was_written(seed: int) -> None:
    random = Random(seed)
    rows = any_rows(random)
    data = "".join("\t".join(map(escape, row)) + "\n" for row in rows).encode()
    if random.random() < 0.5:
        data = data[:-1]
    cuts = sorted(random.sample(range(len(data) + 1), k=min(4, len(data))))
    assert read(data, TEXT_OPTIONS, cuts=cuts) == rows


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize("seed", range(60))
def test_csv_matches_what_was_written(seed: int, newline: str) -> None:
    random = Random(seed)
    rows = any_rows(random)
    out = io.StringIO(newline="")
    for row in rows:
        cells = ["" if v is None else '"' + v.replace('"', '""') + '"' for v in row]
        out.write(",".join(cells) + newline)
    data = out.getvalue().encode()
    cuts = sorted(random.sample(range(len(data) + 1), k=4))
    assert read(data, CSV_OPTIONS, cuts=cuts) == rows
    assert len(list(csv.reader(io.StringIO(data.decode(), newline="")))) == len(rows)


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"\\x41\\101\\q\\b\tx\n", [("AAq\b", "x")]),
        (b"\\\\N\t\\N\n", [("\\N", None)]),
        (b"a\\\tb\tc\n", [("a\tb", "c")]),
        (b"\t\r\n\t\r\n", [("", ""), ("", "")]),
        (b"a\tb\rc\td", [("a", "b"), ("c", "d")]),
        (b"a\tb\n\\.\nnot looked at", [("a", "b")]),
        (b"a\tb\\", [("a", "b")]),
        (b"", []),
    ],
)
def test_text_cases(data: bytes, expected: list[Row]) -> None:
    assert read(data, TEXT_OPTIONS) == expected


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b'a"b,c"d,e\n', [("ab,cd", "e")]),
        (b'"",\n', [("", None)]),
        (b'"""","a""b"\n', [('"', 'a"b')]),
        (b'a,b\n"c\n",d', [("a", "b"), ("c\n", "d")]),
        (b"a,\\N\n\\.,x\n", [("a", "\\N"), ("\\.", "x")]),
    ],
)
def test_csv_cases(data: bytes, expected: list[Row]) -> None:
    assert read(data, CSV_OPTIONS) == expected


def test_empty_lines_of_one_column() -> None:
    assert read(b"\n\na\n", TEXT_OPTIONS, ONE) == [("",), ("",), ("a",)]
    assert read(b"\n\na\n", CSV_OPTIONS, ONE) == [(None,), (None,), ("a",)]


def test_what_ends_a_text_is_a_row_of_a_csv_file() -> None:
    assert read(b"a\n\\.\nb\n", TEXT_OPTIONS, ONE) == [("a",)]
    assert read(b"a\n\\.\nb\n", CSV_OPTIONS, ONE) == [("a",), ("\\.",), ("b",)]


@pytest.mark.parametrize("cuts", [(), (2,), (3,), (4,), (5,), (2, 3, 4)])
@pytest.mark.parametrize(
    ("data", "newline"), [(b"a\n\\.\n", b"\n"), (b"a\n\\.", b"\n"), (b"a\r\n\\.\r\n", b"\r\n")]
)
def test_the_last_row_of_a_csv_file_may_be_the_mark_of_an_older_client(
    data: bytes, newline: bytes, cuts: tuple[int, ...]
) -> None:
    inside = [cut for cut in cuts if cut < len(data)]
    assert read(data, CSV_OPTIONS, ONE, inside) == [("a",)]
    assert read(b"\\." + newline + data, CSV_OPTIONS, ONE, inside) == [("\\.",), ("a",)]


def test_header_is_skipped_once() -> None:
    options = CopyOptions(CopyFormat.CSV, ";", "", True)
    assert read(b"x;y\na;b\nc;d\n", options, cuts=[4, 8]) == [("a", "b"), ("c", "d")]


@pytest.mark.parametrize(
    ("data", "options", "message", "context"),
    [
        (b"1\tx\n2\n", TEXT_OPTIONS, 'missing data for column "b"', 'COPY t, line 2: "2"'),
        (b"1\tx\ty\n", TEXT_OPTIONS, "extra data after last expected column", 'COPY t, line 1: "1\tx\ty"'),
        (
            b"1\tx\nz\ty\n1\n",
            TEXT_OPTIONS,
            'invalid input syntax for type integer: "z"',
            'COPY t, line 2, column n: "z"',
        ),
        (
            b'1,"\n\n"\nz,y\n',
            CSV_OPTIONS,
            'invalid input syntax for type integer: "z"',
            'COPY t, line 2, column n: "z"',
        ),
        (b'1,"x\n', CSV_OPTIONS, "unterminated CSV quoted field", 'COPY t, line 1: "1,"x\n"'),
        (b"1\tx\n2\ty\rz\n", TEXT_OPTIONS, "literal carriage return found in data", "COPY t, line 2"),
        (b"1,x\r\n2,y\nz\r\n", CSV_OPTIONS, "unquoted newline found in data", "COPY t, line 2"),
        (b"1\ta\\.\n", TEXT_OPTIONS, "end-of-copy marker is not alone on its line", "COPY t, line 1"),
        (b"1\t\xff\n", TEXT_OPTIONS, 'invalid byte sequence for encoding "UTF8": 0xff', "COPY t, line 1"),
        (
            b"1\t\\000\n",
            TEXT_OPTIONS,
            'invalid byte sequence for encoding "UTF8": 0x00',
            'COPY t, line 1: "1\t\\000"',
        ),
    ],
)
def test_errors_say_where(data: bytes, options: CopyOptions, message: str, context: str) -> None:
    assert error(data, options, NUMBER) == (message, context)


def test_long_values_are_cut_in_messages() -> None:
    _, context = error(b"x" * 500 + b"\ty\n", TEXT_OPTIONS, NUMBER)
    assert context == f'COPY t, line 1, column n: "{"x" * 100}..."'


def test_another_escape_is_refused() -> None:
    with pytest.raises(Unsupported, match="ESCAPE"):
        read(b"", CopyOptions(CopyFormat.CSV, ",", "", False, '"', "\\"))
