"""Dead letters of an ingestion: whatever is cut, aborted or restarted, they are the records in error of one pass, and rows the others."""

from __future__ import annotations

from collections import Counter as Multiset
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa
import pytest
from ptvc.clock import ManualClock
from ptvc.repr.schema import Column, Schema
from ptvc.repr.types import INT4, TEXT
from ptvc.storage.changes import Changes
from ptvc.storage.connectors import AskedOutput, only_appends, open_ingestion
from ptvc.storage.dead_letters import DEAD_LETTERS, LINE_LETTERS, letters_schema
from ptvc.storage.envelope import EnvelopeKind
from ptvc.storage.ingestion import Ingestion
from ptvc.storage.source.file_options import FileOptions

SCHEMA = Schema((Column("a", INT4, False), Column("b", TEXT)))
ASKED = {"s": AskedOutput("", SCHEMA), "d": AskedOutput(DEAD_LETTERS, LINE_LETTERS)}
GOOD = ('{"a": 1, "b": "x"}', '{"a": 2}')
BAD = ('{"a": "x"}', "junk", '{"b": "y"}', '{"a": 1', '{"a": 99999999999}', '{"a": [], "b": []}')


def rows(changes: Changes) -> list[tuple[Any, ...]]:
    assert set(changes.diffs.tolist()) <= {1}
    return list(zip(*(column.to_pylist() for column in changes.columns), strict=True))


class Committed:
    """What is durable of a source with dead letters."""

    def __init__(self, options: FileOptions, chunk_bytes: int) -> None:
        self.options, self.chunk_bytes = options, chunk_bytes
        self.position: str | None = None
        self.rows: list[tuple[Any, ...]] = []
        self.letters: list[tuple[Any, ...]] = []
        self.ingestion = self.open()

    def open(self) -> Ingestion:
        return open_ingestion(
            self.options,
            ASKED,
            (),
            EnvelopeKind.NONE,
            ManualClock(),
            position=self.position,
            chunk_bytes=self.chunk_bytes,
            label='source "s", ',
        )

    def step(self, outcome: str = "commit") -> bool:
        ingest = self.ingestion.advance()
        if ingest is None:
            return False
        if outcome == "abort":
            self.ingestion.aborted()
            return True
        assert all(not len(changes.errs) for changes in ingest.outputs.values())
        self.rows += rows(ingest.outputs["s"].oks)
        self.letters += rows(ingest.outputs["d"].oks)
        self.position = ingest.position
        if outcome == "crash":  # durable, but the process did not live to hear of it
            self.ingestion = self.open()
        else:
            self.ingestion.committed(1)
        return True


@pytest.mark.parametrize("seed", range(8))
def test_records_in_error_are_dead_letters_however_it_is_interrupted(seed: int, tmp_path: Path) -> None:
    random = Random(seed)
    path = tmp_path / "data.jsonl"
    path.touch()
    found = Committed(FileOptions(str(path), "json"), random.choice([1, 60, 400, 1 << 20]))
    wanted: list[tuple[str, int, bytes]] = []
    good: Multiset[tuple[int, str | None]] = Multiset()
    number = 0
    for _ in range(6):
        with path.open("a") as stream:
            for _ in range(random.randrange(25)):
                number += 1
                if random.random() < 0.1:
                    stream.write("\n")  # no record
                    continue
                bad = random.random() < 0.4
                text = random.choice(BAD if bad else GOOD)
                stream.write(text + random.choice(["\n", "\r\n"]))
                if bad:
                    wanted.append(("data.jsonl", number, text.encode()))
                else:
                    good[(1, "x") if "x" in text else (2, None)] += 1
        while found.step(random.choices(["commit", "abort", "crash"], [6, 2, 2])[0]):
            pass
        assert [letter[:3] for letter in found.letters] == wanted
        assert Multiset(found.rows) == good
    assert all(
        reason.startswith(f'source "s", file "data.jsonl", line {line}: ')
        for _, line, _, reason in found.letters
    )


def test_reasons_are_the_messages_that_errors_have(tmp_path: Path) -> None:
    path = tmp_path / "data.csv"
    path.write_text('b,a\nx,1\n"y,2\nz,q\nz,\n1,2,3\n')
    options = FileOptions(str(path), "csv")
    found = Committed(options, 1 << 20)
    assert found.step()
    plain = open_ingestion(
        options, {"s": ASKED["s"]}, (), EnvelopeKind.NONE, ManualClock(), label='source "s", '
    )
    ingest = plain.advance()
    assert ingest is not None
    errors = ingest.outputs["s"].errs.columns[1].to_pylist()
    assert len(errors) == 4
    assert [reason for *_, reason in found.letters] == errors
    assert [payload for _, _, payload, _ in found.letters] == [b'"y,2', b"z,q", b"z,", b"1,2,3"]
    statistics = found.ingestion.statistics
    assert (statistics.errors, statistics.dead_letters, statistics.records) == (0, 4, 5)
    assert plain.statistics.dead_letters == 0


def test_columns_are_as_they_are_declared(tmp_path: Path) -> None:
    path = tmp_path / "data.jsonl"
    path.write_text("junk\n")
    ingestion = Committed(FileOptions(str(path), "json"), 1 << 20).ingestion
    ingest = ingestion.advance()
    assert ingest is not None
    types = [column.type for column in ingest.outputs["d"].oks.columns]
    assert types == [column.type.arrow for column in LINE_LETTERS]
    assert types[2] == pa.binary()


def test_only_the_source_itself_appends() -> None:
    for word, options in (("file", {}), ("kafka", {})):
        assert only_appends(word, options, EnvelopeKind.NONE)
        assert not only_appends(word, options, EnvelopeKind.NONE, DEAD_LETTERS)
    assert letters_schema("counter") is None
