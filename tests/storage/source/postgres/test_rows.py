"""Texts that come from upstream as rows and errors, which a later delete of the row takes back."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from random import Random
from typing import Any

import numpy as np
import psycopg
import pyarrow as pa
import pytest
from ptvc.errors import UndefinedColumn
from ptvc.expr.text.copy_text import copy_columns
from ptvc.repr.schema import Column, Schema
from ptvc.repr.types import (
    BOOL,
    BYTEA,
    DATE,
    FLOAT8,
    INT4,
    INT8,
    JSONB,
    TEXT,
    TIMESTAMP,
    TIMESTAMPTZ,
    UUID,
    Kind,
    ScalarType,
)
from ptvc.storage.changes import Changes
from ptvc.storage.source.postgres.pgoutput import Decoder
from ptvc.storage.source.postgres.tables import UpstreamTable
from ptvc.storage.source.upstream.rows import rows_of
from servers.postgres_listening import Listening

from .stream import streaming

SCHEMA = Schema((Column("v", INT4), Column("k", TEXT, False)))


def _columns(rows: Sequence[Sequence[bytes | None]], width: int) -> list[pa.Array]:
    return [pa.array([row[i] for row in rows], pa.binary()) for i in range(width)]


def _summed(changes: Changes) -> dict[tuple[Any, ...], int]:
    total: Counter[tuple[Any, ...]] = Counter()
    columns = [column.to_pylist() for column in changes.columns]
    for index, diff in enumerate(changes.diffs.tolist()):
        total[tuple(column[index] for column in columns)] += diff
    return {row: number for row, number in total.items() if number}


def test_columns_are_found_by_name() -> None:
    columns = _columns([(b"a", b"x", b"1"), (b"b", None, None)], 3)
    oks, errs = rows_of(columns, ["k", "other", "v"], SCHEMA, np.array([1, -1]))
    assert [column.to_pylist() for column in oks.columns] == [[1, None], ["a", "b"]]
    assert [column.type for column in oks.columns] == [pa.int32(), pa.string()]
    assert oks.diffs.tolist() == [1, -1]
    assert not len(errs)
    with pytest.raises(UndefinedColumn, match='the table upstream has no column "v" any more'):
        rows_of(columns[:2], ["k", "other"], SCHEMA, np.array([1, -1]))


def test_strings_are_as_good_as_binaries() -> None:
    oks, _ = rows_of([pa.array(["a"]), pa.array(["1"])], ["k", "v"], SCHEMA, np.array([1]))
    assert [column.to_pylist() for column in oks.columns] == [[1], ["a"]]


@pytest.mark.parametrize(
    ("key", "shown"),
    [
        (("id",), ", row with id = 7"),
        (("id", "k"), ", row with id = 7, k = b"),
        (("v",), ", row with v = ?"),  # its own value is what cannot be read
        (("id", "left out"), ""),
        ((), ""),
    ],
)
def test_an_error_names_the_table_and_the_row(key: tuple[str, ...], shown: str) -> None:
    schema = Schema((Column("id", INT8, False), Column("k", TEXT), Column("v", INT4)))
    columns = _columns([(b"6", b"a", b"1"), (b"7", b"b", b"x")], 3)
    former = UpstreamTable("public", "people", (), 1, "table 1", "f", key=key)
    table = UpstreamTable.from_json(replace(former, names_rows=True).to_json())
    names = list(schema.names)
    _, errs = rows_of(columns, names, schema, np.array([1, 1]), table)
    error = 'column "v": invalid input syntax for type integer: "x"'
    assert errs.columns[1].to_pylist() == [f"table public.people{shown}: {error}"]
    _, errs = rows_of(columns, names, schema, np.array([1, 1]), UpstreamTable.from_json(former.to_json()))
    assert errs.columns[1].to_pylist() == [error]  # as an earlier version has written it


def test_a_row_that_cannot_be_read_is_an_error_of_its_diff() -> None:
    rows = [
        (b"a", b"1"),
        (b"b", b"x"),
        (b"c", b"99999999999"),
        (b"\xff", b"2"),
        (b"\xff", b"y"),
        (None, b"3"),
        (b"\xff", b"\xfe"),
        (b"d", None),
    ]
    oks, errs = rows_of(_columns(rows, 2), ["k", "v"], SCHEMA, np.array([1, 1, -1, 1, 1, -1, 1, 1]))
    assert _summed(oks) == {(1, "a"): 1, (None, "d"): 1}
    assert list(zip(*(column.to_pylist() for column in errs.columns), errs.diffs.tolist(), strict=True)) == [
        ("22P02", 'column "v": invalid input syntax for type integer: "x"', 1),
        ("22003", 'column "v": value "99999999999" is out of range for type integer', -1),
        ("22021", 'column "k": invalid byte sequence for encoding "UTF8"', 1),
        ("22P02", 'column "v": invalid input syntax for type integer: "y"', 1),
        ("23502", 'column "k": null value in column "k" violates not-null constraint', -1),
        ("22021", 'column "v": invalid byte sequence for encoding "UTF8"', 1),
    ]


@pytest.mark.parametrize("seed", range(20))
def test_rows_that_are_deleted_leave_nothing(seed: int) -> None:
    """However they are cut into batches, and whatever is beside them."""
    random = Random(seed)
    keys = [b"a", b"\xff", None, "é".encode(), b"'", b'"']
    values = [b"1", b"", b" 2 ", b"x", b"\xc3", None, b"2147483648", b"1e3"]
    rows = [(random.choice(keys), random.choice(values)) for _ in range(100)]
    changes = [(row, 1) for row in rows] + [(row, -1) for row in random.sample(rows, len(rows))]
    total: list[Counter[tuple[Any, ...]]] = [Counter(), Counter()]
    came = 0
    while changes:
        size = random.randint(1, 40)
        part, changes = changes[:size], changes[size:]
        diffs = np.array([diff for _, diff in part], np.int64)
        both = rows_of(_columns([row for row, _ in part], 2), ["k", "v"], SCHEMA, diffs)
        came += sum(map(len, both))
        for sums, changed in zip(total, both, strict=True):
            for row, number in _summed(changed).items():
                sums[row] += number
    assert came == 200
    assert not any(total[0].values())
    assert not any(total[1].values())


# --- what a real server writes ---------------------------------------------------------------------------------------

TYPES = {
    "i": (INT8, "bigint"),
    "f": (FLOAT8, "double precision"),
    "n": (ScalarType(Kind.NUMERIC, 20, 4), "numeric(20,4)"),
    "b": (BOOL, "boolean"),
    "t": (TEXT, "text"),
    "x": (BYTEA, "bytea"),
    "d": (DATE, "date"),
    "s": (TIMESTAMP, "timestamp"),
    "z": (TIMESTAMPTZ, "timestamptz"),
    "j": (JSONB, "jsonb"),
    "u": (UUID, "uuid"),
    "a": (ScalarType(Kind.ARRAY, element=TEXT), "text[]"),
}
NEW_ROWS = """
    INSERT INTO {} SELECT
        CASE WHEN g % 7 > 0 THEN g * -12345678901 END, g / 3.0::float8, g / 7.0, g % 2 = 0,
        CASE g % 5 WHEN 0 THEN NULL WHEN 1 THEN '' WHEN 2 THEN E'\\\\N' WHEN 3 THEN E'a\\tb\\nc\\r\\b\\f\\v\\\\x41\\\\' ELSE 'é𝄞' || g END,
        decode(md5(g::text), 'hex'), '2024-02-28'::date + g, '2024-01-01'::timestamp + g * interval '1.000001 s',
        '2024-01-01'::timestamptz + g * interval '1 hour', jsonb_build_object('a', g, 'b', E'"\\\\\\n'),
        md5(g::text)::uuid, ARRAY[g::text, NULL, E'a,"\\\\', '\\N']
    FROM generate_series(1, 200) g"""


def test_a_snapshot_and_the_stream_are_the_same_rows(upstream: Listening) -> None:
    """What is read by COPY, and what comes when all rows are deleted, cancel out; and is what psycopg reads."""
    schema = Schema(tuple(Column(name, type_) for name, (type_, _) in TYPES.items()))
    declared = ", ".join(f"{name} {sql}" for name, (_, sql) in TYPES.items())
    with psycopg.connect(upstream.uri, autocommit=True) as db:
        db.execute(f"CREATE TABLE copied ({declared})".encode())
        db.execute("ALTER TABLE copied REPLICA IDENTITY FULL")
        db.execute("CREATE PUBLICATION copied FOR TABLE copied")
        db.execute(NEW_ROWS.format("copied").encode())
        with streaming(upstream.uri, "copied", "copied") as stream:
            with db.cursor() as cursor, cursor.copy("COPY copied TO STDOUT") as copy:
                data = b"".join(map(bytes, copy))
            expected = db.execute("SELECT i, t, x, d FROM copied").fetchall()
            db.execute("DELETE FROM copied")
            ((segment,),) = Decoder().decode(stream.read()).tables.values()
        db.execute("DROP PUBLICATION copied")
        db.execute("DROP TABLE copied")
    columns = copy_columns(data, len(schema))
    copied, wrong = rows_of(columns, schema.names, schema, np.ones(200, np.int64))
    assert not len(wrong)
    found = [copied.columns[schema.names.index(name)].to_pylist() for name in ("i", "t", "x", "d")]
    assert list(zip(*found, strict=True)) == expected
    names = [column.name for column in segment.relation.columns]
    deleted, wrong = rows_of(segment.columns, names, schema, segment.diffs)
    assert not len(wrong)
    assert (segment.diffs == -1).all()
    for came, went in zip(copied.columns, deleted.columns, strict=True):
        assert came.equals(went)
