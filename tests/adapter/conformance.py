"""dbt's conformance classes that do not pass yet, or never will, each with the reason.

A class is named by its module below `dbt.tests.adapter` and its own name.  `test_conformance_table.py` keeps the table
complete: every class of dbt-tests-adapter is either a test of this folder or listed here, never both.
"""

from __future__ import annotations

NO_FUNCTIONS = "the runtime has no CREATE FUNCTION yet"
NO_GRANTS = (
    "the runtime has no roles and no GRANT yet; the `grants` config is refused, which test_changes.py tests"
)
NO_ADD_COLUMN = "the runtime has no ALTER TABLE ... ADD COLUMN yet"
NO_PYTHON = "there are no python models yet"
NEEDS_FIXTURES = "abstract: it needs fixtures of the adapter, which are not written yet"

NOT_PASSING: dict[str, str] = {
    "basic.test_get_catalog_for_single_relation.BaseGetCatalogForSingleRelation": NEEDS_FIXTURES,
    "dbt_clone.test_dbt_clone.BaseClonePossible": "a table cannot be cloned: `dbt clone` makes a view on it, which TestPostgresCloneNotPossible tests",
    "dbt_clone.test_dbt_clone.BaseCloneSameSourceAndTarget": "a table cannot be cloned: `dbt clone` makes a view on it, which TestPostgresCloneNotPossible tests",
    "empty.test_empty.BaseTestEmptySeedFlag": "dbt-core 1.11 has no `dbt seed --empty`",
    "empty.test_empty.MetadataWithEmptyFlag": NO_ADD_COLUMN,
    "ephemeral.test_ephemeral.TestEphemeralMulti": "it compares compiled SQL with a database named dbt and without the mark of the definition",
    "ephemeral.test_ephemeral.TestEphemeralNested": "it compares compiled SQL with a database named dbt and without the mark of the definition",
    "functions.test_js_udfs.BasicJSAggregateUDF": NO_FUNCTIONS,
    "functions.test_js_udfs.BasicJSUDF": NO_FUNCTIONS,
    "functions.test_js_udfs.JSAggregateUDFVolatilityIgnored": NO_FUNCTIONS,
    "functions.test_js_udfs.JSUDFDefaultArgSupport": NO_FUNCTIONS,
    "functions.test_js_udfs.JSUDFDeterministicVolatility": NO_FUNCTIONS,
    "functions.test_js_udfs.JSUDFMultiLineBody": NO_FUNCTIONS,
    "functions.test_js_udfs.JSUDFNonDeterministicVolatility": NO_FUNCTIONS,
    "functions.test_js_udfs.JSUDFStableVolatilityWarns": NO_FUNCTIONS,
    "functions.test_udafs.BasicSQLUDAF": NO_FUNCTIONS,
    "functions.test_udafs.PythonUDAFDefaultArgSupport": NO_FUNCTIONS,
    "functions.test_udfs.CanFindScalarFunctionRelation": NO_FUNCTIONS,
    "functions.test_udfs.DeterministicUDF": NO_FUNCTIONS,
    "functions.test_udfs.NonDeterministicUDF": NO_FUNCTIONS,
    "functions.test_udfs.PythonUDFDefaultArgSupport": NO_FUNCTIONS,
    "functions.test_udfs.PythonUDFVolatilitySupport": NO_FUNCTIONS,
    "functions.test_udfs.PythonUDFWithPackagesSupported": NO_FUNCTIONS,
    "functions.test_udfs.StableUDF": NO_FUNCTIONS,
    "grants.test_incremental_grants.TestIncrementalGrants": NO_GRANTS,
    "grants.test_invalid_grants.TestInvalidGrants": NO_GRANTS,
    "grants.test_model_grants.TestModelGrants": NO_GRANTS,
    "grants.test_seed_grants.TestSeedGrants": NO_GRANTS,
    "grants.test_snapshot_grants.TestSnapshotGrants": NO_GRANTS,
    "incremental.test_incremental_on_schema_change.TestIncrementalOnSchemaChange": NO_ADD_COLUMN,
    "materialized_view.changes.MaterializedViewChanges": NEEDS_FIXTURES,
    "materialized_view.changes.MaterializedViewChangesApplyMixin": NEEDS_FIXTURES,
    "materialized_view.changes.MaterializedViewChangesContinueMixin": NEEDS_FIXTURES,
    "materialized_view.changes.MaterializedViewChangesFailMixin": NEEDS_FIXTURES,
    "python_model.test_python_model.BasePythonEmptyTests": NO_PYTHON,
    "python_model.test_python_model.BasePythonIncrementalTests": NO_PYTHON,
    "python_model.test_python_model.BasePythonMetaGetTests": NO_PYTHON,
    "python_model.test_python_model.BasePythonModelTests": NO_PYTHON,
    "python_model.test_python_model.BasePythonSampleTests": NO_PYTHON,
    "python_model.test_spark.BasePySparkTests": NO_PYTHON,
    "simple_copy.test_copy_uppercase.TestSimpleCopyUppercase": "it needs a database named dbtMixedCase: there is one database here",
    "store_test_failures_tests.basic.StoreTestFailuresAsExceptions": "the message that it expects lists the kinds of stored failures without materialized_view",
    "unit_testing.test_types.TestPostgresUnitTestingTypes": "it runs dbt once for each of two dozen types and did not end within the limit of a test; json is among them",
    "utils.test_current_timestamp.BaseCurrentTimestampNaive": "a naive current_timestamp is not what this adapter gives: it has a time zone",
    "utils.test_escape_single_quotes.BaseEscapeSingleQuotesBackslash": "a backslash is no escape in standard strings: TestEscapeSingleQuotes is the class that fits",
    "utils.test_get_intervals_between.TestGetIntervalsBetween": "it casts dates written as 09/12/2023, which PostgreSQL takes and the runtime refuses",
    "utils.test_timestamps.TestCurrentTimestamps": "a view cannot hold now(), and the model of the test is a view",
}
