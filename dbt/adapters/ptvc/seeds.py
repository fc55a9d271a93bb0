"""A seed's rows: into a table through COPY, and compared with what a table holds.

A comparison is by value, column by column, as multisets: order does not count.  When a type of column is not known
here its values count as different, which costs a reload and nothing else.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, date, datetime, tzinfo
from decimal import Decimal, InvalidOperation
from typing import Any

Rows = Sequence[tuple[Any, ...]]

_BOOLEANS = {"t": True, "true": True, "f": False, "false": False}


def copy_value(value: Any) -> Any:
    """A value as COPY's text takes it for any type of column: no exponents, and instants in UTC."""
    if isinstance(value, Decimal):
        return format(value, "f")
    if isinstance(value, datetime) and value.tzinfo is not None:
        return value.astimezone(UTC)
    return value


def same_rows(stored: Rows, columns: Sequence[Iterable[Any]], timezone: tzinfo | None) -> bool:
    """Whether a table's rows are those of the seed, whose `columns` hold values or their texts.

    `timezone` is the session's: an instant that does not name its own is read in it.
    """
    wanted = []
    for index, values in enumerate(columns):
        example = next((row[index] for row in stored if row[index] is not None), None)
        convert = _converter(example, timezone)
        try:
            wanted.append([None if value is None else convert(value) for value in values])
        except (ValueError, KeyError, InvalidOperation):
            return False  # not a value of the column's type: COPY will say so
    return Counter(stored) == Counter(zip(*wanted, strict=True))


def _converter(example: Any, timezone: tzinfo | None) -> Callable[[Any], Any]:
    """How a seed's value becomes one like `example`, which the server returned for the column."""
    kind = type(example)
    if kind is bool:
        return lambda value: value if isinstance(value, bool) else _BOOLEANS[str(value).lower()]
    if kind in (int, float, Decimal, str):
        return lambda value: kind(copy_value(value))
    if kind is datetime:
        zone = timezone if example.tzinfo is not None else None
        return lambda value: _instant(value, zone)
    if kind is date:
        return lambda value: value if isinstance(value, date) else date.fromisoformat(value)
    return lambda value: value


def _instant(value: datetime | str, timezone: tzinfo | None) -> datetime:
    if isinstance(value, str):
        value = datetime.fromisoformat(value)
    return value if timezone is None or value.tzinfo is not None else value.replace(tzinfo=timezone)
