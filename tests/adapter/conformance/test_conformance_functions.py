"""dbt's own conformance tests, unchanged: functions in SQL, Python and JavaScript."""

from __future__ import annotations

from typing import Any

import pytest
from dbt.tests.adapter.functions import files, test_js_udfs, test_udafs, test_udfs
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


def in_javascript(yml: str) -> str:
    """The YAML of a function, with its language."""
    return yml.replace("    arguments:", "    config:\n      language: javascript\n    arguments:")


class InJavaScript:
    """What the classes for JavaScript leave to the adapter.  dbt 1.11 reads no `.js` files, and 1.12 refuses them where the
    adapter is none of BigQuery's and Snowflake's: so the files are `.sql`, with the language in their config."""

    expected_language_keyword = "LANGUAGE javascript"
    expected_body_delimiter = "$javascript$"
    volatility: str | None = None

    @pytest.fixture(scope="class")
    def functions(self) -> dict[str, str]:
        return {
            "price_for_xlarge.sql": files.MY_JS_UDF,
            "price_for_xlarge.yml": in_javascript(files.MY_UDF_YML),
        }

    def check_function_volatility(self, sql: str) -> None:
        written = [word for word in ("IMMUTABLE", "STABLE", "VOLATILE") if word in sql.split()]
        assert written == ([] if self.volatility is None else [self.volatility])


class TestBasicJSUDF(InJavaScript, test_js_udfs.BasicJSUDF):
    pass


class TestJSUDFDeterministicVolatility(InJavaScript, test_js_udfs.JSUDFDeterministicVolatility):
    volatility = "IMMUTABLE"


class TestJSUDFNonDeterministicVolatility(InJavaScript, test_js_udfs.JSUDFNonDeterministicVolatility):
    volatility = "VOLATILE"


class TestJSUDFDefaultArgSupport(InJavaScript, test_js_udfs.JSUDFDefaultArgSupport):
    expect_default_arg_support = True

    @pytest.fixture(scope="class")
    def functions(self) -> dict[str, str]:
        return {
            "price_for_xlarge.sql": files.MY_JS_UDF,
            "price_for_xlarge.yml": in_javascript(files.MY_UDF_WITH_DEFAULT_ARG_YML),
        }


def yml(name: str, kind: str, argument: str, type_: str) -> str:
    return f"""
functions:
  - name: {name}
    config:
      language: javascript
      type: {kind}
    arguments:
      - name: {argument}
        data_type: {type_}
    returns:
      data_type: {type_}
"""


class TestJSUDFMultiLineBody(InJavaScript, test_js_udfs.JSUDFMultiLineBody):
    @pytest.fixture(scope="class")
    def functions(self) -> dict[str, str]:
        return {"mask_pii.sql": files.MASK_PII_JS, "mask_pii.yml": yml("mask_pii", "scalar", "value", "text")}


class TestBasicJSAggregateUDF(InJavaScript, test_js_udfs.BasicJSAggregateUDF):
    @pytest.fixture(scope="class")
    def functions(self) -> dict[str, str]:
        return {
            "sum_positive.sql": files.SUM_POSITIVE_JS,
            "sum_positive.yml": yml("sum_positive", "aggregate", "x", "float"),
        }


_DOUBLED = "select {{ function('price_for_xlarge') }}(price) as xlarge from {{ ref('prices') }}"


class TestJavaScriptUnderMaintainedModels:
    """Names of arguments keep their case, and STABLE is written, which a materialized view refuses."""

    @pytest.fixture(scope="class")
    def functions(self) -> dict[str, str]:
        source = "return unitPrice * 2"
        return {
            "doubled.sql": source,
            "doubled.yml": yml("doubled", "scalar", "unitPrice", "float").replace(
                "type: scalar", "volatility: deterministic"
            ),
            "now_doubled.sql": source,
            "now_doubled.yml": yml("now_doubled", "scalar", "unitPrice", "float").replace(
                "type: scalar", "volatility: stable"
            ),
        }

    @pytest.fixture(scope="class")
    def models(self) -> dict[str, str]:
        head = "{{ config(materialized='materialized_view') }} select "
        return {
            "prices.sql": "{{ config(materialized='table') }} select 3.0 as price",
            "maintained.sql": head + "{{ function('doubled') }}(price) as price from {{ ref('prices') }}",
            "refused.sql": head + "{{ function('now_doubled') }}(price) as price from {{ ref('prices') }}",
        }

    def test_build(self, project: Any) -> None:
        results = {result.node.name: result for result in run_dbt(["build"], expect_pass=False).results}
        assert "now_doubled is STABLE, which is not allowed" in results["refused"].message
        assert {name for name, result in results.items() if result.status == "error"} == {"refused"}
        assert project.run_sql("select price from {schema}.maintained", fetch="all") == [(6.0,)]


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
