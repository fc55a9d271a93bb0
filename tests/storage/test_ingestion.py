"""A whole ingestion against a dictionary: whatever is cut, aborted or restarted, the output is that of one pass."""

from __future__ import annotations

import base64
import json
from collections import Counter as Multiset
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from faults.scarce_disk import ScarceDisk
from ptvc.clock import ManualClock
from ptvc.errors import InvalidParameter, StorageError, Unsupported
from ptvc.repr.batch import batch_from_rows, concat_batches
from ptvc.repr.schema import Column, Schema
from ptvc.repr.types import INT8
from ptvc.storage.connectors import (
    AskedOutput,
    CounterOptions,
    Stored,
    only_appends,
    open_ingestion,
)
from ptvc.storage.envelope import EnvelopeKind
from ptvc.storage.source.file_options import FileOptions
from ptvc.storage.statistics import Status
from ptvc.storage.upsert.scratch import Scratch

from .ingesting import KEY, RECORDED, SCHEMA, Output, collect, text_of

ASKED = {"s": AskedOutput("", SCHEMA)}
"""The only output of a source of files."""


class Model:
    """Upsert by dictionary; an error is a (file, line) pair."""

    def __init__(self) -> None:
        self.rows: dict[tuple[Any, Any], tuple[Any, ...] | tuple[str, int]] = {}
        self.keyed: dict[tuple[Any, Any], int] = {}
        self.lost: list[int] = []

    def record(self, number: int, kind: str, a: int, b: str, v: Any) -> None:
        key = (a, b)
        if kind == "junk":
            self.lost.append(number)
            return
        self.rows.pop(key, None)
        self.keyed.pop(key, None)
        if kind == "put":
            self.rows[key] = (a, b, v, f"w{v}")
        elif kind == "bad":
            self.keyed[key] = number


@pytest.mark.parametrize("seed", range(12))
def test_upsert_equals_a_dictionary_however_it_is_interrupted(seed: int, tmp_path: Path) -> None:
    random = Random(seed)
    path = tmp_path / "data.jsonl"
    path.touch()
    scratch = random.choice([None, Scratch(tmp_path / "_scratch", random.choice([1, 4, 16]))])
    output = Output(tmp_path, EnvelopeKind.UPSERT, random.choice([1, 60, 400, 1 << 20]), scratch)
    model, number = Model(), 0
    for _ in range(12):
        with path.open("a") as stream:
            for _ in range(random.randrange(25)):
                number += 1
                kind = random.choices(["put", "delete", "bad", "junk"], [10, 3, 2, 1])[0]
                a, b, v = random.randrange(4), random.choice("xyz"), random.randrange(3)
                stream.write(text_of(kind, a, b, v, random) + "\n")
                model.record(number, kind, a, b, v)
        while output.step(random.choices(["commit", "abort", "crash"], [6, 2, 2])[0]):
            pass
        assert output.current() == Multiset(model.rows.values())
        found = output.errors()
        lines = sorted(int(message.split("line ")[1].split(":")[0]) for _, message in found)
        assert lines == sorted([*model.keyed.values(), *model.lost])
        assert set(found.values()) <= {1}
    assert number > 50


def test_restart_at_every_chunk_boundary_appends_each_record_once(tmp_path: Path) -> None:
    for name in ("2.jsonl", "1.jsonl"):
        lines = [json.dumps({"a": i, "b": name, "v": i}) for i in range(20)]
        lines.insert(7, "junk")
        (tmp_path / name).write_text("\n".join(lines) + "\n")
    output = Output(tmp_path, EnvelopeKind.NONE, 100)
    steps = 0
    while output.step("crash"):
        steps += 1
    assert steps > 10
    assert output.current() == Multiset(
        [(i, name, i, None) for name in ("1.jsonl", "2.jsonl") for i in range(20)]
    )
    assert len(output.errors()) == 2


def test_statistics_and_a_stall_that_ends(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"a": 1, "b": "x"}\njunk\n')
    output = Output(tmp_path, EnvelopeKind.NONE, 1 << 20)
    assert output.ingestion.statistics.status is Status.STARTING
    assert output.step()
    done = output.ingestion.statistics
    assert (done.status, done.records, done.bytes, done.errors, done.snapshot_done) == (
        Status.RUNNING,
        2,
        24,
        1,
        True,
    )
    content = path.read_bytes()
    path.unlink()
    assert not output.step()
    stalled = output.ingestion.statistics
    assert stalled.status is Status.STALLED
    assert stalled.reason == 'file "a.jsonl" has vanished after it was read'
    assert stalled.hint is not None
    path.write_bytes(content + b'{"a": 2, "b": "y"}\n')
    assert output.step()
    assert output.ingestion.statistics.status is Status.RUNNING
    assert output.current() == Multiset([(1, "x", None, None), (2, "y", None, None)])


