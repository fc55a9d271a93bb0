"""A blue/green deployment of a DAG over two schemas and two clusters: tables, materialized views, indexes and a sink."""

from __future__ import annotations

import json
import threading
from collections import Counter
from pathlib import Path
from time import monotonic, sleep
from typing import Any

import psycopg
import pytest
from dbt.tests.util import run_dbt, run_dbt_and_capture, write_file

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]

SEED = "id,amount\n1,10\n2,20\n3,30\n"
STAGED = "{{ config(materialized='table') }} select id, amount from {{ ref('payments') }}"
TOTALS = """
{{ config(materialized='materialized_view', cluster='%(one)s', indexes=[{'columns': ['id']}]) }}
select id, sum(amount)::bigint as total, 'v1' as version from {{ ref('staged') }} group by id
"""
REPORT = """
{{ config(materialized='materialized_view', cluster='%(two)s', schema='mart', indexes=[{'columns': ['id'], 'cluster': '%(one)s'}]) }}
select id, total, version from {{ ref('totals') }} where total > 10
"""
LOOKUP = "{{ config(materialized='index', columns=['version'], cluster='%(two)s') }} select * from {{ ref('totals') }}"
FEED = """
{{ config(materialized='sink', cluster='%(two)s') }}
from {{ ref('report') }} into file '%(path)s' format json envelope none
"""


def eventually(condition: Any, timeout_s: float = 60.0) -> None:
    deadline = monotonic() + timeout_s
    while not condition():
        assert monotonic() < deadline
        sleep(0.05)


def contents(path: Path) -> list[Counter[str]]:
    """What the target holds at each time at which it changes."""
    held: Counter[str] = Counter()
    found: dict[int, Counter[str]] = {}
    if not (path / "manifest.json").exists():
        return []
    upper = json.loads((path / "manifest.json").read_text())["upper"]
    ended = 0
    for file in sorted(path.glob("*.jsonl")):
        lower, until = map(int, file.stem.split("-"))
        assert lower >= ended
        ended = until
        if until <= upper:
            for line in file.read_text().splitlines():
                record = json.loads(line)
                time, diff = record.pop("mz_timestamp"), record.pop("mz_diff")
                held[json.dumps(record)] += diff
                found[time] = Counter(held)
    assert all(min(state.values()) >= 0 for state in found.values())
    return [+state for state in found.values()]


class Deployments:
    """A project whose schemas and clusters are its own, so that classes can share a runtime."""

    clusters = ("blue_one", "blue_two")

    @pytest.fixture(scope="class")
    def target(self, tmp_path_factory: pytest.TempPathFactory) -> Path:
        return tmp_path_factory.mktemp("feed") / "out"

    @pytest.fixture(scope="class")
    def models(self, target: Path) -> dict[str, str]:
        one, two = self.clusters
        names = {"one": one, "two": two, "path": target}
        found = {"totals": TOTALS, "report": REPORT, "lookup": LOOKUP, "feed": FEED}
        return {"staged.sql": STAGED} | {f"{name}.sql": text % names for name, text in found.items()}

    @pytest.fixture(scope="class")
    def seeds(self) -> dict[str, str]:
        return {"payments.csv": SEED}

    @pytest.fixture(scope="class")
    def project_config_update(self, unique_schema: str) -> dict[str, Any]:
        schemas = [unique_schema, f"{unique_schema}_mart"]
        deployment = {"default": {"clusters": list(self.clusters), "schemas": schemas}}
        return {"vars": {"deployment": deployment}}

    @pytest.fixture(scope="class", autouse=True)
    def made(self, project: Any) -> Any:
        for cluster in self.clusters:
            project.run_sql(f"create cluster {cluster}")
        yield
        for schema in ("", "_mart"):
            for suffix in ("", "_dbt_deploy"):
                project.run_sql(f"drop schema if exists {project.test_schema}{schema}{suffix} cascade")
        for cluster in self.clusters:
            for suffix in ("", "_dbt_deploy"):
                project.run_sql(f"drop cluster if exists {cluster}{suffix} cascade")


