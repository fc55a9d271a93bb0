"""What dbt knows and does when a run has ended: results of every kind, other commands than `run`, what stays in the way."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from dbt.tests.util import run_dbt, run_dbt_and_capture

from .dag import DbtProcess, left_behind
from .test_atomic_runs import statuses, wait_for

SOURCES = """
sources:
  - name: raw
    schema: "{{ target.schema }}"
    tables: [{name: orders}]
"""
MATERIALIZED = "{{ config(materialized='materialized_view') }} "
A = MATERIALIZED + "select id, amount from {{ source('raw', 'orders') }}"
B = MATERIALIZED + "select count(*) as n from {{ ref('a') }}"
WIDE = A.replace("amount from", "amount, 1 as more from")
"""Other columns: a new object, and so all that reads it."""
TRIPLED = A.replace("amount from", "amount * 3 as amount from")

EXPOSURE = """
exposures:
  - name: board
    type: dashboard
    owner: {name: someone}
    depends_on: [ref('b')]
"""
UNIT_TEST = """
unit_tests:
  - name: counts
    model: b
    given: [{input: ref('a'), rows: [{id: 1}, {id: 2}]}]
    expect: {rows: [{n: 2}]}
"""


class Orders:
    """`a` is the orders, `b` counts them; what a test adds to the project is taken away before the next one."""

    @pytest.fixture(scope="class")
    def models(self) -> dict[str, str]:
        return {"sources.yml": SOURCES, "a.sql": A, "b.sql": B}

    @pytest.fixture(scope="class", autouse=True)
    def orders(self, project: Any) -> None:
        project.run_sql(f"create table {project.test_schema}.orders (id int, amount int)")
        project.run_sql(f"insert into {project.test_schema}.orders values (1, 2), (2, 3)")

    @pytest.fixture(autouse=True)
    def built(self, project: Any, orders: None) -> Iterator[None]:
        run_dbt(["run", "--full-refresh"])
        yield
        for name in ("models", "tests", "snapshots"):
            for file in (Path(project.project_root) / name).iterdir():
                if file.name not in ("sources.yml", "a.sql", "b.sql"):
                    file.unlink()
        self.write(project, **{"a.sql": A, "b.sql": B})

    def write(self, project: Any, folder: str = "models", **files: str) -> None:
        for name, text in files.items():
            (Path(project.project_root) / folder / name).write_text(text)

    def read(self, project: Any, sql: str) -> Any:
        return project.run_sql(sql.format(s=project.test_schema), fetch="one")[0]


class TestEnds(Orders):
    def test_an_exposure_is_no_relation(self, project: Any) -> None:
        self.write(project, **{"exposures.yml": EXPOSURE, "a.sql": TRIPLED})
        assert statuses(run_dbt(["build"]))["a"] == "success"
        results = json.loads((Path(project.project_root) / "target" / "run_results.json").read_text())
        assert {result["unique_id"] for result in results["results"]} >= {"model.test.a", "model.test.b"}
        assert self.read(project, "select sum(amount) from {s}.a") == 15

    def test_a_failed_test_is_named_by_what_it_holds(self, project: Any) -> None:
        """Also the unit test of b is skipped for it."""
        self.write(
            project, **{"unit.yml": UNIT_TEST, "a.sql": WIDE.replace("amount,", "amount * 3 as amount,")}
        )
        self.write(project, "tests", **{"paid_small.sql": "select * from {{ ref('a') }} where amount > 5"})
        results = run_dbt(["build"], expect_pass=False)
        found = statuses(results)
        assert (found["a"], found["b"], found["counts"], found["paid_small"]) == (
            "skipped",
            "skipped",
            "skipped",
            "fail",
        )
        (reason,) = (result.adapter_response["reason"] for result in results if result.node.name == "a")
        assert reason == (
            "a is as it was before: b is made from it, and stays as it was, since test paid_small failed"
        )
        assert self.read(project, "select sum(amount) from {s}.a") == 5
        assert left_behind(project) == []

    def test_a_ref_in_a_string_is_the_place(self, project: Any) -> None:
        said = "select id, '{{ ref(\"a\") }}' as src, $${{ ref('a') }}$$ as other, more from {{ ref('a') }}"
        self.write(
            project,
            **{
                "a.sql": WIDE,
                "said.sql": MATERIALIZED + said,
                "kept.sql": "{{ config(materialized='table') }} " + said,
            },
        )
        config = "{{ config(unique_key='id', strategy='check', check_cols='all') }} "
        snapshot = (
            "{% snapshot kept_all %}"
            + config
            + said.replace("more from", "amount from")
            + "{% endsnapshot %}"
        )
        self.write(project, "snapshots", **{"kept_all.sql": snapshot})
        singular = "select 1 from {{ ref('a') }} where '{{ ref(\"a\") }}' like '%dbt\\_next%'"
        self.write(project, "tests", **{"says_the_place.sql": singular})
        assert statuses(run_dbt(["build"]))["says_the_place"] == "pass"
        place = f'"{project.test_schema}"."a"'
        for name in ("said", "kept"):
            rows = project.run_sql(f"select src, other, more from {project.test_schema}.{name}", fetch="all")
            assert rows == [(place, place, 1)] * 2
        self.write(project, **{"a.sql": WIDE.replace("amount,", "amount * 3 as amount, 4 as most,")})
        run_dbt(["build"])
        rows = project.run_sql(f"select distinct src, other from {project.test_schema}.kept_all", fetch="all")
        assert rows == [(place, place)]
        assert self.read(project, "select count(*) from {s}.kept_all") == 4

    def test_a_view_that_reads_itself_fails_alone(self, project: Any) -> None:
        self.write(
            project,
            **{
                "b.sql": MATERIALIZED + "select n from {{ this }} -- {{ ref('a') }}",
                "new.sql": MATERIALIZED + "select 1 as one",
            },
        )
        results = run_dbt(["run"], expect_pass=False)
        assert statuses(results) == {"a": "success", "b": "error", "new": "success"}
        (message,) = (result.message for result in results if result.node.name == "b")
        assert "a view cannot read itself" in message
        assert left_behind(project) == []

    def test_an_index_on_a_column_that_has_to_be_quoted(self, project: Any) -> None:
        indexes = "indexes=[{'columns': ['MiXed Col', 'order', 'upper(word)']}]"
        text = f"{{{{ config(materialized='materialized_view', {indexes}) }}}} "
        self.write(project, **{"mixed.sql": text + 'select 1 as "MiXed Col", 2 as "order", \'x\' as word'})
        assert statuses(run_dbt(["run", "--select", "mixed"])) == {"mixed": "success"}
        made = self.read(
            project, "select create_sql from mz_catalog.mz_indexes where create_sql like '%MiXed%'"
        )
        assert made.endswith('("MiXed Col", "order", (upper(word)))')


class TestInTheWay(Orders):
    def refused(self, project: Any) -> str:
        self.write(project, **{"a.sql": WIDE})
        results = run_dbt(["run"], expect_pass=False)
        (message,) = (result.message for result in results if result.node.name == "a")
        return str(message)

    def test_what_was_a_model(self, project: Any) -> None:
        self.write(project, **{"gone.sql": "select id from {{ ref('a') }}"})
        run_dbt(["run"])
        (Path(project.project_root) / "models" / "gone.sql").unlink()
        message = self.refused(project)
        assert f'view "{project.test_schema}"."gone" (no model of this project makes it)' in message
        assert "`dbt run --full-refresh --select a+`" in message
        assert "--select a`" not in message
        drop = re.search(r"`(drop .*?)`", message)
        assert drop is not None
        project.run_sql(drop[1])
        assert statuses(run_dbt(["run"])) == {"a": "success", "b": "success"}

    def test_what_is_ephemeral_now(self, project: Any) -> None:
        """Its model is part of the run, but makes nothing."""
        self.write(project, **{"between.sql": MATERIALIZED + "select id from {{ ref('a') }}"})
        self.write(project, **{"above.sql": MATERIALIZED + "select id from {{ ref('between') }}"})
        run_dbt(["run"])
        ephemeral = "{{ config(materialized='ephemeral') }} select id from {{ ref('a') }}"
        self.write(project, **{"between.sql": ephemeral})
        message = self.refused(project)
        between = f'materialized view "{project.test_schema}"."between"'
        assert f"{between} (no model of this project makes it)" in message
        assert f"`drop {between} cascade`" in message, "the old `above` rests on it"
        project.run_sql(f"drop {between} cascade")
        assert statuses(run_dbt(["run"])) == dict.fromkeys(("a", "b", "above"), "success")

    def test_a_test_that_stores_nothing_now(self, project: Any) -> None:
        stored = (
            "{{ config(store_failures_as='materialized_view') }} select id from {{ ref('a') }} where id > 5"
        )
        self.write(project, "tests", **{"small.sql": stored})
        run_dbt(["build"])
        self.write(project, "tests", **{"small.sql": stored.replace("materialized_view", "ephemeral")})
        self.write(project, **{"a.sql": WIDE})
        results = run_dbt(["build"], expect_pass=False)
        (message,) = (result.message for result in results if result.node.name == "a")
        drop = re.search(r"`(drop materialized view .*?)`", message)
        assert drop is not None
        project.run_sql(drop[1])
        assert statuses(run_dbt(["build"])) == {"a": "success", "b": "success", "small": "pass"}

    def test_what_comes_in_the_way_meanwhile(self, project: Any) -> None:
        """The release is what finds it: an error, so that dbt's summary is that of a run which has failed."""
        place = f"{project.test_schema}.meanwhile"
        hook = f"{{{{ config(pre_hook='create view {place} as select id from {project.test_schema}.a') }}}} "
        self.write(project, **{"a.sql": WIDE, "b.sql": hook + B})
        results, output = run_dbt_and_capture(["run"], expect_pass=False)
        assert statuses(results) == {"a": "error", "b": "skipped"}
        (message,) = (result.message for result in results if result.node.name == "a")
        drop = f'drop view "{project.test_schema}"."meanwhile"'
        assert f"`{drop}`" in message
        assert "Completed with 1 error," in output
        project.run_sql(drop)
        self.write(project, **{"b.sql": B})
        assert statuses(run_dbt(["retry"])) == {"a": "success", "b": "success"}

    def test_what_is_somewhere_else(self, project: Any) -> None:
        theirs = f"{project.test_schema}_theirs"
        project.run_sql(f"create schema if not exists {theirs}")
        project.run_sql(f"create view {theirs}.copy as select * from {project.test_schema}.a")
        message = self.refused(project)
        assert f'view "{theirs}"."copy" (made by another project or target)' in message
        assert f'`drop view "{theirs}"."copy"`' in message
        run_dbt(["run", "--full-refresh", "--select", "a+"])
        assert self.read(project, "select sum(more) from {s}.a") == 2
        project.run_sql(f"drop schema {theirs} cascade")

    def test_both(self, project: Any) -> None:
        project.run_sql(f"create view {project.test_schema}.other as select * from {project.test_schema}.a")
        self.write(project, **{"a.sql": WIDE})
        (result,) = run_dbt(["run", "--select", "a"], expect_pass=False)
        assert (
            "Run them too (`dbt run --select a+`), and drop what this project does not make" in result.message
        )


