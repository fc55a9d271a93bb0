"""The contents of tables at one place of the database's log, piece by piece."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar

import pyarrow as pa

from ...statistics import OutputId
from ..directory import SourceStalled

L = TypeVar("L")
"""A place in the log."""


class StillWaiting(SourceStalled):
    """For something upstream: nothing is given up meanwhile."""


@dataclass(frozen=True, slots=True)
class Part:
    """Rows of one table, by column of the table."""

    table: OutputId
    columns: tuple[pa.Array, ...]
    rows: int
    nbytes: int


@dataclass(frozen=True, slots=True)
class Piece:
    """A part, None where no table has rows.  `known` are guesses of how many each table has, `staged` how many came of each with this piece;
    where no `more` follow these are all."""

    part: Part | None
    known: Mapping[OutputId, int]
    staged: Mapping[OutputId, int]
    more: bool


class Snapshot(ABC, Generic[L]):
    """Of tables, by output.  It holds connections until it is closed."""

    def __init__(self, tables: Iterable[OutputId]) -> None:
        self._staged = dict.fromkeys(tables, 0)
        self._guesses = dict(self._staged)
        self._parts: Iterator[Part | None] | None = None
        self._ahead: deque[Part] = deque()

    @property
    @abstractmethod
    def place(self) -> L:
        """What was committed before it is in the snapshot; as long as that is not `ready`, a place that is not behind it."""

    def ready(self, wait_s: float = 0.0) -> bool:
        """Whether there are pieces to come, which is waited for a little."""
        return True

    def check_waiting(self) -> None:
        """Raises StillWaiting when it has waited for long for what others do upstream, and says for what."""

    def ended(self) -> Mapping[OutputId, str]:
        """Tables that are not what they were when they were asked for, and why: nothing is read of them."""
        return {}

    @abstractmethod
    def close(self) -> None: ...

    @abstractmethod
    def parts(self, max_bytes: int) -> Iterator[Part | None]:
        """All contents, in parts of some `max_bytes`; None as long as the next is not there."""

    def piece(self, max_bytes: int) -> Piece | None:
        """The next one, None: it is not there yet.  The connections are closed with the last."""
        if self._parts is None:
            self._parts = self.parts(max_bytes)
        # One ahead, so that it is known which is the last.
        while len(self._ahead) < 2:
            try:
                part = next(self._parts)
            except StopIteration:
                break
            if part is None:
                return None
            self._ahead.append(part)
        more = len(self._ahead) > 1
        if not more:
            self.close()
        now = self._ahead.popleft() if self._ahead else None
        if now is not None:
            self._staged[now.table] += now.rows
        known = {
            id_: max(staged + 1, self._guesses[id_]) if more else staged
            for id_, staged in self._staged.items()
        }
        return Piece(now, known, dict(self._staged), more)
