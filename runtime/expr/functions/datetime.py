"""Dates and timestamps: extract, date_part, date_trunc, date arithmetic.  The time zone is UTC.

Calendar fields are those of the proleptic Gregorian calendar; there is no year 0 (1 BC is year -1).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from ...errors import InvalidParameter, UndefinedFunction, Unsupported
from ...repr.types import (
    DATE,
    FLOAT8,
    INT4,
    TEXT,
    TIMESTAMP,
    TIMESTAMPTZ,
    Kind,
    ScalarType,
    derived_numeric,
)
from ..arrays import array_of_numpy, both_valid, numpy_values, valid_mask
from ..coercion import base_name
from ..datetime_input import (
    MAX_DATE,
    MICROS_PER_DAY,
    MIN_DATE,
    InputError,
    days_from_civil,
    days_in_month,
)
from ..decimals import from_int64
from ..function import CallInfo, Datum, Function, Kernel, Overload, as_array
from ..literals import cast_to
from ..row_errors import Evaluated, same_error
from ..scalar import Call, Literal, Scalar
from .arithmetic import rows_where
from .rowwise import rowwise

Ints = npt.NDArray[np.int64]

_FIELD_ALIASES = {
    "years": "year",
    "months": "month",
    "days": "day",
    "hours": "hour",
    "minutes": "minute",
    "seconds": "second",
    "weeks": "week",
    "millisecond": "milliseconds",
    "microsecond": "microseconds",
    "decades": "decade",
    "centuries": "century",
    "millennia": "millennium",
    "y": "year",
    "h": "hour",
    "m": "minute",
    "s": "second",
    "d": "day",
    "w": "week",
}
_TIME_SCALES = {"hour": 0, "minute": 0, "second": 6, "milliseconds": 3, "microseconds": 0}
_ZONE_FIELDS = ("timezone", "timezone_hour", "timezone_minute")
_REFUSED_FIELDS = frozenset(("julian",))


def _year(days: pa.Array) -> Ints:
    return numpy_values(pc.year(days)).astype(np.int64)


def _centuries(span: int) -> Callable[[pa.Array], Ints]:
    def count(days: pa.Array) -> Ints:
        year = _year(days)
        return np.where(year > 0, (year + span - 1) // span, -((span - 1 - (year - 1)) // span))

    return count


def _era_year(year: Ints) -> Ints:
    return np.where(year > 0, year, year - 1)


def _iso(field: str) -> Callable[[pa.Array], Ints]:
    def compute(days: pa.Array) -> Ints:
        return numpy_values(pc.iso_year(days) if field == "isoyear" else pc.iso_week(days)).astype(np.int64)

    return compute


def _weekday(days: pa.Array) -> Ints:
    """0 is Sunday."""
    return (numpy_values(days).astype(np.int64) + 4) % 7


def _decade(days: pa.Array) -> Ints:
    year = _year(days)
    return np.where(year >= 0, year // 10, -((8 - (year - 1)) // 10))


_DATE_FIELDS: dict[str, Callable[[pa.Array], Ints]] = {
    "year": lambda days: _era_year(_year(days)),
    "month": lambda days: numpy_values(pc.month(days)),
    "day": lambda days: numpy_values(pc.day(days)),
    "quarter": lambda days: numpy_values(pc.quarter(days)),
    "doy": lambda days: numpy_values(pc.day_of_year(days)),
    "dow": _weekday,
    "isodow": lambda days: (_weekday(days) + 6) % 7 + 1,
    "week": _iso("week"),
    "isoyear": lambda days: _era_year(_iso("isoyear")(days)),
    "decade": _decade,
    "century": _centuries(100),
    "millennium": _centuries(1000),
}


def _time_field(field: str, micros: Ints) -> Ints:
    """The field of a time of day, as an integer at its scale."""
    match field:
        case "hour":
            return micros // 3_600_000_000
        case "minute":
            return micros // 60_000_000 % 60
        case _:
            return micros % 60_000_000


def _split(array: pa.Array) -> tuple[pa.Array, Ints]:
    """Days since 1970 as a date array, and microseconds of the day."""
    days, micros = np.divmod(numpy_values(array).astype(np.int64), MICROS_PER_DAY)
    return array_of_numpy(days.astype(np.int32), None, pa.date32()), micros


def extract_field(array: pa.Array, type_: ScalarType, field: str) -> Ints:
    """The field's values as integers at the scale of `extract_scale`; NULL rows hold anything."""
    if field in _ZONE_FIELDS:
        return np.zeros(len(array), np.int64)
    if type_.kind is Kind.DATE:
        days = array_of_numpy(numpy_values(array), None, pa.date32())
        if field == "epoch":
            return numpy_values(array).astype(np.int64) * 86_400
        return _DATE_FIELDS[field](days).astype(np.int64)
    if field == "epoch":
        return numpy_values(array).astype(np.int64)
    days, micros = _split(array)
    if field in _TIME_SCALES:
        return _time_field(field, micros)
    return _DATE_FIELDS[field](days).astype(np.int64)


