"""Whole projects, as people write them for other databases: they run here as they are, apart from the profile.

`projects/bakery` is a plain one for PostgreSQL, `projects/harbour` is written in the manner of dbt-materialize.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
import yaml
from dbt.cli.main import dbtRunner
from dbt_common.events.base_types import EventMsg
from ptvc.cli import app
from typer.testing import CliRunner

from .test_deployment import connect, eventually

PROJECTS = Path(__file__).parent / "projects"

pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(600),
    pytest.mark.usefixtures("logs_dir"),
]


class Project:
    """A copy of a project, with a profile of the runtime's."""

    def __init__(self, name: str, folder: Path, server: dict[str, Any]) -> None:
        self.folder = folder / name
        shutil.copytree(PROJECTS / name, self.folder)
        output = {"type": "ptvc", "schema": name, "threads": 4} | {
            k: server[k] for k in ("host", "port", "user")
        }
        profile = {name: {"target": "dev", "outputs": {"dev": output}}}
        (self.folder / "profiles.yml").write_text(yaml.safe_dump(profile))
        self.said: list[str] = []

    def dbt(self, *arguments: str, passes: bool = True) -> Any:
        """What the command returns; `said` is what it has said."""
        self.said = []
        where = ["--project-dir", str(self.folder), "--profiles-dir", str(self.folder)]
        runner = dbtRunner(callbacks=[self._hear])
        done = runner.invoke([*arguments, *where])
        assert done.exception is None
        assert done.success is passes, "\n".join(self.said)
        return done.result

    def _hear(self, event: EventMsg) -> None:
        if event.info.level != "debug":
            self.said.append(event.info.msg)

    def messages(self, *arguments: str) -> dict[str, str]:
        """What became of each model and seed of a run, by its name."""
        result = self.dbt(*arguments)
        return {r.node.name: r.message for r in result if r.node.resource_type in ("model", "seed")}

    def edit(self, path: str, old: str, new: str) -> None:
        file = self.folder / path
        text = file.read_text()
        assert old in text
        file.write_text(text.replace(old, new))


@pytest.fixture(scope="class")
def make_project(
    server: dict[str, Any], target_name: str, tmp_path_factory: pytest.TempPathFactory
) -> Callable[[str], Project]:
    if target_name == "postgres":
        pytest.skip("the projects are run by the runtime")
    return lambda name: Project(name, tmp_path_factory.mktemp("projects"), server)


@pytest.fixture
def db(server: dict[str, Any]) -> Iterator[psycopg.Connection[Any]]:
    with connect(server) as connection:
        yield connection


def drop_schemas(server: dict[str, Any], prefix: str) -> None:
    with connect(server) as connection:
        names = connection.execute("select name from mz_catalog.mz_schemas").fetchall()
        for (name,) in names:
            if name.startswith(prefix):
                connection.execute(f"drop schema {name} cascade")


class TestBakery:
    """A project in the manner of the one that dbt is taught with: seeds, staging, facts and dimensions."""

    @pytest.fixture(scope="class")
    def project(self, make_project: Callable[[str], Project], server: dict[str, Any]) -> Iterator[Project]:
        yield make_project("bakery")
        drop_schemas(server, "bakery")

    def test_it_runs_as_it_is(self, project: Project, db: psycopg.Connection[Any]) -> None:
        project.dbt("build")
        rows = db.execute("select display_name, number_of_orders, lifetime_value from bakery.dim_customers")
        assert sorted(rows) == [("Ada B.", 3, 27), ("Bea C.", 0, 0), ("Cyd D.", 1, 20), ("Dot E.", 1, 26)]
        rows = db.execute("select label, revenue, growth from bakery.revenue_by_month order by month")
        assert rows.fetchall() == [("Jan 2026", 73, None), ("Feb 2026", 6, -67), ("Mar 2026", 0, -6)]

        project.edit(
            "seeds/raw_orders.csv", "4,1,2026-01-05,placed,2026-01-05", "4,1,2026-01-05,shipped,2026-02-08"
        )
        project.edit("seeds/raw_customers.csv", "Davis", "Dee")
        project.dbt("build")
        rows = db.execute(
            "select order_id, status from bakery.fct_order_updates where order_id >= 4 order by 1"
        )
        assert rows.fetchall() == [(4, "shipped"), (5, "returned")]
        history = "select status, dbt_valid_to is null from bakery.orders_snapshot where id = 4 order by 2"
        assert db.execute(history).fetchall() == [("placed", False), ("shipped", True)]
        history = "select last_name from bakery.customers_snapshot where id = 3 and dbt_valid_to is null"
        assert db.execute(history).fetchall() == [("Dee",)]

        catalog = project.dbt("docs", "generate")
        assert {"model.bakery.dim_customers", "seed.bakery.raw_orders"} <= set(catalog.nodes)
        assert catalog.nodes["model.bakery.stg_orders"].columns["order_month"].type == "date"


