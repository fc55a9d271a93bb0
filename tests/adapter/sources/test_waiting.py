"""A model of kind `source` ends when what was there has been read; it fails where nothing comes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from dbt.tests.util import run_dbt, run_dbt_and_capture
from inprocess import eventually

ROWS = 400_000
FILE = "{{ config(materialized='source') }}\n(n bigint, t text) from file '%s' format csv"


class TestWaiting:
    @pytest.fixture(scope="class")
    def directory(self, tmp_path_factory: pytest.TempPathFactory) -> Path:
        directory = tmp_path_factory.mktemp("input")
        with (directory / "rows.csv").open("w") as file:
            file.write("n,t\n")
            file.writelines(f"{n},some text of a row\n" for n in range(ROWS))
        return directory

    @pytest.fixture(scope="class")
    def models(self, directory: Path) -> dict[str, str]:
        return {"rows_of_file.sql": FILE % (directory / "rows.csv")}

    def test_a_source_has_read_what_was_there_when_its_model_ends(self, project: Any) -> None:
        run_dbt(["run"])
        assert project.run_sql("select count(*) from {schema}.rows_of_file", fetch="one") == (ROWS,)


class TestStalled:
    @pytest.fixture(scope="class")
    def path(self, tmp_path_factory: pytest.TempPathFactory) -> Path:
        return tmp_path_factory.mktemp("input") / "rows.csv"

    @pytest.fixture(scope="class")
    def models(self, path: Path) -> dict[str, str]:
        path.write_text("other,t\n1,a\n")
        return {"rows_of_file.sql": FILE % path, "above.sql": "select n from {{ ref('rows_of_file') }}"}

    def test_one_that_is_stalled(self, project: Any, path: Path) -> None:
        """An error while it has not read what was there, a warning later."""
        results = run_dbt(["run"], expect_pass=False)
        assert [result.status for result in results] == ["error", "skipped"]
        assert 'is stalled, and nothing comes in: file "rows.csv": the CSV header' in results[0].message
        assert "It stays, and goes on by itself when that is mended" in results[0].message

        path.write_text("n,t\n1,a\n")
        assert [result.message for result in run_dbt(["run"])] == ["UNCHANGED", "CREATE VIEW"]
        assert project.run_sql("select n from {schema}.above", fetch="all") == [(1,)]

        path.write_text("")
        status = "select s.status from mz_internal.mz_source_statuses s where s.name = 'rows_of_file'"
        eventually(lambda: project.run_sql(status, fetch="one") == ("stalled",))
        results, output = run_dbt_and_capture(["run"])
        assert [result.message for result in results] == ["UNCHANGED", "UNCHANGED"]
        assert 'file "rows.csv" was truncated' in output
