"""An ICEBERG sink: what its table holds after each commit, and who may write."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from datetime import date
from random import Random
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from ptvc.errors import PtvcError
from ptvc.repr.batch import Batch
from ptvc.repr.schema import Column, Schema
from ptvc.repr.types import DATE, INT2, INT4, TEXT, TIMESTAMP, list_of
from ptvc.storage.lake.partitions import PartitionField
from ptvc.storage.sink.change_records import SinkEnvelope
from ptvc.storage.sink.contract import SinkFenced, SinkStalled, Unwritable
from pyiceberg import types
from pyiceberg.catalog.sql import SqlCatalog
from pyiceberg.schema import Schema as IcebergSchema

from ..kafka.support import batch, between, contents, history
from .support import FIRST, Target, arrow_rows, opened

Make = Callable[..., Target]


@pytest.mark.parametrize("seed", range(4))
def test_the_table_is_the_contents_after_each_commit(target: Make, seed: int) -> None:
    """However often it is opened anew."""
    random = Random(seed)
    fields = ((), (PartitionField("k", "bucket", 3),), (PartitionField("v", "truncate", 1),))[seed % 3]
    out = target(partition_by=fields)
    changes, lower = history(random, FIRST, 40, 40, 15), 0
    sink = out.sink()
    assert sink.open() == 0
    sink.check_follows(FIRST + 1)
    while lower < FIRST + 40:
        upper = min(max(lower, FIRST) + random.randrange(1, 6), FIRST + 40)
        sink.write(between(changes, lower, upper), lower, upper)
        assert sink.upper == upper
        assert out.rows() == contents(changes, upper)
        lower = upper
        if random.random() < 0.3:
            if random.random() < 0.5:
                sink.close()
            sink = out.sink()
            begun = sink.open()
            assert begun <= lower  # where nothing had changed nothing was written
            lower = begun


def test_a_log_of_changes(target: Make) -> None:
    out = target(envelope=SinkEnvelope.NONE)
    changes = history(Random(7), FIRST, 20, 20, 10)
    sink = out.sink()
    sink.open()
    sink.write(between(changes, 0, FIRST + 9), 0, FIRST + 9)
    sink.write(between(changes, FIRST + 9, FIRST + 20), FIRST + 9, FIRST + 20)
    found: Counter[tuple[Any, ...]] = Counter()
    for k, v, time, diff in out.rows().elements():
        found[k, v, time] += diff
    wanted: Counter[tuple[Any, ...]] = Counter()
    for k, v, time, diff in changes:
        wanted[k, v, time] += diff
    assert {row: n for row, n in found.items() if n} == {row: n for row, n in wanted.items() if n}
    assert [field.name for field in out.table.schema().fields] == ["k", "v", "_mz_timestamp", "_mz_diff"]


def test_changes_wait_for_the_end_of_an_interval(target: Make) -> None:
    out = target(commit_interval_ms=1_000)
    sink = out.sink()
    sink.open()
    sink.write(batch([(1, "a", FIRST, 1)]), 0, FIRST + 1)
    assert sink.durable_upper == FIRST + 1
    sink.write(batch([(1, "a", FIRST + 1, -1), (1, "b", FIRST + 1, 1)]), FIRST + 1, FIRST + 500)
    sink.write(batch([(1, "b", FIRST + 600, -1), (2, "c", FIRST + 700, 1)]), FIRST + 500, FIRST + 900)
    assert (sink.upper, sink.durable_upper) == (FIRST + 900, FIRST + 1)
    assert out.rows() == {(1, "a"): 1}
    sink.write(batch([]), FIRST + 900, FIRST + 1_001)
    assert sink.durable_upper == FIRST + 1_001
    assert out.rows() == {(2, "c"): 1}
    sink.write(batch([(3, "d", FIRST + 1_001, 1)]), FIRST + 1_001, FIRST + 1_002)
    again = out.sink()
    assert again.open() == FIRST + 1_001  # what waited is handed over again


def test_who_was_replaced_writes_nothing(target: Make) -> None:
    out = target()
    late, old, new = out.sink(term=1), out.sink(term=2), out.sink(term=3)
    old.open()
    old.write(batch([(1, "a", FIRST, 1)]), 0, FIRST + 1)
    assert new.open() == FIRST + 1
    with pytest.raises(SinkFenced):
        old.write(batch([(2, "b", FIRST + 1, 1)]), FIRST + 1, FIRST + 2)
    with pytest.raises(SinkFenced):
        late.open()
    new.write(batch([(3, "c", FIRST + 1, 1)]), FIRST + 1, FIRST + 2)
    assert out.rows() == {(1, "a"): 1, (3, "c"): 1}


@pytest.mark.parametrize(
    "change",
    [
        [(1, "z", FIRST + 1, -1)],
        [(1, "z", FIRST + 1, -1), (1, "b", FIRST + 1, 1)],
        [(2, "b", FIRST + 1, 1)],
    ],
)
def test_rows_that_somebody_else_changed_stall_it(target: Make, change: list[Any]) -> None:
    out = target()
    sink = out.sink()
    sink.open()
    sink.write(batch([(1, "a", FIRST, 1), (3, "c", FIRST, 1)]), 0, FIRST + 1)
    table = out.table
    table.delete("k = 1")
    table.append(pa.table({"k": [2], "v": ["mine"]}, schema=table.schema().as_arrow()))
    with pytest.raises(SinkStalled, match="rows that the sink is to"):
        sink.write(batch(change), FIRST + 1, FIRST + 2)
    assert sink.durable_upper == FIRST + 1


def test_a_table_that_was_rolled_back(target: Make) -> None:
    out = target()
    sink = out.sink()
    sink.open()
    sink.write(batch([(1, "a", FIRST, 1)]), 0, FIRST + 1)
    before = out.table.current_snapshot()
    assert before is not None
    sink.write(batch([(2, "b", FIRST + 1, 1)]), FIRST + 1, FIRST + 2)
    out.table.manage_snapshots().rollback_to_snapshot(before.snapshot_id).commit()
    with pytest.raises(SinkStalled, match="was rolled back"):
        sink.write(batch([(3, "c", FIRST + 2, 1)]), FIRST + 2, FIRST + 3)
    again = out.sink()
    assert again.open() == FIRST + 1
    with pytest.raises(PtvcError, match="has no progress of the sink beyond"):
        again.check_follows(FIRST + 2)


def test_a_key_that_is_null(target: Make) -> None:
    sink = target().sink()
    sink.open()
    one = batch([(1, "a", FIRST, 1)])
    null = one.with_columns((pa.array([None], pa.int64()), one.columns[1]))
    with pytest.raises(Unwritable, match='column "k" of the key is NULL'):
        sink.write(null, 0, FIRST + 1)


FAR = Schema(
    (
        Column("k", DATE, nullable=False),
        Column("at", TIMESTAMP),
        Column("all", list_of(DATE)),
    )
)
DAYS = [-1_000_000, -719_163, 0, 2_932_897, 40_000_000]
"""Before the year 1, within Python's years, and after 9999."""


