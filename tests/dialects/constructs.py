"""Constructs of other warehouses, and the rows that they are tried on."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent / "constructs"

_ROWS = (
    ("7", "NULL", "2.5", "12.35", "'Hello World'", "NULL", "2024-01-31", "2023-12-31", "2024-02-29 13:45:56.789", "true"),
    ("-7", "3", "-2.5", "-0.05", "'a,b,c'", "'x'", "2024-02-29", "2024-01-07", "2023-12-31 23:59:59", "false"),
    ("0", "3", "0.5", "0.25", "''", "''", "2021-01-03", "2020-12-28", "2021-01-03 00:00:00", "NULL"),
    ("8", "2", "1.5", "99.95", "'cafe o'", "'b'", "1999-12-31", "2000-01-01", "2016-02-29 06:00:01.5", "true"),
    ("NULL", "NULL", "NULL", "NULL", "NULL", "NULL", None, None, None, "NULL"),
)  # fmt: skip


def rows(dialect: str) -> str:
    """The relation `t` of five rows, numbered by `k`, as a CTE of the dialect."""
    types = {
        "duckdb": ("integer", "double", "decimal(10, 2)", "varchar", "timestamp", "boolean"),
        "databricks": ("int", "double", "decimal(10, 2)", "string", "timestamp_ntz", "boolean"),
        "snowflake": ("int", "float", "number(10, 2)", "varchar", "timestamp_ntz", "boolean"),
        "bigquery": ("int64", "float64", "numeric(10, 2)", "string", "datetime", "bool"),
        "redshift": ("integer", "float8", "decimal(10, 2)", "varchar", "timestamp", "boolean"),
    }
    int_, float_, decimal, text, stamp, bool_ = types[dialect]
    selects = []
    for k, (i, n, f, x, s, z, d, e, ts, b) in enumerate(_ROWS):
        columns = {
            "i": (i, int_),
            "n": (n, int_),
            "f": (f, float_),
            "x": (x if x == "NULL" else f"'{x}'", decimal),
            "s": (s, text),
            "z": (z, text),
            "d": ("NULL" if d is None else f"'{d}'", "date"),
            "e": ("NULL" if e is None else f"'{e}'", "date"),
            "ts": ("NULL" if ts is None else f"'{ts}'", stamp),
            "b": (b, bool_),
        }
        items = ", ".join(f"cast({value} as {type_}) as {name}" for name, (value, type_) in columns.items())
        selects.append(f"select {k} as k, {items}")
    return "with t as (\n" + "\nunion all ".join(selects) + "\n)\n"


def constructs(dialect: str) -> list[str]:
    lines = (FOLDER / f"{dialect}.txt").read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line and not line.startswith("#")]


def queries(dialect: str) -> list[str]:
    """Whole queries over `t`, in order of their rows."""
    return constructs(f"queries-{dialect}")


def documented(dialect: str) -> list[tuple[str, Any, str]]:
    """Constructs, the values that the documentation says they have, and the page of it: `construct => JSON  # page`."""
    found = []
    for line in constructs(dialect):
        construct, _, rest = line.partition(" => ")
        value, _, page = rest.partition("  # ")
        found.append((construct, json.loads(value), page))
    return found
