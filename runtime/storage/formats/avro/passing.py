"""Passing over records that contain themselves: nothing of them is read but where they end.

The first levels are passed over in columns, each when a payload has it. What lies deeper is passed over payload by payload, and without
recursion: how deep a value is, only its bytes say.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from .collections import block
from .cursor import Cursor
from .nodes import Node
from .place import Malformed, Place
from .schema import Again, Array, Enum, Fixed, Map, Primitive, Record, Type, Union

MOST_LEVELS = 16
"""Of values within each other that are passed over in columns."""
_INT = 1 << 31
_TEXT = Primitive("string")
_BYTES = {"boolean": 1, "float": 4, "double": 8}


@dataclass(frozen=True, slots=True)
class _Items:
    """So many are left of a block of an array, or of a map, in which each has the `parts` one after the other."""

    count: int
    parts: tuple[Type, ...]


def pass_over(place: Place, type_: Type, records: Mapping[str, Record]) -> None:
    """Over a value of the type.  Raises Malformed."""
    left: list[Type | _Items] = [type_]
    while left:
        match left.pop():
            case Primitive(kind="null"):
                continue
            case Primitive(kind="int" | "long" as kind):
                value = place.number()
                if kind == "int" and not -_INT <= value < _INT:
                    raise Malformed(f"{value} is no int: it has more than 32 bits")
            case Primitive(kind="bytes" | "string"):
                place.sized()
            case Primitive(kind=kind):
                found = place.take(_BYTES[kind])
                if kind == "boolean" and found[0] > 1:
                    raise Malformed(f"{found[0]} is no boolean")
            case Fixed(size=size):
                place.take(size)
            case Enum(symbols=symbols):
                _number_below(len(symbols), place, "a symbol")
            case Union(branches=branches):
                left.append(branches[_number_below(len(branches), place, "a branch")])
            case Record(fields=fields):
                left += [field.type for field in reversed(fields)]
            case Again(name=name):
                left.append(records[name])
            case Array(items=items):
                left.append(_Items(0, (items,)))
            case Map(values=values):
                left.append(_Items(0, (_TEXT, values)))
            case _Items(count=count, parts=parts):
                if count := count or block(place):
                    left.append(_Items(count - 1, parts) if count > 1 else _Items(0, parts))
                    left += reversed(parts)


def _number_below(most: int, place: Place, what: str) -> int:
    number = place.number()
    if not 0 <= number < most:
        raise Malformed(f"{number} is no number of {what}, of which there are {most}")
    return number


class PassedNode:
    """Of a record that contains itself: NULL. `inner` makes what passes over it in columns; None: it lies too deep for that."""

    def __init__(
        self, record: Record, records: Mapping[str, Record], inner: Callable[[], Node] | None
    ) -> None:
        self._record = record
        self._records = records
        self._inner = inner
        self._made: Node | None = None

    def read(self, cursor: Cursor) -> pa.Array:
        self.skip(cursor)
        return pa.nulls(len(cursor))

    def skip(self, cursor: Cursor) -> None:
        if not len(cursor):
            return
        if self._inner is None:
            cursor.mark(np.ones(len(cursor), np.bool_))
            return
        if self._made is None:
            self._made = self._inner()
        self._made.skip(cursor)

    def one(self, place: Place) -> None:
        pass_over(place, self._record, self._records)