class TestRetried(Orders):
    """What `dbt retry` does again counts as part of its run."""

    @pytest.mark.slow(ordinary=1)
    @pytest.mark.parametrize("flags", [[], ["--full-refresh"]])
    def test_what_has_to_be_replaced_is_made_anew(self, project: Any, flags: list[str]) -> None:
        broken = MATERIALIZED + "select n, nothing_of_that_name from {{ ref('b') }}"
        self.write(project, **{"a.sql": WIDE, "c.sql": broken})
        assert statuses(run_dbt(["run", *flags], expect_pass=False)) == {
            "a": "skipped",
            "b": "skipped",
            "c": "error",
        }
        self.write(project, **{"c.sql": broken.replace(", nothing_of_that_name", "")})
        assert statuses(run_dbt(["retry"])) == dict.fromkeys("abc", "success")
        assert self.read(project, "select sum(more) from {s}.a") == 2
        assert self.read(project, "select n from {s}.c") == 2
        assert left_behind(project) == []


class TestTestedAgain(Orders):
    """A test that has passed on what is dropped has not run on what takes the place later."""

    def broken(self, project: Any) -> str:
        broken = MATERIALIZED + "select n, nothing_of_that_name from {{ ref('b') }}"
        self.write(project, **{"a.sql": WIDE, "c.sql": broken})
        self.write(
            project, **{"part.sql": "{{ config(materialized='ephemeral') }} select id from {{ ref('a') }}"}
        )
        self.write(project, **{"free.sql": MATERIALIZED + "select 1 as id"})
        for model in ("a", "part", "free"):
            text = f"select id from {{{{ ref('{model}') }}}} where id = 7"
            self.write(project, "tests", **{f"on_{model}.sql": text})
        return broken

    def test_what_is_held_back(self, project: Any) -> None:
        broken = self.broken(project)
        results = run_dbt(["build"], expect_pass=False)
        found = statuses(results)
        assert (found["on_a"], found["on_part"], found["on_free"]) == ("skipped", "skipped", "pass")
        (reason,) = (result.adapter_response["reason"] for result in results if result.node.name == "on_a")
        assert (
            reason == "on_a is to run again: the a that it has read is dropped, and has not taken its place"
        )
        self.write(project, **{"c.sql": broken.replace(", nothing_of_that_name", "")})
        again = statuses(run_dbt(["retry"]))
        assert again == {**dict.fromkeys("abc", "success"), "on_a": "pass", "on_part": "pass"}


