"""Messages as bytes, and back: an encoding of our own, so that nothing is made of what arrives but objects of the vocabulary.

```
u32 length of the rows │ u32 number of buffers │ u32 length of each │ rows, as JSON │ buffers
```

A row is an object of the vocabulary: the number of its class, then the values of its fields, as `forms` has them.  It refers to objects in
rows before it by their places, and to bytes by those of buffers.  The last row is the message.  An object that occurs
several times, as a part of a plan may, has one row.
"""

from __future__ import annotations

import json
import struct
from itertools import accumulate, pairwise
from typing import Any

import pyarrow as pa

from .forms import class_form
from .values import ProtocolError
from .vocabulary import class_of, number_of

Message = Any

LARGE = 1 << 16
"""Bytes of so many, or more, are not copied when a message is sent."""
MAX_BYTES = 1 << 30
"""Of a message."""

_HEAD = struct.Struct(">II")
_LENGTH = struct.Struct(">I")
_to_json = json.JSONEncoder(separators=(",", ":"), check_circular=False).encode
_from_json = json.JSONDecoder().raw_decode
_DEFECTS = (
    ArithmeticError,
    LookupError,
    OSError,  # of Arrow
    RecursionError,
    TypeError,
    ValueError,
    struct.error,
    pa.ArrowException,
)
"""What comes of bytes that no encoder has written."""


class _Writing:
    def __init__(self) -> None:
        self.rows: list[list[Any]] = []
        self.buffers: list[bytes] = []
        self._places: dict[int, int] = {}

    def put(self, value: Any) -> int:
        key = id(value)
        found = self._places.get(key)
        if found is not None:
            return found
        cls: Any = type(value)
        number = number_of(cls)
        form = class_form(cls)
        row = [number, *form.values(value)]
        for place, write in form.writes:
            row[place] = write(row[place], self)
        self._places[key] = place = len(self.rows)
        self.rows.append(row)
        return place

    def keep(self, data: bytes) -> int:
        self.buffers.append(data)
        return len(self.buffers) - 1


class _Reading:
    def __init__(self, buffers: list[bytes]) -> None:
        self.objects: list[Any] = []
        self.buffers = buffers

    def take(self, rows: list[Any]) -> None:
        """Makes the objects of rows."""
        made = self.objects.append
        form = None
        try:
            for row in rows:
                form = class_form(class_of(row[0]))
                kinds = (*map(type, row),)
                if kinds not in form.seen:
                    form.check(kinds)
                for place, read in form.reads:
                    row[place] = read(row[place], self)
                made(form.cls(*row[1:]))
        except ProtocolError as error:
            if form is None:
                raise
            raise ProtocolError(f"this is no {form.cls.__name__}: {error.message}") from error


def encode(message: Message) -> list[bytes]:
    """The message, in pieces: bytes of LARGE or more are the very objects that they are in it.  ProtocolError if it is too large."""
    writing = _Writing()
    writing.put(message)
    rows = _to_json(writing.rows).encode("ascii")
    buffers = writing.buffers
    lengths = list(map(len, buffers))
    head = struct.pack(f">{2 + len(lengths)}I", len(rows), len(lengths), *lengths)
    if len(head) + len(rows) + sum(lengths) > MAX_BYTES:
        raise ProtocolError(
            f"a {type(message).__name__} of {len(rows) + sum(lengths)} bytes is too large to be sent",
            sqlstate="54000",
        )
    out = [head + rows]
    for data in buffers:
        if len(data) < LARGE and len(out[-1]) < LARGE:
            out[-1] += data
        else:
            out.append(data)
    return out


def decode(data: bytes) -> Message:
    """The message.  Raises ProtocolError where that is none."""
    try:
        return _decode(data)
    except _DEFECTS as error:
        raise ProtocolError(f"what has arrived is no message: {error}") from error


def _decode(data: bytes) -> Message:
    size, count = _HEAD.unpack_from(data)
    start = _HEAD.size + _LENGTH.size * count
    rows, end = _from_json(data[start : start + size].decode("ascii"), 0)
    if end != size or type(rows) is not list:
        raise ProtocolError("a message is no list of rows")
    ends = list(accumulate(struct.unpack_from(f">{count}I", data, _HEAD.size), initial=start + size))
    if ends[-1] != len(data):
        raise ProtocolError("a message is not as long as it says")
    buffers = [data[start:end] for start, end in pairwise(ends)]
    reading = _Reading(buffers)
    reading.take(rows)
    return reading.objects[-1]
