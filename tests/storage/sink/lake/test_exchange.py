"""Sinks into lakes whose input is exchanged for something of other columns: what the tables hold, whoever is killed, and what is refused."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from deltalake import DeltaTable, Field
from ptvc.errors import PtvcError
from ptvc.repr.batch import Batch, concat_batches
from ptvc.repr.schema import Column, Schema
from ptvc.repr.types import FLOAT4, FLOAT8, INT2, INT4, INT8, TEXT, TIMESTAMP, UUID, Kind, ScalarType, list_of
from ptvc.storage.lake import catalogs
from ptvc.storage.lake.partitions import PartitionField
from ptvc.storage.sink.change_records import SinkEnvelope
from ptvc.storage.sink.contract import SinkFenced, SinkStalled
from ptvc.storage.sink.lake.exchange import Exchange, check_exchange, kept_columns
from pyiceberg.types import StringType

from ..delta import support as delta
from ..iceberg import support as iceberg

FIRST = iceberg.FIRST
Target = iceberg.Target | delta.Target
Make = Callable[..., Target]
Row = dict[str, Any]


def money(precision: int, scale: int = 2) -> ScalarType:
    return ScalarType(Kind.NUMERIC, precision=precision, scale=scale)


@pytest.fixture(params=["iceberg", "delta"])
def target(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Make]:
    made: list[Target] = []

    def make(**options: Any) -> Target:
        if request.param == "iceberg":
            made.append(iceberg.Target(iceberg.catalog_values(tmp_path), **options))
        else:
            made.append(delta.Target(delta.place(tmp_path), **options))
        return made[-1]

    yield make
    for one in made:
        one.close()


def batch(schema: Schema, rows: list[Row], time: int, diff: int = 1) -> Batch:
    columns = tuple(pa.array([row[c.name] for row in rows], c.type.arrow) for c in schema)
    return Batch(columns, np.full(len(rows), time, np.uint64), np.full(len(rows), diff, np.int64))


def exchanged(out: Target, new: Schema) -> Exchange:
    """The target's next sinks read what has the new columns."""
    key = [out.schema[index].name for index in out.key]
    out.former, out.schema = out.schema, new
    out.key = tuple(map(new.names.index, key))
    return Exchange.between(out.former, new)


def switch(exchange: Exchange, old: list[Row], new: list[Row], time: int) -> Batch:
    """The change of the one for the other."""
    gone = exchange.of_former(batch(exchange.former, old, time, -1))
    return concat_batches(exchange.schema, [gone, exchange.of_new(batch(exchange.new, new, time))])


def found(out: Target) -> list[Row]:
    return sorted(out.read().to_pylist(), key=lambda row: str(row["k"]))


OLD = Schema(
    (Column("k", INT4, nullable=False), Column("f", FLOAT4), Column("gone", TEXT), Column("n", money(10)))
)
NEW = Schema(
    (
        Column("more", list_of(INT4)),
        Column("n", money(14)),
        Column("k", INT8, nullable=False),
        Column("f", FLOAT8),
        Column("at", TIMESTAMP),
    )
)
OLD_ROWS: list[Row] = [
    {"k": 1, "f": 0.5, "gone": "a", "n": Decimal("1.25")},
    {"k": 2, "f": None, "gone": None, "n": None},
    {"k": 3, "f": 1.5, "gone": "c", "n": Decimal("3.00")},
]
NEW_ROWS: list[Row] = [
    {"more": [1, None], "n": Decimal("1.25"), "k": 1, "f": 0.1, "at": None},
    {"more": None, "n": None, "k": 2, "f": None, "at": None},  # the same as it was
    {"more": [], "n": Decimal("999999999999.99"), "k": 1 << 40, "f": None, "at": None},
]


@pytest.mark.parametrize("partitioned", [False, True])
def test_a_table_gets_the_columns_of_what_it_follows_now(target: Make, partitioned: bool) -> None:
    """It keeps those that go, as NULL, and has the types that hold both."""
    by = (PartitionField("gone2"),) if partitioned else ()
    old = Schema((*OLD, Column("gone2", TEXT))) if partitioned else OLD
    new = Schema((*NEW, Column("gone2", TEXT))) if partitioned else NEW
    old_rows = [{**row, "gone2": "p"} for row in OLD_ROWS] if partitioned else OLD_ROWS
    new_rows = [{**row, "gone2": "p"} for row in NEW_ROWS] if partitioned else NEW_ROWS
    out = target(schema=old, partition_by=by)
    sink = out.sink()
    sink.open()
    sink.write(batch(old, old_rows, FIRST), 0, FIRST + 1)
    exchange = exchanged(out, new)
    sink = out.sink(generation=1)
    assert sink.open() == FIRST + 1
    assert sink.written_generation == 0
    sink.write(switch(exchange, old_rows, new_rows, FIRST + 1), FIRST + 1, FIRST + 2, FIRST + 1)
    assert (sink.written_generation, sink.durable_upper) == (1, FIRST + 2)
    wanted = sorted(({**row, "gone": None} for row in new_rows), key=lambda row: str(row["k"]))
    assert found(out) == wanted
    assert out.read().schema.names == [*old.names, "more", "at"]
    sink.write(batch(new, new_rows[:1], FIRST + 2, -1), FIRST + 2, FIRST + 3)
    assert found(out) == [row for row in wanted if row["k"] != 1]
    sink.close()
    out.former = None
    again = out.sink(generation=1)
    assert again.open() == FIRST + 3
    again.write(batch(new, new_rows[:1], FIRST + 3), FIRST + 3, FIRST + 4)
    assert found(out) == wanted


