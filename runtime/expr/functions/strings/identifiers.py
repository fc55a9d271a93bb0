"""Names and sizes as people write them: parse_ident, pg_size_bytes."""

from __future__ import annotations

import re
from decimal import ROUND_HALF_UP, Decimal, localcontext

from ....repr.types import BOOL, INT8, TEXT, array_of
from ...datetimes.datetime_input import InputError
from ...text.digits import whole
from ...tree.function import Function, Overload
from ..rowwise import rowwise

_SPACE = re.compile(r"[ \t\n\r\v\f]*")
_QUOTED = re.compile(r'"((?:[^"]|"")*)"')
_PLAIN = re.compile(r"[A-Za-z_\u0080-\U0010ffff][A-Za-z0-9_$\u0080-\U0010ffff]*")


def _fold(name: str) -> str:
    return "".join(char.lower() if char.isascii() else char for char in name)


def _after_space(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    assert found is not None
    return found.end()


def _parse_ident(text: str, strict: bool = True) -> list[str]:
    """The parts of a qualified name, as a statement would read them; what follows it is an error if `strict`."""
    wrong = InputError("22023", f'string is not a valid identifier: "{text}"')
    parts: list[str] = []
    at = _after_space(text, 0)
    while True:
        quoted = _QUOTED.match(text, at)
        found = quoted or _PLAIN.match(text, at)
        if found is None or found[0] == '""':
            raise wrong
        parts.append(quoted[1].replace('""', '"') if quoted else _fold(found[0]))
        at = _after_space(text, found.end())
        if text[at : at + 1] != ".":
            break
        at = _after_space(text, at + 1)
    if strict and at < len(text):
        raise wrong
    return parts


_UNITS = {name: 10 * place for place, name in enumerate(("bytes", "kb", "mb", "gb", "tb", "pb"))} | {"b": 0}
_SIZE = re.compile(
    r"[ \t\n\r\v\f]*([+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+))([eE][+-]?[0-9]+)?(.*)\Z", re.DOTALL
)
_SPACED_EXPONENT = re.compile(r"[eE][ \t\n\r\v\f]+[+-]?[0-9]+")
_BLANK = " \t\n\r\v\f"
_FAR = 40
"""No number of so many digits before the point is a bigint, and none with so many zeros behind it is more than 0."""


def _size_bytes(text: str) -> int:
    """Bytes of a size such as `1.5 GB`; 22023 for what is none, 22003 beyond a bigint."""
    wrong = InputError("22023", f'invalid size: "{text}"')
    found = _SIZE.match(text)
    if found is None:
        raise wrong
    digits, exponent, rest = found[1], found[2] or "", found[3]
    if not exponent and (spaced := _SPACED_EXPONENT.match(rest)):
        raise InputError("22P02", f'invalid input syntax for type numeric: "{digits}{spaced[0]}"')
    unit = rest.strip(_BLANK)
    shift = _UNITS.get(_fold(unit)) if unit else 0
    if shift is None:
        raise wrong
    number = Decimal(digits)
    power = whole(exponent[1:] or "0")
    place = number.adjusted() + power
    if not number or place < -_FAR:
        return 0
    if place < _FAR:
        with localcontext(prec=len(digits) + 3 * _FAR) as context:
            context.rounding = ROUND_HALF_UP
            size = int((number.scaleb(power) * (1 << shift)).to_integral_value())
        if -(1 << 63) <= size < 1 << 63:
            return size
    raise InputError("22003", "bigint out of range")


FUNCTIONS: tuple[Function, ...] = (
    Function(
        "parse_ident",
        tuple(
            Overload((TEXT, BOOL)[:count], array_of(TEXT), rowwise(_parse_ident), can_fail=True)
            for count in (1, 2)
        ),
    ),
    Function("pg_size_bytes", (Overload((TEXT,), INT8, rowwise(_size_bytes), can_fail=True),)),
)
