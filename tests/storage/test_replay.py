"""Replay against an ingestion: records that are decoded again give the rows, and the reasons, that reading them gives."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import fastavro
import numpy as np
import pyarrow as pa
import pytest
from ptvc.clock import ManualClock
from ptvc.errors import Unsupported
from ptvc.repr.batch import Batch, batch_from_rows
from ptvc.repr.schema import Column, Schema
from ptvc.repr.types import INT4, TEXT
from ptvc.storage.connectors import AskedOutput, open_ingestion
from ptvc.storage.dead_letters import DEAD_LETTERS, LINE_LETTERS, MESSAGE_LETTERS
from ptvc.storage.envelope import EnvelopeKind
from ptvc.storage.formats.options import FormatOptions
from ptvc.storage.replay import open_letters, replayed
from ptvc.storage.source.directory import SourceStalled
from ptvc.storage.source.file_options import FileOptions
from ptvc.storage.source.kafka.options import KafkaOptions, MessageColumn, Part

SCHEMA = Schema((Column("a", INT4, False), Column("b", TEXT)))
LABEL = 'source "s", '
RECORDS = {
    "json": ('{"a": 1}', '{"a": 2, "b": "x"}', '{"a": "q"}', "junk", "{}", "\xff", '{"a": 1}}'),
    "csv": ("1,x", "2,", "q,x", "1", "1,2,3", ",y", '"1,', '1,"a""b"', "\xff,1"),
}


def tuples(batch: Batch) -> list[tuple[Any, ...]]:
    columns = [column.to_pylist() for column in batch.columns]
    return list(zip(*columns, batch.diffs.tolist(), strict=True))


def read(options: FileOptions) -> tuple[list[tuple[Any, ...]], list[tuple[Any, ...]]]:
    """The rows and the dead letters of the files, in order."""
    asked = {"s": AskedOutput("", SCHEMA), "d": AskedOutput(DEAD_LETTERS, LINE_LETTERS)}
    ingestion = open_ingestion(options, asked, (), EnvelopeKind.NONE, ManualClock(), label=LABEL)
    ingest = ingestion.advance()
    assert ingest is not None
    return tuples(ingest.outputs["s"].oks.at(0)), tuples(ingest.outputs["d"].oks.at(0))


def letters(rows: list[tuple[Any, ...]], payloads: list[bytes | None]) -> Batch:
    """Dead letters as they are, and with other payloads."""
    old = batch_from_rows(LINE_LETTERS, [row[:-1] for row in rows], 0)
    return old.with_columns([*old.columns, *old.columns[:2], pa.array(payloads, pa.binary()), old.columns[3]])


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("format", ["json", "csv"])
def test_a_replay_gives_what_reading_gives(format: str, seed: int, tmp_path: Path) -> None:
    random = Random(seed)
    # Each file has its lines in error first; then they are made what the other files have in their places.
    before, after = tmp_path / "before", tmp_path / "after"
    before.mkdir()
    after.mkdir()
    payloads: dict[tuple[str, int], bytes] = {}
    for name, header in (("1", "a,b"), ("2", "b,a")):
        lines = [random.choice(RECORDS[format]).encode("latin-1") for _ in range(random.randrange(1, 30))]
        if header == "b,a" and format == "csv":
            lines = [
                b",".join(reversed(line.split(b","))) if line.count(b",") == 1 else line for line in lines
            ]
        top = [header.encode()] if format == "csv" else []
        broken = [b'"'] * len(lines)
        (before / name).write_bytes(b"\n".join([*top, *broken, b""]))
        (after / name).write_bytes(b"\n".join([*top, *lines, b""]))
        payloads |= {(name, place + len(top) + 1): line for place, line in enumerate(lines)}
    none, found = read(FileOptions(str(before), format))
    assert not none
    assert [letter[:2] for letter in found] == list(payloads)
    rows, left = read(FileOptions(str(after), format))
    random.shuffle(found)
    repaired = [payloads[letter[:2]] for letter in found]
    decoder = open_letters(FileOptions(str(before), format), SCHEMA, {})
    made = replayed(letters(found, list(repaired)), LINE_LETTERS, decoder, LABEL)
    assert sorted(tuples(made.rows), key=repr) == sorted(rows, key=repr)
    assert (made.decoded, made.remaining) == (len(rows), len(left))
    reasons = {letter[:2]: letter[3] for letter in left}
    now = {letter[:3]: letter for letter in found}
    for *letter, diff in tuples(made.letters):
        key = (*letter[:3],)
        now[key] = (*letter, 1) if diff > 0 else now[key] if now[key][:4] != (*letter,) else ()
    assert {key[:2]: letter[3] for key, letter in now.items() if letter} == reasons
    assert all(key[2] == b'"' for key in now)


def test_a_payload_that_is_no_line_stays(tmp_path: Path) -> None:
    path = tmp_path / "in.csv"
    path.write_text("a,b\nx,y\nx,z\n")
    _, found = read(FileOptions(str(path), "csv"))
    decoder = open_letters(FileOptions(str(path), "csv"), SCHEMA, {})
    made = replayed(letters(found, [None, b"1,2\n3,4"]), LINE_LETTERS, decoder, LABEL)
    assert (made.decoded, made.remaining, len(made.rows)) == (0, 2, 0)
    where = f'{LABEL}file "in.csv", line'
    assert [letter[3] for letter in tuples(made.letters) if letter[-1] > 0] == [
        f"{where} 2: the payload is NULL",
        f"{where} 3: a line break within a record",
    ]
    path.unlink()
    with pytest.raises(SourceStalled, match="does not exist"):
        replayed(letters(found, [b"1,2", b"3,4"]), LINE_LETTERS, decoder, LABEL)


def test_records_of_avro_are_read_as_their_files_were_written(tmp_path: Path) -> None:
    text = {"name": "b", "type": "string"}
    writers = [[{"name": "a", "type": "long"}, text], [text, {"name": "a", "type": "int"}]]
    for number, fields in enumerate(writers):
        schema = {"type": "record", "name": "r", "fields": fields}
        with (tmp_path / f"f{number}").open("wb") as sink:
            fastavro.writer(sink, schema, [{"a": 1, "b": "x"}, {"a": 2, "b": "\0"}, {"a": 3, "b": "z\0"}])
    options = FileOptions(str(tmp_path), "avro")
    rows, found = read(options)
    assert rows == [(1, "x", 1)] * 2
    assert [row[:3] for row in found] == [
        ("f0", 2, b"\x04\x02\0"), ("f0", 3, b"\x06\x04z\0"), ("f1", 2, b"\x02\0\x04"), ("f1", 3, b"\x04z\0\x06"),
    ]  # fmt: skip
    decoder = open_letters(options, SCHEMA, {})
    payloads: list[bytes | None] = [b"\x04\x02y", None, b"\x02v\x08", b"\x02"]
    done = replayed(letters(found, payloads), LINE_LETTERS, decoder, LABEL)
    assert tuples(done.rows) == [(2, "y", 1), (4, "v", 1)]
    assert (done.decoded, done.remaining) == (2, 2)
    reasons = [row[3] for row in tuples(done.letters) if row[-1] == 1]
    where = f'{LABEL}file "f'
    assert reasons == [
        f'{where}0", line 3: the payload is NULL',
        f'{where}1", line 3: Avro: field "b": a value of 1 bytes where 0 are left',
    ]
    assert tuples(replayed(letters([], []), LINE_LETTERS, decoder, LABEL).rows) == []


def test_messages_are_decoded_as_they_were_read() -> None:
    json = FormatOptions("json", Schema((Column("a", INT4, False),)), {"declared": True})
    columns = (MessageColumn(Part.VALUE), MessageColumn(Part.OFFSET), MessageColumn(Part.HEADER, 0, "h"))
    schema = Schema((Column("a", INT4, False), Column("o", INT4), Column("h", TEXT)))
    decoder = open_letters(KafkaOptions("u1", "t", json, columns), schema, {})
    width = len(MESSAGE_LETTERS)
    old = batch_from_rows(
        MESSAGE_LETTERS,
        [
            (0, offset, 0, None, b"{}", [{"f0": "h", "f1": header}], "why")
            for offset, header in enumerate([b"x", b"\xff", b"y"])
        ],
        0,
    )
    payloads = pa.array([b'{"a": 1}', b'{"a": 2}', None], pa.binary())
    found = old.with_columns([*old.columns, *old.columns[:4], payloads, *old.columns[5:]])
    assert len(found.columns) == 2 * width
    made = replayed(found, MESSAGE_LETTERS, decoder, LABEL)
    assert tuples(made.rows) == [(1, 0, "x", 1)]
    assert (made.decoded, made.remaining) == (1, 2)
    where = f'{LABEL}topic "t", partition 0, offset'
    assert [letter[-2] for letter in tuples(made.letters) if letter[-1] > 0] == [
        f'{where} 1: column "h": header "h": invalid byte sequence for encoding "UTF8"',
        f"{where} 2: the message has no value",
    ]
    # Once more it changes nothing: the reasons are what they are.
    still = made.letters.filter(made.letters.diffs > 0)
    again = still.with_columns([*still.columns, *still.columns[:4], payloads.slice(1), *still.columns[5:]])
    assert len(replayed(again, MESSAGE_LETTERS, decoder, LABEL).letters) == 0
    assert np.all(still.diffs == 1)


def test_other_sources_have_no_letters() -> None:
    with pytest.raises(Unsupported):
        open_letters(FileOptions("/x", "parquet"), SCHEMA, {})
