"""The order of rows: PostgreSQL's for ORDER BY, and a total one for breaking ties.

PostgreSQL's: text by bytes (collation C), NaN the greatest number and equal to itself, -0.0 equal to 0.0, arrays
element by element with NULL elements greatest, then the shorter first, records likewise field by field, intervals by their span.  The total order
(`row_order`) agrees with it, but puts -0.0 before 0.0 and '30 days' before '1 mon', so that only rows that print alike
are equal in it.

Every column becomes one or more integer keys whose numeric order is the column's; the rest is `np.lexsort`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from . import buffers, intervals
from .batch import Indices, Mask
from .buffers import Words

Key = npt.NDArray[Any]
_WORDS = frozenset(i for i, type_ in buffers.FIXED.items() if type_.kind in "iu")
_UINT64 = pa.lib.Type_UINT64
_INT64_MAX = np.int64(0x7FFFFFFFFFFFFFFF)
_S63 = np.int64(63)
_FRACTION_BITS = 14
"""So many bits after the point are kept of a numeric's word."""
_TOP_BIT = np.uint64(1 << 63)
_HEADS = np.array([(1 << 64) - (1 << 8 * n) for n in range(9)], np.uint64)
"""All bytes of a word but the last n."""


_PACKED_ROWS = 512
"""From so many hashes on, `hash_order` packs them."""


_FEW_KEYS = 512
"""So many keys are sorted by `np.lexsort`: to pack them takes longer."""


def hash_order(hashes: Words) -> Indices:
    """The stable permutation that puts 64-bit hashes in ascending order: int64[n].

    The place is written over the lowest bits of the hash, and one plain sort (which numpy does with SIMD) then orders
    both: 2.5 ms for 100,000 hashes, where a stable argsort takes 11 ms.  Hashes that agree in the bits that are
    left are rare unless they are equal; where they do not end up in order, they are nearly so, and a stable sort
    of what is nearly sorted is linear.
    """
    n = len(hashes)
    if n < _PACKED_ROWS:
        return np.argsort(hashes, kind="stable")
    places = np.uint64((1 << (n - 1).bit_length()) - 1)
    packed = hashes & ~places
    packed |= np.arange(n, dtype=np.uint64)
    packed.sort()
    packed &= places
    order: Indices = packed.view(np.int64)
    ordered = hashes[order]
    if (ordered[1:] < ordered[:-1]).any():
        order = order[np.argsort(ordered, kind="stable")]
    return order


def sort_keys(keys: Sequence[Key]) -> tuple[Indices, Mask]:
    """A permutation that sorts by integer keys, the most significant first, and where in it a new combination begins.

    At least one key, of at least one value.  As much of the keys as there is room for is packed into one number with the
    position below it, as one plain sort (which numpy does with SIMD) is the fastest by far: 300,000 values of three keys
    take 5 ms, and 90 ms by `np.lexsort`, which then orders those alone that the rest distinguishes.
    """
    n = len(keys[0])
    if n <= _FEW_KEYS:
        return _lexsort_keys(keys)
    words, packed = _packed(keys)
    order = _sort_packed(words)
    new = np.ones(n, np.bool_)
    np.not_equal(words[1:], words[:-1], out=new[1:])
    if packed < len(keys) and not new.all():
        _sort_rest(keys[packed:], order, new)
    return order, new


def _lexsort_keys(keys: Sequence[Key]) -> tuple[Indices, Mask]:
    order: Indices = np.lexsort(tuple(reversed(keys)))
    return order, changes(keys, order)


def _sort_packed(words: npt.NDArray[np.int64]) -> Indices:
    """Sorts `words`, as of `_packed`, in place; returns where each was."""
    shift = _place_bits(len(words))
    words <<= shift
    words |= np.arange(len(words))
    words.sort()
    order = words & ((np.int64(1) << shift) - 1)
    words >>= shift
    return order


def _place_bits(count: int) -> np.int64:
    return np.int64((count - 1).bit_length())


