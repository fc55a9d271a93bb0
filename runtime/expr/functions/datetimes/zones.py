"""AT TIME ZONE: between timestamps and the local time of a zone; date_trunc by the days of a zone."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from ....repr import intervals
from ....repr.types import INTERVAL, TEXT, TIMESTAMP, TIMESTAMPTZ, TSTZRANGE, array_of
from ...columns.arrays import numpy_values
from ...columns.row_errors import Evaluated, Mask, RowErrors, listed_errors, merge_errors, select_errors
from ...datetimes.civil import MICROS_PER_DAY, add, add_months
from ...datetimes.datetime_input import MAX_TIMESTAMP, MIN_TIMESTAMP, InputError
from ...datetimes.interval_output import interval_text
from ...datetimes.zones import Zone, find_zone
from ...text.text_format import from_text, to_text
from ...tree.function import CallInfo, Datum, Kernel, Overload
from .datetime import TRUNC_FIELDS, truncate_micros
from .extract import FIELD_ALIASES, ZONE_FIELDS
from .interval_arithmetic import moved_by
from .interval_results import Ints, all_valid, arrays, failures, signs, timestamp_result

_SECOND = 1_000_000
_SHORT = ("microseconds", "milliseconds", "second", "minute", "hour")
"""Units that are cut off without looking at the zone again."""


def _zones(names: pa.Array) -> tuple[list[tuple[Zone, Ints]], RowErrors | None]:
    """(each zone, the rows that name it), and the errors of rows whose zone there is none."""
    encoded = names.dictionary_encode()
    index = encoded.indices.fill_null(-1).to_numpy()
    found: list[tuple[Zone, Ints]] = []
    wrong: list[tuple[int, str, str]] = []
    for place, name in enumerate(encoded.dictionary.to_pylist()):
        rows = np.flatnonzero(index == place)
        try:
            found.append((find_zone(name), rows))
        except InputError as error:
            wrong += [(row, error.sqlstate, error.message) for row in rows.tolist()]
    return found, listed_errors(sorted(wrong))


def _shift(micros: Ints, names: pa.Array, to_local: bool) -> tuple[Ints, RowErrors | None]:
    found, errors = _zones(names)
    offsets = np.zeros(len(micros), np.int64)
    seconds = micros // _SECOND
    for zone, rows in found:
        offsets[rows] = zone.at_utc(seconds[rows]) if to_local else zone.at_local(seconds[rows])
    return micros + offsets * (_SECOND if to_local else -_SECOND), errors


def _named(to_local: bool) -> Kernel:
    def kernel(args: Sequence[Datum], info: CallInfo) -> Evaluated:
        names, stamps = arrays(args, info)
        ends = signs(stamps)
        micros, errors = _shift(np.where(ends == 0, numpy_values(stamps), 0), names, to_local)
        errors = select_errors(errors, ends == 0)
        none = np.zeros(info.length, np.bool_)
        return timestamp_result(micros, none, (names, stamps), info.result.arrow, ends, errors)

    return kernel


def _offset(to_local: bool) -> Kernel:
    """The zone is an interval east of UTC."""

    def kernel(args: Sequence[Datum], info: CallInfo) -> Evaluated:
        span, stamps = arrays(args, info)
        months, days, micros = intervals.parts(span)
        valid, ends, endless = all_valid((span, stamps)), signs(stamps), signs(span) != 0
        dated = ((months != 0) | (days != 0)) & ~endless & (ends == 0)
        rows = np.flatnonzero(dated if valid is None else dated & valid)
        texts = interval_text(span.take(pa.array(rows))).to_pylist() if len(rows) else []
        message = 'interval time zone "{}" must not include months or days'
        errors = merge_errors(
            [
                _infinite_zones(endless & (ends == 0), valid, signs(span)),
                listed_errors(
                    [
                        (row, "22023", message.format(text))
                        for row, text in zip(rows.tolist(), texts, strict=True)
                    ]
                ),
            ]
        )
        shift = np.sign(micros) * (np.abs(micros) // _SECOND) * _SECOND
        shift = np.where((ends != 0) | endless, 0, shift)
        moved = numpy_values(stamps) + (shift if to_local else -shift)
        none = np.zeros(info.length, np.bool_)
        return timestamp_result(moved, none, (span, stamps), info.result.arrow, ends, errors)

    return kernel


def _infinite_zones(wrong: Mask, valid: Mask | None, sides: Ints) -> RowErrors | None:
    rows = np.flatnonzero(wrong if valid is None else wrong & valid)
    message = 'interval time zone "{}infinity" must be finite'
    return listed_errors(
        [(row, "22023", message.format("-" if sides[row] < 0 else "")) for row in rows.tolist()]
    )


def _printed(args: Sequence[Datum], info: CallInfo) -> Evaluated:
    """The text of instants, or of arrays and ranges of them, in one zone."""
    names, stamps = arrays(args, info)
    name = names[0].as_py() if info.length else "UTC"
    return Evaluated(to_text(stamps, info.types[1], find_zone(name)))


def _read(args: Sequence[Datum], info: CallInfo) -> Evaluated:
    """The instants, or ranges of them, that texts say, in one zone where they name none."""
    names, texts = arrays(args, info)
    name = names[0].as_py() if info.length else "UTC"
    return from_text(texts, info.result, zone=find_zone(name))


def _truncate(args: Sequence[Datum], info: CallInfo) -> Evaluated:
    """date_trunc(unit, timestamptz, zone): a day and what is longer begin by the zone's clocks."""
    units, stamps, names = arrays(args, info)
    ends = signs(stamps)
    micros = np.where(ends == 0, numpy_values(stamps), 0)
    local, errors = _shift(micros, names, True)
    cut, kept = local.copy(), np.zeros(info.length, np.bool_)
    unit_errors: list[RowErrors | None] = []
    valid = all_valid((units, stamps, names))
    given = np.array(units.to_pylist(), dtype=object)
    for name in units.unique().drop_null().to_pylist():
        rows, lowered = given == name, name.lower()
        unit = FIELD_ALIASES.get(lowered, lowered)
        if unit in TRUNC_FIELDS:
            cut[rows] = truncate_micros(local[rows], unit)
            kept |= rows & (unit in _SHORT)
            continue
        what, state = ("not supported", "0A000") if unit in ZONE_FIELDS else ("not recognized", "22023")
        message = f'unit "{lowered}" {what} for type timestamp with time zone'
        unit_errors.append(failures(rows, valid, message, state))
    back, _ = _shift(cut, names, False)
    result = np.where(kept, cut - (local - micros), back)
    none = np.zeros(info.length, np.bool_)
    found = merge_errors([*unit_errors, errors])
    return timestamp_result(result, none, (units, stamps, names), info.result.arrow, ends, found)


