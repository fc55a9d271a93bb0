"""Sessions in a time zone: one-off statements give what PostgreSQL gives in it, what is defined is in UTC."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
from inprocess import InProcess
from psycopg import errors

Db = psycopg.Connection[tuple[Any, ...]]

ZONES = (
    "Europe/Berlin",
    "America/New_York",
    "Asia/Kolkata",
    "Australia/Lord_Howe",
    "America/St_Johns",
    "Etc/UTC",
    "GMT",
)

INSTANTS = (
    "2024-03-31 00:59:59+00",
    "2024-03-31 01:00:00+00",
    "2024-10-26 23:30:00+00",
    "2024-10-27 00:30:00+00",
    "2024-10-27 01:30:00.123456+00",
    "2024-02-29 23:45:00+00",
    "2024-11-03 05:30:00+00",
    "2024-11-03 06:30:00+00",
    "1850-06-01 12:00:00+00",
    "0044-03-15 23:59:00+00 BC",
    "0001-01-01 00:10:00+00",
    "2400-07-04 12:00:00+00",
    "12345-06-07 23:59:59.5+00",
    "infinity",
    "-infinity",
)

EXPRESSIONS = (
    "at",
    "at::text",
    "at::varchar(12)",
    "at::date",
    "at::time",
    "at::timestamp",
    "local::timestamptz",
    "day::timestamptz",
    "(at::text)::timestamptz = at",
    "to_char(local, 'YYYY-MM-DD HH24:MI:SS BC')::timestamptz",
    "extract(hour FROM at)",
    "CASE WHEN isfinite(at) THEN extract(epoch FROM at) END",
    "date_part('dow', at)",
    "date_part('isoyear', at)",
    "date_trunc('day', at)",
    "date_trunc('hour', at)",
    "date_trunc('month', at)",
    "date_trunc('week', at, 'Asia/Tokyo')",
    "at + span",
    "span + at",
    "at - span",
    "at + interval '1 month 1 day 1 hour'",
    "at - timestamptz '2024-01-01 00:00'",
    "age(at, timestamptz '2023-12-31 12:00')",
    "at < local",
    "day = at",
    "at >= day",
    "local <> at",
    "at = '2024-03-31 03:00'",
    "at BETWEEN '2024-03-31' AND date '2024-10-27'",
    "at IN ('2024-03-31 03:00', '2024-10-27 02:30')",
    "CASE WHEN at > '2024-06-01' THEN at ELSE local END",
    "coalesce(NULL, local, at)",
    "greatest(at, local)",
    "nullif(at, '2024-02-29 23:45')",
    "to_char(at, 'YYYY-MM-DD HH24:MI:SS.US Day')",
    "to_timestamp('2024-03-31 02:30', 'YYYY-MM-DD HH24:MI')",
    "to_timestamp(1711846800)",
    "make_timestamptz(2024, 10, 27, 2, 30, 0)",
    "concat('at ', at, day)",
    "(ARRAY[at, NULL, local])::text",
    "concat_ws(', ', local, at)",
    "quote_literal(at)",
    "format('%s', at)",
    "'at ' || at",
    "ARRAY[at, '2024-07-01 12:00']",
    "ARRAY[at] @> ARRAY[timestamptz '2024-02-29 23:45+00']",
    "at AT TIME ZONE 'Asia/Tokyo'",
    "local AT TIME ZONE 'Asia/Tokyo'",
    "(at AT TIME ZONE 'Asia/Tokyo')::timestamptz",
    "timestamptz '2024-03-31 02:30'",
    "timestamptz '2024-10-27 02:30'",
    "timestamptz '2024-10-27 02:30+02'",
    "timestamp '2024-10-27 02:30'::timestamptz",
    "date '2024-07-01'::timestamptz",
    "'{2024-07-01 00:00,2024-01-01}'::timestamptz[]",
    "date_bin('15 minutes', at, timestamptz '2024-01-01')",
    "isfinite(at)",
    "(at, at) OVERLAPS (timestamptz '2024-03-31', timestamptz '2024-04-01')",
    "now()::date = current_date",
    "now()::timestamp = localtimestamp",
    "now()::time = localtime",
    "current_timestamp::date = now()::date",
    "current_setting('timezone')",
    "date_add(at, '1 day')",
    "date_subtract(at, '1 month')",
    "date_add(at, '1 day', 'Asia/Tokyo')",
)

QUERIES = (
    "SELECT * FROM generate_series(timestamptz '2024-03-30', '2024-04-02', '1 day') g ORDER BY g",
    "SELECT * FROM generate_series(timestamptz '2024-10-26 12:00', '2024-10-28', '12 hours') g ORDER BY g",
    "SELECT * FROM generate_series(timestamptz '2024-05-31', '2023-12-01', '-1 month') g ORDER BY g",
    "SELECT g::date FROM generate_series(date '2024-10-26', date '2024-10-29', '1 day') g ORDER BY g",
    "SELECT at::date AS d, count(*), min(at), max(at) FROM stamps GROUP BY 1 ORDER BY 1",
    "SELECT string_agg(at::text, ', ' ORDER BY at) FROM stamps",
    "SELECT array_agg(at ORDER BY at) FROM stamps",
    "SELECT a.id, b.id FROM stamps a JOIN stamps b ON a.at::date = b.day ORDER BY 1, 2",
    "SELECT a.id, b.id FROM stamps a JOIN stamps b ON a.at >= b.local AND a.at < b.local + '1 day' ORDER BY 1, 2",
    "SELECT id FROM stamps WHERE at = ANY ('{2024-03-31 03:00,2024-10-27 02:30}') ORDER BY 1",
    "SELECT id, lag(at::date) OVER (ORDER BY id) FROM stamps ORDER BY id",
    "SELECT at FROM stamps UNION SELECT local FROM stamps ORDER BY 1",
    "SELECT id FROM stamps s WHERE EXISTS (SELECT FROM stamps t WHERE t.day = s.at) ORDER BY 1",
    "VALUES (timestamptz '2024-07-01'), (timestamp '2024-01-01 12:00'), (date '2024-03-31') ORDER BY 1",
    "WITH d AS (SELECT at::date AS d FROM stamps) SELECT d, count(*) FROM d GROUP BY d ORDER BY d",
)

SETUP = f"""
CREATE TEMP TABLE stamps (id int, at timestamptz, local timestamp, day date, span interval);
INSERT INTO stamps
SELECT id, v::timestamptz, v::timestamptz::timestamp, v::timestamptz::date,
  (ARRAY['1 day', '1 month', '36 hours', '-1 day 3 hours', '0'])[1 + id % 5]::interval
