"""What a small statement takes: through pgwire, and its planning alone.

```
client ── SELECT 1 | look-up by an index or a key | INSERT of one row ──> runtime      wall time at the client
text of TPC-H's fifth query ── parse, plan, optimize | plan cache ──> plan             time in this process
```

A look-up comes in three ways: as text with the key in it, as a statement with a parameter that is not prepared (parsed
by the server each time), and as a prepared statement.  Every answer is compared with what it must be.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from itertools import count as counter
from typing import Any, LiteralString

import psycopg
from ptvc.expr.tree.scalar import Literal
from ptvc.repr.schema import Column, Schema
from ptvc.repr.types import DATE, INT8, TEXT, Kind, ScalarType
from ptvc.sql.cache.plan_cache import Asked, PlanCache
from ptvc.sql.catalog.catalog_view import PlanContext
from ptvc.sql.plans.query_plans import Select
from rich.table import Table

from ..hydration import await_hydrated
from ..measure import Latencies, load
from ..report import ms, new_table, shows, three
from ..runtime import RuntimeFailed, served
from ..workloads import Tables

WARM_UP = 50

Q5 = """
SELECT n_name, sum(l_extendedprice * (1 - l_discount)) AS revenue
FROM customer, orders, lineitem, supplier, nation, region
WHERE c_custkey = o_custkey AND l_orderkey = o_orderkey AND l_suppkey = s_suppkey AND c_nationkey = s_nationkey
    AND s_nationkey = n_nationkey AND n_regionkey = r_regionkey
    AND r_name = {region} AND o_orderdate >= {start} AND o_orderdate < {end}
GROUP BY n_name
ORDER BY revenue DESC
"""
_PRICE = ScalarType(Kind.NUMERIC, 15, 2)
_Q5_TABLES: dict[str, dict[str, ScalarType]] = {
    "customer": {"c_custkey": INT8, "c_nationkey": INT8, "c_name": TEXT},
    "orders": {"o_orderkey": INT8, "o_custkey": INT8, "o_orderdate": DATE},
    "lineitem": {"l_orderkey": INT8, "l_suppkey": INT8, "l_extendedprice": _PRICE, "l_discount": _PRICE},
    "supplier": {"s_suppkey": INT8, "s_nationkey": INT8, "s_name": TEXT},
    "nation": {"n_nationkey": INT8, "n_name": TEXT, "n_regionkey": INT8},
    "region": {"r_regionkey": INT8, "r_name": TEXT},
}


@dataclass(frozen=True, slots=True)
class StatementResult:
    """`latencies`: sent to answered.  `cpu_ms_each`: CPU time of all processes of the runtime, of one statement."""

    statement: str
    latencies: Latencies
    cpu_ms_each: float
    load_1min: float


@dataclass(frozen=True, slots=True)
class PlanningResult:
    """From the text to a plan that can be run, values of parameters included."""

    statement: str
    latencies: Latencies
    load_1min: float


def run_statements(rows: int, count: int) -> list[StatementResult]:
    """One runtime, one client, `count` statements of each kind."""
    with served() as runtime:
        return measure_statements(runtime.connect, runtime.cpu_seconds, rows, count)


def measure_statements(
    connect: Callable[[], psycopg.Connection[tuple[Any, ...]]],
    cpu_seconds: Callable[[], float],
    rows: int,
    count: int,
) -> list[StatementResult]:
    with connect() as connection, connect() as preparing:
        connection.prepare_threshold = None
        preparing.prepare_threshold = 0
        _tables(connection, rows)
        keys = counter()

        def look_up(
            client: psycopg.Connection[tuple[Any, ...]],
            table: LiteralString = "points",
            *,
            text: bool = False,
        ) -> None:
            key = next(keys) * 7_919 % rows
            if text:
                found = client.execute(f"SELECT * FROM {table} WHERE id = {key}").fetchall()  # type: ignore[arg-type]
            else:
                found = client.execute(f"SELECT * FROM {table} WHERE id = %s", (key,)).fetchall()
            _expect(found, [(key, key % 100, f"name {key}")])

        def change(statement: LiteralString) -> None:
            """Of one row by its key; no row a second time."""
            key = (next(keys) + rows // 2) * 7_919 % rows
            changed = connection.execute(statement, {"key": key}).rowcount
            if changed != 1:
                raise RuntimeFailed(f"{statement} has changed {changed} rows")

        def constant(client: psycopg.Connection[tuple[Any, ...]]) -> None:
            _expect(client.execute("SELECT 1").fetchall(), [(1,)])

        def insert(client: psycopg.Connection[tuple[Any, ...]]) -> None:
            client.execute("INSERT INTO written VALUES (%s, %s, %s)", (next(keys), 7, "a name"))

        kinds: dict[str, Callable[[], None]] = {
            "constant SELECT": lambda: constant(connection),
            "constant SELECT, prepared": lambda: constant(preparing),
            "look-up, key in the text": lambda: look_up(connection, text=True),
            "look-up, parameter": lambda: look_up(connection),
            "look-up, prepared": lambda: look_up(preparing),
            "look-up by primary key, key in the text": lambda: look_up(connection, "keyed", text=True),
            "look-up by primary key, parameter": lambda: look_up(connection, "keyed"),
            "look-up by primary key, prepared": lambda: look_up(preparing, "keyed"),
            "INSERT of a row, parameters": lambda: insert(connection),
            "INSERT of a row, prepared": lambda: insert(preparing),
            "UPDATE by primary key": lambda: change("UPDATE keyed SET class = class + 1 WHERE id = %(key)s"),
            "DELETE by primary key": lambda: change("DELETE FROM keyed WHERE id = %(key)s"),
        }
        return [_measured(name, run, cpu_seconds, count) for name, run in kinds.items()]


def _tables(connection: psycopg.Connection[tuple[Any, ...]], rows: int) -> None:
    connection.execute("CREATE TABLE points (id bigint NOT NULL, class int, name text)")
    connection.execute("CREATE TABLE written (id bigint NOT NULL, class int, name text)")
    connection.execute("CREATE TABLE keyed (id bigint PRIMARY KEY, class int, name text)")
    with connection.cursor().copy("COPY points FROM STDIN") as copy:
        copy.write("".join(f"{i}\t{i % 100}\tname {i}\n" for i in range(rows)))
    connection.execute("INSERT INTO keyed SELECT * FROM points")
    connection.execute("CREATE INDEX points_by_id ON points (id)")
    await_hydrated(connection, "points_by_id")


def _expect(found: list[tuple[Any, ...]], wanted: list[tuple[Any, ...]]) -> None:
    if found != wanted:
        raise RuntimeFailed(f"the answer is {found}, not {wanted}")


def _measured(
    name: str, run: Callable[[], None], cpu_seconds: Callable[[], float], count: int
) -> StatementResult:
    for _ in range(min(WARM_UP, count)):
        run()
    cpu = cpu_seconds()
    latencies = _timed(run, count)
    return StatementResult(name, latencies, (cpu_seconds() - cpu) * 1e3 / count, load())


def run_planning(count: int) -> list[PlanningResult]:
    """TPC-H's fifth query, its region and dates once in the text and once as parameters."""
    context = _context()
    literal = Q5.format(region="'ASIA'", start="date '1994-01-01'", end="date '1996-01-01'")
    generic = Q5.format(region="$1", start="$2::date", end="$3::date")
    values = tuple(Literal(text, TEXT) for text in ("ASIA", "1994-01-01", "1996-01-01"))
    results = []
    for name, text, parameters in (("in the text", literal, ()), ("as parameters", generic, values)):
        kept = PlanCache()

        def cold(text: str = text, parameters: tuple[Literal, ...] = parameters) -> None:
            _plan(PlanCache(), text, context, parameters)

        def cached(
            cache: PlanCache = kept, text: str = text, parameters: tuple[Literal, ...] = parameters
        ) -> None:
            _plan(cache, text, context, parameters)

        for way, run in (("cold", cold), ("from the plan cache", cached)):
            run()
            latencies = _timed(run, count)
            results.append(PlanningResult(f"TPC-H Q5, values {name}, {way}", latencies, load()))
        if kept.hits < count:
            raise RuntimeFailed("a plan that should have been in the cache was not")
    return results


