"""The kernel of a call of a function in Python or JavaScript: which rows are called, and what comes of the results."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ...errors import Unsupported
from ...repr.types import TEXT, Kind, ScalarType
from ..coercion.casts import cast_array
from ..columns.arrays import put, with_nulls
from ..columns.row_errors import Evaluated, Mask, RowErrors, merge_errors
from ..tree.external_function import NAMES, ExternalFunction
from . import javascript_values, python_values
from .process import call
from .transport import AS_TEXT

_TYPES = {"python": python_values.TYPES, "javascript": javascript_values.TYPES}
_HINTS = {
    "python": "Functions in Python take and return boolean, integers, floats, numeric, text, varchar, bytea, date, time, "
    "timestamp, timestamptz, uuid, jsonb, and arrays of these.",
    "javascript": "Functions in JavaScript take and return boolean, smallint, integer, bigint, floats, text, varchar, jsonb, "
    "and arrays of these. Cast others to one of them: numeric to double precision or text, times to text.",
}


def check_type(type_: ScalarType, what: str, language: str) -> None:
    """Raises Unsupported for a type that has no form in the language."""
    inner = type_.element if type_.kind is Kind.ARRAY else type_
    if inner is None or inner.kind not in _TYPES[language] or type_.is_vector:
        raise Unsupported(
            f"functions in {NAMES[language]} are not supported with {what} of type {type_}",
            hint=_HINTS[language],
        )


def call_rows(function: ExternalFunction, columns: Sequence[pa.Array], wanted: Mask) -> Evaluated:
    """The function on the rows of `wanted`; the others are NULL.  `columns` are as long as `wanted`."""
    rows = np.flatnonzero(wanted)
    if not len(rows):
        return Evaluated(pa.nulls(len(wanted), function.returns.arrow))
    given = list(columns)
    if len(rows) < len(wanted):
        chosen = pa.array(rows)
        given = [column.take(chosen) for column in given]
    answer = call(function, given, len(rows))
    result = _typed(answer, function)
    if len(rows) == len(wanted):
        return result
    values = put(pa.nulls(len(wanted), function.returns.arrow), rows, result.values)
    errors = result.errors
    if errors is not None:
        errors = RowErrors(rows[errors.indices], errors.sqlstates, errors.messages)
    return Evaluated(values, errors)


def _typed(answer: Evaluated, function: ExternalFunction) -> Evaluated:
    """Results that come as text, read as input of their type."""
    type_ = function.returns
    if type_.leaf.kind not in AS_TEXT:
        return answer
    read = _read_lists(answer.values, type_) if type_.kind is Kind.ARRAY else _read(answer.values, type_)
    unfit = read.errors
    if unfit is not None:
        messages = pc.binary_join_element_wise(f"function {function.name}: ", unfit.messages, "")
        unfit = RowErrors(unfit.indices, unfit.sqlstates, messages)
    return Evaluated(read.values, merge_errors([answer.errors, unfit]))


def _read(texts: pa.Array, type_: ScalarType) -> Evaluated:
    return cast_array(texts, TEXT, type_, True)


def _read_lists(lists: pa.Array, type_: ScalarType) -> Evaluated:
    """An array is in error where its first element that is no input of the type is."""
    assert type_.element is not None
    read = _read(lists.flatten(), type_.element)
    lengths = pc.fill_null(lists.value_lengths(), 0).to_numpy(zero_copy_only=False)
    offsets = np.concatenate(([0], np.cumsum(lengths))).astype(np.int32)
    mask = lists.is_null() if lists.null_count else None
    values = pa.ListArray.from_arrays(pa.array(offsets), read.values, mask=mask).cast(type_.arrow)
    if read.errors is None:
        return Evaluated(values)
    rows, first = np.unique(
        np.searchsorted(offsets, read.errors.indices, side="right") - 1, return_index=True
    )
    chosen = pa.array(first)
    errors = RowErrors(rows, read.errors.sqlstates.take(chosen), read.errors.messages.take(chosen))
    return Evaluated(with_nulls(values, rows), errors)
