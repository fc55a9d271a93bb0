"""Documents made from documents: concatenation, deletion, jsonb_set, jsonb_insert, without nulls, pretty text."""

from __future__ import annotations

import enum
from collections.abc import Sequence
from json.encoder import encode_basestring

from ..datetimes.datetime_input import InputError
from .access import index_of, is_scalar
from .document import Document, encode, ordered

INVALID = "22023"


def concatenated(left: Document, right: Document) -> Document:
    """left || right: objects merge, anything else is an array or becomes one."""
    if isinstance(left, dict) and isinstance(right, dict):
        return _sorted(left | right)
    return _as_list(left) + _as_list(right)


def _sorted(document: dict[str, Document]) -> dict[str, Document]:
    return {key: document[key] for key in ordered(document)}


def _as_list(document: Document) -> list[Document]:
    return document if isinstance(document, list) else [document]


# --- deletion ------------------------------------------------------------------------------------------------------------


def without_key(document: Document, key: str) -> Document:
    return without_keys(document, (key,))


def without_keys(document: Document, keys: Sequence[str | None]) -> Document:
    """document - keys: keys of an object, strings of an array."""
    if is_scalar(document):
        raise InputError(INVALID, "cannot delete from scalar")
    if isinstance(document, dict):
        return {key: value for key, value in document.items() if key not in keys}
    return [item for item in document if not (isinstance(item, str) and item in keys)]


def without_index(document: Document, index: int) -> Document:
    if is_scalar(document):
        raise InputError(INVALID, "cannot delete from scalar")
    if isinstance(document, dict):
        raise InputError(INVALID, "cannot delete from object using integer index")
    place = index if index >= 0 else len(document) + index
    return [item for number, item in enumerate(document) if number != place]


def without_path(document: Document, path: Sequence[str | None]) -> Document:
    """document #- path."""
    if is_scalar(document):
        raise InputError(INVALID, "cannot delete path in scalar")
    return _edited(document, path, 0, None, Edit.DELETE) if path and document else document


# --- jsonb_set, jsonb_insert -----------------------------------------------------------------------------------------------


class Edit(enum.Enum):
    DELETE = "delete"
    REPLACE = "replace"
    SET = "set"  # replace or create
    BEFORE = "before"
    AFTER = "after"


_CREATES = (Edit.SET, Edit.BEFORE, Edit.AFTER)


def with_value(
    document: Document, path: Sequence[str | None], value: Document, create: bool = True
) -> Document:
    """jsonb_set."""
    if is_scalar(document):
        raise InputError(INVALID, "cannot set path in scalar")
    if (not document and not create) or not path:
        return document
    return _edited(document, path, 0, value, Edit.SET if create else Edit.REPLACE)


def with_inserted(
    document: Document, path: Sequence[str | None], value: Document, after: bool = False
) -> Document:
    """jsonb_insert."""
    if is_scalar(document):
        raise InputError(INVALID, "cannot set path in scalar")
    return _edited(document, path, 0, value, Edit.AFTER if after else Edit.BEFORE) if path else document


def _edited(
    document: Document, path: Sequence[str | None], level: int, value: Document, edit: Edit
) -> Document:
    element = path[level]
    if element is None:
        raise InputError("22004", f"path element at position {level + 1} is null")
    if isinstance(document, dict):
        return _edited_object(document, element, path, level, value, edit)
    if isinstance(document, list):
        return _edited_array(document, element, path, level, value, edit)
    return document


def _edited_object(
    document: dict[str, Document],
    key: str,
    path: Sequence[str | None],
    level: int,
    value: Document,
    edit: Edit,
) -> Document:
    last = level == len(path) - 1
    if key not in document:
        return _sorted(document | {key: value}) if last and edit in _CREATES else document
    if not last:
        return document | {key: _edited(document[key], path, level + 1, value, edit)}
    if edit in (Edit.BEFORE, Edit.AFTER):
        raise InputError(INVALID, "cannot replace existing key")
    if edit is Edit.DELETE:
        return {name: item for name, item in document.items() if name != key}
    return document | {key: value}


def _edited_array(
    document: list[Document],
    element: str,
    path: Sequence[str | None],
    level: int,
    value: Document,
    edit: Edit,
) -> Document:
    last = level == len(path) - 1
    index = index_of(element)
    if index is None:
        raise InputError("22P02", f'path element at position {level + 1} is not an integer: "{element}"')
    place = index if index >= 0 else len(document) + index
    if not 0 <= place < len(document):
        if not last or edit not in _CREATES:
            return document
        return [value, *document] if place < 0 else [*document, value]
    item = document[place]
    middle: list[Document]
    if not last:
        middle = [_edited(item, path, level + 1, value, edit)]
    else:
        middle = {
            Edit.DELETE: [],
            Edit.BEFORE: [value, item],
            Edit.AFTER: [item, value],
        }.get(edit, [value])
    return [*document[:place], *middle, *document[place + 1 :]]


# --- the rest --------------------------------------------------------------------------------------------------------------


def without_nulls(document: Document, in_arrays: bool = False) -> Document:
    """jsonb_strip_nulls: fields of objects that are null vanish, and elements of arrays if so wanted."""
    if isinstance(document, dict):
        return {key: without_nulls(value, in_arrays) for key, value in document.items() if value is not None}
    if isinstance(document, list):
        return [without_nulls(item, in_arrays) for item in document if item is not None or not in_arrays]
    return document


def pretty(document: Document, depth: int = 0) -> str:
    """jsonb_pretty: a member a line, four spaces a level."""
    if is_scalar(document):
        return encode(document)
    inner, outer = "\n" + "    " * (depth + 1), "\n" + "    " * depth
    if isinstance(document, dict):
        lines = [f"{encode_basestring(key)}: {pretty(document[key], depth + 1)}" for key in ordered(document)]
        return "{" + ",".join(inner + line for line in lines) + outer + "}"
    return "[" + ",".join(inner + pretty(item, depth + 1) for item in document) + outer + "]"
