"""dbt's own conformance tests of Python models."""

from __future__ import annotations

import pytest
from dbt.tests.adapter.python_model import test_python_model, test_spark

from adapter.conformance import slow

pytestmark = slow


class TestPythonEmpty(test_python_model.BasePythonEmptyTests):
    pass


class TestPythonIncremental(test_python_model.BasePythonIncrementalTests):
    pass


class TestPythonMetaGet(test_python_model.BasePythonMetaGetTests):
    pass


class TestPythonModel(test_python_model.BasePythonModelTests):
    pass


class TestPythonSample(test_python_model.BasePythonSampleTests):
    pass


class TestPySpark(test_spark.BasePySparkTests):
    @pytest.fixture(scope="class")
    def models(self) -> dict[str, str]:
        """The fourth of the original imports Koalas, which ended as a package of its own in 2021 (pandas on Spark is what has become
        of it) and cannot be installed beside pandas 2: it is that model with pandas on Spark's other name."""
        models = dict(test_spark.BasePySparkTests.models.__wrapped__(self))  # type: ignore[attr-defined]
        koalas = models["koalas_df.py"].replace(
            "import databricks.koalas as ks", "import pyspark.pandas as ks"
        )
        return {**models, "koalas_df.py": koalas}
