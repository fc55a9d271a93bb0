"""Names of relations that are computed: what a cast of text to regclass does with its input.

The planner joins `relation name` of the text with the relations that there are; `relation oid` answers for the rest.
Their names have a space, so that no query can call them.
"""

from __future__ import annotations

import re

from ....repr.types import OID, TEXT
from ...datetimes.datetime_input import InputError
from ...text.digits import whole
from ...tree.function import Function, Overload
from ..rowwise import rowwise
from .system import quote_ident

_PART = re.compile(r'\s*(?:"((?:[^"]|"")+)"|([A-Za-z_\u0080-\uffff][\w$]*))\s*(\.|\Z)')
_NUMBER = re.compile(r"\s*(\d+)\s*\Z")
_MOST_OIDS = 2**32


def parts(text: str) -> tuple[str, ...] | None:
    """The identifiers of a dotted name, as SQL reads them; None if it is none."""
    found: list[str] = []
    position, more = 0, True
    while more:
        match = _PART.match(text, position)
        if match is None:
            return None
        quoted, plain, separator = match.groups()
        found.append(quoted.replace('""', '"') if quoted is not None else plain.lower())
        position, more = match.end(), separator == "."
    return tuple(found)


def canonical(names: tuple[str, ...]) -> str:
    return ".".join(map(quote_ident, names))


def _name(text: str) -> str:
    if _NUMBER.match(text) or text == "-":
        return text
    names = parts(text)
    if names is None:
        raise InputError("42602", "invalid name syntax")
    return canonical(names)


def _oid(text: str) -> int:
    number = _NUMBER.match(text)
    if number is not None and whole(number[1]) < _MOST_OIDS:
        return whole(number[1])
    if text == "-":
        return 0
    raise InputError("42P01", f'relation "{".".join(parts(text) or (text,))}" does not exist')


FUNCTIONS: tuple[Function, ...] = (
    Function("relation name", (Overload((TEXT,), TEXT, rowwise(_name), can_fail=True),)),
    Function("relation oid", (Overload((TEXT,), OID, rowwise(_oid), can_fail=True),)),
)
