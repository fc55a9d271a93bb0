"""dbt's own conformance tests, unchanged: how models are built: incremental ones, snapshots, comments."""

from __future__ import annotations

from dbt.tests.adapter.incremental import (
    test_incremental_merge_exclude_columns,
    test_incremental_microbatch,
    test_incremental_on_schema_change,
    test_incremental_predicates,
    test_incremental_unique_id,
)
from dbt.tests.adapter.persist_docs import test_persist_docs
from dbt.tests.adapter.query_comment import test_query_comment
from dbt.tests.adapter.simple_copy import test_simple_copy
from dbt.tests.adapter.simple_snapshot import test_snapshot

from adapter.conformance import slow


@slow
class TestMergeExcludeColumns(test_incremental_merge_exclude_columns.BaseMergeExcludeColumns):
    pass


@slow
class TestMicrobatch(test_incremental_microbatch.BaseMicrobatch):
    pass


@slow
class TestIncrementalOnSchemaChange(test_incremental_on_schema_change.TestIncrementalOnSchemaChange):
    pass


@slow
class TestIncrementalPredicatesDeleteInsert(
    test_incremental_predicates.TestIncrementalPredicatesDeleteInsert
):
    pass


@slow
class TestPredicatesDeleteInsert(test_incremental_predicates.TestPredicatesDeleteInsert):
    pass


@slow
class TestIncrementalUniqueKey(test_incremental_unique_id.TestIncrementalUniqueKey):
    pass


class TestPersistDocs(test_persist_docs.TestPersistDocs):
    pass


@slow
class TestPersistDocsAllColumnsMissing(test_persist_docs.TestPersistDocsAllColumnsMissing):
    pass


@slow
class TestPersistDocsColumnMissing(test_persist_docs.TestPersistDocsColumnMissing):
    pass


@slow
class TestPersistDocsCommentOnQuotedColumn(test_persist_docs.TestPersistDocsCommentOnQuotedColumn):
    pass


@slow
class TestPersistDocsQuotedColumnCaseSensitive(test_persist_docs.TestPersistDocsQuotedColumnCaseSensitive):
    pass


@slow
class TestPersistDocsQuotedDescriptionNotAppliedOnMismatch(
    test_persist_docs.TestPersistDocsQuotedDescriptionNotAppliedOnMismatch
):
    pass


@slow
class TestMacroArgsQueryComments(test_query_comment.TestMacroArgsQueryComments):
    pass


@slow
class TestMacroInvalidQueryComments(test_query_comment.TestMacroInvalidQueryComments):
    pass


@slow
class TestMacroQueryComments(test_query_comment.TestMacroQueryComments):
    pass


class TestQueryComments(test_query_comment.TestQueryComments):
    pass


@slow
class TestEmptyModelsArentRun(test_simple_copy.TestEmptyModelsArentRun):
    pass


@slow
class TestSimpleCopyBase(test_simple_copy.TestSimpleCopyBase):
    pass


@slow
class TestSnapshotCheck(test_snapshot.TestSnapshotCheck):
    pass