FROM (VALUES {", ".join(f"({number}, '{text}')" for number, text in enumerate(INSTANTS))}) AS v (id, v);
INSERT INTO stamps VALUES (99)
"""


def answer(db: Db, statement: str) -> object:
    """The rows as PostgreSQL's text, or the SQLSTATE."""
    result = db.pgconn.exec_(statement.encode())
    state = result.error_field(psycopg.pq.DiagnosticField.SQLSTATE)
    if state is not None:
        return state.decode()
    return [
        [result.get_value(row, column) for column in range(result.nfields)] for row in range(result.ntuples)
    ]


@pytest.fixture(scope="module")
def sessions(runtime: InProcess, oracle_uri: str) -> Iterator[tuple[Db, Db]]:
    with runtime.connect() as ours, psycopg.connect(oracle_uri, autocommit=True) as theirs:
        for db in (ours, theirs):
            for statement in ("SET TIME ZONE 'UTC'", *SETUP.split(";")):
                db.execute(statement)  # type: ignore[call-overload]
        yield ours, theirs


@pytest.mark.parametrize("zone", ZONES)
def test_one_off_statements_are_in_the_zone(sessions: tuple[Db, Db], zone: str) -> None:
    different = []
    for db in sessions:
        db.execute(f"SET TIME ZONE '{zone}'")  # type: ignore[call-overload]
    for statement in (
        "SHOW timezone",
        *(f"SELECT id, {expression} FROM stamps ORDER BY id" for expression in EXPRESSIONS),
        *QUERIES,
    ):
        ours, theirs = (answer(db, statement) for db in sessions)
        if ours != theirs:
            different.append((statement, ours, theirs))
    assert not different, "\n".join(map(str, different))


def test_the_zone_is_a_setting_of_the_session(runtime: InProcess) -> None:
    with runtime.connect(options="-c timezone=america/new_york") as db:
        assert db.info.parameter_status("TimeZone") == "America/New_York"
        assert answer(db, "SHOW timezone") == [[b"America/New_York"]]
        db.execute("SET timezone TO 'Asia/Tokyo'")
        assert db.info.parameter_status("TimeZone") == "Asia/Tokyo"
        with db.transaction():
            db.execute("SET LOCAL TIME ZONE 'Europe/Berlin'")
            assert answer(db, "SELECT timestamptz '2024-07-01 12:00Z'") == [[b"2024-07-01 14:00:00+02"]]
        assert answer(db, "SELECT timestamptz '2024-07-01 12:00Z'") == [[b"2024-07-01 21:00:00+09"]]
        db.execute("RESET timezone")
        assert answer(db, "SHOW timezone") == [[b"America/New_York"]]
        assert answer(db, "SET timezone = 'Mars/Olympus'") == "22023"
        for refused in ("EST", "CET", "EST5XYZ", "+3"):
            assert answer(db, f"SET timezone = '{refused}'") == "0A000"


