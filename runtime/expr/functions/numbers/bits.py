"""Bitwise operators of integers: & | # ~ << >>.  The number of places to shift by is taken modulo the width."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from ....repr.buffers import validity
from ....repr.types import INT2, INT4, INT8, UINT2, UINT4, UINT8, ScalarType
from ...columns.arrays import array_of_numpy, both_valid, numpy_values
from ...tree.function import CallInfo, Datum, Function, Kernel, Overload, as_array

_INTEGERS = (INT2, INT4, INT8, UINT2, UINT4, UINT8)
_WIDER = {np.dtype(np.int16): np.int32, np.dtype(np.uint16): np.uint32}


def _kernel(compute: Callable[..., Any]) -> Kernel:
    def kernel(args: Sequence[Datum], info: CallInfo) -> pa.Array:
        arrays = [as_array(datum, info.length) for datum in args]
        valid = validity(arrays[0])
        for other in arrays[1:]:
            valid = both_valid(valid, validity(other))
        return array_of_numpy(compute(*(numpy_values(array) for array in arrays)), valid, info.result.arrow)

    return kernel


def _shifted(shift: Callable[..., Any]) -> Callable[..., Any]:
    def compute(values: Any, places: Any) -> Any:
        wide = values.astype(_WIDER.get(values.dtype, values.dtype), copy=False)
        count = (places & (wide.dtype.itemsize * 8 - 1)).astype(wide.dtype)
        return shift(wide, count).astype(values.dtype)

    return compute


def _pairs(compute: Callable[..., Any]) -> tuple[Overload, ...]:
    return tuple(Overload((type_, type_), type_, _kernel(compute)) for type_ in _INTEGERS)


def _shifts(compute: Callable[..., Any]) -> tuple[Overload, ...]:
    kernel = _kernel(_shifted(compute))

    def overload(type_: ScalarType) -> Overload:
        return Overload((type_, INT4), type_, kernel)

    return tuple(overload(type_) for type_ in _INTEGERS)


FUNCTIONS: tuple[Function, ...] = (
    Function("bits_and", _pairs(np.bitwise_and), "&"),
    Function("bits_or", _pairs(np.bitwise_or), "|"),
    Function("bits_xor", _pairs(np.bitwise_xor), "#"),
    Function("bits_not", tuple(Overload((t,), t, _kernel(np.invert)) for t in _INTEGERS), "~"),
    Function("shift_left", _shifts(np.left_shift), "<<"),
    Function("shift_right", _shifts(np.right_shift), ">>"),
)
