"""A source of several outputs: whatever is cut, aborted, restarted, added or dropped, each is as of the one position."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from random import Random
from typing import Any

import pytest
from ptvc.clock import ManualClock
from ptvc.storage.connectors import AskedOutput, asked_outputs, open_ingestion
from ptvc.storage.envelope import EnvelopeKind
from ptvc.storage.ingestion import PROGRESS, Ingest, Ingestion
from ptvc.storage.source.generator import tpch
from ptvc.storage.source.generator.options import GeneratorOptions
from ptvc.storage.source.generator.ticking import PROGRESS_SCHEMA

from .folded import OPTIONS, Tables, add, contents, make

START = 5_000


class Source:
    """A source, and what the committer has made durable of it: the position, and each output."""

    def __init__(self, options: GeneratorOptions, *references: str) -> None:
        self.options = options
        self.generator = make(options)
        self.clock = ManualClock(START)
        self.position: str | None = None
        self.tables: Tables = {}
        self.asked: dict[str, AskedOutput] = {}
        self._ids = 0
        for reference in references:
            self.add(reference, now=False)
        self.ingestion = self.restart()

    def restart(self) -> Ingestion:
        self.ingestion = open_ingestion(
            self.options, self.asked, (), EnvelopeKind.NONE, self.clock, position=self.position, chunk_bytes=5_000
        )  # fmt: skip
        return self.ingestion

    def add(self, reference: str, now: bool = True) -> str:
        self._ids += 1
        table = reference.rpartition(".")[2]
        schema = PROGRESS_SCHEMA if reference == PROGRESS else self.generator.tables[table]
        id_ = f"u{self._ids}"
        self.asked[id_] = AskedOutput(reference, schema)
        self.tables[id_] = Counter()
        if now:
            self.ingestion.set_outputs(asked_outputs(self.asked))
        return id_

    def drop(self, id: str) -> None:
        del self.asked[id], self.tables[id]
        self.ingestion.set_outputs(asked_outputs(self.asked))

    def step(self, outcome: str = "commit") -> bool:
        """One transaction, in all its pieces; it may be cut behind any of them."""
        staged: list[Ingest] = []
        while (ingest := self.ingestion.advance()) is not None:
            staged.append(ingest)
            if ingest.complete:
                break
            if outcome == "cut":
                self.restart()
                return True
            self.ingestion.staged()
        if not staged:
            return False
        if outcome == "abort":
            self.ingestion.aborted()
            return True
        if outcome != "cut":
            for piece in staged:
                add(self.tables, {id_: changes.oks for id_, changes in piece.outputs.items()})
            self.position = staged[-1].position
        if outcome == "commit":
            self.ingestion.committed(1)
        else:
            self.restart()
        return True

    def read(self) -> dict[str, Any]:
        assert self.position is not None
        found: dict[str, Any] = json.loads(self.position)["read"]
        return found

    def check(self) -> int:
        """Every output that the position speaks of is as of its tick.  Returns that."""
        read = self.read()
        wanted = contents(self.generator, read["tick"], read["start_ms"])
        for id_ in read["outputs"]:
            if id_ not in self.asked:
                continue
            reference = self.asked[id_].reference
            if reference == PROGRESS:
                assert self.tables[id_] == Counter({(max(read["tick"], 0),): 1})
            else:
                assert self.tables[id_] == wanted[reference.rpartition(".")[2]], reference
        tick: int = read["tick"]
        return tick


@pytest.mark.slow(ordinary=6)
@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("kind", ["auction", "marketing", "tpch"])
def test_outputs_that_come_and_go_are_as_of_the_position(
    kind: str, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    random = Random(seed)
    monkeypatch.setattr(tpch, "PIECE", 70)
    source = Source(OPTIONS[kind], PROGRESS)
    tables = [f"{kind}.{table}" for table in source.generator.tables]
    last = 0
    for _ in range(25):
        source.clock.advance(random.randrange(200))
        if random.random() < 0.4:
            source.add(random.choice(tables))
        if source.asked and random.random() < 0.2:
            source.drop(random.choice(sorted(source.asked)))
        while source.step(random.choices(["commit", "abort", "crash", "cut"], [6, 2, 2, 1])[0]):
            if source.position is not None:
                tick = source.check()
                assert tick >= last
                last = tick
        if source.asked and source.position is not None:
            source.check()
            assert set(source.read()["outputs"]) >= set(source.asked)
    assert last > 50


def test_a_tick_is_never_in_two_transactions() -> None:
    source = Source(OPTIONS["tpch"], "orders", "lineitem")
    assert source.step()
    source.clock.advance(1_000)
    steps = 0
    while source.step():
        steps += 1
        source.check()
    assert source.check() == 100
    assert steps > 10  # some ticks each


def test_a_source_without_tables_waits() -> None:
    source = Source(OPTIONS["auction"])
    source.clock.advance(10_000)
    assert not source.step()
    source.add("bids")
    assert source.step()
    assert source.check() == 0  # it begins with its first table


@pytest.mark.parametrize(
    ("as_of", "up_to", "last"), [(0, 20, 20), (15, 20, 20), (30, 30, 30), (7, None, 107)]
)
def test_as_of_and_up_to(as_of: int, up_to: int | None, last: int) -> None:
    source = Source(replace(OPTIONS["auction"], as_of=as_of, up_to=up_to), "auctions", "bids", PROGRESS)
    assert source.step()
    assert source.check() == as_of
    source.clock.advance(1_000)
    while source.step():
        pass
    assert source.check() == last
    bids = [row for id_ in source.tables for row in source.tables[id_] if len(row) == 5]
    assert min(row[4] for row in bids).timestamp() * 1_000 >= START - 10 * as_of


@pytest.mark.parametrize("rounds", [1, 3])
def test_rounds_of_keys_that_are_seen_one_by_one(rounds: int) -> None:
    options = replace(
        OPTIONS["key_value"], snapshot_rounds=rounds, transactional_snapshot=False, tick_ms=None
    )
    source = Source(options, "")
    values = set()
    steps = 0
    while source.step():
        source.check()
        steps += 1
        values |= {row[2] for row in source.tables["u1"]}
    assert steps == rounds
    assert len(values) == rounds * options.keys
    whole = Source(replace(options, transactional_snapshot=True), "")
    assert whole.step()
    assert not whole.step()
    assert whole.tables == source.tables


def test_statistics(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tpch, "PIECE", 100)
    source = Source(OPTIONS["tpch"], "orders")
    first = source.ingestion.advance()
    assert first is not None
    assert not first.complete
    source.ingestion.staged()
    now = source.ingestion.statistics
    orders = now.outputs["u1"]
    assert (orders.snapshot_records_known, orders.snapshot_records_staged) == (300, 100)
    assert (orders.updates_staged, orders.updates_committed, orders.snapshot_committed) == (100, 0, False)
    assert (now.received, now.records) == (100, 0)
    second, third = source.ingestion.advance(), None
    source.ingestion.staged()
    third = source.ingestion.advance()
    assert second is not None
    assert third is not None
    assert third.complete
    source.ingestion.committed(1)
    source.position = third.position
    now = source.ingestion.statistics
    orders = now.outputs["u1"]
    assert (orders.updates_staged, orders.updates_committed, orders.snapshot_committed) == (300, 300, True)
    assert (now.records, now.offset_known, now.offset_committed) == (300, 0, 0)
    source.clock.advance(40)
    assert source.step()
    assert source.ingestion.statistics.lag_bytes > 0
    assert source.step()
    assert not source.step()
    now = source.ingestion.statistics
    assert (now.offset_known, now.offset_committed, now.lag_bytes) == (4, 4, 0)
    assert now.outputs["u1"].updates_committed == 308
    source.clock.advance(10)
    assert source.step("abort")
    now = source.ingestion.statistics
    assert (now.offset_committed, now.outputs["u1"].updates_staged) == (4, 310)
    assert now.outputs["u1"].updates_committed == 308
    assert now.records == 308
    assert source.step()
    assert source.ingestion.statistics.outputs["u1"].updates_committed == 310