def connect(server: dict[str, Any]) -> psycopg.Connection[Any]:
    where = {name: server[name] for name in ("host", "port", "user", "dbname")}
    return psycopg.connect(**where, autocommit=True)


class TestDeployment(Deployments):
    def test_from_init_to_cleanup(self, project: Any, server: dict[str, Any], target: Path) -> None:
        schema = project.test_schema
        run_dbt(["build"])
        eventually(lambda: contents(target))
        first = contents(target)[-1]
        assert first.total() == 2

        _, log = run_dbt_and_capture(["run-operation", "deploy_init", "--args", "{dry_run: true}"])
        assert f'create schema "{schema}_dbt_deploy";' in log
        assert (
            project.run_sql("select 1 from mz_catalog.mz_schemas where name like '%dbt_deploy'", fetch="all")
            == []
        )
        project.run_sql(f"create role {schema}_reader")
        project.run_sql(f"grant usage on schema {schema} to {schema}_reader")
        run_dbt(["run-operation", "deploy_init"])
        assert "usage" in grants(project, f"{schema}_dbt_deploy")

        one, two = self.clusters
        changed = TOTALS.replace("'v1'", "'v2'") % {"one": one, "two": two}
        write_file(changed, project.project_root, "models", "totals.sql")
        deploy = ["--vars", "deploy: true"]
        results = run_dbt(["build", *deploy])
        assert {r.node.name: r.message for r in results}["feed"] == "STAYS IN PRODUCTION"
        assert {r.node.schema for r in results} == {f"{schema}_dbt_deploy", f"{schema}_mart_dbt_deploy"}
        assert clusters(project, f"{schema}_dbt_deploy") == {"blue_one_dbt_deploy", "blue_two_dbt_deploy"}
        run_dbt(["run-operation", "deploy_await", "--args", "{poll_interval: 0.1, lag_threshold: '30s'}"])
        assert contents(target)[-1] == first

        reader = Reader(server, schema)
        with reader:
            _, log = run_dbt_and_capture(["run-operation", "deploy_promote", "--args", "{dry_run: true}"])
            assert f'alter sink "{schema}"."feed" set from "{schema}_mart"."report"' in log
            assert reader.seen == {("v1", "v1")}
            run_dbt(["run-operation", "deploy_promote"])
            eventually(lambda: ("v2", "v2") in reader.seen)
            eventually(lambda: contents(target)[-1] != first)
        assert reader.seen == {("v1", "v1"), ("v2", "v2")}
        assert reader.changes == 1
        second = contents(target)[-1]
        assert second == Counter(row.replace("v1", "v2") for row in first.elements())
        assert contents(target) == [first, second]
        assert "usage" in grants(project, schema)
        assert clusters(project, schema) == {"blue_one", "blue_two"}

        # What was promoted is what the project says: nothing is built again, and the sink goes on.
        results = run_dbt(["run", "--exclude", "staged"])
        assert {r.message for r in results} == {"UNCHANGED"}
        project.run_sql(f"insert into {schema}.staged values (4, 40)")
        eventually(lambda: len(contents(target)) == 3)
        project.run_sql(f"delete from {schema}.staged where id = 4")
        eventually(lambda: contents(target)[-1] == second)

        with Reader(server, schema) as reader:
            run_dbt(["run-operation", "deploy_rollback"])
            eventually(lambda: ("v1", "v1") in reader.seen)
        assert reader.changes == 1
        eventually(lambda: contents(target)[-1] == first)
        run_dbt(["run-operation", "deploy_promote"])
        eventually(lambda: contents(target)[-1] == second)

        _, log = run_dbt_and_capture(["run-operation", "deploy_cleanup", "--args", "{dry_run: true}"])
        assert f'drop schema "{schema}_dbt_deploy" cascade;' in log
        run_dbt(["run-operation", "deploy_cleanup"])
        left = "select name from mz_catalog.mz_schemas where name like '%dbt_deploy' union all "
        left += "select name from mz_catalog.mz_clusters where name like '%dbt_deploy'"
        assert project.run_sql(left, fetch="all") == []
        project.run_sql(f"insert into {schema}.staged values (5, 50)")
        eventually(lambda: contents(target)[-1].total() == 3)
        assert project.run_sql(f"select version from {schema}.totals where id = 5", fetch="all") == [("v2",)]


