"""Operators of ranges: where one lies to another, and what they make together.

All of them compare places (see `repr/ranges.py`), and know nothing of the values.  An empty range lies nowhere: it is
contained in every other, and everything else that is asked of it is false.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
import pyarrow as pa

from ....repr import ranges
from ....repr.buffers import validity
from ....repr.ranges import AT, BELOW_ALL, Places, Ranges
from ....repr.types import BOOL, BYTEA, RANGES, ScalarType
from ...columns.arrays import array_of_numpy, both_valid
from ...columns.row_errors import Evaluated, Mask, same_error
from ...tree.function import CallInfo, Datum, Function, Kernel, Overload, as_array

Relates = Callable[[Ranges, Ranges], Mask]
Makes = Callable[[Ranges, Ranges], tuple[Ranges, Mask]]
"""The ranges, and on which rows there is none because it would have a gap."""

_NO_GAP = "result of range {} would not be contiguous"


# --- where ranges lie ------------------------------------------------------------------------------------------------


def _contains(a: Ranges, b: Ranges) -> Mask:
    return b.empty | (~a.empty & (a.lows <= b.lows) & (b.highs <= a.highs))


def _overlaps(a: Ranges, b: Ranges) -> Mask:
    return _both(a, b) & (a.lows <= b.highs) & (b.lows <= a.highs)


def _adjacent(a: Ranges, b: Ranges) -> Mask:
    return _both(a, b) & (_meet(a.highs, b.lows) | _meet(b.highs, a.lows))


def _meet(highs: Places, lows: Places) -> Mask:
    """One bound is at the value of the other, and one of the two includes it."""
    met: Mask = ranges.at_values(highs) == ranges.at_values(lows)
    met &= ranges.sides(highs) + 1 == ranges.sides(lows)
    return met


def _both(a: Ranges, b: Ranges) -> Mask:
    found: Mask = ~(a.empty | b.empty)
    return found


_RELATIONS: Mapping[str, tuple[str, Relates]] = {
    "range_contains": ("@>", _contains),
    "range_contained_by": ("<@", lambda a, b: _contains(b, a)),
    "range_overlaps": ("&&", _overlaps),
    "range_before": ("<<", lambda a, b: _both(a, b) & (a.highs < b.lows)),
    "range_after": (">>", lambda a, b: _both(a, b) & (a.lows > b.highs)),
    "range_overleft": ("&<", lambda a, b: _both(a, b) & (a.highs <= b.highs)),
    "range_overright": ("&>", lambda a, b: _both(a, b) & (a.lows >= b.lows)),
    "range_adjacent": ("-|-", _adjacent),
}


def _relation(relates: Relates) -> Kernel:
    def kernel(args: Sequence[Datum], info: CallInfo) -> pa.Array:
        a, b = (_operand(datum, info.types[0]) for datum in args)
        return _answers(relates(a, b), args, info)

    return kernel


def _contains_element(place_of_range: int) -> Kernel:
    def kernel(args: Sequence[Datum], info: CallInfo) -> pa.Array:
        type_ = info.types[place_of_range]
        found = _operand(args[place_of_range], type_)
        values = _array(args[1 - place_of_range])
        if values.type != type_.subtype.arrow:  # numerics come in the scale of their own type
            values = values.cast(type_.subtype.arrow)
        at = ranges.places(values, AT, BELOW_ALL)
        return _answers(~found.empty & (found.lows <= at) & (at <= found.highs), args, info)

    return kernel


def _array(datum: Datum) -> pa.Array:
    """A scalar as one row, which numpy spreads over the others."""
    return as_array(datum, 1)


def _operand(datum: Datum, type_: ScalarType) -> Ranges:
    return ranges.take_apart(_array(datum), type_)


def _valid(args: Sequence[Datum], length: int) -> Mask | None:
    left, right = (validity(_array(datum)) for datum in args)
    found = both_valid(left, right)
    return None if found is None else np.broadcast_to(found, length)


def _answers(found: Mask, args: Sequence[Datum], info: CallInfo) -> pa.Array:
    return array_of_numpy(np.broadcast_to(found, info.length), _valid(args, info.length), pa.bool_())


# --- what ranges make together ---------------------------------------------------------------------------------------


def _merge(a: Ranges, b: Ranges) -> tuple[Ranges, Mask]:
    """From the lower of the lower bounds to the upper of the upper ones; the other one where one is empty."""
    lows = np.where(a.lows < b.lows, a.lows, b.lows)
    highs = np.where(a.highs > b.highs, a.highs, b.highs)
    for one, other in ((a, b), (b, a)):
        if one.empty.any():
            lows = np.where(one.empty, other.lows, lows)
            highs = np.where(one.empty, other.highs, highs)
    return Ranges(lows, highs, a.empty & b.empty), np.zeros(1, np.bool_)


def _union(a: Ranges, b: Ranges) -> tuple[Ranges, Mask]:
    merged, _ = _merge(a, b)
    return merged, _both(a, b) & ~_overlaps(a, b) & ~_adjacent(a, b)


def _intersection(a: Ranges, b: Ranges) -> tuple[Ranges, Mask]:
    lows = np.where(a.lows > b.lows, a.lows, b.lows)
    highs = np.where(a.highs < b.highs, a.highs, b.highs)
    return Ranges(lows, highs, a.empty | b.empty | (lows > highs)), np.zeros(1, np.bool_)


def _difference(a: Ranges, b: Ranges) -> tuple[Ranges, Mask]:
    """What is left of `a` ends just where `b` begins, or begins just where it ends: on the other side of the value."""
    cut = _overlaps(a, b)
    sooner, later = a.lows < b.lows, a.highs > b.highs
    lows = np.where(cut & ~sooner, ranges.moved(b.highs, 1), a.lows)
    highs = np.where(cut & ~later, ranges.moved(b.lows, -1), a.highs)
    return Ranges(lows, highs, a.empty | (cut & ~sooner & ~later)), cut & sooner & later


_SETS: Mapping[str, tuple[str | None, Makes, str | None]] = {
    "range_union": ("+", _union, _NO_GAP.format("union")),
    "range_minus": ("-", _difference, _NO_GAP.format("difference")),
    "range_intersect": ("*", _intersection, None),
    "range_merge": (None, _merge, None),
}


def _maker(makes: Makes, message: str | None) -> Kernel:
    def kernel(args: Sequence[Datum], info: CallInfo) -> Evaluated:
        a, b = (_operand(datum, info.types[0]) for datum in args)
        found, gaps = makes(a, b)
        length, valid = info.length, _valid(args, info.length)
        errors = None
        if message is not None and gaps.any():
            gaps = np.broadcast_to(gaps, length) if valid is None else gaps & valid
            valid = ~gaps if valid is None else valid & ~gaps
            errors = same_error(np.flatnonzero(gaps), "22000", message)
        spread = Ranges(
            np.broadcast_to(found.lows, length),
            np.broadcast_to(found.highs, length),
            np.broadcast_to(found.empty, length),
        )
        return Evaluated(ranges.put_together(spread, valid), errors)

    return kernel


# --- what ranges have in common: range_intersect_agg -----------------------------------------------------------------

_ABOVE_EVERY_END = 0xFF


def _end(upper: bool) -> Kernel:
    def kernel(args: Sequence[Datum], info: CallInfo) -> pa.Array:
        """The place of a bound, as bytes.  The lower one of an empty range is above every other."""
        array = as_array(args[0], info.length)
        found = ranges.take_apart(array, info.types[0])
        bounds = found.highs if upper else found.lows
        if found.empty.any() and not upper:
            rows = ranges.raw(bounds).copy()
            rows[found.empty] = _ABOVE_EVERY_END
            bounds = rows.view(bounds.dtype).reshape(len(rows))
        return ranges.to_bytes(bounds, validity(array))

    return kernel


def _of_ends(args: Sequence[Datum], info: CallInfo) -> pa.Array:
    """The range between the greatest lower and the least upper end."""
    low, high = (as_array(datum, info.length) for datum in args)
    lows, highs = (ranges.from_bytes(ends, info.result) for ends in (low, high))
    return ranges.put_together(Ranges(lows, highs, lows > highs), both_valid(validity(low), validity(high)))


# --- the registry ----------------------------------------------------------------------------------------------------


def _related(name: str) -> list[Overload]:
    kernel = _relation(_RELATIONS[name][1])
    return [Overload((type_, type_), BOOL, kernel) for type_ in RANGES]


def _made(name: str) -> list[Overload]:
    _, makes, message = _SETS[name]
    kernel = _maker(makes, message)
    return [Overload((type_, type_), type_, kernel, can_fail=message is not None) for type_ in RANGES]


def _element(name: str, place_of_range: int) -> Function:
    kernel = _contains_element(place_of_range)
    params = [(type_, type_.subtype) for type_ in RANGES]
    overloads = tuple(Overload(pair if place_of_range == 0 else pair[::-1], BOOL, kernel) for pair in params)
    return Function(name, overloads)


FUNCTIONS: tuple[Function, ...] = (
    *(Function(name, tuple(_related(name)), sign) for name, (sign, _) in _RELATIONS.items()),
    *(Function(name, tuple(_made(name)), sign) for name, (sign, *_) in _SETS.items()),
    _element("range_contains_elem", 0),
    _element("elem_contained_by_range", 1),
    *(
        Function(name, tuple(Overload((type_,), BYTEA, _end(upper)) for type_ in RANGES))
        for name, upper in (("range low end", False), ("range high end", True))
    ),
    Function("range of ends", (Overload(None, BYTEA, _of_ends),)),  # the call says of which type
)

OVERLOADS: dict[str, list[Overload]] = {
    "shift_left": _related("range_before"),
    "shift_right": _related("range_after"),
    "add": _made("range_union"),
    "subtract": _made("range_minus"),
    "multiply": _made("range_intersect"),
}
"""Added to functions of numbers, whose signs ranges share."""
