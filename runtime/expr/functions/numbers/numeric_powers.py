"""exp, ln, log and power of numeric: computed to more digits than are kept, rounded once.

How many digits are kept is PostgreSQL's choice: at least 16 significant ones by an estimate of the result's size, and
no fewer behind the point than the arguments show.  The estimates look at the first digits of base 10000, as its do.
A result that needs more than 38 digits on a side of the point is 22003.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from decimal import ROUND_HALF_UP, Context, Decimal, Overflow, Underflow
from typing import Any

from ....repr.types import NUMERIC, ScalarType
from ...columns.row_errors import Evaluated
from ...datetimes.datetime_input import InputError
from ...tree.function import CallInfo, Datum, Kernel, Overload
from ..rowwise import rowwise
from .arithmetic import DIVISION_BY_ZERO, OUT_OF_RANGE

INVALID_LOGARITHM = "2201E"
INVALID_POWER = "2201F"
_TOO_LARGE = InputError(OUT_OF_RANGE, "value overflows numeric format")
_KEPT = 38
_SIGNIFICANT = 16
_MOST_DIGITS = 1000
_GUARD_DIGITS = 8
_MOST_PLACES = 120
_WIDE = Context(prec=140, rounding=ROUND_HALF_UP, Emax=999_999, Emin=-999_999, traps=[Overflow, Underflow])
_LIMIT = Decimal(10) ** _KEPT
_LN_10 = 2.302585092994046
_LOG_E = 0.434294481903252


def _groups(value: Decimal) -> tuple[int, list[int]]:
    """The digits of |value| to the base 10000, and the weight of the first; no zeros at either end."""
    exponent = value.as_tuple().exponent
    assert isinstance(exponent, int)
    behind = (max(-exponent, 0) + 3) // 4
    whole = int(value.copy_abs().scaleb(4 * behind, context=_WIDE))
    found: list[int] = []
    while whole:
        whole, group = divmod(whole, 10_000)
        found.append(group)
    weight = len(found) - behind - 1
    found.reverse()
    while found and not found[-1]:
        found.pop()
    return weight, found


def _ln_weight(value: Decimal) -> int:
    """About how many digits the logarithm has before its point (negative: zeros behind it)."""
    if value <= 0:
        return 0
    if Decimal("0.9") <= value <= Decimal("1.1"):
        weight, groups = _groups(_WIDE.subtract(value, Decimal(1)))
        return weight * 4 + int(math.log10(groups[0])) if groups else 0
    weight, groups = _groups(value)
    leading, power = groups[0], weight * 4
    if len(groups) > 1:
        leading, power = leading * 10_000 + groups[1], power - 4
    return int(math.log10(abs(math.log(leading) + power * _LN_10)))


def _rounded(value: Decimal, digits: int) -> Decimal:
    """At so many digits behind the point; what does not fit a numeric is an error."""
    digits = min(max(digits, 0), _MOST_DIGITS)
    if value.copy_abs() >= _LIMIT:
        raise _TOO_LARGE
    rounded = value.quantize(Decimal(1).scaleb(-digits), context=_WIDE) if digits < 100 else value
    kept = rounded.quantize(Decimal(1).scaleb(-_KEPT), context=_WIDE)
    if kept != rounded or kept.copy_abs() >= _LIMIT:
        raise _TOO_LARGE
    return kept


def _positive(value: Decimal) -> None:
    if value == 0:
        raise InputError(INVALID_LOGARITHM, "cannot take logarithm of zero")
    if value < 0:
        raise InputError(INVALID_LOGARITHM, "cannot take logarithm of a negative number")


def _exp_digits(exponent: float, *scales: int) -> int:
    """Digits of e to the power of `exponent`."""
    size = max(min(exponent * _LOG_E, 2000.0), -2000.0)
    return max(_SIGNIFICANT - int(size), *scales)


def _exp(scales: Sequence[int], value: Decimal) -> Decimal:
    if value > 100:
        raise _TOO_LARGE
    digits = _exp_digits(float(value), scales[0])
    if value < -3000:
        return _rounded(Decimal(0), 0)
    return _rounded(_WIDE.exp(value), digits)


def _ln(scales: Sequence[int], value: Decimal) -> Decimal:
    _positive(value)
    return _rounded(_WIDE.ln(value), max(_SIGNIFICANT - _ln_weight(value), scales[0]))


def _log(scales: Sequence[int], base: Decimal, value: Decimal) -> Decimal:
    _positive(base)
    _positive(value)
    if base == 1:
        raise InputError(DIVISION_BY_ZERO, "division by zero")
    digits = max(_SIGNIFICANT - (_ln_weight(value) - _ln_weight(base)), *scales)
    return _rounded(_WIDE.divide(_WIDE.ln(value), _WIDE.ln(base)), digits)


def _log_10(scales: Sequence[int], value: Decimal) -> Decimal:
    return _log((0, *scales), Decimal(10), value)


def _power(scales: Sequence[int], base: Decimal, exponent: Decimal) -> Decimal:
    whole = exponent == exponent.to_integral_value(context=_WIDE)
    if base == 0 and exponent < 0:
        raise InputError(INVALID_POWER, "zero raised to a negative power is undefined")
    if base < 0 and not whole:
        raise InputError(
            INVALID_POWER, "a negative number raised to a non-integer power yields a complex result"
        )
    if whole and exponent.copy_abs() < 1 << 31:
        return _whole_power(scales, base, int(exponent))
    if base == 0:
        return _rounded(Decimal(0), 0)
    product = _WIDE.multiply(_WIDE.ln(base.copy_abs()), exponent)
    if product > 100:
        raise _TOO_LARGE
    if product < -3000:
        return _rounded(Decimal(0), 0)
    digits = _exp_digits(float(product), *scales)
    # PostgreSQL rounds the logarithm and the product, too: a power that ends in a 5 just behind the kept digits (2.25
    # to the 7.5) falls to the side that these roundings choose.
    significant = max(digits + int(float(product) * _LOG_E), 0)
    places = significant - _ln_weight(base.copy_abs()) + _GUARD_DIGITS
    last = Decimal(1).scaleb(-min(max(places, 0), _MOST_PLACES))
    logarithm = _WIDE.ln(base.copy_abs()).quantize(last, context=_WIDE)
    result = _WIDE.exp(_WIDE.multiply(logarithm, exponent).quantize(last, context=_WIDE))
    if base < 0 and int(exponent) % 2:
        result = result.copy_negate()
    return _rounded(result, digits)


def _whole_power(scales: Sequence[int], base: Decimal, exponent: int) -> Decimal:
    size = 0.0
    if base:
        weight, groups = _groups(base)
        leading, power = float(groups[0]), weight * 4
        for group in groups[1:4]:
            leading, power = leading * 10_000 + group, power - 4
        size = exponent * (math.log10(leading) + power)
    if size > 100:
        raise _TOO_LARGE
    if size + 1 < -_MOST_DIGITS:
        return _rounded(Decimal(0), 0)
    digits = max(_SIGNIFICANT - int(size), *scales)
    if exponent == 0:
        return _rounded(Decimal(1), 0)
    return _rounded(_WIDE.power(base, exponent), digits)


def _kernel(one: Callable[..., Decimal]) -> Kernel:
    """`one` of the scales that the arguments show, and the arguments."""

    def kernel(args: Sequence[Datum], info: CallInfo) -> Evaluated:
        def row(*values: Decimal) -> Decimal:
            scales = [_shown(value, type_) for value, type_ in zip(values, info.types, strict=True)]
            return one(scales, *values)

        result = rowwise(row)(args, info)
        assert isinstance(result, Evaluated)
        return result

    return kernel


def _shown(value: Decimal, type_: ScalarType) -> int:
    """The type's scale; of a numeric without one the digits that the value needs."""
    if type_.scale is not None:
        return type_.scale
    exponent: Any = value.normalize(_WIDE).as_tuple().exponent
    return max(-int(exponent), 0)


def _overload(one: Callable[..., Decimal], arity: int) -> list[Overload]:
    return [Overload((NUMERIC,) * arity, NUMERIC, _kernel(one), can_fail=True)]


OVERLOADS: dict[str, list[Overload]] = {
    "exp": _overload(_exp, 1),
    "ln": _overload(_ln, 1),
    "log": [*_overload(_log_10, 1), *_overload(_log, 2)],
    "log10": _overload(_log_10, 1),
    "power": _overload(_power, 2),
}
"""Added to those of floats."""
