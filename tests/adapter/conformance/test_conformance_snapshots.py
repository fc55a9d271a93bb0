"""dbt's own conformance tests, unchanged: snapshots, and hooks on seeds and snapshots."""

from __future__ import annotations

from dbt.tests.adapter.basic import test_snapshot_check_cols, test_snapshot_timestamp
from dbt.tests.adapter.hooks import test_model_hooks
from dbt.tests.adapter.simple_snapshot import (
    new_record_check_mode,
    new_record_dbt_valid_to_current,
    test_ephemeral_snapshot_hard_deletes,
    test_snapshot,
    test_various_configs,
)

from adapter.conformance import slow

pytestmark = slow


class TestSnapshotCheckCols(test_snapshot_check_cols.TestSnapshotCheckCols):
    pass


class TestSnapshotTimestamp(test_snapshot_timestamp.TestSnapshotTimestamp):
    pass


class TestPrePostModelHooksOnSeeds(test_model_hooks.TestPrePostModelHooksOnSeeds):
    pass


class TestPrePostModelHooksOnSeedsPlusPrefixed(test_model_hooks.TestPrePostModelHooksOnSeedsPlusPrefixed):
    pass


class TestPrePostModelHooksOnSeedsPlusPrefixedWhitespace(
    test_model_hooks.TestPrePostModelHooksOnSeedsPlusPrefixedWhitespace
):
    pass


class TestPrePostModelHooksOnSnapshots(test_model_hooks.TestPrePostModelHooksOnSnapshots):
    pass


class TestPrePostSnapshotHooksInConfigKwargs(test_model_hooks.TestPrePostSnapshotHooksInConfigKwargs):
    pass


class TestSnapshotNewRecordCheckMode(new_record_check_mode.BaseSnapshotNewRecordCheckMode):
    pass


class TestSnapshotNewRecordDbtValidToCurrent(
    new_record_dbt_valid_to_current.BaseSnapshotNewRecordDbtValidToCurrent
):
    pass


class TestSnapshotEphemeralHardDeletes(test_ephemeral_snapshot_hard_deletes.BaseSnapshotEphemeralHardDeletes):
    pass


class TestSnapshotNewColumnSpecificCheckCols(
    test_ephemeral_snapshot_hard_deletes.BaseSnapshotNewColumnSpecificCheckCols
):
    pass


class TestSnapshotNewColumnTimestampStrategy(
    test_ephemeral_snapshot_hard_deletes.BaseSnapshotNewColumnTimestampStrategy
):
    pass


class TestSnapshotNewColumnWithDeletes(test_ephemeral_snapshot_hard_deletes.BaseSnapshotNewColumnWithDeletes):
    pass


class TestSnapshot(test_snapshot.TestSnapshot):
    pass


class TestSnapshotColumnNames(test_various_configs.BaseSnapshotColumnNames):
    pass


class TestSnapshotColumnNamesFromDbtProject(test_various_configs.BaseSnapshotColumnNamesFromDbtProject):
    pass


class TestSnapshotInvalidColumnNames(test_various_configs.BaseSnapshotInvalidColumnNames):
    pass


class TestSnapshotMultiUniqueKey(test_various_configs.BaseSnapshotMultiUniqueKey):
    pass