def far_rows(day_numbers: list[int], time: int, diff: int = 1) -> Batch:
    days = pa.array(day_numbers, pa.int32()).cast(pa.date32())
    times = pa.array([day * 86_400_000_000 for day in day_numbers], pa.int64()).cast(pa.timestamp("us"))
    count = len(day_numbers)
    lists = pa.ListArray.from_arrays(pa.array(range(count + 1), pa.int32()), days).cast(FAR[2].type.arrow)
    return Batch((days, times, lists), np.full(count, time, np.uint64), np.full(count, diff, np.int64))


def test_years_that_python_does_not_have(target: Make) -> None:
    """As keys and values; their files have no bounds of them, and those of others have."""
    out = target(schema=FAR)
    sink = out.sink()
    sink.open()
    sink.write(far_rows(DAYS, FIRST), 0, FIRST + 1)
    sink.write(far_rows(DAYS[:2], FIRST + 1, -1), FIRST + 1, FIRST + 2)
    found = arrow_rows(out.table)
    assert sorted(found["k"].cast(pa.int32()).to_pylist()) == DAYS[2:]
    assert sorted(found["at"].cast(pa.int64()).to_pylist()) == [day * 86_400_000_000 for day in DAYS[2:]]
    assert sorted(pc.list_flatten(found["all"]).cast(pa.int32()).to_pylist()) == DAYS[2:]
    assert [task.file.lower_bounds.get(1) for task in out.table.scan().plan_files()] == [None]
    sink.write(far_rows(DAYS[3:], FIRST + 2, -1), FIRST + 2, FIRST + 3)
    assert [task.file.lower_bounds[1] for task in out.table.scan().plan_files()] == [bytes(4)]


@pytest.mark.parametrize("transform", ["identity", "day", "bucket"])
def test_years_that_no_partition_has(target: Make, transform: str) -> None:
    field = PartitionField("k", transform, 4 if transform == "bucket" else None)
    out = target(schema=FAR, partition_by=(field,))
    sink = out.sink()
    sink.open()
    with pytest.raises(Unwritable, match="before the year 1 or after 9999"):
        sink.write(far_rows(DAYS, FIRST), 0, FIRST + 1)
    sink.write(far_rows([0, 1], FIRST), 0, FIRST + 1)
    assert sum(task.file.record_count for task in out.table.scan().plan_files()) == 2


