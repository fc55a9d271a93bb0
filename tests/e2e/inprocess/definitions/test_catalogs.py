"""Catalog queries, asked by the real psql and one relation at a time."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator

import pytest
from inprocess import InProcess, running
from psql import PSQL
from ptvc.sql.catalog.system_relations import SYSTEM_RELATIONS


@pytest.fixture(scope="module")
def filled() -> Iterator[InProcess]:
    with running() as runtime, runtime.connect() as db:
        db.execute("CREATE TABLE t (a int NOT NULL, b text DEFAULT 'x', c numeric(10, 2), d timestamp)")
        db.execute("COMMENT ON TABLE t IS 'the table'")
        db.execute("INSERT INTO t VALUES (1)")
        db.execute("CREATE VIEW v AS SELECT a, b FROM t")
        db.execute("CREATE MATERIALIZED VIEW m AS SELECT b, count(*) AS n FROM v GROUP BY b")
        db.execute("CREATE INDEX i ON m (b)")
        db.execute("CREATE INDEX vi ON v (a)")
        db.execute("CREATE SOURCE s FROM LOAD GENERATOR COUNTER (TICK INTERVAL '1s')")
        db.execute("SELECT * FROM m")
        yield runtime


def psql(runtime: InProcess, *commands: str) -> str:
    arguments = [part for command in commands for part in ("-c", command)]
    done = subprocess.run(
        [PSQL, "-X", "-v", "ON_ERROR_STOP=1", "-d", runtime.dsn, *arguments],
        capture_output=True,
        text=True,
        timeout=30,
        env={"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8"},
    )
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    return done.stdout


DESCRIBE = [
    (r"\d", ["public | m ", "materialized view", "public | t ", "public | v "]),
    (r"\d+", ["the table"]),
    (r"\dt", ["public | t "]),
    (r"\dt+", ["the table"]),
    (r"\dv", ["public | v "]),
    (r"\dm", ["public | m "]),
    (r"\di", ["public | i ", "public | vi "]),
    (r"\dn", ["public"]),
    (r"\dn+", ["public"]),
    (r"\du", ["ptvc"]),
    (r"\l", ["ptvc"]),
    (r"\df", []),
    (r"\dT", []),
    (r"\dp", ["t "]),
    (r"\dd", []),
    (r"\db", []),
    (r"\dx", []),
    (r"\sv v", ["SELECT a, b FROM t"]),
    (r"\conninfo", []),
    (r"\encoding", ["UTF8"]),
    (r"\d t", ["a      | integer", "not null", "numeric(10,2)", "timestamp without time zone", "'x'"]),
    (r"\d+ t", ["integer"]),
    (r"\d v", ["View", "integer"]),
    (r"\d+ v", ["SELECT a, b FROM t"]),
    (r"\d m", ["Materialized view", "bigint"]),
    (r"\d+ m", ["count(*)"]),
    (r"\d i", ["Index"]),
    (r"\d s", ["bigint"]),
]


@pytest.mark.parametrize(("command", "expected"), DESCRIBE, ids=[command for command, _ in DESCRIBE])
def test_psql(filled: InProcess, command: str, expected: list[str]) -> None:
    output = psql(filled, command)
    for text in expected:
        assert text in output, output


@pytest.mark.parametrize("relation", sorted(SYSTEM_RELATIONS))
def test_every_system_relation_can_be_read(filled: InProcess, relation: str) -> None:
    with filled.connect() as db:
        cursor = db.execute(f"SELECT * FROM {relation}")  # type: ignore[arg-type]
        assert cursor.description is not None
        assert [column.name for column in cursor.description] == list(SYSTEM_RELATIONS[relation].names)
        fetched = cursor.fetchall()
        assert db.execute(f"SELECT count(*) FROM {relation}").fetchall() == [(len(fetched),)]  # type: ignore[arg-type]


def test_catalogs_agree(filled: InProcess) -> None:
    """The same objects whichever way one asks."""
    by_class = filled.query(
        "SELECT c.relname, c.relkind FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n"
        " ON n.oid = c.relnamespace WHERE n.nspname = 'public' ORDER BY 1"
    )
    assert dict(by_class).keys() >= {"t", "v", "m", "i", "vi", "s"}
    assert {name: dict(by_class)[name] for name in "tvmi"} == {"t": "r", "v": "v", "m": "m", "i": "i"}
    objects = filled.query(
        "SELECT o.name, o.type FROM mz_catalog.mz_objects o JOIN mz_catalog.mz_schemas s ON s.id = o.schema_id"
        " WHERE s.name = 'public' ORDER BY 1"
    )
    assert [name for name, _ in objects] == [name for name, _ in by_class]
    columns = filled.query(
        "SELECT column_name, data_type, is_nullable FROM information_schema.columns"
        " WHERE table_schema = 'public' AND table_name = 'm' ORDER BY ordinal_position"
    )
    assert [(name, type_) for name, type_, _ in columns] == [("b", "text"), ("n", "bigint")]


def test_what_is_hydrated_says_so(filled: InProcess) -> None:
    hydrated = filled.query(
        "SELECT o.name, h.hydrated FROM mz_internal.mz_hydration_statuses h"
        " JOIN mz_catalog.mz_objects o ON o.id = h.object_id WHERE o.name IN ('m', 'i') ORDER BY 1"
    )
    assert hydrated == [("i", True), ("m", True)]
