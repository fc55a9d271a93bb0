"""A document: the value that a JSON text denotes, and its canonical text.

A `jsonb` travels and is stored as canonical text, the text that PostgreSQL prints: keys in the order of their length,
then bytes, each once (the last one wins); one space behind `:` and `,`; numbers as `numeric` prints them, with the
digits after the point that were written (`1.50`, `1e2` is `100`); the shortest escapes.  Two documents with one text are
equal; equal documents have one text but for zeros at the end of numbers (see `order`).

In Python a document is None, a bool, a str, an int or Decimal, a list, or a dict from str, whose keys are in order but where
it says otherwise.  SQL's NULL, which is no
document, is `ABSENT`.

Parsing is the standard library's `json`: its scanner is C, it keeps the spelling of numbers when told to (orjson and
simdjson make floats of them), and refuses what PostgreSQL refuses but for NaN, infinities and halves of surrogate pairs,
which are looked for here.
"""

from __future__ import annotations

import enum
import json
import re
from decimal import Context, Decimal, InvalidOperation
from typing import Any, Final, NoReturn

from ..datetimes.datetime_input import InputError
from ..digits import whole


class Absent(enum.Enum):
    """The type of ABSENT."""

    ABSENT = "absent"


ABSENT: Final = Absent.ABSENT
"""SQL's NULL among documents, of which JSON's null is one."""

Document = Any

_WHOLE_DIGITS = 131072
_PLAIN = 1000
"""A number of so few digits is within all bounds."""
_FRACTION_DIGITS = 16383
DEPTH = "stack depth limit exceeded"
MAX_DEPTH = 250
"""No document is nested deeper: what makes documents sees to it, so that what reads them may recurse."""
_MAX_ZEROS = 1 << 26
_SHORT = 4096
_EXPONENT = re.compile(r"[0-9][eE][+-]?([0-9]{1,9})")


def no_constant(name: str) -> NoReturn:
    raise json.JSONDecodeError(f"{name} is not JSON", name, 0)


def _number(written: str) -> Decimal:
    """A number that `numeric` holds, or an error: looked at as it is read, since a document keeps the last value of a key only."""
    number = Decimal(written)
    if len(written) > _PLAIN or "e" in written or "E" in written:
        _check_bounds(number)
    return number


_EXACT = Context(prec=_WHOLE_DIGITS + _FRACTION_DIGITS)
_Decoders = tuple[json.JSONDecoder, json.JSONDecoder]
"""The second one is for integers of thousands of digits, which Python's own does not read."""
_WRITTEN: _Decoders = (
    json.JSONDecoder(parse_float=_number, parse_constant=no_constant),
    json.JSONDecoder(parse_float=_number, parse_int=_number, parse_constant=no_constant),
)
_STORED: _Decoders = (
    json.JSONDecoder(parse_float=Decimal),
    json.JSONDecoder(parse_float=Decimal, parse_int=Decimal),
)
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"')
_SPACE = " \t\n\r"


def parse(text: str) -> Document:
    """The document that is written as `text`, its keys as they are written.

    Raises InputError: 22P02 for what is no JSON, 22P05 for a NUL, 22003 for a number beyond `numeric`'s bounds.
    """
    if len(text) > _SHORT and sum(min(whole(e), _WHOLE_DIGITS) for e in _EXPONENT.findall(text)) > _MAX_ZEROS:
        # A few bytes each, which canonical text writes out.
        raise InputError("54000", "total size of jsonb numbers exceeds the maximum")
    document = _decoded(text, _WRITTEN)
    check_characters(text)
    return document


def load(text: str) -> Document:
    """The document of a canonical text."""
    return _decoded(text, _STORED)


def _decoded(text: str, decoders: _Decoders) -> Document:
    quick, long = decoders
    try:
        try:
            return quick.decode(text)
        except json.JSONDecodeError:
            raise InputError("22P02", "invalid input syntax for type json") from None
        except ValueError:  # an integer of thousands of digits
            return long.decode(text)
    except ArithmeticError:
        raise InputError("22003", "value overflows numeric format") from None
    except RecursionError:
        raise InputError("54001", DEPTH) from None


def check_characters(text: str) -> None:
    """22P02 for half of a surrogate pair in a string of a JSON text, 22P05 for a NUL; also under a key that comes again."""
    if "\\u" not in text:
        return
    for found in _STRING.finditer(text):
        if "\\u" not in found[0]:
            continue
        value: str = json.loads(found[0])
        if "\0" in value:
            raise InputError("22P05", "unsupported Unicode escape sequence")
        try:
            value.encode()
        except UnicodeEncodeError:
            raise InputError("22P02", "invalid input syntax for type json") from None


