"""to_char of numbers: PostgreSQL's templates (its manual, 9.8), such as `FM999G990D00` and `S9.99EEEE`.

A template is read once into patterns and a description of the whole; a number is then its digits, laid out pattern
by pattern.  Decimal point and group separator are those of locale C: `.` and `,`; there is no currency sign.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from decimal import ROUND_HALF_UP, Context, Decimal
from functools import lru_cache
from typing import Any

from ....repr.types import FLOAT4, FLOAT8, INT4, INT8, NUMERIC, TEXT, ScalarType
from ...datetimes.datetime_input import InputError
from ...tree.function import Overload
from ..rowwise import rowwise

_PATTERNS = (
    ",", ".", "0", "9", "B", "C", "D", "EEEE", "FM", "G", "L", "MI", "PL", "PR", "RN", "SG", "SP", "S", "TH", "V",
)  # fmt: skip
_EXACT = Context(prec=400, rounding=ROUND_HALF_UP)
_ROMAN_WIDTH = 15
_MAX_DIGITS = 300
_ROMAN = (
    (1000, "M"), (900, "CM"), (500, "D"), (400, "CD"), (100, "C"), (90, "XC"), (50, "L"), (40, "XL"), (10, "X"),
    (9, "IX"), (5, "V"), (4, "IV"), (1, "I"),
)  # fmt: skip
_FLOAT_DIGITS = 15
_END = "\0"
"""A pattern for a digit that the number does not have, as a point with nothing behind it: the text ends there."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A pattern (upper case; `lower` as it was written), or text that is copied."""

    pattern: str
    text: str = ""
    lower: bool = False


@dataclass(slots=True)
class Template:
    """`before` and `after` are the digits on the sides of the point; `zero_start`: how many of them come before the first 0."""

    before: int = 0
    after: int = 0
    shift: int = 0
    zero_start: int = 0
    zero_end: int = 0
    zero: bool = False
    point: bool = False
    fill: bool = False
    multiplied: bool = False
    sign: str = ""  # where S stands: pre, post
    sign_digits: int = 0
    minus: bool = False
    plus: bool = False
    bracket: bool = False
    roman: bool = False
    scientific: bool = False


def _wrong(message: str) -> InputError:
    return InputError("42601", message)


@lru_cache(maxsize=256)
def read_template(text: str) -> tuple[tuple[Piece, ...], Template]:
    """The patterns of a template, and what they are together."""
    pieces: list[Piece] = []
    template = Template()
    position = 0
    while position < len(text):
        upper = text[position : position + 4].upper()
        pattern = next((p for p in _PATTERNS if upper.startswith(p) and _one_case(text, position, p)), None)
        if pattern is not None:
            _describe(template, pattern)
            pieces.append(Piece(pattern, lower=text[position].islower()))
            position += len(pattern)
        elif text[position] == '"':
            position += 1
            while position < len(text) and text[position] != '"':
                if text[position] == "\\" and position + 1 < len(text):
                    position += 1
                pieces.append(Piece("", text[position]))
                position += 1
            position += 1
        else:
            position += text[position : position + 2] == '\\"'
            pieces.append(Piece("", text[position]))
            position += 1
    t = template
    if t.before + t.after + t.shift > _MAX_DIGITS:
        raise InputError("0A000", f"templates of more than {_MAX_DIGITS} digits are not supported")
    if t.roman and (
        t.zero or t.point or t.sign or t.minus or t.plus or t.bracket or t.multiplied or t.scientific
    ):
        raise _wrong('"RN" is incompatible with other formats')
    return tuple(pieces), template


def _one_case(text: str, position: int, pattern: str) -> bool:
    found = text[position : position + len(pattern)]
    return found in (pattern, pattern.lower())


def _describe(t: Template, pattern: str) -> None:
    if t.scientific and pattern != "EEEE":
        raise _wrong('"EEEE" must be the last pattern used')
    match pattern:
        case "9":
            _digit(t, "9")
        case "0":
            if not t.zero and not t.point and not t.bracket:
                t.zero, t.zero_start = True, t.before
            _digit(t, "0")
            t.zero_end = t.before + t.after
        case "." | "D":
            if t.point:
                raise _wrong("multiple decimal points")
            if t.multiplied:
                raise _wrong('cannot use "V" and decimal point together')
            t.point = True
        case "FM":
            t.fill = True
        case "S":
            if t.sign:
                raise _wrong('cannot use "S" twice')
            if t.plus or t.minus or t.bracket:
                raise _wrong('cannot use "S" and "PL"/"MI"/"SG"/"PR" together')
            t.sign, t.sign_digits = ("post", 0) if t.point else ("pre", t.before)
        case "MI" | "PL" | "SG":
            if t.sign:
                raise _wrong(f'cannot use "S" and "{pattern}" together')
            t.minus |= pattern != "PL"
            t.plus |= pattern != "MI"
        case "PR":
            if t.sign or t.plus or t.minus:
                raise _wrong('cannot use "PR" and "S"/"PL"/"MI"/"SG" together')
            t.bracket = True
        case "RN":
            if t.roman:
                raise _wrong('cannot use "RN" twice')
            t.roman = True
        case "V":
            if t.point:
                raise _wrong('cannot use "V" and decimal point together')
            t.multiplied = True
        case "EEEE":
            if t.scientific:
                raise _wrong('cannot use "EEEE" twice')
            if t.fill or t.sign or t.bracket or t.minus or t.plus or t.roman or t.multiplied:
                raise _wrong('"EEEE" is incompatible with other formats')
            t.scientific = True
        case "C" | "SP" | "B":
            raise InputError("0A000", f'the pattern "{pattern}" of to_char is not supported')


