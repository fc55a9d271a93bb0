"""Variance, covariance, correlation and regression, from exact sums.

With N rows, n sums of first powers and of products,

    D(x, y) = N sum(x y) - sum(x) sum(y)        a whole number, in units of the sums

is N times the sum of the products of deviations from the means.  It is computed in Python's integers, so nothing
cancels, and every result is a quotient of such numbers that is rounded once (a square root: twice).  Numerics get
the digits that PostgreSQL gives them, floats are the double nearest to the true value, or next to it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from ....expr.columns.decimals import POWERS, divide_rounded, storage_scale
from ....expr.columns.row_errors import Evaluated, same_error
from ....expr.functions.numbers.math import rounded_roots
from ....expr.functions.numbers.numeric import division_scale, numeric_result
from ....repr.types import NUMERIC, ScalarType
from .float_sum import ExactSums, Floats, Ints

Mask = npt.NDArray[np.bool_]
Whole = npt.NDArray[Any]
"""An object array of Python integers."""

VARIANCES: dict[str, tuple[bool, bool]] = {
    "var_pop": (False, False),
    "var_samp": (True, False),
    "variance": (True, False),
    "stddev_pop": (False, True),
    "stddev_samp": (True, True),
    "stddev": (True, True),
}
"""Aggregates of one argument, by (of a sample, the root)."""

REGRESSIONS: dict[str, tuple[str, ...]] = {
    "regr_count": (),
    "regr_avgx": ("x",),
    "regr_avgy": ("y",),
    "regr_sxx": ("x", "xx"),
    "regr_syy": ("y", "yy"),
    "regr_sxy": ("x", "y", "xy"),
    "covar_pop": ("x", "y", "xy"),
    "covar_samp": ("x", "y", "xy"),
    "regr_slope": ("x", "y", "xx", "xy"),
    "regr_intercept": ("x", "y", "xx", "xy"),
    "corr": ("x", "y", "xx", "yy", "xy"),
    "regr_r2": ("x", "y", "xx", "yy", "xy"),
}
"""Aggregates of two arguments (y, x), by the sums that they need."""

_TOO_LARGE = 2**1024 - 2**970
"""From here on a quotient rounds to infinity."""


def numeric_variance(
    function: str, count: Ints, total: Whole, squares: Whole, type_: ScalarType, shown: Ints | None = None
) -> Evaluated:
    """Of integers or numerics of `type_`: `total` at its storage scale, `squares` at twice that.

    `shown` are the digits after the point that a product of two of the values shows, where the type leaves it open.
    """
    sample, root = VARIANCES[function]
    scale = 2 * storage_scale(type_)
    n = count.astype(object)
    valid = count > (1 if sample else 0)
    top = np.where(valid, n * squares - total * total, 0)
    bottom = np.where(valid, n * (n - 1) if sample else n * n, 1)
    if shown is None:
        shown = np.full(len(count), scale, np.int64)
    digits = division_scale(top, scale, bottom, 0, shown)
    digits[(top == 0).astype(np.bool_)] = 0
    value = divide_rounded(top * POWERS[digits], bottom * int(10**scale))
    widest = int(digits.max(initial=0))
    value = value * POWERS[widest - digits]
    if root:
        value = rounded_roots(value, widest, digits) * POWERS[widest - digits]
    return numeric_result(value, widest, None if valid.all() else valid, NUMERIC)


def float_variance(
    function: str, count: Ints, total: ExactSums, squares: ExactSums, special: Mask
) -> Evaluated:
    """Of floats; `special` where one of them is a NaN or an infinity: the result is NaN there."""
    sample, root = VARIANCES[function]
    valid = count > (1 if sample else 0)
    n = count.astype(object)
    top, exponent = _deviation(n, total, total, squares)
    bottom = np.where(valid, n * (n - 1) if sample else n * n, 1)
    value, overflow = _quotient(np.where(valid, top, 0), bottom, exponent)
    if root:
        value = np.sqrt(value)
    return _result(value, valid, overflow, special)


@dataclass(frozen=True, slots=True)
class Pairs:
    """Sums over pairs (y, x): `sums` by name (x, y, xx, yy, xy), as far as the aggregate needs them; where an x
    (a y) is a NaN or an infinity, and then the sum of x (of y) as floats add up."""

    count: Ints
    sums: dict[str, ExactSums]
    special_x: Mask
    special_y: Mask
    total_x: Floats
    total_y: Floats


def regression(function: str, pairs: Pairs) -> Evaluated:
    """An aggregate of REGRESSIONS but regr_count."""
    valid = pairs.count > (1 if function == "covar_samp" else 0)
    n = np.where(valid, pairs.count, 2).astype(object)
    sums = pairs.sums
    one = np.ones(len(n), object)
    either = pairs.special_x | pairs.special_y
    match function:
        case "regr_avgx" | "regr_avgy":
            total, special = (
                (pairs.total_x, pairs.special_x)
                if function == "regr_avgx"
                else (pairs.total_y, pairs.special_y)
            )
            exact = sums[function[-1]]
            value, overflow = _quotient(exact.integers, n, exact.exponent)
            return _result(np.where(special, total, value), valid, overflow & ~special, None)
        case "regr_sxx" | "regr_syy":
            own = function[-1]
            top, exponent = _deviation(n, sums[own], sums[own], sums[2 * own])
            value, overflow = _quotient(top, n, exponent)
            return _result(value, valid, overflow, pairs.special_x if own == "x" else pairs.special_y)
        case "regr_sxy" | "covar_pop" | "covar_samp":
            top, exponent = _deviation(n, sums["x"], sums["y"], sums["xy"])
            bottom = {"regr_sxy": n, "covar_pop": n * n, "covar_samp": n * (n - 1)}[function]
            value, overflow = _quotient(top, bottom, exponent)
            return _result(value, valid, overflow, either)
    xx, exponent_xx = _deviation(n, sums["x"], sums["x"], sums["xx"])
    xy, exponent_xy = _deviation(n, sums["x"], sums["y"], sums["xy"])
    flat = (xx == 0).astype(np.bool_) & ~pairs.special_x
    bottom = np.where(flat | (xx == 0), one, xx)
    if function == "regr_slope":
        value, overflow = _quotient(xy, bottom, exponent_xy - exponent_xx)
        return _result(value, valid & ~flat, overflow, either)
    if function == "regr_intercept":
        # (sum(y) - sum(x) xy / xx) / n
        y, x = sums["y"], sums["x"]
        first, second = y.integers * bottom, x.integers * xy
        top, exponent = _difference(first, y.exponent + exponent_xx, second, x.exponent + exponent_xy)
        value, overflow = _quotient(top, bottom * n, exponent - exponent_xx)
        return _result(value, valid & ~flat, overflow, either)
    yy, exponent_yy = _deviation(n, sums["y"], sums["y"], sums["yy"])
    level = (yy == 0).astype(np.bool_) & ~pairs.special_y
    bottom = bottom * np.where(yy == 0, one, yy)
    exponent = 2 * exponent_xy - exponent_xx - exponent_yy
    if function == "regr_r2":
        value, overflow = _quotient(xy * xy, bottom, exponent)
        return _result(np.where(level, 1.0, value), valid & ~flat, overflow, either & ~level)
    return _result(_signed_root(xy, bottom, exponent), valid & ~flat & ~level, None, either)


def _deviation(n: Whole, left: ExactSums, right: ExactSums, products: ExactSums) -> tuple[Whole, int]:
    """D of the module's text, as (integers, exponent): times 2^exponent."""
    return _difference(
        n * products.integers,
        products.exponent,
        left.integers * right.integers,
        left.exponent + right.exponent,
    )


