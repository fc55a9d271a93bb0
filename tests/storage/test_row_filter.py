"""WHERE in an ingestion against the same ingestion without, judged afterwards: what is kept is the same, whatever is interrupted."""

from __future__ import annotations

import json
from collections import Counter as Multiset
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from ptvc.clock import ManualClock
from ptvc.expr.tree.scalar import columns_of
from ptvc.repr.schema import Column, Schema
from ptvc.repr.types import INT4, INT8, TEXT
from ptvc.sql.plans.definition_plans import CreateSource
from ptvc.storage.changes import Changes
from ptvc.storage.connectors import AskedOutput, CounterOptions, open_ingestion
from ptvc.storage.dead_letters import DEAD_LETTERS, LINE_LETTERS
from ptvc.storage.envelope import EnvelopeKind
from ptvc.storage.projection import Projection
from ptvc.storage.row_filter import RowFilter, kept_changes
from ptvc.storage.source.file_options import FileOptions
from ptvc.storage.upsert.scratch import Scratch
from sql.fake_catalog import planned

from .ingesting import SCHEMA, Output, collect, text_of

CONDITIONS = (
    "v = 1",
    "v > 0 AND b <> 'y'",
    "6 / v > 2",
    "v IS NULL OR w = 'w2'",
    "10 / (v - 1) > 0 OR a = 2",
    "b IN ('x', 'z') AND 1 / (a - 3) < 5",
    "false",
    "NULL",
    "true",
)


def where(condition: str, columns: str = "a int, b text, v int, w text") -> RowFilter:
    sql = f"CREATE SOURCE s ({columns}) FROM FILE '/in' FORMAT JSON WHERE ({condition})"
    create = planned(sql)
    assert isinstance(create, CreateSource)
    assert create.where is not None
    return create.where


WITHOUT_V = Projection(SCHEMA, (0, 1, 3))
"""Conditions name the column that is not kept."""


def judged(
    condition: RowFilter, output: Output, projection: Projection | None = None
) -> tuple[Multiset[Any], Multiset[Any]]:
    """What a view with the condition has over the output: rows and errors."""
    kept = kept_changes(condition, Changes(output.rows.columns, output.rows.diffs))
    oks = kept.oks if projection is None else projection.of_changes(kept.oks)
    return collect(oks.at(0)), collect(kept.errs.at(0)) + output.errors()


@pytest.mark.parametrize("kind", EnvelopeKind)
@pytest.mark.parametrize("seed", range(12))
def test_what_is_kept_is_what_a_view_shows_however_it_is_interrupted(
    seed: int, kind: EnvelopeKind, tmp_path: Path
) -> None:
    random = Random(seed)
    files = tmp_path / "in"
    files.mkdir()
    condition = where(CONDITIONS[seed % len(CONDITIONS)])
    size = random.choice([1, 60, 400, 1 << 20])
    every = Output(files, kind, 1 << 20)
    scratch = Scratch(tmp_path / "scratch", random.choice([1, 4, 16]))
    projection = random.choice([None, WITHOUT_V])
    if kind is EnvelopeKind.NONE and 2 not in columns_of(condition.predicate):
        projection = None  # then the column is not read, and what stands in it does not matter
    kept = Output(files, kind, size, scratch, condition, projection)
    for number in range(8):
        with (files / f"{number}.jsonl").open("w") as stream:
            for _ in range(random.randrange(30)):
                form = random.choices(["put", "delete", "bad", "junk"], [10, 3, 2, 1])[0]
                a, b, v = random.randrange(4), random.choice("xyz"), random.randrange(3)
                stream.write(text_of(form, a, b, v, random) + "\n")
        while kept.step(random.choices(["commit", "abort", "crash"], [6, 2, 2])[0]):
            pass
        while every.step():
            pass
        assert (kept.current(), kept.errors()) == judged(condition, every, projection)
    assert kept.position == every.position


def test_the_state_has_only_what_is_kept(tmp_path: Path) -> None:
    records = [json.dumps({"a": n, "b": "x", "v": n % 100}) for n in range(1000)]
    (tmp_path / "1.jsonl").write_text("\n".join(records) + "\n")
    output = Output(tmp_path, EnvelopeKind.UPSERT, 1 << 20, where=where("v = 7"))
    while output.step():
        pass
    assert len(output.current()) == len(output.rows) == 10
    now = output.ingestion.statistics
    found = now.outputs["s"]
    assert (now.records, found.updates_committed, found.updates_filtered) == (1000, 10, 990)


def test_changes_are_judged_whatever_their_sign() -> None:
    """A counter takes back what it showed, and an error goes with its row."""
    clock = ManualClock()
    condition = where("12 / (n - 3) > 0", "n bigint")
    asked = {"s": AskedOutput("", Schema((Column("counter", INT8),)), where=condition)}
    options = CounterOptions(tick_ms=10, max_cardinality=2)
    ingestion = open_ingestion(options, asked, (), EnvelopeKind.NONE, clock, label="source c, ")
    seen = []
    for _ in range(6):
        ingest = ingestion.advance()
        assert ingest is not None
        changes = ingest.outputs["s"]
        rows = list(zip(changes.oks.columns[0].to_pylist(), changes.oks.diffs.tolist(), strict=True))
        errs = list(zip(changes.errs.columns[1].to_pylist(), changes.errs.diffs.tolist(), strict=True))
        seen.append((rows, errs))
        ingestion.committed(1)
        clock.advance(10)
    failed = "source c, WHERE: division by zero"
    assert seen == [
        ([], []),
        ([], []),
        ([], [(failed, 1)]),
        ([(4, 1)], []),
        ([(5, 1)], [(failed, -1)]),
        ([(4, -1), (6, 1)], []),
    ]
    assert ingestion.statistics.outputs["s"].updates_filtered == 4