def _digit(t: Template, digit: str) -> None:
    if t.bracket:
        raise _wrong(f'"{digit}" must be ahead of "PR"')
    if t.multiplied and digit == "9":
        t.shift += 1
    elif t.point:
        t.after += 1
    else:
        t.before += 1


# --- laying out --------------------------------------------------------------------------------------------------------


class _Writer:
    """The digits of one number (`.` included, without a sign) on their way through the patterns."""

    def __init__(self, t: Template, negative: bool, digits: str, spaces: int) -> None:
        self.t = t
        self.sign = "-" if negative else "+"
        self.digits = digits
        self.spaces = spaces  # places before the point that the number does not fill
        self.at = 0  # of the digits
        self.place = 0  # of the patterns for digits
        self.inside = False  # digits were written: separators are shown
        self.out: list[str] = []
        self.bracket = t.bracket
        self.sign_place = t.sign
        if t.plus or t.minus:
            self.signed = t.minus
        else:
            if not negative and t.fill:
                self.bracket = False
            self.signed = not negative and t.fill and not t.sign
            if t.sign == "pre" and t.before == t.sign_digits:
                self.sign_place = "post"
        self.last = self._last_relevant()
        self.count = t.after + t.before + t.shift - 1 + (not self.signed and spaces == 0)

    def _last_relevant(self) -> int | None:
        """With FM, the last digit after the point that is not a zero to leave out."""
        point = self.digits.find(".")
        if not (self.t.fill and self.t.point) or point < 0:
            return None
        last = point + len(self.digits[point + 1 :].rstrip("0"))
        if self.t.zero_end > self.spaces:
            last = max(last, min(len(self.digits) - 1, self.t.zero_end - self.spaces))
        return last

    def _ends_at_point(self) -> bool:
        return self.last is not None and self.digits[self.last] == "."

    def _zero_before_point(self) -> bool:
        return not self.t.zero and self.at == 0 and self.digits[:1] == "0" and self.t.after != 0

    def digit(self, pattern: str) -> None:
        t = self.t
        self.inside = False
        reached = self.place >= self.spaces or (t.zero and t.zero_start == self.place)
        if not self.signed and reached and (not self._zero_before_point() or self._ends_at_point()):
            self._write_sign()
        if self.place < self.spaces and (not t.zero or t.zero_start > self.place):
            if not t.fill:
                self.out.append(" ")
        elif t.zero and self.place < self.spaces:
            self.out.append("0")
            self.inside = True
        else:
            self._write_digit(pattern)
        end = self.count + (self.spaces > 0) + t.point
        if self.last is not None and self.last == self.at:
            end = self.place
        if self.place + 1 == end:
            if self.signed and self.bracket:
                self.out.append(" " if self.sign == "+" else ">")
            elif t.sign and self.sign_place == "post":
                self.out.append(self.sign)
        self.place += 1

    def _write_sign(self) -> None:
        if self.t.sign:
            if self.sign_place == "pre":
                self.out.append(self.sign)
                self.signed = True
        elif self.bracket:
            self.out.append(" " if self.sign == "+" else "<")
            self.signed = True
        else:
            if self.sign == "-" or not self.t.fill:
                self.out.append("-" if self.sign == "-" else " ")
            self.signed = True

    def _write_digit(self, pattern: str) -> None:
        char = self.digits[self.at : self.at + 1]
        if char == ".":
            if not self._ends_at_point() or self.t.fill:
                self.out.append(".")
        elif self.last is not None and self.at > self.last and pattern != "0":
            pass
        elif self._zero_before_point():
            if not self.t.fill:
                self.out.append(" ")
            elif self._ends_at_point():
                self.out.append("0")
        else:
            self.out.append(char or _END)
            self.inside = True
        self.at += bool(char)

    def other(self, piece: Piece) -> None:
        match piece.pattern:
            case "," | "G":
                if self.inside:
                    self.out.append(",")
                elif not self.t.fill:
                    self.out.append(" ")
            case "L":
                self.out.append(" ")
            case "MI":
                if self.sign == "-" or not self.t.fill:
                    self.out.append("-" if self.sign == "-" else " ")
            case "PL":
                if self.sign == "+" or not self.t.fill:
                    self.out.append("+" if self.sign == "+" else " ")
            case "SG":
                self.out.append(self.sign)
            case "TH":
                if self.digits[:1] != "#" and self.sign == "+" and not self.t.point:
                    ending = _ordinal(self.digits)
                    self.out.append(ending.lower() if piece.lower else ending)
            case "":
                self.out.append(piece.text)


