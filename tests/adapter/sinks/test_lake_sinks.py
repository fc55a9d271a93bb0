"""A sink model into a lake goes on over a model of other columns, and what its table does not take is refused before anything is done."""

from __future__ import annotations

from typing import Any

import pytest
from dbt.tests.util import run_dbt, run_dbt_and_capture, write_file
from deltalake import DeltaTable

from ..test_changes import messages
from .test_sinks import wait_for

DAY = "{{ config(materialized='materialized_view') }} select id, port from {{ ref('seed') }}"
MORE = DAY.replace("port from", "port, id * 2 as twice from")
KEYLESS = DAY.replace("id, port", "port")
OTHER = DAY.replace("port from", "id as port from")


@pytest.mark.usefixtures("uri")
class TestLakeSinks:
    @pytest.fixture(scope="class")
    def uri(self, tmp_path_factory: pytest.TempPathFactory) -> str:
        return str(tmp_path_factory.mktemp("lake") / "out")

    @pytest.fixture(scope="class")
    def seeds(self) -> dict[str, str]:
        return {"seed.csv": "id,port\n1,a\n2,b\n"}

    @pytest.fixture(scope="class")
    def models(self, uri: str) -> dict[str, str]:
        sink = (
            "{{ config(materialized='sink') }} from {{ ref('day') }} "
            f"into delta (uri '{uri}') key (id) not enforced mode upsert with (commit interval '1s')"
        )
        return {"day.sql": DAY, "feed.sql": sink}

    def rows(self, uri: str) -> list[tuple[Any, ...]]:
        found = DeltaTable(uri).to_pyarrow_table().to_pylist()
        return sorted(tuple(row.values()) for row in found)

    def test_its_table_gets_the_columns(self, project: Any, uri: str) -> None:
        run_dbt(["build"])
        wait_for(lambda: self.rows(uri) == [(1, "a"), (2, "b")])
        write_file(MORE, project.project_root, "models", "day.sql")
        assert messages(run_dbt(["run"]))["feed"] == "ALTER SINK"
        wait_for(lambda: self.rows(uri) == [(1, "a", 2), (2, "b", 4)])
        assert messages(run_dbt(["run"]))["feed"] == "UNCHANGED"
        for changed, why in (
            (KEYLESS, 'column "id" of its key is not there'),
            (OTHER, 'column "port" is of type integer instead of text'),
        ):
            write_file(changed, project.project_root, "models", "day.sql")
            _, log = run_dbt_and_capture(["run"], expect_pass=False)
            assert why in log
        write_file(DAY, project.project_root, "models", "day.sql")
        assert messages(run_dbt(["run"]))["feed"] == "ALTER SINK"
        wait_for(lambda: self.rows(uri) == [(1, "a", None), (2, "b", None)])
