"""psql's describe commands, and what drivers ask when they connect, against a live runtime."""

from __future__ import annotations

import asyncio
import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import asyncpg
import psycopg
import pytest
from inprocess import InProcess, running
from psql import PSQL
from psycopg.types import TypeInfo

DRIVERS = (Path(__file__).parent / "testdata" / "drivers.sql").read_text().split(";\n")

SETUP = """
CREATE SCHEMA s2; COMMENT ON SCHEMA s2 IS 'second';
CREATE TABLE t (a int NOT NULL, b text DEFAULT 'x', c numeric(10,2));
COMMENT ON TABLE t IS 'the table'; COMMENT ON COLUMN t.a IS 'the a';
CREATE VIEW vw AS SELECT a, b FROM t WHERE a > 1;
CREATE MATERIALIZED VIEW mv AS SELECT b, count(*) AS n FROM t GROUP BY b;
CREATE INDEX t_a_idx ON t (a);
CREATE DEFAULT INDEX ON vw;
CREATE TABLE s2.t2 (x date, y timestamptz, z boolean);
CREATE TABLE s2.keyed (a int PRIMARY KEY CONSTRAINT pos CHECK (a > 0), b text DEFAULT 'x' UNIQUE,
  c numeric(10,2) NOT NULL DEFAULT 0, d int DEFAULT -2);
INSERT INTO t VALUES (1, 'q', 1.5), (2, 'r', 2.5)
"""


@pytest.fixture(scope="module")
def runtime() -> Iterator[InProcess]:
    with running() as runtime:
        for statement in SETUP.split(";"):
            runtime.query(statement)
        yield runtime


def psql(runtime: InProcess, command: str) -> str:
    """What psql prints; an error of the server fails the test."""
    arguments = ["-h", "127.0.0.1", "-p", str(runtime.port), "-U", "ptvc", "-d", "ptvc"]
    done = subprocess.run(
        [PSQL, "-X", *arguments, "-c", command],
        capture_output=True,
        text=True,
        timeout=60,
        env={**os.environ, "LC_ALL": "C.UTF-8"},
    )
    assert "ERROR" not in done.stderr, f"{command}: {done.stderr}"
    return done.stdout


def table(text: str) -> list[list[str]]:
    """The cells of psql's output."""
    return [[cell.strip() for cell in line.split("|")] for line in text.splitlines() if "|" in line]


def test_lists_hold_the_users_objects_only(runtime: InProcess) -> None:
    relations = table(psql(runtime, r"\d"))[1:]
    assert relations == [
        ["public", "mv", "materialized view", "ptvc"],
        ["public", "t", "table", "ptvc"],
        ["public", "vw", "view", "ptvc"],
    ]
    assert [row[1] for row in table(psql(runtime, r"\dt"))[1:]] == ["t"]
    assert [row[1] for row in table(psql(runtime, r"\dv"))[1:]] == ["vw"]
    assert [row[1] for row in table(psql(runtime, r"\dm"))[1:]] == ["mv"]
    assert [(row[1], row[4]) for row in table(psql(runtime, r"\di"))[1:]] == [
        ("t_a_idx", "t"),
        ("vw_primary_idx", "vw"),
    ]
    assert [row[1] for row in table(psql(runtime, r"\dt s2.*"))[1:]] == ["keyed", "t2"]


def test_names_of_system_relations_resolve_though_they_are_not_listed(runtime: InProcess) -> None:
    assert "mz_objects" not in psql(runtime, r"\d")
    assert table(psql(runtime, "SELECT count(*) > 0 AS found, 1 AS one FROM mz_objects"))[1] == ["t", "1"]
    assert "mz_objects" in psql(runtime, r"\dt mz_catalog.*")


def test_a_table(runtime: InProcess) -> None:
    plain = psql(runtime, r"\d t")
    assert table(plain)[1:] == [
        ["a", "integer", "", "not null", ""],
        ["b", "text", "", "", "'x'::text"],
        ["c", "numeric(10,2)", "", "", ""],
    ]
    assert '"t_a_idx" arrangement (a)' in plain
    verbose = psql(runtime, r"\d+ t")
    assert [row[-1] for row in table(verbose)[1:]] == ["the a", "", ""]
    assert "the table" in psql(runtime, r"\dt+")