def extract_scale(type_: ScalarType, field: str) -> int:
    """Digits after the point of EXTRACT(field FROM a value of the type)."""
    if field == "epoch":
        return 0 if type_.kind is Kind.DATE else 6
    return _TIME_SCALES.get(field, 0)


def _extract(args: Sequence[Datum], info: CallInfo) -> pa.Array:
    field = _FIELD_ALIASES.get(args[0].as_py().lower(), args[0].as_py().lower())
    array = as_array(args[1], info.length)
    values = extract_field(array, info.types[1], field)
    if info.result == FLOAT8:
        divisor = np.float64(10 ** extract_scale(info.types[1], field))
        return array_of_numpy(values / divisor, valid_mask(array), pa.float64())
    return from_int64(values, valid_mask(array), info.result)


def _extract_constant(args: Sequence[Datum], info: CallInfo) -> pa.Array:
    """The field is a constant; when the value is one too, both arrive as arrays of one row."""
    field = args[0] if isinstance(args[0], pa.Scalar) else args[0][0]
    return _extract((field, args[1]), info)


def _field_of(arg: Scalar, name: str) -> str:
    if not isinstance(arg, Literal) or arg.value is None:
        raise Unsupported(f"{name} with a field that is not a constant is not supported")
    field = str(arg.value).lower()
    return _FIELD_ALIASES.get(field, field)


def _resolve_extract(name: str) -> Callable[[tuple[Scalar, ...], tuple[bool, ...]], Call]:
    def resolve(args: tuple[Scalar, ...], unknown: tuple[bool, ...]) -> Call:
        names = ", ".join("unknown" if u else base_name(a.type) for a, u in zip(args, unknown, strict=True))
        if len(args) != 2:
            raise UndefinedFunction(f"function {name}({names}) does not exist")
        subject = args[1]
        if unknown[1]:
            raise UndefinedFunction(f"function pg_catalog.{name}({names}) is not unique", sqlstate="42725")
        if subject.type.kind not in (Kind.DATE, Kind.TIMESTAMP, Kind.TIMESTAMPTZ):
            raise UndefinedFunction(
                f"function pg_catalog.{name}({names}) does not exist",
                hint="No function matches the given name and argument types. You might need to add explicit type casts.",
            )
        if name == "date_part" and subject.type.kind is Kind.DATE:
            subject = cast_to(subject, TIMESTAMP)  # as PostgreSQL defines it
        field = _field_of(args[0], name)
        _check_field(field, subject.type)
        result = FLOAT8 if name == "date_part" else derived_numeric(extract_scale(subject.type, field))
        return Call(name, (Literal(field, TEXT), subject), result, subject.nullable)

    return resolve


def _check_field(field: str, type_: ScalarType) -> None:
    if field in _REFUSED_FIELDS:
        raise Unsupported(f'the field "{field}" is not supported')
    zone = field in _ZONE_FIELDS
    known = field in _DATE_FIELDS or field in _TIME_SCALES or field == "epoch" or zone
    if not known:
        raise InvalidParameter(f'unit "{field}" not recognized for type {type_}')
    if (type_.kind is Kind.DATE and (field in _TIME_SCALES or zone)) or (
        zone and type_.kind is Kind.TIMESTAMP
    ):
        raise Unsupported(f'unit "{field}" not supported for type {type_}')


# --- date_trunc --------------------------------------------------------------------------------------------------------

_TRUNC_MICROS = {
    "microseconds": 1,
    "milliseconds": 1_000,
    "second": 1_000_000,
    "minute": 60_000_000,
    "hour": 3_600_000_000,
    "day": MICROS_PER_DAY,
}
_TRUNC_YEARS = {"year": 1, "decade": 10, "century": 100, "millennium": 1000}


def _truncate(micros: Ints, field: str) -> Ints:
    if (unit := _TRUNC_MICROS.get(field)) is not None:
        return micros - micros % unit
    days = micros // MICROS_PER_DAY
    if field == "week":
        return (days - (days + 3) % 7) * MICROS_PER_DAY
    months = days.astype("datetime64[D]").astype("datetime64[M]").astype(np.int64)
    if field in ("month", "quarter"):
        step = 1 if field == "month" else 3
        start = months - months % step
    else:
        span = _TRUNC_YEARS[field]
        year = months // 12 + 1970
        # Centuries and millennia begin with year 1 (and end with year -1); decades with a year ending in 0.
        first = (year - 1) // span * span + 1 if span >= 100 else year // span * span
        start = (first - 1970) * 12
    day: Ints = start.astype("datetime64[M]").astype("datetime64[D]").astype(np.int64)
    return day * MICROS_PER_DAY


