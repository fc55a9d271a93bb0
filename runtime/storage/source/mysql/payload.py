"""A transaction as one event (TRANSACTION_PAYLOAD), which MySQL since 8.0.20 may write compressed.

payload event = fields, each its type, its length and its value, as packed numbers, up to a field of type 0; then so many bytes

What is compressed are events without checksums, from BEGIN to the end of the transaction.
"""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa

from ..directory import SourceStalled
from .events import HEADER, broken, packed

_END, _SIZE, _COMPRESSION, _UNCOMPRESSED = 0, 1, 2, 3
_ZSTD, _NONE = 0, 255
_LENGTH = 9
"""Where in an event its length stands."""
_MOST_BYTES = (1 << 31) - 1


def payload_events(body: bytes) -> Iterator[bytes]:
    """The events in it; `body` is what the event says.  Raises StorageError for what is no such thing, SourceStalled for what is too large."""
    fields, at = _fields(body)
    size = fields.get(_SIZE, len(body) - at)
    data = body[at : at + size]
    if len(data) != size:
        raise broken("a compressed transaction that is cut off")
    data = _uncompressed(data, fields)
    at = 0
    while at < len(data):
        length = int.from_bytes(data[at + _LENGTH : at + _LENGTH + 4], "little")
        if length < HEADER or at + length > len(data):
            raise broken("a compressed transaction whose events are cut off")
        yield data[at : at + length]
        at += length


def _fields(body: bytes) -> tuple[dict[int, int], int]:
    found: dict[int, int] = {}
    at = 0
    while at < len(body):
        kind, at = packed(body, at)
        if kind == _END:
            return found, at
        length, at = packed(body, at)
        found[kind], _ = packed(body, at)
        at += length
    raise broken("a compressed transaction without an end of its head")


def _uncompressed(data: bytes, fields: dict[int, int]) -> bytes:
    compression = fields.get(_COMPRESSION, _NONE)
    if compression == _NONE:
        return data
    if compression != _ZSTD:
        raise SourceStalled(
            f"the server's binary log has a transaction that is compressed in another way ({compression}) than zstd"
        )
    size = fields.get(_UNCOMPRESSED)
    if size is None:
        raise broken("a compressed transaction that does not say how long it is")
    if size > _MOST_BYTES:
        raise SourceStalled(f"a compressed transaction upstream has {size} bytes; the most is 2 GiB")
    try:
        whole: bytes = pa.Codec("zstd").decompress(data, size, asbytes=True)
    except OSError as error:
        raise broken(f"a compressed transaction that cannot be read ({error})") from None
    return whole
