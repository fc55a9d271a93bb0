"""Statements over rows that they list themselves, as statements over tables of these rows: so they are not over constants.

`SELECT max(x0) FROM (VALUES (1, 2), (2, 3)) AS s (k, x0)` becomes `SELECT max(x0) FROM values_7 AS s`.
"""

from __future__ import annotations

import re
from functools import cache

from .suite import CASES, statements

_LISTED = re.compile(r"\(VALUES [^;]*?\) AS s \([a-z0-9, ]*\)")


@cache
def stored_values() -> dict[str, str]:
    """By how they are listed in cases/generated/aggregates.sql: what makes a table of the rows."""
    text = (CASES / "generated" / "aggregates.sql").read_text()
    listed = dict.fromkeys(found for sql in statements(text) for found in _LISTED.findall(sql))
    listed = {rows: None for rows in listed if "::timetz" not in rows}  # no type of ours
    return {rows: f"CREATE TABLE {_table(i)} AS SELECT * FROM {rows}" for i, rows in enumerate(listed)}


def over_stored_values(sql: str) -> str:
    """The statement over a table, if it lists such rows."""
    for number, rows in enumerate(stored_values()):
        sql = sql.replace(rows, f"{_table(number)} AS s")
    return sql


def _table(number: int) -> str:
    return f"values_{number}"
