"""List arrays taken apart into values and owners, and put together again: what functions of arrays are made of.

A column of arrays is `values`, one after the other, and for each value the row that owns it.  NULL arrays own none.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from ...repr.buffers import present
from ...repr.order import sql_ranks
from .row_errors import Mask

Ints = npt.NDArray[np.int64]


def counts_of(lists: pa.Array) -> Ints:
    """int64[n]: how many elements each array has; a NULL one has none."""
    counts: Ints = lists.value_lengths().fill_null(0).to_numpy(zero_copy_only=False).astype(np.int64)
    return counts


def owners_of(counts: Ints) -> Ints:
    return np.repeat(np.arange(len(counts)), counts)


def places_of(counts: Ints) -> Ints:
    """For every element its place in its array, from 0."""
    ends = np.cumsum(counts)
    total = int(ends[-1]) if len(ends) else 0
    return np.arange(total) - np.repeat(ends - counts, counts)


def list_array(values: pa.Array, counts: Ints, valid: Mask | None = None) -> pa.Array:
    """list[n] of the values, row by row; rows outside `valid` are NULL and own none."""
    offsets = np.concatenate(([0], np.cumsum(counts))).astype(np.int32)
    mask = None if valid is None or valid.all() else pa.array(~valid)
    return pa.ListArray.from_arrays(pa.array(offsets), values, mask=mask)


def kept_elements(lists: pa.Array, keep: Mask) -> pa.Array:
    """The arrays with those elements only whose entry in `keep` (one per element) is True."""
    counts = counts_of(lists)
    fewer = np.bincount(owners_of(counts)[keep], minlength=len(lists)).astype(np.int64)
    return list_array(lists.flatten().filter(pa.array(keep)), fewer, present(lists))


def singletons(values: pa.Array) -> pa.Array:
    """list[n] of one element each."""
    return list_array(values, np.ones(len(values), np.int64))


def joined(left: pa.Array, right: pa.Array, valid: Mask | None = None) -> pa.Array:
    """Each row's left elements and then its right ones; a NULL array has none."""
    counts, more = counts_of(left), counts_of(right)
    owners = np.concatenate((owners_of(counts), owners_of(more)))
    order = pa.array(np.argsort(owners, kind="stable"))
    values = pa.concat_arrays([left.flatten(), right.flatten()]).take(order)
    return list_array(values, counts + more, valid)


def zipped(columns: list[pa.Array]) -> pa.Array:
    """list[n]: row i's array is entry i of every column."""
    width, length = len(columns), len(columns[0])
    index = np.arange(width)[None, :] * length + np.arange(length)[:, None]
    values = pa.concat_arrays(columns).take(pa.array(index.ravel()))
    return list_array(values, np.full(length, width, np.int64))


def element_codes(left: pa.Array, right: pa.Array) -> tuple[Ints, Ints]:
    """One integer per value of either column (of one type): in PostgreSQL's order, equal where SQL holds the values equal."""
    codes = sql_ranks(pa.concat_arrays([left, right]))
    return codes[: len(left)], codes[len(left) :]