def shape(text: str, unique: bool) -> Document:
    """What kind of JSON a text is: a document of its kind.  As type `json` reads it: numbers of any size, any escape.

    Raises InputError (22P02) for what is none, and with `unique` for an object that has a key twice.
    """
    try:
        document = _UNIQUE.decode(text) if unique else _SHAPES.decode(text)
    except RecursionError:
        raise InputError("54001", DEPTH) from None
    except ValueError:
        raise InputError("22P02", "invalid input syntax for type json") from None
    return document


def _unique(pairs: list[tuple[str, Document]]) -> Document:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a key repeats")
    return found


def _zero(_: str) -> int:
    return 0


_SHAPES = json.JSONDecoder(parse_float=_zero, parse_int=_zero, parse_constant=no_constant)
_UNIQUE = json.JSONDecoder(
    parse_float=_zero, parse_int=_zero, parse_constant=no_constant, object_pairs_hook=_unique
)


def _marked(number: Decimal) -> str:
    return "\0" + number_text(number)


_ENCODER = json.JSONEncoder(ensure_ascii=False, check_circular=False, default=_marked)
_MARKED = re.compile(r'"\\u0000([-0-9.]+)"')
"""A number among the strings, none of which holds a NUL."""


def encode(document: Document) -> str:
    """The canonical text of a document whose keys are in order.

    The standard library's encoder is C, but prints no number that it does not know: a Decimal goes through it as a string
    with a mark, which is taken off afterwards.
    """
    text = _ENCODER.encode(document)
    return _MARKED.sub(r"\1", text) if '"\\u0000' in text else text


_CONTAINERS = (dict, list)


def in_order(document: Document, depth: int = 0) -> Document:
    """The document with all keys in order; 54001 where it is nested too deeply."""
    if depth > MAX_DEPTH:
        raise InputError("54001", DEPTH)
    if type(document) is dict:
        found = {}
        for key in ordered(document):
            value = document[key]
            found[key] = in_order(value, depth + 1) if type(value) in _CONTAINERS else value
        return found
    if type(document) is list:
        return [in_order(item, depth + 1) if type(item) in _CONTAINERS else item for item in document]
    return document


def limited(document: Document, depth: int = 0) -> Document:
    """The document; 54001 where it is nested too deeply."""
    if type(document) in _CONTAINERS:
        if depth > MAX_DEPTH:
            raise InputError("54001", DEPTH)
        for item in document.values() if type(document) is dict else document:
            if type(item) in _CONTAINERS:
                limited(item, depth + 1)
    return document


def ordered(keys: dict[str, Any]) -> list[str]:
    """The keys as PostgreSQL stores them: shorter ones first, then by bytes."""
    if len(keys) < 2:
        return list(keys)
    by_bytes = sorted(keys)  # code points order as their UTF-8 does
    by_bytes.sort(key=len if "".join(by_bytes).isascii() else _size)
    return by_bytes


def _size(key: str) -> int:
    return len(key.encode())


def number_text(number: Decimal | int) -> str:
    """A number as `numeric` prints it; 22003 for what `numeric` cannot hold."""
    if isinstance(number, int):
        return str(number) if -(10**4000) < number < 10**4000 else format(Decimal(number), "f")
    text = str(number)
    if len(text) <= _PLAIN and "E" not in text and number:
        return text
    exponent = _check_bounds(number)
    if not number:
        return format(Decimal((0, (0,), min(exponent, 0))), "f")
    return format(number, "f")


def _check_bounds(number: Decimal) -> int:
    """The exponent of a number that `numeric` holds; 22003 for another one."""
    _, _, exponent = number.as_tuple()
    assert isinstance(exponent, int)
    if -exponent > _FRACTION_DIGITS or (number and number.adjusted() >= _WHOLE_DIGITS):
        raise InputError("22003", "value overflows numeric format")
    return exponent


def written_number(written: str) -> str:
    """A number with digits, a point, an exponent, as `numeric` prints it; 22003 for what `numeric` cannot hold."""
    try:
        number = Decimal(written)
    except InvalidOperation:  # its exponent is beyond what Decimal takes
        raise InputError("22003", "value overflows numeric format") from None
    return number_text(number)


def whole_number(number: Decimal | int) -> int:
    """A number rounded to an integer, half away from zero, as numeric becomes one."""
    if isinstance(number, int):
        return number
    return int(number.to_integral_value(rounding="ROUND_HALF_UP", context=_EXACT))


def type_name(document: Document) -> str:
    """As jsonb_typeof says it."""
    match document:
        case None:
            return "null"
        case bool():
            return "boolean"
        case str():
            return "string"
        case dict():
            return "object"
        case list():
            return "array"
        case _:
            return "number"


def as_text(document: Document) -> str | Absent:
    """What ->> gives: a string without its quotes, NULL for null, else the canonical text."""
    if type(document) is str:
        return document
    return ABSENT if document is None else encode(document)
