"""Kernels from a function of one row's Python values, for what Arrow has no kernel for.

With one varying argument, which is no array, the function runs once per distinct value; otherwise once per row.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pyarrow as pa

from ...interrupt import check_interrupt
from ..columns.row_errors import Evaluated, listed_errors
from ..columns.value_size import check_column
from ..datetimes.datetime_input import InputError
from ..tree.function import CallInfo, Datum, Kernel, as_array


def rowwise(one: Callable[..., Any]) -> Kernel:
    """A strict kernel: `one` of the arguments' Python values; it raises InputError where a row has no answer."""

    def kernel(args: Sequence[Datum], info: CallInfo) -> Evaluated:
        varying = [i for i, datum in enumerate(args) if isinstance(datum, pa.Array)]
        if len(varying) == 1 and not pa.types.is_nested(args[varying[0]].type):
            position = varying[0]
            encoded = args[position].dictionary_encode()
            fixed = [datum.as_py() if isinstance(datum, pa.Scalar) else None for datum in args]
            rows = [
                (*fixed[:position], value, *fixed[position + 1 :]) for value in encoded.dictionary.to_pylist()
            ]
            values, failures = _apply(one, rows, info)
            owners = encoded.indices
            if not failures:
                return Evaluated(values.take(owners))
            wrong = {index: (state, message) for index, state, message in failures}
            listed = [(row, *wrong[i]) for row, i in enumerate(owners.to_pylist()) if i in wrong]
            return Evaluated(values.take(owners), listed_errors(listed))
        columns = [as_array(datum, info.length).to_pylist() for datum in args]
        values, failures = _apply(one, list(zip(*columns, strict=True)), info)
        return Evaluated(values, listed_errors(failures))

    return kernel


def _apply(
    one: Callable[..., Any], rows: Sequence[tuple[Any, ...]], info: CallInfo
) -> tuple[pa.Array, list[tuple[int, str, str]]]:
    results: list[Any] = []
    failures: list[tuple[int, str, str]] = []
    made = 0
    for index, row in enumerate(rows):
        check_interrupt()
        if results and isinstance(results[-1], str | bytes):
            made += len(results[-1])
            check_column(made)
        if any(value is None for value in row):
            results.append(None)
            continue
        try:
            results.append(one(*row))
        except InputError as error:
            results.append(None)
            failures.append((index, error.sqlstate, error.message))
    return pa.array(results, info.result.arrow), failures