class TestStopped(Orders):
    @pytest.mark.slow
    def test_retry_does_what_was_staged(self, project: Any, tmp_path: Path) -> None:
        sleeping = (
            "{{ config(materialized='table', pre_hook='select pg_sleep(120)') }} select n from {{ ref('b') }}"
        )
        self.write(
            project, **{"a.sql": WIDE.replace("orders') }}", "orders') }} where id = 1"), "c.sql": sleeping}
        )
        process = DbtProcess(project, tmp_path, "run")
        # Until the server has it: what begins after Ctrl-C is not cancelled.
        sleeps = "select count(*) from pg_stat_activity where state = 'active' and query like '%pg_sleep(1' || '20)%'"
        wait_for(lambda: process.has_ended or self.read(project, sleeps) == 1)
        assert not process.has_ended, process.output
        process.interrupt()
        assert process.wait() != 0
        target = tmp_path / process.log.stem / "target"
        results = json.loads((target / "run_results.json").read_text())["results"]
        found = {result["unique_id"].split(".")[-1]: result for result in results}
        assert {name: result["status"] for name, result in found.items()} == dict.fromkeys("abc", "skipped")
        assert found["a"]["adapter_response"]["reason"] == "a is as it was before: the run was stopped"
        assert {result["message"] for result in found.values()} == {None}
        assert self.read(project, "select n from {s}.b") == 2
        self.write(project, **{"c.sql": sleeping.replace("(120)", "(0)")})
        again = run_dbt(["retry", "--state", str(target)])
        assert statuses(again) == dict.fromkeys("abc", "success")
        assert self.read(project, "select n from {s}.c") == 1


