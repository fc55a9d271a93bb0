"""The decoder against the streams of real PostgreSQLs: the sum of what it makes of them is what the tables have."""

from __future__ import annotations

import struct
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import count
from random import Random

import numpy as np
import psycopg
import pytest
from ptvc.errors import StorageError
from ptvc.storage.source.postgres.pgoutput import Decoded, Decoder, Segment, last_commit
from servers.postgres_listening import Listening

from .stream import Stream, streaming

Row = frozenset[tuple[str, bytes]]
"""The values that are not NULL: adding a column changes no row, as no message says anything else."""

_names = count(1)


class Contents:
    """What the decoded segments make of tables."""

    def __init__(self) -> None:
        self.tables: dict[str, Counter[Row]] = {}
        self._decoder = Decoder()

    def apply(self, messages: Sequence[bytes]) -> Decoded:
        decoded = self._decoder.decode(messages)
        for segments in decoded.tables.values():
            for segment in segments:
                self._add(segment)
        return decoded

    def _add(self, segment: Segment) -> None:
        assert not segment.lacks_old
        names = [column.name for column in segment.relation.columns]
        former = Counter() if segment.truncated else self.tables.get(segment.relation.name, Counter())
        rows = _projected(former, names)
        columns = [column.to_pylist() for column in segment.columns]
        for index, diff in enumerate(segment.diffs.tolist()):
            rows[_row(names, [column[index] for column in columns])] += diff
        self.tables[segment.relation.name] = Counter({row: number for row, number in rows.items() if number})

    def now(self, table: str, db: psycopg.Connection) -> Counter[Row]:
        """In the columns that it has now: none is known to be gone before the next row comes."""
        cursor = db.execute(f"SELECT * FROM {table} LIMIT 0".encode())
        return _projected(
            self.tables.get(table, Counter()), [column.name for column in cursor.description or ()]
        )


def _projected(rows: Counter[Row], names: Sequence[str]) -> Counter[Row]:
    found: Counter[Row] = Counter()
    for row, number in rows.items():
        found[frozenset(pair for pair in row if pair[0] in names)] += number
    return found


def _row(names: Sequence[str], values: Sequence[bytes | None]) -> Row:
    return frozenset((name, value) for name, value in zip(names, values, strict=True) if value is not None)


def contents(db: psycopg.Connection, table: str) -> Counter[Row]:
    """As the types' output functions write it, of which casts to text are not all."""
    result = db.pgconn.exec_(f"SELECT * FROM {table}".encode())
    names = [(result.fname(column) or b"").decode() for column in range(result.nfields)]
    rows = range(result.ntuples)
    return Counter(_row(names, [result.get_value(row, i) for i in range(len(names))]) for row in rows)


@contextmanager
def published(
    upstream: Listening, *tables: str, identity: str = "FULL"
) -> Iterator[tuple[psycopg.Connection, Stream, list[str]]]:
    """New tables of those columns, their publication, and its stream."""
    number = next(_names)
    names = [f"t{number}_{index}" for index in range(len(tables))]
    with psycopg.connect(upstream.uri, autocommit=True) as db:
        for name, columns in zip(names, tables, strict=True):
            db.execute(f"CREATE TABLE {name} ({columns})".encode())
            db.execute(f"ALTER TABLE {name} REPLICA IDENTITY {identity}".encode())
        db.execute(f"CREATE PUBLICATION p{number} FOR TABLE {', '.join(names)}".encode())
        with streaming(upstream.uri, f"p{number}", f"s{number}") as stream:
            yield db, stream, names
        db.execute(f"DROP PUBLICATION p{number}".encode())
        db.execute(f"DROP TABLE {', '.join(names)}".encode())


# --- random histories ------------------------------------------------------------------------------------------------

_TYPES = {
    "int": ("NULL", "0", "-1", "2147483647"),
    "text": ("NULL", "''", "'a'", "'é\t\n\\\\\"'", "'n'", "'u'", "'t'", "repeat('long ', 500)"),
    "bytea": ("NULL", "'\\x'", "'\\x00ff'"),
    "timestamptz": ("NULL", "'2024-02-29 12:34:56.789+02'", "'infinity'"),
    "numeric": ("NULL", "1.50", "'NaN'", "-12345678901234567890.123"),
    "boolean": ("NULL", "true", "false"),
    "jsonb": ("NULL", """'{"a": [1, null, "\\u00e9"]}'"""),
    "text[]": ("NULL", "'{}'", """ARRAY['a,b', NULL, '"']"""),
}
_TOASTED = "(SELECT string_agg(md5((g + {})::text), '') FROM generate_series(1, 3200) g)"
"""100 kB that do not compress away."""


