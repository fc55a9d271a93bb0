"""dbt's own conformance tests, unchanged: functions in SQL and in Python."""

from __future__ import annotations

from typing import Any

import pytest
from dbt.tests.adapter.functions import files, test_udafs, test_udfs
from dbt.tests.util import run_dbt, write_file


class TestDeterministicUDF(test_udfs.DeterministicUDF):
    pass


class TestStableUDF(test_udfs.StableUDF):
    pass


class TestNonDeterministicUDF(test_udfs.NonDeterministicUDF):
    pass


class TestSqlUDFDefaultArgSupport(test_udfs.SqlUDFDefaultArgSupport):
    expect_default_arg_support = True


class TestCanFindScalarFunctionRelation(test_udfs.CanFindScalarFunctionRelation):
    pass


class TestBasicSQLUDAF(test_udafs.BasicSQLUDAF):
    pass


class TestPythonUDFDefaultArgSupport(test_udfs.PythonUDFDefaultArgSupport):
    expect_default_arg_support = True


class TestPythonUDFVolatilitySupport(test_udfs.PythonUDFVolatilitySupport):
    pass


class TestPythonUDFWithPackagesSupported(test_udfs.PythonUDFWithPackagesSupported):
    pass


class TestPythonUDAFDefaultArgSupport(test_udafs.PythonUDAFDefaultArgSupport):
    expect_default_arg_support = True


_DOUBLED = "select {{ function('price_for_xlarge') }}(price) as xlarge from {{ ref('prices') }}"


class TestFunctionUnderMaintainedModels:
    """Built again as it was, a function is left alone; another body needs --full-refresh, since views have it in them."""

    @pytest.fixture(scope="class")
    def functions(self) -> dict[str, str]:
        return {
            "price_for_xlarge.sql": files.MY_UDF_SQL,
            "price_for_xlarge.yml": files.MY_UDF_YML,
        }

    @pytest.fixture(scope="class")
    def models(self) -> dict[str, str]:
        return {
            "prices.sql": "{{ config(materialized='table') }} select 3.0 as price",
            "doubled.sql": "{{ config(materialized='materialized_view') }} " + _DOUBLED,
        }

    def test_build(self, project: Any) -> None:
        for _ in range(2):
            assert len(run_dbt(["build"]).results) == 3
            assert project.run_sql("select xlarge from {schema}.doubled", fetch="all") == [(6.0,)]
        write_file("select price * 3", project.project_root, "functions", "price_for_xlarge.sql")
        results = run_dbt(["build", "--select", "price_for_xlarge"], expect_pass=False)
        assert "cannot replace function price_for_xlarge" in results.results[0].message
        run_dbt(["build", "--full-refresh"])
        assert project.run_sql("select xlarge from {schema}.doubled", fetch="all") == [(9.0,)]
