"""What a second run does: nothing to what is unchanged, as little as possible to what changed, and never silently."""

from __future__ import annotations

import json
from hashlib import sha256
from typing import Any

import pytest
from dbt.tests.util import run_dbt, run_dbt_and_capture, write_file

from dbt.adapters.ptvc.relation import mark

SEED = "id,name\n1,a\n2,b\n3,c\n"
BASE = "select id, name from {{ ref('seed') }} where id > 1"
BASE_CHANGED = "select id, name from {{ ref('seed') }} where id > 2"
OTHER_COLUMNS = "select id, name, 1 as more from {{ ref('seed') }} where id > 2"
TOP = (
    "{{ config(indexes=[{'columns': ['id']}]) }} select id, count(*) as n from {{ ref('base') }} group by id"
)
LOOKUP = "{{ config(materialized='index', columns=['id']) }} select * from {{ ref('base') }}"


def messages(results: Any) -> dict[str, str]:
    return {result.node.name: result.message for result in results}


def oids(project: Any) -> dict[str, int]:
    rows = project.run_sql(
        "select d.name, d.oid from mz_catalog.mz_objects d join mz_catalog.mz_schemas s on s.id = d.schema_id "
        f"where s.name = '{project.test_schema}' and d.type <> 'index'",
        fetch="all",
    )
    return dict(rows)


def index_names(project: Any) -> list[str]:
    rows = project.run_sql(
        "select d.name from mz_catalog.mz_objects d join mz_catalog.mz_schemas s on s.id = d.schema_id "
        f"where s.name = '{project.test_schema}' and d.type = 'index' order by d.name",
        fetch="all",
    )
    return [name for (name,) in rows]


class TestEarlierVersions:
    @pytest.fixture(scope="class")
    def models(self) -> dict[str, str]:
        return {"by_text.sql": "select 1 as id"}

    def test_what_they_made_is_unchanged(self, project: Any) -> None:
        hash_ = sha256(json.dumps(["view", "select 1 as id", {}]).encode()).hexdigest()
        project.run_sql(f"create view {project.test_schema}.by_text as {mark('select 1 as id', hash_)}")
        assert messages(run_dbt(["run"])) == {"by_text": "UNCHANGED"}
        write_file("select 2 as id", project.project_root, "models", "by_text.sql")
        run_dbt(["run"])
        assert project.run_sql(f"select * from {project.test_schema}.by_text", fetch="all") == [(2,)]


class TestChanges:
    @pytest.fixture(scope="class")
    def project_config_update(self) -> dict[str, Any]:
        return {"models": {"+materialized": "materialized_view"}}

    @pytest.fixture(scope="class")
    def seeds(self) -> dict[str, str]:
        return {"seed.csv": SEED}

    @pytest.fixture(scope="class")
    def models(self) -> dict[str, str]:
        return {"base.sql": BASE, "top.sql": TOP, "lookup.sql": LOOKUP}

    @pytest.fixture(autouse=True)
    def built(self, project: Any) -> None:
        write_file(BASE, project.project_root, "models", "base.sql")
        write_file(TOP, project.project_root, "models", "top.sql")
        run_dbt(["build"])

    def test_unchanged_models_are_skipped(self, project: Any) -> None:
        before = oids(project)
        results = run_dbt(["run"])
        assert messages(results) == {"base": "UNCHANGED", "top": "UNCHANGED", "lookup": "UNCHANGED"}
        assert oids(project) == before

    def test_another_way_to_write_the_same_is_no_change(self, project: Any) -> None:
        before = oids(project)
        rewritten = "-- the rows that count\n" + BASE.replace("select", "SELECT").replace(" from", "\n  from")
        write_file(rewritten, project.project_root, "models", "base.sql")
        assert messages(run_dbt(["run"]))["base"] == "UNCHANGED"
        assert oids(project) == before

    def test_a_change_reaches_the_models_above(self, project: Any) -> None:
        before = oids(project)
        write_file(BASE_CHANGED, project.project_root, "models", "base.sql")
        results = run_dbt(["run"])
        assert messages(results)["top"] == messages(results)["lookup"] == "UNCHANGED"
        assert oids(project) == before
        rows = project.run_sql(f"select id from {project.test_schema}.top", fetch="all")
        assert rows == [(3,)]
        assert set(messages(run_dbt(["run"])).values()) == {"UNCHANGED"}

    def test_other_columns_reach_the_models_above(self, project: Any) -> None:
        before = oids(project)
        write_file(OTHER_COLUMNS, project.project_root, "models", "base.sql")
        _, log = run_dbt_and_capture(["run"])
        assert "rebuilt later in this run" in log
        after = oids(project)
        assert set(after) == set(before)
        assert after["base"] != before["base"]
        assert after["top"] == before["top"]  # its own columns are the same: it is replaced in place
        rows = project.run_sql(f"select id from {project.test_schema}.top", fetch="all")
        assert rows == [(3,)]

    def test_a_change_alone_is_refused_with_the_dependents_and_the_remedy(self, project: Any) -> None:
        before = oids(project)
        write_file(OTHER_COLUMNS, project.project_root, "models", "base.sql")
        (result,) = run_dbt(["run", "--select", "base"], expect_pass=False)
        assert "materialized view" in result.message
        assert '"top"' in result.message
        assert '"lookup"' in result.message
        assert "dbt run --select base+" in result.message
        assert oids(project) == before

    @pytest.mark.slow
    def test_full_refresh_takes_dependents_along_and_says_so(self, project: Any) -> None:
        _, log = run_dbt_and_capture(["run", "--full-refresh", "--select", "base"])
        assert "dropped with it" in log
        assert set(oids(project)) == {"seed", "base"}

    @pytest.mark.slow
    def test_indexes_change_without_their_relation(self, project: Any) -> None:
        before, indexes = oids(project), index_names(project)
        write_file(TOP.replace("['id']", "['n', 'id']"), project.project_root, "models", "top.sql")
        results = run_dbt(["run", "--select", "top"])
        assert messages(results) == {"top": "INDEXES CHANGED"}
        assert oids(project) == before
        after = index_names(project)
        assert len(after) == len(indexes)
        assert after != indexes

    @pytest.mark.slow
    @pytest.mark.parametrize(
        ("choice", "passes"), [("continue", True), ("fail", False)], ids=["continue", "fail"]
    )
    def test_on_configuration_change(self, project: Any, choice: str, passes: bool) -> None:
        before = oids(project)
        changed = TOP.replace("config(", f"config(on_configuration_change='{choice}', ").replace(
            "count(*)", "sum(id)"
        )
        write_file(changed, project.project_root, "models", "top.sql")
        _, log = run_dbt_and_capture(["run", "--select", "top"], expect_pass=passes)
        assert f"`on_configuration_change` was set to `{choice}`" in log
        assert oids(project) == before

    @pytest.mark.slow
    def test_a_kind_may_change(self, project: Any) -> None:
        changed = TOP.replace("indexes=[{'columns': ['id']}]", "materialized='view'")
        write_file(changed, project.project_root, "models", "top.sql")
        run_dbt(["run", "--select", "top"])
        kinds = project.run_sql(
            "select d.type from mz_catalog.mz_objects d join mz_catalog.mz_schemas s on s.id = d.schema_id "
            f"where s.name = '{project.test_schema}' and d.name = 'top'",
            fetch="all",
        )
        assert kinds == [("view",)]


