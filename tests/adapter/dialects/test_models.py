"""Models in another warehouse's dialect: what is built, what is left in `target/`, and what is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from dbt.tests.util import run_dbt, run_dbt_and_capture, write_file

SEED = "id,name,amount,day\n1,ada,10,2024-01-31\n2,bob,,2024-02-10\n3,cat,4,2024-02-11\n"

FOREIGN = {
    "halves.sql": "{{ config(materialized='materialized_view', dialect='snowflake') }}\n"
    "select id, id / 2 as half, dateadd(month, 1, day) as due from {{ ref('seed') }}",
    "ordered.sql": "{{ config(materialized='table', dialect='bigquery') }}\n"
    "select name, row_number() over (order by amount) as place, \"x\" as mark from {{ ref('seed') }}",
    "added.sql": "{{ config(materialized='incremental', dialect='databricks') }}\n"
    "select `id`, id / 2 as half from {{ ref('halves') }}\n"
    "{% if is_incremental() %}where id > (select max(id) from {{ this }}){% endif %}",
}
TEST = "{{ config(dialect='databricks') }} select `id` from {{ ref('halves') }} where id <=> null"
UNIT_TEST = """
unit_tests:
  - name: halves_of_one
    model: halves
    given: [{input: ref('seed'), rows: [{id: 1}]}]
    expect: {rows: [{id: 1}]}
"""


class TestDialects:
    @pytest.fixture(scope="class")
    def seeds(self) -> dict[str, str]:
        return {"seed.csv": SEED}

    @pytest.fixture(scope="class")
    def models(self) -> dict[str, str]:
        return FOREIGN

    @pytest.fixture(scope="class")
    def tests(self) -> dict[str, str]:
        return {"none_is_missing.sql": TEST}

    def rows(self, project: Any, sql: str) -> list[tuple[Any, ...]]:
        return [tuple(map(str, row)) for row in project.run_sql(sql, fetch="all")]

    def test_they_are_built_as_what_they_mean(self, project: Any) -> None:
        run_dbt(["build"])
        found = self.rows(project, "select id, trim_scale(half), due from {schema}.halves order by id")
        assert found == [("1", "0.5", "2024-02-29"), ("2", "1", "2024-03-10"), ("3", "1.5", "2024-03-11")]
        # NULLs come first in BigQuery.
        found = self.rows(project, "select name, place, mark from {schema}.ordered order by place")
        assert found == [("bob", "1", "x"), ("cat", "2", "x"), ("ada", "3", "x")]
        found = self.rows(project, "select id, half from {schema}.added order by id")
        assert found == [("1", "0.5"), ("2", "1.0"), ("3", "1.5")]

    def test_what_is_run_is_in_the_target(self, project: Any) -> None:
        (file,) = Path(project.project_root).glob("target/translated/*/models/halves.sql")
        assert (
            "ROUND(DIV(CAST(id AS numeric), CAST(2 AS numeric) * 0.0000001) * 0.0000001, 6) AS half"
            in file.read_text()
        )

    def test_an_unchanged_model_is_left_alone(self, project: Any) -> None:
        (result,) = run_dbt(["run", "--select", "halves"])
        assert result.adapter_response["_message"] == "UNCHANGED"

    def test_a_later_run_of_an_incremental_model(self, project: Any) -> None:
        project.run_sql("insert into {schema}.seed (id, name) values (8, 'dan')")
        run_dbt(["run", "--select", "added"])
        assert self.rows(project, "select id, half::text from {schema}.added where id > 3") == [("8", "4")]

    def test_it_reads_what_the_run_has_staged(self, project: Any) -> None:
        """`halves` gets another column, and so is made anew beside; a model over it is translated by the columns that it has there."""
        over = "{{ config(materialized='view', dialect='snowflake') }}\nselect id, third / 2 as sixth from {{ ref('halves') }}"
        anew = FOREIGN["halves.sql"].replace("select id,", "select id, id * 3 as third,")
        for name, text in (("halves.sql", anew), ("over.sql", over)):
            write_file(text, project.project_root, "models", name)
        run_dbt(["run", "--select", "halves", "over"])
        found = self.rows(project, "select id, trim_scale(sixth) from {schema}.over where id < 3 order by id")
        assert found == [("1", "1.5"), ("2", "3")]
        assert self.rows(project, "select id, half::text from {schema}.added where id = 1") == [("1", "0.5")]

    def test_show(self, project: Any) -> None:
        _, out = run_dbt_and_capture(["show", "--select", "ordered", "--limit", "1", "--output", "json"])
        assert '"mark": "x"' in out

    def test_a_unit_test_is_refused(self, project: Any) -> None:
        write_file(UNIT_TEST, project.project_root, "models", "unit.yml")
        try:
            _, out = run_dbt_and_capture(["test", "--select", "halves_of_one"], expect_pass=False)
        finally:
            Path(project.project_root, "models", "unit.yml").unlink()
        assert "unit tests of halves are not supported" in out

    def test_a_refusal_has_file_and_line(self, project: Any) -> None:
        bad = FOREIGN["halves.sql"].replace("id / 2", "\n  hash(id)")
        write_file(bad, project.project_root, "models", "bad.sql")
        try:
            (result,) = run_dbt(["run", "--select", "bad"], expect_pass=False)
        finally:
            Path(project.project_root, "models", "bad.sql").unlink()
        assert "models/bad.sql:3:3: hash() of snowflake is not translated (0A000)" in result.message

    @pytest.mark.parametrize("kind", ["source", "sink"])
    def test_what_is_no_query_has_none(self, project: Any, kind: str) -> None:
        text = f"{{{{ config(materialized='{kind}', dialect='snowflake') }}}} from load generator counter"
        write_file(text, project.project_root, "models", "other.sql")
        try:
            (result,) = run_dbt(["run", "--select", "other"], expect_pass=False)
        finally:
            Path(project.project_root, "models", "other.sql").unlink()
        assert "`dialect` is for queries" in result.message
