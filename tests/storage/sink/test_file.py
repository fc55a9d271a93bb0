"""The file sink: what a reader finds, after any interruption."""

from __future__ import annotations

import errno
import json
import os
from collections import Counter as Multiset
from pathlib import Path
from random import Random
from typing import Any

import pyarrow.parquet as pq
import pytest
from ptvc.errors import DiskFull, InvalidParameter, StorageError, Unsupported
from ptvc.repr.batch import Batch, batch_from_rows, concat_batches
from ptvc.repr.schema import Column, Schema
from ptvc.repr.types import (
    BOOL,
    DATE,
    FLOAT8,
    INT4,
    INT4RANGE,
    INT8,
    JSONB,
    NUMERIC,
    TEXT,
    TIMESTAMP,
    TIMESTAMPTZ,
    Kind,
    ScalarType,
    array_of,
)
from ptvc.storage.sink.change_records import KeyNotUnique, SinkEnvelope
from ptvc.storage.sink.contract import SinkStalled
from ptvc.storage.sink.file import IDLE_PROGRESS_MS, FileSink

SCHEMA = Schema((Column("k", INT4), Column("t", TEXT)))
Changes = list[tuple[int, str | None, int, int]]


def batch(*changes: tuple[int, str | None, int, int]) -> Batch:
    """From (k, t, time, diff)."""
    return concat_batches(SCHEMA, [batch_from_rows(SCHEMA, [c[:2]], c[2], c[3]) for c in changes])


def sink(path: Path, envelope: SinkEnvelope = SinkEnvelope.NONE, format: str = "json", key: tuple[int, ...] = ()) -> FileSink:  # fmt: skip
    return FileSink("u1", path, format, SCHEMA, envelope, key)


def contents(path: Path) -> list[dict[str, Any]]:
    """All records, in the order of the files' names."""
    return [
        json.loads(line) for file in sorted(path.glob("*.jsonl")) for line in file.read_text().splitlines()
    ]


def changes_in(path: Path) -> Multiset[tuple[Any, ...]]:
    total: Multiset[tuple[Any, ...]] = Multiset()
    for record in contents(path):
        total[(record["k"], record["t"], record["mz_timestamp"])] += record["mz_diff"]
    return total


def test_one_file_per_interval_with_changes(tmp_path: Path) -> None:
    writer = sink(tmp_path / "out")
    assert writer.open() == 0
    writer.write(batch((1, "a", 5, 1), (2, None, 7, 1), (2, None, 7, 1)), 0, 8)
    writer.write(batch(), 8, 9)
    writer.write(batch((1, "a", 9, -1), (1, "b", 9, 1), (3, "x", 9, 1), (3, "x", 9, -1)), 9, 10)
    assert [f.name for f in sorted((tmp_path / "out").glob("*.jsonl"))] == [
        "00000000000000000000-00000000000000000008.jsonl",
        "00000000000000000008-00000000000000000010.jsonl",
    ]
    assert contents(tmp_path / "out") == [
        {"k": 1, "t": "a", "mz_timestamp": 5, "mz_diff": 1},
        {"k": 2, "t": None, "mz_timestamp": 7, "mz_diff": 2},
        {"k": 1, "t": "a", "mz_timestamp": 9, "mz_diff": -1},
        {"k": 1, "t": "b", "mz_timestamp": 9, "mz_diff": 1},
    ]
    assert (writer.statistics.messages_committed, writer.statistics.files) == (4, 2)
    assert writer.durable_upper == writer.upper == 10


def test_upsert_and_debezium_by_key(tmp_path: Path) -> None:
    changes = batch((1, "a", 5, 1), (2, "b", 5, 1), (1, "a", 6, -1), (1, "c", 6, 1), (2, "b", 7, -1))
    upsert = sink(tmp_path / "u", SinkEnvelope.UPSERT, key=(0,))
    upsert.open()
    upsert.write(changes, 0, 8)
    assert contents(tmp_path / "u") == [
        {"k": 1, "after": {"k": 1, "t": "a"}, "ts": 5},
        {"k": 2, "after": {"k": 2, "t": "b"}, "ts": 5},
        {"k": 1, "after": {"k": 1, "t": "c"}, "ts": 6},
        {"k": 2, "after": None, "ts": 7},
    ]
    debezium = sink(tmp_path / "d", SinkEnvelope.DEBEZIUM, key=(0,))
    debezium.open()
    debezium.write(changes, 0, 8)
    assert contents(tmp_path / "d")[2:] == [
        {"before": {"k": 1, "t": "a"}, "after": {"k": 1, "t": "c"}, "ts": 6},
        {"before": {"k": 2, "t": "b"}, "after": None, "ts": 7},
    ]
    with pytest.raises(KeyNotUnique, match=r"key \(k\) is not unique: two rows have \(9\) at time 8"):
        upsert.write(batch((9, "a", 8, 1), (9, "b", 8, 1)), 8, 9)
    assert upsert.upper == 8


