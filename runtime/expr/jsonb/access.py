"""Reading parts of a document: by key, by index, by a path; what a document contains.

A key looks into objects only and an index into arrays only.  An element of a path (`#>`, subscripts) is text, which
is an index where it meets an array.  A scalar at the top is read as an array of one where PostgreSQL stores it as one.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal

from ..text.digits import whole
from .document import ABSENT, Absent, Document, as_text

_INDEX = re.compile(r"[ \t\n\v\f\r]*[+-]?[0-9]+\Z")


def is_scalar(document: Document) -> bool:
    return not isinstance(document, dict | list)


def same(left: Document, right: Document) -> bool:
    """Whether two scalars are equal: of one type, numbers by value."""
    if isinstance(left, bool) or isinstance(right, bool):
        return left is right
    if isinstance(left, int | Decimal):
        return isinstance(right, int | Decimal) and left == right
    return type(left) is type(right) and bool(left == right)


def get(document: Document, *steps: str | int) -> Document | Absent:
    """document -> step -> step ...: ABSENT where there is no such part."""
    for step in steps:
        if type(step) is str:
            if type(document) is not dict:
                return ABSENT
            document = document.get(step, ABSENT)
        else:
            if document is ABSENT or isinstance(document, dict):
                return ABSENT
            items = document if isinstance(document, list) else [document]
            document = items[step] if -len(items) <= step < len(items) else ABSENT  # type: ignore[operator,index]
        if document is ABSENT:
            return ABSENT
    return document


def get_text(document: Document, *steps: str | int) -> str | Absent:
    """As `get`, the last step by ->>."""
    found = get(document, *steps)
    return ABSENT if found is ABSENT else as_text(found)


def index_of(element: str) -> int | None:
    """The number that an element of a path is; None where it is none."""
    if _INDEX.match(element) is None:
        return None
    value = whole(element)
    return value if -(1 << 31) <= value < 1 << 31 else None


def at_path(document: Document, path: Sequence[str | None]) -> Document | Absent:
    """document #> path."""
    if is_scalar(document) and path:
        return ABSENT
    for element in path:
        if element is None:
            return ABSENT
        if isinstance(document, dict):
            document = document.get(element, ABSENT)
        elif isinstance(document, list):
            index = index_of(element)
            inside = index is not None and -len(document) <= index < len(document)
            document = document[index] if inside else ABSENT  # type: ignore[index]
        else:
            return ABSENT
        if document is ABSENT:
            return ABSENT
    return document


def at_path_text(document: Document, path: Sequence[str | None]) -> str | Absent:
    found = at_path(document, path)
    return ABSENT if found is ABSENT else as_text(found)


# --- containment -------------------------------------------------------------------------------------------------------


def contains(document: Document, part: Document) -> bool:
    """document @> part."""
    if isinstance(document, dict) is not isinstance(part, dict):
        return False
    if isinstance(document, dict):
        return _contains(document, part)
    if not isinstance(document, list):
        return is_scalar(part) and same(document, part)
    return _contains(document, part if isinstance(part, list) else [part])


def _contains(document: Document, part: Document) -> bool:
    # Loops, since every generator would be one more frame a level.
    if isinstance(part, dict):
        if not isinstance(document, dict):
            return False
        for key, value in part.items():
            if key not in document or not _contains(document[key], value):
                return False
        return True
    if isinstance(part, list):
        if not isinstance(document, list):
            return False
        for wanted in part:
            for item in document:
                if _contains(item, wanted):
                    break
            else:
                return False
        return True
    return is_scalar(document) and same(document, part)


def has(document: Document, key: str) -> bool:
    """document ? key: a key of an object, or a string of an array."""
    if isinstance(document, dict):
        return key in document
    return key in document if isinstance(document, list) else document == key


def has_any(document: Document, keys: Sequence[str | None]) -> bool:
    return any(key is not None and has(document, key) for key in keys)


def has_all(document: Document, keys: Sequence[str | None]) -> bool:
    return all(key is None or has(document, key) for key in keys)
