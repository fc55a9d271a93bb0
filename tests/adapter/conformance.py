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
NO_INTERVAL = "the statements of the test use intervals, which the runtime does not have yet"
NO_PYTHON = "there are no python models yet"
NO_JSON = "the contract of the test has a json column, which the runtime does not have yet"
NO_ARRAYS = "array_append and array_cat are not there yet"
NO_MERGE = "the runtime has no MERGE yet; the strategy is refused with what to use instead"
OTHER_DDL = (
    "it compares the DDL with primary key and check constraints, which are not enforced here and so not sent"
)
NEEDS_FIXTURES = "abstract: it needs fixtures of the adapter, which are not written yet"

NOT_PASSING: dict[str, str] = {
    "basic.test_get_catalog_for_single_relation.BaseGetCatalogForSingleRelation": NEEDS_FIXTURES,
    "basic.test_snapshot_check_cols.TestSnapshotCheckCols": NO_INTERVAL,
    "basic.test_snapshot_timestamp.TestSnapshotTimestamp": NO_INTERVAL,
    "constraints.test_constraints.TestConstraintQuotedColumn": OTHER_DDL,
    "constraints.test_constraints.TestIncrementalConstraintsColumnsEqual": NO_JSON,
    "constraints.test_constraints.TestIncrementalConstraintsRuntimeDdlEnforcement": OTHER_DDL,
    "constraints.test_constraints.TestIncrementalContractSqlHeader": "a sql_header that sets a variable comes with CREATE TABLE and INSERT in one query; the contract's check runs before it",
    "constraints.test_constraints.TestModelConstraintsRuntimeEnforcement": OTHER_DDL,
    "constraints.test_constraints.TestTableConstraintsColumnsEqual": NO_JSON,
    "constraints.test_constraints.TestTableConstraintsRuntimeDdlEnforcement": OTHER_DDL,
    "constraints.test_constraints.TestTableContractSqlHeader": "a sql_header that sets a variable comes with CREATE TABLE and INSERT in one query; the contract's check runs before it",
    "constraints.test_constraints.TestViewConstraintsColumnsEqual": NO_JSON,
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
    "hooks.test_model_hooks.TestPrePostModelHooksOnSeeds": NO_ADD_COLUMN,
    "hooks.test_model_hooks.TestPrePostModelHooksOnSeedsPlusPrefixed": NO_ADD_COLUMN,
    "hooks.test_model_hooks.TestPrePostModelHooksOnSeedsPlusPrefixedWhitespace": NO_ADD_COLUMN,
    "hooks.test_model_hooks.TestPrePostModelHooksOnSnapshots": NO_ADD_COLUMN,
    "hooks.test_model_hooks.TestPrePostSnapshotHooksInConfigKwargs": NO_ADD_COLUMN,
    "incremental.test_incremental_merge_exclude_columns.BaseMergeExcludeColumns": NO_MERGE,
    "incremental.test_incremental_microbatch.BaseMicrobatch": NO_INTERVAL,
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
    "simple_snapshot.new_record_check_mode.BaseSnapshotNewRecordCheckMode": NO_INTERVAL,
    "simple_snapshot.new_record_dbt_valid_to_current.BaseSnapshotNewRecordDbtValidToCurrent": NO_INTERVAL,
    "simple_snapshot.test_ephemeral_snapshot_hard_deletes.BaseSnapshotEphemeralHardDeletes": NO_INTERVAL,
    "simple_snapshot.test_ephemeral_snapshot_hard_deletes.BaseSnapshotNewColumnSpecificCheckCols": NO_ADD_COLUMN,
    "simple_snapshot.test_ephemeral_snapshot_hard_deletes.BaseSnapshotNewColumnTimestampStrategy": NO_ADD_COLUMN,
    "simple_snapshot.test_ephemeral_snapshot_hard_deletes.BaseSnapshotNewColumnWithDeletes": NO_ADD_COLUMN,
    "simple_snapshot.test_snapshot.TestSnapshot": NO_INTERVAL,
    "simple_snapshot.test_various_configs.BaseSnapshotColumnNames": NO_INTERVAL,
    "simple_snapshot.test_various_configs.BaseSnapshotColumnNamesFromDbtProject": NO_INTERVAL,
    "simple_snapshot.test_various_configs.BaseSnapshotDbtValidToCurrent": NO_INTERVAL,
    "simple_snapshot.test_various_configs.BaseSnapshotInvalidColumnNames": NO_INTERVAL,
    "simple_snapshot.test_various_configs.BaseSnapshotMultiUniqueKey": NO_INTERVAL,
    "store_test_failures_tests.basic.StoreTestFailuresAsExceptions": "the message that it expects lists the kinds of stored failures without materialized_view",
    "unit_testing.test_types.TestPostgresUnitTestingTypes": "it runs dbt once for each of two dozen types and did not end within the limit of a test; json is among them",
    "utils.test_array_append.TestArrayAppend": NO_ARRAYS,
    "utils.test_array_concat.TestArrayConcat": NO_ARRAYS,
    "utils.test_current_timestamp.BaseCurrentTimestampNaive": "a naive current_timestamp is not what this adapter gives: it has a time zone",
    "utils.test_date.TestDate": "the runtime has no to_date() yet",
    "utils.test_date_spine.TestDateSpine": NO_INTERVAL,
    "utils.test_dateadd.TestDateAdd": NO_INTERVAL,
    "utils.test_escape_single_quotes.BaseEscapeSingleQuotesBackslash": "a backslash is no escape in standard strings: TestEscapeSingleQuotes is the class that fits",
    "utils.test_get_intervals_between.TestGetIntervalsBetween": "it casts dates written as 09/12/2023, which PostgreSQL takes and the runtime refuses",
    "utils.test_last_day.TestLastDay": NO_INTERVAL,
    "utils.test_listagg.TestListagg": "the runtime has no string_agg and no slices of arrays yet",
    "utils.test_timestamps.TestCurrentTimestamps": "a view cannot hold now(), and the model of the test is a view",
}