def test_back_to_what_it_was(target: Make) -> None:
    """A type that has become wider stays, and what was kept is written again."""
    out = target(schema=OLD)
    sink = out.sink()
    sink.open()
    sink.write(batch(OLD, OLD_ROWS, FIRST), 0, FIRST + 1)
    exchange = exchanged(out, NEW)
    sink = out.sink(generation=1)
    sink.open()
    sink.write(switch(exchange, OLD_ROWS, NEW_ROWS, FIRST + 1), FIRST + 1, FIRST + 2, FIRST + 1)
    exchange = exchanged(out, OLD)
    sink = out.sink(generation=2)
    sink.open()
    sink.write(switch(exchange, NEW_ROWS, OLD_ROWS, FIRST + 2), FIRST + 2, FIRST + 3, FIRST + 2)
    assert found(out) == [{**row, "more": None, "at": None} for row in OLD_ROWS]
    out.former = None
    again = out.sink(generation=2)
    assert again.open() == FIRST + 3
    again.write(batch(OLD, OLD_ROWS[:1], FIRST + 3, -1), FIRST + 3, FIRST + 4)
    assert found(out) == [{**row, "more": None, "at": None} for row in OLD_ROWS[1:]]


@pytest.mark.parametrize("shown", [0, 1])
def test_two_exchanges_of_which_the_table_may_show_the_first(target: Make, shown: int) -> None:
    """The table says which of the two it shows, and is in the columns of that and of what comes."""
    third = Schema((*OLD.columns, Column("other", INT4)))
    third_rows = [{**row, "other": 3} for row in OLD_ROWS]
    out = target(schema=OLD)
    sink = out.sink()
    sink.open()
    sink.write(batch(OLD, OLD_ROWS, FIRST), 0, FIRST + 1)
    out.older[0] = OLD
    exchange = exchanged(out, NEW)
    rows, columns = OLD_ROWS, OLD
    if shown:
        sink = out.sink(generation=1)
        sink.open()
        sink.write(switch(exchange, OLD_ROWS, NEW_ROWS, FIRST + 1), FIRST + 1, FIRST + 2, FIRST + 1)
        rows, columns = NEW_ROWS, NEW
    exchanged(out, third)
    sink = out.sink(generation=2)
    upper = sink.open()
    assert (sink.written_generation, upper) == (shown, FIRST + 1 + shown)
    sink.write(switch(Exchange.between(columns, third), rows, third_rows, upper), upper, upper + 1, upper)
    gone = {name: None for name in NEW.names if name not in third.names} if shown else {}
    assert found(out) == sorted(({**row, **gone} for row in third_rows), key=lambda row: str(row["k"]))


def test_an_exchange_before_the_sink_has_begun(target: Make) -> None:
    """Its table is made with the columns of both."""
    out = target(schema=OLD)
    exchange = exchanged(out, NEW)
    sink = out.sink(generation=1)
    assert sink.open() == 0
    begun = exchange.of_former(batch(OLD, OLD_ROWS, FIRST))
    change = switch(exchange, OLD_ROWS, NEW_ROWS, FIRST + 1)
    sink.write(concat_batches(exchange.schema, [begun, change]), 0, FIRST + 2, FIRST + 1)
    wanted = sorted(({**row, "gone": None} for row in NEW_ROWS), key=lambda row: str(row["k"]))
    assert found(out) == wanted