def _packed(keys: Sequence[Key]) -> tuple[npt.NDArray[np.int64], int]:
    """A number in the order of the keys, with room for the position below it; and how many keys, the first ones, it tells
    whole."""
    room = 62 - int(_place_bits(len(keys[0])))
    words: npt.NDArray[np.int64] = np.zeros(len(keys[0]), np.int64)
    values = 1  # how many the words can have
    for number, key in enumerate(keys):
        low = int(key.min())
        width = int(key.max()) - low + 1
        # Wide before the subtraction, as the range of an int32 may not fit into an int32.  It may wrap, and is right
        # as an unsigned number then.
        wide = key if key.dtype == np.uint64 else key.astype(np.int64, copy=False)
        above = (wide - wide.dtype.type(low)).view(np.uint64)
        if values * width <= 1 << room:
            words *= width
            words += above.view(np.int64)
            values *= width
            continue
        left = room - (values - 1).bit_length()
        if left > 0:
            words <<= np.int64(left)
            words |= (above >> np.uint64((width - 1).bit_length() - left)).view(np.int64)
        return words, number
    return words, len(keys)


def _sort_rest(keys: Sequence[Key], order: Indices, new: Mask) -> None:
    """Puts each stretch of `order` that begins where `new` says in the order of `keys`, and marks where one changes."""
    tied = np.flatnonzero(~(new & np.append(new[1:], True)))
    stretch = np.cumsum(new)[tied]
    rows = order[tied]
    rest = [stretch, *(key[rows] for key in keys)]
    words, packed = _packed(rest)
    if packed == len(rest):
        sorted_ = _sort_packed(words)
        begins = np.concatenate(([True], words[1:] != words[:-1]))
    else:
        sorted_, begins = _lexsort_keys(rest)
    order[tied] = rows[sorted_]
    new[tied] = begins


def changes(keys: Sequence[Key], order: Indices) -> Mask:
    """Where in `order` (of at least one row) a key differs from the row before; True at the first."""
    new = np.zeros(len(order), np.bool_)
    new[0] = True
    for key in keys:
        ordered = key[order]
        new[1:] |= ordered[1:] != ordered[:-1]
    return new


def sort_indices(
    columns: Sequence[pa.Array], descending: Sequence[bool], nulls_first: Sequence[bool]
) -> Indices:
    """The stable permutation that puts the rows in ORDER BY's order: int64[n].

    The three sequences have one entry per sort key, the first the most significant; at least one.
    """
    keys: list[Key] = []
    for column, down, first in zip(columns, descending, nulls_first, strict=True):
        keys += _keys(column, down, first, exact=False)
    return _lexsort(keys)


def row_order(columns: Sequence[pa.Array], length: int) -> Indices:
    """The permutation that puts the rows in the total order, NULLs last: int64[length]."""
    if not columns:
        return np.arange(length)
    return _lexsort(_total_keys(columns))


def dense_ranks(columns: Sequence[pa.Array], length: int) -> Indices:
    """The place of each row in the total order, equal rows sharing one: int64[length] in [0, distinct rows)."""
    if not columns or not length:
        return np.zeros(length, np.int64)
    keys = _total_keys(columns)
    order = _lexsort(keys)
    changed = np.zeros(length, np.bool_)
    for key in keys:
        ordered = key[order]
        changed[1:] |= ordered[1:] != ordered[:-1]
    ranks = np.empty(length, np.int64)
    ranks[order] = np.cumsum(changed)
    return ranks


def order_keys(column: pa.Array, descending: bool = False, nulls_first: bool = False) -> tuple[Key, ...]:
    """Integer keys of one column, the most significant first, whose lexical order is ORDER BY's."""
    return tuple(_keys(column, descending, nulls_first, exact=False))


def total_keys(column: pa.Array) -> tuple[Key, ...]:
    """Integer keys of one column without NULLs, whose lexical order is the total one."""
    return tuple(_value_keys(column, exact=True))


def has_order_words(type_: pa.DataType) -> bool:
    """Whether values of this Arrow type, or most of those in use, are ordered by one integer: see `order_words`."""
    return type_.id in _WORDS or type_.id in buffers.FLOATS or type_.id in buffers.DECIMAL_LIMBS