def test_keys_are_shown_as_postgres_shows_them(runtime: InProcess) -> None:
    keys = psql(runtime, r"\d s2.keyed")
    assert keys.splitlines()[7:] == [
        "Indexes:",
        '    "keyed_pkey" PRIMARY KEY, btree (a)',
        '    "keyed_b_key" UNIQUE CONSTRAINT, btree (b)',
        "Check constraints:",
        '    "pos" CHECK (a > 0)',
        "",
    ]
    assert [row[3] for row in table(keys)[1:]] == ["not null", "", "not null", ""]
    assert [row[4] for row in table(keys)[1:]] == ["", "'x'::text", "0", "'-2'::integer"]
    assert table(psql(runtime, r"\d s2.keyed_pkey")) == [
        ["Column", "Type", "Key?", "Definition"],
        ["a", "integer", "yes", "a"],
    ]
    assert 'primary key, btree, for table "s2.keyed"' in psql(runtime, r"\d s2.keyed_pkey")
    assert [row[1] for row in table(psql(runtime, r"\di s2.*"))[1:]] == ["keyed_b_key", "keyed_pkey"]


def test_views_and_indexes(runtime: InProcess) -> None:
    assert [row[0] for row in table(psql(runtime, r"\d vw"))[1:]] == ["a", "b"]
    assert "View definition:\nSELECT a, b FROM t WHERE a > 1;" in psql(runtime, r"\d+ vw")
    assert "SELECT b, count(*) AS n FROM t GROUP BY b;" in psql(runtime, r"\d+ mv")
    assert psql(runtime, r"\sv vw") == (
        "CREATE OR REPLACE VIEW public.vw AS\nSELECT a, b FROM t WHERE a > 1\n"
    )
    assert table(psql(runtime, r"\d t_a_idx"))[1:] == [["a", "integer", "yes", "a"]]


def test_schemas_roles_databases(runtime: InProcess) -> None:
    assert {"public", "s2"} <= {row[0] for row in table(psql(runtime, r"\dn"))}
    assert ["s2", "ptvc", "", "second"] in table(psql(runtime, r"\dn+"))
    assert table(psql(runtime, r"\du"))[1][0] == "ptvc"
    assert table(psql(runtime, r"\l"))[1][:3] == ["ptvc", "ptvc", "UTF8"]


@pytest.mark.parametrize(
    "commands",
    [
        r"\dt+ \dv+ \dm+ \di+ \df \df+ \l+ \du+ \dp \z \ddp \dC \do \da \db \dc \dO",
        r"\dD \dE \det \des \deu \dew \dF \dL \ds \dP \dRp \dRs \dd \dy \dl \dconfig \dA \drds \dX \dT \dx",
    ],
)
def test_every_other_description_is_answered(runtime: InProcess, commands: str) -> None:
    done = subprocess.run(
        [PSQL, "-X", "-h", "127.0.0.1", "-p", str(runtime.port), "-U", "ptvc", "ptvc"],
        input="\n".join(commands.split()),
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert "ERROR" not in done.stderr
    assert done.stdout.count("\n") > 20


@pytest.mark.parametrize("number", range(len(DRIVERS)))
def test_what_drivers_ask_at_connect(runtime: InProcess, number: int) -> None:
    sql = DRIVERS[number].strip()
    with runtime.connect() as connection:
        cursor = connection.execute(sql)  # type: ignore[arg-type]
        assert re.match(
            r"SELECT \d+|SHOW|SET|BEGIN|COMMIT|RESET|DISCARD|CLOSE|UNLISTEN", cursor.statusmessage or ""
        )


def test_relations_as_sqlalchemy_and_psycopg_find_them(runtime: InProcess) -> None:
    sql = """
        SELECT c.relname FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
        WHERE c.relkind = ANY (ARRAY['r', 'p', 'v', 'm']) AND pg_catalog.pg_table_is_visible(c.oid)
        AND n.nspname != 'pg_catalog' ORDER BY c.relname
    """
    assert runtime.query(sql) == [("mv",), ("t",), ("vw",)]
    with psycopg.connect(runtime.dsn) as connection:
        assert TypeInfo.fetch(connection, "hstore") is None
        found = TypeInfo.fetch(connection, "text")
        assert found is not None
        assert (found.oid, found.array_oid) == (25, 1009)


def test_reset_all_keeps_prepared_statements(runtime: InProcess) -> None:
    with runtime.connect() as connection:
        connection.execute("SET application_name = 'changed'")
        assert connection.execute("SELECT 41 + 1", prepare=True).fetchall() == [(42,)]
        connection.execute("RESET ALL")
        assert connection.execute("SHOW application_name").fetchall() != [("changed",)]
        assert connection.execute("SELECT 41 + 1", prepare=True).fetchall() == [(42,)]


def test_a_pool_of_asyncpg_reuses_a_connection(runtime: InProcess) -> None:
    async def work() -> list[int]:
        pool = await asyncpg.create_pool(
            host="127.0.0.1", port=runtime.port, user="ptvc", database="ptvc", min_size=1, max_size=1
        )
        found = []
        for number in (1, 2):
            async with pool.acquire() as connection:
                rows = await connection.fetch("SELECT a FROM t WHERE a = $1", number)
                found.append(rows[0]["a"])
        await pool.close()
        return found

    assert asyncio.run(work()) == [1, 2]
