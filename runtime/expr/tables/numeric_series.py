"""generate_series over numerics: from the first by steps to the last, as integers at the one scale of all of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from ...repr.buffers import validity
from ...repr.types import NUMERIC, ScalarType, derived_numeric
from ..columns.decimals import as_ints, from_ints, storage_scale
from ..columns.row_errors import RowErrors, merge_errors, same_error
from ..tree.function import Datum, as_array

Ints = npt.NDArray[np.int64]


def numerics(args: Sequence[Datum], length: int, most: int) -> tuple[Ints, pa.Array, RowErrors | None]:
    """(how many values each row has, the values of all rows, errors); at most `most` values of a row."""
    columns = [as_array(arg, length) for arg in args]
    type_ = _type(columns[0].type)
    live = np.ones(length, np.bool_)
    for column in columns:
        if (valid := validity(column)) is not None:
            live &= valid
    first, last = as_ints(columns[0]), as_ints(columns[1])
    one = np.full(length, 10 ** storage_scale(type_), dtype=object)
    step = as_ints(columns[2]) if len(columns) > 2 else one
    stuck = live & (step == 0).astype(np.bool_)
    rising = (step > 0).astype(np.bool_)
    distance: npt.NDArray[Any] = np.where(rising, last - first, first - last)
    live &= ~stuck & (distance >= 0).astype(np.bool_)
    after = distance // np.where(step == 0, 1, np.abs(step))
    long = live & (after >= most).astype(np.bool_)
    counts = np.where(live & ~long, after, -1).astype(np.int64) + 1
    rows = np.repeat(np.arange(length), counts)
    place = np.arange(len(rows)) - (np.cumsum(counts) - counts)[rows]
    values, _ = from_ints(first[rows] + place.astype(object) * step[rows], None, type_)
    errors = merge_errors(
        [
            same_error(np.flatnonzero(stuck), "22023", "step size cannot equal zero"),
            same_error(np.flatnonzero(long), "54000", f"generate_series gives more than {most} rows"),
        ]
    )
    return counts, values, errors


def _type(arrow: pa.DataType) -> ScalarType:
    return derived_numeric(arrow.scale) if pa.types.is_decimal128(arrow) else NUMERIC
