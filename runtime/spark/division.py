"""The division of a shard's parts into partitions: every row is emitted by one task, with all of its updates summed.

Updates of one row lie in different parts, so a part alone says nothing.  Two ways to divide:

- **By hash.**  Each of n tasks reads all parts, and keeps the rows of one of n ranges of hashes.  Always right; reads n
  times as much.
- **By part.**  A merge that brought the oldest batch to one time has left each row in one of its parts (`PartRef.settled`).
  Call the batch the base, b(r) the copies of a row in it, d(r) the sum of the row's updates in all other parts, the tail:

  ```
  tasks of base parts    max(0, b(r) + min(0, d(r)))     for rows of their own parts
  tasks of the tail      max(0, d(r))                    by hash
  ```

  Together that is b(r) + d(r): what the tail adds needs no base, and what it takes away meets all copies in one task.
  So the base is read once, and the tail, which compaction keeps small, by everyone.

A column that was dropped reads as NULL: rows that were distinct in the base may be equal then, and are divided by hash.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ..persist.client import PartRef
from ..repr.schema import Schema

MAX_RANGES = 64
"""Of hashes: each is one more time that all parts are read."""


@dataclass(frozen=True, slots=True)
class Piece:
    """What one task reads: rows of `base`, and of `rest` what concerns them; or, without a base, of `rest` the rows of the
    range of hashes number `number` of `count`.  `whole`: it has all updates of its rows."""

    base: tuple[PartRef, ...]
    rest: tuple[PartRef, ...]
    number: int = 0
    count: int = 1
    whole: bool = True


def divide(parts: Sequence[PartRef], schema: Schema, piece_bytes: int) -> list[Piece]:
    """Pieces of about `piece_bytes` in memory of a snapshot's parts, which are in order of time; [] for no parts."""
    base = _base(parts, schema)
    if _size(parts) <= piece_bytes or _size(base) <= piece_bytes:
        return by_hash(parts, piece_bytes)
    rest = tuple(part for part in parts if not part.settled or part.settled != base[0].settled)
    pieces = [Piece(group, rest) for group in _groups(base, piece_bytes)]
    return pieces + [replace(piece, whole=False) for piece in by_hash(rest, piece_bytes)]


def by_hash(parts: Sequence[PartRef], piece_bytes: int) -> list[Piece]:
    """Pieces by ranges of hashes only; [] for no parts."""
    count = min(-(-_size(parts) // piece_bytes), MAX_RANGES)
    return [Piece((), tuple(parts), number, count) for number in range(count)]


def by_part(parts: Sequence[PartRef], piece_bytes: int) -> list[Piece]:
    """Pieces of updates that need not be summed over all parts; [] for no parts."""
    return [Piece((), group) for group in _groups(parts, piece_bytes) if group]


def _base(parts: Sequence[PartRef], schema: Schema) -> tuple[PartRef, ...]:
    """The parts of the oldest batch, if no row is in two of them."""
    if not parts or not parts[0].settled or any(column.dropped for column in schema):
        return ()
    return tuple(part for part in parts if part.settled == parts[0].settled)


def _groups(parts: Sequence[PartRef], piece_bytes: int) -> list[tuple[PartRef, ...]]:
    groups: list[list[PartRef]] = [[]]
    size = 0
    for part in parts:
        if groups[-1] and size + part.decoded_nbytes > piece_bytes:
            groups.append([])
            size = 0
        groups[-1].append(part)
        size += part.decoded_nbytes
    return [tuple(group) for group in groups]


def _size(parts: Sequence[PartRef]) -> int:
    return sum(part.decoded_nbytes for part in parts)
