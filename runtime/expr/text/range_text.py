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

from ...repr import ranges
from ...repr.buffers import present, truth, validity
from ...repr.ranges import AT, AT_VALUE
from ...repr.types import Kind, ScalarType
from ..columns.arrays import put
from ..columns.row_errors import Evaluated, Mask, RowErrors, listed_errors, merge_errors
from ..datetimes.datetime_input import InputError
from .ranges import Bounds, make_ranges

FromText = Callable[[pa.Array, ScalarType], Evaluated]
ToText = Callable[[pa.Array, ScalarType], pa.Array]

_SPACE = " \t\n\r\v\f"
_BOUND = r'"[^"\\]*"|[^"\\,()\[\]]*'
_PLAIN = rf"^(?P<open>[\[(])(?P<low>{_BOUND}),(?P<high>{_BOUND})(?P<close>[\])])$"
_SPACED = (Kind.DATE, Kind.TIMESTAMP, Kind.TIMESTAMPTZ)
"""Subtypes whose text may hold a space, for which it is quoted."""

_FEW = 8
"""So many texts are scanned one by one: 3 us each, where the regular expression takes 100 us for any number."""

_Cut = tuple[str, str | None, str | None, str]
"""The opening sign, both bounds (None: unbounded) and the closing sign."""


# --- input -----------------------------------------------------------------------------------------------------------


def parse_ranges(array: pa.Array, type_: ScalarType, from_text: FromText) -> Evaluated:
    """The ranges that the texts denote; 22P02 for those that denote none, and the errors of bounds and their order."""
    count = len(array)
    valid = np.ones(count, np.bool_) if (present := validity(array)) is None else present
    lows, highs, opened, closed, empty, failures = _cut_column(array, valid)
    # Bounds of both ends as one column: of a few rows, calls take the time, not values.
    both = from_text(pa.concat_arrays([lows, highs]), type_.subtype)
    errors = merge_errors([failures, *_errors_of_ends(both.errors, count)])
    if errors is not None:
        valid = valid.copy()
        valid[errors.indices] = False
    low, high = Bounds(both.values[:count], opened), Bounds(both.values[count:], closed)
    made = make_ranges(low, high, type_, valid, empty)
    return Evaluated(made.values, merge_errors([errors, made.errors]))


def _errors_of_ends(errors: RowErrors | None, count: int) -> list[RowErrors | None]:
    """Of errors of lower bounds and then of upper ones, those of either by row."""
    if errors is None:
        return []
    of_low = int(errors.indices.searchsorted(count))
    return [
        RowErrors(errors.indices[part] - shift, errors.sqlstates[part], errors.messages[part])
        for part, shift in ((slice(0, of_low), 0), (slice(of_low, None), count))
    ]


def _cut_column(
    array: pa.Array, valid: Mask
) -> tuple[pa.Array, pa.Array, Mask, Mask, Mask, RowErrors | None]:
    """Texts of the lower and of the upper bounds, which of these are included, which ranges are empty, and the errors."""
    if len(array) <= _FEW:
        odd = np.flatnonzero(valid)
        lows = highs = pa.nulls(len(array), pa.string())
        opened, closed, empty = (np.zeros(len(array), np.bool_) for _ in range(3))
    else:
        empty = _mask(pc.equal(array, "empty"))
        cut = pc.extract_regex(array, _PLAIN)
        lows, highs = _bound(cut.field("low")), _bound(cut.field("high"))
        opened, closed = _mask(pc.equal(cut.field("open"), "[")), _mask(pc.equal(cut.field("close"), "]"))
        odd = np.flatnonzero(valid & ~empty & ~present(cut))
    if not len(odd):
        return lows, highs, opened, closed, empty, None
    scanned: list[_Cut] = []
    failures: list[tuple[int, str, str]] = []
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
    return lows, highs, opened, closed, empty, listed_errors(failures)


def _bound(texts: pa.Array) -> pa.Array:
    """The text of each bound without its quotes; NULL where there is none."""
    return pc.if_else(pc.equal(texts, ""), pa.scalar(None, pa.string()), pc.utf8_trim(texts, '"'))


def _mask(answers: pa.Array) -> Mask:
    found: Mask = truth(answers)
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
    count = len(array)
    both = np.concatenate((found.lows, found.highs))
    bounded = ranges.kinds(both) == AT_VALUE
    included = ranges.sides(both) == AT  # only at a value a bound's side is AT
    text = to_text(ranges.values(both, type_, bounded), type_.subtype)
    if type_.subtype.kind in _SPACED:
        spaced = pc.match_substring(text, " ")
        if pc.any(spaced, min_count=0).as_py():
            text = pc.if_else(spaced, pc.binary_join_element_wise('"', text, '"', ""), text)
    text = text.fill_null("")
    shown = pc.binary_join_element_wise(
        _sign(included[:count], "[", "("),
        text[:count],
        ",",
        text[count:],
        _sign(included[count:], "]", ")"),
        "",
    )
    if found.empty.any():
        shown = pc.if_else(pa.array(found.empty), "empty", shown)
    return pc.if_else(array.is_valid(), shown, pa.scalar(None, pa.string())) if array.null_count else shown


def _sign(included: Mask, yes: str, no: str) -> Any:
    if included.all() or not included.any():
        return pa.scalar(yes if included.all() else no)
    return pc.if_else(pa.array(included), yes, no)
