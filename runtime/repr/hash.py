"""The row hash: 64 bits of a row's columns, a durable format.

Runs on disk are sorted by it and Spark partitions are ranges of it, so a version never changes: version 1 is

    hash(row)   = fold over the columns:  h := mix((h ^ word(column)) + GOLDEN),  h = 0 at first
    mix         = the finaliser of splitmix64 (Steele, Lea, Flood 2014)
    word(NULL)  = NULL_WORD, whatever the type
    integers, dates, times, timestamps, booleans: the value, sign-extended;  floats: the bits as float64, with one
    zero and one NaN;  numeric: its limbs at the column's scale, w := mix(w) ^ limb from the top one down
    intervals: mix(days) ^ rest, the span in whole days and the microseconds that remain (see `intervals`)
    text, bytes, arrays: a polynomial,  length * LENGTH + sum over k of coefficient(k) * BASE^k  mod 2^64,
    of which coefficient(k) is mix(8 bytes from 8k, little-endian, zero-padded), or the hash of element k
    records: the hash of the row that their fields are

So int4 and int8 hash alike, as do float4 and float8; other types must be cast to one before they are compared.
Equal values have equal hashes; unequal ones may too, so readers check true equality.

The polynomial's coefficients are words of eight bytes rather than single bytes: measured over 1M texts of 16
bytes that takes 0.10 s instead of 0.38 s, memory likewise; mixing each word first keeps structured differences
(a flipped case in two places) from cancelling out.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from . import buffers, intervals
from .buffers import Words

HASH_VERSION = 1

GOLDEN = np.uint64(0x9E3779B97F4A7C15)
NULL_WORD = np.uint64(0xA5C7D1E94B3F2607)
LENGTH = np.uint64(0xD6E8FEB86659FD93)
BASE = np.uint64(0x2545F4914F6CDD1D)

_MULTIPLY_1 = np.uint64(0xBF58476D1CE4E5B9)
_MULTIPLY_2 = np.uint64(0x94D049BB133111EB)
_S30, _S27, _S31 = np.uint64(30), np.uint64(27), np.uint64(31)
_MASK = (1 << 64) - 1
_GOLDEN, _LENGTH, _BASE = int(GOLDEN), int(LENGTH), int(BASE)
_SHORT_TEXT = 128
"""Bytes of a single text up to which Python's integers are faster than numpy's arrays."""

_NAN = np.float64(np.nan)
_TAIL_MASKS = np.array([(1 << 8 * n) - 1 for n in range(9)], np.uint64)


def mix(words: Words) -> Words:
    """splitmix64's finaliser, in place: a bijection of 64-bit words.  Returns `words`."""
    words ^= words >> _S30
    words *= _MULTIPLY_1
    words ^= words >> _S27
    words *= _MULTIPLY_2
    words ^= words >> _S31
    return words


def hash_columns(columns: Sequence[pa.Array], length: int) -> Words:
    """The hash of every row of `columns` (each of `length` values): uint64[length].

    Without columns every row has the same hash.
    """
    if length == 1 and columns:
        return _hash_row(columns)
    return _columns_words(columns, length)


def _columns_words(columns: Sequence[pa.Array], length: int) -> Words:
    hashes: Words | None = None
    for column in columns:
        words = _words(column)
        if hashes is not None:
            words ^= hashes
        words += GOLDEN
        hashes = mix(words)
    if hashes is None:
        return mix(np.full(length, GOLDEN, np.uint64))
    return hashes


def _hash_row(columns: Sequence[pa.Array]) -> Words:
    """The hash of one row, in Python's integers.

    Steps of one row are the commonest there are, and every call of numpy costs 1 us or more whatever it works on:
    a row of a number and a short text takes 6 us here, 60 us by columns.
    """
    value = 0
    for column in columns:
        value = _mix_one((value ^ _word(column)) + _GOLDEN & _MASK)
    return np.array([value], np.uint64)


def _mix_one(word: int) -> int:
    """As `mix`, of one word in [0, 2^64)."""
    word = (word ^ word >> 30) * 0xBF58476D1CE4E5B9 & _MASK
    word = (word ^ word >> 27) * 0x94D049BB133111EB & _MASK
    return word ^ word >> 31


def _word(column: pa.Array) -> int:
    """The canonical word of the only value of `column`."""
    type_id = column.type.id
    if column.null_count == 0:
        if type_id in buffers.FIXED and type_id not in buffers.FLOATS:
            return int(buffers.fixed(column)[0]) & _MASK
        if type_id in buffers.TEXTS and len(text := column[0].as_buffer().to_pybytes()) <= _SHORT_TEXT:
            total = len(text) * _LENGTH
            power = 1
            for start in range(0, len(text), 8):
                total += _mix_one(int.from_bytes(text[start : start + 8], "little")) * power
                power = power * _BASE & _MASK
            return total & _MASK
    return int(_words(column)[0])


