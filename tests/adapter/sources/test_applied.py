"""A source that ALTER has made leave out more than its model says: a run leaves it so, and says so where it makes it anew."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from dbt.tests.util import run_dbt, run_dbt_and_capture, write_file

HEAD = "{{ config(materialized='source') }}\n(id int, kind text, trace text) from file '%s' format csv without header"


class TestAppliedSource:
    @pytest.fixture(scope="class")
    def place(self, tmp_path_factory: pytest.TempPathFactory) -> Path:
        place = tmp_path_factory.mktemp("place")
        (place / "1.csv").write_text("".join(f"{n},{'ab'[n % 2]},trace\n" for n in range(10)))
        return place

    @pytest.fixture(scope="class")
    def models(self, place: Path) -> dict[str, str]:
        view = "{{ config(materialized='materialized_view') }}\nselect id from {{ ref('events') }} where kind = 'a'"
        return {"events.sql": HEAD % place, "wanted.sql": view}

    def test_a_run_leaves_it_so_and_a_changed_model_says_so(self, project: Any, place: Path) -> None:
        run_dbt(["run"])
        project.run_sql("alter source {schema}.events apply")
        count = "select count(*) from {schema}.events"
        assert project.run_sql(count, fetch="one") == (5,)
        assert {found.message for found in run_dbt(["run"])} == {"UNCHANGED"}
        assert project.run_sql(count, fetch="one") == (5,)
        # Written as its model's text, it is another definition, which is told apart from the other.
        write_file(f"{HEAD % place} where (id < 8)", project.project_root, "models", "events.sql")
        _, log = run_dbt_and_capture(["run"])
        told = " ".join(log.split())
        assert "what ALTER had left out of it is there again, namely WHERE ((kind = 'a'))" in told
        assert project.run_sql(count, fetch="one") == (8,)
        assert project.run_sql("select count(*) from {schema}.wanted", fetch="one") == (4,)
        _, log = run_dbt_and_capture(["run"])
        assert "what ALTER had left out" not in log
