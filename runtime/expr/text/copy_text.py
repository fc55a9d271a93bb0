"""Fields of COPY's text format: what a reader would take for something else is escaped by a backslash."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

NULL = "\\N"
_ESCAPES = (("\b", "\\b"), ("\f", "\\f"), ("\n", "\\n"), ("\r", "\\r"), ("\t", "\\t"), ("\v", "\\v"))
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
