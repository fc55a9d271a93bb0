"""The btree order of `jsonb` as text: documents compare as the bytes of their order keys.

PostgreSQL's order: Object > Array > Boolean > Number > String > null; an array or object with more members is greater
than one with fewer, then members compare one by one, an object's as key, value, key, value in stored order.  For
historical reasons an empty array at the top is less than every scalar there.

An order key is a prefix code, so that the keys of members may follow one another:

    null 1 | string 2 characters NUL | number 3 sign, exponent, digits | false 40, true 41
    array 5 count members | object 6 count (key NUL member)...

Strings of documents hold no NUL.  Equal documents have equal keys: `1.0` and `1.00` have one.
"""

from __future__ import annotations

from decimal import Decimal

from .document import Document, encode

_EXPONENT_BIAS = 1_000_000
_COMPLEMENT = str.maketrans("0123456789", "9876543210")


def order_key(document: Document) -> str:
    """The key of a whole document."""
    match document:
        case dict():
            return "9" + _member(document)
        case list() if not document:
            return "0"
        case list():
            return f"1{len(document):09d}1" + "".join([_member(item) for item in document])
        case _:
            return "10000000010" + _member(document)  # one element, but not an array


def _member(document: Document) -> str:
    kind = type(document)
    if kind is str:
        return f"2{document}\0"
    if kind is dict:
        pairs = [f"{key}\0{_member(value)}" for key, value in document.items()]
        return f"6{len(document):09d}" + "".join(pairs)
    if kind is list:
        return f"5{len(document):09d}" + "".join([_member(item) for item in document])
    if document is None:
        return "1"
    if kind is bool:
        return "41" if document else "40"
    return _number(document)


def _number(number: Decimal | int) -> str:
    """Sign, then exponent and digits as text that sorts as the number does."""
    if not number:
        return "3n"
    if isinstance(number, int):
        digits = str(abs(number))
        exponent = len(digits) - 1
    else:
        digits = "".join(map(str, number.as_tuple().digits)).lstrip("0")
        exponent = number.adjusted()
    digits = digits.rstrip("0")
    shown = f"{exponent + _EXPONENT_BIAS:07d}"
    if number > 0:
        return f"3p{shown}{digits}\0"
    return f"3m{shown.translate(_COMPLEMENT)}{digits.translate(_COMPLEMENT)}~"


def without_zeros(document: Document) -> str:
    """The text of a document whose numbers have no zeros at their end: one for all equal documents."""
    return encode(_trimmed(document))


def _trimmed(document: Document) -> Document:
    match document:
        case Decimal():
            _, digits, exponent = document.as_tuple()
            assert isinstance(exponent, int)
            if not document:
                return 0
            zeros = len(digits) - len("".join(map(str, digits)).rstrip("0"))
            cut = min(zeros, max(-exponent, 0))
            return Decimal((int(document < 0), digits[: len(digits) - cut], exponent + cut))
        case list():
            return [_trimmed(item) for item in document]
        case dict():
            return {key: _trimmed(value) for key, value in document.items()}
        case _:
            return document
