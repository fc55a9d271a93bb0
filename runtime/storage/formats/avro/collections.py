"""Arrays and maps: their first items of all payloads at once, then their second ones, and so on.

Where few payloads have that many items, they are read one by one instead.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa

from .cursor import Cursor, Ints
from .nodes import BytesNode, Node
from .place import Malformed, Place

_FEW, _ROUNDS = 32, 64
"""After so many rounds, fewer payloads than these are not worth another one."""


class ArrayNode:
    def __init__(self, items: Node) -> None:
        self._items = items

    def read(self, cursor: Cursor) -> pa.Array:
        parts = [(rows, cursor.within(rows, self._items.read)) for rows in _rounds(cursor)]
        if not parts:
            empty = self._items.read(_nowhere(cursor))
            return pa.ListArray.from_arrays(pa.array(np.zeros(len(cursor) + 1, np.int32)), empty)
        owners = np.concatenate([rows for rows, _ in parts])
        values = pa.concat_arrays([part for _, part in parts])
        if len(parts) > 1:
            order = np.argsort(owners, kind="stable")
            values = values.take(pa.array(order))
        counts = np.bincount(owners, minlength=len(cursor))
        offsets = np.concatenate(([0], np.cumsum(counts))).astype(np.int32)
        return pa.ListArray.from_arrays(pa.array(offsets), values)

    def skip(self, cursor: Cursor) -> None:
        for rows in _rounds(cursor):
            cursor.within(rows, self._items.skip)

    def one(self, place: Place) -> list[Any]:
        found: list[Any] = []
        while count := block(place):
            found += [self._items.one(place) for _ in range(count)]
        return found


class EntryNode:
    """What a map has for each key: a map is read as an array of these."""

    def __init__(self, values: Node, type_: pa.DataType) -> None:
        self._keys = BytesNode(text=True)
        self._values = values
        self._fields = [pa.field("key", pa.string()), pa.field("value", type_)]

    def read(self, cursor: Cursor) -> pa.Array:
        keys = self._keys.read(cursor)
        return pa.StructArray.from_arrays([keys, self._values.read(cursor)], fields=self._fields)

    def skip(self, cursor: Cursor) -> None:
        self._keys.skip(cursor)
        self._values.skip(cursor)

    def one(self, place: Place) -> dict[str, Any]:
        key = self._keys.one(place)
        return {"key": key, "value": self._values.one(place)}


def _rounds(cursor: Cursor) -> Iterator[Ints]:
    """The rows that have a next item, in front of which their places are, until there are none."""
    left = _blocks(cursor)
    rounds = 0
    while len(rows := np.flatnonzero((left > 0) & ~cursor.bad)):
        if rounds >= _ROUNDS and len(rows) < _FEW:
            cursor.bad[rows] = True
            return
        yield rows
        rounds += 1
        left[rows] -= 1
        ended = rows[left[rows] == 0]
        if len(ended):
            left[ended] = cursor.within(ended, _blocks)


def _blocks(cursor: Cursor) -> Ints:
    """How many items a block has: a number below zero has the block's bytes behind it."""
    counts = cursor.number()
    sized = np.flatnonzero(counts < 0)
    if len(sized):
        cursor.within(sized, Cursor.number)
        counts[sized] = -counts[sized]
        cursor.mark(counts < 0)  # the least number of all has no opposite
    return counts


def block(place: Place) -> int:
    """How many items the block has that begins here."""
    count = place.number()
    if count < 0:
        place.number()
        count = -count
    if count >> 63:
        raise Malformed("a block of more items than there can be")
    return count


def _nowhere(cursor: Cursor) -> Cursor:
    none = np.empty(0, np.int64)
    return Cursor(cursor.payloads, none, none, np.empty(0, np.bool_))
