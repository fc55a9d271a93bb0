"""Models of sources whose rows are in error: the run fails, says why, and how that is mended."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from dbt.tests.util import run_dbt
from inprocess import eventually
from servers.postgres_listening import Listening, logical_postgres

USER, PASSWORD = "ann", "a-password"


def by_name(results: Any) -> dict[str, Any]:
    return {found.node.name: found for found in results}


class TestARowInError:
    @pytest.fixture(scope="class")
    def path(self, tmp_path_factory: pytest.TempPathFactory) -> Path:
        return tmp_path_factory.mktemp("in") / "clicks.jsonl"

    @pytest.fixture(scope="class")
    def models(self, path: Path) -> dict[str, str]:
        return {
            "clicks.sql": f"{{{{ config(materialized='source') }}}}\n(id int) from file '{path}' format json"
        }

    def test_the_run_fails_with_the_error(self, project: Any, path: Path) -> None:
        path.write_text('{"id": 1}\n')
        run_dbt(["run"])
        with path.open("a") as file:
            file.write('{"id": "x"}\n')
        errors = "select errors from mz_internal.mz_source_statistics s join mz_objects o on o.id = s.id where name = 'clicks'"
        eventually(lambda: project.run_sql(errors, fetch="one") == (1,))
        (failed,) = run_dbt(["run"], expect_pass=False)
        assert '"clicks" is in error, and so is all that reads it: ' in failed.message
        assert "ON ERROR = DEAD LETTER" in failed.message


@pytest.fixture(scope="module")
def postgres() -> Iterator[Listening]:
    with logical_postgres(USER, PASSWORD) as server:
        yield server


@pytest.mark.slow
class TestATableThatIsAnotherUpstream:
    """With sinks over it."""

    @pytest.fixture(scope="class")
    def target(self, tmp_path_factory: pytest.TempPathFactory) -> Path:
        return tmp_path_factory.mktemp("out") / "people"

    @pytest.fixture(scope="class")
    def models(self, target: Path) -> dict[str, str]:
        return {
            "shop.sql": "{{ config(materialized='source') }}\nfrom postgres connection {{ target.schema }}.pg (publication 'p')",
            "people.sql": "{{ config(materialized='source_table') }}\nfrom source {{ ref('shop') }} (reference people)",
            "orders.sql": "{{ config(materialized='source_table') }}\nfrom source {{ ref('shop') }} (reference orders)",
            "names.sql": "{{ config(materialized='materialized_view') }}\nselect name from {{ ref('people') }}",
            "feed.sql": f"{{{{ config(materialized='sink') }}}}\nfrom {{{{ ref('people') }}}} into file '{target}' format json envelope debezium",
            "names_feed.sql": f"{{{{ config(materialized='sink') }}}}\nfrom {{{{ ref('names') }}}} into file '{target}_names' format json envelope debezium",
        }

    def test_it_is_told_and_mended(self, project: Any, postgres: Listening, target: Path) -> None:
        with psycopg.connect(postgres.uri, autocommit=True) as db:
            for name in ("people", "orders"):
                db.execute(f"CREATE TABLE {name} (id int PRIMARY KEY, name text)".encode())
                db.execute(
                    f"ALTER TABLE {name} REPLICA IDENTITY FULL; GRANT SELECT ON {name} TO {USER}".encode()
                )
                db.execute(f"INSERT INTO {name} VALUES (1, 'a'), (2, 'b')".encode())
            db.execute("CREATE PUBLICATION p FOR TABLE people, orders")
            project.run_sql(f"create secret {{schema}}.pw as '{PASSWORD}'")
            project.run_sql(
                "create connection {schema}.pg to postgres (host '127.0.0.1', "
                f"port {postgres.port}, database 'postgres', user '{USER}', password secret {{schema}}.pw)"
            )
            run_dbt(["run"])
            ids = dict(
                project.run_sql("select name, id from mz_objects where schema_name = '{schema}'", fetch="all")
            )

            db.execute("TRUNCATE people; INSERT INTO people VALUES (3, 'c')")
            eventually(lambda: is_in_error(project, "people"))
            found = by_name(run_dbt(["run"], expect_pass=False))
            assert found["people"].status == "error"
            assert "truncated" in found["people"].message
            assert "`dbt run --full-refresh --select people+`" in found["people"].message
            assert found["orders"].message == "UNCHANGED"
            assert found["names"].status == found["feed"].status == "skipped"

            found = by_name(run_dbt(["run", "--full-refresh", "--select", "people+"]))
            assert found["feed"].message == "ALTER SINK"
            assert found["names_feed"].message in (
                "ALTER SINK",
                "UNCHANGED",
            )  # it may be done when it is looked at
            assert project.run_sql("select id, name from {schema}.people", fetch="all") == [(3, "c")]
            assert project.run_sql("select name from {schema}.names", fetch="all") == [("c",)]
            assert {one.message for one in run_dbt(["run"])} == {"UNCHANGED"}
            now = dict(
                project.run_sql("select name, id from mz_objects where schema_name = '{schema}'", fetch="all")
            )
            assert set(now) == set(ids)
            assert now["feed"] == ids["feed"]
            assert now["people"] != ids["people"]
            assert contents(target) == [{"id": 3, "name": "c"}]
            db.execute("INSERT INTO people VALUES (4, 'd')")
            eventually(lambda: contents(target) == [{"id": 3, "name": "c"}, {"id": 4, "name": "d"}])


def is_in_error(project: Any, name: str) -> bool:
    try:
        project.run_sql(f"select count(*) from {{schema}}.{name}", fetch="one")
    except psycopg.Error:
        return True
    return False


def contents(target: Path) -> list[dict[str, Any]]:
    """What the changes in the sink's files come to."""
    rows: dict[str, int] = {}
    for file in target.glob("*.json*"):
        if file.name.startswith("manifest"):
            continue
        for line in file.read_text().splitlines():
            change = json.loads(line)
            for side, sign in (("before", -1), ("after", 1)):
                if change.get(side) is not None:
                    row = json.dumps(change[side], sort_keys=True)
                    rows[row] = rows.get(row, 0) + sign
    assert set(rows.values()) <= {0, 1}
    return sorted((json.loads(row) for row, count in rows.items() if count), key=str)