def test_debezium_without_a_key_repeats_copies(tmp_path: Path) -> None:
    writer = sink(tmp_path, SinkEnvelope.DEBEZIUM)
    writer.open()
    writer.write(batch((1, "a", 5, 2), (1, "b", 5, -1)), 0, 6)
    assert contents(tmp_path) == [
        {"before": {"k": 1, "t": "b"}, "after": None, "ts": 5},
        {"before": None, "after": {"k": 1, "t": "a"}, "ts": 5},
        {"before": None, "after": {"k": 1, "t": "a"}, "ts": 5},
    ]


@pytest.mark.parametrize("envelope", list(SinkEnvelope))
def test_parquet_has_the_same_records_as_json(tmp_path: Path, envelope: SinkEnvelope) -> None:
    key = () if envelope is SinkEnvelope.NONE else (0,)
    changes = batch((1, "a", 5, 1), (2, None, 5, 1), (1, "a", 6, -1), (1, "c", 6, 1), (2, None, 7, -1))
    for format in ("json", "parquet"):
        writer = sink(tmp_path / format, envelope, format, key)
        writer.open()
        writer.write(changes, 0, 8)
    (file,) = (tmp_path / "parquet").glob("*.parquet")
    assert pq.read_table(file).to_pylist() == contents(tmp_path / "json")


def test_json_values_are_exact(tmp_path: Path) -> None:
    import datetime
    from decimal import Decimal

    types = [
        INT8,
        FLOAT8,
        ScalarType(Kind.NUMERIC, 10, 2),
        NUMERIC,
        BOOL,
        TEXT,
        DATE,
        TIMESTAMP,
        TIMESTAMPTZ,
        JSONB,
    ]
    schema = Schema(tuple(Column(f'c"{i}', type_) for i, type_ in enumerate(types)))
    text = 'é"\\\n\t\x01\x1f/'
    moment = datetime.datetime(2024, 1, 2, 3, 4, 5, 600000)
    rows = [
        (2**63 - 1, 0.1, Decimal("1.50"), Decimal("0.1234567890123456789"), True, text, datetime.date(2024, 2, 29), moment, moment.replace(tzinfo=datetime.UTC), '{"a": [1.50]}'),
        (None, float("nan"), None, Decimal("1E+5"), False, "", None, None, None, None),
        (None, float("-inf"), None, None, None, None, None, None, None, None),
    ]  # fmt: skip
    writer = FileSink("u1", tmp_path, "json", schema, SinkEnvelope.NONE)
    writer.open()
    writer.write(batch_from_rows(schema, rows, 3), 0, 4)
    lines = next(tmp_path.glob("*.jsonl")).read_text().splitlines()
    exact = next(line for line in lines if "9223372036854775807" in line)
    assert '"c\\"2":1.50,"c\\"3":0.1234567890123456789,"c\\"4":true' in exact
    assert '"c\\"9":{"a": [1.50]},' in exact
    values = [tuple(json.loads(line).values())[:9] for line in lines]
    assert (
        2**63 - 1, 0.1, 1.5, 0.12345678901234568, True, text, "2024-02-29", "2024-01-02T03:04:05.6", "2024-01-02T03:04:05.6Z",
    ) in values  # fmt: skip
    assert (None, "NaN", None, 100000, False, "", None, None, None) in values
    assert (None, "-Infinity", *[None] * 7) in values


class Crash(Exception):
    pass


