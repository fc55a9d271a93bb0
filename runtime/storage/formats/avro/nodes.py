"""What reads values of one type that a writer wrote, as a reader's type: columns of many payloads, or one payload's value.

Values are raw: what was encoded, in Arrow (`raw_type`), before logical types mean anything.

| type                  | in Arrow                                                        |
|-----------------------|-----------------------------------------------------------------|
| int, long             | int64                                                           |
| string, enum          | string                                                          |
| bytes, fixed          | binary                                                          |
| array, map            | list; of a map a list of structs of `key` and `value`           |
| record                | struct of its fields; null, where it is within itself           |
| union of null and T   | T                                                               |
| other union           | struct of its branches without null, `0`, `1`, ..., one of them |
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from .cursor import Cursor, Ints
from .place import Malformed, Place
from .schema import NULL, Again, Array, Enum, Fixed, Map, Primitive, Record, Type, Union, nullable_of

_PRIMITIVE = {
    "null": pa.null(),
    "boolean": pa.bool_(),
    "int": pa.int64(),
    "long": pa.int64(),
    "float": pa.float32(),
    "double": pa.float64(),
    "bytes": pa.binary(),
    "string": pa.string(),
}
_INT = 1 << 31


def raw_type(type_: Type) -> pa.DataType:
    match type_:
        case Primitive(kind=kind):
            return _PRIMITIVE[kind]
        case Fixed():
            return pa.binary()
        case Enum():
            return pa.string()
        case Array(items=items):
            return pa.list_(raw_type(items))
        case Map(values=values):
            return pa.list_(pa.struct([("key", pa.string()), ("value", raw_type(values))]))
        case Record(fields=fields):
            return pa.struct([(field.name, raw_type(field.type)) for field in fields])
        case Again():
            return pa.null()
        case Union(branches=branches):
            if (inner := nullable_of(type_)) is not None:
                return raw_type(inner)
            present = [branch for branch in branches if branch != NULL]
            return pa.struct([(str(i), raw_type(branch)) for i, branch in enumerate(present)])


class Node(Protocol):
    def read(self, cursor: Cursor) -> pa.Array:
        """A value per place, and the places behind them; those of places that become `bad` mean nothing."""

    def skip(self, cursor: Cursor) -> None:
        """As `read`, without the values."""

    def one(self, place: Place) -> Any:
        """The value as `pa.array` takes it.  Raises Malformed."""


class NullNode:
    """Of no bytes; NULL of any type."""

    def __init__(self, type_: pa.DataType) -> None:
        self._type = type_

    def read(self, cursor: Cursor) -> pa.Array:
        return pa.nulls(len(cursor), self._type)

    def skip(self, cursor: Cursor) -> None:
        """There is nothing to skip."""

    def one(self, place: Place) -> None:
        return None


class BooleanNode:
    def read(self, cursor: Cursor) -> pa.Array:
        byte = cursor.byte()
        cursor.mark(byte > 1)
        return pa.array(byte == 1)

    def skip(self, cursor: Cursor) -> None:
        cursor.mark(cursor.byte() > 1)

    def one(self, place: Place) -> bool:
        (byte,) = place.take(1)
        if byte > 1:
            raise Malformed(f"{byte} is no boolean")
        return byte == 1


class NumberNode:
    """int and long, promoted to `dtype`; an int has 32 bits."""

    def __init__(self, kind: str, dtype: type[np.int64 | np.float32 | np.float64]) -> None:
        self._short = kind == "int"
        self._dtype = dtype

    def read(self, cursor: Cursor) -> pa.Array:
        return pa.array(self._numbers(cursor).astype(self._dtype, copy=False))

    def skip(self, cursor: Cursor) -> None:
        self._numbers(cursor)

    def _numbers(self, cursor: Cursor) -> Ints:
        values = cursor.number()
        if self._short:
            cursor.mark((values < -_INT) | (values >= _INT))
        return values

    def one(self, place: Place) -> Any:
        value = place.number()
        if self._short and not -_INT <= value < _INT:
            raise Malformed(f"{value} is no int: it has more than 32 bits")
        # Not over float64, which would round twice.
        return value if self._dtype is np.int64 else float(np.int64(value).astype(self._dtype))


class FloatNode:
    """float and double, promoted to double if `wide`."""

    def __init__(self, kind: str, *, wide: bool) -> None:
        self._size = 4 if kind == "float" else 8
        self._wide = wide

    def read(self, cursor: Cursor) -> pa.Array:
        values = cursor.float32() if self._size == 4 else cursor.float64()
        return pa.array(values.astype(np.float64, copy=False) if self._wide else values)

    def skip(self, cursor: Cursor) -> None:
        cursor.skip(self._size)

    def one(self, place: Place) -> float:
        return place.float32() if self._size == 4 else place.float64()


class BytesNode:
    """bytes and string, one as the other too: a `text` is UTF-8."""

    def __init__(self, *, text: bool) -> None:
        self._text = text

    def read(self, cursor: Cursor) -> pa.Array:
        found = cursor.binary(*cursor.slices())
        if not self._text:
            return found
        if wrong := _not_utf8(found):
            cursor.bad[wrong] = True
            sound = np.ones(len(found), np.bool_)
            sound[wrong] = False
            found = pc.if_else(pa.array(sound), found, pa.scalar(b""))
        return found.view(pa.string())

    def skip(self, cursor: Cursor) -> None:
        cursor.slices()

    def one(self, place: Place) -> bytes | str:
        return place.text() if self._text else place.sized()


def _not_utf8(found: pa.BinaryArray) -> list[int]:
    """Which values are not UTF-8; they are few, so they are searched for by halves."""
    wrong: list[int] = []
    pending = [(0, len(found))]
    while pending:
        low, high = pending.pop()
        try:
            found[low:high].view(pa.string()).validate(full=True)
        except pa.ArrowInvalid:
            if high - low == 1:
                wrong.append(low)
            else:
                middle = (low + high) // 2
                pending += [(low, middle), (middle, high)]
    return wrong


class FixedNode:
    def __init__(self, size: int) -> None:
        self._size = size

    def read(self, cursor: Cursor) -> pa.Array:
        start = cursor.skip(self._size)
        return cursor.binary(start, cursor.at)

    def skip(self, cursor: Cursor) -> None:
        cursor.skip(self._size)

    def one(self, place: Place) -> bytes:
        return place.take(self._size)


class EnumNode:
    """`symbols` are the writer's, as the reader knows them: None is one that it does not know."""

    def __init__(self, written: Sequence[str], symbols: Sequence[str | None]) -> None:
        self._written = written
        self._symbols = symbols
        self._array = pa.array(symbols, pa.string())
        self._unknown = np.array([symbol is None for symbol in symbols], np.bool_)

    def read(self, cursor: Cursor) -> pa.Array:
        index = cursor.number()
        wrong = (index < 0) | (index >= len(self._symbols))
        index = np.where(wrong, 0, index)
        cursor.mark(wrong | self._unknown[index])
        return self._array.take(pa.array(index))

    def skip(self, cursor: Cursor) -> None:
        index = cursor.number()
        cursor.mark((index < 0) | (index >= len(self._symbols)))

    def one(self, place: Place) -> str:
        index = place.number()
        if not 0 <= index < len(self._symbols):
            raise Malformed(f"{index} is no number of a symbol, of which there are {len(self._symbols)}")
        symbol = self._symbols[index]
        if symbol is None:
            raise Malformed(f'symbol "{self._written[index]}" is not in the enum of the schema to read with')
        return symbol


