"""dbt's own conformance tests, unchanged: seeds, stored failures, unit tests."""

from __future__ import annotations

from dbt.tests.adapter.simple_seed import test_seed, test_seed_type_override
from dbt.tests.adapter.store_test_failures_tests import basic, test_store_test_failures
from dbt.tests.adapter.unit_testing import (
    test_case_insensitivity,
    test_invalid_input,
    test_quoted_reserved_word_column_names,
    test_types,
)

from adapter.conformance import slow


@slow
class TestBasicSeedTests(test_seed.TestBasicSeedTests):
    pass


@slow
class TestEmptySeed(test_seed.TestEmptySeed):
    pass


@slow
class TestSeedConfigFullRefreshOff(test_seed.TestSeedConfigFullRefreshOff):
    pass


@slow
class TestSeedConfigFullRefreshOn(test_seed.TestSeedConfigFullRefreshOn):
    pass


@slow
class TestSeedCustomSchema(test_seed.TestSeedCustomSchema):
    pass


@slow
class TestSeedParsing(test_seed.TestSeedParsing):
    pass


@slow
class TestSeedWithEmptyDelimiter(test_seed.TestSeedWithEmptyDelimiter):
    pass


@slow
class TestSeedWithUniqueDelimiter(test_seed.TestSeedWithUniqueDelimiter):
    pass


@slow
class TestSeedWithWrongDelimiter(test_seed.TestSeedWithWrongDelimiter):
    pass


@slow
class TestSimpleSeedEnabledViaConfig(test_seed.TestSimpleSeedEnabledViaConfig):
    pass


@slow
class TestSimpleSeedColumnOverride(test_seed_type_override.TestSimpleSeedColumnOverride):
    pass


@slow
class TestStoreTestFailuresAsGeneric(basic.StoreTestFailuresAsGeneric):
    pass


@slow
class TestStoreTestFailuresAsInteractions(basic.StoreTestFailuresAsInteractions):
    pass


@slow
class TestStoreTestFailuresAsProjectLevelEphemeral(basic.StoreTestFailuresAsProjectLevelEphemeral):
    pass


@slow
class TestStoreTestFailuresAsProjectLevelOff(basic.StoreTestFailuresAsProjectLevelOff):
    pass


@slow
class TestStoreTestFailuresAsProjectLevelView(basic.StoreTestFailuresAsProjectLevelView):
    pass


@slow
class TestStoreTestFailures(test_store_test_failures.TestStoreTestFailures):
    pass


@slow
class TestStoreTestFailuresLimit(test_store_test_failures.TestStoreTestFailuresLimit):
    pass


@slow
class TestPosgresUnitTestCaseInsensitivity(test_case_insensitivity.TestPosgresUnitTestCaseInsensitivity):
    pass


@slow
class TestPostgresUnitTestInvalidInput(test_invalid_input.TestPostgresUnitTestInvalidInput):
    pass


@slow
class TestUnitTestQuotedReservedWordColumnNames(
    test_quoted_reserved_word_column_names.BaseUnitTestQuotedReservedWordColumnNames
):
    pass


@slow
class TestUnitTestingVarcharFixtureNoTruncation(test_types.BaseUnitTestingVarcharFixtureNoTruncation):
    pass


@slow
class TestPostgresUnitTestingTypes(test_types.TestPostgresUnitTestingTypes):
    pass
