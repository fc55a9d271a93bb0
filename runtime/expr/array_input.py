"""Text input of one-dimensional arrays: `{1,2,NULL,"a b"}`."""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np
import pyarrow as pa

from ..repr.types import ScalarType
from .datetime_input import InputError
from .row_errors import Evaluated, RowErrors, listed_errors, merge_errors

_SPACE = " \t\n\r\v\f"
_NOT_PLAIN = re.compile(r'["\\{}]')


def parse_array(
    array: pa.Array, element: ScalarType, from_text: Callable[[pa.Array, ScalarType], Evaluated]
) -> Evaluated:
    """list[n] of `element` from array literals; `from_text` parses the elements, all rows' at once."""
    items: list[str | None] = []
    offsets = [0]
    valid: list[bool] = []
    failures: list[tuple[int, str, str]] = []
    for row, text in enumerate(array.to_pylist()):
        if text is not None:
            try:
                items += split_elements(text)
                valid.append(True)
            except InputError as error:
                failures.append((row, error.sqlstate, error.message))
                valid.append(False)
        else:
            valid.append(False)
        offsets.append(len(items))
    parsed = from_text(pa.array(items, pa.string()), element)
    errors = [listed_errors(failures)]
    mask = np.array(valid, np.bool_)
    if parsed.errors is not None:
        owners = np.searchsorted(np.array(offsets), parsed.errors.indices, side="right") - 1
        rows, first = np.unique(owners, return_index=True)
        chosen = pa.array(first)
        errors.append(
            RowErrors(
                rows.astype(np.int64),
                parsed.errors.sqlstates.take(chosen),
                parsed.errors.messages.take(chosen),
            )
        )
        mask[rows] = False
    lists = pa.ListArray.from_arrays(pa.array(offsets, pa.int32()), parsed.values, mask=pa.array(~mask))
    return Evaluated(lists, merge_errors(errors))


def split_elements(text: str) -> list[str | None]:
    """The elements' texts; an unquoted NULL is None.  Raises InputError for malformed or nested literals."""
    body = text.strip(_SPACE)
    if not body.startswith("{"):
        if body.startswith("["):
            raise InputError("0A000", f'array bounds are not supported: "{text}"')
        raise _malformed(text)
    if body[1:-1].strip(_SPACE) == "" and body.endswith("}") and len(body) > 1:
        return []
    if body.endswith("}") and not _NOT_PLAIN.search(body, 1, len(body) - 1):
        return _plain_elements(body[1:-1], text)
    items: list[str | None] = []
    position = 1
    while True:
        item, position = _one_element(body, position, text)
        items.append(item)
        if position >= len(body):
            raise _malformed(text)
        if body[position] == "}":
            if position != len(body) - 1:
                raise _malformed(text)
            return items
        position += 1


def _plain_elements(inner: str, text: str) -> list[str | None]:
    """The elements of a literal without quotes and escapes; drivers send keys by the thousand."""
    items = [item.strip(_SPACE) for item in inner.split(",")]
    if "" in items:
        raise _malformed(text)
    return [None if len(item) == 4 and item.upper() == "NULL" else item for item in items]


def _one_element(body: str, position: int, text: str) -> tuple[str | None, int]:
    """One element from `position`, and the position of the comma or brace after it."""
    while position < len(body) and body[position] in _SPACE:
        position += 1
    if position < len(body) and body[position] == "{":
        raise InputError("0A000", f'arrays of more than one dimension are not supported: "{text}"')
    quoted = position < len(body) and body[position] == '"'
    if quoted:
        position += 1
    out: list[str] = []
    kept = 0  # characters that trailing spaces must not be trimmed from
    while position < len(body):
        char = body[position]
        if char == "\\":
            position += 1
            if position >= len(body):
                raise _malformed(text)
            out.append(body[position])
            kept = len(out)
        elif quoted and char == '"':
            position += 1
            while position < len(body) and body[position] in _SPACE:
                position += 1
            if position >= len(body) or body[position] not in ",}":
                raise _malformed(text)
            return "".join(out), position
        elif not quoted and char in ",}":
            break
        elif not quoted and char in '"{':
            raise _malformed(text)
        else:
            out.append(char)
        position += 1
    else:
        raise _malformed(text)
    item = "".join(out)
    while len(item) > kept and item[-1] in _SPACE:
        item = item[:-1]
    if not item:
        raise _malformed(text)
    return (None if item.upper() == "NULL" and kept == 0 else item), position


def _malformed(text: str) -> InputError:
    return InputError("22P02", f'malformed array literal: "{text}"')