def order_words(column: pa.Array) -> tuple[npt.NDArray[np.int64], Mask | None]:
    """(int64[n], whose order is that of the values and which `word_values` turns back into them; for which values that
    holds, None if for all).  No NULLs; a type that `has_order_words`."""
    type_id = column.type.id
    if type_id in buffers.DECIMAL_LIMBS:
        limbs = buffers.limbs(column)
        words = limbs[:, 0].view(np.int64)
        sign = (words >> _S63).view(np.uint64)
        fits: Mask = (limbs[:, 1:] == sign[:, None]).all(axis=1)
        return words, None if fits.all() else fits
    return _signed_words(column), None


def word_values(words: npt.NDArray[np.int64], type_: pa.DataType) -> pa.Array:
    """The values of such words: the inverse of `order_words`."""
    if type_.id in buffers.DECIMAL_LIMBS:
        count = buffers.DECIMAL_LIMBS[type_.id]
        limbs = np.stack((words, *[words >> _S63] * (count - 1)), axis=1)
        return pa.Array.from_buffers(type_, len(words), [None, pa.py_buffer(limbs)])
    values: npt.NDArray[Any] = words
    if type_.id in buffers.FLOATS:
        values = (words ^ ((words >> _S63) & _INT64_MAX)).view(np.float64)
    elif type_.id == _UINT64:
        values = words.view(np.uint64) ^ _TOP_BIT
    fixed = values.astype(buffers.FIXED[type_.id], copy=False)
    return pa.Array.from_buffers(type_, len(words), [None, pa.py_buffer(fixed)])


def place_words(
    column: pa.Array, descending: bool = False, nulls_first: bool = False
) -> npt.NDArray[np.int64]:
    """int64[n]: of two values, the one with the lesser word stands ahead of the other in ORDER BY's order.

    The reverse need not be: of a text only the first eight bytes count, of a numeric its digits down to about the fourth
    after the point (and from 10^14 on its sign alone), of an array nothing.
    """
    type_id = column.type.id
    words: npt.NDArray[np.int64]
    if type_id in _WORDS or type_id in buffers.FLOATS or type_id == buffers.BOOL:
        words = _signed_words(column)
    elif type_id in buffers.DECIMAL_LIMBS:
        words = _high_bits(column)
    elif type_id in buffers.TEXTS:
        words = _first_bytes(column)
    else:
        words = np.zeros(len(column), np.int64)
    if descending:
        words = ~words
    valid = buffers.validity(column)
    if valid is not None:
        words = np.where(valid, words, ~_INT64_MAX if nulls_first else _INT64_MAX)
    return words


def _signed_words(column: pa.Array) -> npt.NDArray[np.int64]:
    """The one key of a column as integers of the same order that have a sign."""
    (key,) = _value_keys(column, exact=False)
    if key.dtype == np.uint64:
        return (key ^ _TOP_BIT).view(np.int64)
    return key.astype(np.int64, copy=False)


def _high_bits(column: pa.Array) -> npt.NDArray[np.int64]:
    """Each numeric over a power of two, rounded down, and within the bounds of int64."""
    limbs = buffers.limbs(column)
    count = limbs.shape[1]
    limb, bits = divmod(max(0, (10 ** max(column.type.scale, 0)).bit_length() - _FRACTION_BITS), 64)
    sign = limbs[:, -1].view(np.int64) >> _S63
    words = limbs[:, limb].view(np.int64)
    higher = limbs[:, limb + 1].view(np.int64) if limb + 1 < count else sign
    if bits:
        words = (limbs[:, limb] >> np.uint64(bits)).view(np.int64) | higher << np.int64(64 - bits)
        higher = higher >> np.int64(bits)
    fits = (words >> _S63 == sign) & (higher == sign)
    if limb + 2 < count:
        fits &= (limbs[:, limb + 2 :].view(np.int64) == sign[:, None]).all(axis=1)
    return np.where(fits, words, sign ^ _INT64_MAX)


def _first_bytes(column: pa.Array) -> npt.NDArray[np.int64]:
    """Eight bytes of each text, zeros behind its end, as integers that are ordered as they are."""
    if not len(column):
        return np.empty(0, np.int64)
    offsets = buffers.text_offsets(column)
    low, high = int(offsets[0]), int(offsets[-1])
    data = np.zeros(high - low + 8, np.uint8)
    data[: high - low] = buffers.text_data(column)[low:high]
    words = np.ndarray((high - low + 1,), ">u8", data, strides=(1,))[offsets[:-1] - low].astype(np.uint64)
    missing = 8 - np.minimum(np.diff(offsets), 8)
    words &= _HEADS[missing]
    words ^= _TOP_BIT
    return words.view(np.int64)


