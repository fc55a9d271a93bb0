"""The benchmark of replication runs, and every row comes."""

from __future__ import annotations

from collections.abc import Iterator

import psycopg
import pytest
from servers.mariadb_listening import mariadb_server
from servers.mysql_process import PASSWORD, USER
from servers.postgres_listening import Listening, logical_postgres
from typer.testing import CliRunner

from benchmarks.__main__ import app
from benchmarks.replication import run_backlogs, run_freshness, run_mysql_backlogs, run_sink


@pytest.fixture(scope="module")
def server() -> Iterator[Listening]:
    with logical_postgres("ann", "secret") as server:
        yield server


@pytest.fixture
def upstream(server: Listening) -> Iterator[str]:
    """Of whoever leaves nothing behind."""
    conninfo = f"host=127.0.0.1 port={server.port} dbname=postgres user=ann password=secret"
    yield conninfo
    with psycopg.connect(server.uri) as db:
        assert db.execute("SELECT count(*) FROM pg_replication_slots").fetchone() == (0,)
        assert db.execute(
            "SELECT count(*) FROM pg_namespace WHERE nspname LIKE 'ptvc_bench%'"
        ).fetchone() == (0,)


@pytest.mark.slow
def test_sources(upstream: str) -> None:
    results = list(run_backlogs(upstream, 2_000))
    assert [(r.what, r.rows) for r in results] == [
        ("contents", 2_000),
        ("behind inserts", 800),
        ("behind updates", 800),
        ("behind deletes", 800),
    ]
    assert all(result.per_second > 0 for result in results)
    assert run_freshness(upstream, 50, 2).latencies.count == 80


@pytest.mark.slow
def test_mysql_sources() -> None:
    with mariadb_server() as server:
        server.run(f"GRANT ALL ON *.* TO {USER}")
        url = f"mysql://{USER}:{PASSWORD}@127.0.0.1:{server.port}"
        results = list(run_mysql_backlogs(url, 2_000))
        with server.connect() as db, db.cursor() as cursor:
            assert cursor.execute("SHOW DATABASES LIKE 'ptvc_bench%'") == 0
    assert [(r.what, r.rows) for r in results] == [
        ("MySQL, contents", 2_000),
        ("MySQL, behind inserts", 800),
        ("MySQL, behind updates", 800),
        ("MySQL, behind deletes", 800),
    ]


def test_one_of_the_servers_is_needed() -> None:
    assert CliRunner().invoke(app, ["replication"]).exit_code == 2


@pytest.mark.slow
def test_sinks(upstream: str) -> None:
    results = list(run_sink(upstream, 2_000))
    assert [(r.what, r.rows) for r in results] == [("sink: contents", 2_000), ("sink: updates", 2_000)]


@pytest.mark.slow
def test_the_command(upstream: str) -> None:
    arguments = ["replication", "--upstream", upstream, "--rows", "100", "--rate", "0", "--sink-rows", "0"]
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 0, result.output