def test_a_log_has_the_change_from_the_one_to_the_other(target: Make) -> None:
    """What was before has NULL in new columns, and all is read by one sum."""
    old, new = (
        OLD.project((0, 2)),
        Schema((Column("k", INT4, nullable=False), Column("at", TIMESTAMP), Column("b", INT4))),
    )
    out = target(schema=old, envelope=SinkEnvelope.NONE)
    sink = out.sink()
    sink.open()
    old_rows: list[Row] = [{"k": 1, "gone": "a"}, {"k": 2, "gone": None}]
    sink.write(batch(old, old_rows, FIRST), 0, FIRST + 1)
    paths = {path for path, _ in _files(out)}
    exchange = exchanged(out, new)
    sink = out.sink(generation=1)
    sink.open()
    new_rows: list[Row] = [{"k": 1, "at": None, "b": 5}, {"k": 2, "at": None, "b": None}]
    sink.write(switch(exchange, old_rows, new_rows, FIRST + 1), FIRST + 1, FIRST + 2, FIRST + 1)
    log = Counter(
        (row["k"], row["gone"], row["b"], row["_mz_timestamp"], row["_mz_diff"]) for row in found(out)
    )
    assert log == Counter(
        [
            (1, "a", None, FIRST, 1),
            (2, None, None, FIRST, 1),
            (1, "a", None, FIRST + 1, -1),
            (1, None, 5, FIRST + 1, 1),
        ]
    )
    assert paths < {path for path, _ in _files(out)}, "no file was taken away"


def _files(out: Target) -> list[tuple[str, int]]:
    if isinstance(out, iceberg.Target):
        return [(task.file.file_path, task.file.record_count) for task in out.table.scan().plan_files()]
    return [(uri, 0) for uri in out.table().file_uris()]


def test_fields_of_iceberg_keep_their_numbers(tmp_path: Path) -> None:
    out = iceberg.Target(iceberg.catalog_values(tmp_path), schema=OLD)
    sink = out.sink()
    sink.open()
    sink.write(batch(OLD, OLD_ROWS, FIRST), 0, FIRST + 1)
    before = {field.name: field.field_id for field in out.table.schema().fields}
    versions = len(out.table.metadata.metadata_log)
    exchange = exchanged(out, NEW)
    sink = out.sink(generation=1)
    sink.open()
    sink.write(switch(exchange, OLD_ROWS, NEW_ROWS, FIRST + 1), FIRST + 1, FIRST + 2, FIRST + 1)
    after = {field.name: field.field_id for field in out.table.schema().fields}
    assert before.items() < after.items()
    assert out.table.schema().identifier_field_ids == [before["k"]]
    assert len(out.table.metadata.metadata_log) == versions + 2, (
        "who opens it commits, and then columns and rows are one"
    )
    out.close()


class Killed(BaseException):
    """The process is gone."""


@pytest.mark.parametrize("mode", [SinkEnvelope.UPSERT, SinkEnvelope.NONE])
@pytest.mark.parametrize("step", range(8))
def test_the_exchange_is_there_once_wherever_it_is_killed(
    target: Make, monkeypatch: pytest.MonkeyPatch, mode: SinkEnvelope, step: int
) -> None:
    old, new = (
        OLD.project((0, 2)),
        Schema((Column("k", INT4, nullable=False), Column("at", TIMESTAMP), Column("b", INT4))),
    )
    out = target(schema=old, envelope=mode)
    sink = out.sink()
    sink.open()
    old_rows: list[Row] = [{"k": k, "gone": str(k)} for k in range(5)]
    new_rows: list[Row] = [{"k": k, "at": None, "b": k} for k in range(3)]
    sink.write(batch(old, old_rows, FIRST), 0, FIRST + 1)
    exchange = exchanged(out, new)
    change = switch(exchange, old_rows, new_rows, FIRST + 1)
    left = [step]

    def passed() -> None:
        left[0] -= 1
        if left[0] == -1:
            raise Killed

    def fatal(call: Callable[..., Any]) -> Callable[..., Any]:
        def called(*arguments: Any, **named: Any) -> Any:
            passed()
            answer = call(*arguments, **named)
            passed()
            return answer

        return called

    with monkeypatch.context() as patch:
        patch.setattr(catalogs._Guarded, "commit_table", fatal(catalogs._Guarded.commit_table))
        patch.setattr(DeltaTable, "create_write_transaction", fatal(DeltaTable.create_write_transaction))
        alter = type(DeltaTable.__new__(DeltaTable).alter)
        patch.setattr(alter, "add_columns", fatal(alter.add_columns))
        patch.setattr(alter, "add_feature", fatal(alter.add_feature))
        for _ in range(2):
            sink = out.sink(generation=1)
            try:
                sink.open()
                if sink.written_generation == 0:
                    sink.write(change, FIRST + 1, FIRST + 2, FIRST + 1)
                break
            except Killed:
                sink.close()
    sums: Counter[tuple[Any, ...]] = Counter()
    for row in out.read().to_pylist():
        sums[row["k"], row["gone"], row["b"]] += row.get("_mz_diff", 1)
    assert +sums == Counter((row["k"], None, row["b"]) for row in new_rows)
    assert not -sums


