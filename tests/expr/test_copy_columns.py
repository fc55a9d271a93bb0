"""COPY's text format, read by columns: what PostgreSQL writes, and what it does not."""

from __future__ import annotations

from random import Random

import psycopg
import pytest
from ptvc.errors import StorageError
from ptvc.expr.text.copy_text import copy_columns

_PIECES = (
    "",
    "a",
    "\\",
    "N",
    "\\N",
    "\t",
    "\n",
    "\r",
    "\b",
    "\f",
    "\v",
    "\x01",
    "é",
    "𝄞",
    ".",
    "x41",
    "101",
    '"',
)


@pytest.mark.parametrize("seed", range(10))
def test_what_postgresql_writes_is_read(oracle: psycopg.Connection, seed: int) -> None:
    random = Random(seed)
    width = random.randint(1, 4)

    def value() -> str | None:
        if random.random() < 0.2:
            return None
        return "".join(random.choices(_PIECES, k=random.randint(0, 5)))

    rows = [tuple(value() for _ in range(width)) for _ in range(random.choice((0, 1, 2, 50)))]
    oracle.execute(f"CREATE TEMP TABLE written ({', '.join(f'c{i} text' for i in range(width))})".encode())
    with oracle.cursor() as cursor:
        cursor.executemany(f"INSERT INTO written VALUES ({', '.join(['%s'] * width)})".encode(), rows)
        with cursor.copy("COPY written TO STDOUT") as copy:
            data = b"".join(map(bytes, copy))
    columns = copy_columns(data, width)
    texts = [[None if v is None else v.decode() for v in column.to_pylist()] for column in columns]
    assert texts == [[row[i] for row in rows] for i in range(width)]


def test_lines_without_columns() -> None:
    assert [column.to_pylist() for column in copy_columns(b"", 2)] == [[], []]
    assert copy_columns(b"\n\n", 0) == ()
    assert [column.to_pylist() for column in copy_columns(b"\t\n\t\n", 2)] == [[b"", b""]] * 2


@pytest.mark.parametrize("data", [b"a\n", b"a\tb\tc\n", b"a\tb", b"a\tb\nc", b"a\tb\tc\nd\n", b"\n\n"])
def test_lines_of_another_width_are_refused(data: bytes) -> None:
    with pytest.raises(StorageError, match="2 columns"):
        copy_columns(data, 2)