def test_what_the_client_sends_and_gets(sessions: tuple[Db, Db]) -> None:
    """Parameters and COPY in text are in the zone, binary is not; plans of other zones are not taken."""
    seen = []
    for db in sessions:
        db.execute("CREATE TEMP TABLE moments (at timestamptz, d date DEFAULT '2024-01-01')")
        results: list[object] = []
        for zone in ("Europe/Berlin", "America/New_York", "UTC", "Europe/Berlin"):
            db.execute(f"SET TIME ZONE '{zone}'")  # type: ignore[call-overload]
            db.execute("TRUNCATE moments")
            for binary in (False, True):
                cursor = db.cursor(binary=binary)
                row = cursor.execute(
                    "SELECT %s::timestamptz::text, %s::date::timestamptz",
                    ("2024-07-01 00:00", "2024-07-01"),
                    prepare=True,
                ).fetchone()
                assert row is not None
                results.append((row[0], row[1].timestamp()))
            db.execute("INSERT INTO moments (at) VALUES ('2024-07-01 12:00'), (timestamp '2024-01-01')")
            db.execute("INSERT INTO moments VALUES (%s, DEFAULT)", ("2024-10-27 02:30",))
            with db.cursor().copy("COPY moments FROM STDIN") as copy:
                copy.write("2024-12-24 18:00\t2024-12-24\n2024-12-24 18:00Z\t\\N\n")
            db.execute("UPDATE moments SET d = at WHERE d IS NULL")
            with db.cursor().copy("COPY (SELECT * FROM moments ORDER BY at) TO STDOUT") as copy:
                results.append(b"".join(bytes(part) for part in copy))
            deleted = answer(db, "DELETE FROM moments WHERE at < '2024-07-01 12:01' RETURNING at, at::date")
            assert isinstance(deleted, list)
            results.append(sorted(deleted))
        seen.append(results)
    assert seen[0] == seen[1]


def test_what_is_defined_is_in_utc(db: Db, schema: str) -> None:
    """A view has one content, whoever reads it; what would depend on the session's zone is refused."""
    db.execute("CREATE TABLE t (at timestamptz)")
    db.execute("CREATE VIEW days AS SELECT at, at::date AS day FROM t WHERE at >= '2024-07-01 00:00'")
    db.execute("CREATE MATERIALIZED VIEW kept AS SELECT at, at::date AS day FROM t")
    db.execute("SET TIME ZONE 'Asia/Tokyo'")
    db.execute("INSERT INTO t VALUES ('2024-07-01 08:59'), ('2024-07-01 09:00')")
    assert answer(db, "SELECT at, day, at::date FROM days") == [
        [b"2024-07-01 09:00:00+09", b"2024-07-01", b"2024-07-01"]
    ]
    expected = [
        [b"2024-07-01 08:59:00+09", b"2024-06-30", b"2024-07-01"],
        [b"2024-07-01 09:00:00+09", b"2024-07-01", b"2024-07-01"],
    ]
    assert answer(db, "SELECT at, day, at::date AS here FROM kept ORDER BY kept.at") == expected
    for refused in (
        "CREATE VIEW v AS SELECT at::date FROM t",
        "CREATE MATERIALIZED VIEW v AS SELECT at FROM t WHERE at > '2024-07-01'",
        "CREATE VIEW v AS SELECT g FROM generate_series(timestamptz '2024-07-01Z', '2024-07-05Z', '1 day') g",
        "CREATE INDEX ON t (date_trunc('day', at))",
        "CREATE TABLE u (at timestamptz DEFAULT '2024-07-01')",
        "CREATE TABLE u (at timestamptz, CHECK (at > '2024-07-01'))",
        "ALTER TABLE t ADD COLUMN since timestamptz DEFAULT '2024-07-01'",
        "SELECT to_jsonb(at) FROM t",
        "SELECT to_char(at, 'HH24 TZ') FROM t",
        "SELECT extract(timezone FROM at) FROM t",
        "SELECT sum(1) OVER (ORDER BY at RANGE '1 day' PRECEDING) FROM t",
    ):
        with pytest.raises(errors.FeatureNotSupported, match="time zone"):
            db.execute(refused)  # type: ignore[call-overload]
    db.execute(
        "CREATE VIEW fixed AS SELECT at AT TIME ZONE 'Asia/Tokyo' AS local FROM t WHERE at >= '2024-07-01Z'"
    )
    db.execute("CREATE INDEX ON fixed (local)")
    db.execute("CREATE TABLE filled AS SELECT at::date AS day FROM t")
    assert answer(db, "SELECT day FROM filled") == [[b"2024-07-01"], [b"2024-07-01"]]
