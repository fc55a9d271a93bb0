"""to_number: numbers from text by the templates of `to_char` (see `number_format.py`).

The template is walked once, and with it the text.  A pattern for a digit takes the next digit or the point, and a sign where
there may be one; whatever else stands there is passed over.  A character of the template that is no pattern skips one of the text,
whatever it is.  The number may have as many digits on either side of the point as the template has.
"""

from __future__ import annotations

from decimal import Context, Decimal

from ....repr.types import NUMERIC, NUMERIC_MAX_PRECISION, TEXT
from ...datetimes.datetime_input import InputError
from ...tree.function import Overload
from ..rowwise import rowwise
from .number_format import Piece, Template, read_template

_DATA = frozenset("0123456789.,+-")
"""Characters that patterns without a meaning of their own in a text do not pass over."""
_EXACT = Context(prec=400)


class _Reader:
    """The text on its way through the patterns: `at` is the next character, `digits` what was read."""

    def __init__(self, text: str, template: Template) -> None:
        self.text = text
        self.t = template
        self.at = 0
        self.sign = ""
        self.digits = ""
        self.before = 0
        self.after = 0
        self.point = False

    @property
    def ended(self) -> bool:
        return self.at >= len(self.text)

    def _here(self) -> str:
        return self.text[self.at : self.at + 1]

    def _is_digit(self, at: int) -> bool:
        return self.text[at : at + 1] in tuple("0123456789")

    def digit(self, pattern: str) -> None:
        if self._here() == " ":
            self.at += 1
        if self.ended:
            return
        if not self.sign and pattern in ("0", "9") and not self.before + self.after:
            self._leading_sign()
        if self.ended:
            return
        taken = False
        if self._is_digit(self.at):
            if self.point and self.after == self.t.after:
                return
            self.digits += self._here()
            self.after += self.point
            self.before += not self.point
            taken = True
        elif self.t.point and not self.point and self._here() == ".":
            self.digits += "."
            self.point = taken = True
        if not self.sign and self.before + self.after:
            self._trailing_sign(taken)

    def _leading_sign(self) -> None:
        here = self._here()
        if here == "-" or (here == "<" and self.t.bracket):
            self.sign = "-"
            self.at += 1
        elif here == "+":
            self.sign = "+"
            self.at += 1

    def _trailing_sign(self, taken: bool) -> None:
        """The sign of S stands right behind the last digit; that of MI, PL and SG may stand where there is no digit."""
        following = self.text[self.at + 1 : self.at + 2]
        if self.t.sign and taken and following and not self._is_digit(self.at + 1):
            if following in ("-", "+"):
                self.sign = following
                self.at += 1
        elif (self.t.plus or self.t.minus) and not (taken or self.t.sign) and self._here() in ("-", "+"):
            self.sign = self._here()

    def other(self, piece: Piece) -> bool:
        """Whether the text is one character further."""
        here = self._here()
        match piece.pattern:
            case "," | "G":
                return not self.t.fill and here == ","
            case "MI" | "PL" | "SG":
                allowed = {"MI": "-", "PL": "+", "SG": "-+"}[piece.pattern]
                if here in allowed:
                    self.sign = here
                    return True
                self._pass_over(1)
            case "L":
                self._pass_over(1)
            case "TH":
                self._pass_over(2)
            case "":
                self.at += 1
        return False

    def _pass_over(self, count: int) -> None:
        while count and not self.ended and self._here() not in _DATA:
            self.at += 1
            count -= 1


def _to_number(text: str, template: str) -> Decimal | None:
    if not template:
        return None
    pieces, t = read_template(template)
    if t.scientific:
        raise InputError("0A000", '"EEEE" not supported for input')
    if t.roman:
        raise InputError("0A000", "to_number of Roman numerals is not supported")
    reader = _Reader(text, t)
    for piece in pieces:
        if reader.ended:
            break
        if piece.pattern in ("9", "0", ".", "D"):
            reader.digit(piece.pattern)
            reader.at += 1
        elif reader.other(piece):
            reader.at += 1
    written = reader.digits.removesuffix(".")
    if not written:
        raise InputError("22P02", f'invalid input syntax for type numeric: "{reader.sign or " "}"')
    value = Decimal(f"{reader.sign}{written}")
    if value and value.adjusted() >= t.before + t.shift:
        raise InputError("22003", "numeric field overflow")
    value = value.scaleb(-t.shift, context=_EXACT)
    exponent = value.as_tuple().exponent
    assert isinstance(exponent, int)
    if value and (value.adjusted() >= NUMERIC_MAX_PRECISION or -exponent > NUMERIC_MAX_PRECISION):
        raise InputError("22003", "value overflows numeric format")
    return value


OVERLOADS = {
    "to_number": [Overload((TEXT, TEXT), NUMERIC, rowwise(_to_number), can_fail=True, nullable=True)]
}