class TestRefusals(Deployments):
    clusters = ("red_one", "red_two")

    def test_what_would_be_left_behind(self, project: Any) -> None:
        schema = project.test_schema
        run_dbt(["build"])
        other = f"{schema}_other"
        project.run_sql(f"create schema {other}")
        project.run_sql(f"create materialized view {other}.over as select id from {schema}.totals")
        assert f"materialized view {other}.over rests on what is deployed" in failure("deploy_init")
        project.run_sql(f"drop materialized view {other}.over")
        project.run_sql(f"create materialized view {other}.guest in cluster red_one as select 1 as n")
        assert f"materialized view {other}.guest runs in a cluster of the deployment" in failure(
            "deploy_init"
        )
        project.run_sql(f"drop schema {other} cascade")

        assert "does not exist: run `dbt run-operation deploy_init`" in failure("deploy_promote")
        run_dbt(["run-operation", "deploy_init"])
        assert "nothing was built in" in failure("deploy_promote")
        run_dbt(["build", "--vars", "deploy: true", "--select", "payments", "staged"])
        assert f"table {schema}_dbt_deploy.payments" in failure("deploy_init")
        run_dbt(["run-operation", "deploy_init", "--args", "{ignore_existing_objects: true}"])
        assert "'soon' is no duration" in failure("deploy_await", "{lag_threshold: soon}")
        run_dbt(["run-operation", "deploy_promote", "--args", "{dry_run: true}"])
        run_dbt(["run-operation", "deploy_cleanup"])


def failure(macro: str, arguments: str = "{}") -> str:
    """What the operation says that is refused."""
    _, log = run_dbt_and_capture(["run-operation", macro, "--args", arguments], expect_pass=False)
    return " ".join(log.split())


def grants(project: Any, schema: str) -> str:
    found = project.run_sql(
        "select privilege_type from mz_internal.mz_show_all_privileges where object_type = 'schema' and name = "
        f"'{schema}' and grantee = '{project.test_schema}_reader'",
        fetch="all",
    )
    return " ".join(row[0].lower() for row in found)


def clusters(project: Any, schema: str) -> set[str]:
    found = project.run_sql(
        "select distinct c.name from mz_catalog.mz_objects o join mz_catalog.mz_clusters c on c.id = o.cluster_id "
        f"where o.schema_name = '{schema}'",
        fetch="all",
    )
    return {name for (name,) in found}


class Reader:
    """Reads both ends of the DAG in one query, again and again: `seen` are the versions of both."""

    def __init__(self, server: dict[str, Any], schema: str) -> None:
        self._server, self._schema = server, schema
        self._stop = threading.Event()
        self.seen: set[tuple[str, str]] = set()
        self.changes = 0
        self.failure: BaseException | None = None
        self._thread = threading.Thread(target=self._run)

    def _run(self) -> None:
        query = (
            f"select distinct t.version, r.version from {self._schema}.totals t, {self._schema}_mart.report r"
        )
        last = None
        try:
            with connect(self._server) as db:
                while not self._stop.is_set():
                    [row] = db.execute(query).fetchall()  # type: ignore[call-overload]
                    self.seen.add(row)
                    self.changes += last not in (None, row)
                    last = row
        except BaseException as error:
            self.failure = error

    def __enter__(self) -> Reader:
        self._thread.start()
        eventually(lambda: self.seen or self.failure)
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()
        assert self.failure is None
