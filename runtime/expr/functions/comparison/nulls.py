"""num_nulls and num_nonnulls: how many of any number of arguments are NULL, or are not."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pyarrow as pa

from ....errors import UndefinedFunction
from ....repr.buffers import present
from ....repr.types import INT4, TEXT
from ...coercion.literals import coerce_unknown
from ...tree.function import CallInfo, Datum, Function, Kernel, Overload, as_array
from ...tree.scalar import Call, Scalar


def _counted(wanted: bool) -> Kernel:
    def kernel(args: Sequence[Datum], info: CallInfo) -> pa.Array:
        counts = np.zeros(info.length, np.int32)
        for datum in args:
            counts += present(as_array(datum, info.length)) == wanted
        return pa.array(counts)

    return kernel


def _resolver(name: str) -> Callable[[tuple[Scalar, ...], tuple[bool, ...]], Call]:
    def resolve(args: tuple[Scalar, ...], unknown: tuple[bool, ...]) -> Call:
        if not args:
            raise UndefinedFunction(f"function {name}() does not exist")
        typed = tuple(coerce_unknown(a, TEXT) if flag else a for a, flag in zip(args, unknown, strict=True))
        return Call(name, typed, INT4, False)

    return resolve


FUNCTIONS: tuple[Function, ...] = tuple(
    Function(name, (Overload(None, INT4, _counted(wanted), strict=False),), None, _resolver(name))
    for name, wanted in (("num_nulls", False), ("num_nonnulls", True))
)
