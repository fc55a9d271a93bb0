"""mz_timestamp, the type of mz_now(): what it holds, what becomes one, with what it is compared, how it travels."""

from __future__ import annotations

from collections.abc import Iterator

import psycopg
import pytest
from inprocess import InProcess, running

LAST = 2**64 - 1


@pytest.fixture(scope="module")
def runtime() -> Iterator[InProcess]:
    with running() as runtime:
        yield runtime


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        ("5::mz_timestamp", "5"),
        ("' 5 '::mz_timestamp", "5"),
        (f"'{LAST}'::mz_timestamp", str(LAST)),
        (f"{LAST}::numeric::mz_timestamp", str(LAST)),
        (f"'{LAST}'::uint8::mz_timestamp", str(LAST)),
        ("5.0::mz_timestamp", "5"),
        ("'2024-01-01'::mz_timestamp", "1704067200000"),
        ("'2024-01-01 00:00+01'::mz_timestamp", "1704063600000"),
        ("timestamp '2024-01-01 00:00:00.0019'::mz_timestamp", "1704067200001"),
        ("timestamptz '2024-01-01 00:00+01'::mz_timestamp", "1704063600000"),
        ("date '2024-01-01'::mz_timestamp", "1704067200000"),
        ("1704067200001::mz_timestamp::timestamp", "2024-01-01 00:00:00.001"),
        ("1704067200001::mz_timestamp::timestamptz", "2024-01-01 00:00:00.001+00"),
        (f"'{LAST}'::mz_timestamp::numeric", str(LAST)),
        ("7::mz_timestamp::bigint", "7"),
        ("7::mz_timestamp::uint8", "7"),
        ("7::mz_timestamp + 1", "8"),
        ("7::mz_timestamp + (-7)", "0"),
        ("7::mz_timestamp - 2::smallint", "5"),
        ("7::mz_timestamp - '9'::mz_timestamp", "-2"),
        ("7::mz_timestamp - (-9223372036854775807)", "9223372036854775814"),
        ("greatest(7::mz_timestamp, '8')", "8"),
        ("'{1,2}'::mz_timestamp[]", "{1,2}"),
    ],
)
def test_values(runtime: InProcess, expression: str, text: str) -> None:
    assert runtime.query(f"SELECT ({expression})::text") == [(text,)]


@pytest.mark.parametrize(
    ("expression", "sqlstate"),
    [
        ("(-5)::mz_timestamp", "22003"),
        ("5.5::mz_timestamp", "22003"),
        (f"{LAST + 1}::numeric::mz_timestamp", "22003"),
        (f"'{LAST + 1}'::mz_timestamp", "22003"),
        ("'1969-12-31'::mz_timestamp", "22003"),
        ("timestamp '1969-12-31'::mz_timestamp", "22003"),
        ("timestamp 'infinity'::mz_timestamp", "22003"),
        ("'infinity'::mz_timestamp", "22003"),
        ("'yesterday morning'::mz_timestamp", "22P02"),
        (f"'{LAST}'::mz_timestamp::bigint", "22003"),
        (f"'{LAST}'::mz_timestamp::timestamp", "22008"),
        (f"'{LAST}'::mz_timestamp + 1", "22003"),
        ("5::mz_timestamp - 6", "22003"),
        (f"'{LAST}'::mz_timestamp - '0'::mz_timestamp", "22003"),
        ("5::mz_timestamp + interval '1 day'", "42883"),
        ("5::mz_timestamp * 2", "42883"),
        ("5::mz_timestamp = 5.0::float8", "42883"),
        ("5::mz_timestamp::boolean", "42846"),
        ("sum(5::mz_timestamp)", "42883"),
    ],
)
def test_errors(runtime: InProcess, expression: str, sqlstate: str) -> None:
    with runtime.connect() as connection, pytest.raises(psycopg.Error) as caught:
        connection.execute(f"SELECT {expression}")  # type: ignore[arg-type]
    assert caught.value.sqlstate == sqlstate


