"""A source over tables upstream, without a runtime: what it hands out is committed here, and its position kept."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from time import monotonic, sleep
from typing import Any

from ptvc.clock import SystemClock
from ptvc.repr.schema import Schema
from ptvc.storage.connections.options import ConnectionOptions
from ptvc.storage.connections.values import Values
from ptvc.storage.connectors import AskedOutput, Options, asked_outputs, open_ingestion
from ptvc.storage.envelope import EnvelopeKind
from ptvc.storage.ingestion import PROGRESS, Ingestion, OutputChanges
from ptvc.storage.statistics import Status


class TablesReader(ABC):
    """`contents` and `errors` of each table are those of the last commit; `seen` is called after each."""

    def __init__(self, options: Options, connection: ConnectionOptions, *, chunk_bytes: int) -> None:
        """The options name the connection `c`."""
        self.position: str | None = None
        self.contents: dict[str, Counter[tuple[Any, ...]]] = {}
        self.errors: dict[str, Counter[str]] = {}
        self.asked: dict[str, AskedOutput] = {}
        self.commits = self.pieces = 0
        self.seen: Callable[[], None] = lambda: None
        self._options = options
        self._chunk_bytes = chunk_bytes
        self._ingestion: Ingestion | None = None
        self._staged: list[tuple[str, OutputChanges]] = []
        self._connections = {"c": Values(connection, {})}

    @abstractmethod
    def there(self, name: str) -> Counter[tuple[Any, ...]]:
        """What the table has upstream."""

    def add(self, asked: Mapping[str, AskedOutput]) -> None:
        """These, too, are made of the source."""
        self.asked.update(asked)
        for name in asked:
            self.contents[name], self.errors[name] = Counter(), Counter()
        self._tell()

    def add_progress(self, schema: Schema) -> None:
        self.add({"progress": AskedOutput(PROGRESS, schema)})

    def forget(self, *tables: str) -> None:
        for name in tables:
            del self.asked[name]
        self._tell()

    def _tell(self) -> None:
        if self._ingestion is not None:
            self._ingestion.set_outputs(asked_outputs(self.asked))

    @property
    def ingestion(self) -> Ingestion:
        if self._ingestion is None:
            self._ingestion = open_ingestion(
                self._options,
                self.asked,
                (),
                EnvelopeKind.NONE,
                SystemClock(),
                position=self.position,
                connections=self._connections,
                chunk_bytes=self._chunk_bytes,
            )
        return self._ingestion

    def die(self) -> None:
        """What was not committed is lost."""
        if self._ingestion is not None:
            self._ingestion.close()
        self._ingestion, self._staged = None, []

    def advance(self) -> bool:
        """Commits one transaction; False when there is nothing, or the rest of one is to come."""
        while (complete := self.step()) is False:
            pass
        return complete is True

    def step(self) -> bool | None:
        """Stages a piece (False), or commits a transaction (True); None when there is nothing."""
        ingest = self.ingestion.advance()
        if not self.ingestion.in_transaction:
            self._staged = []
        if ingest is None:
            return None
        self._staged += ingest.outputs.items()
        if ingest.complete:
            staged, self._staged = self._staged, []
            self._commit(staged, ingest.position)
            return True
        self.pieces += 1
        self.ingestion.staged()
        return False

    def _commit(self, staged: Sequence[tuple[str, OutputChanges]], position: str) -> None:
        for id_, changes in staged:
            oks, errs = changes.oks, changes.errs
            rows = zip(*(column.to_pylist() for column in oks.columns), strict=True)
            for row, diff in zip(rows, oks.diffs.tolist(), strict=True):
                self.contents[id_][row] += diff
            for message, diff in zip(errs.columns[1].to_pylist(), errs.diffs.tolist(), strict=True):
                self.errors[id_][message] += diff
            for counted in (self.contents[id_], self.errors[id_]):
                for one in [one for one, count in counted.items() if not count]:
                    del counted[one]
                assert all(count > 0 for count in counted.values()), f"{id_} is no collection of rows"
        self.commits += 1
        self.position = position
        self.ingestion.committed(self.commits)
        self.seen()

    def until(self, condition: Callable[[], Any], timeout_s: float = 30.0) -> None:
        """Advances until it holds."""
        end = monotonic() + timeout_s
        while not condition():
            now = self.ingestion.statistics
            assert monotonic() < end, f"{now.status} {now.reason}, {self.errors}"
            if not self.advance() and now.status is Status.STALLED:
                sleep(0.05)

    def until_stalled(self, text: str) -> None:
        def stalled() -> bool:
            return text in (self.ingestion.statistics.reason or "")

        self.until(stalled)

    def equals(self, *tables: str) -> bool:
        return all(self.contents[name] == self.there(name) for name in tables)
