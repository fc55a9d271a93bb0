"""Functions of ranges: the constructors, and what a range's bounds are.

The constructors are named as the types are.  A bound that is NULL is none.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ....repr import ranges
from ....repr.buffers import present, truth, validity
from ....repr.ranges import ABOVE_ALL, AT, AT_VALUE, BELOW_ALL, Places, Ranges
from ....repr.types import BOOL, RANGES, TEXT, ScalarType
from ...columns.arrays import array_of_numpy
from ...columns.row_errors import Evaluated, Mask, merge_errors, same_error
from ...text.ranges import Bounds, make_ranges
from ...tree.function import CallInfo, Datum, Function, Kernel, Overload, as_array

_FLAGS = pa.array(["[]", "[)", "(]", "()"])
_INVALID_FLAGS = "invalid range bound flags"
_NULL_FLAGS = "range constructor flags argument must not be null"


# --- constructors ----------------------------------------------------------------------------------------------------


def _construct(args: Sequence[Datum], info: CallInfo) -> Evaluated:
    subtype = info.result.subtype
    low, high = (_bound(as_array(datum, info.length), subtype) for datum in args[:2])
    every = np.ones(info.length, np.bool_)
    if len(args) == 2:
        return make_ranges(Bounds(low, every), Bounds(high, ~every), info.result, every)
    flags = as_array(args[2], info.length)
    known = _mask(pc.is_in(flags, _FLAGS))
    missing = ~present(flags)
    made = make_ranges(
        Bounds(low, _mask(pc.starts_with(flags, "["))),
        Bounds(high, _mask(pc.ends_with(flags, "]"))),
        info.result,
        known,
    )
    wrong = [
        same_error(np.flatnonzero(missing), "22000", _NULL_FLAGS),
        same_error(np.flatnonzero(~known & ~missing), "42601", _INVALID_FLAGS),
    ]
    return Evaluated(made.values, merge_errors([*wrong, made.errors]))


def _bound(values: pa.Array, subtype: ScalarType) -> pa.Array:
    """Numerics come in the scale of their own type."""
    return values if values.type == subtype.arrow else values.cast(subtype.arrow)


def _mask(answers: pa.Array) -> Mask:
    found: Mask = truth(answers)
    return found


def _constructor(type_: ScalarType) -> Function:
    bounds = (type_.subtype, type_.subtype)
    return Function(
        str(type_),
        tuple(
            Overload(params, type_, _construct, can_fail=True, strict=False, nullable=False)
            for params in (bounds, (*bounds, TEXT))
        ),
    )


# --- bounds ----------------------------------------------------------------------------------------------------------


def _bound_value(upper: bool) -> Kernel:
    def kernel(args: Sequence[Datum], info: CallInfo) -> pa.Array:
        """The value of the bound; NULL where there is none."""
        array = as_array(args[0], info.length)
        found = ranges.take_apart(array, info.types[0])
        bounds = found.highs if upper else found.lows
        return ranges.values(bounds, info.types[0], ranges.kinds(bounds) == AT_VALUE)

    return kernel


def _asks(answer: Callable[[Ranges], Mask]) -> Kernel:
    def kernel(args: Sequence[Datum], info: CallInfo) -> pa.Array:
        array = as_array(args[0], info.length)
        found = answer(ranges.take_apart(array, info.types[0]))
        return array_of_numpy(found, validity(array), pa.bool_())

    return kernel


def _included(bounds: Places) -> Mask:
    """Only at a value a bound's side is AT."""
    included: Mask = ranges.sides(bounds) == AT
    return included


def _of_kind(bounds: Places, kind: int) -> Mask:
    found: Mask = ranges.kinds(bounds) == kind
    return found


_ASKED: Mapping[str, Callable[[Ranges], Mask]] = {
    "isempty": lambda found: found.empty,
    "lower_inc": lambda found: _included(found.lows),
    "upper_inc": lambda found: _included(found.highs),
    "lower_inf": lambda found: _of_kind(found.lows, BELOW_ALL),
    "upper_inf": lambda found: _of_kind(found.highs, ABOVE_ALL),
}

FUNCTIONS: tuple[Function, ...] = (
    *(_constructor(type_) for type_ in RANGES),
    *(
        Function(name, tuple(Overload((type_,), BOOL, _asks(answer)) for type_ in RANGES))
        for name, answer in _ASKED.items()
    ),
)

OVERLOADS: dict[str, list[Overload]] = {
    name: [Overload((type_,), type_.subtype, _bound_value(upper), nullable=True) for type_ in RANGES]
    for name, upper in (("lower", False), ("upper", True))
}
"""Added to functions of text."""