@pytest.mark.parametrize(
    "other",
    [
        "5",
        "5::bigint",
        "5.0",
        "5::uint2",
        "5::uint8",
        "'5'",
        "timestamp '1970-01-01 00:00:00.0055'",
        "'5'::mz_timestamp",
    ],
)
def test_comparisons(runtime: InProcess, other: str) -> None:
    found = runtime.query(
        f"SELECT t = {other}, t <> {other}, t < {other}, {other} <= t, t IN ({other}), t BETWEEN {other} AND {other}"
        " FROM (VALUES ('5'::mz_timestamp), ('6'), (NULL)) AS v (t) ORDER BY t"
    )
    assert found == [
        (True, False, False, True, True, True),
        (False, True, False, True, False, False),
        (None,) * 6,
    ]


def test_columns(runtime: InProcess) -> None:
    """As keys, in indexes and views, by assignment, and beside mz_now()."""
    with runtime.connect() as connection:
        connection.execute("CREATE TABLE times (id int, at mz_timestamp PRIMARY KEY)")
        connection.execute("CREATE MATERIALIZED VIEW later AS SELECT id FROM times WHERE mz_now() <= at")
        connection.execute(
            "CREATE VIEW ends AS SELECT min(at) AS least, max(at) AS most, count(*) AS n FROM times"
        )
        connection.execute("CREATE DEFAULT INDEX ON ends")
        connection.execute("CREATE INDEX times_at ON times (at)")
        connection.execute(
            f"INSERT INTO times VALUES (1, 5), (2, '2200-01-01'), (3, timestamp '2300-01-01'), (4, {LAST}::numeric)"
        )
        connection.execute("INSERT INTO times SELECT 5, mz_now()")
        assert sorted(connection.execute("SELECT * FROM later").fetchall()) == [(2,), (3,), (4,)]
        assert connection.execute("SELECT * FROM ends").fetchall() == [("5", str(LAST), 5)]
        assert connection.execute("SELECT id FROM times WHERE at = 5").fetchall() == [(1,)]
        plan = str(
            connection.execute("EXPLAIN PHYSICAL PLAN FOR SELECT id FROM times WHERE at = 5").fetchall()
        )
        assert "1 keys looked up" in plan
        connection.execute("DELETE FROM times WHERE at >= '2300-01-01'")
        assert connection.execute("SELECT * FROM ends").fetchall() == [("5", "7258118400000", 3)]
        assert connection.execute("SELECT id FROM times ORDER BY at DESC").fetchall() == [(2,), (5,), (1,)]
        for bad in ("-1", "1.5", "'x'"):
            with pytest.raises(psycopg.Error):
                connection.execute(f"INSERT INTO times VALUES (9, {bad})")  # type: ignore[arg-type]
        connection.execute("DROP TABLE times CASCADE")


def test_mz_now_is_one(runtime: InProcess) -> None:
    assert runtime.query(
        "SELECT pg_typeof(mz_now())::text, mz_now() = mz_now()::bigint, mz_now() - mz_now(), mz_now() < mz_now() + 1,"
        " mz_now()::timestamptz > '2020-01-01', mz_now() > '2020-01-01'::mz_timestamp"
    ) == [("mz_timestamp", True, 0, True, True, True)]


@pytest.mark.parametrize("binary", [False, True], ids=["text", "binary"])
def test_on_the_wire(runtime: InProcess, binary: bool) -> None:
    form = "(FORMAT binary)" if binary else ""
    with runtime.connect() as connection:
        connection.execute("CREATE TABLE wire (t mz_timestamp, l mz_timestamp[])")
        connection.execute("INSERT INTO wire VALUES (%s, %s), (NULL, NULL)", [str(LAST), "{0,5}"])
        with connection.cursor().copy(f"COPY wire TO STDOUT {form}") as copy:  # type: ignore[arg-type]
            data = b"".join(copy)
        with connection.cursor().copy(f"COPY wire FROM STDIN {form}") as copy:  # type: ignore[arg-type]
            copy.write(data)
        assert connection.execute("SELECT count(*) FROM wire GROUP BY t, l").fetchall() == [(2,), (2,)]
        cursor = connection.cursor(binary=binary)
        result = cursor.execute("SELECT t, l FROM wire WHERE t IS NOT NULL LIMIT 1").pgresult
        assert result is not None
        assert [result.ftype(i) for i in range(2)] == [16552, 16553]
        assert result.get_value(0, 0) == str(LAST).encode()
        found = connection.pgconn.exec_params(
            b"SELECT $1::mz_timestamp + 1", [b"41"], param_formats=[int(binary)]
        )
        assert found.get_value(0, 0) == b"42"
        connection.execute("DROP TABLE wire")
