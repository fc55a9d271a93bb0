"""Text input of one-dimensional arrays and of lists: `{1,2,NULL,"a b"}`; lists within lists need no quotes."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from ...repr.types import NESTED, ScalarType
from ..columns.row_errors import Evaluated, RowErrors, listed_errors, merge_errors
from ..datetimes.datetime_input import InputError

_SPACE = " \t\n\r\v\f"
_NOT_PLAIN = re.compile(r'["\\{}]')


def parse_array(
    array: pa.Array, type_: ScalarType, from_text: Callable[[pa.Array, ScalarType], Evaluated]
) -> Evaluated:
    """list[n] of the type's elements from its literals; `from_text` parses the elements, all rows' at once."""
    assert type_.element is not None
    syntax = Syntax(type_.kind.value, type_.element.kind in NESTED)
    items: list[str | None] = []
    offsets = [0]
    valid: list[bool] = []
    failures: list[tuple[int, str, str]] = []
    for row, text in enumerate(array.to_pylist()):
        if text is not None:
            try:
                items += split_elements(text, syntax)
                valid.append(True)
            except InputError as error:
                failures.append((row, error.sqlstate, error.message))
                valid.append(False)
        else:
            valid.append(False)
        offsets.append(len(items))
    parsed = from_text(pa.array(items, pa.string()), type_.element)
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


@dataclass(frozen=True, slots=True)
class Syntax:
    """What the literals are, for messages, and whether their elements may stand in braces of their own."""

    noun: str
    nested: bool


def split_elements(text: str, syntax: Syntax) -> list[str | None]:
    """The elements' texts; an unquoted NULL is None.  Raises InputError for malformed literals, and for nested ones of
    arrays."""
    body = text.strip(_SPACE)
    if not body.startswith("{"):
        if body.startswith("[") and syntax.noun == "array":
            raise InputError("0A000", f'array bounds are not supported: "{text}"')
        raise _malformed(text, syntax)
    if body[1:-1].strip(_SPACE) == "" and body.endswith("}") and len(body) > 1:
        return []
    if body.endswith("}") and not _NOT_PLAIN.search(body, 1, len(body) - 1):
        return _plain_elements(body[1:-1], text, syntax)
    items: list[str | None] = []
    position = 1
    while True:
        item, position = _one_element(body, position, text, syntax)
        items.append(item)
        if position >= len(body):
            raise _malformed(text, syntax)
        if body[position] == "}":
            if position != len(body) - 1:
                raise _malformed(text, syntax)
            return items
        position += 1


def _plain_elements(inner: str, text: str, syntax: Syntax) -> list[str | None]:
    """The elements of a literal without quotes and escapes; drivers send keys by the thousand."""
    items = [item.strip(_SPACE) for item in inner.split(",")]
    if "" in items:
        raise _malformed(text, syntax)
    return [None if len(item) == 4 and item.upper() == "NULL" else item for item in items]


def _one_element(body: str, position: int, text: str, syntax: Syntax) -> tuple[str | None, int]:
    """One element from `position`, and the position of the comma or brace after it."""
    while position < len(body) and body[position] in _SPACE:
        position += 1
    if position < len(body) and body[position] == "{" and syntax.nested:
        return _braced(body, position, text, syntax)
    if position < len(body) and body[position] == "{" and syntax.noun == "array":
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
                raise _malformed(text, syntax)
            out.append(body[position])
            kept = len(out)
        elif quoted and char == '"':
            position += 1
            while position < len(body) and body[position] in _SPACE:
                position += 1
            if position >= len(body) or body[position] not in ",}":
                raise _malformed(text, syntax)
            return "".join(out), position
        elif not quoted and char in ",}":
            break
        elif not quoted and char in '"{':
            raise _malformed(text, syntax)
        else:
            out.append(char)
        position += 1
    else:
        raise _malformed(text, syntax)
    item = "".join(out)
    while len(item) > kept and item[-1] in _SPACE:
        item = item[:-1]
    if not item:
        raise _malformed(text, syntax)
    return (None if item.upper() == "NULL" and kept == 0 else item), position


def _braced(body: str, position: int, text: str, syntax: Syntax) -> tuple[str, int]:
    """An element in braces of its own, with them, and the position of the comma or brace after it."""
    start, depth, quoted = position, 0, False
    while position < len(body):
        char = body[position]
        position += 1
        if char == "\\":
            position += 1
        elif char == '"':
            quoted = not quoted
        elif not quoted and char in "{}":
            depth += 1 if char == "{" else -1
            if depth == 0:
                break
    end = position
    while position < len(body) and body[position] in _SPACE:
        position += 1
    if depth or position >= len(body) or body[position] not in ",}":
        raise _malformed(text, syntax)
    return body[start:end], position


def _malformed(text: str, syntax: Syntax) -> InputError:
    return InputError("22P02", f'malformed {syntax.noun} literal: "{text}"')
