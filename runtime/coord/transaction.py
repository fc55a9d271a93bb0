"""A session's transaction: what it has read, what it will write.

Writes wait, encoded, until COMMIT makes them durable together at one time.  What a write was computed from is checked
then: if somebody has written to it since, the transaction is refused (40001), or, for a single statement, run again.
"""

from __future__ import annotations

import enum
from collections.abc import Callable
from dataclasses import dataclass, field

from ..expr.relation import GlobalId
from ..persist.client import PartRef
from .catalog import Shape
from .key_counts import KeyCounts


class TransactionKind(enum.Enum):
    IMPLICIT = "implicit"  # one statement, or the statements of one simple Query or up to one Sync
    EXPLICIT = "explicit"  # BEGIN ... COMMIT


@dataclass(slots=True)
class Transaction:
    """`time` is fixed by the first read of a block; `expect` are the tables that writes were computed from, with
    the time of reading; `failed` holds after an error until the block ends; `batch` is an implicit transaction of
    several statements; `keys` are the changes to the keys of unique constraints, by the constraint's oid, and
    `upserted` those of them that an ON CONFLICT looked at; `shapes` is what the written rows were made for."""

    kind: TransactionKind
    now_us: int
    read_only: bool = False
    time: int | None = None
    failed: bool = False
    batch: bool = False
    writes: dict[GlobalId, list[PartRef]] = field(default_factory=dict)
    expect: dict[GlobalId, int] = field(default_factory=dict)
    keys: dict[int, KeyCounts] = field(default_factory=dict)
    upserted: set[int] = field(default_factory=set)
    shapes: dict[GlobalId, Shape] = field(default_factory=dict)
    _release: Callable[[], None] | None = None

    @property
    def single(self) -> bool:
        """Nothing but one statement, which may commit at once and be run again."""
        return self.kind is TransactionKind.IMPLICIT and not self.batch

    def fix_time(self, time: int, hold: Callable[[int], Callable[[], None]]) -> None:
        """All reads from now on are at `time`, which stays readable until `end`."""
        self.time = time
        self._release = hold(time)

    def end(self) -> None:
        if self._release is not None:
            self._release()
            self._release = None

    def overlay(self) -> dict[GlobalId, tuple[PartRef, ...]]:
        return {id_: tuple(parts) for id_, parts in self.writes.items()}

    def add(self, id: GlobalId, parts: tuple[PartRef, ...]) -> None:
        if parts:
            self.writes.setdefault(id, []).extend(parts)

    def forget(self) -> None:
        """Nothing of what would have been written is."""
        self.writes.clear()
        self.expect.clear()
        self.keys.clear()
        self.upserted.clear()
        self.shapes.clear()

    def read_for_write(self, ids: set[GlobalId], time: int) -> None:
        for id_ in ids:
            self.expect[id_] = min(time, self.expect.get(id_, time))