class History:
    """Statements that a seed says, in transactions, on a table that has a key `k` and a large text `big`."""

    def __init__(self, seed: int, db: psycopg.Connection, table: str) -> None:
        self._random = Random(seed)
        self._db = db
        self._table = table
        self._columns: dict[str, str] = {}
        self._next = count()
        for type_ in self._random.sample(list(_TYPES), 4):
            self._add_column(type_)

    def transactions(self, number: int) -> None:
        for _ in range(number):
            if self._random.random() < 0.15:
                self._alter()
            ends_well = self._random.random() < 0.9
            with self._db.transaction(force_rollback=not ends_well):
                for _ in range(self._random.randint(1, 5)):
                    self._statement()

    def _statement(self) -> None:
        random = self._random
        chance = random.random()
        if chance < 0.02:
            self._run(f"TRUNCATE {self._table}")
        elif chance < 0.5:
            big = _TOASTED.format(random.randint(0, 99)) if random.random() < 0.2 else "NULL"
            names = ["big", *self._columns]
            values = [big, *(self._value(type_) for type_ in self._columns.values())]
            rows = random.choice((1, 1, 3, 9))
            self._run(
                f"INSERT INTO {self._table} (k, {', '.join(names)}) "
                f"SELECT {random.randint(0, 9)}, {', '.join(values)} FROM generate_series(1, {rows})"
            )
        elif chance < 0.8 and self._columns:
            name, type_ = random.choice(list(self._columns.items()))
            self._run(f"UPDATE {self._table} SET {name} = {self._value(type_)} WHERE {self._some()}")
        elif chance < 0.85:
            self._run(f"UPDATE {self._table} SET k = k + 1, big = left(big, 1000) WHERE {self._some()}")
        else:
            self._run(f"DELETE FROM {self._table} WHERE {self._some()}")

    def _alter(self) -> None:
        if self._columns and self._random.random() < 0.5:
            name = self._random.choice(list(self._columns))
            del self._columns[name]
            self._run(f"ALTER TABLE {self._table} DROP COLUMN {name}")
        else:
            self._add_column(self._random.choice(list(_TYPES)))

    def _add_column(self, type_: str) -> None:
        name = f"c{next(self._next)}"
        self._columns[name] = type_
        self._run(f"ALTER TABLE {self._table} ADD COLUMN {name} {type_}")

    def _some(self) -> str:
        return f"k % 5 = {self._random.randint(0, 4)}"

    def _value(self, type_: str) -> str:
        return self._random.choice(_TYPES[type_]) + f"::{type_}"

    def _run(self, statement: str) -> None:
        self._db.execute(statement.encode())


@pytest.mark.parametrize("seed", range(6))
def test_the_sum_of_the_changes_is_what_the_tables_have(upstream: Listening, seed: int) -> None:
    random = Random(seed)
    with published(upstream, "k int, big text", "k int, big text") as (db, stream, tables):
        histories = [History(seed * 2 + index, db, table) for index, table in enumerate(tables)]
        found = Contents()
        for _ in range(3):
            for history in random.choices(histories, k=4):
                history.transactions(6)
            messages = stream.read()
            while messages:  # cut anywhere
                size = random.choice((1, 2, 10, 100, len(messages)))
                found.apply(messages[:size])
                messages = messages[size:]
            for table in tables:
                assert found.now(table, db) == contents(db, table)


# --- what each message does ------------------------------------------------------------------------------------------


