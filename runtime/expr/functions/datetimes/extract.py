"""extract and date_part: the fields of dates, times, timestamps and intervals.  The time zone is UTC.

Calendar fields are those of the proleptic Gregorian calendar; there is no year 0 (1 BC is year -1).  Of an infinite value
the fields that go up and down are NULL, those that only grow are infinite: so is date_part, while extract, whose numeric has
no infinity here, refuses the row.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from ....errors import InvalidParameter, UndefinedFunction, Unsupported
from ....repr import intervals
from ....repr.buffers import validity
from ....repr.types import FLOAT8, TEXT, TIMESTAMP, Kind, ScalarType, derived_numeric
from ...coercion.literals import cast_to
from ...coercion.type_rules import base_name
from ...columns.arrays import array_of_numpy, both_valid, numpy_values
from ...columns.decimals import from_int64, from_ints
from ...columns.row_errors import Evaluated, same_error
from ...datetimes.datetime_input import MICROS_PER_DAY
from ...tree.function import CallInfo, Datum, Function, Overload, as_array
from ...tree.scalar import Call, Literal, Scalar
from .interval_results import signs

Ints = npt.NDArray[np.int64]

FIELD_ALIASES = {
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
TIME_SCALES = {"hour": 0, "minute": 0, "second": 6, "milliseconds": 3, "microseconds": 0}
ZONE_FIELDS = ("timezone", "timezone_hour", "timezone_minute")
_JULIAN = 2_440_588
"""The Julian day of 1970-01-01."""
_GROWING = frozenset(("year", "decade", "century", "millennium", "julian", "isoyear", "epoch"))
_GROWING_INTERVAL = frozenset(("hour", "day", "year", "decade", "century", "millennium", "epoch"))


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


DATE_FIELDS: dict[str, Callable[[pa.Array], Ints]] = {
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
    "julian": lambda days: numpy_values(days).astype(np.int64) + _JULIAN,
}


def _time_field(field: str, micros: Ints) -> Ints:
    """The field of a time, as an integer at its scale; of a negative one the negative."""
    size = np.abs(micros)
    if field == "hour":
        size = size // 3_600_000_000
    else:
        size = size // 60_000_000 % 60 if field == "minute" else size % 60_000_000
    value: Ints = np.sign(micros) * size
    return value


_MONTHS_IN = {"year": 12, "decade": 120, "century": 1200, "millennium": 12000}


def _interval_field(field: str, array: pa.Array) -> Ints:
    months, days, micros = intervals.parts(array)
    sign, count = np.sign(months), np.abs(months)
    value: Ints
    match field:
        case "day":
            value = days
        case "week":
            value = np.sign(days) * (np.abs(days) // 7)
        case "month":
            value = sign * (count % 12)
        case "quarter":
            # Of the least number of months PostgreSQL takes no negative, and says 1.
            back = (months < 0) & (months > -(1 << 31))
            value = np.where(months == -(1 << 31), 1, np.where(back, -1, 1) * (count % 12 // 3 + 1))
        case "year" | "decade" | "century" | "millennium":
            value = sign * (count // _MONTHS_IN[field])
        case _:
            value = _time_field(field, micros)
    return value


def _month_seconds(months: Ints) -> Ints:
    """A year counts 365.25 days, a month that is left 30."""
    years = np.sign(months) * (np.abs(months) // 12)
    seconds: Ints = years * 31_557_600 + (months - years * 12) * 2_592_000
    return seconds


def _split(array: pa.Array) -> tuple[pa.Array, Ints]:
    """Days since 1970 as a date array, and microseconds of the day."""
    days, micros = np.divmod(numpy_values(array).astype(np.int64), MICROS_PER_DAY)
    return array_of_numpy(days.astype(np.int32), None, pa.date32()), micros


def _field(array: pa.Array, type_: ScalarType, field: str) -> Ints:
    """The field's values as integers at the scale of `_scale`; rows that are NULL or infinite hold anything."""
    if type_.kind is Kind.INTERVAL:
        return _interval_field(field, array)
    if type_.kind is Kind.TIME:
        micros = numpy_values(array)
        return micros if field == "epoch" else _time_field(field, micros)
    if field in ZONE_FIELDS:
        return np.zeros(len(array), np.int64)
    if type_.kind is Kind.DATE:
        days = array_of_numpy(numpy_values(array), None, pa.date32())
        if field == "epoch":
            return numpy_values(array).astype(np.int64) * 86_400
        return DATE_FIELDS[field](days).astype(np.int64)
    if field == "epoch":
        return numpy_values(array).astype(np.int64)
    days, micros = _split(array)
    if field in TIME_SCALES:
        return _time_field(field, micros)
    return DATE_FIELDS[field](days).astype(np.int64)


def _scale(type_: ScalarType, field: str) -> int:
    """Digits after the point of EXTRACT(field FROM a value of the type)."""
    if field == "epoch":
        return 0 if type_.kind is Kind.DATE else 6
    return TIME_SCALES.get(field, 0)


