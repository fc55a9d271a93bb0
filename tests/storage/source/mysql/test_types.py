"""Every type, with values at random: the contents of a table and its changes in the binary log are the same rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from random import Random
from struct import unpack
from typing import Any

import pytest
from ptvc.repr.types import TEXT
from ptvc.sql.statement.connector.mysql_types import can_be_text, mysql_type
from ptvc.storage.source.mysql.server import offered_tables
from servers.mysql_process import MysqlProcess

from .reader import Reader, Upstream

WORDS = ("", " ", "a", "ü", "€uro", "x" * 300, "tab\there", "quote'\"\\", "trailing  ", "日本語"[:0] + "ÿ")


def whole(low: int, high: int) -> Callable[[Random], Any]:
    return lambda random: random.choice((low, high, 0, random.randint(low, high)))


def word(most: int, charset: str = "utf8") -> Callable[[Random], Any]:
    def drawn(random: Random) -> str:
        text = "".join(random.choice(WORDS) for _ in range(random.randrange(4)))[:most]
        return text.encode(charset, "ignore").decode(charset)

    return drawn


def some_bytes(most: int) -> Callable[[Random], Any]:
    return lambda random: random.choice((b"", b"\0", b"a\0\0", random.randbytes(random.randrange(most + 1))))[
        :most
    ]


def moment(random: Random) -> datetime:
    return datetime(1970, 1, 2, tzinfo=UTC).replace(tzinfo=None) + timedelta(
        microseconds=random.randrange(2**61 // 1100)
    )


def span(random: Random) -> str:
    seconds = random.choice((0, 86_399, random.randrange(86_400)))
    return f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}.{random.randrange(10**6):06}"


def number(digits: int, scale: int) -> Callable[[Random], Any]:
    def drawn(random: Random) -> Decimal:
        size = random.randrange(digits + 1)
        return Decimal(random.choice((-1, 1)) * random.randrange(10**size)).scaleb(-scale)

    return drawn


def single(random: Random) -> float:
    while True:
        (found,) = unpack("<f", random.randbytes(4))
        if found == found and abs(found) < 1e38:
            return float(found)


def double(random: Random) -> float:
    while True:
        (found,) = unpack("<d", random.randbytes(8))
        if found == found and abs(found) < 1e308:
            return random.choice((float(found), 0.1, -1.5))


COLUMNS: dict[str, Callable[[Random], Any]] = {
    "tinyint": whole(-128, 127),
    "tinyint unsigned": whole(0, 255),
    "smallint": whole(-32768, 32767),
    "smallint unsigned": whole(0, 65535),
    "mediumint": whole(-(2**23), 2**23 - 1),
    "mediumint unsigned": whole(0, 2**24 - 1),
    "int": whole(-(2**31), 2**31 - 1),
    "int unsigned": whole(0, 2**32 - 1),
    "bigint": whole(-(2**63), 2**63 - 1),
    "bigint unsigned": whole(0, 2**64 - 1),
    "bit(1)": whole(0, 1),
    "bit(33)": whole(0, 2**33 - 1),
    "float": single,
    "double": double,
    "decimal(1,0)": number(1, 0),
    "decimal(9,9)": number(9, 9),
    "decimal(12,3)": number(12, 3),
    "decimal(38,10)": number(38, 10),
    "char(9)": lambda random: word(9)(random).rstrip(),
    "varchar(40)": word(40),
    "varchar(300) character set latin1": word(300, "cp1252"),
    "varchar(40) character set cp1251": word(40, "ascii"),
    "text": word(10_000),
    "longtext": word(10_000),
    "binary(5)": lambda random: some_bytes(5)(random).ljust(5, b"\0"),
    "varbinary(300)": some_bytes(300),
    "blob": some_bytes(1000),
    "date": lambda random: moment(random).date(),
    "datetime": lambda random: moment(random).replace(microsecond=0),
    "datetime(3)": moment,
    "datetime(6)": moment,
    "timestamp null": lambda random: moment(random).replace(year=random.randint(1971, 2037), microsecond=0),
    "timestamp(5) null": lambda random: moment(random).replace(year=random.randint(1971, 2037)),
    "time": lambda random: span(random)[:8],
    "time(1)": span,
    "time(6)": span,
    "year": lambda random: random.choice((0, 1901, 2155, 2024)),
    "enum('a','b''c','ü')": lambda random: random.choice(("a", "b'c", "ü")),
    "set('x','y','z')": lambda random: ",".join(sorted(random.sample("xyz", random.randrange(4)))),
}
"""Types, and what draws a value of each."""


@pytest.fixture
def up(upstream: MysqlProcess) -> Iterator[Upstream]:
    made = Upstream(upstream)
    made.run("SET time_zone = '+00:00', sql_mode = 'NO_ENGINE_SUBSTITUTION,ALLOW_INVALID_DATES'")
    yield made
    made.close()


def expected(value: Any) -> Any:
    """What PyMySQL reads, as we have it."""
    if isinstance(value, timedelta):
        return value // timedelta(microseconds=1)
    return value


def make_table(up: Upstream, random: Random) -> tuple[list[str], dict[str, Any]]:
    """The types of the columns, in any order, and those that are not the usual ones here."""
    kinds = random.sample(list(COLUMNS), random.randrange(1, len(COLUMNS) + 1))
    columns = ", ".join(f"c{place} {kind}" for place, kind in enumerate(kinds))
    up.table("t", f"id int primary key, {columns}")
    (table,) = offered_tables(up.db, [(up.name, "t")])
    return kinds, {c.name: mysql_type(c) or TEXT for c in table.columns}


def change(up: Upstream, kinds: list[str], random: Random, rows: int) -> None:
    """Inserts, updates and deletes, some of many rows, some of one."""
    drawn = [
        [COLUMNS[kind](random) if random.random() < 0.8 else None for kind in kinds] for _ in range(rows)
    ]
    base = random.randrange(1 << 30)
    marks = ", ".join(["%s"] * (len(kinds) + 1))
    with up.db.cursor() as cursor:
        cursor.executemany(
            f"REPLACE INTO t VALUES ({marks})", [(base + i, *row) for i, row in enumerate(drawn)]
        )
        for place in range(0, rows, 7):
            column = random.randrange(len(kinds))
            value = COLUMNS[kinds[column]](random)
            cursor.execute(f"UPDATE t SET c{column} = %s WHERE id = %s", (value, base + place))
        cursor.execute(
            f"UPDATE t SET id = id + 1000000000 WHERE id % {random.randrange(3, 9)} = 0 AND id < 900000000"
        )
        cursor.execute(f"DELETE FROM t WHERE id % {random.randrange(3, 9)} = 1")


@pytest.mark.parametrize("seed", range(12))
def test_contents_and_changes_are_the_same_rows(up: Upstream, seed: int) -> None:
    random = Random(seed)
    kinds, types = make_table(up, random)
    first, later = Reader(up), Reader(up)
    later._options = type(later._options)("c", later._options.server_id ^ 1)
    try:
        first.ask("t", types=types)
        first.until(lambda: first.ingestion.statistics.snapshot_done)
        for _ in range(3):
            change(up, kinds, random, random.choice((1, 20, 200)))
        later.ask("t", types=types)
        later.until(lambda: later.ingestion.statistics.snapshot_done)
        asked = ", ".join(
            f"c{i} * 1e0"
            if kind in ("float", "double")
            else f"c{i} + 0"
            if kind.startswith("bit")
            else f"c{i}"
            for i, kind in enumerate(kinds)
        )
        there = Counter(tuple(map(expected, row)) for row in up.rows(f"SELECT id, {asked} FROM t"))
        first.until(lambda: {row[0] for row in first.contents["t"]} == {row[0] for row in there})
        assert not first.errors["t"]
        assert first.contents["t"] == later.contents["t"]
        here = naive(first.contents["t"])
        for place, kind in enumerate(["int", *kinds]):
            of_column = {row[0]: row[place] for row in here}
            assert of_column == {row[0]: row[place] for row in there}, kind
        # What changes of the contents is taken away as it came.
        change(up, kinds, random, 50)
        up.run("DELETE FROM t WHERE id % 2 = 0", "UPDATE t SET id = -id")
        ids = {row[0] for row in up.rows("SELECT id FROM t")}
        later.until(lambda: {row[0] for row in later.contents["t"]} == ids)
        first.until(lambda: first.contents["t"] == later.contents["t"])
        up.run("DELETE FROM t")
        for reader in (first, later):
            reader.until(lambda reader=reader: not reader.contents["t"])
            assert not reader.errors["t"]
    finally:
        first.die()
        later.die()


def naive(contents: Counter[tuple[Any, ...]]) -> Counter[tuple[Any, ...]]:
    """Moments as PyMySQL has them: in UTC, and not saying so."""
    found: Counter[tuple[Any, ...]] = Counter()
    for row, count in contents.items():
        found[tuple(v.replace(tzinfo=None) if isinstance(v, datetime) else v for v in row)] += count
    return found


def test_as_text(up: Upstream) -> None:
    """TEXT COLUMNS: what the server shows, from the contents and from the log alike; also what is no value here."""
    kinds = [
        kind for kind in COLUMNS if kind not in ("float", "double") and "bin" not in kind and kind != "blob"
    ]
    up.table("t", ", ".join(f"c{place} {kind}" for place, kind in enumerate(kinds)))
    (table,) = offered_tables(up.db, [(up.name, "t")])
    assert all(can_be_text(column) for column in table.columns)
    readers = [Reader(up), Reader(up)]
    readers[1]._options = type(readers[1]._options)("c", readers[0]._options.server_id ^ 1)
    as_text = {column.name: TEXT for column in table.columns}
    readers[0].ask("t", types=as_text)
    readers[0].until(lambda: readers[0].ingestion.statistics.snapshot_done)
    random = Random(1)
    marks = ", ".join(["%s"] * len(kinds))
    with up.db.cursor() as cursor:
        for _ in range(40):
            row = [COLUMNS[kind](random) for kind in kinds]
            row = [
                "-838:59:59" if kind == "time" and random.random() < 0.5 else v
                for kind, v in zip(kinds, row, strict=True)
            ]
            row = [
                "-00:00:01.5" if kind == "time(6)" and random.random() < 0.5 else v
                for kind, v in zip(kinds, row, strict=True)
            ]
            row = [
                "0000-00-00" if "date" in kind and random.random() < 0.3 else v
                for kind, v in zip(kinds, row, strict=True)
            ]
            cursor.execute(f"INSERT INTO t VALUES ({marks})", row)
    readers[1].ask("t", types=as_text)
    for reader in readers:
        reader.until(lambda reader=reader: reader.contents["t"].total() == 40)
    assert readers[0].contents["t"] == readers[1].contents["t"]
    asked = ", ".join(f"c{i} + 0" if "bit" in kind else f"c{i}" for i, kind in enumerate(kinds))
    shown = ", ".join(f"CONVERT({one} USING utf8mb4)" for one in asked.split(", "))
    assert readers[0].contents["t"] == Counter(up.rows(f"SELECT {shown} FROM t"))
    up.run("DELETE FROM t")
    for reader in readers:
        reader.until(lambda reader=reader: not reader.contents["t"])
        reader.die()


def test_what_is_no_value_here_is_an_error_until_its_row_goes(up: Upstream) -> None:
    """Dates of zeros, times beyond a day, and days that there are not: from the contents and from the log, with one message."""
    up.table("t", "id int, d date, dt datetime(2), ts timestamp, ti time")
    (table,) = offered_tables(up.db, [(up.name, "t")])
    types = {column.name: mysql_type(column) for column in table.columns}
    values = (
        "(1, '0000-00-00', NULL, NULL, NULL), (2, NULL, '0000-00-00', NULL, NULL), (3, NULL, NULL, '0000-00-00', NULL), "
        "(4, NULL, NULL, NULL, '-00:00:01'), (5, NULL, NULL, NULL, '30:00:00'), (6, '2023-02-31', NULL, NULL, NULL), "
        "(7, '2023-00-01', '2023-01-01 00:00:00.25', '2023-01-01 00:00:01', '23:59:59')"
    )
    up.run(f"INSERT INTO t VALUES {values}")
    reader = Reader(up)
    reader.ask("t", types={name: type_ or TEXT for name, type_ in types.items()})
    reader.until(lambda: reader.ingestion.statistics.snapshot_done)
    of_contents = Counter(reader.errors["t"])
    assert of_contents.total() == 7
    assert any('column "d": invalid' in text or 'column "d": date' in text for text in of_contents), (
        of_contents
    )
    up.run(f"INSERT INTO t VALUES {values}, (8, '2023-01-02', NULL, NULL, NULL)")
    reader.until(lambda: reader.contents["t"].total() == 1)
    assert reader.errors["t"] == of_contents + of_contents
    up.run("DELETE FROM t")
    reader.until(lambda: not reader.contents["t"])
    assert not reader.errors["t"]
    reader.die()
