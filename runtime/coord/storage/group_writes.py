"""What the requests of a group write that were accepted so far: who comes behind them in the group finds it written."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from ...expr.tree.relation import GlobalId
from ...repr.buffers import Words
from .expectation import KeyId
from .key_counts import KeyCounts

FEW_KEYS = 1_000
"""The changes of requests of so many keys are put together, so that the next one searches few; this is on the event loop."""


class GroupWrites:
    """`tables` are written; of the unique constraints in `unknown` any key may be."""

    def __init__(self) -> None:
        self.tables: set[GlobalId] = set()
        self.unknown: set[KeyId] = set()
        self._few: dict[KeyId, KeyCounts] = {}
        self._many: dict[KeyId, list[KeyCounts]] = {}

    def add(
        self, tables: Collection[GlobalId], keys: Mapping[KeyId, KeyCounts], unknown: Collection[KeyId]
    ) -> None:
        self.tables.update(tables)
        self.unknown.update(unknown)
        for key, counts in keys.items():
            if len(counts) <= FEW_KEYS:
                self._few.setdefault(key, KeyCounts(zeros=True)).merge(counts)
            else:
                self._many.setdefault(key, []).append(counts)

    def changes(self, key: KeyId) -> list[KeyCounts]:
        """To the constraint's keys; for any thread."""
        found = [counts.copy() for counts in self._many.get(key, ())]
        if (few := self._few.get(key)) is not None:
            found.append(few.copy())
        return found

    def touches(self, key: KeyId, hashes: Words) -> bool:
        """Whether one of these keys of the constraint may be written."""
        return key in self.unknown or any(counts.has_any(hashes) for counts in self.changes(key))