def _plan(cache: PlanCache, text: str, context: PlanContext, parameters: tuple[Literal, ...]) -> None:
    (statement,) = cache.parse(text)
    types = tuple(parameter.type for parameter in parameters)
    planned = cache.plan(Asked(statement, context, 1, types, False), parameters)
    assert isinstance(planned, Select)


def _context() -> PlanContext:
    tables = {
        name: (f"u{number}", Schema(tuple(Column(column, type_, False) for column, type_ in columns.items())))
        for number, (name, columns) in enumerate(_Q5_TABLES.items(), 1)
    }
    return PlanContext(Tables(tables), ("public",), "ptvc", "ptvc", "quickstart", 0, "pg_temp_1", {})


def _timed(run: Callable[[], None], count: int) -> Latencies:
    seconds = []
    cpu = time.process_time()
    for _ in range(count):
        started = time.perf_counter()
        run()
        seconds.append(time.perf_counter() - started)
    return Latencies.of(seconds, time.process_time() - cpu)


@shows(StatementResult)
def _statements_table(results: list[StatementResult]) -> Table:
    table = new_table(
        "Small statements, through pgwire (milliseconds)",
        *("statement", "median", "p99", "max", "CPU each", "load"),
    )
    for r in results:
        table.add_row(r.statement, *three(r.latencies), ms(r.cpu_ms_each), f"{r.load_1min:.1f}")
    return table


@shows(PlanningResult)
def _planning_table(results: list[PlanningResult]) -> Table:
    table = new_table("Planning (milliseconds)", "statement", "median", "p99", "max", "CPU", "load")
    for r in results:
        table.add_row(r.statement, *three(r.latencies), ms(r.latencies.cpu_ms), f"{r.load_1min:.1f}")
    return table