class TestHarbour:
    """Sources, a sink, indexes, clusters, contracts, stored failures, unit tests, and a deployment beside production."""

    clusters = ("harbour_compute", "harbour_serving")

    @pytest.fixture(scope="class")
    def data(self, tmp_path_factory: pytest.TempPathFactory) -> Path:
        data = tmp_path_factory.mktemp("harbour")
        (data / "moorings").mkdir()
        return data

    @pytest.fixture(scope="class")
    def project(
        self, make_project: Callable[[str], Project], server: dict[str, Any], data: Path
    ) -> Iterator[Project]:
        moor(data, mooring=1, ship=7, berth=1, since="2026-05-01 08:00:00", until="2026-05-03 08:00:00")
        with connect(server) as connection, pytest.MonkeyPatch.context() as patch:
            for cluster in self.clusters:
                connection.execute(f"create cluster {cluster}")
            patch.setenv("HARBOUR_DATA", str(data))
            yield make_project("harbour")
            drop_schemas(server, "harbour")
            for cluster in self.clusters:
                connection.execute(f"drop cluster {cluster} cascade")

    def test_it_runs_as_it_is(self, project: Project, db: psycopg.Connection[Any]) -> None:
        first = project.messages("build")
        assert (first["fees"], first["moorings"]) == ("CREATE MATERIALIZED VIEW", "CREATE SOURCE")
        assert set(project.messages("build").values()) == {"UNCHANGED"}
        catalog = project.dbt("docs", "generate")
        assert catalog.nodes["model.harbour.fees"].metadata.type == "MATERIALIZED VIEW"
        assert catalog.nodes["model.harbour.berth_use"].columns["longest_m"].type == "numeric"
        assert "model.harbour.moorings" in catalog.nodes

        clusters = dict(db.execute(CLUSTERS).fetchall())
        assert clusters["fees"] == clusters["ships_fit_their_berths"] == "harbour_compute"
        assert clusters["fees_out"] == "harbour_serving"
        assert clusters["moorings"] == "quickstart"
        indexes = db.execute("select create_sql from mz_catalog.mz_indexes").fetchall()
        of_berth_use = sorted(sql.partition(" IN CLUSTER ")[2] for (sql,) in indexes if ".berth_use " in sql)
        assert of_berth_use == [
            "harbour_compute ON harbour.berth_use (quay, berth, moorings, longest_m)",
            "harbour_serving ON harbour.berth_use (quay, berth)",
        ]

    def test_stored_failures_follow(
        self, project: Project, db: psycopg.Connection[Any], data: Path, server: dict[str, Any]
    ) -> None:
        moor(data, mooring=2, ship=9, berth=2, since="2026-05-02 08:00:00")
        failures = "select mooring, ship_m from harbour_failures.ships_fit_their_berths"
        eventually(lambda: db.execute(failures).fetchall() == [(2, 190)])
        exit_code, said = watched(server)
        assert exit_code == 1
        assert "fails  ships_fit_their_berths of stg_moorings, stg_ships, berths\n  mooring=2" in said
        assert "5 tests: 4 holds, 1 fails" in said
        project.dbt("test", "--select", "ships_fit_their_berths", passes=False)
        moor(data, mooring=2)
        eventually(lambda: db.execute(failures).fetchall() == [])
        assert watched(server)[0] == 0

    def test_a_change_is_deployed(self, project: Project, db: psycopg.Connection[Any], data: Path) -> None:
        feed = data / "fees_out"
        eventually(lambda: latest_fee(feed) == 550)
        project.dbt("run-operation", "deploy_init")
        project.edit("models/marts/fees.sql", "length_m * 2.5", "length_m * 3.0")
        project.edit(
            "models/models.yml", "Aurora, fee: 25.00}\n        - ", "Aurora, fee: 30.00}\n        - "
        )
        project.edit("models/models.yml", "Aurora, fee: 75.00}\n  - name", "Aurora, fee: 90.00}\n  - name")
        deploy = ("--vars", "deploy: true", "--exclude", "config.materialized:source")
        built = project.messages("build", *deploy)
        assert built["fees_out"] == "STAYS IN PRODUCTION"
        assert db.execute("select fee from harbour.fees").fetchall() == [(550,)]
        assert db.execute("select fee from harbour_dbt_deploy.fees").fetchall() == [(660,)]
        assert dict(db.execute(CLUSTERS).fetchall())["fees"].startswith("harbour_compute")
        project.dbt(
            "run-operation",
            "deploy_promote",
            "--args",
            "{wait: true, poll_interval: 0.1, lag_threshold: 30s}",
        )
        assert db.execute("select owed from harbour.fees_by_ship").fetchall() == [(660,)]
        eventually(lambda: latest_fee(feed) == 660)
        project.dbt("run-operation", "deploy_cleanup")
        assert set(project.messages("build").values()) == {"UNCHANGED"}

    def test_what_is_not_there_is_said(self, project: Project) -> None:
        table = (
            "{{ config(materialized='source_table') }} FROM SOURCE {{ ref('moorings') }} (REFERENCE moorings)"
        )
        rare = "{{ config(materialized='materialized_view', refresh_interval={'every': '1 day'}) }} select 1 as a"
        old = "{{ config(materialized='materializedview') }} select 1 as a"
        for name, text in {"notes": table, "rare": rare, "old": old}.items():
            (project.folder / "models" / f"{name}.sql").write_text(text)
        result = project.dbt("run", "--select", "notes", "rare", "old", passes=False)
        said = {r.node.name: r.message for r in result}
        assert 'no tables can be made from source "moorings"' in said["notes"]
        assert "Remove `refresh_interval`" in said["rare"]
        assert said["old"] == "CREATE MATERIALIZED VIEW"


CLUSTERS = (
    "select o.name, c.name from mz_catalog.mz_objects o join mz_catalog.mz_clusters c on c.id = o.cluster_id "
    "where o.schema_name in ('harbour', 'harbour_ingest', 'harbour_failures')"
)


def moor(data: Path, **record: object) -> None:
    with (data / "moorings" / "log.jsonl").open("a") as file:
        file.write(json.dumps(record) + "\n")


def latest_fee(feed: Path) -> float | None:
    lines = [line for file in sorted(feed.glob("*.jsonl")) for line in file.read_text().splitlines()]
    return json.loads(lines[-1])["after"]["fee"] if lines else None


def watched(server: dict[str, Any]) -> tuple[int, str]:
    """Exit code and output of `ptvc watch --once`."""
    where = ["--host", server["host"], "--port", str(server["port"]), "--schema", "harbour_failures"]
    done = CliRunner().invoke(app, ["watch", "--once", *where], env={"COLUMNS": "300"})
    return done.exit_code, done.output