def _total_keys(columns: Sequence[pa.Array]) -> list[Key]:
    return [key for column in columns for key in _keys(column, False, False, exact=True)]


def _lexsort(keys: Sequence[Key]) -> Indices:
    if len(keys) == 1:
        return np.argsort(keys[0], kind="stable")
    return np.lexsort(tuple(reversed(keys)))


def _keys(column: pa.Array, descending: bool, nulls_first: bool, *, exact: bool) -> list[Key]:
    keys = _value_keys(column, exact)
    if descending:
        keys = [~key for key in keys]  # reverses signed, unsigned and boolean order alike
    valid = buffers.validity(column)
    if valid is None:
        return keys
    # What lies under a NULL is arbitrary: make it one value, or equal rows would not be neighbours.
    keys = [np.where(valid, key, key.dtype.type(0)) for key in keys]
    return [valid if nulls_first else ~valid, *keys]


def _value_keys(column: pa.Array, exact: bool) -> list[Key]:
    type_id = column.type.id
    if type_id in buffers.FLOATS:
        values = buffers.fixed(column).astype(np.float64)
        if not exact:
            values += 0.0
        values[np.isnan(values)] = np.nan
        bits = values.view(np.int64)
        return [bits ^ ((bits >> _S63) & _INT64_MAX)]
    if type_id in buffers.FIXED or type_id == buffers.BOOL:
        return [buffers.fixed(column)]
    if type_id in buffers.DECIMAL_LIMBS:
        limbs = buffers.limbs(column)
        top = limbs[:, -1].astype(np.int64)
        return [top, *(limbs[:, index] for index in range(limbs.shape[1] - 2, -1, -1))]
    if type_id in buffers.TEXTS:
        return [_ranks(column)]
    if type_id == buffers.LIST:
        return [_ranks(_list_bytes(column, exact))]
    if type_id == buffers.STRUCT:
        parts = buffers.fields(column)
        return [key for part in parts for key in _keys(part, False, False, exact=exact)] or [
            np.zeros(len(column), np.int8)
        ]
    if intervals.is_interval(column.type):
        span = list(intervals.spans(column))
        return [*span, *intervals.parts(column)[:2]] if exact else span
    raise TypeError(f"no order for Arrow type {column.type}")


def _ranks(column: pa.Array) -> Key:
    """Dense ranks by bytes; those of NULLs are arbitrary."""
    if not len(column):
        return np.empty(0, np.uint64)
    return np.asarray(pc.rank(column, sort_keys="ascending", tiebreaker="dense"))


def _list_bytes(column: pa.ListArray, exact: bool) -> pa.Array:
    """Each array as bytes that sort as it does: the big-endian ranks of its elements."""
    offsets = column.offsets.to_numpy().astype(np.int64)
    values = column.values.slice(int(offsets[0]), int(offsets[-1] - offsets[0]))
    if exact:
        ranks = dense_ranks([values], len(values))
    else:
        ranks = sql_ranks(values)
    data = ranks.astype(">u4").tobytes()
    bounds = pa.array(((offsets - offsets[0]) * 4).astype(np.int32))
    return pa.Array.from_buffers(pa.binary(), len(column), [None, bounds.buffers()[1], pa.py_buffer(data)])


def sql_ranks(values: pa.Array) -> Indices:
    """The place of each value of a column in PostgreSQL's order, equal ones sharing one, NULLs the last: int64[n]."""
    if not len(values):
        return np.zeros(0, np.int64)
    keys = _keys(values, False, False, exact=False)
    order = _lexsort(keys)
    changed = np.zeros(len(values), np.bool_)
    for key in keys:
        ordered = key[order]
        changed[1:] |= ordered[1:] != ordered[:-1]
    ranks = np.empty(len(values), np.int64)
    ranks[order] = np.cumsum(changed)
    return ranks
