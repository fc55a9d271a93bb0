"""dbt's own conformance tests, unchanged: how models are built: incremental ones, snapshots, comments."""

from __future__ import annotations

import pytest
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


@pytest.mark.slow
class TestMergeExcludeColumns(test_incremental_merge_exclude_columns.BaseMergeExcludeColumns):
    pass


@pytest.mark.slow
class TestMicrobatch(test_incremental_microbatch.BaseMicrobatch):
    pass


@pytest.mark.slow
class TestIncrementalOnSchemaChange(test_incremental_on_schema_change.TestIncrementalOnSchemaChange):
    pass


@pytest.mark.slow
class TestIncrementalPredicatesDeleteInsert(
    test_incremental_predicates.TestIncrementalPredicatesDeleteInsert
):
    pass


@pytest.mark.slow
class TestPredicatesDeleteInsert(test_incremental_predicates.TestPredicatesDeleteInsert):
    pass


@pytest.mark.slow
class TestIncrementalUniqueKey(test_incremental_unique_id.TestIncrementalUniqueKey):
    pass


class TestPersistDocs(test_persist_docs.TestPersistDocs):
    pass


@pytest.mark.slow
class TestPersistDocsAllColumnsMissing(test_persist_docs.TestPersistDocsAllColumnsMissing):
    pass


@pytest.mark.slow
class TestPersistDocsColumnMissing(test_persist_docs.TestPersistDocsColumnMissing):
    pass


@pytest.mark.slow
class TestPersistDocsCommentOnQuotedColumn(test_persist_docs.TestPersistDocsCommentOnQuotedColumn):
    pass


@pytest.mark.slow
class TestPersistDocsQuotedColumnCaseSensitive(test_persist_docs.TestPersistDocsQuotedColumnCaseSensitive):
    pass


@pytest.mark.slow
class TestPersistDocsQuotedDescriptionNotAppliedOnMismatch(
    test_persist_docs.TestPersistDocsQuotedDescriptionNotAppliedOnMismatch
):
    pass


@pytest.mark.slow
class TestMacroArgsQueryComments(test_query_comment.TestMacroArgsQueryComments):
    pass


@pytest.mark.slow
class TestMacroInvalidQueryComments(test_query_comment.TestMacroInvalidQueryComments):
    pass


@pytest.mark.slow
class TestMacroQueryComments(test_query_comment.TestMacroQueryComments):
    pass


class TestQueryComments(test_query_comment.TestQueryComments):
    pass


@pytest.mark.slow
class TestEmptyModelsArentRun(test_simple_copy.TestEmptyModelsArentRun):
    pass


@pytest.mark.slow
class TestSimpleCopyBase(test_simple_copy.TestSimpleCopyBase):
    pass


@pytest.mark.slow
class TestSnapshotCheck(test_snapshot.TestSnapshotCheck):
    pass
