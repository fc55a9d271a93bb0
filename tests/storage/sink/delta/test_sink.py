"""A DELTA sink: what its table holds after each commit, whoever dies or writes beside it."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from deltalake import DeltaTable, write_deltalake
from ptvc.errors import PtvcError
from ptvc.repr.batch import Batch
from ptvc.repr.schema import Column, Schema
from ptvc.repr.types import DATE, TIMESTAMP
from ptvc.storage.lake.partitions import PartitionField
from ptvc.storage.sink.change_records import SinkEnvelope
from ptvc.storage.sink.contract import SinkFenced, SinkStalled, Unwritable
from ptvc.storage.sink.delta.files import DeltaVersion
from ptvc.storage.sink.lake.intervals import LOOK_MS

from ..kafka.support import Change, batch, between, contents, history
from .support import FIRST, Target, place

TIMES = 20


@pytest.mark.parametrize("seed", range(3))
def test_the_table_is_the_contents_after_each_commit(tmp_path: Path, seed: int) -> None:
    """However often it is opened anew."""
    random = Random(seed)
    out = Target(place(tmp_path))
    changes, lower = history(random, FIRST, 40, 40, 15), 0
    sink = out.sink()
    assert sink.open() == 0
    sink.check_follows(FIRST + 1)
    while lower < FIRST + 40:
        upper = min(max(lower, FIRST) + random.randrange(1, 6), FIRST + 40)
        sink.write(between(changes, lower, upper), lower, upper)
        assert out.rows() == contents(changes, upper)
        lower = upper
        if random.random() < 0.3:
            if random.random() < 0.5:
                sink.close()
            sink = out.sink()
            begun = sink.open()
            assert begun <= lower  # where nothing had changed nothing was written
            lower = begun


@pytest.mark.parametrize("compacted", [False, True])
def test_a_table_in_partitions(tmp_path: Path, compacted: bool) -> None:
    """Whose names have what paths and URIs have a meaning for."""
    out = Target(place(tmp_path), partition_by=(PartitionField("v"),))
    sink = out.sink()
    sink.open()
    texts = ["a b", "a%20b", "ä/ö?&=#", "x", None, "x"]
    sink.write(batch([(k, v, FIRST, 1) for k, v in enumerate(texts)]), 0, FIRST + 1)
    if compacted:  # then folders are called like the values
        out.table().optimize.z_order(["k"])
    change = [(0, "a b", FIRST + 1, -1), (0, "x", FIRST + 1, 1), (4, None, FIRST + 1, -1)]
    sink.write(batch([*change, (2, "ä/ö?&=#", FIRST + 1, -1), (2, "y", FIRST + 1, 1)]), FIRST + 1, FIRST + 2)
    found = out.table().to_pyarrow_table().to_pylist()
    wanted = {0: "x", 1: "a%20b", 2: "y", 3: "x", 5: "x"}
    assert {row["k"]: row["v"] for row in found} == wanted
    assert len(found) == len(wanted)
    sink.close()
    sink = out.sink()
    sink.open()
    with pytest.raises(Unwritable, match="empty text"):
        sink.write(batch([(9, "", FIRST + 2, 1)]), FIRST + 2, FIRST + 3)


def test_a_log_of_changes(tmp_path: Path) -> None:
    out = Target(place(tmp_path), envelope=SinkEnvelope.NONE)
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


def test_who_was_replaced_writes_nothing(tmp_path: Path) -> None:
    out = Target(place(tmp_path))
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


def test_who_is_replaced_while_it_commits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its files are written, and it has looked whose the table is."""
    out = Target(place(tmp_path))
    old, new = out.sink(term=1), out.sink(term=2)
    old.open()
    old.write(batch([(1, "a", FIRST, 1)]), 0, FIRST + 1)
    commit = DeltaTable.create_write_transaction

    def create_write_transaction(table: Any, *arguments: Any, **named: Any) -> None:
        monkeypatch.setattr(DeltaTable, "create_write_transaction", commit)
        assert new.open() == FIRST + 1
        commit(table, *arguments, **named)

    monkeypatch.setattr(DeltaTable, "create_write_transaction", create_write_transaction)
    with pytest.raises(SinkFenced):
        old.write(batch([(2, "b", FIRST + 1, 1)]), FIRST + 1, FIRST + 2)
    new.write(batch([(2, "c", FIRST + 1, 1)]), FIRST + 1, FIRST + 2)
    assert out.rows() == {(1, "a"): 1, (2, "c"): 1}


def test_a_copy_of_the_runtime_does_not_go_on(tmp_path: Path) -> None:
    """It begins with the term that the other one has as well."""
    out = Target(place(tmp_path))
    first, copy = out.sink(term=2), out.sink(term=2)
    first.open()
    first.write(batch([(1, "a", FIRST, 1)]), 0, FIRST + 1)
    with pytest.raises(SinkFenced):
        copy.open()
    first.write(batch([(2, "b", FIRST + 1, 1)]), FIRST + 1, FIRST + 2)
    assert out.rows() == {(1, "a"): 1, (2, "b"): 1}


