"""What a function of the registry is: a name, its overloads, and a kernel over Arrow arrays for each.

A kernel takes one datum per argument (an array of n rows, or a scalar that stands for n equal rows; at least one
is an array) and returns n values, with the errors of rows that have none.  It never raises for a row's sake.
A strict function is NULL where an argument is NULL; its kernel must not fail on such a row.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from ...repr.types import ScalarType
from ..columns.row_errors import Evaluated
from .scalar import Call, Scalar

Datum = Any
"""A pyarrow Array of `length` rows, or a pyarrow Scalar."""


@dataclass(frozen=True, slots=True)
class CallInfo:
    """What a kernel may need beside its data: the arguments' types, the result's, and the number of rows."""

    types: tuple[ScalarType, ...]
    result: ScalarType
    length: int


Kernel = Callable[[Sequence[Datum], CallInfo], pa.Array | Evaluated]
ResultRule = ScalarType | Callable[[tuple[Scalar, ...]], ScalarType]


@dataclass(frozen=True, slots=True)
class Overload:
    """One signature.  `params` are compared by kind only; None accepts whatever the function's resolver built.

    `result` is a type, or a rule over the coerced arguments (numeric scales).  `nullable` None says: as strict
    functions are, NULL only where an argument is.  `safe_args` says of which arguments it is certain that an overload that
    can fail does not.
    """

    params: tuple[ScalarType, ...] | None
    result: ResultRule
    kernel: Kernel
    can_fail: bool = False
    strict: bool = True
    nullable: bool | None = None
    safe_args: Callable[[tuple[Scalar, ...]], bool] | None = None

    def may_fail(self, args: tuple[Scalar, ...]) -> bool:
        """Whether a call with these arguments might have an error on some row (False is certain, True is not)."""
        return self.can_fail and not (self.safe_args is not None and self.safe_args(args))

    def result_type(self, args: tuple[Scalar, ...]) -> ScalarType:
        return self.result if isinstance(self.result, ScalarType) else self.result(args)

    def accepts(self, types: Sequence[ScalarType]) -> bool:
        return self.params is None or (
            len(self.params) == len(types)
            and all(param.kind is type_.kind for param, type_ in zip(self.params, types, strict=True))
        )


Resolver = Callable[[tuple[Scalar, ...], tuple[bool, ...]], Call]


@dataclass(frozen=True, slots=True)
class Function:
    """A registry entry.  `operator` is the sign that error messages print instead of the name.

    `resolver` replaces overload resolution where PostgreSQL's types are polymorphic (IN, greatest, concat).
    """

    name: str
    overloads: tuple[Overload, ...]
    operator: str | None = None
    resolver: Resolver | None = None


def as_array(datum: Datum, length: int) -> pa.Array:
    """The datum as an array of `length` rows."""
    if isinstance(datum, pa.Scalar):
        return pa.repeat(datum, length)
    if isinstance(datum, pa.ChunkedArray):
        return datum.combine_chunks()
    return datum
