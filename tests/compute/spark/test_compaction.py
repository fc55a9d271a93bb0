"""A compaction as a job writes what one process would write, at every time that can still be read."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path
from random import Random

import numpy as np
import pytest
from ptvc.clock import ManualClock
from ptvc.compute.plan import levels
from ptvc.compute.spark.application import Application
from ptvc.compute.spark.compaction import compaction_plan
from ptvc.compute.spark.job import Job
from ptvc.compute.spark.superstep import JobResult
from ptvc.persist import compact
from ptvc.persist.blob.file import FileBlob
from ptvc.persist.client import Appended, Merge, PersistClient, Write
from ptvc.persist.consensus.memory import MemoryConsensus
from ptvc.persist.part import PartRef
from ptvc.persist.read import read_part, read_snapshot
from ptvc.persist.write import write_parts
from ptvc.repr.batch import Delta, concat_deltas
from ptvc.repr.hash import hash_columns
from ptvc.repr.schema import ERROR_SCHEMA, Column, Schema
from ptvc.repr.types import FLOAT8, INT4, TEXT

from ..histories import batch_of, schema_of, updates_of
from ..random_views import TABLES, random_row
from ..reference import Update
from .cases import JOB_IDS
from .local_job import run_locally

SEEDS = [*range(25), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(25, 300))]


class Shard:
    """One shard, and the job that merges some of its batches.  Without an application it runs in this process."""

    def __init__(self, directory: Path, schema: Schema, application: Application | None = None) -> None:
        self.application = application
        self.directory = directory
        self.blob = FileBlob(directory / "blobs")
        self.client = PersistClient(MemoryConsensus(), self.blob, ManualClock())
        self.client.create_shard("u1", schema)

    def append(self, rows: list[Update], errors: list[Update], upper: int) -> None:
        state = self.client.state("u1")
        delta = Delta(batch_of(state.schema, rows), batch_of(ERROR_SCHEMA, errors))
        parts = write_parts(self.blob, "u1", state.schema, delta, writer="w", target_bytes=300)
        assert isinstance(self.client.append({"u1": Write(state.upper, upper, parts)}), Appended)

    def job(self, merge: Merge, partitions: int, writer: str = "job-1") -> JobResult:
        upper = max(merge.upper, merge.since + 1)
        job = Job(
            plan=compaction_plan("u1", merge.schema),
            as_of=merge.since,
            schemas={"u1": merge.schema},
            blobs=(self.directory / "blobs").as_uri(),
            directory="",
            writer=writer,
            partitions=partitions,
            rows=sum(part.rows for part in merge.parts),
            output_shard="u1",
            merge_upper=upper,
        )
        imports = [("u1", merge.parts)]
        if self.application is None:
            return run_locally(job, imports)
        return self.application.job_run(job).run(imports, "maintenance", f"job-{next(JOB_IDS)}")

    def contents(self, parts: tuple[PartRef, ...]) -> Delta:
        schema = self.client.state("u1").schema
        return concat_deltas(schema, [read_part(self.blob, part, schema) for part in parts])

    def history(self) -> dict[int, tuple[Counter[object], Counter[object]]]:
        """What is there, at every time that can be read."""
        state = self.client.state("u1")
        return {
            time: read(read_snapshot(self.blob, self.client.snapshot("u1", time)))
            for time in range(state.since, state.upper)
        }


def read(delta: Delta) -> tuple[Counter[object], Counter[object]]:
    """Every update, however often it is there."""
    oks, errs = (Counter(map(repr, updates_of(batch))) for batch in (delta.oks, delta.errs))
    return oks, errs


def random_shard(random: Random, directory: Path) -> Shard:
    """Rows that come, go and come again, some within one batch; errors; batches without data; a column that is added;
    and batches that were merged before, when less could be advanced."""
    schema = random.choice([*TABLES.values(), schema_of(INT4, TEXT), schema_of(INT4)])
    shard = Shard(directory, schema)
    present: list[tuple[object, ...]] = []
    for time in range(0, 3 * random.randrange(4, 12), 3):
        rows: list[Update] = []
        for _ in range(random.choice((0, 3, 12))):
            row = random_row(random, schema)
            present.append(row)
            rows.append((row, time + random.randrange(3), random.choice((1, 1, 2))))
        for _ in range(min(len(present), random.choice((0, 3, 12)))):
            rows.append((present.pop(random.randrange(len(present))), time + random.randrange(3), -1))
        errors: list[Update] = [
            ((random.choice(("22012", "22003")), random.choice("ab")), time, random.choice((1, 1, -1)))
            for _ in range(random.choice((0, 0, 2)))
        ]
        shard.append(rows, errors, time + 3)
        if random.random() < 0.1:
            upper = shard.client.state("u1").upper
            shard.client.set_hold("u1", "h", max(shard.client.state("u1").since, upper - 9), critical=True)
            shard.client.compact("u1", force=True)
        if random.random() < 0.1:
            schema = Schema((*schema.columns, Column(f"c{len(schema)}", random.choice((INT4, TEXT, FLOAT8)))))
            shard.client.evolve_schema("u1", schema)
            present = [(*row, None) for row in present]
    state = shard.client.state("u1")
    shard.client.set_hold(
        "u1", "h", random.randint(state.since, max(state.since, state.upper - 1)), critical=True
    )
    return shard


@pytest.mark.parametrize("seed", SEEDS)
def test_a_job_writes_what_one_process_does(
    tmp_path: Path, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    random = Random(seed)
    monkeypatch.setattr("ptvc.persist.write.INLINE_MAX_BYTES", random.choice((1, 2_000, 64 * 1024)))
    shard = random_shard(random, tmp_path)
    if (merge := shard.client.next_merge("u1", force=True)) is None:
        return
    if random.random() < 0.3 and len(merge.batches) > 3:  # as a run of neighbours in the middle
        merge = replace(merge, batches=merge.batches[1:-1])
    before = shard.history()
    expected = shard.contents(compact.merge(shard.blob, merge, "other"))
    result = shard.job(merge, random.choice((1, 2, 3, 5)))
    parts = tuple(result.parts)
    found = shard.contents(parts)
    assert read(found) == read(expected)
    assert max(Counter(map(repr, updates_of(found.oks))).values(), default=1) == 1, "it is consolidated"
    assert result.state == {}
    assert result.rows_read == sum(len(shard.contents((part,)).oks) for part in merge.parts)
    if merge.since >= max(part.max_time for part in merge.parts):
        assert sorted(map(repr, updates_of(found.oks))) == sorted(map(repr, updates_of(expected.oks)))
    for part in parts:
        one = shard.contents((part,))
        assert (part.rows, part.errors) == (len(one.oks), len(one.errs))
        assert (part.stats is None) == (part.blob is None)
    assert shard.client.replace(merge, parts)
    assert shard.history() == before
    live = shard.client.snapshot("u1", shard.client.state("u1").upper - 1).parts
    shard.client.collect_garbage(grace_ms=0, writer_is_dead=lambda _: True)
    assert set(shard.blob.keys()) == {part.blob for part in live if part.blob is not None}
    assert shard.history() == before


def test_rows_are_added_up_before_they_are_sent(tmp_path: Path) -> None:
    """A row that is in many batches travels once per task."""
    shard = Shard(tmp_path, schema_of(INT4, INT4))
    for time in range(20):
        shard.append([((i, i), time, 1) for i in range(200)], [], time + 1)
    shard.client.set_hold("u1", "h", 19, critical=True)
    merge = shard.client.next_merge("u1")
    assert merge is not None
    result = shard.job(merge, 2)
    assert result.rows_read == 4_000
    assert sum(report.rows_in for report in result.reports) == 2 * 200
    assert sum(part.rows for part in result.parts) == 200
    assert all(part.min_time == part.max_time == 19 for part in result.parts)


def test_parts_are_ranges_of_hashes_and_few(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each blob has its statistics; what is inline is written together."""
    shard = Shard(tmp_path, schema_of(INT4, TEXT))
    for time in range(8):
        shard.append([((i, f"row {i}"), time, 1) for i in range(time * 50, time * 50 + 50)], [], time + 1)
    shard.client.set_hold("u1", "h", 7, critical=True)
    merge = shard.client.next_merge("u1")
    assert merge is not None
    inline = tuple(shard.job(merge, 4).parts)
    assert len(inline) == 4
    assert all(part.inline is not None for part in inline)
    (one,) = compact.joined(shard.blob, merge, inline, "w")
    assert one.rows == 400
    (alone,) = compact.merge(shard.blob, merge, "w")
    # The rows of a job are in the order of their hashes, those of one process in that in which they were written.
    bytes_apart = replace(alone, settled=merge.upper, inline=one.inline, checksum=one.checksum)
    assert one == bytes_apart, "no row is in two parts"
    assert sorted(updates_of(shard.contents((one,)).oks)) == updates_of(shard.contents((alone,)).oks)
    monkeypatch.setattr("ptvc.persist.write.INLINE_MAX_BYTES", 1)
    parts = tuple(shard.job(merge, 4, "job-2").parts)
    settled = tuple(replace(part, settled=merge.upper) for part in parts)
    assert compact.joined(shard.blob, merge, parts, "w") == settled
    assert [part.stats is not None for part in parts] == [True] * 4
    bounds = []
    for part in parts:
        oks = shard.contents((part,)).oks
        hashes = hash_columns(oks.columns, len(oks))
        assert (np.diff(hashes.astype(object)) > 0).all()
        bounds += [int(hashes[0]), int(hashes[-1])]
    assert bounds == sorted(bounds)


