"""What a source over a lake's table has made durable: steps that are committed, aborted, given up, or not heard of."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from random import Random
from typing import Any

from ptvc.clock import SystemClock
from ptvc.repr.schema import Schema
from ptvc.storage.connections.values import Values
from ptvc.storage.connectors import AskedOutput, Options, open_ingestion
from ptvc.storage.envelope import EnvelopeKind
from ptvc.storage.ingestion import Ingest, Ingestion
from ptvc.storage.statistics import Status

Rows = Counter[tuple[Any, ...]]


class Reader:
    """`seen` are the contents after each commit."""

    def __init__(
        self,
        options: Options,
        schema: Schema,
        connections: Mapping[str, Values] | None = None,
        *,
        asked: AskedOutput | None = None,
        chunk_bytes: int = 8 << 20,
    ) -> None:
        self._options = options
        self._asked = asked or AskedOutput("", schema)
        self._connections = connections or {}
        self._chunk_bytes = chunk_bytes
        self.position: str | None = None
        self.rows: Rows = Counter()
        self.errors: Rows = Counter()
        self.seen: list[Rows] = []
        self.updates: list[int] = []
        """How many each commit had."""
        self.ingestion = self.open()

    def open(self) -> Ingestion:
        self.ingestion = open_ingestion(
            self._options,
            {"s": self._asked},
            (),
            EnvelopeKind.NONE,
            SystemClock(),
            position=self.position,
            connections=self._connections,
            chunk_bytes=self._chunk_bytes,
        )
        return self.ingestion

    def restart(self) -> None:
        self.ingestion.close()
        self.open()

    def step(self, random: Random | None = None) -> bool:
        """One transaction, which `random` may abort or give up; False: there is nothing."""
        staged: list[Ingest] = []
        for _ in range(1000):
            ingest = self.ingestion.advance()
            if ingest is None:
                if self.ingestion.in_transaction or self._is_at_work:
                    continue
                return False
            staged.append(ingest)
            fate = 1.0 if random is None else random.random()
            if fate < 0.1:
                self.ingestion.aborted()
                return True
            if fate < 0.2:
                self.restart()
                return True
            if ingest.complete:
                self._commit(staged)
                if 0.2 < fate < 0.3:
                    self.restart()  # durable, but the process did not live to hear of it
                else:
                    self.ingestion.committed(1)
                return True
            self.ingestion.staged()
        raise AssertionError("no end")

    @property
    def _is_at_work(self) -> bool:
        """Whether a commit is being read of which nothing could be handed out yet."""
        return getattr(self.ingestion._connector, "_commit", None) is not None

    def drain(self, random: Random | None = None) -> None:
        while self.step(random):
            pass
        assert self.ingestion.statistics.status is Status.RUNNING, self.ingestion.statistics.reason

    def stalled(self) -> str:
        """Why it does not go on."""
        while self.step():
            pass
        assert self.ingestion.statistics.status is Status.STALLED
        return self.ingestion.statistics.reason or ""

    def _commit(self, staged: list[Ingest]) -> None:
        count = 0
        for ingest in staged:
            for changes, total in (
                (ingest.outputs["s"].oks, self.rows),
                (ingest.outputs["s"].errs, self.errors),
            ):
                columns = [column.to_pylist() for column in changes.columns]
                for *row, diff in zip(*columns, changes.diffs.tolist(), strict=True):
                    total[tuple(map(_comparable, row))] += diff
                count += len(changes)
        self.rows = Counter({row: n for row, n in self.rows.items() if n})
        self.errors = Counter({row: n for row, n in self.errors.items() if n})
        assert all(n > 0 for n in (*self.rows.values(), *self.errors.values()))
        self.seen.append(Counter(self.rows))
        self.updates.append(count)
        self.position = staged[-1].position


def _comparable(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value
