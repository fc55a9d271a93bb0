"""Ranges as text: `[1,5)`, `empty`, `["2024-01-01 10:00:00",)`.

A column in the plain form, each bound without escapes and quoted whole or not at all, is cut by one regular expression;
other rows by a scanner of one text.  The bounds of all rows are then read, or printed, as columns of the subtype.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ..repr import ranges
from ..repr.ranges import AT, AT_VALUE
from ..repr.types import Kind, ScalarType
from .arrays import put, valid_mask
from .datetime_input import InputError
from .ranges import Bounds, make_ranges
from .row_errors import Evaluated, Mask, listed_errors, merge_errors

FromText = Callable[[pa.Array, ScalarType], Evaluated]
ToText = Callable[[pa.Array, ScalarType], pa.Array]

_SPACE = " \t\n\r\v\f"
_BOUND = r'"[^"\\]*"|[^"\\,()\[\]]*'
_PLAIN = rf"^(?P<open>[\[(])(?P<low>{_BOUND}),(?P<high>{_BOUND})(?P<close>[\])])$"
_SPACED = (Kind.DATE, Kind.TIMESTAMP, Kind.TIMESTAMPTZ)
"""Subtypes whose text may hold a space, for which it is quoted."""

_Cut = tuple[str, str | None, str | None, str]
"""The opening sign, both bounds (None: unbounded) and the closing sign."""


# --- input -----------------------------------------------------------------------------------------------------------


def parse_ranges(array: pa.Array, type_: ScalarType, from_text: FromText) -> Evaluated:
    """The ranges that the texts denote; 22P02 for those that denote none, and the errors of bounds and their order."""
    count = len(array)
    valid = np.ones(count, np.bool_) if (present := valid_mask(array)) is None else present
    empty = pc.equal(array, "empty").fill_null(False).to_numpy(zero_copy_only=False)
    cut = pc.extract_regex(array, _PLAIN)
    lows, highs = _bound(cut.field("low")), _bound(cut.field("high"))
    opened, closed = _is(cut.field("open"), "["), _is(cut.field("close"), "]")
    odd = np.flatnonzero(valid & ~empty & ~cut.is_valid().to_numpy(zero_copy_only=False))
    failures: list[tuple[int, str, str]] = []
    if len(odd):
        scanned: list[_Cut] = []
        for row, text in zip(odd.tolist(), array.take(pa.array(odd)).to_pylist(), strict=True):
            try:
                scanned.append(scan_range(text))
            except InputError as error:
                scanned.append(("", None, None, ""))
                failures.append((row, error.sqlstate, error.message))
        signs, low_texts, high_texts, ends = zip(*scanned, strict=True)
        lows = put(lows, odd, pa.array(low_texts, pa.string()))
        highs = put(highs, odd, pa.array(high_texts, pa.string()))
        opened[odd], closed[odd] = np.array(signs) == "[", np.array(ends) == "]"
        empty[odd] = np.array(signs) == ""
    low, high = from_text(lows, type_.subtype), from_text(highs, type_.subtype)
    errors = merge_errors([listed_errors(failures), low.errors, high.errors])
    if errors is not None:
        valid = valid.copy()
        valid[errors.indices] = False
    made = make_ranges(Bounds(low.values, opened), Bounds(high.values, closed), type_, valid, empty)
    return Evaluated(made.values, merge_errors([errors, made.errors]))


def _bound(texts: pa.Array) -> pa.Array:
    """The text of each bound without its quotes; NULL where there is none."""
    return pc.if_else(pc.equal(texts, ""), pa.scalar(None, pa.string()), pc.utf8_trim(texts, '"'))


def _is(signs: pa.Array, sign: str) -> Mask:
    found: Mask = pc.equal(signs, sign).fill_null(False).to_numpy(zero_copy_only=False).copy()
    return found


def scan_range(text: str) -> _Cut:
    """A range of any form; for the empty one both signs are "".  Raises InputError."""
    body = text.lstrip(_SPACE)
    if body[:5].lower() == "empty" and not body[5:].strip(_SPACE):
        return "", None, None, ""
    if body[:1] not in ("[", "("):
        raise _malformed(text)
    low, at = _scan_bound(body, 1, text)
    if body[at] != ",":
        raise _malformed(text)
    high, at = _scan_bound(body, at + 1, text)
    if body[at] == "," or body[at + 1 :].strip(_SPACE):
        raise _malformed(text)
    return body[0], low, high, body[at]


def _scan_bound(body: str, at: int, text: str) -> tuple[str | None, int]:
    """The bound that begins at `at`, and where the sign behind it stands."""
    if body[at : at + 1] in (",", ")", "]"):
        return None, at
    out: list[str] = []
    quoted = False
    while at < len(body):
        char = body[at]
        if char == "\\" and at + 1 < len(body):
            at += 1
            out.append(body[at])
        elif char == '"':
            if quoted and body[at + 1 : at + 2] == '"':
                at += 1
                out.append(char)
            else:
                quoted = not quoted
        elif not quoted and char in ",)]":
            return "".join(out), at
        else:
            out.append(char)
        at += 1
    raise _malformed(text)


def _malformed(text: str) -> InputError:
    return InputError("22P02", f'malformed range literal: "{text}"')


# --- output ----------------------------------------------------------------------------------------------------------


def range_text(array: pa.Array, type_: ScalarType, to_text: ToText) -> pa.Array:
    """string[n]: the ranges as PostgreSQL prints them."""
    found = ranges.take_apart(array, type_)
    open_, low = _printed(found.lows, type_, to_text, ("[", "("))
    close, high = _printed(found.highs, type_, to_text, ("]", ")"))
    text = pc.binary_join_element_wise(open_, low, ",", high, close, "")
    if found.empty.any():
        text = pc.if_else(pa.array(found.empty), "empty", text)
    return pc.if_else(array.is_valid(), text, pa.scalar(None, pa.string())) if array.null_count else text


def _printed(
    bounds: ranges.Places, type_: ScalarType, to_text: ToText, signs: tuple[str, str]
) -> tuple[Any, pa.Array]:
    """The sign of each bound (the first of `signs` where it is included), and its text."""
    bounded = ranges.kinds(bounds) == AT_VALUE
    included = bounded & (ranges.sides(bounds) == AT)
    text = to_text(ranges.values(bounds, type_, bounded), type_.subtype)
    if type_.subtype.kind in _SPACED:
        spaced = pc.match_substring(text, " ")
        if pc.any(spaced, min_count=0).as_py():
            text = pc.if_else(spaced, pc.binary_join_element_wise('"', text, '"', ""), text)
    if included.all() or not included.any():
        sign = pa.scalar(signs[0] if included.all() else signs[1])
    else:
        sign = pc.if_else(pa.array(included), *signs)
    return sign, text.fill_null("")