@pytest.mark.parametrize("seed", range(30))
def test_no_change_is_lost_or_repeated_whatever_step_a_crash_hits(
    seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    random = Random(seed)
    everything: Changes = [(random.randrange(3), "x", time, 1) for time in range(1, 60)]
    countdown = [0]
    for name in ("replace", "fsync", "unlink"):
        real = getattr(os, name)

        def step(*arguments: Any, real: Any = real) -> Any:
            countdown[0] -= 1
            if countdown[0] == 0:
                raise Crash
            result = real(*arguments)
            if countdown[0] == 1 and random.random() < 0.5:
                countdown[0] = 0
                raise Crash
            return result

        monkeypatch.setattr(os, name, step)
    crashes = 0
    writer = sink(tmp_path)
    upper = writer.open()
    while upper < 60:
        countdown[0] = random.randrange(1, 14)
        try:
            writer.close()
            upper = writer.open()
            while upper < 60:
                after = min(60, upper + random.randrange(1, 9))
                writer.write(batch(*(c for c in everything if upper <= c[2] < after)), upper, after)
                upper = after
        except Crash:
            crashes += 1
            writer.close()
            writer = sink(tmp_path)
            countdown[0] = 0
            upper = writer.open()
            assert not list(tmp_path.glob("*.tmp"))
            assert changes_in(tmp_path) == Multiset(c[:3] for c in everything if c[2] < upper)
    countdown[0] = 0
    assert crashes > 0
    assert changes_in(tmp_path) == Multiset(c[:3] for c in everything)


def test_leftovers_go_and_other_files_stay(tmp_path: Path) -> None:
    writer = sink(tmp_path)
    writer.open()
    writer.write(batch((1, "a", 5, 1)), 0, 8)
    writer.close()
    done = {file.name for file in tmp_path.iterdir()}
    late = "00000000000000000008-00000000000000000012.jsonl"
    for name in (late, late + ".tmp", "manifest.json.tmp", "notes.txt", "1-2.jsonl"):
        (tmp_path / name).write_text("x")
    assert writer.open() == 8
    assert {file.name for file in tmp_path.iterdir()} == done | {"notes.txt", "1-2.jsonl"}


def test_idle_progress_is_written_now_and_then(tmp_path: Path) -> None:
    writer = sink(tmp_path)
    writer.open()
    writer.write(batch(), 0, IDLE_PROGRESS_MS - 1)
    assert (writer.upper, writer.durable_upper) == (IDLE_PROGRESS_MS - 1, 0)
    writer.write(batch(), IDLE_PROGRESS_MS - 1, IDLE_PROGRESS_MS)
    assert writer.durable_upper == IDLE_PROGRESS_MS
    writer.close()
    assert sink(tmp_path).open() == IDLE_PROGRESS_MS


def test_directories_that_are_not_ours(tmp_path: Path) -> None:
    writer = sink(tmp_path)
    writer.open()
    with pytest.raises(SinkStalled, match="another process writes"):
        sink(tmp_path).open()
    writer.close()
    with pytest.raises(SinkStalled, match=r"belongs to another sink \(u1\)"):
        FileSink("u2", tmp_path, "json", SCHEMA, SinkEnvelope.NONE).open()
    (tmp_path / "manifest.json").write_text('{"version": 1, "sink"')
    with pytest.raises(StorageError, match="is not a manifest"):
        writer.open()
    (tmp_path / "file").write_text("")
    with pytest.raises(SinkStalled, match="cannot write to"):
        sink(tmp_path / "file").open()


def test_a_full_disk_is_an_error_after_which_the_call_may_be_repeated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    writer = sink(tmp_path)
    writer.open()

    def full(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        with pytest.raises(DiskFull, match="no space left"):
            writer.write(batch((1, "a", 5, 1)), 0, 8)
    assert writer.upper == 0
    writer.write(batch((1, "a", 5, 1)), 0, 8)
    assert changes_in(tmp_path) == Multiset([(1, "a", 5)])


def test_options_that_do_not_go_together(tmp_path: Path) -> None:
    with pytest.raises(InvalidParameter, match="needs a key"):
        sink(tmp_path, SinkEnvelope.UPSERT)
    with pytest.raises(Unsupported, match='format "csv"'):
        sink(tmp_path, format="csv")
    twice = Schema((Column("a", INT4), Column("a", INT4)))
    with pytest.raises(InvalidParameter, match='column "a" occurs more than once'):
        FileSink("u1", tmp_path, "json", twice, SinkEnvelope.NONE)
    reserved = Schema((Column("mz_diff", INT4),))
    with pytest.raises(InvalidParameter, match='field "mz_diff" of its own'):
        FileSink("u1", tmp_path, "json", reserved, SinkEnvelope.NONE)
    arrays = Schema((Column("a", array_of(INT4)),))
    with pytest.raises(Unsupported, match='column "a" is of type'):
        FileSink("u1", tmp_path, "json", arrays, SinkEnvelope.NONE)
    for type_ in (INT4RANGE, array_of(INT4RANGE)):
        with pytest.raises(Unsupported, match='column "a" holds ranges'):
            FileSink("u1", tmp_path, "parquet", Schema((Column("a", type_),)), SinkEnvelope.NONE)