def moved_in_zone(micros: Ints, span: pa.Array, names: pa.Array, sign: int) -> tuple[Ints, Mask]:
    """(finite instants moved by intervals, which left the range): months and days by the zone's clocks, then the time as
    it passes.  Infinite intervals move nothing."""
    months, days, time = (np.where(signs(span) == 0, part * sign, 0) for part in intervals.parts(span))
    wrong = np.zeros(len(micros), np.bool_)
    for count, by_months in ((months, True), (days, False)):
        if not count.any():
            continue
        local, _ = _shift(micros, names, True)
        day, rest = np.divmod(local, MICROS_PER_DAY)
        day = add_months(day, count) if by_months else day + count
        far = (day < MIN_TIMESTAMP // MICROS_PER_DAY) | (day > MAX_TIMESTAMP // MICROS_PER_DAY)
        wrong |= far & (count != 0)
        back, _ = _shift(np.where(far, 0, day) * MICROS_PER_DAY + rest, names, False)
        micros = np.where(count != 0, back, micros)
    moved, over = add(micros, time)
    return moved, wrong | over


def _added(sign: int) -> Kernel:
    """date_add and date_subtract in a zone."""

    def kernel(args: Sequence[Datum], info: CallInfo) -> Evaluated:
        stamps, span, names = arrays(args, info)
        ends, other = signs(stamps), signs(span) * sign
        _, errors = _zones(names)
        moved, wrong = moved_in_zone(np.where(ends == 0, numpy_values(stamps), 0), span, names, sign)
        total = np.sign(ends + other)
        wrong = (wrong & (total == 0)) | (ends * other < 0)
        arguments = (stamps, span, names)
        return timestamp_result(moved, wrong, arguments, info.result.arrow, total, errors)

    return kernel


OVERLOADS: dict[str, list[Overload]] = {
    "timezone": [
        Overload((TEXT, TIMESTAMP), TIMESTAMPTZ, _named(False), can_fail=True),
        Overload((TEXT, TIMESTAMPTZ), TIMESTAMP, _named(True), can_fail=True),
        Overload((INTERVAL, TIMESTAMP), TIMESTAMPTZ, _offset(False), can_fail=True),
        Overload((INTERVAL, TIMESTAMPTZ), TIMESTAMP, _offset(True), can_fail=True),
    ],
    "date_add": [
        Overload((TIMESTAMPTZ, INTERVAL), TIMESTAMPTZ, moved_by(1), can_fail=True),
        Overload((TIMESTAMPTZ, INTERVAL, TEXT), TIMESTAMPTZ, _added(1), can_fail=True),
    ],
    "date_subtract": [
        Overload((TIMESTAMPTZ, INTERVAL), TIMESTAMPTZ, moved_by(-1), can_fail=True),
        Overload((TIMESTAMPTZ, INTERVAL, TEXT), TIMESTAMPTZ, _added(-1), can_fail=True),
    ],
    "instant text": [
        Overload((TEXT, TIMESTAMPTZ), TEXT, _printed),
        Overload((TEXT, array_of(TIMESTAMPTZ)), TEXT, _printed),
        Overload((TEXT, TSTZRANGE), TEXT, _printed),
    ],
    "text instant": [Overload((TEXT, TEXT), TIMESTAMPTZ, _read, can_fail=True)],
    "date_trunc": [Overload((TEXT, TIMESTAMPTZ, TEXT), TIMESTAMPTZ, _truncate, can_fail=True)],
}
