"""DuckDB as an alternative: the view is computed anew after every change.  Used where `duckdb` is installed."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from typing import Any

import pyarrow as pa
from ptvc.repr.batch import Batch

from .workloads import Rows, Workload, rows_of


class DuckView:
    """The tables of a workload in DuckDB's memory, and its view as a query."""

    def __init__(self, workload: Workload, tables: Mapping[str, pa.Table]) -> None:
        import duckdb

        self._workload = workload
        self._connection: Any = duckdb.connect(":memory:")
        for name, table in tables.items():
            self._connection.register("incoming", table)
            self._connection.execute(f"CREATE TABLE {name} AS SELECT * FROM incoming")
            self._connection.unregister("incoming")

    @classmethod
    def if_installed(cls, workload: Workload, tables: Mapping[str, pa.Table]) -> DuckView | None:
        return cls(workload, tables) if find_spec("duckdb") is not None else None

    def apply(self, changes: Sequence[Batch]) -> None:
        """Brings the tables up to date.  Deletions go by the row's id, which is never used twice."""
        names = self._workload.orders.names
        table_name, id_ = self._workload.changing, names[0]
        for change in changes:
            table = pa.table([*change.columns, pa.array(change.diffs)], names=[*names, "diff"])
            self._connection.register("incoming", table)
            self._connection.execute(
                f"DELETE FROM {table_name} WHERE {id_} IN (SELECT {id_} FROM incoming WHERE diff < 0)"
            )
            columns = ", ".join(names)
            self._connection.execute(
                f"INSERT INTO {table_name} SELECT {columns} FROM incoming WHERE diff > 0"
            )
            self._connection.unregister("incoming")

    def recompute(self) -> float:
        """Seconds to compute the view into Arrow."""
        started = time.perf_counter()
        self._connection.sql(self._workload.query).to_arrow_table()
        return time.perf_counter() - started

    def rows(self) -> Rows:
        return rows_of(self._connection.sql(self._workload.query).to_arrow_table().columns)
