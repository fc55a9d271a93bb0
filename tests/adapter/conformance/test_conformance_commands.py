"""dbt's own conformance tests, unchanged: aliases, the cache, `debug`, `show`, `--empty`, ephemeral models."""

from __future__ import annotations

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

from adapter.conformance import slow


@slow
class TestAliasErrors(test_aliases.TestAliasErrors):
    pass


class TestAliases(test_aliases.TestAliases):
    pass


@slow
class TestSameAliasDifferentDatabases(test_aliases.TestSameAliasDifferentDatabases):
    pass


@slow
class TestSameAliasDifferentSchemas(test_aliases.TestSameAliasDifferentSchemas):
    pass


@slow
class TestCachingLowerCaseModel(test_caching.TestCachingLowerCaseModel):
    pass


@slow
class TestCachingSelectedSchemaOnly(test_caching.TestCachingSelectedSchemaOnly):
    pass


@slow
class TestCachingUppercaseModel(test_caching.TestCachingUppercaseModel):
    pass


@slow
class TestNoPopulateCache(test_caching.TestNoPopulateCache):
    pass


@slow
class TestCatalogRelationTypes(relation_types.CatalogRelationTypes):
    pass


@slow
class TestPostgresColumnTypes(test_column_types.TestPostgresColumnTypes):
    pass


@slow
class TestConcurenncy(test_concurrency.TestConcurenncy):
    pass


@slow
class TestCloneSameTargetAndState(test_dbt_clone.TestCloneSameTargetAndState):
    pass


@slow
class TestPostgresCloneNotPossible(test_dbt_clone.TestPostgresCloneNotPossible):
    pass


@slow
class TestDebugInvalidProjectPostgres(test_dbt_debug.TestDebugInvalidProjectPostgres):
    pass


@slow
class TestDebugPostgres(test_dbt_debug.TestDebugPostgres):
    pass


@slow
class TestPostgresShowLimit(test_dbt_show.TestPostgresShowLimit):
    pass


@slow
class TestPostgresShowSqlHeader(test_dbt_show.TestPostgresShowSqlHeader):
    pass


@slow
class TestTestEmptyInlineSourceRef(test_empty.BaseTestEmptyInlineSourceRef):
    pass


@slow
class TestEmpty(test_empty.TestEmpty):
    pass


@slow
class TestEphemeralErrorHandling(test_ephemeral.TestEphemeralErrorHandling):
    pass


@slow
class TestErrorForUnsupportedType(test_udfs.ErrorForUnsupportedType):
    pass


@slow
class TestPythonUDFEntryPointRequired(test_udfs.PythonUDFEntryPointRequired):
    pass


@slow
class TestChangeRelationTypes(test_changing_relation_type.TestChangeRelationTypes):
    pass


class TestDropSchemaNamed(test_dropping_schema_named.TestDropSchemaNamed):
    pass


@slow
class TestSampleModeTest(test_sample_mode.BaseSampleModeTest):
    pass
