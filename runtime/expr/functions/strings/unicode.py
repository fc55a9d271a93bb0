"""Text as code points: normal forms, and escapes that stand for characters."""

from __future__ import annotations

import re
import unicodedata
from typing import Literal

from ....repr.types import BOOL, TEXT
from ...datetimes.datetime_input import InputError
from ...tree.function import Function, Overload
from ..rowwise import rowwise

_FORMS: dict[str, Literal["NFC", "NFD", "NFKC", "NFKD"]] = {
    "NFC": "NFC",
    "NFD": "NFD",
    "NFKC": "NFKC",
    "NFKD": "NFKD",
}


def _known_form(text: str, form: str, name: str) -> Literal["NFC", "NFD", "NFKC", "NFKD"]:
    known = _FORMS.get(form.upper())
    if known is None:
        raise InputError("22023", f"invalid normalization form: {form}")
    if not text.isascii() and any(unicodedata.category(char) == "Cn" for char in text):
        raise InputError("0A000", f"{name} of characters that are not assigned yet is not supported")
    return known


def _normalize(text: str, form: str = "NFC") -> str:
    return unicodedata.normalize(_known_form(text, form, "normalize"), text)


def _is_normalized(text: str, form: str = "NFC") -> bool:
    return unicodedata.is_normalized(_known_form(text, form, "is_normalized"), text)


_ESCAPE = re.compile(
    r"\\(?:(\\)|u?([0-9A-Fa-f]{4})|\+([0-9A-Fa-f]{6})|U([0-9A-Fa-f]{8}))|(\\)|([^\\]+)", re.DOTALL
)
_NO_PAIR = "invalid Unicode surrogate pair"


def _unistr(text: str) -> str:
    r"""The text with `\XXXX`, `\uXXXX`, `\+XXXXXX` and `\UXXXXXXXX` as the characters of these numbers, `\\` as a backslash."""
    out: list[str] = []
    first = 0
    """The first half of a surrogate pair, whose second half has to follow."""
    for found in _ESCAPE.finditer(text):
        backslash, *numbers, broken, plain = found.groups()
        if broken is not None:
            raise InputError("42601", "invalid Unicode escape")
        if backslash or plain:
            if first:
                raise InputError("42601", _NO_PAIR)
            out.append(backslash or plain)
            continue
        number = int("".join(filter(None, numbers)), 16)
        if not 0 < number <= 0x10FFFF:
            raise InputError("22023", f"invalid Unicode code point: {number:04X}")
        if bool(first) is not (0xDC00 <= number < 0xE000):
            raise InputError("42601", _NO_PAIR)
        if first:
            number, first = 0x10000 + ((first & 0x3FF) << 10) + (number & 0x3FF), 0
        if 0xD800 <= number < 0xDC00:
            first = number
        else:
            out.append(chr(number))
    if first:
        raise InputError("42601", _NO_PAIR)
    return "".join(out)


FUNCTIONS: tuple[Function, ...] = (
    Function(
        "normalize",
        tuple(Overload((TEXT,) * count, TEXT, rowwise(_normalize), can_fail=True) for count in (1, 2)),
    ),
    Function(
        "is_normalized",
        tuple(Overload((TEXT,) * count, BOOL, rowwise(_is_normalized), can_fail=True) for count in (1, 2)),
    ),
    Function("unistr", (Overload((TEXT,), TEXT, rowwise(_unistr), can_fail=True),)),
)