def test_csv_files_each_with_its_header(tmp_path: Path) -> None:
    (tmp_path / "1.csv").write_text("b,a,v,w\nx,1,2,\n")
    (tmp_path / "2.csv").write_text('a,b,v,w,more\n3,y,4,"z",\nq,y,4,z,\n')
    output = Output(tmp_path, EnvelopeKind.NONE, 8)
    output.options = FileOptions(str(tmp_path), "csv")
    output.restart()
    while output.step("crash"):
        pass
    assert output.current() == Multiset([(1, "x", 2, None), (3, "y", 4, "z")])
    assert [message for _, message in output.errors()] == [
        'file "2.csv", line 3: column "a": invalid input syntax for type integer: "q"'
    ]
    (tmp_path / "3.csv").write_text("a,b\n1,2\n")
    assert not output.step()
    assert output.ingestion.statistics.reason == 'file "3.csv": the CSV header has no column "v"'


def test_parquet_is_read_when_it_is_complete(tmp_path: Path) -> None:
    table = pa.table({"a": [1, 2, 3], "b": ["x", "y", "z"], "v": [1, 2, 2**40], "w": ["p", None, "q"]})
    pq.write_table(table, tmp_path / "_hidden", row_group_size=1)
    content = (tmp_path / "_hidden").read_bytes()
    path = tmp_path / "a.parquet"
    path.write_bytes(content[: len(content) // 2])
    output = Output(tmp_path, EnvelopeKind.NONE, 1)
    output.options = FileOptions(str(tmp_path), "parquet")
    output.restart()
    assert not output.step()
    path.write_bytes(content)
    steps = 0
    while output.step("crash"):
        steps += 1
    assert steps == 3  # one row group each
    assert output.current() == Multiset([(1, "x", 1, "p"), (2, "y", 2, None)])
    assert len(output.errors()) == 1
    path.write_bytes(content + b" ")
    assert not output.step()
    assert output.ingestion.statistics.reason == 'file "a.parquet" was changed after it was read'


def test_any_number_of_errors_take_the_places_of_their_rows_and_give_them_back(tmp_path: Path) -> None:
    path, count = tmp_path / "a.jsonl", 1_000
    good, bad = ([{"a": i, "b": 'x"\\\n', "v": v} for i in range(count)] for v in (1, "bad"))
    path.write_text("".join(json.dumps(line) + "\n" for line in (*good, *bad)))
    output = Output(tmp_path, EnvelopeKind.UPSERT, 5_000)
    while output.step("crash"):
        pass
    assert not output.current()
    assert len(output.errors()) == len(collect(output.recorded)) == count
    with path.open("a") as stream:
        stream.writelines(json.dumps(line) + "\n" for line in good)
    while output.step("crash"):
        pass
    assert len(output.current()) == count
    assert not output.errors()
    assert not collect(output.recorded)


def test_errors_in_a_position_of_an_earlier_version_are_recorded_with_the_next_commit(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    lines = [{"a": 1, "b": "x", "v": "bad"}, {"a": 2, "b": "x", "v": "bad"}, {"a": 3, "b": "x", "v": 1}]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    output = Output(tmp_path, EnvelopeKind.UPSERT, 1 << 20)
    assert output.step()
    former = pa.table(
        {
            "c0": pa.array([1, 2], pa.int32()),
            "c1": ["x", "x"],
            "sqlstate": [state for state, _ in sorted(output.errors(), key=lambda error: error[1])],
            "message": sorted(message for _, message in output.errors()),
        }
    )
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, former.schema) as writer:
        writer.write_table(former)
    assert output.position is not None
    payload = base64.b64encode(sink.getvalue()).decode("ascii")
    output.position = json.dumps({**json.loads(output.position), "errors": payload})
    recorded, output.recorded = collect(output.recorded), concat_batches(RECORDED, [])
    output.restart()
    assert not output.step()
    with path.open("a") as stream:
        stream.write('{"a": 3, "b": "x", "v": 2}\n')
    assert output.step("abort")
    assert output.step("crash")
    assert collect(output.recorded) == recorded
    assert "errors" not in json.loads(output.position)
    with path.open("a") as stream:
        stream.write('{"a": 1, "b": "x", "v": 5}\n{"a": 2, "b": "x"}\n')
    assert output.step("crash")
    assert output.current() == Multiset([(1, "x", 5, None), (3, "x", 2, None)])
    assert not output.errors()
    assert not collect(output.recorded)


def test_without_room_for_its_state_a_source_stalls_and_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    disk, path = ScarceDisk(monkeypatch), tmp_path / "a.jsonl"
    output = Output(tmp_path, EnvelopeKind.UPSERT, 100, Scratch(tmp_path / "_scratch", 1))
    path.write_text("".join(f'{{"a": {i % 7}, "b": "x", "v": {i}}}\n' for i in range(50)))
    assert output.step()
    disk.room = 0
    for _ in range(3):
        assert not output.step()
        stalled = output.ingestion.statistics
        assert stalled.status is Status.STALLED
        assert stalled.reason is not None
        assert stalled.reason.startswith("cannot write upsert state to")
        assert stalled.hint is not None
        assert stalled.hint.startswith("Free some space")
    disk.room = 1 << 40
    while output.step("crash"):
        pass
    assert output.ingestion.statistics.status is Status.RUNNING
    assert output.current() == Multiset([(i % 7, "x", i, None) for i in range(43, 50)])


def test_counter_survives_restarts() -> None:
    clock = ManualClock()
    asked = {"s": AskedOutput("", Schema((Column("counter", INT8),)))}
    position: str | None = None
    seen: Multiset[int] = Multiset()
    for _ in range(6):
        ingestion = open_ingestion(
            CounterOptions(100, 3), asked, (), EnvelopeKind.NONE, clock, position=position
        )
        while (ingest := ingestion.advance()) is not None:
            oks = ingest.outputs["s"].oks
            for value, diff in zip(oks.columns[0].to_pylist(), oks.diffs.tolist(), strict=True):
                seen[value] += diff
            position = ingest.position
            ingestion.committed(1)
        clock.advance(150)
    assert {value for value, count in seen.items() if count} == {6, 7, 8}
    assert set(seen.values()) == {0, 1}


def test_options_that_do_not_go_together(tmp_path: Path) -> None:
    clock = ManualClock()
    with pytest.raises(Unsupported, match='format "protobuf"'):
        open_ingestion(FileOptions(str(tmp_path), "protobuf"), ASKED, (), EnvelopeKind.NONE, clock)
    with pytest.raises(InvalidParameter, match="needs a key"):
        open_ingestion(FileOptions(str(tmp_path), "json"), ASKED, (), EnvelopeKind.UPSERT, clock)
    with pytest.raises(InvalidParameter, match="one bigint column"):
        open_ingestion(CounterOptions(), ASKED, (), EnvelopeKind.NONE, clock)


def test_output_that_cannot_be_an_upsert_sources_own(tmp_path: Path) -> None:
    twice = batch_from_rows(SCHEMA, [(1, "x", 1, "p"), (1, "x", 2, "q")], 0)
    with pytest.raises(StorageError, match="two rows with one key"):
        open_ingestion(
            FileOptions(str(tmp_path), "json"), ASKED, KEY, EnvelopeKind.UPSERT, ManualClock(),
            position='{"read": {"files": {}}}', stored=Stored([twice]),
        )  # fmt: skip


@pytest.mark.parametrize(
    ("connector", "options", "envelope", "expected"),
    [
        ("file", {"path": "x", "format": "json"}, EnvelopeKind.NONE, True),
        ("file", {"path": "x", "format": "json"}, EnvelopeKind.UPSERT, False),
        ("counter", {"tick_ms": 10, "max_cardinality": None}, EnvelopeKind.NONE, True),
        ("counter", {"tick_ms": 10, "max_cardinality": 3}, EnvelopeKind.NONE, False),
        ("auction", {}, EnvelopeKind.NONE, False),
        ("of another version", {}, EnvelopeKind.NONE, False),
    ],
)
def test_which_sources_only_append(
    connector: str, options: dict[str, Any], envelope: EnvelopeKind, expected: bool
) -> None:
    assert only_appends(connector, options, envelope) is expected


@pytest.mark.parametrize(
    ("connector", "reference", "expected"),
    [
        ("auction", "auction.bids", True),
        ("marketing", "marketing.clicks", True),
        ("marketing", "marketing.leads", False),
        ("tpch", "tpch.part", True),
        ("tpch", "tpch.lineitem", False),
        ("clock", "", False),
        ("key_value", "", False),
        ("auction", "mz_progress", False),
    ],
)
def test_which_tables_of_generators_only_grow(connector: str, reference: str, expected: bool) -> None:
    assert only_appends(connector, {}, EnvelopeKind.NONE, reference) is expected
