"""Fields of COPY's text format, to and fro: what a reader would take for something else is escaped by a backslash."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ...errors import StorageError
from ...repr import buffers

NULL = "\\N"
_TAB, _NEWLINE, _BACKSLASH = b"\t\n\\"
_ESCAPES = (("\b", "\\b"), ("\f", "\\f"), ("\n", "\\n"), ("\r", "\\r"), ("\t", "\\t"), ("\v", "\\v"))
_RAW = {ord(shown[1]): raw.encode() for raw, shown in _ESCAPES}
_SPECIAL = "\\" + "".join(raw for raw, _ in _ESCAPES)


def escaped(text: pa.Array, delimiter: str = "\t") -> pa.Array:
    """The values as fields; NULL stays NULL."""
    if not contains_any(text, _SPECIAL + delimiter):
        return text
    text = pc.replace_substring(text, "\\", "\\\\")
    for raw, shown in _ESCAPES:
        text = pc.replace_substring(text, raw, shown)
    return text if delimiter == "\t" else pc.replace_substring(text, delimiter, "\\" + delimiter)


def contains_any(text: pa.Array, characters: str) -> bool:
    """Whether any of the characters (ASCII) is anywhere in the column's bytes."""
    data = text.buffers()[2]
    if data is None or not len(text):
        return False
    bounds = np.frombuffer(text.buffers()[1], np.int32)[text.offset : text.offset + len(text) + 1]
    used = bytes(memoryview(data)[int(bounds[0]) : int(bounds[-1])])
    return any(character.encode() in used for character in characters)


def copy_columns(data: bytes, width: int) -> tuple[pa.Array, ...]:
    """The columns of whole lines as COPY ... TO STDOUT writes them: binaries, NULL where a field is `\\N`.

    It writes no tab and no newline within a field, so every one of them ends one.  Raises StorageError for lines of
    another number of fields.
    """
    raw = np.frombuffer(data, np.uint8)
    newlines = raw == _NEWLINE
    ends = np.flatnonzero(newlines | (raw == _TAB))
    lines = int(np.count_nonzero(newlines))
    fields = max(width, 1)  # a line without columns is empty
    whole = len(ends) == lines * fields and bool(newlines[ends[fields - 1 :: fields]].all())
    if not whole or (len(raw) and raw[-1] != _NEWLINE):
        raise StorageError(
            f"COPY sent lines that do not have {width} columns each",
            sqlstate="08P01",
        )
    starts = np.zeros_like(ends)
    starts[1:] = ends[:-1] + 1
    buffer, escapes = pa.py_buffer(data), b"\\" in data
    found = []
    for index in range(width):
        first, last = starts[index::width], ends[index::width]
        if not escapes:
            found.append(buffers.spans(buffer, first, last))
            continue
        null = last - first == len(NULL)
        null[null] = (raw[first[null]] == _BACKSLASH) & (raw[first[null] + 1] == ord("N"))
        found.append(unescape(buffers.spans(buffer, first, last, null)))
    return tuple(found)


def unescape(raw: pa.Array) -> pa.Array:
    """Resolve the backslashes of text format.  Only values that have one are touched, one by one."""
    if not contains_any(raw, "\\"):
        return raw
    mask = pc.fill_null(pc.match_substring(raw, "\\"), False)
    values = pa.array([_unescape(value.as_py()) for value in raw.filter(mask)], pa.binary())
    return pc.replace_with_mask(raw, mask, values)


def _unescape(value: bytes) -> bytes:
    out = bytearray()
    at = 0
    while (found := value.find(b"\\", at)) >= 0:
        out += value[at:found]
        at = found + 1
        letter = value[at]
        at += 1
        if letter in _RAW:
            out += _RAW[letter]
        elif letter in b"01234567":
            while at < len(value) and at - found <= 3 and value[at] in b"01234567":
                at += 1
            out.append(int(value[found + 1 : at], 8) & 0xFF)
        elif letter == ord("x") and value[at : at + 1] and value[at] in b"0123456789abcdefABCDEF":
            while at < len(value) and at - found <= 3 and value[at] in b"0123456789abcdefABCDEF":
                at += 1
            out.append(int(value[found + 2 : at], 16))
        else:
            out.append(letter)
    return bytes(out + value[at:])
