"""The last keys of requests that a source has taken: a request whose key is among them is not written again.

They are rows of a shard beside the source's, which changes in the transactions that write the source's rows: a key is known
exactly when its rows are durable.  With each new key the oldest goes, so that there are never more than a number of them.
"""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ...repr.batch import Batch, batch_from_rows, concat_batches
from ..storage.shards import KEYS_SCHEMA

DIGEST_BYTES = 16
MOST_BYTES = 255
"""Of a key."""


def digest(body: bytes) -> bytes:
    """By which two bodies under one key are told apart."""
    return hashlib.blake2b(body, digest_size=DIGEST_BYTES).digest()


@dataclass(frozen=True, slots=True)
class KeyChange:
    """Keys that come, each with its number and its digest, and so many of the oldest that go."""

    added: Mapping[str, tuple[int, bytes]]
    gone: Sequence[tuple[str, tuple[int, bytes]]]

    def rows(self) -> Batch:
        """As changes of the shard, at no time yet."""
        parts = [
            batch_from_rows(KEYS_SCHEMA, [(key, found, number) for key, (number, found) in entries], 0, diff)
            for entries, diff in ((self.added.items(), 1), (self.gone, -1))
        ]
        return concat_batches(KEYS_SCHEMA, parts)


class KeyWindow:
    """In memory, as the shard has it."""

    def __init__(self, stored: Batch) -> None:
        rows = zip(*(column.to_pylist() for column in stored.columns), strict=True)
        ordered = sorted(rows, key=lambda row: row[2])
        self._keys: OrderedDict[str, tuple[int, bytes]] = OrderedDict(
            (key, (number, found)) for key, found, number in ordered
        )
        self._next = ordered[-1][2] + 1 if ordered else 0

    def __len__(self) -> int:
        return len(self._keys)

    def digest_of(self, key: str) -> bytes | None:
        """That of the body which came with the key; None of a key that is not known."""
        found = self._keys.get(key)
        return None if found is None else found[1]

    def change(self, added: Mapping[str, bytes], most: int) -> KeyChange:
        """What it takes to know these keys as well, and no more than `most` in all."""
        last = list(added.items())[-most:] if most else []
        numbered = {key: (self._next + place, found) for place, (key, found) in enumerate(last)}
        surplus = max(len(self._keys) + len(numbered) - most, 0)
        oldest = [entry for entry, _ in zip(self._keys.items(), range(surplus), strict=False)]
        return KeyChange(numbered, oldest)

    def apply(self, change: KeyChange) -> None:
        """The change is durable."""
        for key, _ in change.gone:
            del self._keys[key]
        self._keys.update(change.added)
        self._next += len(change.added)
