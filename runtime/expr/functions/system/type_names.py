"""Names of types that are computed: what a cast of text to regtype does with its input.

The planner joins `type name` of the text with the types that there are; `type oid` answers for the rest.  Their names have a
space, so that no query can call them.
"""

from __future__ import annotations

import re
from typing import Final

from ....repr.types import OID, REGPROC, SIMPLE, TEXT, Kind, ScalarType, array_of
from ...datetimes.datetime_input import InputError
from ...tree.function import Function, Overload
from ..rowwise import rowwise
from .relation_names import canonical, parts

_ARRAY = re.compile(r"\s*\[\s*\d*\s*\]\s*\Z")
_MODIFIERS = re.compile(r"\s*\([\d\s,]*\)")
_WORDS = re.compile(r"[a-z_][a-z_\d]*( [a-z_]+)*\Z")
_NUMBER = re.compile(r"\s*(\d+)\s*\Z")
_MOST_OIDS = 2**32

_OTHER = {
    "int": Kind.INT4,
    "decimal": Kind.NUMERIC,
    "dec": Kind.NUMERIC,
    "float": Kind.FLOAT8,
    "timestamp": Kind.TIMESTAMP,
    "time": Kind.TIME,
    "char varying": Kind.VARCHAR,
    "character": Kind.BPCHAR,
    "nchar": Kind.BPCHAR,
    "char": Kind.BPCHAR,
}


def _spellings() -> dict[str, ScalarType]:
    """Every way to write a type, in its canonical form: words of SQL as they are, names of pg_type as `canonical` writes them."""
    found: dict[str, ScalarType] = {}
    for type_ in (*map(ScalarType, SIMPLE), REGPROC):
        name = str(type_) if type_ == REGPROC else type_.kind.value
        written = {str(type_)} | {word for word, kind in _OTHER.items() if kind is type_.kind}
        names = {canonical((name,)), canonical(("pg_catalog", name))}
        if type_.kind is Kind.CHAR:
            written, names = {'"char"'}, {'"char"', 'pg_catalog."char"'}
        for spelling in written | names:
            found[spelling] = type_
            found[f"{spelling}[]"] = array_of(type_)
        found[canonical((f"_{name}",))] = found[canonical(("pg_catalog", f"_{name}"))] = array_of(type_)
    return found


SPELLINGS: Final = _spellings()


def spelled(text: str) -> ScalarType | None:
    """The type of the system's that the text names, if it names one."""
    try:
        return SPELLINGS.get(_name(text))
    except InputError:
        return None


def _name(text: str) -> str:
    if _NUMBER.match(text) or text == "-":
        return text
    array = _ARRAY.search(text)
    plain = _MODIFIERS.sub("", text[: array.start()] if array else text)
    words = " ".join(plain.lower().split())
    if _WORDS.match(words):
        return f"{words}[]" if array else words
    names = parts(plain)
    if names is None:
        raise InputError("42601", f'syntax error at or near "{plain.strip()}"')
    return f"{canonical(names)}[]" if array else canonical(names)


def _oid(text: str) -> int:
    number = _NUMBER.match(text)
    if number is not None and int(number[1]) < _MOST_OIDS:
        return int(number[1])
    if text == "-":
        return 0
    raise InputError("42704", f'type "{text.strip()}" does not exist')


FUNCTIONS: tuple[Function, ...] = (
    Function("type name", (Overload((TEXT,), TEXT, rowwise(_name), can_fail=True),)),
    Function("type oid", (Overload((TEXT,), OID, rowwise(_oid), can_fail=True),)),
)