def test_who_has_nothing_to_write_finds_that_it_was_replaced(tmp_path: Path) -> None:
    out = Target(place(tmp_path))
    old, new = out.sink(term=1), out.sink(term=2)
    old.open()
    old.write(batch([(1, "a", FIRST, 1)]), 0, FIRST + 1)
    new.open()
    old.write(batch([]), FIRST + 1, FIRST + 100)
    with pytest.raises(SinkFenced):
        old.write(batch([]), FIRST + 100, FIRST + 1 + LOOK_MS)


FAR = Schema((Column("k", DATE, nullable=False), Column("at", TIMESTAMP)))
DAYS = [-1_000_000, -719_163, 0, 2_932_897, 40_000_000]
"""Before the year 1, within Python's years, and after 9999."""


def far_rows(day_numbers: list[int], time: int, diff: int = 1) -> Batch:
    days = pa.array(day_numbers, pa.int32()).cast(pa.date32())
    times = pa.array([day * 86_400_000_000 for day in day_numbers], pa.int64()).cast(pa.timestamp("us"))
    count = len(day_numbers)
    return Batch((days, times), np.full(count, time, np.uint64), np.full(count, diff, np.int64))


def test_years_that_python_does_not_have(tmp_path: Path) -> None:
    """As keys and values; of partitions they are refused, and what comes behind is written then."""
    out = Target(place(tmp_path), schema=FAR)
    sink = out.sink()
    sink.open()
    sink.write(far_rows(DAYS, FIRST), 0, FIRST + 1)
    sink.write(far_rows(DAYS[:2], FIRST + 1, -1), FIRST + 1, FIRST + 2)
    found = pa.concat_tables(pq.read_table(uri.removeprefix("file://")) for uri in out.table().file_uris())
    assert sorted(found["k"].cast(pa.int32()).to_pylist()) == DAYS[2:]
    assert sorted(found["at"].cast(pa.int64()).to_pylist()) == [day * 86_400_000_000 for day in DAYS[2:]]
    parted = Target(str(tmp_path / "parted"), schema=FAR, partition_by=(PartitionField("k"),))
    sink = parted.sink()
    sink.open()
    with pytest.raises(Unwritable, match="before the year 1 or after 9999"):
        sink.write(far_rows(DAYS, FIRST), 0, FIRST + 1)
    sink.write(far_rows([0, 1], FIRST), 0, FIRST + 1)
    assert len(parted.table().file_uris()) == 2


class Killed(BaseException):
    """The process is gone."""


