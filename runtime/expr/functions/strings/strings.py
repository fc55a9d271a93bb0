"""Text functions.  Letters fold and characters order as under collation C: ASCII letters only, by bytes."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from ....errors import UndefinedFunction
from ....repr.types import BOOL, BPCHAR, BYTEA, INT4, INT8, JSONB, TEXT, Kind, ScalarType
from ...coercion.literals import cast_to, coerce_unknown
from ...coercion.type_rules import base_name
from ...columns.blank_padding import padded, unpadded
from ...columns.value_size import check_value
from ...datetimes.datetime_input import InputError
from ...text.text_output import to_text
from ...tree.function import CallInfo, Datum, Function, Kernel, Overload, as_array
from ...tree.scalar import Call, Scalar
from ..containers.arrays import resolve_concatenation
from ..containers.lists import resolve_list_concatenation
from ..rowwise import rowwise

_MAX_BYTES = 0x3FFFFFFF
_TOO_LARGE = InputError("54000", "requested length too large")


def _array_kernel(compute: Callable[..., Any]) -> Kernel:
    """A kernel from a pyarrow function of arrays; the first argument is made an array."""

    def kernel(args: Sequence[Datum], info: CallInfo) -> pa.Array:
        return compute(as_array(args[0], info.length), *args[1:])

    return kernel


def _of_padded(compute: Callable[[pa.Array, ScalarType], pa.Array]) -> Kernel:
    def kernel(args: Sequence[Datum], info: CallInfo) -> pa.Array:
        return compute(as_array(args[0], info.length), info.types[0])

    return kernel


# --- one row at a time, where Arrow has no kernel with these semantics ------------------------------------------------


def _initcap(text: str) -> str:
    out: list[str] = []
    inside = False
    for char in text:
        letter = char.isascii() and char.isalpha()
        out.append((char.lower() if inside else char.upper()) if letter else char)
        inside = char.isascii() and char.isalnum()
    return "".join(out)


def substring(text: str, start: int, length: int | None = None) -> str:
    """Characters from the 1-based `start`; positions before the text count but hold nothing."""
    if length is None:
        return text[max(start, 1) - 1 :]
    if length < 0:
        raise InputError("22011", "negative substring length not allowed")
    end = start + length
    return text[max(start, 1) - 1 : end - 1] if end > 1 else ""


def _left(text: str, count: int) -> str:
    return text[:count]


def _right(text: str, count: int) -> str:
    if count >= 0:
        return text[max(len(text) - count, 0) :]
    return text if count == -(1 << 31) else text[-count:]  # the smallest integer has no negative


def _split_part(text: str, delimiter: str, field: int) -> str:
    if field == 0:
        raise InputError("22023", "field position must not be zero")
    parts = text.split(delimiter) if delimiter and text else [text]
    position = field - 1 if field > 0 else len(parts) + field
    return parts[position] if 0 <= position < len(parts) else ""


def _pad(left: bool) -> Callable[..., str]:
    def pad(text: str, length: int, fill: str = " ") -> str:
        length = max(length, 0)
        if length * 4 + 4 > _MAX_BYTES:
            raise _TOO_LARGE
        check_value(length)
        missing = length - len(text)
        if missing <= 0:
            return text[:length]
        padding = (fill * (missing // len(fill) + 1))[:missing] if fill else ""
        return padding + text if left else text + padding

    return pad


def _repeat(text: str, count: int) -> str:
    size = len(text.encode()) * max(count, 0)
    if size + 4 > _MAX_BYTES:
        raise _TOO_LARGE
    check_value(size)
    return text * max(count, 0)


def _position(text: str, part: str) -> int:
    return text.find(part) + 1


def _replace_text(text: str, old: str, new: str) -> str:
    if not old:
        return text
    if len(new) > len(old):
        check_value(len(text) + text.count(old) * (len(new) - len(old)))
    return text.replace(old, new)


def _translate(text: str, old: str, new: str) -> str:
    table: dict[int, str] = {}
    for index, char in enumerate(old):
        table.setdefault(ord(char), new[index] if index < len(new) else "")
    return text.translate(table)


def _ascii(text: str) -> int:
    return ord(text[0]) if text else 0


def _chr(code: int) -> str:
    if code < 0:
        raise InputError("22023", "character number must be positive")
    if code == 0:
        raise InputError("54000", "null character not permitted")
    if code > 0x10FFFF:
        raise InputError("54000", f"requested character too large for encoding: {code}")
    if 0xD800 <= code <= 0xDFFF:
        raise InputError("54000", f"requested character not valid for encoding: {code}")
    return chr(code)


def _md5(text: str) -> str:
    return hashlib.md5(text.encode(), usedforsecurity=False).hexdigest()


def _to_base(value: int, bits: int, form: str) -> str:
    return format(value % (1 << bits), form)


def _overlay(text: str, new: str, start: int, length: int | None = None) -> str:
    if start <= 0:
        raise InputError("22011", "negative substring length not allowed")
    count = len(new) if length is None else length
    if start + count > 2147483647:
        raise InputError("22003", "integer out of range")
    return text[: start - 1] + new + text[max(start + count - 1, 0) :]


_UNITS = (
    ("bytes", 10 * 1024, False, 0),
    *(
        (name, 20 * 1024 - 1, True, 10 * place)
        for place, name in enumerate(("kB", "MB", "GB", "TB", "PB"), 1)
    ),
)


def _size_pretty(size: int) -> str:
    """In the first unit in which it is below the limit, rounded half away from zero."""
    for place, (name, limit, rounded, bits) in enumerate(_UNITS):
        if place + 1 == len(_UNITS) or abs(size) < limit:
            shown = int((abs(size) + 1) // 2) * (-1 if size < 0 else 1) if rounded else size
            return f"{shown} {name}"
        shift = _UNITS[place + 1][3] - bits - 1 + rounded
        size = (abs(size) >> shift) * (-1 if size < 0 else 1)
    raise AssertionError("the last unit takes every size")


def _trimmed(strip: Callable[..., Any]) -> Callable[..., str]:
    def trim(text: str, characters: str) -> str:
        result: str = strip(text, characters) if characters else text
        return result

    return trim


# --- whole columns -----------------------------------------------------------------------------------------------------


def _trim_spaces(compute: Callable[..., Any]) -> Kernel:
    return _array_kernel(lambda text: compute(text, " "))


def _concat_text(args: Sequence[Datum], info: CallInfo) -> pa.Array:
    return pc.binary_join_element_wise(
        as_array(args[0], info.length), args[1], pa.scalar("", info.result.arrow)
    )


def _substring(args: Sequence[Datum], info: CallInfo) -> Any:
    """Constant bounds are one Arrow slice."""
    if isinstance(args[0], pa.Array) and all(isinstance(datum, pa.Scalar) for datum in args[1:]):
        start, *rest = (datum.as_py() for datum in args[1:])
        if not rest:
            return pc.utf8_slice_codeunits(args[0], max(start, 1) - 1)
        if rest[0] >= 0:
            first, last = max(start, 1) - 1, max(start + rest[0] - 1, 0)
            return pc.utf8_slice_codeunits(args[0], min(first, last), last)
    return _SUBSTRING_ROWS(args, info)


def _left_columns(args: Sequence[Datum], info: CallInfo) -> Any:
    if isinstance(args[0], pa.Array) and isinstance(args[1], pa.Scalar) and args[1].as_py() >= 0:
        return pc.utf8_slice_codeunits(args[0], 0, args[1].as_py())
    return _LEFT_ROWS(args, info)


def _replace(args: Sequence[Datum], info: CallInfo) -> Any:
    if isinstance(args[0], pa.Array) and all(isinstance(datum, pa.Scalar) for datum in args[1:]):
        old, new = args[1].as_py(), args[2].as_py()
        return pc.replace_substring(args[0], old, new) if old else args[0]
    return _REPLACE_ROWS(args, info)


def _starts_with(args: Sequence[Datum], info: CallInfo) -> Any:
    if isinstance(args[1], pa.Scalar):
        return pc.starts_with(as_array(args[0], info.length), args[1].as_py())
    return _STARTS_ROWS(args, info)


_SUBSTRING_ROWS = rowwise(substring)
_LEFT_ROWS = rowwise(_left)
_REPLACE_ROWS = rowwise(_replace_text)
_STARTS_ROWS = rowwise(str.startswith)


# --- concat, ||, concat_ws -----------------------------------------------------------------------------------------------


def _concat(args: Sequence[Datum], info: CallInfo) -> pa.Array:
    parts = [
        to_text(as_array(d, info.length), t).fill_null("") for d, t in zip(args, info.types, strict=True)
    ]
    return pc.binary_join_element_wise(*parts, "") if len(parts) > 1 else parts[0]


def _concat_ws(args: Sequence[Datum], info: CallInfo) -> pa.Array:
    separator, *parts = (to_text(as_array(d, info.length), t) for d, t in zip(args, info.types, strict=True))
    joined = parts[0]
    for part in parts[1:]:
        both = pc.binary_join_element_wise(joined, part, separator)
        joined = pc.coalesce(both, joined, part)
    return pc.if_else(separator.is_valid(), joined.fill_null(""), pa.scalar(None, pa.string()))


def _resolve_concat(name: str) -> Callable[[tuple[Scalar, ...], tuple[bool, ...]], Call]:
    def resolve(args: tuple[Scalar, ...], unknown: tuple[bool, ...]) -> Call:
        if len(args) < (1 if name == "concat" else 2):
            raise UndefinedFunction(
                f"function {name}({', '.join(base_name(a.type) for a in args)}) does not exist"
            )
        coerced = [coerce_unknown(a, TEXT) if flag else a for a, flag in zip(args, unknown, strict=True)]
        if name == "concat_ws":
            if not coerced[0].type.is_string_category:
                raise UndefinedFunction(
                    f"function concat_ws({', '.join(base_name(a.type) for a in coerced)}) does not exist"
                )
            if coerced[0].type.kind is Kind.BPCHAR:
                coerced[0] = cast_to(coerced[0], TEXT)
            return Call(name, tuple(coerced), TEXT, coerced[0].nullable)
        return Call(name, tuple(coerced), TEXT, False)

    return resolve


def _resolve_concat_operator(args: tuple[Scalar, ...], unknown: tuple[bool, ...]) -> Call:
    """text || anything, either way round; arrays among themselves and with elements; jsonb with jsonb."""
    if any(arg.type.kind is Kind.ARRAY for arg in args):
        return resolve_concatenation(args, unknown)
    if any(arg.type.kind is Kind.LIST for arg in args):
        return resolve_list_concatenation(args, unknown)
    kinds = {arg.type for arg, flag in zip(args, unknown, strict=True) if not flag}
    if kinds in ({JSONB}, {BYTEA}):
        (type_,) = kinds
        both = [coerce_unknown(arg, type_) if flag else arg for arg, flag in zip(args, unknown, strict=True)]
        name = "jsonb_concat" if type_ == JSONB else "concat_op"
        return Call(name, tuple(both), type_, any(arg.nullable for arg in both))
    textual = [flag or arg.type.is_string_category for arg, flag in zip(args, unknown, strict=True)]
    if all(textual) and any(arg.type.kind is Kind.CHAR for arg in args):
        names = " || ".join(
            "unknown" if flag else base_name(arg.type) for arg, flag in zip(args, unknown, strict=True)
        )
        raise UndefinedFunction(f"operator is not unique: {names}", sqlstate="42725")
    if not any(textual):
        names = " || ".join(base_name(arg.type) for arg in args)
        raise UndefinedFunction(
            f"operator does not exist: {names}",
            hint="No operator matches the given name and argument types. You might need to add explicit type casts.",
        )
    left, right = (
        coerce_unknown(arg, TEXT) if flag else cast_to(arg, TEXT)
        for arg, flag in zip(args, unknown, strict=True)
    )
    return Call("concat_op", (left, right), TEXT, left.nullable or right.nullable)


def _text(
    name: str, kernel: Kernel, *params: ScalarType, result: ScalarType = TEXT, fails: bool = False
) -> Function:
    return Function(name, (Overload(params, result, kernel, can_fail=fails),))


def _trim(name: str, compute: Callable[..., Any], strip: Callable[..., Any]) -> Function:
    return Function(
        name,
        (
            Overload((TEXT,), TEXT, _trim_spaces(compute)),
            Overload((TEXT, TEXT), TEXT, rowwise(_trimmed(strip))),
        ),
    )


FUNCTIONS: tuple[Function, ...] = (
    Function("concat_op", (Overload(None, TEXT, _concat_text),), "||", _resolve_concat_operator),
    Function("concat", (Overload(None, TEXT, _concat, strict=False),), resolver=_resolve_concat("concat")),
    Function(
        "concat_ws", (Overload(None, TEXT, _concat_ws, strict=False),), resolver=_resolve_concat("concat_ws")
    ),
    Function(
        "length",
        (
            Overload((TEXT,), INT4, _array_kernel(pc.utf8_length)),
            Overload((BPCHAR,), INT4, _of_padded(lambda text, type_: pc.utf8_length(unpadded(text, type_)))),
        ),
    ),
    Function(
        "octet_length",
        (
            Overload((TEXT,), INT4, _array_kernel(pc.binary_length)),
            Overload((BPCHAR,), INT4, _of_padded(lambda text, type_: pc.binary_length(padded(text, type_)))),
        ),
    ),
    _text(
        "bit_length",
        _array_kernel(lambda t: pc.multiply(pc.binary_length(t), 8).cast(pa.int32())),
        TEXT,
        result=INT4,
    ),
    _text("lower", _array_kernel(pc.ascii_lower), TEXT),
    _text("upper", _array_kernel(pc.ascii_upper), TEXT),
    _text("initcap", rowwise(_initcap), TEXT),
    _text("reverse", _array_kernel(pc.utf8_reverse), TEXT),
    _trim("btrim", pc.utf8_trim, str.strip),
    _trim("ltrim", pc.utf8_ltrim, str.lstrip),
    _trim("rtrim", pc.utf8_rtrim, str.rstrip),
    Function(
        "substring",
        (
            Overload((TEXT, INT4), TEXT, _substring),
            Overload((TEXT, INT4, INT4), TEXT, _substring, can_fail=True),
        ),
    ),
    _text("left", _left_columns, TEXT, INT4),
    _text("right", rowwise(_right), TEXT, INT4),
    _text("replace", _replace, TEXT, TEXT, TEXT),
    _text("translate", rowwise(_translate), TEXT, TEXT, TEXT),
    _text("position", rowwise(_position), TEXT, TEXT, result=INT4),
    _text("split_part", rowwise(_split_part), TEXT, TEXT, INT4, fails=True),
    *(
        Function(
            name,
            tuple(
                Overload(params, TEXT, rowwise(_pad(name == "lpad")), can_fail=True)
                for params in ((TEXT, INT4), (TEXT, INT4, TEXT))
            ),
        )
        for name in ("lpad", "rpad")
    ),
    _text("repeat", rowwise(_repeat), TEXT, INT4, fails=True),
    _text("starts_with", _starts_with, TEXT, TEXT, result=BOOL),
    _text("ascii", rowwise(_ascii), TEXT, result=INT4),
    _text("chr", rowwise(_chr), INT4, fails=True),
    _text("md5", rowwise(_md5), TEXT),
    *(
        Function(
            f"to_{name}",
            (
                Overload((INT4,), TEXT, rowwise(lambda value, f=form: _to_base(value, 32, f))),
                Overload((INT8,), TEXT, rowwise(lambda value, f=form: _to_base(value, 64, f))),
            ),
        )
        for name, form in (("hex", "x"), ("oct", "o"), ("bin", "b"))
    ),
    Function(
        "overlay",
        (
            Overload((TEXT, TEXT, INT4), TEXT, rowwise(_overlay), can_fail=True),
            Overload((TEXT, TEXT, INT4, INT4), TEXT, rowwise(_overlay), can_fail=True),
        ),
    ),
    _text("pg_size_pretty", rowwise(_size_pretty), INT8),
)
