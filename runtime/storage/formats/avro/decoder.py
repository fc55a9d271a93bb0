"""Payloads of one writer's schema as raw columns of a reader's: all at once, and those in doubt one by one."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from .cursor import Cursor, Ints, Payloads
from .nodes import raw_type
from .place import Malformed, Place
from .resolution import resolve
from .schema import Type

_AT_ONCE = 16_384
"""Payloads whose places and values stay in the processor's cache."""


@dataclass(frozen=True, slots=True)
class RawValues:
    """`values` has one per payload; those of `bad` are in error, for `reasons`, and mean nothing."""

    values: pa.Array
    bad: Ints
    reasons: tuple[str, ...]


class RawDecoder:
    def __init__(self, writer: Type, reader: Type) -> None:
        self._node = resolve(writer, reader)
        self._type = raw_type(reader)

    def decode(self, payloads: Payloads, starts: Ints, ends: Ints) -> RawValues:
        """`starts` and `ends` are of the payloads in the buffer, and ascend."""
        parts: list[pa.Array] = []
        bad: list[int] = []
        reasons: list[str] = []
        for first in range(0, len(starts), _AT_ONCE):
            piece = slice(first, first + _AT_ONCE)
            cursor = Cursor.over(payloads, starts[piece], ends[piece])
            values = self._node.read(cursor)
            doubtful = np.flatnonzero(cursor.bad | (cursor.at != cursor.end))
            if len(doubtful):
                found = []
                for row in doubtful.tolist():
                    begin, end = int(starts[first + row]), int(ends[first + row])
                    try:
                        found.append(self.one(payloads.data[begin:end].tobytes()))
                    except Malformed as error:
                        found.append(None)
                        bad.append(first + row)
                        reasons.append(str(error))
                order = np.arange(len(values))
                order[doubtful] = len(values) + np.arange(len(doubtful))
                values = pa.concat_arrays([values, pa.array(found, self._type)]).take(pa.array(order))
            parts.append(values)
        together = pa.concat_arrays(parts) if parts else pa.array([], self._type)
        return RawValues(together, np.array(bad, np.int64), tuple(reasons))

    def one(self, payload: bytes) -> object:
        """The raw value of one payload.  Raises Malformed."""
        place = Place(payload)
        value = self._node.one(place)
        place.finish()
        return value