def hash_times(times: Words) -> Words:
    """Words to tell equal rows at several times apart; not part of the durable format."""
    return mix(times + GOLDEN)


def _words(column: pa.Array) -> Words:
    """One canonical word per value, in an array that the caller may write into."""
    type_id = column.type.id
    words: Words
    if type_id in buffers.FLOATS:
        values = buffers.fixed(column).astype(np.float64)
        values += 0.0  # -0.0 becomes 0.0
        values[np.isnan(values)] = _NAN
        words = values.view(np.uint64)
    elif type_id in buffers.FIXED:
        words = buffers.fixed(column).astype(np.int64).view(np.uint64)
    elif type_id in buffers.DECIMAL_LIMBS:
        limbs = buffers.limbs(column)
        words = limbs[:, -1].copy()
        for index in range(limbs.shape[1] - 2, -1, -1):
            mix(words)
            words ^= limbs[:, index]
    elif type_id in buffers.TEXTS:
        words = _text_words(column)
    elif type_id == buffers.BOOL:
        words = buffers.fixed(column).astype(np.uint64)
    elif type_id == buffers.LIST:
        words = _list_words(column)
    elif type_id == buffers.STRUCT:
        words = _columns_words(buffers.fields(column), len(column))
    elif intervals.is_interval(column.type):
        days, rest = intervals.spans(column)
        words = mix(days.view(np.uint64))
        words ^= rest.view(np.uint64)
    else:
        raise TypeError(f"no hash for Arrow type {column.type}")
    valid = buffers.validity(column)
    if valid is not None:
        words[~valid] = NULL_WORD
    return words


def _text_words(column: pa.Array) -> Words:
    if _few_values(column):
        encoded = column.dictionary_encode()
        words: Words = _text_words(encoded.dictionary)[buffers.fixed(encoded.indices)]
        return words
    offsets = buffers.text_offsets(column)
    starts, lengths = offsets[:-1], np.diff(offsets)
    counts = (lengths + 7) >> 3
    positions = _positions(counts)
    if not len(positions):
        return lengths.astype(np.uint64) * LENGTH
    # A copy with eight bytes to spare, so that the last word may be read whole.
    low, high = int(offsets[0]), int(offsets[-1])
    data = np.zeros(high - low + 8, np.uint8)
    data[: high - low] = buffers.text_data(column)[low:high]
    sliding = np.ndarray((high - low + 1,), "<u8", data, strides=(1,))
    skips = positions << 3
    words = sliding[np.repeat(starts - low, counts) + skips]
    left = np.repeat(lengths, counts)
    left -= skips
    words &= _TAIL_MASKS[np.minimum(left, 8)]
    return _polynomial(mix(words), positions, counts, lengths)


def _few_values(column: pa.Array) -> bool:
    """Whether many texts look like a few that come again and again: 100,000 of five are then hashed in 1 ms instead of
    5.  It never matters to the result."""
    step = len(column) // _SAMPLE
    if step < _SAMPLE_STEP or column.null_count:
        return False
    sample = column.take(pa.array(np.arange(0, step * _SAMPLE, step)))
    return 4 * len(sample.unique()) <= _SAMPLE


_SAMPLE, _SAMPLE_STEP = 256, 16


def _list_words(column: pa.ListArray) -> Words:
    offsets = column.offsets.to_numpy().astype(np.int64)
    lengths = np.diff(offsets)
    values = column.values.slice(int(offsets[0]), int(offsets[-1] - offsets[0]))
    return _polynomial(hash_columns([values], len(values)), _positions(lengths), lengths, lengths)


def _positions(counts: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """0, 1, ... counts[i] - 1 for every i, one after the other."""
    ends = np.cumsum(counts)
    total = int(ends[-1]) if len(ends) else 0
    return np.arange(total) - np.repeat(ends - counts, counts)


def _polynomial(
    coefficients: Words,
    positions: npt.NDArray[np.int64],
    counts: npt.NDArray[np.int64],
    lengths: npt.NDArray[np.int64],
) -> Words:
    if len(positions):
        coefficients *= _powers(int(positions.max()) + 1)[positions]
    # Differences of a running sum modulo 2^64: exact, and empty segments need no care.
    running = np.zeros(len(coefficients) + 1, np.uint64)
    np.cumsum(coefficients, out=running[1:])
    ends = np.cumsum(counts)
    sums: Words = running[ends] - running[ends - counts]
    sums += lengths.astype(np.uint64) * LENGTH
    return sums


_power_table: Words = np.ones(1, np.uint64)


def _powers(count: int) -> Words:
    """BASE^0 ... BASE^(count - 1) at least.  The table only grows, so threads may share it."""
    global _power_table
    table = _power_table
    if len(table) < count:
        steps = np.full(max(count, 64, 2 * len(table)), BASE, np.uint64)
        steps[0] = 1
        _power_table = table = np.cumprod(steps, dtype=np.uint64)
    return table