class UnionNode:
    """A writer's union: which branch, then its value, each read as the same type."""

    def __init__(self, branches: Sequence[Node]) -> None:
        self._branches = branches

    def read(self, cursor: Cursor) -> pa.Array:
        chosen = self._chosen(cursor)
        parts: list[pa.Array] = []
        place = np.empty(len(cursor), np.int64)
        null = np.zeros(len(cursor), np.bool_)
        filled = 0
        for number, branch in enumerate(self._branches):
            rows = np.flatnonzero(chosen == number)
            if len(rows) == len(cursor):
                return branch.read(cursor)
            if isinstance(branch, NullNode):
                null[rows] = True
            elif len(rows):
                parts.append(cursor.within(rows, branch.read))
                place[rows] = np.arange(filled, filled + len(rows))
                filled += len(rows)
        values = parts[0] if len(parts) == 1 else pa.concat_arrays(parts)
        return values.take(pa.array(place, mask=null if null.any() else None))

    def skip(self, cursor: Cursor) -> None:
        chosen = self._chosen(cursor)
        for number, branch in enumerate(self._branches):
            rows = np.flatnonzero(chosen == number)
            if len(rows) == len(cursor):
                branch.skip(cursor)
            elif len(rows) and not isinstance(branch, NullNode):
                cursor.within(rows, branch.skip)

    def _chosen(self, cursor: Cursor) -> Ints:
        number = cursor.number()
        wrong = (number < 0) | (number >= len(self._branches))
        if wrong.any():
            cursor.mark(wrong)
            number = np.where(wrong, 0, number)
        return number

    def one(self, place: Place) -> Any:
        number = place.number()
        if not 0 <= number < len(self._branches):
            raise Malformed(f"{number} is no branch of a union of {len(self._branches)}")
        return self._branches[number].one(place)