class Steps:
    """What a sink does outside, counted; the step `fatal` is its last one."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.left: int | None = None
        write, commit = DeltaVersion.written, DeltaTable.create_write_transaction

        def written(version: Any, rows: pa.Table) -> Any:
            self._step()
            yield from write(version, rows)
            self._step()

        def create_write_transaction(table: Any, *arguments: Any, **named: Any) -> None:
            self._step()
            commit(table, *arguments, **named)
            self._step()

        monkeypatch.setattr(DeltaVersion, "written", written)
        monkeypatch.setattr(DeltaTable, "create_write_transaction", create_write_transaction)

    def _step(self) -> None:
        if self.left is not None:
            self.left -= 1
            if self.left < 0:
                self.left = None
                raise Killed


def check_versions(out: Target, changes: list[Change]) -> None:
    """Each version has the contents at its progress, or at that of the last one of the sink before it."""
    upper = 0
    for entry in reversed(out.table().history()):
        frontier = int(entry.get("ptvc.frontier", upper))
        assert frontier >= upper
        upper = frontier
        assert out.rows(entry["version"]) == contents(changes, upper)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(14))
def test_nothing_is_lost_or_twice_wherever_it_is_killed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    """With somebody who compacts the files in between, and checkpoints that forget the log."""
    out, random = Target(place(tmp_path)), Random(seed)
    changes = history(random, FIRST, TIMES, 30, 10)
    steps, upper, term = Steps(monkeypatch), 0, 0
    while upper < FIRST + TIMES:
        steps.left = random.randrange(10)
        sink = out.sink(term=term)
        term += 1
        try:
            upper = sink.open()
            while upper < FIRST + TIMES:
                end = min(max(upper, FIRST) + random.randrange(1, 5), FIRST + TIMES)
                sink.write(between(changes, upper, end), upper, end)
                upper = end
        except Killed:
            upper = 0
        steps.left = None
        if random.random() < 0.3 and DeltaTable.is_deltatable(out.options.uri):
            out.table().optimize.compact()
            out.table().create_checkpoint()
    assert out.rows() == contents(changes, FIRST + TIMES)
    check_versions(out, changes)


@pytest.mark.parametrize("seed", range(3))
def test_somebody_compacts_while_it_commits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    """What the sink has planned is of files that are gone then."""
    out, random = Target(place(tmp_path)), Random(seed)
    changes, sink, lower = history(random, FIRST, TIMES, 30, 10), out.sink(), 0
    sink.open()
    commit = DeltaTable.create_write_transaction

    def create_write_transaction(table: Any, *arguments: Any, **named: Any) -> None:
        if random.random() < 0.5:
            out.table().optimize.z_order(["k"])
        commit(table, *arguments, **named)

    monkeypatch.setattr(DeltaTable, "create_write_transaction", create_write_transaction)
    while lower < FIRST + TIMES:
        upper = min(max(lower, FIRST) + random.randrange(1, 5), FIRST + TIMES)
        sink.write(between(changes, lower, upper), lower, upper)
        lower = upper
    assert out.rows() == contents(changes, FIRST + TIMES)
    check_versions(out, changes)


@pytest.mark.parametrize("seed", range(2))
def test_answers_that_get_lost(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    out, random = Target(place(tmp_path)), Random(seed)
    changes, sink, lower = history(random, FIRST, TIMES, 30, 10), out.sink(), 0
    sink.open()
    commit = DeltaTable.create_write_transaction
    commits = [0]

    def create_write_transaction(table: Any, *arguments: Any, **named: Any) -> None:
        commit(table, *arguments, **named)
        commits[0] += 1
        if random.random() < 0.4:
            raise OSError("the answer got lost")

    monkeypatch.setattr(DeltaTable, "create_write_transaction", create_write_transaction)
    while lower < FIRST + TIMES:
        upper = min(max(lower, FIRST) + random.randrange(1, 5), FIRST + TIMES)
        try:
            sink.write(between(changes, lower, upper), lower, upper)
        except SinkStalled:
            before = commits[0]
            sink.write(between(changes, lower, upper), lower, upper)
            assert commits[0] == before, "it was there"
        lower = upper
    assert out.rows() == contents(changes, FIRST + TIMES)


def test_rows_that_somebody_else_changed_stall_it(tmp_path: Path) -> None:
    out = Target(place(tmp_path))
    sink = out.sink()
    sink.open()
    sink.write(batch([(1, "a", FIRST, 1), (3, "c", FIRST, 1)]), 0, FIRST + 1)
    out.table().delete("k = 1")
    with pytest.raises(SinkStalled, match="rows that the sink is to change"):
        sink.write(batch([(1, "a", FIRST + 1, -1)]), FIRST + 1, FIRST + 2)
    write_deltalake(out.options.uri, pa.table({"k": [2], "v": ["mine"]}), mode="append")
    with pytest.raises(SinkStalled, match="rows that the sink is to insert"):
        sink.write(batch([(2, "b", FIRST + 1, 1)]), FIRST + 1, FIRST + 2)
    assert sink.durable_upper == FIRST + 1


def test_a_table_that_was_restored(tmp_path: Path) -> None:
    """Delta Lake does not take back what it keeps for applications."""
    out = Target(place(tmp_path), envelope=SinkEnvelope.NONE)
    sink = out.sink()
    sink.open()
    sink.write(batch([(1, "a", FIRST, 1)]), 0, FIRST + 1)
    sink.write(batch([(2, "b", FIRST + 1, 1)]), FIRST + 1, FIRST + 2)
    out.table().restore(out.table().version() - 1)
    with pytest.raises(SinkStalled, match="was rolled back"):
        sink.write(batch([(3, "c", FIRST + 2, 1)]), FIRST + 2, FIRST + 3)
    with pytest.raises(SinkStalled, match="was rolled back"):
        out.sink().open()


@pytest.mark.parametrize(
    ("fields", "configuration", "why"),
    [
        ([("k", pa.int64())], {}, 'it has no column "v"'),
        ([("k", pa.int32()), ("v", pa.string())], {}, 'column "k" is int32, and the sink writes int64'),
        ([("k", pa.int64()), ("v", pa.string())], {"delta.appendOnly": "true"}, "rows may only be added"),
        (
            [("k", pa.int64()), ("v", pa.string())],
            {"delta.enableChangeDataFeed": "true"},
            "it asks its writers for",
        ),
    ],
)
def test_tables_that_do_not_take_it(
    tmp_path: Path, fields: Any, configuration: dict[str, str], why: str
) -> None:
    out = Target(place(tmp_path))
    Path(out.options.uri).mkdir(parents=True)
    DeltaTable.create(out.options.uri, pa.schema(fields), configuration=configuration)
    with pytest.raises(SinkStalled) as raised:
        out.sink().open()
    assert why in raised.value.message


def test_a_table_that_has_rows(tmp_path: Path) -> None:
    out = Target(place(tmp_path))
    Path(out.options.uri).mkdir(parents=True)
    write_deltalake(out.options.uri, pa.table({"k": [1], "v": ["old"], "note": ["x"]}))
    sink = out.sink()
    with pytest.raises(SinkStalled, match="has rows that are not of the sink"):
        sink.open()
    out.table().delete()
    assert sink.open() == 0
    sink.write(batch([(1, "a", FIRST, 1)]), 0, FIRST + 1)
    assert out.rows() == {(1, "a", None): 1}


def test_a_place_that_cannot_be_written_to(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no directory")
    with pytest.raises(PtvcError, match="cannot write to table"):
        Target(str(tmp_path / "file" / "out")).sink().open()
