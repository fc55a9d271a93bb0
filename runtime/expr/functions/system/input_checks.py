"""pg_input_is_valid: whether a text is input of a type, so that a query can leave out what a cast would fail on.

The second argument of the call is a NULL of the type that is asked for: planning has read its name.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow.compute as pc

from ....repr.buffers import present
from ....repr.types import BOOL
from ...columns.arrays import array_of_numpy, with_nulls
from ...columns.row_errors import Evaluated, error_mask, select_errors
from ...text.text_format import from_text
from ...tree.function import CallInfo, Datum, Function, Overload, as_array

NAME = "pg_input_is_valid"


def _is_valid(args: Sequence[Datum], info: CallInfo) -> Evaluated:
    """An input that is refused here (0A000) is one that PostgreSQL may take, so it stays an error."""
    texts = as_array(args[0], info.length)
    read = from_text(texts, info.types[1], explicit=False)
    wrong = error_mask(read.errors, info.length)
    refused = None
    if read.errors is not None:
        unsupported = np.zeros(info.length, np.bool_)
        states = pc.equal(read.errors.sqlstates, "0A000").to_numpy(zero_copy_only=False)
        unsupported[read.errors.indices[states]] = True
        refused = select_errors(read.errors, unsupported)
    known = present(texts)
    values = array_of_numpy(~wrong, known, BOOL.arrow)
    return Evaluated(values if refused is None else with_nulls(values, refused.indices), refused)


FUNCTIONS: tuple[Function, ...] = (
    Function(NAME, (Overload(None, BOOL, _is_valid, can_fail=True, strict=False, nullable=True),)),
)
