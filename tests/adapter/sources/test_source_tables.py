"""Models of kind `source_table`: tables that a source offers, and writes."""

from __future__ import annotations

from typing import Any

import pytest
from dbt.tests.util import run_dbt, write_file

SOURCE = "{{ config(materialized='source') }}\nfrom load generator tpch (scale factor 0.001, seed %d)"
TABLE = "{{ config(materialized='source_table') }}\nfrom source {{ ref('shop') }} (reference %s)"


def messages(results: Any) -> dict[str, str]:
    return {found.node.name: found.message for found in results}


class TestSourceTables:
    @pytest.fixture(scope="class")
    def models(self) -> dict[str, str]:
        return {
            "shop.sql": SOURCE % 1,
            "orders.sql": TABLE % "orders",
            "customers.sql": TABLE % "customer",
            "per_customer.sql": "{{ config(materialized='materialized_view') }}\n"
            "select c_custkey, count(o_orderkey) as orders from {{ ref('customers') }}"
            " left join {{ ref('orders') }} on o_custkey = c_custkey group by c_custkey",
        }

    def total(self, project: Any) -> int:
        return project.run_sql("select sum(orders) from {schema}.per_customer", fetch="one")[0]

    def test_they_are_made_kept_and_changed(self, project: Any) -> None:
        run_dbt(["run"])
        assert self.total(project) == 1500
        assert set(messages(run_dbt(["run"])).values()) == {"UNCHANGED"}

        # The source's place is taken by another one, and so are all that are made from it.
        first = project.run_sql("select sum(o_totalprice) from {schema}.orders", fetch="one")
        write_file(SOURCE % 2, project.project_root, "models", "shop.sql")
        assert "UNCHANGED" not in messages(run_dbt(["run"])).values()
        assert self.total(project) == 1500
        assert project.run_sql("select sum(o_totalprice) from {schema}.orders", fetch="one") != first
        assert set(messages(run_dbt(["run"])).values()) == {"UNCHANGED"}

        write_file(TABLE % "nothing", project.project_root, "models", "orders.sql")
        (failed,) = [found for found in run_dbt(["run"], expect_pass=False) if found.node.name == "orders"]
        assert 'source "shop" does not offer "nothing"' in failed.message
        assert self.total(project) == 1500