class TestTablesKeepTheirDependents:
    @pytest.fixture(scope="class")
    def seeds(self) -> dict[str, str]:
        return {"seed.csv": SEED}

    @pytest.fixture(scope="class")
    def models(self) -> dict[str, str]:
        return {
            "copied.sql": "{{ config(materialized='table') }} select id, name from {{ ref('seed') }}",
            "counted.sql": "{{ config(materialized='view') }} select count(*) as n from {{ ref('copied') }}",
        }

    def test_rows_are_exchanged_in_place(self, project: Any) -> None:
        run_dbt(["seed"])
        run_dbt(["run"])
        before = oids(project)
        project.run_sql(f"insert into {project.test_schema}.seed (id, name) values (4, 'd')")
        run_dbt(["run"])
        assert oids(project) == before
        rows = project.run_sql(f"select n from {project.test_schema}.counted", fetch="all")
        assert rows == [(4,)]


@pytest.mark.slow
class TestContinuousTests:
    @pytest.fixture(scope="class")
    def seeds(self) -> dict[str, str]:
        return {"seed.csv": SEED}

    @pytest.fixture(scope="class")
    def tests(self) -> dict[str, str]:
        return {
            "small_ids.sql": "{{ config(store_failures_as='materialized_view') }} "
            "select id from {{ ref('seed') }} where id > 2"
        }

    def test_failures_are_a_materialized_view(self, project: Any) -> None:
        run_dbt(["seed"])
        (result,) = run_dbt(["test"], expect_pass=False)
        assert result.failures == 1
        rows = project.run_sql(
            "select d.type from mz_catalog.mz_objects d join mz_catalog.mz_schemas s on s.id = d.schema_id "
            f"where s.name = '{project.test_schema}_dbt_test__audit' and d.name = 'small_ids'",
            fetch="all",
        )
        assert rows == [("materialized-view",)]
        (again,) = run_dbt(["test"], expect_pass=False)
        assert again.failures == 1


class TestRunsWithoutContinuousTests:
    @pytest.fixture(scope="class")
    def models(self) -> dict[str, str]:
        return {"base.sql": "select 1 as id"}

    @pytest.fixture(scope="class")
    def tests(self) -> dict[str, str]:
        return {
            "no_threes.sql": "{{ config(store_failures_as='materialized_view') }} "
            "select id from {{ ref('base') }} where id = 3"
        }

    def stored(self, project: Any) -> list[str]:
        rows = project.run_sql(
            "select name from mz_catalog.mz_objects "
            f"where schema_name = '{project.test_schema}_dbt_test__audit' and type = 'materialized-view'",
            fetch="all",
        )
        return [name for (name,) in rows]

    def test_a_run_that_would_lose_a_test_is_refused_and_a_build_is_not(self, project: Any) -> None:
        run_dbt(["build"])
        write_file("select 2 as id", project.project_root, "models", "base.sql")
        (result,) = run_dbt(["run"], expect_pass=False)
        assert '"no_threes"' in result.message
        assert "dbt build --select base+" in result.message
        assert self.stored(project) == ["no_threes"]
        run_dbt(["build", "--select", "base+"])
        assert self.stored(project) == ["no_threes"]

    def test_full_refresh_says_that_it_is_gone(self, project: Any) -> None:
        _, log = run_dbt_and_capture(["run", "--full-refresh"])
        assert "dropped with it" in log
        assert "`dbt test` makes the views of tests anew" in log
        run_dbt(["test"])
        assert self.stored(project) == ["no_threes"]


class TestRefusals:
    @pytest.fixture(scope="class")
    def models(self) -> dict[str, str]:
        return {
            "elsewhere.sql": "{{ config(indexes=[{'columns': ['id'], 'unique': true}]) }} select 1 as id",
        }

    def test_what_cannot_be_done_is_said(self, project: Any) -> None:
        results = messages(run_dbt(["run"], expect_pass=False))
        assert "does not enforce uniqueness" in results["elsewhere"]
