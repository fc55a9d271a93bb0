"""Benchmark queries as materialized views: each must go on equalling PostgreSQL's answer while its tables change.

A workload is CREATE TABLE statements, and queries by name.  The same statements
go to the runtime and to PostgreSQL, every batch of changes in one transaction.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from typing import Any

import psycopg

SIGNIFICANT = 12
"""Digits by which numerics and floats are compared: an average has more in the runtime than in PostgreSQL."""

Row = tuple[Any, ...]


class MaintainedQueries:
    """The queries, maintained in `runtime` and computed afresh in `oracle`."""

    def __init__(
        self,
        schema: str,
        queries: Mapping[str, str],
        runtime: psycopg.Connection,
        oracle: psycopg.Connection,
    ) -> None:
        self._both = (runtime, oracle)
        self._runtime = runtime
        self._oracle = oracle
        self.queries = queries
        oracle.execute("SET search_path = pg_temp")  # the tables vanish with the connection
        for connection in self._both:
            for statement in filter(str.strip, schema.split(";")):
                connection.execute(statement)  # type: ignore[arg-type]

    def load(self, tables: Mapping[str, Sequence[Row]]) -> None:
        for connection in self._both:
            with connection.transaction():
                for table, rows in tables.items():
                    _copy(connection, table, rows)

    def create_views(self, options: str = "") -> None:
        for name, query in self.queries.items():
            self._runtime.execute(f"CREATE MATERIALIZED VIEW {name} {options} AS {query}")  # type: ignore[arg-type]

    def change(self, changes: Iterable[tuple[str, Sequence[Row], Sequence[str]]]) -> None:
        """One transaction: per table the statements, then the rows to insert."""
        changes = list(changes)
        for connection in self._both:
            with connection.transaction():
                for table, rows, statements in changes:
                    for statement in statements:
                        connection.execute(statement)  # type: ignore[arg-type]
                    _copy(connection, table, rows)

    def check(self) -> dict[str, int]:
        """Compares every view with PostgreSQL's answer; returns the number of rows of each."""
        sizes = {}
        for name, query in self.queries.items():
            found = rows_of(self._runtime, f"SELECT * FROM {name}")
            expected = rows_of(self._oracle, query)
            assert found == expected, f"{name}: only here {found - expected}, only there {expected - found}"
            sizes[name] = found.total()
        return sizes


def _copy(connection: psycopg.Connection, table: str, rows: Sequence[Row]) -> None:
    if rows:
        with connection.cursor() as cursor, cursor.copy(f"COPY {table} FROM STDIN") as copy:  # type: ignore[arg-type]
            for row in rows:
                copy.write_row(row)


def rows_of(connection: psycopg.Connection[Any], query: str) -> Counter[Row]:
    return Counter(tuple(map(_value, row)) for row in connection.execute(query).fetchall())  # type: ignore[arg-type]


def _value(value: Any) -> Any:
    if isinstance(value, Decimal | float):
        return Decimal(f"{value:.{SIGNIFICANT - 1}e}").normalize() + 0
    return value