def _float_field(array: pa.Array, type_: ScalarType, field: str) -> npt.NDArray[np.float64]:
    if type_.kind is Kind.INTERVAL and field == "epoch":
        months, days, micros = intervals.parts(array)
        years = np.sign(months) * (np.abs(months) // 12)
        result: npt.NDArray[np.float64] = micros / 1e6 + 31_557_600.0 * years
        result += 2_592_000.0 * (months - years * 12)
        result += 86_400.0 * days
        return result
    if field == "julian" and type_.kind is not Kind.DATE:
        days, micros = _split(array)
        julian: npt.NDArray[np.float64] = DATE_FIELDS[field](days) + micros / 1e6 / 86_400.0
        return julian
    exact: npt.NDArray[np.float64] = _field(array, type_, field) / np.float64(10 ** _scale(type_, field))
    return exact


def _extract(args: Sequence[Datum], info: CallInfo) -> Evaluated:
    """The field is a constant; when the value is one too, both arrive as arrays of one row."""
    name = args[0] if isinstance(args[0], pa.Scalar) else args[0][0]
    field, type_ = name.as_py(), info.types[1]
    array = as_array(args[1], info.length)
    valid, errors = validity(array), None
    endless = None if type_.kind is Kind.TIME else signs(array)
    if endless is None or not endless.any():
        endless = None
    growing = field in (_GROWING_INTERVAL if type_.kind is Kind.INTERVAL else _GROWING)
    if info.result == FLOAT8:
        values = _float_field(array, type_, field)
        if endless is not None:
            if growing:
                values = np.where(endless > 0, np.inf, np.where(endless < 0, -np.inf, values))
            else:
                valid = both_valid(valid, endless == 0)
        return Evaluated(array_of_numpy(values, valid, pa.float64()))
    if endless is not None:
        if growing:
            rows = np.flatnonzero(endless if valid is None else (endless != 0) & valid)
            errors = same_error(rows, "0A000", "numeric has no NaN and no infinity here")
        valid = both_valid(valid, endless == 0)
    if type_.kind is Kind.INTERVAL and field == "epoch":
        return Evaluated(_interval_epoch(array, valid, info.result), errors)
    return Evaluated(from_int64(_field(array, type_, field), valid, info.result), errors)


def _interval_epoch(array: pa.Array, valid: npt.NDArray[np.bool_] | None, result: ScalarType) -> pa.Array:
    """Exact: the seconds of months and days may not fit into 64 bits as microseconds."""
    months, days, micros = intervals.parts(array)
    seconds = _month_seconds(months) + days * 86_400
    if (np.abs(seconds) < 1 << 42).all() and (np.abs(micros) < 1 << 62).all():
        return from_int64(seconds * 1_000_000 + micros, valid, result)
    exact = seconds.astype(object) * 1_000_000 + micros.astype(object)
    return from_ints(exact, valid, result)[0]


def _resolve(name: str) -> Callable[[tuple[Scalar, ...], tuple[bool, ...]], Call]:
    def resolve(args: tuple[Scalar, ...], unknown: tuple[bool, ...]) -> Call:
        names = ", ".join("unknown" if u else base_name(a.type) for a, u in zip(args, unknown, strict=True))
        if len(args) != 2:
            raise UndefinedFunction(f"function {name}({names}) does not exist")
        subject = args[1]
        if unknown[1]:
            raise UndefinedFunction(f"function pg_catalog.{name}({names}) is not unique", sqlstate="42725")
        if subject.type.kind not in _SUBJECTS:
            raise UndefinedFunction(
                f"function pg_catalog.{name}({names}) does not exist",
                hint="No function matches the given name and argument types. You might need to add explicit type casts.",
            )
        if name == "date_part" and subject.type.kind is Kind.DATE:
            subject = cast_to(subject, TIMESTAMP)  # as PostgreSQL defines it
        field = _field_of(args[0], name)
        _check_field(field, subject.type, name)
        result = FLOAT8 if name == "date_part" else derived_numeric(_scale(subject.type, field))
        return Call(name, (Literal(field, TEXT), subject), result, _nullable(subject))

    return resolve


def _nullable(subject: Scalar) -> bool:
    """Fields of what is infinite may be NULL."""
    return subject.type.kind is not Kind.TIME or subject.nullable


_SUBJECTS = frozenset((Kind.DATE, Kind.TIMESTAMP, Kind.TIMESTAMPTZ, Kind.TIME, Kind.INTERVAL))


def _field_of(arg: Scalar, name: str) -> str:
    if not isinstance(arg, Literal) or arg.value is None:
        raise Unsupported(f"{name} with a field that is not a constant is not supported")
    field = str(arg.value).lower()
    return FIELD_ALIASES.get(field, field)


def _check_field(field: str, type_: ScalarType, name: str) -> None:
    zone = field in ZONE_FIELDS
    if not (field in DATE_FIELDS or field in TIME_SCALES or field == "epoch" or zone):
        raise InvalidParameter(f'unit "{field}" not recognized for type {ScalarType(type_.kind)}')
    if field == "julian" and name == "extract" and type_.kind in (Kind.TIMESTAMP, Kind.TIMESTAMPTZ):
        raise Unsupported(
            f'extract of the field "julian" from type {type_} is not supported', hint="Use date_part."
        )
    match type_.kind:
        case Kind.DATE:
            refused = field in TIME_SCALES or zone
        case Kind.TIMESTAMP:
            refused = zone
        case Kind.TIME:
            refused = field in DATE_FIELDS or zone
        case Kind.INTERVAL:
            refused = field in ("dow", "isodow", "doy", "isoyear", "julian") or zone
        case _:
            refused = False
    if refused:
        raise Unsupported(f'unit "{field}" not supported for type {ScalarType(type_.kind)}')


FUNCTIONS: tuple[Function, ...] = tuple(
    Function(name, (Overload(None, FLOAT8, _extract, can_fail=True),), resolver=_resolve(name))
    for name in ("extract", "date_part")
)
