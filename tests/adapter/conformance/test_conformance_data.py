"""dbt's own conformance tests, unchanged: seeds, stored failures, unit tests."""

from __future__ import annotations

import pytest
from dbt.tests.adapter.simple_seed import test_seed, test_seed_type_override
from dbt.tests.adapter.store_test_failures_tests import basic, test_store_test_failures
from dbt.tests.adapter.unit_testing import (
    test_case_insensitivity,
    test_invalid_input,
    test_quoted_reserved_word_column_names,
    test_types,
)


@pytest.mark.slow
class TestBasicSeedTests(test_seed.TestBasicSeedTests):
    pass


@pytest.mark.slow
class TestEmptySeed(test_seed.TestEmptySeed):
    pass


@pytest.mark.slow
class TestSeedConfigFullRefreshOff(test_seed.TestSeedConfigFullRefreshOff):
    pass


@pytest.mark.slow
class TestSeedConfigFullRefreshOn(test_seed.TestSeedConfigFullRefreshOn):
    pass


@pytest.mark.slow
class TestSeedCustomSchema(test_seed.TestSeedCustomSchema):
    pass


@pytest.mark.slow
class TestSeedParsing(test_seed.TestSeedParsing):
    pass


@pytest.mark.slow
class TestSeedWithEmptyDelimiter(test_seed.TestSeedWithEmptyDelimiter):
    pass


@pytest.mark.slow
class TestSeedWithUniqueDelimiter(test_seed.TestSeedWithUniqueDelimiter):
    pass


@pytest.mark.slow
class TestSeedWithWrongDelimiter(test_seed.TestSeedWithWrongDelimiter):
    pass


@pytest.mark.slow
class TestSimpleSeedEnabledViaConfig(test_seed.TestSimpleSeedEnabledViaConfig):
    pass


@pytest.mark.slow
class TestSimpleSeedColumnOverride(test_seed_type_override.TestSimpleSeedColumnOverride):
    pass


@pytest.mark.slow
class TestStoreTestFailuresAsGeneric(basic.StoreTestFailuresAsGeneric):
    pass


@pytest.mark.slow
class TestStoreTestFailuresAsInteractions(basic.StoreTestFailuresAsInteractions):
    pass


@pytest.mark.slow
class TestStoreTestFailuresAsProjectLevelEphemeral(basic.StoreTestFailuresAsProjectLevelEphemeral):
    pass


@pytest.mark.slow
class TestStoreTestFailuresAsProjectLevelOff(basic.StoreTestFailuresAsProjectLevelOff):
    pass


@pytest.mark.slow
class TestStoreTestFailuresAsProjectLevelView(basic.StoreTestFailuresAsProjectLevelView):
    pass


@pytest.mark.slow
class TestStoreTestFailures(test_store_test_failures.TestStoreTestFailures):
    pass


@pytest.mark.slow
class TestStoreTestFailuresLimit(test_store_test_failures.TestStoreTestFailuresLimit):
    pass


@pytest.mark.slow
class TestPosgresUnitTestCaseInsensitivity(test_case_insensitivity.TestPosgresUnitTestCaseInsensitivity):
    pass


@pytest.mark.slow
class TestPostgresUnitTestInvalidInput(test_invalid_input.TestPostgresUnitTestInvalidInput):
    pass


@pytest.mark.slow
class TestUnitTestQuotedReservedWordColumnNames(
    test_quoted_reserved_word_column_names.BaseUnitTestQuotedReservedWordColumnNames
):
    pass


@pytest.mark.slow
class TestUnitTestingVarcharFixtureNoTruncation(test_types.BaseUnitTestingVarcharFixtureNoTruncation):
    pass


@pytest.mark.slow
class TestPostgresUnitTestingTypes(test_types.TestPostgresUnitTestingTypes):
    pass