def test_what_could_not_be_read_is_a_dead_letter_whatever_where_says(tmp_path: Path) -> None:
    """Its bytes are those of its own record, also where records before it were left out."""
    (tmp_path / "1.jsonl").write_text('{"n": 1}\njunk\n{"n": 0}\n{"n": 9}\n{"n": "x"}\n')
    asked = {
        "s": AskedOutput("", Schema((Column("n", INT4),)), where=where("4 / n = 0", "n int")),
        "d": AskedOutput(DEAD_LETTERS, LINE_LETTERS),
    }
    ingestion = open_ingestion(
        FileOptions(str(tmp_path), "json"), asked, (), EnvelopeKind.NONE, ManualClock()
    )
    ingest = ingestion.advance()
    assert ingest is not None
    assert ingest.outputs["s"].oks.columns[0].to_pylist() == [9]
    _, numbers, payloads, reasons = ingest.outputs["d"].oks.columns
    assert numbers.to_pylist() == [2, 3, 5]
    assert payloads.to_pylist() == [b"junk", b'{"n": 0}', b'{"n": "x"}']
    assert reasons[1].as_py() == "WHERE: division by zero"
    assert len(ingest.outputs["s"].errs) == 0


def test_it_is_stored_as_it_was_bound() -> None:
    condition = where("v > 1 AND w LIKE 'a%'")
    assert RowFilter.from_json(json.loads(json.dumps(condition.to_json()))) == condition
    columns = (
        pa.array([1, 2, 3], pa.int32()),
        pa.array(["a"] * 3),
        pa.array([1, 2, 2], pa.int32()),
        pa.array(["a", "ab", "b"]),
    )
    kept = kept_changes(condition, Changes(columns, np.array([1, -1, 1])))
    assert (kept.oks.columns[0].to_pylist(), kept.oks.diffs.tolist(), kept.left_out) == ([2], [-1], 2)
    assert SCHEMA.names == ("a", "b", "v", "w")


def test_columns_that_nobody_needs_are_not_read(tmp_path: Path) -> None:
    """Where they are found by name: not even their bytes, and what stands in them is no error."""
    read = Schema((Column("a", INT4), Column("wide", TEXT), Column("n", INT8), Column("other", INT4)))
    kept = Projection(read, (0,))
    condition = where("n % 2 = 0", "a int, wide text, n bigint, other int")
    asked = {"s": AskedOutput("", kept.schema, where=condition, projection=kept)}
    count = 1000
    table = pa.table(
        {
            "other": pa.array([2**40] * count, pa.int64()),
            "wide": pa.array(["x" * 1000] * count),
            "n": pa.array(range(count), pa.int64()),
            "a": pa.array(range(count), pa.int32()),
        }
    )
    pq.write_table(table, tmp_path / "1.parquet")
    (tmp_path / "1.jsonl").write_text('{"a": 1, "n": 2, "other": "no number"}\n{"a": 2, "n": 1}\n')
    (tmp_path / "1.csv").write_text("n,other,a,wide\n2,x,1,\n1,x,2,\n")
    for format, pattern, wanted in (
        ("parquet", "*.parquet", list(range(0, count, 2))),
        ("json", "*.jsonl", [1]),
        ("csv", "*.csv", [1]),
    ):
        options = FileOptions(str(tmp_path), format, pattern=pattern)
        ingestion = open_ingestion(options, asked, (), EnvelopeKind.NONE, ManualClock())
        ingest = ingestion.advance()
        assert ingest is not None
        assert ingest.outputs["s"].oks.columns[0].to_pylist() == wanted
        assert len(ingest.outputs["s"].errs) == 0
        if format == "parquet":
            assert ingest.nbytes < 20 * count


def test_an_error_in_a_column_that_is_not_kept_goes_with_its_key(tmp_path: Path) -> None:
    """The key is another column of what is read than of what is kept."""
    read = Schema((Column("n", INT4), Column("id", INT4), Column("t", TEXT)))
    kept = Projection(read, (1, 2))
    asked = {"s": AskedOutput("", kept.schema, projection=kept)}
    path = tmp_path / "1.jsonl"
    path.write_text('{"id": 1, "n": "x", "t": "a"}\n{"id": 2, "n": 1, "t": "b"}\n')
    ingestion = open_ingestion(
        FileOptions(str(tmp_path), "json"), asked, (0,), EnvelopeKind.UPSERT, ManualClock()
    )
    ingest = ingestion.advance()
    assert ingest is not None
    assert ingest.outputs["s"].errs.diffs.tolist() == [1]
    ingestion.committed(1)
    with path.open("a") as more:
        more.write('{"id": 1, "n": 1, "t": "c"}\n')
    ingest = ingestion.advance()
    assert ingest is not None
    assert ingest.outputs["s"].errs.diffs.tolist() == [-1]
    assert [column.to_pylist() for column in ingest.outputs["s"].oks.columns] == [[1], ["c"]]
