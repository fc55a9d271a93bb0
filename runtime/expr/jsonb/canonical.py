"""From a JSON text to its canonical text, which is what a column of `jsonb` does with each of its texts.

No document is made of one that is short and plain, as nearly all are.  The standard library's scanner and encoder are C, but neither
keeps a number as it is written: so numbers with a point or an exponent go through them as strings with a mark, which none that was
written has, and the marks are taken off what comes out.  Each is looked at as it is read: that a later value of its key takes its
place makes no number of it.  Objects of the same keys are put in order alike.
"""

from __future__ import annotations

import json
from typing import Any

from ..datetimes.datetime_input import InputError
from .document import (
    DEPTH,
    MAX_DEPTH,
    Document,
    encode,
    in_order,
    no_constant,
    ordered,
    parse,
    written_number,
)

_LONGEST = 4096
"""Numbers of a longer text may be beyond the bounds of `numeric`, or of what Python reads."""
_MARK = "\0"
_MARKED = '"\\u0000'
"""How the encoder writes the beginning of a string that begins with the mark."""
_ENCODER = json.JSONEncoder(ensure_ascii=False, check_circular=False)
SPACE = " \t\n\r"

_LONGEST_AS_WRITTEN = 1000
"""A longer number may be beyond the bounds of `numeric`."""


def _marked(number: str) -> str:
    if number[0] == "-" or "e" in number or "E" in number or len(number) > _LONGEST_AS_WRITTEN:
        number = written_number(number)
    return _MARK + number


_DECODER = json.JSONDecoder(parse_float=_marked, parse_constant=no_constant)

_MAX_KEYS, _MAX_ORDERS = 32, 1024
"""Objects whose keys are data have many, and others each time: what is kept takes a few MB at most."""
_orders: dict[tuple[str, ...], tuple[str, ...]] = {}
"""Keys of objects as they were written, and in order.  Threads may both fill it: they find the same."""


def canonical(text: str) -> str:
    """The canonical text of the document that is written as `text`; raises InputError where it is none."""
    quick = _plain(text) if len(text) <= _LONGEST and "\\u" not in text else None
    return encode(in_order(parse(text))) if quick is None else quick


def _plain(text: str) -> str | None:
    """None where it takes a document to say what is wrong."""
    text = text.strip(SPACE)
    try:
        document, end = _DECODER.raw_decode(text)
        if end != len(text):
            return None
        written = _ENCODER.encode(_in_order(document, 0))
    except (ValueError, RecursionError):
        return None
    return _with_numbers(written) if _MARKED in written else written


def _in_order(document: Document, depth: int) -> Document:
    """As `in_order`, of a document that is nobody else's."""
    if type(document) is dict:
        members: Any = document.items()
    elif type(document) is list:
        members = enumerate(document)
    else:
        return document
    if depth > MAX_DEPTH:
        raise InputError("54001", DEPTH)
    for place, value in members:
        kind = type(value)
        if kind is dict or kind is list:
            document[place] = _in_order(value, depth + 1)
    if type(document) is list:
        return document
    keys = tuple(document)
    order = _orders.get(keys)
    if order is None:
        order = tuple(ordered(document))
        if len(keys) <= _MAX_KEYS:
            if len(_orders) >= _MAX_ORDERS:
                _orders.clear()
            _orders[keys] = order
    return document if order == keys else {key: document[key] for key in order}


def _with_numbers(written: str) -> str:
    before, *marked = written.split(_MARKED)
    parts = [before]
    for part in marked:
        number, _, after = part.partition('"')
        parts += number, after
    return "".join(parts)
