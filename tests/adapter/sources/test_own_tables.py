"""Sources whose own text makes tables (FOR TABLES): dbt takes these where the source goes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from dbt.tests.util import run_dbt, write_file

SOURCE = "{{ config(materialized='source') }}\nfrom load generator tpch (scale factor 0.001, seed %d) for tables (%s) expose progress as pr"
TABLE = "{{ config(materialized='source_table') }}\nfrom source {{ ref('shop') }} (reference %s)"
VIEW = "{{ config(materialized='materialized_view') }}\nselect count(*) as n, sum(%s) as total from %s"
OWN = "{{ ref('shop').own_table('%s') }}"
ORDERS = VIEW % ("o_totalprice", OWN % "orders")


def messages(results: Any) -> dict[str, str]:
    return {found.node.name: found.message for found in results}


def in_model(project: Any, name: str, text: str | None) -> None:
    if text is None:
        (Path(project.project_root) / "models" / f"{name}.sql").unlink()
    else:
        write_file(text, project.project_root, "models", f"{name}.sql")


def relations(project: Any) -> dict[str, str]:
    query = "select name, id from mz_objects where schema_name in ('{schema}', '{schema}__dbt_next') and type <> 'index'"
    return dict(project.run_sql(query, fetch="all"))


class TestOwnTables:
    @pytest.fixture(scope="class")
    def models(self) -> dict[str, str]:
        return {"shop.sql": SOURCE % (1, "orders, customer as people"), "per_shop.sql": ORDERS}

    def per_shop(self, project: Any) -> Any:
        return project.run_sql("select total from {schema}.per_shop", fetch="one")[0]

    def test_they_go_where_their_source_goes(self, project: Any) -> None:
        run_dbt(["run"])
        before, total = relations(project), self.per_shop(project)
        assert set(before) == {"shop", "orders", "people", "pr", "per_shop"}
        assert set(messages(run_dbt(["run"])).values()) == {"UNCHANGED"}
        assert relations(project) == before

        # Another seed, and another table in addition, one that has a new name, and one that is no more.
        in_model(project, "shop", SOURCE % (2, "orders, lineitem as lines"))
        assert "UNCHANGED" not in messages(run_dbt(["run"])).values()
        after = relations(project)
        assert set(after) == {"shop", "orders", "lines", "pr", "per_shop"}
        assert all(after[name] != before[name] for name in ("shop", "orders", "pr"))
        assert self.per_shop(project) != total
        assert set(messages(run_dbt(["run"])).values()) == {"UNCHANGED"}
        run_dbt(["run", "--full-refresh"])
        assert set(relations(project)) == set(after)

    def test_what_reads_them_is_part_of_the_run_or_it_is_refused(self, project: Any) -> None:
        in_model(project, "shop", SOURCE % (3, "orders"))
        before = relations(project)
        (failed,) = run_dbt(["run", "--select", "shop"], expect_pass=False)
        assert "rest on it and are not part of this run: materialized view" in failed.message
        assert "per_shop" in failed.message
        assert relations(project) == before

    def test_plain_names_are_refused_before_anything_is_dropped(self, project: Any) -> None:
        in_model(project, "shop", SOURCE % (3, "orders"))
        run_dbt(["run"])
        in_model(project, "plain", VIEW % ("o_totalprice", "{{ target.schema }}.orders"))
        run_dbt(["run", "--select", "plain"])
        before = relations(project)
        in_model(project, "shop", SOURCE % (4, "orders"))
        for options in ([], ["--full-refresh"]):
            results = messages(run_dbt(["run", *options], expect_pass=False))
            assert "by plain names" in results["shop"], results
            assert "{{ ref('shop').own_table('orders') }}" in results["shop"]
            assert {**relations(project), "plain": before["plain"]} == before
        in_model(project, "plain", None)
        project.run_sql("drop materialized view {schema}.plain")
        run_dbt(["run"])

    def test_a_name_that_something_else_has_is_refused(self, project: Any) -> None:
        project.run_sql("create table {schema}.people (a int)")
        before = relations(project)
        in_model(project, "shop", SOURCE % (5, "orders, customer as people"))
        results = messages(run_dbt(["run"], expect_pass=False))
        assert "where something of that name is, which is not the source's own: drop that" in results["shop"]
        assert relations(project) == before
        in_model(project, "shop", SOURCE % (5, "orders, customer as {{ target.schema }}.others"))
        results = messages(run_dbt(["run"], expect_pass=False))
        assert "in another schema" in results["shop"]
        assert relations(project) == before
        project.run_sql("drop table {schema}.people")

    def test_they_become_models(self, project: Any) -> None:
        in_model(
            project,
            "shop",
            "{{ config(materialized='source') }}\nfrom load generator tpch (scale factor 0.001)",
        )
        in_model(project, "orders", TABLE % "orders")
        in_model(project, "per_shop", VIEW % ("o_totalprice", "{{ ref('orders') }}"))
        run_dbt(["run"])
        assert set(relations(project)) == {"shop", "orders", "per_shop"}
        assert self.per_shop(project) > 0
        assert set(messages(run_dbt(["run"])).values()) == {"UNCHANGED"}


class TestSinksOnOwnTables:
    @pytest.fixture(scope="class")
    def target(self, tmp_path_factory: pytest.TempPathFactory) -> Path:
        return tmp_path_factory.mktemp("out") / "orders"

    @pytest.fixture(scope="class")
    def models(self, target: Path) -> dict[str, str]:
        sink = f"{{{{ config(materialized='sink', connector=\"file '{target}'\") }}}}\nselect * from {OWN % 'region'}"
        return {
            "shop.sql": SOURCE % (1, "region, nation"),
            "out.sql": sink.replace("select * from", "from")
            + f" into file '{target}' format json envelope debezium",
        }

    def test_a_sink_goes_on_with_the_new_table(self, project: Any, target: Path) -> None:
        run_dbt(["run"])
        before = relations(project)
        in_model(project, "shop", SOURCE % (2, "region, nation"))
        results = messages(run_dbt(["run"]))
        assert results["out"] == "ALTER SINK"
        after = relations(project)
        assert set(after) == set(before)
        assert after["out"] == before["out"]
        assert after["region"] != before["region"]
