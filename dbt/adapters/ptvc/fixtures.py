"""Rows of a unit test's input that come and go: those with `mz_diff`, the column of SUBSCRIBE.

A fixture is what its rows add up to: one with a diff of 2 is there twice, one with -1 takes back an equal one that was
given before.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from dbt_common.exceptions import CompilationError

DIFF = "mz_diff"


def has_diffs(rows: Sequence[Mapping[str, Any]]) -> bool:
    return any(name.lower() == DIFF for row in rows for name in row)


def rows_left(rows: Sequence[Mapping[str, Any]], name: str) -> list[dict[str, Any]]:
    """What is left of the rows of input `name`, without their diffs, in the order of their first occurrence.

    Rows are equal when their values are written alike; a column that is left out is NULL.  CompilationError for a
    diff that is no whole number, and for a row that is taken back more often than it was given.
    """
    left: dict[frozenset[tuple[str, str]], tuple[dict[str, Any], int]] = {}
    for row in rows:
        values = {column: value for column, value in row.items() if column.lower() != DIFF}
        key = frozenset(
            (column.lower(), repr(value)) for column, value in values.items() if value is not None
        )
        first, count = left.get(key, (values, 0))
        count += _diff(row, name)
        if count < 0:
            raise CompilationError(
                f"The unit test's input {name} takes back a row that is not there: {values}. "
                f"A row with {DIFF} -1 must be written as the one before it that it takes back."
            )
        left[key] = first, count
    return [dict(values) for values, count in left.values() for _ in range(count)]


def _diff(row: Mapping[str, Any], name: str) -> int:
    given = next((value for column, value in row.items() if column.lower() == DIFF), None)
    if given is None or given == "":
        return 1
    try:
        return int(str(given))
    except ValueError:
        raise CompilationError(
            f"{DIFF} of a row of the unit test's input {name} is {given!r}: it takes a whole number, "
            "how often the row is added, or with a minus, taken back."
        ) from None