def _date_trunc(args: Sequence[Datum], info: CallInfo) -> Evaluated:
    array = as_array(args[1], info.length)
    micros = numpy_values(array)
    fields = args[0] if isinstance(args[0], pa.Array) else pa.array([args[0].as_py()])
    names = [None if name is None else name.lower() for name in fields.unique().to_pylist()]
    result = np.zeros(info.length, np.int64)
    valid = both_valid(valid_mask(array), valid_mask(fields) if len(fields) == info.length else None)
    failed = np.zeros(info.length, np.bool_)
    bad_field = ""
    for name in names:
        if name is None:
            continue
        field = _FIELD_ALIASES.get(name, name)
        rows: Any = slice(None)
        if len(fields) == info.length:
            rows = pc.equal(pc.ascii_lower(fields), name).fill_null(False).to_numpy(zero_copy_only=False)
        if field in _TRUNC_MICROS or field in _TRUNC_YEARS or field in ("week", "month", "quarter"):
            result[rows] = _truncate(micros[rows], field)
        else:
            failed[rows] = True
            bad_field = name
    failures = rows_where(failed, array)
    if not len(failures):
        return Evaluated(array_of_numpy(result, valid, info.result.arrow))
    known = bad_field in _ZONE_FIELDS
    message = f'unit "{bad_field}" {"not supported" if known else "not recognized"} for type {info.result}'
    errors = same_error(failures, "0A000" if known else "22023", message)
    return Evaluated(array_of_numpy(result, both_valid(valid, ~failed), info.result.arrow), errors)


# --- arithmetic ----------------------------------------------------------------------------------------------------------


def _shifted(sign: int, date_first: bool = True) -> Kernel:
    def kernel(args: Sequence[Datum], info: CallInfo) -> Evaluated:
        left, right = (as_array(datum, info.length) for datum in args)
        dates, counts = (left, right) if date_first else (right, left)
        days = numpy_values(dates).astype(np.int64) + sign * numpy_values(counts).astype(np.int64)
        wrong = (days < MIN_DATE) | (days > MAX_DATE)
        valid = both_valid(valid_mask(left), valid_mask(right))
        rows = rows_where(wrong, left, right)
        if len(rows):
            valid = both_valid(valid, ~wrong)
            days = np.where(wrong, 0, days)
        return Evaluated(
            array_of_numpy(days.astype(np.int32), valid, pa.date32()),
            same_error(rows, "22008", "date out of range"),
        )

    return kernel


def _days_between(args: Sequence[Datum], info: CallInfo) -> pa.Array:
    left, right = (as_array(datum, info.length) for datum in args)
    return pc.subtract(left.view(pa.int32()), right.view(pa.int32()))


def _make_date(year: int, month: int, day: int) -> int:
    astronomical = year if year > 0 else year + 1
    if year == 0 or not 1 <= month <= 12 or not 1 <= day <= days_in_month(astronomical, month):
        raise InputError(
            "22008", f"date field value out of range: {astronomical if year else 0}-{month:02d}-{day:02d}"
        )
    days = days_from_civil(astronomical, month, day)
    if not MIN_DATE <= days <= MAX_DATE:
        raise InputError("22008", f"date out of range: {year}-{month:02d}-{day:02d}")
    return days


def _no_interval(args: tuple[Scalar, ...]) -> ScalarType:
    raise Unsupported(
        f"the difference of {args[0].type} values is an interval, which is not supported",
        hint="Subtract EXTRACT(EPOCH FROM ...) of both instead.",
    )


def _never(args: Sequence[Datum], info: CallInfo) -> pa.Array:
    raise Unsupported("intervals are not supported")


_STAMPS = (TIMESTAMP, TIMESTAMPTZ)

OVERLOADS: dict[str, list[Overload]] = {
    "add": [
        Overload((DATE, INT4), DATE, _shifted(1), can_fail=True),
        Overload((INT4, DATE), DATE, _shifted(1, date_first=False), can_fail=True),
    ],
    "subtract": [
        Overload((DATE, INT4), DATE, _shifted(-1), can_fail=True),
        Overload((DATE, DATE), INT4, _days_between),
        *(Overload((stamp, stamp), _no_interval, _never) for stamp in _STAMPS),
    ],
    "date_trunc": [Overload((TEXT, stamp), stamp, _date_trunc, can_fail=True) for stamp in _STAMPS],
    "make_date": [Overload((INT4, INT4, INT4), DATE, rowwise(_make_date), can_fail=True)],
}

FUNCTIONS: tuple[Function, ...] = tuple(
    Function(
        name,
        (Overload(None, FLOAT8, _extract_constant),),
        resolver=_resolve_extract(name),
    )
    for name in ("extract", "date_part")
)
