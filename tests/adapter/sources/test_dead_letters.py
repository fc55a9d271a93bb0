"""A model that is a source with dead letters: these are a part of it, and what reads them goes where it goes."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest
from dbt.tests.util import run_dbt, write_file

SOURCE = "{{{{ config(materialized='source') }}}}\n(id int not null{more}) from file '{path}' format json with (on error = dead letter)"
BAD = (
    "{{ config(materialized='materialized_view') }}\n"
    "select count(*) as n from {{ ref('clicks').own_table('clicks_dead_letters') }}"
)
READ = "{{ config(materialized='materialized_view') }} select count(*) as n from {{ ref('clicks') }}"


class TestDeadLetters:
    @pytest.fixture(scope="class")
    def path(self, tmp_path_factory: pytest.TempPathFactory) -> Path:
        path = tmp_path_factory.mktemp("in") / "clicks.jsonl"
        path.write_text('{"id": 1}\njunk\n{"id": "x"}\n')
        return path

    @pytest.fixture(scope="class")
    def models(self, path: Path) -> dict[str, str]:
        return {"clicks.sql": SOURCE.format(path=path, more=""), "bad.sql": BAD, "good.sql": READ}

    def holds(self, project: Any) -> None:
        query = "select g.n, b.n from {schema}.good g, {schema}.bad b"
        deadline = time.monotonic() + 60
        while (found := project.run_sql(query, fetch="one")) != (1, 2):
            assert time.monotonic() < deadline, found
            time.sleep(0.1)

    def ids(self, project: Any) -> list[str]:
        query = (
            "select id from mz_objects where schema_name = '{schema}' and name like 'clicks%' order by name"
        )
        return [id_ for (id_,) in project.run_sql(query, fetch="all")]

    def test_it_is_a_model_as_any_other(self, project: Any, path: Path) -> None:
        assert len(run_dbt(["run"])) == 3
        self.holds(project)
        first = self.ids(project)
        assert len(first) == 2
        assert {found.message for found in run_dbt(["run"])} == {"UNCHANGED"}
        assert self.ids(project) == first

        # The source's place is taken by another one, and with it that of its dead letters; what reads either is made again.
        write_file(SOURCE.format(path=path, more=", n int"), project.project_root, "models", "clicks.sql")
        assert "UNCHANGED" not in {found.message for found in run_dbt(["run"])}
        self.holds(project)
        second = self.ids(project)
        assert len(second) == 2
        assert set(first).isdisjoint(second)
        assert {found.message for found in run_dbt(["run"])} == {"UNCHANGED"}
