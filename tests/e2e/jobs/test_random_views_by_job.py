"""Random views whose hydrations, and queries, are all Spark jobs: equal to PostgreSQL after every batch of changes.

What a job computed is compared in three ways: the view as the job has filled it; the same view after each batch, as the
replica, or another job, steps it from the state that the one before has left; and the view's query as a job of its own.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from decimal import Decimal
from random import Random
from typing import Any

import psycopg
import pytest
from compute.random_views import TABLES, Views, random_row
from compute.view_sql import NotInSql, relation_sql, sql_type
from ptvc.repr.schema import Schema

from ..conftest import running
from ..runtime_process import Runtime

Row = tuple[Any, ...]
ROWS = 40


@pytest.fixture(scope="module")
def runtime() -> Iterator[Runtime]:
    with running() as runtime:
        runtime.run("CREATE CLUSTER jobs (JOB MIN ROWS 0)")
        yield runtime


def random_queries(random: Random, oracle: psycopg.Connection[Any], count: int) -> list[str]:
    """Queries that can be said, and that PostgreSQL can plan."""
    queries: list[str] = []
    while len(queries) < count:
        try:
            query = relation_sql(Views(random).relation(random.choice((2, 3, 3, 4))))
            oracle.execute(f"EXPLAIN {query}".encode())
        except (NotInSql, psycopg.errors.FeatureNotSupported):
            continue
        queries.append(query)
    return queries


def insert(table: str, rows: list[Row]) -> tuple[bytes, list[Any]]:
    places = ", ".join("(" + ", ".join(["%s"] * len(row)) + ")" for row in rows)
    return f"INSERT INTO {table} VALUES {places}".encode(), [value for row in rows for value in row]


def table_sql(name: str, schema: Schema) -> str:
    columns = ", ".join(f"c{i} {sql_type(column.type)}" for i, column in enumerate(schema))
    return f"CREATE TABLE {name} ({columns})"


def changes(random: Random) -> list[tuple[bytes, list[Any]]]:
    """One batch: inserts, deletes by value, and an update of each table."""
    statements: list[tuple[bytes, list[Any]]] = []
    for name, schema in TABLES.items():
        statements.append(insert(name, [random_row(random, schema) for _ in range(random.randint(1, 6))]))
        number = random.choice((0, 1, 2, 3, -7))
        statements.append((f"DELETE FROM {name} WHERE c0 = %s".encode(), [number]))
        statements.append(
            (
                f"UPDATE {name} SET c0 = %s WHERE c0 = %s".encode(),
                [random.randrange(4), random.choice((1, 2, 3))],
            )
        )
    return statements


def counted(rows: list[Row]) -> Counter[Row]:
    return Counter(
        tuple(value.normalize() if isinstance(value, Decimal) and value else value for value in row)
        for row in rows
    )


def check_random_views(
    runtime: Runtime, oracle: psycopg.Connection[Any], seed: int, views: int, batches: int
) -> None:
    random = Random(seed)
    schema = f"random_{seed}"
    with runtime.connect() as connection:
        for each in (connection, oracle):
            each.execute(f"CREATE SCHEMA {schema}".encode())
            each.execute(f"SET search_path = {schema}".encode())
            for name, columns in TABLES.items():
                each.execute(table_sql(name, columns).encode())
        # SET holds for this connection; the view is put into the cluster of jobs.
        connection.execute("SET cluster = jobs")
        connection.execute(
            "ALTER CLUSTER jobs SET (JOB MIN ROWS 0)"
        )  # another test may have left it otherwise
        history = [insert(name, [random_row(random, s) for _ in range(ROWS)]) for name, s in TABLES.items()]
        history += changes(random)
        for each in (connection, oracle):
            for statement, values in history:
                each.execute(statement, values)
        queries = random_queries(random, oracle, views)
        for i, query in enumerate(queries):
            connection.execute(f"CREATE MATERIALIZED VIEW v{i} IN CLUSTER jobs AS {query}".encode())
        for batch in range(batches + 1):
            for i, query in enumerate(queries):
                expected = counted(oracle.execute(query.encode()).fetchall())
                view = connection.execute(f"SELECT * FROM v{i}".encode()).fetchall()
                assert counted(view) == expected, f"view, batch {batch}: {query}"
                answer = connection.execute(query.encode()).fetchall()
                assert counted(answer) == expected, f"query, batch {batch}: {query}"
            statements = changes(random)
            by_job = batch % 2 == 0
            connection.execute(f"ALTER CLUSTER jobs SET (JOB MIN ROWS {0 if by_job else 10**6})".encode())
            for each in (connection, oracle):
                with each.transaction():
                    for statement, values in statements:
                        each.execute(statement, values)
        stepped = connection.execute(
            "SELECT count(*) FROM mz_internal.mz_spark_jobs WHERE kind = 'step' AND status = 'finished'"
        ).fetchone()
        assert stepped is not None
        assert stepped[0] > 0
        hydrated = connection.execute(
            "SELECT count(*), count(h.spark_job_id) FROM mz_internal.mz_hydration_statuses h"
            " JOIN mz_catalog.mz_objects o ON o.id = h.object_id"
            f" JOIN mz_catalog.mz_schemas s ON s.id = o.schema_id WHERE s.name = '{schema}'".encode()
        ).fetchone()
        assert hydrated == (views, views), "every view was hydrated by a job"


@pytest.mark.slow
def test_some_random_views(runtime: Runtime, oracle: psycopg.Connection[Any]) -> None:
    check_random_views(runtime, oracle, seed=1, views=3, batches=1)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(10, 14))
def test_random_views(runtime: Runtime, oracle: psycopg.Connection[Any], seed: int) -> None:
    check_random_views(runtime, oracle, seed, views=10, batches=5)
