"""LIKE and ILIKE: patterns with % and _, the escape character a backslash unless ESCAPE names another.

A pattern becomes a substring search where it can, else an RE2 expression.  ILIKE folds ASCII letters, as
collation C does.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ....repr.buffers import present
from ....repr.types import BOOL, BPCHAR, NAME, TEXT, Kind
from ...columns.arrays import put
from ...columns.blank_padding import padded
from ...columns.row_errors import Evaluated, RowErrors, merge_errors, same_error
from ...datetimes.datetime_input import InputError
from ...tree.function import CallInfo, Datum, Function, Kernel, Overload, as_array
from ...tree.scalar import Literal, Scalar
from ..rowwise import rowwise

INVALID_ESCAPE = "22025"
_DANGLING = "LIKE pattern must not end with escape character"


@lru_cache(maxsize=1024)
def _parse(pattern: str, escape: str) -> tuple[str | None, ...] | None:
    """Literal characters, `None` for _, and "" for %; None when the pattern ends in an escape."""
    parts: list[str | None] = []
    position = 0
    while position < len(pattern):
        char = pattern[position]
        if escape and char == escape:
            position += 1
            if position == len(pattern):
                return None
            parts.append(pattern[position])
        elif char == "%":
            parts.append("")
        else:
            parts.append(None if char == "_" else char)
        position += 1
    return tuple(parts)


@lru_cache(maxsize=1024)
def _regex(parts: tuple[str | None, ...]) -> str:
    body = "".join("." if part is None else ".*" if part == "" else re.escape(part) for part in parts)
    return rf"(?s)\A{body}\z"


def _match(text: pa.Array, pattern: str, escape: str) -> tuple[pa.Array, bool]:
    """bool[n], and whether the pattern is malformed."""
    parts = _parse(pattern, escape)
    if parts is None:
        return pa.nulls(len(text), pa.bool_()), True
    if None not in parts and parts.count("") <= 2:
        literal = "".join(part or "" for part in parts)
        leading, trailing = parts[:1] == ("",), len(parts) > 1 and parts[-1] == ""
        inner = parts.count("") - leading - trailing
        if inner == 0:
            if leading and (trailing or literal == ""):
                return pc.match_substring(text, literal), False
            if leading:
                return pc.ends_with(text, literal), False
            if trailing:
                return pc.starts_with(text, literal), False
            return pc.equal(text, literal), False
    return pc.match_substring_regex(text, _regex(parts)), False


def _like(fold: bool, negate: bool) -> Kernel:
    def kernel(args: Sequence[Datum], info: CallInfo) -> Evaluated:
        text, pattern = as_array(args[0], info.length), args[1]
        if info.types[0].kind is Kind.BPCHAR:
            text = padded(text, info.types[0])
        escape_datum = args[2] if len(args) > 2 else pa.scalar("\\")
        if fold:
            text, pattern = pc.ascii_lower(text), pc.ascii_lower(pattern)
        if isinstance(pattern, pa.Scalar) and isinstance(escape_datum, pa.Scalar):
            escape = escape_datum.as_py()
            if len(escape) > 1:
                return _all_failed(text, "invalid escape string")
            result, malformed = _match(text, pattern.as_py(), escape)
            if malformed:
                return _all_failed(text, _DANGLING)
            return Evaluated(pc.invert(result) if negate else result)
        patterns, escapes = as_array(pattern, info.length), as_array(escape_datum, info.length)
        result, errors = _by_pattern(text, patterns, escapes)
        return Evaluated(pc.invert(result) if negate else result, errors)

    return kernel


def _all_failed(text: pa.Array, message: str) -> Evaluated:
    """PostgreSQL looks at the end of a pattern only when it gets there: an empty text never does."""
    rows = np.flatnonzero(present(text))
    return Evaluated(pa.nulls(len(text), pa.bool_()), same_error(rows, INVALID_ESCAPE, message))


def _by_pattern(text: pa.Array, patterns: pa.Array, escapes: pa.Array) -> tuple[pa.Array, RowErrors | None]:
    """Patterns that vary by row: the rows of each distinct pattern at once."""
    result = pa.nulls(len(text), pa.bool_())
    errors: list[RowErrors | None] = []
    keys = pa.StructArray.from_arrays([patterns, escapes], ["pattern", "escape"]).to_pylist()
    rows_of: dict[tuple[str, str], list[int]] = {}
    valid = text.is_valid().to_pylist()
    for row, key in enumerate(keys):
        if key["pattern"] is not None and key["escape"] is not None and valid[row]:
            rows_of.setdefault((key["pattern"], key["escape"]), []).append(row)
    for (pattern, escape), listed in rows_of.items():
        rows = np.array(listed, np.int64)
        if len(escape) > 1:
            errors.append(same_error(rows, INVALID_ESCAPE, "invalid escape string"))
            continue
        matched, malformed = _match(text.take(pa.array(rows)), pattern, escape)
        if malformed:
            errors.append(same_error(rows, INVALID_ESCAPE, _DANGLING))
        else:
            result = put(result, rows, matched)
    return result, merge_errors(errors)


def _is_well_formed(args: tuple[Scalar, ...]) -> bool:
    """A pattern that stands in the statement, and has its end where it ought to."""
    match args:
        case (_, Literal(value=pattern)):
            escape = "\\"
        case (_, Literal(value=pattern), Literal(value=str(escape))) if len(escape) <= 1:
            pass
        case _:
            return False
    return pattern is None or _parse(pattern, escape) is not None


def _function(name: str, operator: str, *, fold: bool, negate: bool) -> Function:
    kernel = _like(fold, negate)
    overloads = tuple(
        Overload((subject, *(TEXT,) * count), BOOL, kernel, can_fail=True, safe_args=_is_well_formed)
        for subject in (TEXT, BPCHAR, NAME)
        for count in (1, 2)
    )
    return Function(name, overloads, operator)


def _escaped(pattern: str, escape: str) -> str:
    """A pattern of another escape character, or of none, in terms of the backslash."""
    if len(escape) > 1:
        raise InputError(INVALID_ESCAPE, "invalid escape string")
    parts: list[str] = []
    characters = iter(pattern)
    for character in characters:
        if escape and character == escape:
            following = next(characters, None)
            if following is None:
                raise InputError(INVALID_ESCAPE, _DANGLING)
            parts.append("\\" + following)
        else:
            parts.append("\\\\" if character == "\\" else character)
    return "".join(parts)


FUNCTIONS: tuple[Function, ...] = (
    Function("like escape", (Overload((TEXT, TEXT), TEXT, rowwise(_escaped), can_fail=True),)),
    _function("like", "~~", fold=False, negate=False),
    _function("not_like", "!~~", fold=False, negate=True),
    _function("ilike", "~~*", fold=True, negate=False),
    _function("not_ilike", "!~~*", fold=True, negate=True),
)
