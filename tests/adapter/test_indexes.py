"""An index model whose schema is not that of its relation: the index is where the relation is."""

from __future__ import annotations

from typing import Any

import pytest
from dbt.tests.util import run_dbt, run_dbt_and_capture, write_file

from .test_changes import SEED, messages

SHARE = (
    "{{ config(materialized='materialized_view', schema='marts') }} select id, name from {{ ref('seed') }}"
)
INDEX = "{{ config(materialized='index', columns=['id'], hydration_timeout=20) }} {{ ref('share') }}"
VIEW = "{{ config(materialized='view') }} select id, name from {{ ref('share') }}"


class TestAnIndexInAnotherSchema:
    @pytest.fixture(scope="class")
    def seeds(self) -> dict[str, str]:
        return {"seed.csv": SEED}

    @pytest.fixture(scope="class")
    def models(self) -> dict[str, str]:
        return {"share.sql": SHARE, "ix_share.sql": INDEX}

    def found(self, project: Any) -> list[tuple[str, str, str]]:
        rows = project.run_sql(
            "select o.schema_name, o.type, i.create_sql from mz_catalog.mz_objects o "
            "left join mz_catalog.mz_indexes i on i.oid = o.oid "
            f"where o.name like 'ix_share%' and o.schema_name like '{project.test_schema}%'",
            fetch="all",
        )
        return [(schema.removeprefix(project.test_schema), kind, sql or "") for schema, kind, sql in rows]

    def test_it_is_found_changed_and_replaced_there(self, project: Any) -> None:
        run_dbt(["build"])
        assert messages(run_dbt(["run"]))["ix_share"] == "UNCHANGED"
        write_file(INDEX.replace("['id']", "['name']"), project.project_root, "models", "ix_share.sql")
        assert messages(run_dbt(["run"]))["ix_share"] == "CREATE INDEX"
        ((schema, kind, sql),) = self.found(project)
        assert (schema, kind) == ("_marts", "index")
        assert "name" in sql.rsplit("(", 1)[1]
        run_dbt(["run", "--full-refresh"])
        assert [row[:2] for row in self.found(project)] == [("_marts", "index")]

    def test_it_is_not_lost_with_its_relation(self, project: Any) -> None:
        write_file(
            SHARE.replace("name from", "name, 1 as more from"), project.project_root, "models", "share.sql"
        )
        (result,) = run_dbt(["run", "--select", "share"], expect_pass=False)
        assert '"ix_share"' in result.message
        run_dbt(["run", "--select", "share+"])
        assert [row[:2] for row in self.found(project)] == [("_marts", "index")]

    def test_it_takes_the_place_of_what_the_model_was(self, project: Any) -> None:
        write_file(VIEW, project.project_root, "models", "ix_share.sql")
        run_dbt(["run"])
        assert ("", "view", "") in self.found(project)
        write_file(INDEX, project.project_root, "models", "ix_share.sql")
        _, log = run_dbt_and_capture(["run"])
        assert "no replica works on it" not in log
        assert [row[:2] for row in self.found(project)] == [("_marts", "index")]
