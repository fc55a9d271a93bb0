"""dbt's own conformance tests, unchanged: aliases, the cache, `debug`, `show`, `--empty`, ephemeral models."""

from __future__ import annotations

import pytest
from dbt.tests.adapter.aliases import test_aliases
from dbt.tests.adapter.caching import test_caching
from dbt.tests.adapter.catalog import relation_types
from dbt.tests.adapter.column_types import test_column_types
from dbt.tests.adapter.concurrency import test_concurrency
from dbt.tests.adapter.dbt_clone import test_dbt_clone
from dbt.tests.adapter.dbt_debug import test_dbt_debug
from dbt.tests.adapter.dbt_show import test_dbt_show
from dbt.tests.adapter.empty import test_empty
from dbt.tests.adapter.ephemeral import test_ephemeral
from dbt.tests.adapter.functions import test_udfs
from dbt.tests.adapter.relations import test_changing_relation_type, test_dropping_schema_named
from dbt.tests.adapter.sample_mode import test_sample_mode


@pytest.mark.slow
class TestAliasErrors(test_aliases.TestAliasErrors):
    pass


class TestAliases(test_aliases.TestAliases):
    pass


@pytest.mark.slow
class TestSameAliasDifferentDatabases(test_aliases.TestSameAliasDifferentDatabases):
    pass


@pytest.mark.slow
class TestSameAliasDifferentSchemas(test_aliases.TestSameAliasDifferentSchemas):
    pass


@pytest.mark.slow
class TestCachingLowerCaseModel(test_caching.TestCachingLowerCaseModel):
    pass


@pytest.mark.slow
class TestCachingSelectedSchemaOnly(test_caching.TestCachingSelectedSchemaOnly):
    pass


@pytest.mark.slow
class TestCachingUppercaseModel(test_caching.TestCachingUppercaseModel):
    pass


@pytest.mark.slow
class TestNoPopulateCache(test_caching.TestNoPopulateCache):
    pass


@pytest.mark.slow
class TestCatalogRelationTypes(relation_types.CatalogRelationTypes):
    pass


@pytest.mark.slow
class TestPostgresColumnTypes(test_column_types.TestPostgresColumnTypes):
    pass


@pytest.mark.slow
class TestConcurenncy(test_concurrency.TestConcurenncy):
    pass


@pytest.mark.slow
class TestCloneSameTargetAndState(test_dbt_clone.TestCloneSameTargetAndState):
    pass


@pytest.mark.slow
class TestPostgresCloneNotPossible(test_dbt_clone.TestPostgresCloneNotPossible):
    pass


@pytest.mark.slow
class TestDebugInvalidProjectPostgres(test_dbt_debug.TestDebugInvalidProjectPostgres):
    pass


@pytest.mark.slow
class TestDebugPostgres(test_dbt_debug.TestDebugPostgres):
    pass


@pytest.mark.slow
class TestPostgresShowLimit(test_dbt_show.TestPostgresShowLimit):
    pass


@pytest.mark.slow
class TestPostgresShowSqlHeader(test_dbt_show.TestPostgresShowSqlHeader):
    pass


@pytest.mark.slow
class TestTestEmptyInlineSourceRef(test_empty.BaseTestEmptyInlineSourceRef):
    pass


@pytest.mark.slow
class TestEmpty(test_empty.TestEmpty):
    pass


@pytest.mark.slow
class TestEphemeralErrorHandling(test_ephemeral.TestEphemeralErrorHandling):
    pass


@pytest.mark.slow
class TestErrorForUnsupportedType(test_udfs.ErrorForUnsupportedType):
    pass


@pytest.mark.slow
class TestPythonUDFEntryPointRequired(test_udfs.PythonUDFEntryPointRequired):
    pass


@pytest.mark.slow
class TestChangeRelationTypes(test_changing_relation_type.TestChangeRelationTypes):
    pass


class TestDropSchemaNamed(test_dropping_schema_named.TestDropSchemaNamed):
    pass


@pytest.mark.slow
class TestSampleModeTest(test_sample_mode.BaseSampleModeTest):
    pass