class TestClones(Orders):
    @pytest.fixture(scope="class")
    def profiles_config_update(
        self, dbt_profile_target: dict[str, Any], unique_schema: str
    ) -> dict[str, Any]:
        outputs = {
            name: {**deepcopy(dbt_profile_target), "schema": unique_schema + suffix}
            for name, suffix in (("default", ""), ("dev", "_dev"))
        }
        return {"test": {"outputs": outputs, "target": "default"}}

    @pytest.fixture(scope="class")
    def models(self) -> dict[str, str]:
        sources = SOURCES.replace("{{ target.schema }}", "{{ target.schema | replace('_dev', '') }}")
        return {"sources.yml": sources, "a.sql": A, "b.sql": B}

    def test_what_is_there_is_replaced(self, project: Any, tmp_path: Path) -> None:
        shutil.copy(Path(project.project_root) / "target" / "manifest.json", tmp_path)
        run_dbt(["run", "--target", "dev"])
        run_dbt(["clone", "--target", "dev", "--state", str(tmp_path), "--full-refresh"])
        kinds = project.run_sql(
            f"select name, type from mz_catalog.mz_objects where schema_name = '{project.test_schema}_dev'",
            fetch="all",
        )
        assert dict(kinds) == {"a": "view", "b": "view"}
        assert self.read(project, "select n from {s}_dev.b") == 2
        assert left_behind(project) == []
        project.run_sql(f"drop schema {project.test_schema}_dev cascade")


class TestNobodySaysThatItHasEnded(Orders):
    def test_nothing_is_dropped_in_silence(self, project: Any, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("dbt.adapters.ptvc.staging.run_phases.get_adapter", lambda config: None)
        self.write(project, **{"a.sql": WIDE})
        with pytest.raises(
            Exception, match=r"staged for model\.test\.a, model\.test\.b has not taken its place"
        ):
            run_dbt(["run"])
        assert left_behind(project) == []
