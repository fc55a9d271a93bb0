"""`dbt source freshness`."""

from __future__ import annotations

from typing import Any

import pytest
import yaml
from dbt.tests.util import run_dbt


class TestFreshness:
    """Without a `loaded_at_field` no row of a source is read."""

    @pytest.fixture(scope="class")
    def models(self) -> dict[str, str]:
        hours = {"count": 1, "period": "hour"}
        tables = [
            {"name": name, "config": {"freshness": {"error_after": hours}}} for name in ("raw", "totals")
        ]
        return {
            "sources.yml": yaml.safe_dump(
                {"sources": [{"name": "app", "schema": "{{ target.schema }}", "tables": tables}]}
            )
        }

    def test_the_age_is_that_of_the_last_change(self, project: Any) -> None:
        project.run_sql("create table {schema}.raw (a int)")
        project.run_sql("create materialized view {schema}.totals as select sum(a) from {schema}.raw")
        never = run_dbt(["source", "freshness"], expect_pass=False)
        assert {found.node.name: found.status for found in never} == {"raw": "error", "totals": "error"}
        project.run_sql("insert into {schema}.raw values (1)")
        results = run_dbt(["source", "freshness"])
        assert {found.node.name: found.status for found in results} == {"raw": "pass", "totals": "pass"}
        assert all(0 <= found.age < 600 for found in results)
        assert results[0].max_loaded_at == results[1].max_loaded_at
