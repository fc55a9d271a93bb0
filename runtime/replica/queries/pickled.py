"""What a replica tells its query workers: pickled, for it crosses a pair of sockets that only the two have, a worker being a child of its
replica; a 4-byte big-endian length comes before it.
"""

from __future__ import annotations

import operator
import pickle
import socket
import struct
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any

_HEADER = struct.Struct(">I")
_LARGE = 1 << 16


class _Pieces(list[bytes]):
    """What a pickler writes: bytes of _LARGE or more as the very objects that they are in the message, arrays of numpy, which it gives
    as buffers then, as their bytes."""

    def write(self, piece: bytes | pickle.PickleBuffer) -> None:
        self.append(piece if isinstance(piece, bytes) else bytes(piece.raw()))


class _Pickler(pickle.Pickler):
    """Dataclasses as calls of their class: their own way asks each object for the names of its fields."""

    def reducer_override(self, value: Any) -> Any:
        cls: Any = type(value)
        values = _values_of(cls)
        return NotImplemented if values is None else (cls, values(value))


@cache
def _values_of(cls: Any) -> Callable[[Any], tuple[Any, ...]] | None:
    """What gives the arguments with which the class makes an equal object; None: it is pickled in its own way."""
    if not is_dataclass(cls) or hasattr(cls, "__post_init__"):
        return None
    names = [field.name for field in fields(cls)]
    if not all(field.init and not field.kw_only for field in fields(cls)):
        return None
    if len(names) < 2:
        return lambda value: tuple(getattr(value, name) for name in names)
    return operator.attrgetter(*names)


def send(to: socket.socket, message: object) -> None:
    """Raises OSError when the other end is gone."""
    pieces = _Pieces()
    _Pickler(pieces, protocol=5).dump(message)
    out = [_HEADER.pack(sum(map(len, pieces)))]
    for piece in pieces:
        if len(piece) < _LARGE and len(out[-1]) < _LARGE:
            out[-1] += piece
        else:
            out.append(piece)
    for piece in out:
        to.sendall(piece)


class Receiver:
    """The worker's end."""

    def __init__(self, stream: socket.socket) -> None:
        self._reader = stream.makefile("rb", buffering=1 << 20)

    def receive(self) -> Any | None:
        """The next message; None once the other end is gone."""
        try:
            header = self._reader.read(_HEADER.size)
            length = _HEADER.unpack(header)[0] if len(header) == _HEADER.size else 0
            payload = self._reader.read(length)
        except ConnectionError:
            return None
        return pickle.loads(payload) if length and len(payload) == length else None
