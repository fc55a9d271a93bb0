"""True equality of rows: what a hash only suggests.

Two notions.  SQL's, for keys: NULL equals NULL here (a caller that wants `=` drops NULL keys first), NaN equals
NaN, -0.0 equals 0.0, intervals of one span are equal.  The exact one, for whole rows in state: as SQL's, but -0.0 and 0.0
differ, and so do '1 mon' and '30 days', since they print differently; an update retracts exactly the row that was
inserted.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from . import buffers, intervals
from .batch import Indices, Mask


def rows_equal(
    left: Sequence[pa.Array],
    left_rows: Indices,
    right: Sequence[pa.Array],
    right_rows: Indices,
    *,
    exact: bool = False,
) -> Mask:
    """Whether row `left_rows[i]` of `left` equals row `right_rows[i]` of `right`, for every i: bool[k].

    Both sides have the same number of columns; types of each pair are equal.

    Columns of numbers come first: where they tell half of the rows apart, texts and the like of these are not looked at.
    """
    equal: Mask | None = None
    slow = []
    for pair in zip(left, right, strict=True):
        if equal is not None and pair[0].type.id not in buffers.FIXED:
            slow.append(pair)
            continue
        same = _column_equal(pair[0], left_rows, pair[1], right_rows, exact)
        equal = same if equal is None else equal & same
    if equal is None:
        return np.ones(len(left_rows), np.bool_)
    if slow and len(equal) > _FEW_ROWS and 2 * np.count_nonzero(equal) < len(equal):
        left_of, right_of = zip(*slow, strict=True)
        rows = np.flatnonzero(equal)
        equal[rows] = rows_equal(left_of, left_rows[rows], right_of, right_rows[rows], exact=exact)
        return equal
    for left_column, right_column in slow:
        equal &= _column_equal(left_column, left_rows, right_column, right_rows, exact)
    return equal


_FEW_ROWS = 512
"""So many rows are compared in all columns at once."""


def _column_equal(left: pa.Array, li: Indices, right: pa.Array, ri: Indices, exact: bool) -> Mask:
    type_id = left.type.id
    same: Mask
    if type_id in buffers.FLOATS:
        a, b = buffers.fixed(left)[li], buffers.fixed(right)[ri]
        same = (a == b) | (np.isnan(a) & np.isnan(b))
        if exact:
            same &= np.isnan(a) | (np.signbit(a) == np.signbit(b))
    elif type_id in buffers.FIXED or type_id == buffers.BOOL:
        same = buffers.fixed(left)[li] == buffers.fixed(right)[ri]
    elif type_id in buffers.DECIMAL_LIMBS:
        same = (buffers.limbs(left)[li] == buffers.limbs(right)[ri]).all(axis=1)
    elif type_id in buffers.TEXTS:
        return _text_equal(left, li, right, ri)
    elif type_id == buffers.LIST:
        same = _list_equal(left, li, right, ri, exact)
    elif type_id == buffers.STRUCT:
        same = rows_equal(buffers.fields(left), li, buffers.fields(right), ri, exact=exact)
    elif intervals.is_interval(left.type):
        same = _interval_equal(left, li, right, ri, exact)
    else:
        raise TypeError(f"no equality for Arrow type {left.type}")
    left_valid, right_valid = buffers.validity(left), buffers.validity(right)
    if left_valid is None and right_valid is None:
        return same
    a_valid = np.ones(len(li), np.bool_) if left_valid is None else left_valid[li]
    b_valid = np.ones(len(ri), np.bool_) if right_valid is None else right_valid[ri]
    return np.where(a_valid & b_valid, same, a_valid == b_valid)


_FEW_TEXTS = 8
"""So many pairs of texts are compared one by one: 2 us each, where the kernels take 50 us for any number."""


def _text_equal(left: pa.Array, li: Indices, right: pa.Array, ri: Indices) -> Mask:
    if len(li) <= _FEW_TEXTS:
        pairs = zip(li.tolist(), ri.tolist(), strict=True)
        return np.array([_same_bytes(left[i].as_buffer(), right[j].as_buffer()) for i, j in pairs], np.bool_)
    a, b = left.take(pa.array(li)), right.take(pa.array(ri))
    compared = pc.equal(a, b)
    same: Mask = buffers.fixed(compared)
    valid = buffers.validity(compared)
    if valid is None:
        return same
    return np.where(valid, same, buffers.fixed(pc.and_(a.is_null(), b.is_null())))


def _same_bytes(left: pa.Buffer | None, right: pa.Buffer | None) -> bool:
    """Of two texts, None for NULL.  Other threads go on meanwhile: to make Python's text of 32 MB would hold them up for 40 ms."""
    if left is None or right is None:
        return left is right
    return bool(left.equals(right))


def _interval_equal(left: pa.Array, li: Indices, right: pa.Array, ri: Indices, exact: bool) -> Mask:
    find = intervals.parts if exact else intervals.spans
    pairs = zip(find(left), find(right), strict=True)
    same: Mask = np.logical_and.reduce([a[li] == b[ri] for a, b in pairs])
    return same


def _list_equal(left: pa.Array, li: Indices, right: pa.Array, ri: Indices, exact: bool) -> Mask:
    left_offsets = left.offsets.to_numpy().astype(np.int64)
    right_offsets = right.offsets.to_numpy().astype(np.int64)
    lengths = np.diff(left_offsets)[li]
    same: Mask = lengths == np.diff(right_offsets)[ri]
    lengths = np.where(same, lengths, 0)
    ends = np.cumsum(lengths)
    total = int(ends[-1]) if len(ends) else 0
    within = np.arange(total) - np.repeat(ends - lengths, lengths)
    elements = rows_equal(
        [left.values],
        np.repeat(left_offsets[:-1][li], lengths) + within,
        [right.values],
        np.repeat(right_offsets[:-1][ri], lengths) + within,
        exact=exact,
    )
    wrong = np.repeat(np.arange(len(li)), lengths)[~elements]
    same[wrong] = False
    return same
