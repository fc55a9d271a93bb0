"""Assertions: a value, or an error where it is not what it must be.  The planner writes these, not users."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from ....errors import UndefinedFunction
from ....repr.buffers import present
from ....repr.types import TEXT, ScalarType
from ...columns.row_errors import Evaluated, same_error
from ...tree.function import CallInfo, Datum, Function, Overload, as_array
from ...tree.scalar import Call, Literal, Scalar

NOT_NULL_VIOLATION = "23502"


NAME = "assert not null"
"""With spaces: not a name that a query can call by accident."""


def assert_not_null(value: Scalar, column: str) -> Call:
    """`value`, which must not be NULL; the error names `column`."""
    return Call(NAME, (value, Literal(column, TEXT)), value.type, nullable=False)


def _first_type(args: tuple[Scalar, ...]) -> ScalarType:
    return args[0].type


def _refuse(args: tuple[Scalar, ...], unknown: tuple[bool, ...]) -> Call:
    raise UndefinedFunction(f"function {NAME} does not exist")


def _not_null(args: Sequence[Datum], info: CallInfo) -> Evaluated:
    """The first argument, and error 23502 where it is NULL; the second is the column's name."""
    values = as_array(args[0], info.length)
    if not values.null_count:
        return Evaluated(values)
    name = args[1].as_py() if isinstance(args[1], pa.Scalar) else args[1][0].as_py()
    missing = np.flatnonzero(~present(values))
    return Evaluated(values, same_error(missing, NOT_NULL_VIOLATION, f'column "{name}" must not be null'))


FUNCTIONS: tuple[Function, ...] = (
    Function(
        NAME,
        (Overload(None, _first_type, _not_null, can_fail=True, strict=False, nullable=False),),
        resolver=_refuse,
    ),
)