def test_what_came_is_counted(upstream: Listening) -> None:
    with published(upstream, "k int, v text") as (db, stream, (table,)):
        db.execute(f"INSERT INTO {table} VALUES (1, 'a'), (2, NULL)".encode())
        db.execute(f"UPDATE {table} SET v = 'b' WHERE k = 1".encode())
        db.execute(f"DELETE FROM {table} WHERE k = 2".encode())
        ((end,),) = db.execute("SELECT pg_current_wal_insert_lsn() - '0/0'").fetchall()
        messages = stream.read()
        decoded = Decoder().decode(messages)
    assert (decoded.rows, decoded.transactions) == (4, 3)
    assert decoded.end_lsn is not None
    assert struct.unpack_from(">q", messages[-1], 1)[0] <= decoded.end_lsn <= end
    ((segment,),) = decoded.tables.values()
    assert decoded.relations == (segment.relation,)
    assert (segment.relation.schema, segment.relation.name, segment.relation.identity) == (
        "public",
        table,
        "f",
    )
    assert [(c.name, c.type_oid, c.typmod) for c in segment.relation.columns] == [
        ("k", 23, -1),
        ("v", 25, -1),
    ]
    assert [column.to_pylist() for column in segment.columns] == [
        [b"1", b"2", b"1", b"1", b"2"],
        [b"a", None, b"b", b"a", None],
    ]
    assert segment.diffs.tolist() == [1, 1, 1, -1, -1]
    assert segment.diffs.dtype == np.int64


def test_a_value_that_was_left_unchanged_is_the_old_one(upstream: Listening) -> None:
    with published(upstream, "k int, big text, v int") as (db, stream, (table,)):
        big = _TOASTED.format(7)
        db.execute(f"INSERT INTO {table} VALUES (1, {big}, 1), (2, NULL, 1), (3, {big}, 1)".encode())
        decoder = Decoder()
        decoder.decode(stream.read())
        db.execute(f"UPDATE {table} SET v = 2".encode())
        db.execute(f"DELETE FROM {table} WHERE k = 3".encode())
        messages = stream.read()
        ((segment,),) = decoder.decode(messages).tables.values()
        ((expected,),) = db.execute(f"SELECT big FROM {table} WHERE k = 1".encode()).fetchall()
    assert sum(map(len, messages)) < 4.5 * len(expected)  # the new rows did not bring it
    text = expected.encode()
    assert segment.columns[1].to_pylist() == [text, None, text, text, None, text, text]
    assert segment.columns[2].to_pylist() == [b"2", b"2", b"2", b"1", b"1", b"1", b"2"]


@pytest.mark.parametrize("identity", ["DEFAULT", "NOTHING"])
@pytest.mark.parametrize(
    "change", ["UPDATE {} SET v = 'b'", "UPDATE {} SET k = 7", "DELETE FROM {}", "INSERT INTO {} VALUES (2)"]
)
def test_old_rows_may_be_lacking(upstream: Listening, identity: str, change: str) -> None:
    with published(upstream, "k int PRIMARY KEY, v text", identity=identity) as (db, stream, (table,)):
        db.execute(f"INSERT INTO {table} VALUES (1, 'a')".encode())
        decoder = Decoder()
        decoder.decode(stream.read())
        if identity == "NOTHING" and "INSERT" not in change:
            with pytest.raises(psycopg.errors.ObjectNotInPrerequisiteState):
                db.execute(change.format(table).encode())
            return
        db.execute(change.format(table).encode())
        ((segment,),) = decoder.decode(stream.read()).tables.values()
    assert segment.lacks_old is ("INSERT" not in change)
    assert len(segment.diffs) == (1 if "INSERT" in change else 0)
    assert len(segment.columns) == 2


def test_other_columns_and_a_truncate_begin_segments(upstream: Listening) -> None:
    with published(upstream, "k int, v text", "k int") as (db, stream, (table, other)):
        for statement in (
            f"INSERT INTO {table} VALUES (1, 'a')",
            f"ALTER TABLE {table} ADD COLUMN w int",
            f"INSERT INTO {table} VALUES (2, 'b', 3)",
            f"TRUNCATE {table}, {other}",
            f"INSERT INTO {table} VALUES (4)",
            f"ALTER TABLE {table} ALTER COLUMN k TYPE bigint",
            f"TRUNCATE {table}",
        ):
            db.execute(statement.encode())
        decoded = Decoder().decode(stream.read())
    ours, others = (
        [s for segments in decoded.tables.values() for s in segments if s.relation.name == name]
        for name in (table, other)
    )
    shapes = [(len(s.columns), s.columns[0].to_pylist(), s.truncated) for s in ours]
    assert shapes == [
        (2, [b"1"], False),
        (3, [b"2"], False),
        (3, [b"4"], True),
        (3, [], True),
    ]
    assert ours[-1].relation.columns[0].type_oid == 20
    assert [(len(s.diffs), s.truncated) for s in others] == [(0, True)]
    assert decoded.truncated == decoded.tables.keys()