def _difference(first: Whole, first_exponent: int, second: Whole, second_exponent: int) -> tuple[Whole, int]:
    exponent = min(first_exponent, second_exponent)
    return first * (1 << (first_exponent - exponent)) - second * (1 << (second_exponent - exponent)), exponent


def _quotient(top: Whole, bottom: Whole, exponent: int) -> tuple[Floats, Mask]:
    """The double nearest to top / bottom * 2^exponent (`bottom` positive), and where it would be an infinity."""
    if exponent >= 0:
        top = top * (1 << exponent)
    else:
        bottom = bottom * (1 << -exponent)
    overflow = (np.abs(top) >= bottom * _TOO_LARGE).astype(np.bool_)
    if overflow.any():
        top = np.where(overflow, 0, top)
    return (top / bottom).astype(np.float64), overflow


_WIDE = 1500


def _signed_root(top: Whole, bottom: Whole, exponent: int) -> Floats:
    """top / sqrt(bottom 2^-exponent), which is within [-1, 1]; `exponent` is that of the square."""
    value, _ = _quotient(top * top, bottom, exponent)
    root = np.sqrt(value)
    tiny = (value < 1e-290) & (top != 0).astype(np.bool_)
    if tiny.any():  # the square would lose digits, or vanish
        scaled, _ = _quotient(np.where(tiny, top * top, 0), bottom, exponent + _WIDE)
        root = np.where(tiny, np.ldexp(np.sqrt(scaled), -_WIDE // 2), root)
    return np.where((top < 0).astype(np.bool_), -root, root)


def _result(value: Floats, valid: Mask, overflow: Mask | None, special: Mask | None) -> Evaluated:
    if special is not None and special.any():
        value = np.where(special, np.nan, value)
        overflow = None if overflow is None else overflow & ~special
    errors = None
    if overflow is not None and (overflow & valid).any():
        errors = same_error(np.flatnonzero(overflow & valid), "22003", "value out of range: overflow")
        valid = valid & ~overflow
    return Evaluated(pa.array(value, mask=None if valid.all() else ~valid), errors)