def test_a_copy_of_the_runtime_does_not_go_on(target: Make) -> None:
    """It begins with the term that the other one has as well."""
    out = target()
    first, copy = out.sink(term=2), out.sink(term=2)
    first.open()
    first.write(batch([(1, "a", FIRST, 1)]), 0, FIRST + 1)
    with pytest.raises(SinkFenced):
        copy.open()
    first.write(batch([(2, "b", FIRST + 1, 1)]), FIRST + 1, FIRST + 2)
    assert out.rows() == {(1, "a"): 1, (2, "b"): 1}


def test_two_sinks_that_begin_in_one_new_namespace(target: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both find that it is not there, and one makes it first."""
    out, other = target(), target()
    other.options = replace(other.options, table="other")
    sink, exists = out.sink(), SqlCatalog.namespace_exists

    def namespace_exists(catalog: SqlCatalog, namespace: Any) -> bool:
        found = exists(catalog, namespace)
        monkeypatch.setattr(SqlCatalog, "namespace_exists", exists)
        other.sink().open()
        return found

    monkeypatch.setattr(SqlCatalog, "namespace_exists", namespace_exists)
    assert sink.open() == 0
    sink.write(batch([(1, "a", FIRST, 1)]), 0, FIRST + 1)
    assert out.rows() == {(1, "a"): 1}


K = types.NestedField(1, "k", types.LongType(), required=True)
V = types.NestedField(2, "v", types.StringType())


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ((K,), 'it has no column "v"'),
        ((types.NestedField(1, "k", types.IntegerType()), V), 'column "k" is int, and the sink writes long'),
        ((K, V, types.NestedField(3, "n", types.LongType(), required=True)), 'column "n" is not of the sink'),
    ],
)
def test_tables_that_do_not_take_it(target: Make, fields: Any, why: str) -> None:
    out = target()
    with opened(out.values) as catalog:
        catalog.create_namespace("n")
        catalog.create_table(("n", "out"), IcebergSchema(*fields))
    with pytest.raises(SinkStalled) as raised:
        out.sink().open()
    assert why in raised.value.message


def test_a_table_that_is_there(target: Make) -> None:
    out = target()
    note = types.NestedField(3, "note", types.StringType())
    with opened(out.values) as catalog:
        catalog.create_namespace("n")
        table = catalog.create_table(("n", "out"), IcebergSchema(note, V, K))
    table.append(pa.table({"note": ["old"], "v": ["v"], "k": [1]}, schema=table.schema().as_arrow()))
    sink = out.sink()
    with pytest.raises(SinkStalled, match="has rows that are not of the sink"):
        sink.open()
    table.delete()
    assert sink.open() == 0
    sink.write(batch([(1, "a", FIRST, 1), (2, "b", FIRST, 1)]), 0, FIRST + 1)
    out.table.update_schema().add_column("more", types.IntegerType()).commit()
    sink.write(batch([(2, "b", FIRST + 1, -1)]), FIRST + 1, FIRST + 2)
    assert out.rows() == {(None, "a", 1, None): 1}


def test_small_files_do_not_pile_up(target: Make) -> None:
    out = target()
    sink = out.sink()
    sink.open()
    for i in range(40):
        sink.write(batch([(i, "a", FIRST + i, 1)]), sink.upper, FIRST + i + 1)
    assert len(list(out.table.scan().plan_files())) < 20
    assert sum(out.rows().values()) == 40
    snapshot = out.table.current_snapshot()
    assert snapshot is not None
    assert len(snapshot.manifests(out.table.io)) < 40


def test_a_key_of_several_columns(target: Make) -> None:
    schema = Schema((Column("a", TEXT), Column("b", DATE), Column("c", INT2), Column("n", INT4)))
    out = target(schema=schema, key=(0, 1, 2))
    random, sink = Random(3), out.sink()
    sink.open()
    rows: dict[tuple[str, int, int], int] = {}
    for time in range(FIRST, FIRST + 12):
        changes: list[tuple[str, int, int, int, int]] = []
        for _ in range(20):
            key = (random.choice("xyz"), random.randrange(3), random.randrange(4))
            if key in rows:
                changes.append((*key, rows.pop(key), -1))
            if random.random() < 0.7:
                rows[key] = random.randrange(100)
                changes.append((*key, rows[key], 1))
        a, b, c, n, diffs = zip(*changes, strict=True)
        arrays = (
            pa.array(a, pa.string()),
            pa.array(b, pa.int32()).cast(pa.date32()),
            pa.array(c, pa.int16()),
            pa.array(n, pa.int32()),
        )
        sink.write(
            Batch(arrays, np.full(len(a), time, np.uint64), np.array(diffs, np.int64)), sink.upper, time + 1
        )
        found = {(a, (b - date(1970, 1, 1)).days, c): n for a, b, c, n in out.rows()}
        assert found == rows
