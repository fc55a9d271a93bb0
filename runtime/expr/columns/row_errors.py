"""Errors as data: which rows of a batch have no answer, and why.

An expression over n rows yields n values and, rarely, errors of some rows.  An error is a code and a message, so
that it is deterministic: the same row fails the same way in any batch, on any machine.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa

Indices = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class RowErrors:
    """`indices` int64[k], ascending and unique: rows that failed; `sqlstates`, `messages`: string[k]."""

    indices: Indices
    sqlstates: pa.Array
    messages: pa.Array

    def __len__(self) -> int:
        return len(self.indices)


@dataclass(frozen=True, slots=True)
class Evaluated:
    """`values` has one entry per row; on rows that `errors` names it is NULL and means nothing."""

    values: pa.Array
    errors: RowErrors | None = None


def same_error(rows: Indices, sqlstate: str, message: str) -> RowErrors | None:
    """Every one of `rows` (ascending) failed in the same way; None when there are none."""
    if not len(rows):
        return None
    return RowErrors(
        rows.astype(np.int64, copy=False),
        pa.repeat(pa.scalar(sqlstate), len(rows)),
        pa.repeat(pa.scalar(message), len(rows)),
    )


def listed_errors(failures: Sequence[tuple[int, str, str]]) -> RowErrors | None:
    """Errors from (row, sqlstate, message) triples in ascending order of row."""
    if not failures:
        return None
    rows, sqlstates, messages = zip(*failures, strict=True)
    return RowErrors(
        np.array(rows, np.int64), pa.array(sqlstates, pa.string()), pa.array(messages, pa.string())
    )


def concat_errors(parts: Sequence[tuple[int, RowErrors | None]]) -> RowErrors | None:
    """Those of parts that follow each other: the rows of each, and its errors."""
    ends = np.cumsum([rows for rows, _ in parts])
    present = [
        (end - rows, errors) for end, (rows, errors) in zip(ends, parts, strict=True) if errors is not None
    ]
    if not present:
        return None
    return RowErrors(
        np.concatenate([start + errors.indices for start, errors in present]),
        pa.concat_arrays([errors.sqlstates for _, errors in present]),
        pa.concat_arrays([errors.messages for _, errors in present]),
    )


def merge_errors(parts: Sequence[RowErrors | None]) -> RowErrors | None:
    """The union; where a row failed in several parts, the earliest part says why."""
    present = [part for part in parts if part is not None and len(part)]
    if not present:
        return None
    if len(present) == 1:
        return present[0]
    indices = np.concatenate([part.indices for part in present])
    rows, first = np.unique(indices, return_index=True)
    chosen = pa.array(first)
    return RowErrors(
        rows,
        pa.concat_arrays([part.sqlstates for part in present]).take(chosen),
        pa.concat_arrays([part.messages for part in present]).take(chosen),
    )


def select_errors(errors: RowErrors | None, wanted: Mask) -> RowErrors | None:
    """The errors of those rows whose entry in `wanted` (bool, one per row of the batch) is True."""
    if errors is None:
        return None
    keep = wanted[errors.indices]
    if keep.all():
        return errors
    if not keep.any():
        return None
    chosen = pa.array(np.flatnonzero(keep))
    return RowErrors(errors.indices[keep], errors.sqlstates.take(chosen), errors.messages.take(chosen))


def error_mask(errors: RowErrors | None, length: int) -> Mask:
    mask = np.zeros(length, np.bool_)
    if errors is not None:
        mask[errors.indices] = True
    return mask
