"""`numeric` in binary: Arrow decimals to PostgreSQL's base-10000 digits, for whole columns; and back, for one value.

A value on the wire is four int16 words and digits: the number of digits, the weight of the first (its exponent of
10000), the sign, the display scale; leading and trailing zero digits are left out.  A column is taken apart by long
division of its 32-bit limbs by 10^8, which needs no integer wider than 64 bits and no Python object per value.
"""

from __future__ import annotations

import struct

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from ..errors import DataError, Unsupported
from ..repr.buffers import validity
from ..repr.types import ScalarType
from .pieces import packed

NEGATIVE = 0x4000
_SPECIAL = {0xC000: "NaN", 0xD000: "Infinity", 0xF000: "-Infinity"}

Limbs = list[npt.NDArray[np.uint64]]
Digits = npt.NDArray[np.int64]


def numeric_fields(array: pa.Array, type_: ScalarType) -> tuple[list[pa.Array], npt.NDArray[np.int64]]:
    """Pieces (headers, digits) of the values without length words; and their sizes, -1 for NULL."""
    scale = array.type.scale
    width = array.type.bit_width // 32
    end = array.offset + len(array)  # the buffer may be longer, and of no rows any length
    raw = np.frombuffer(array.buffers()[1] or b"", "<u4")[: end * width].reshape(-1, width)[array.offset :]
    valid = validity(array)
    if valid is not None:
        raw = np.where(valid[:, None], raw, 0)
    negative = (raw[:, -1] >> 31).astype(np.bool_)
    pad = -scale % 4
    digits, whole = _digits(_scaled(_magnitude(raw, negative), 10**pad), (scale + pad) // 4)
    columns = np.arange(digits.shape[1])
    nonzero = digits != 0
    some = nonzero.any(axis=1)
    first = nonzero.argmax(axis=1)
    last = digits.shape[1] - 1 - nonzero[:, ::-1].argmax(axis=1)
    counts = np.where(some, last - first + 1, 0)
    header = np.empty(
        len(array), np.dtype([("n", ">i2"), ("weight", ">i2"), ("sign", ">u2"), ("scale", ">i2")])
    )
    header["n"] = counts
    header["weight"] = np.where(some, whole - 1 - first, 0)
    header["sign"] = np.where(negative, NEGATIVE, 0)
    if type_.scale is None:
        tail = digits[np.arange(len(array)), last]
        zeros = (tail % 10 == 0).astype(np.int64) + (tail % 100 == 0) + (tail % 1000 == 0)
        header["scale"] = np.where(some, np.maximum(4 * (last - whole + 1) - zeros, 0), 0)
    else:
        header["scale"] = scale
    kept = some[:, None] & (columns >= first[:, None]) & (columns <= last[:, None])
    sizes = 8 + 2 * counts
    headers = np.full(len(array), 8, np.int64)
    if valid is not None:
        headers = np.where(valid, 8, 0)
        header = header[valid]
        sizes = np.where(valid, sizes, -1)
    return [packed(headers, header), packed(2 * counts, digits[kept].astype(">i2"))], sizes


def _magnitude(raw: npt.NDArray[np.uint32], negative: npt.NDArray[np.bool_]) -> Limbs:
    """Absolute values as 32-bit limbs in 64-bit words, least significant first."""
    flip = np.where(negative, np.uint64(0xFFFFFFFF), np.uint64(0))
    carry = negative.astype(np.uint64)
    limbs = []
    for i in range(raw.shape[1]):
        word = (raw[:, i].astype(np.uint64) ^ flip) + carry
        limbs.append(word & np.uint64(0xFFFFFFFF))
        carry = word >> np.uint64(32)
    return limbs


def _scaled(limbs: Limbs, factor: int) -> Limbs:
    carry = np.zeros_like(limbs[0])
    out = []
    for limb in limbs:
        word = limb * np.uint64(factor) + carry
        out.append(word & np.uint64(0xFFFFFFFF))
        carry = word >> np.uint64(32)
    return [*out, carry]


def _digits(limbs: Limbs, fraction: int) -> tuple[Digits, int]:
    """Base-10000 digits, most significant first, and how many of them stand before the point."""
    rows = len(limbs[0])
    out: list[npt.NDArray[np.int64]] = []
    while True:
        while limbs and not limbs[-1].any():
            limbs.pop()
        if not limbs:
            break
        remainder = np.zeros_like(limbs[0])
        for i in range(len(limbs) - 1, -1, -1):
            word = (remainder << np.uint64(32)) | limbs[i]
            limbs[i] = word // np.uint64(100_000_000)
            remainder = word - limbs[i] * np.uint64(100_000_000)
        pair = remainder.astype(np.int64)
        out += [pair % 10_000, pair // 10_000]
    while len(out) < max(fraction, 1):
        out.append(np.zeros(rows, np.int64))
    return np.stack(out[::-1], axis=1), len(out) - fraction


def numeric_text(raw: bytes) -> str:
    """One binary value as text; 22P03 when malformed, 0A000 for NaN and infinities."""
    if len(raw) < 8:
        raise DataError("insufficient data left in message", sqlstate="08P01")
    count, weight, sign, scale = struct.unpack_from("!hhHh", raw)
    if sign in _SPECIAL:
        raise Unsupported(
            f"numeric value {_SPECIAL[sign]} is not supported", hint="Use NULL or double precision."
        )
    if sign not in (0, NEGATIVE):
        raise DataError('invalid sign in external "numeric" value', sqlstate="22P03")
    if count < 0 or len(raw) != 8 + 2 * count or not 0 <= scale <= 0x3FFF:
        raise DataError('invalid length in external "numeric" value', sqlstate="22P03")
    digits = struct.unpack_from(f"!{count}h", raw, 8)
    if any(not 0 <= digit <= 9999 for digit in digits):
        raise DataError('invalid digit in external "numeric" value', sqlstate="22P03")
    if abs(weight) > 200:
        raise DataError("value overflows numeric format", sqlstate="22003")
    exponent = 4 * (weight - count + 1)
    mantissa = "".join(f"{digit:04d}" for digit in digits) or "0"
    text = _point(mantissa, exponent, scale)
    return "-" + text if sign else text


def _point(mantissa: str, exponent: int, scale: int) -> str:
    """`mantissa * 10**exponent` with exactly `scale` decimals, digits beyond them cut off, as numeric_recv does."""
    shift = exponent + scale
    shown = mantissa + "0" * shift if shift >= 0 else mantissa[:shift]
    text = (shown.lstrip("0") or "0").rjust(scale + 1, "0")
    return f"{text[:-scale]}.{text[-scale:]}" if scale else text
