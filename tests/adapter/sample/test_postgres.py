"""The sample project's models over PostgreSQL: left out where no database is named, and exact over a real one."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
from servers.postgres_listening import Listening, logical_postgres

from .project import Project, connected, listed

MODELS = {
    "flights_database",
    "flights_table",
    "carriers_table",
    "flights_by_carrier",
    "flights_by_carrier_table",
}
USER, PASSWORD = "ann", "a-password"
EVENTS = 4000
COUNTED = "SELECT carrier, count(*), 0, count(*) FILTER (WHERE arr_delay > 15) FROM flights GROUP BY carrier ORDER BY 1"
OBJECTS = (
    "SELECT o.id, o.name FROM mz_objects o JOIN mz_schemas s ON s.id = o.schema_id WHERE s.name = %s "
    f"AND o.name IN ({', '.join(f'$${name}$$' for name in sorted(MODELS))}) ORDER BY 1"
)


@pytest.fixture(scope="module")
def postgres() -> Iterator[Listening]:
    with logical_postgres(USER, PASSWORD) as server:
        with psycopg.connect(server.uri, autocommit=True) as db:
            db.execute(f"CREATE DATABASE shop OWNER {USER}".encode())
        yield server


@pytest.mark.slow
def test_without_a_database_they_are_left_out_and_it_says_so(project: Project) -> None:
    assert not listed(project.dbt("--quiet", "ls", "--resource-type", "model")) & MODELS
    said = project.dbt("run", "--select", "stg_flights", "flights")
    assert "models/postgres is left out" in said
    assert "PTVC_SAMPLE_POSTGRES_HOST" in said


@pytest.mark.slow
def test_it_is_exact_over_a_database(project: Project, postgres: Listening, server: dict[str, Any]) -> None:
    conninfo = f"host=127.0.0.1 port={postgres.port} dbname=shop user={USER} password={PASSWORD}"
    settings = {
        "PTVC_SAMPLE_POSTGRES_HOST": "127.0.0.1",
        "PTVC_SAMPLE_POSTGRES_PORT": str(postgres.port),
        "PTVC_SAMPLE_POSTGRES_DATABASE": "shop",
        "PTVC_SAMPLE_POSTGRES_USER": USER,
        "PTVC_SAMPLE_POSTGRES_PASSWORD": PASSWORD,
    }

    def replay(limit: int) -> None:
        done = project.run(
            *(sys.executable, "replay.py", "--speed", "0", "--limit", str(limit), "--postgres", conninfo)
        )
        assert done.returncode == 0, done.stderr

    replay(EVENTS // 2)
    project.dbt("run-operation", "make_postgres_connection", **settings)
    said = project.dbt("build", "--select", "path:models/postgres", **settings)
    assert "models/postgres is left out" not in said
    replay(EVENTS)  # the second time it goes on
    with psycopg.connect(conninfo, autocommit=True) as there, connected(server) as db:
        wanted = there.execute(COUNTED.encode()).fetchall()
        assert sum(row[1] for row in wanted) > EVENTS // 4
        here = f"SELECT carrier, flights, difference, late_flights FROM {project.schema}.flights_by_carrier ORDER BY 1"
        back = "SELECT carrier, flights, difference, late_flights FROM flights_by_carrier ORDER BY 1"
        deadline = time.monotonic() + 60
        while (
            db.execute(here.encode()).fetchall() != wanted
            or there.execute(back.encode()).fetchall() != wanted
        ):
            assert time.monotonic() < deadline, (db.execute(here.encode()).fetchall(), wanted)
            time.sleep(0.1)
        project.dbt("test", "--select", "path:models/postgres", **settings)
        made = db.execute(OBJECTS, (project.schema,)).fetchall()
        assert len(made) == len(MODELS)
        project.dbt("run", "--select", "path:models/postgres", **settings)
        assert db.execute(OBJECTS, (project.schema,)).fetchall() == made, "what has not changed goes on"
