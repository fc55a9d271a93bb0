"""How long a change of a table upstream takes until the table here has it."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import psycopg

from ..measure import load
from ..runtime import ServedRuntime, await_true
from .results import ReplicationResult

Row = tuple[Any, ...]
OF_TABLE = "SELECT count(*), sum(k), sum(price) FROM t"
"""What is equal when both are."""
TIMEOUT_S = 600.0
POLL_S = 0.02


def timed(
    runtime: ServedRuntime,
    db: psycopg.Connection[Row],
    wanted: Callable[[], Row | None],
    what: str,
    rows: int,
    begin: Callable[[], None] = lambda: None,
) -> ReplicationResult:
    """From now, or what `begin` does, until `OF_TABLE` says here what it says upstream (`wanted`)."""
    began, cpu = time.perf_counter(), runtime.cpu_seconds()
    begin()
    there = wanted()
    query = OF_TABLE.encode()
    await_true(lambda: db.execute(query).fetchone() == there, f"{what} are here", TIMEOUT_S, POLL_S)
    return ReplicationResult(what, rows, time.perf_counter() - began, runtime.cpu_seconds() - cpu, load())
