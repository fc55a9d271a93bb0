"""A source of JSON lines and what it has made durable: steps that are committed, aborted, or not heard of."""

from __future__ import annotations

import json
from collections import Counter as Multiset
from pathlib import Path
from random import Random
from typing import Any

from ptvc.clock import ManualClock
from ptvc.repr.batch import Batch, concat_batches
from ptvc.repr.schema import ERROR_SCHEMA, Column, Schema
from ptvc.repr.types import INT4, TEXT
from ptvc.storage.connectors import AskedOutput, Stored, open_ingestion
from ptvc.storage.envelope import EnvelopeKind
from ptvc.storage.ingestion import Ingestion
from ptvc.storage.projection import Projection
from ptvc.storage.row_filter import RowFilter
from ptvc.storage.source.file_options import FileOptions
from ptvc.storage.upsert.scratch import Scratch

SCHEMA = Schema((Column("a", INT4), Column("b", TEXT), Column("v", INT4), Column("w", TEXT)))
KEY = (0, 1)
RECORDED = Schema((Column("position", TEXT),))


class Output:
    """What the committer made durable: rows, errors, position, and what was recorded beside that."""

    def __init__(
        self,
        directory: Path,
        kind: EnvelopeKind,
        chunk_bytes: int,
        scratch: Scratch | None = None,
        where: RowFilter | None = None,
        projection: Projection | None = None,
    ) -> None:
        self.schema = SCHEMA if projection is None else projection.schema
        self.asked = {"s": AskedOutput("", self.schema, where=where, projection=projection)}
        self.scratch = scratch
        self.options = FileOptions(str(directory), "json")
        self.kind = kind
        self.chunk_bytes = chunk_bytes
        self.rows = concat_batches(self.schema, [])
        self.errs = concat_batches(ERROR_SCHEMA, [])
        self.recorded = concat_batches(RECORDED, [])
        self.position: str | None = None
        self.time = 0
        self.ingestion = self.restart()

    def restart(self) -> Ingestion:
        rows, recorded = (
            [batch.slice(0, len(batch) // 2), batch.slice(len(batch) // 2, len(batch))]
            for batch in (self.rows, self.recorded)
        )
        self.ingestion = open_ingestion(
            self.options, self.asked, KEY, self.kind, ManualClock(),
            position=self.position, stored=Stored(rows, recorded), scratch=self.scratch,
            chunk_bytes=self.chunk_bytes,
        )  # fmt: skip
        return self.ingestion

    def step(self, outcome: str = "commit") -> bool:
        ingest = self.ingestion.advance()
        if ingest is None:
            return False
        if outcome == "abort":
            self.ingestion.aborted()
            return True
        self.time += 1
        if (changes := ingest.outputs.get("s")) is not None:
            self.rows = concat_batches(self.schema, [self.rows, changes.oks.at(self.time)])
            self.errs = concat_batches(ERROR_SCHEMA, [self.errs, changes.errs.at(self.time)])
        if ingest.recorded is not None:
            self.recorded = concat_batches(RECORDED, [self.recorded, ingest.recorded.at(self.time)])
        self.position = ingest.position
        if outcome == "crash":  # durable, but the process did not live to hear of it
            self.restart()
        else:
            self.ingestion.committed(self.time)
        return True

    def current(self) -> Multiset[tuple[Any, ...]]:
        return collect(self.rows)

    def errors(self) -> Multiset[tuple[Any, ...]]:
        return collect(self.errs)


def collect(batch: Batch) -> Multiset[tuple[Any, ...]]:
    total: Multiset[tuple[Any, ...]] = Multiset()
    for *row, diff in zip(*(c.to_pylist() for c in batch.columns), batch.diffs.tolist(), strict=True):
        total[tuple(row)] += diff
    return Multiset({row: count for row, count in total.items() if count})


def text_of(kind: str, a: int, b: str, v: Any, random: Random) -> str:
    match kind:
        case "put":
            return json.dumps({"a": a, "b": b, "v": v, "w": f"w{v}"})
        case "delete":
            return json.dumps({"a": a, "b": b})
        case "bad":
            return json.dumps({"a": a, "b": b, "v": "oops"})
    return random.choice(
        ["junk", '{"a": 1}', '{"a": "x", "b": "y", "v": 1}', '{"a": null, "b": "q", "v": 1}']
    )