def test_who_is_replaced_does_not_change_the_columns(target: Make) -> None:
    out = target(schema=OLD)
    sink = out.sink()
    sink.open()
    sink.write(batch(OLD, OLD_ROWS, FIRST), 0, FIRST + 1)
    stays = out.former, out.schema, out.key
    exchange = exchanged(out, NEW)
    late = out.sink(generation=1)
    late.open()
    out.former, out.schema, out.key = stays
    later = out.sink()
    later.open()
    with pytest.raises(SinkFenced):
        late.write(switch(exchange, OLD_ROWS, NEW_ROWS, FIRST + 1), FIRST + 1, FIRST + 2, FIRST + 1)
    assert out.read().schema.names == list(OLD.names)


def test_a_column_that_somebody_has_made_otherwise(target: Make) -> None:
    """It does not become what is written: nothing is changed."""
    out = target(schema=OLD)
    sink = out.sink()
    sink.open()
    sink.write(batch(OLD, OLD_ROWS, FIRST), 0, FIRST + 1)
    sink.close()
    if isinstance(out, iceberg.Target):
        out.table.update_schema().add_column("at", StringType()).commit()
    else:
        out.table().alter.add_columns([Field("at", "string")])
    exchanged(out, NEW)
    with pytest.raises(SinkStalled, match='column "at" is string, and the sink writes timestamp'):
        out.sink(generation=1).open()
    assert out.read().schema.names == [*OLD.names, "at"]


def test_a_column_that_somebody_has_dropped(tmp_path: Path) -> None:
    out = iceberg.Target(iceberg.catalog_values(tmp_path), schema=OLD)
    sink = out.sink()
    sink.open()
    sink.write(batch(OLD, OLD_ROWS, FIRST), 0, FIRST + 1)
    out.table.update_schema().delete_column("f").commit()
    with pytest.raises(SinkStalled, match='has no column "f" any more'):
        sink.write(batch(OLD, OLD_ROWS[:1], FIRST + 1, -1), FIRST + 1, FIRST + 2)
    out.close()


SMALL = Schema((Column("k", INT4), Column("v", TEXT), Column("n", INT2)))


def column(name: str, type_: ScalarType) -> Schema:
    """`SMALL` with another one of that name, or with it in addition."""
    others = tuple(one for one in SMALL if one.name != name)
    return Schema((*others, Column(name, type_)))


@pytest.mark.parametrize(
    ("new", "widens", "why"),
    [
        (SMALL.project((1, 2)), True, 'column "k" of its key is not there'),
        (SMALL.project((0, 2)), True, 'column "v" of its partitions is not there'),
        (column("n", TEXT), True, 'column "n" is of type text instead of smallint'),
        (column("n", INT8), False, "no column gets a wider type"),
        (column("N", INT2), True, 'the table has a column "n" beside column "N" then'),
        (column("old", INT4), True, 'column "old" is of type integer instead of text'),
    ],
)
def test_what_is_refused(new: Schema, widens: bool, why: str) -> None:
    kept = Schema((Column("old", TEXT),))
    with pytest.raises(PtvcError, match=why) as raised:
        check_exchange(SMALL, new, kept, ["k"], ["v"], widens)
    assert raised.value.sqlstate == "42P16"
    assert "a target of its own" in (raised.value.hint or "")


def test_a_type_that_the_table_is_partitioned_by_stays() -> None:
    with pytest.raises(PtvcError, match="the table is partitioned by it"):
        check_exchange(SMALL, column("k", INT8), Schema(()), ["k"], ["k"], True)
    check_exchange(SMALL, column("n", INT4), Schema(()), ["k"], ["n"], True)


@pytest.mark.parametrize(
    ("before", "after", "common"),
    [
        (INT2, INT4, INT4),
        (INT8, INT4, INT8),
        (UUID, TEXT, TEXT),
        (money(12), money(10), money(12)),
        (FLOAT4, FLOAT8, FLOAT8),
        (ScalarType(Kind.TIMESTAMP, precision=3), TIMESTAMP, TIMESTAMP),
    ],
)
def test_the_type_of_both(before: ScalarType, after: ScalarType, common: ScalarType) -> None:
    old, new = Schema((Column("a", before),)), Schema((Column("a", after), Column("b", TEXT)))
    check_exchange(old, new, Schema(()), [], [], True)
    assert Exchange.between(old, new).schema[0].type == common


def test_columns_that_are_kept() -> None:
    kept = kept_columns(Schema((Column("x", TEXT),)), SMALL, column("more", INT4).project((0, 3)))
    assert kept.names == ("x", "v", "n")
    assert kept_columns(kept, column("more", INT4).project((0, 3)), SMALL).names == ("x", "more")
