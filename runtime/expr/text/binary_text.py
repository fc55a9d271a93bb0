"""Binary values as text: bytea in hexadecimal (and its escape form as input), uuid with hyphens.

A column of plain hexadecimal is converted by one pass of numpy over its bytes, whatever its rows are.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from ...repr import buffers
from ...repr.buffers import validity
from ..datetimes.datetime_input import InputError

PLAIN_BYTEA = r"^\\x([0-9a-fA-F][0-9a-fA-F])*$"
PLAIN_UUID = "^[0-9a-fA-F]{8}-([0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}$"

_UUID = re.compile(r"(\{)?[0-9a-fA-F]{4}(-?[0-9a-fA-F]{4}){7}(?(1)\})\Z")
_OCTAL = re.compile(r"\\([0-3][0-7][0-7])|\\\\|[^\\]+")
_DIGITS = np.frombuffer(b"0123456789abcdef", np.uint8)
_VALUES = np.full(256, 255, np.uint8)
for _digit in range(16):
    _VALUES[ord("0123456789abcdef"[_digit])] = _VALUES[ord("0123456789ABCDEF"[_digit])] = _digit
_HYPHENS = (8, 13, 18, 23)
_UUID_PLACES = np.array([place for place in range(36) if place not in _HYPHENS])

Bytes = npt.NDArray[np.uint8]


def hex_digits(array: pa.Array) -> pa.Array:
    """string[n]: two lower-case hexadecimal digits for each byte."""
    offsets = buffers.text_offsets(array)
    low, high = int(offsets[0]), int(offsets[-1])
    data = buffers.text_data(array)[low:high]
    digits = np.empty((len(data), 2), np.uint8)
    digits[:, 0] = _DIGITS[data >> 4]
    digits[:, 1] = _DIGITS[data & 15]
    return _binary(digits, (offsets - low) * 2, array, pa.string())


def hex_bytes(array: pa.Array) -> pa.Array:
    """binary[n] of pairs of hexadecimal digits; anything else in the text (`\\x`, hyphens) is left out."""
    like, array = array, array.fill_null("") if array.null_count else array
    offsets = buffers.text_offsets(array)
    low, high = int(offsets[0]), int(offsets[-1])
    data = buffers.text_data(array)[low:high]
    values = _VALUES[data]
    kept = values < 16
    running = np.zeros(len(data) + 1, np.int64)
    np.cumsum(kept, out=running[1:])
    pairs = values[kept].reshape(-1, 2)
    data = (pairs[:, 0] << 4 | pairs[:, 1]).astype(np.uint8)
    return _binary(data, running[offsets - low] // 2, like, pa.binary())


def _binary(data: Bytes, offsets: npt.NDArray[Any], like: pa.Array, type_: pa.DataType) -> pa.Array:
    """An array of `type_` with the NULLs of `like`."""
    valid = validity(like)
    bitmap = None if valid is None else pa.py_buffer(np.packbits(valid, bitorder="little"))
    body = [bitmap, pa.py_buffer(offsets.astype(np.int32)), pa.py_buffer(np.ascontiguousarray(data))]
    return pa.Array.from_buffers(type_, len(like), body)


def bytea_text(array: pa.Array) -> pa.Array:
    return pc.binary_join_element_wise("\\x", hex_digits(array), "")


def uuid_text(array: pa.Array) -> pa.Array:
    digits = hex_digits(array)
    present = digits.drop_null() if digits.null_count else digits
    offsets = buffers.text_offsets(present)
    text = np.full((len(present), 36), ord("-"), np.uint8)
    if len(present):
        data = buffers.text_data(present)[int(offsets[0]) : int(offsets[-1])]
        text[:, _UUID_PLACES] = data.reshape(-1, 32)
    valid = validity(array)
    sizes = np.full(len(array), 36, np.int64) if valid is None else np.where(valid, 36, 0)
    return _binary(text, np.concatenate(([0], np.cumsum(sizes))), array, pa.string())


def parse_uuid(text: str) -> bytes:
    """Hexadecimal digits with a hyphen after any group of four, perhaps in braces.  Raises InputError."""
    if _UUID.match(text) is None:
        raise InputError("22P02", f'invalid input syntax for type uuid: "{text}"')
    return bytes.fromhex(text.strip("{}").replace("-", ""))


def parse_bytea(text: str) -> bytes:
    """`\\x` and hexadecimal digits, spaces between bytes; or text with `\\ooo` and `\\\\`.  Raises InputError."""
    if text.startswith("\\x"):
        return parse_hex(text[2:])
    if "\\" not in text:
        return text.encode()
    out = bytearray()
    position = 0
    while position < len(text):
        match = _OCTAL.match(text, position)
        if match is None:
            raise InputError("22P02", "invalid input syntax for type bytea")
        if match[1] is not None:
            out.append(int(match[1], 8))
        else:
            out += b"\\" if match[0] == "\\\\" else match[0].encode()
        position = match.end()
    return bytes(out)


def parse_hex(text: str) -> bytes:
    """Pairs of hexadecimal digits, white space between them.  Raises InputError."""
    out = bytearray()
    position = 0
    while position < len(text):
        if text[position] in " \n\t\r":
            position += 1
            continue
        for char in text[position : position + 2]:
            if char not in "0123456789abcdefABCDEF":
                raise InputError("22023", f'invalid hexadecimal digit: "{char}"')
        if position + 2 > len(text):
            raise InputError("22023", "invalid hexadecimal data: odd number of digits")
        out.append(int(text[position : position + 2], 16))
        position += 2
    return bytes(out)
