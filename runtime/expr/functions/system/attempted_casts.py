"""TRY_CAST: a cast that is NULL where it would be an error.

The second argument of the call is a NULL of the type that is asked for.  What is refused (0A000) may have a value in PostgreSQL, so it stays an
error.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow.compute as pc

from ....repr.types import ScalarType
from ...coercion.casts import cast_array
from ...columns.row_errors import Evaluated, select_errors
from ...tree.function import CallInfo, Datum, Function, Overload, as_array
from ...tree.scalar import Scalar

NAME = "try cast"


def _attempt(args: Sequence[Datum], info: CallInfo) -> Evaluated:
    source, target = info.types
    found = cast_array(as_array(args[0], info.length), source, target)
    if found.errors is None:
        return found
    refused = np.zeros(info.length, np.bool_)
    of_errors = pc.equal(found.errors.sqlstates, "0A000").to_numpy(zero_copy_only=False)
    refused[found.errors.indices[of_errors]] = True
    return Evaluated(found.values, select_errors(found.errors, refused))


def _target(args: tuple[Scalar, ...]) -> ScalarType:
    return args[1].type


FUNCTIONS: tuple[Function, ...] = (
    Function(NAME, (Overload(None, _target, _attempt, can_fail=True, strict=False, nullable=True),)),
)
