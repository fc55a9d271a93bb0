"""dbt's own conformance tests, unchanged: what every adapter does."""

from __future__ import annotations

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

from adapter.conformance import slow


@slow
class TestCaching(test_adapter_methods.TestBaseCaching):
    pass


class TestSimpleMaterializations(test_base.TestSimpleMaterializations):
    pass


@slow
class TestEmpty(test_empty.TestEmpty):
    pass


@slow
class TestEphemeral(test_ephemeral.TestEphemeral):
    pass


class TestGenericTests(test_generic_tests.TestGenericTests):
    pass


@slow
class TestIncrementalBadStrategy(test_incremental.BaseIncrementalBadStrategy):
    pass


@slow
class TestIncrementalNotSchemaChange(test_incremental.TestBaseIncrementalNotSchemaChange):
    pass


class TestIncremental(test_incremental.Testincremental):
    pass


@slow
class TestSingularTests(test_singular_tests.TestSingularTests):
    pass


@slow
class TestSingularTestsEphemeral(test_singular_tests_ephemeral.TestSingularTestsEphemeral):
    pass


@slow
class TestTableMat(test_table_materialization.TestTableMat):
    pass


@slow
class TestValidateConnection(test_validate_connection.TestValidateConnection):
    pass