def test_a_collection_without_columns_and_one_of_errors_only(tmp_path: Path) -> None:
    shard = Shard(tmp_path / "columnless", Schema(()))
    for time in range(8):
        shard.append([((), time, 2 if time else 5)], [], time + 1)
    shard.client.set_hold("u1", "h", 7, critical=True)
    merge = shard.client.next_merge("u1")
    assert merge is not None
    assert updates_of(shard.contents(tuple(shard.job(merge, 3).parts)).oks) == [((), 7, 19)]
    shard = Shard(tmp_path / "errors", schema_of(INT4))
    for time in range(8):
        shard.append([], [(("22012", f"error {i}"), time, 1 + i) for i in range(time, 8)], time + 1)
    shard.client.set_hold("u1", "h", 5, critical=True)
    merge = shard.client.next_merge("u1")
    assert merge is not None
    parts = tuple(shard.job(merge, 3).parts)
    assert read(shard.contents(parts)) == read(shard.contents(compact.merge(shard.blob, merge, "w")))
    assert len([part for part in parts if part.errors]) > 1, "errors are divided among tasks too"


def test_what_cancels_leaves_nothing(tmp_path: Path) -> None:
    shard = Shard(tmp_path, schema_of(INT4))
    for time in range(8):
        shard.append([((i,), time, 1 - 2 * (time % 2)) for i in range(30)], [], time + 1)
    shard.client.set_hold("u1", "h", 7, critical=True)
    merge = shard.client.next_merge("u1")
    assert merge is not None
    result = shard.job(merge, 2)
    assert result.parts == []
    assert shard.client.replace(merge, ())
    assert shard.client.snapshot("u1", 7).parts == ()


def test_on_spark(application: Application, tmp_path: Path) -> None:
    """Levels and reports for real; and twice, as when the coordinator has not heard of the first."""
    assert len(levels(compaction_plan("u1", schema_of(INT4)))) == 2
    random = Random(11)
    for index in range(3):
        shard = random_shard(random, tmp_path / str(index))
        shard.application = application
        merge = shard.client.next_merge("u1", force=True)
        assert merge is not None
        before = shard.history()
        expected = read(shard.contents(compact.merge(shard.blob, merge, "other")))
        first, second = (tuple(shard.job(merge, 3, f"job-{n}").parts) for n in (1, 2))
        assert read(shard.contents(first)) == read(shard.contents(second)) == expected
        assert shard.client.replace(merge, second)
        again = shard.client.replace(merge, first)
        assert not again or first == second
        assert shard.history() == before
