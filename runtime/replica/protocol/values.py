"""Values in messages that are no objects of the vocabulary: bytes and arrays, which are buffers, and those of a field that may hold
anything, as a key or a literal.  A value of the latter that JSON does not have is a list of a mark and what it is made of.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any, Protocol

import numpy as np
import pyarrow as pa

from ...errors import PtvcError

Raw = Any
"""What JSON has."""

PLAIN = frozenset({type(None), bool, int, float, str})
"""Types that JSON has."""
_WORDS = np.dtype("<u8")


class ProtocolError(PtvcError):
    """The other end does not keep to the protocol: the connection ends."""

    sqlstate = "08P01"


class Writing(Protocol):
    """A message that is being encoded."""

    def put(self, value: Any) -> int:
        """The place of the row of an object of the vocabulary."""

    def keep(self, data: bytes) -> int:
        """The place of a buffer."""


class Reading(Protocol):
    """A message that is being decoded: the objects of the rows so far, and the buffers."""

    objects: list[Any]
    buffers: list[bytes]


def bad_type(found: set[type]) -> ProtocolError:
    names = ", ".join(sorted(one.__name__ for one in found))
    return ProtocolError(f"{names} is where none may be")


def write_bytes(value: bytes, writing: Writing) -> Raw:
    return writing.keep(value)


def read_bytes(place: int, reading: Reading) -> bytes:
    if place < 0:
        raise ProtocolError("there is no such buffer")
    return reading.buffers[place]


def write_words(value: Any, writing: Writing) -> Raw:
    return writing.keep(np.ascontiguousarray(value, _WORDS).tobytes())


def read_words(place: int, reading: Reading) -> Any:
    return np.frombuffer(read_bytes(place, reading), _WORDS).astype(np.uint64, copy=False)


def write_array(value: pa.Array, writing: Writing) -> Raw:
    batch = pa.record_batch([value], ["values"])
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, batch.schema) as stream:
        stream.write_batch(batch)
    return writing.keep(sink.getvalue().to_pybytes())


def read_array(place: int, reading: Reading) -> pa.Array:
    with pa.ipc.open_stream(read_bytes(place, reading)) as stream:
        batch = stream.read_next_batch()
    batch.validate(full=True)
    return batch.column(0)


def _timedelta(text: str) -> timedelta:
    days, seconds, microseconds = map(int, text.split())
    return timedelta(days, seconds, microseconds)


_TEXTS: dict[Any, tuple[str, Callable[[Any], str]]] = {
    Decimal: ("decimal", str),
    date: ("date", date.isoformat),
    datetime: ("datetime", datetime.isoformat),
    time: ("time", time.isoformat),
    timedelta: ("timedelta", lambda value: f"{value.days} {value.seconds} {value.microseconds}"),
}
_OF_TEXT: dict[str, Callable[[str], Any]] = {
    "decimal": Decimal,
    "date": date.fromisoformat,
    "datetime": datetime.fromisoformat,
    "time": time.fromisoformat,
    "timedelta": _timedelta,
}
"""Values of keys and literals that cross as a mark and a text."""


def write_any(value: Any, writing: Writing) -> Raw:
    kind = type(value)
    if kind in PLAIN:
        return value
    if kind is tuple:
        return ["tuple", *[write_any(one, writing) for one in value]]
    if kind is list:
        return ["list", *[write_any(one, writing) for one in value]]
    if kind is dict:
        return ["dict", *[write_any(one, writing) for pair in value.items() for one in pair]]
    if kind is bytes:
        return ["bytes", writing.keep(value)]
    if kind in _TEXTS:
        mark, to_text = _TEXTS[kind]
        return [mark, to_text(value)]
    return ["object", writing.put(value)]


def read_any(raw: Raw, reading: Reading) -> Any:
    kind = type(raw)
    if kind in PLAIN:
        return raw
    if kind is not list:
        raise bad_type({kind})
    match raw:
        case ["tuple", *values]:
            return tuple([read_any(one, reading) for one in values])
        case ["list", *values]:
            return [read_any(one, reading) for one in values]
        case ["dict", *values]:
            found = [read_any(one, reading) for one in values]
            return dict(zip(found[::2], found[1::2], strict=True))
        case ["bytes", int(place)]:
            return read_bytes(place, reading)
        case ["object", int(place)] if place >= 0:
            return reading.objects[place]
        case [str(mark), str(text)] if mark in _OF_TEXT:
            return _OF_TEXT[mark](text)
    raise ProtocolError("a value is of a kind that does not exist")
