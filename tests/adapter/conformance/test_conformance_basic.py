"""dbt's own conformance tests, unchanged: what every adapter does."""

from __future__ import annotations

import pytest
from dbt.tests.adapter.basic import (
    test_adapter_methods,
    test_base,
    test_empty,
    test_ephemeral,
    test_generic_tests,
    test_incremental,
    test_singular_tests,
    test_singular_tests_ephemeral,
    test_table_materialization,
    test_validate_connection,
)


@pytest.mark.slow
class TestCaching(test_adapter_methods.TestBaseCaching):
    pass


class TestSimpleMaterializations(test_base.TestSimpleMaterializations):
    pass


@pytest.mark.slow
class TestEmpty(test_empty.TestEmpty):
    pass


@pytest.mark.slow
class TestEphemeral(test_ephemeral.TestEphemeral):
    pass


class TestGenericTests(test_generic_tests.TestGenericTests):
    pass


@pytest.mark.slow
class TestIncrementalBadStrategy(test_incremental.BaseIncrementalBadStrategy):
    pass


@pytest.mark.slow
class TestIncrementalNotSchemaChange(test_incremental.TestBaseIncrementalNotSchemaChange):
    pass


class TestIncremental(test_incremental.Testincremental):
    pass


@pytest.mark.slow
class TestSingularTests(test_singular_tests.TestSingularTests):
    pass


@pytest.mark.slow
class TestSingularTestsEphemeral(test_singular_tests_ephemeral.TestSingularTestsEphemeral):
    pass


@pytest.mark.slow
class TestTableMat(test_table_materialization.TestTableMat):
    pass


@pytest.mark.slow
class TestValidateConnection(test_validate_connection.TestValidateConnection):
    pass
