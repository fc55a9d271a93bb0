"""Commands beside `build`, on one project after the other: what a user sees of `docs`, `retry`, `show`, `clone`, `--empty`, `--sample`."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml
from dbt.tests.util import run_dbt

ORDERS = "id,customer,amount,at\n1,ada,10.50,2020-01-01 10:00:00\n2,ada,4.00,2020-01-02 10:00:00\n3,bob,7.25,2020-01-02 11:00:00\n"

MODELS = {
    "stg.sql": "{{ config(materialized='view', event_time='at') }}\n"
    "select id, customer, amount, at from {{ ref('orders') }} where amount > {{ var('least', 0) }}",
    "revenue.sql": "{{ config(materialized='materialized_view') }}\n"
    "select customer, sum(amount) as total from {{ ref('stg') }} group by customer",
    "copied.sql": "{{ config(materialized='table') }}\n"
    "select *, 1 / {{ var('divisor', 1) }} as one from {{ ref('stg') }}",
    "over.sql": "{{ config(materialized='table') }}\nselect count(*) as n from {{ ref('copied') }}",
    "by_total.sql": "{{ config(materialized='index', columns=['total']) }}\nselect * from {{ ref('revenue') }}",
}
SNAPSHOT = {
    "snapshots": [
        {
            "name": "history",
            "relation": "ref('stg')",
            "config": {"unique_key": "id", "strategy": "check", "check_cols": "all"},
        }
    ]
}


class TestCommands:
    @pytest.fixture(scope="class")
    def seeds(self) -> dict[str, str]:
        return {"orders.csv": ORDERS}

    @pytest.fixture(scope="class")
    def models(self) -> dict[str, str]:
        return MODELS

    @pytest.fixture(scope="class")
    def snapshots(self) -> dict[str, str]:
        return {"history.yml": yaml.safe_dump(SNAPSHOT)}

    @pytest.fixture(scope="class", autouse=True)
    def built(self, project: Any) -> None:
        run_dbt(["build"])

    def counts(self, project: Any, *names: str) -> dict[str, int]:
        return {
            name: project.run_sql("select count(*) from {schema}." + name, fetch="one")[0] for name in names
        }

    def test_docs_say_how_many_rows_until_when_and_made_of_what(self, project: Any) -> None:
        catalog = run_dbt(["docs", "generate"])
        stats = {
            id_.split(".")[-1]: {name: item.value for name, item in node.stats.items() if item.include}
            for id_, node in catalog.nodes.items()
        }
        assert stats["stg"] == {
            "column_lineage": "id: orders.id (copy); customer: orders.customer (copy); amount: orders.amount (copy);"
            " at: orders.at (copy); (rows): orders.amount (filter)"
        }
        assert stats["revenue"]["column_lineage"] == (
            "customer: stg.customer (copy); total: stg.amount (transform); (rows): stg.customer (group)"
        )
        assert {name: found.get("row_count") for name, found in stats.items()} == {
            "orders": "3",
            "stg": None,
            "revenue": "2",
            "copied": "3",
            "over": "1",
            "history": "3",
        }
        assert stats["revenue"]["up_to_date"].endswith("+00:00")

    def test_a_relation_in_error_is_documented_as_such(self, project: Any) -> None:
        project.run_sql("create table {schema}.z (a int); insert into {schema}.z values (0)")
        project.run_sql("create materialized view {schema}.failing as select 1 / a as b from {schema}.z")
        relation = project.adapter.Relation.create(project.database, project.test_schema, "failing")
        with project.adapter.connection_named("_test"):
            found = project.adapter.get_catalog_for_single_relation(relation)
        assert "division by zero" in found.stats["error"].value
        assert "row_count" not in found.stats
        project.run_sql("drop table {schema}.z cascade")

    def test_retry_goes_on_with_what_failed(self, project: Any) -> None:
        done = run_dbt(["run", "--vars", "divisor: 0"], expect_pass=False)
        assert {r.node.name: str(r.status) for r in done}["over"] == "skipped"
        again = run_dbt(["retry", "--vars", "divisor: 1"])
        assert {r.node.name: str(r.status) for r in again} == {"copied": "success", "over": "success"}

    def test_show(self, project: Any) -> None:
        (shown,) = run_dbt(
            ["show", "--inline", "select customer, total from {{ ref('revenue') }} order by 1"]
        )
        assert [tuple(map(str, row)) for row in shown.agate_table.rows] == [("ada", "14.5"), ("bob", "7.25")]

    def test_a_clone_is_a_view_of_what_is_cloned(self, project: Any) -> None:
        state = Path(project.project_root) / "state"
        shutil.copytree(Path(project.project_root) / "target", state)
        profiles = Path(project.profiles_dir) / "profiles.yml"
        before = profiles.read_text()
        clone = f"{project.test_schema}_clone"
        profiles.write_text(before.replace(f"schema: {project.test_schema}", f"schema: {clone}"))
        try:
            done = run_dbt(["clone", "--state", str(state)])
        finally:
            profiles.write_text(before)
        assert {str(r.status) for r in done} == {"success"}
        assert {r.node.name for r in done if r.message == "No-op"} == {
            "by_total"
        }  # nothing can be read from it
        count = f"select count(*) from {clone}"
        assert project.run_sql(f"{count}.revenue", fetch="one")[0] == 2
        project.run_sql(f"insert into {project.test_schema}.orders values (4, 'cyd', 1, '2020-01-03')")
        assert project.run_sql(f"{count}.revenue", fetch="one")[0] == 3
        project.run_sql(f"delete from {project.test_schema}.orders where id = 4")
        project.run_sql(f"drop schema {clone} cascade")

    def test_a_snapshot_grows_by_a_column(self, project: Any) -> None:
        model = Path(project.project_root) / "models" / "stg.sql"
        before = model.read_text()
        model.write_text(before.replace("amount, at from", "amount, at, upper(customer) as name from"))
        try:
            run_dbt(["run", "--full-refresh"])
            run_dbt(["snapshot"])
        finally:
            model.write_text(before)
        rows = project.run_sql(
            "select id, name, dbt_valid_to is null from {schema}.history order by id, dbt_valid_from",
            fetch="all",
        )
        assert rows == [
            (id_, name, current)
            for id_, name in ((1, "ADA"), (2, "ADA"), (3, "BOB"))
            for name, current in ((None, False), (name, True))
        ]

    def test_a_sample_and_nothing(self, project: Any) -> None:
        run_dbt(["run", "--sample", "{'start': '2020-01-02', 'end': '2020-01-03'}", "--full-refresh"])
        assert self.counts(project, "copied", "stg") == {"copied": 2, "stg": 3}
        run_dbt(["run", "--empty", "--full-refresh"])
        assert self.counts(project, "copied", "stg", "revenue", "over") == {
            "copied": 0,
            "stg": 0,
            "revenue": 0,
            "over": 1,
        }