def _ordinal(digits: str) -> str:
    if not digits[-1:].isdigit():
        raise InputError("22P02", f'"{digits}" is not a number')
    if digits[-2:-1] == "1":
        return "TH"
    return {"1": "ST", "2": "ND", "3": "RD"}.get(digits[-1:], "TH")


def _laid_out(
    pieces: tuple[Piece, ...], t: Template, negative: bool, digits: str, after: int | None = None
) -> str:
    """`after`: how many digits behind the point there are, if fewer than the template asks for."""
    after = t.after if after is None else after
    width = t.before + t.shift
    whole = len(digits.partition(".")[0])
    spaces = max(width - whole, 0)
    if whole > width:
        digits = "#" * width + "." + "#" * after
    adjusted = replace(t, before=width, after=after, shift=0)
    writer = _Writer(adjusted, negative, digits, spaces)
    for piece in pieces:
        if piece.pattern in ("9", "0", ".", "D"):
            writer.digit(piece.pattern)
        else:
            writer.other(piece)
    return "".join(writer.out).partition(_END)[0]


# --- numbers -----------------------------------------------------------------------------------------------------------


def _roman(pieces: tuple[Piece, ...], t: Template, value: int) -> str:
    if not 1 <= value <= 3999:
        return "#" * _ROMAN_WIDTH
    out = ""
    for size, letters in _ROMAN:
        out += letters * (value // size)
        value %= size
    if any(piece.pattern == "RN" and piece.lower for piece in pieces):
        out = out.lower()
    return out if t.fill else out.rjust(_ROMAN_WIDTH)


def _exact_text(value: Decimal, template: str) -> str:
    pieces, t = read_template(template)
    if t.roman:
        return _roman(pieces, t, int(value.quantize(Decimal(1), context=_EXACT)))
    if t.scientific:
        return _scientific(value, t.after)
    scaled = value.scaleb(t.shift, context=_EXACT)
    rounded = scaled.quantize(Decimal(1).scaleb(-t.after), context=_EXACT)
    return _laid_out(pieces, t, rounded < 0, format(rounded.copy_abs(), "f"))


def _scientific(value: Decimal, digits: int) -> str:
    """One digit before the point, or two where rounding carries into it, as PostgreSQL leaves it."""
    exponent = value.adjusted() if value else 0
    mantissa = value.scaleb(-exponent, context=_EXACT).quantize(Decimal(1).scaleb(-digits), context=_EXACT)
    sign = "-" if mantissa < 0 else " "
    return f"{sign}{format(mantissa.copy_abs(), 'f')}e{'-' if exponent < 0 else '+'}{abs(exponent):02d}"


def _integer_text(value: int, template: str) -> str:
    t = read_template(template)[1]
    if t.scientific:
        return f"{value: .{t.after}e}"
    return _shifted(value, t, 1 << 31, template)


def _bigint_text(value: int, template: str) -> str:
    return _shifted(value, read_template(template)[1], 1 << 63, template)


def _shifted(value: int, t: Template, bound: int, template: str) -> str:
    """An integer, which `V` must not carry beyond its type."""
    if abs(value) * 10**t.shift >= bound and t.shift:
        raise InputError("0A000", "to_char of an integer that V multiplies beyond its type is not supported")
    return _exact_text(Decimal(value), template)


def _float_text(significant: int) -> Callable[[float, str], str]:
    def one(value: float, template: str) -> str:
        pieces, t = read_template(template)
        if not math.isfinite(value):
            raise InputError("0A000", "to_char of NaN and Infinity is not supported")
        if t.roman:
            return _roman(pieces, t, round(value) if abs(value) < 1e6 else 0)
        if t.scientific:
            return f"{value: .{t.after}e}"
        scaled = value * 10.0**t.shift
        whole = len(f"{abs(scaled):.0f}")
        after = 0 if whole >= significant else min(t.after, significant - whole)
        shown = f"{scaled:.{after}f}"
        return _laid_out(pieces, t, shown.startswith("-"), shown.lstrip("-"), after)

    return one


def _overload(type_: ScalarType, one: Callable[..., Any]) -> Overload:
    return Overload((type_, TEXT), TEXT, rowwise(one), can_fail=True)


OVERLOADS = {
    "to_char": [
        _overload(INT4, _integer_text),
        _overload(INT8, _bigint_text),
        _overload(FLOAT4, _float_text(6)),
        _overload(FLOAT8, _float_text(_FLOAT_DIGITS)),
        _overload(NUMERIC, _exact_text),
    ]
}
"""Added to those of dates and times."""
