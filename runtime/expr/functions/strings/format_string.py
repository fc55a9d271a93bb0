"""format(): %s, %I and %L in a template, with positions, widths and left justification."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import pyarrow as pa

from ....errors import UndefinedFunction
from ....repr.types import TEXT
from ...coercion.literals import coerce_unknown
from ...coercion.type_rules import base_name
from ...columns.row_errors import Evaluated, listed_errors
from ...columns.value_size import check_value
from ...datetimes.datetime_input import InputError
from ...text.digits import whole
from ...text.text_output import to_text
from ...tree.function import CallInfo, Datum, Function, Overload, as_array
from ...tree.scalar import Call, Scalar
from ..system.system import quote_ident, quote_literal

_UNTERMINATED = InputError("22023", "unterminated format() type specifier")
_MAX_LENGTH = 1073741823
_FROM_ONE = InputError("22023", "format specifies argument 0, but arguments are numbered from 1")


@dataclass(frozen=True, slots=True)
class _Field:
    """`place` and `width_place`: which argument, 0 for the next one; `width_place` None is a width as written."""

    kind: str
    place: int
    left: bool
    width: int
    width_place: int | None


class _Scanner:
    def __init__(self, template: str, position: int) -> None:
        self.template = template
        self.position = position

    def peek(self) -> str:
        if self.position >= len(self.template):
            raise _UNTERMINATED
        return self.template[self.position]

    def digits(self) -> int | None:
        begin = self.position
        while self.peek() in "0123456789":
            self.position += 1
        text = self.template[begin : self.position]
        if len(text) > 10 or (text and int(text) > 2147483647):
            raise InputError("22003", "number is out of range")
        return int(text) if text else None

    def field(self) -> _Field:
        place, left, width, width_place = 0, False, 0, None
        number = self.digits()
        if number is not None and self.peek() != "$":
            return self._end(_Field("", 0, False, number, None))
        if number is not None:
            if number == 0:
                raise _FROM_ONE
            place = number
            self.position += 1
        while self.peek() == "-":
            left = True
            self.position += 1
        if self.peek() == "*":
            self.position += 1
            number = self.digits()
            width_place = number or 0
            if number is not None:
                if self.peek() != "$":
                    raise InputError("22023", 'width argument position must be ended by "$"')
                if number == 0:
                    raise _FROM_ONE
                self.position += 1
        else:
            width = self.digits() or 0
        return self._end(_Field("", place, left, width, width_place))

    def _end(self, found: _Field) -> _Field:
        kind = self.peek()
        if kind not in "sIL":
            raise InputError("22023", f'unrecognized format() type specifier "{kind}"')
        self.position += 1
        return _Field(kind, found.place, found.left, found.width, found.width_place)


@lru_cache(maxsize=256)
def _template(text: str) -> tuple[tuple[str | _Field, ...], InputError | None]:
    """The parts up to the first that is wrong, and what is wrong with it."""
    parts: list[str | _Field] = []
    position = 0
    while position < len(text):
        percent = text.find("%", position)
        if percent < 0:
            parts.append(text[position:])
            break
        parts.append(text[position:percent])
        scanner = _Scanner(text, percent + 1)
        try:
            if scanner.peek() == "%":
                parts.append("%")
                scanner.position += 1
            else:
                parts.append(scanner.field())
        except InputError as error:
            return tuple(parts), error
        position = scanner.position
    return tuple(parts), None


def _format(template: str, arguments: Sequence[str | None]) -> str:
    parts, wrong = _template(template)
    out: list[str] = []
    following, size = 1, 0

    def argument(place: int) -> str | None:
        if place > len(arguments):
            raise InputError("22023", "too few arguments for format()")
        return arguments[place - 1]

    for part in parts:
        if isinstance(part, str):
            out.append(part)
            continue
        width, left = part.width, part.left
        if part.width_place is not None:
            following = part.width_place or following
            width = _width(argument(following))
            following += 1
        following = part.place or following
        value = _shown(part.kind, argument(following))
        following += 1
        if width < 0:
            width, left = -width, True
        size += max(width, len(value))
        if size > _MAX_LENGTH:
            raise InputError("54000", f"string buffer exceeds maximum allowed length ({_MAX_LENGTH} bytes)")
        check_value(size)
        out.append(value.ljust(width) if left else value.rjust(width))
    if wrong is not None:
        raise wrong
    return "".join(out)


def _width(text: str | None) -> int:
    if text is None:
        return 0
    try:
        return whole(text.strip())
    except ValueError:
        raise InputError("22P02", f'invalid input syntax for type integer: "{text}"') from None


def _shown(kind: str, value: str | None) -> str:
    if kind == "s":
        return value or ""
    if kind == "L":
        return "NULL" if value is None else quote_literal(value).lstrip(" ")
    if value is None:
        raise InputError("22004", "null values cannot be formatted as an SQL identifier")
    return quote_ident(value)


def _kernel(args: Sequence[Datum], info: CallInfo) -> Evaluated:
    texts = [to_text(as_array(d, info.length), t).to_pylist() for d, t in zip(args, info.types, strict=True)]
    out: list[str | None] = []
    failures: list[tuple[int, str, str]] = []
    for row, (template, *arguments) in enumerate(zip(*texts, strict=True)):
        try:
            out.append(None if template is None else _format(template, arguments))
        except InputError as error:
            out.append(None)
            failures.append((row, error.sqlstate, error.message))
    return Evaluated(pa.array(out, pa.string()), listed_errors(failures))


def _resolve(args: tuple[Scalar, ...], unknown: tuple[bool, ...]) -> Call:
    if not args or not (unknown[0] or args[0].type.is_string_category):
        names = ", ".join("unknown" if u else base_name(a.type) for a, u in zip(args, unknown, strict=True))
        raise UndefinedFunction(f"function format({names}) does not exist")
    typed = tuple(coerce_unknown(a, TEXT) if flag else a for a, flag in zip(args, unknown, strict=True))
    return Call("format", typed, TEXT, typed[0].nullable)


FUNCTIONS: tuple[Function, ...] = (
    Function("format", (Overload(None, TEXT, _kernel, can_fail=True, strict=False),), None, _resolve),
)
