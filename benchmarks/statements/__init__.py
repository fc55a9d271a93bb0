"""Statements of a few rows, through pgwire: one kind after the other, and pgbench's transactions.

`small` measures one client's SELECTs, look-ups and INSERTs, and planning alone; `pgbench` runs PostgreSQL's own benchmark.
"""

from .pgbench import PgbenchResult, run_pgbench
from .small import PlanningResult, StatementResult, measure_statements, run_planning, run_statements

__all__ = [
    "PgbenchResult",
    "PlanningResult",
    "StatementResult",
    "measure_statements",
    "run_pgbench",
    "run_planning",
    "run_statements",
]