def test_a_table_that_is_described_again_goes_on(upstream: Listening) -> None:
    with published(upstream, "k int") as (db, stream, (table,)):
        db.execute(f"INSERT INTO {table} VALUES (1)".encode())
        db.execute(f"ALTER TABLE {table} ALTER COLUMN k SET STATISTICS 10".encode())
        db.execute(f"INSERT INTO {table} VALUES (2)".encode())
        decoded = Decoder().decode(stream.read())
    assert len(decoded.relations) == 2
    ((segment,),) = decoded.tables.values()
    assert segment.columns[0].to_pylist() == [b"1", b"2"]


def test_the_last_commit_is_found(upstream: Listening) -> None:
    with published(upstream, "k int") as (db, stream, (table,)):
        for _ in range(2):
            db.execute(f"INSERT INTO {table} VALUES (1)".encode())
        messages = stream.read()
    kinds = bytes(message[25] for message in messages)
    assert kinds == b"BRICBIC"
    assert [last_commit(messages[:size]) for size in range(8)] == [0, 0, 0, 0, 4, 4, 4, 7]
    assert Decoder().decode(messages[:3]).end_lsn is None
    assert Decoder().decode([]) == Decoded({}, (), None, 0, 0)


# --- what is no such stream ------------------------------------------------------------------------------------------

_BEFORE = b"w" + bytes(24)
_RELATION = (
    _BEFORE
    + b"R\0\0\0\7public\0t\0f\0\2"
    + b"".join(b"\1" + name + b"\0\0\0\0\x19\xff\xff\xff\xff" for name in (b"a", b"b"))
)
_TUPLE = b"\0\2t\0\0\0\2hin"


def test_other_messages_are_passed_over() -> None:
    others = [_BEFORE + kind + b"\0" * 8 for kind in (b"B", b"O", b"Y", b"M")]
    insert = _BEFORE + b"I\0\0\0\7N" + _TUPLE
    decoded = Decoder().decode([memoryview(m) for m in (others[0], _RELATION, *others, insert)])
    ((segment,),) = decoded.tables.values()
    assert [column.to_pylist() for column in segment.columns] == [[b"hi"], [None]]


@pytest.mark.parametrize(
    "message",
    [
        b"k" + bytes(17),
        _BEFORE,
        _BEFORE + b"S\0\0\0\7",
        _BEFORE + b"I",
        _BEFORE + b"I\0\0\0\7",
        _BEFORE + b"I\0\0\0\7N",
        _BEFORE + b"I\0\0\0\7K" + _TUPLE,
        _BEFORE + b"I\0\0\0\10N" + _TUPLE,
        _BEFORE + b"I\0\0\0\7N\0\1n",
        _BEFORE + b"I\0\0\0\7N\0\3nnn",
        _BEFORE + b"I\0\0\0\7N" + _TUPLE + b"n",
        _BEFORE + b"I\0\0\0\7N" + _TUPLE[:-1],
        _BEFORE + b"I\0\0\0\7N\0\2t\0\0\1\0hin",
        _BEFORE + b"I\0\0\0\7N\0\2t\xff\xff\xff\xffhin",
        _BEFORE + b"I\0\0\0\7N\0\2b\0\0\0\2hin",
        _BEFORE + b"I\0\0\0\7N\0\2un",
        _BEFORE + b"U\0\0\0\7O" + _TUPLE,
        _BEFORE + b"U\0\0\0\7O" + _TUPLE + b"O" + _TUPLE,
        _BEFORE + b"U\0\0\0\7O\0\2unN" + _TUPLE,
        _BEFORE + b"U\0\0\0\7X" + _TUPLE,
        _BEFORE + b"T\0\0\0\2\0\0\0\0\7",
        _BEFORE + b"T\0\0\0\1\0\0\0\0\10",
        _BEFORE + b"C\0",
        _BEFORE + b"R\0\0\0\7public",
        _RELATION[:-1],
    ],
    ids=lambda message: repr(message[25:])[2:-1] or "short",
)
def test_anything_else_is_refused(message: bytes) -> None:
    good = _BEFORE + b"I\0\0\0\7N" + _TUPLE
    for messages in ([_RELATION, message], [_RELATION, good, message, good]):
        with pytest.raises(StorageError, match="the server's replication stream has"):
            Decoder().decode(messages)