class BranchNode:
    """A value as one branch of a reader's union of several: the struct whose field `number` it is."""

    def __init__(self, inner: Node, number: int, type_: pa.StructType) -> None:
        self._inner = inner
        self._number = number
        self._type = type_

    def read(self, cursor: Cursor) -> pa.Array:
        values = self._inner.read(cursor)
        columns = [
            values if i == self._number else pa.nulls(len(values), field.type)
            for i, field in enumerate(self._type)
        ]
        return pa.StructArray.from_arrays(columns, fields=list(self._type))

    def skip(self, cursor: Cursor) -> None:
        self._inner.skip(cursor)

    def one(self, place: Place) -> dict[str, Any]:
        return {str(self._number): self._inner.one(place)}


class RecordNode:
    """The writer's fields in their order: each the value of a field of the reader, or None.  `defaults` are of the reader's other fields."""

    def __init__(
        self,
        fields: Sequence[tuple[str, Node, str | None]],
        defaults: dict[str, Any],
        type_: pa.StructType,
    ) -> None:
        self._fields = fields
        self._defaults = defaults
        self._default_arrays = {
            field.name: pa.array([defaults[field.name]], field.type)
            for field in type_
            if field.name in defaults
        }
        self._type = type_

    def read(self, cursor: Cursor) -> pa.Array:
        columns: dict[str, pa.Array] = {}
        for _, node, target in self._fields:
            if target is None:
                node.skip(cursor)
            else:
                columns[target] = node.read(cursor)
        first = pa.array(np.zeros(len(cursor), np.int64))
        columns |= {name: value.take(first) for name, value in self._default_arrays.items()}
        if not columns:  # of which Arrow does not know how many there are
            return pa.array([{}], self._type).take(first)
        return pa.StructArray.from_arrays([columns[f.name] for f in self._type], fields=list(self._type))

    def skip(self, cursor: Cursor) -> None:
        for _, node, _ in self._fields:
            node.skip(cursor)

    def one(self, place: Place) -> dict[str, Any]:
        values = dict(self._defaults)
        for name, node, target in self._fields:
            try:
                value = node.one(place)
            except Malformed as error:
                raise error.within(name) from None
            if target is not None:
                values[target] = value
        return values


class MismatchNode:
    """What cannot be read as the reader's type: a payload that has such a value is in error."""

    def __init__(self, reason: str, type_: pa.DataType) -> None:
        self._reason = reason
        self._type = type_

    def read(self, cursor: Cursor) -> pa.Array:
        cursor.bad[:] = True
        return pa.nulls(len(cursor), self._type)

    def skip(self, cursor: Cursor) -> None:
        cursor.bad[:] = True

    def one(self, place: Place) -> Any:
        raise Malformed(self._reason)
