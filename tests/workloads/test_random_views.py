"""Random views, maintained under random transactions, equal PostgreSQL's answer after each of them.

Every query is there twice: as a materialized view, and as a plain view with an index.  For every other seed the
tables have indexes, which these share.  And it is asked by itself, in the way (`ways`) that the seed chooses.
"""

from __future__ import annotations

import os
import signal
from collections import Counter
from contextlib import suppress
from dataclasses import replace
from random import Random
from typing import Any

import psycopg
import pytest
from inprocess import FAST, InProcess
from ptvc.compute.partitioned import stored
from ptvc.config import Settings
from ptvc.replica import installed
from ptvc.replica.protocol import RunJob
from ptvc.replica.workers import team
from ways import WAYS, Variant, running_in

from .maintained import Row, rows_of
from .random_sql import INDEXES, SCHEMA, Queries, Query, changes

AT_ONCE = 10
"""Views that are maintained together."""

TIMEOUT_MS = 10_000
MOST_ROWS = 3_000
"""A query with more rows at the start is drawn again: a join of joins may be large without telling more."""


def test_queries_are_drawn_from_every_operator() -> None:
    random = Random(0)
    seen = Counter(name for _ in range(300) for name in Queries(random).query(random.randint(1, 6)).names)
    assert len(seen) == 19, seen


@pytest.mark.slow(ordinary=1)
@pytest.mark.parametrize("seed", range(3))
def test_views_equal_postgres(oracle: psycopg.Connection, seed: int) -> None:
    check(oracle, seed, views=AT_ONCE, batches=5)


@pytest.mark.slow(slices=30)
@pytest.mark.timeout(600)
@pytest.mark.parametrize("seed", range(100, 130))
def test_more_views_equal_postgres(oracle: psycopg.Connection, seed: int) -> None:
    check(oracle, seed, views=AT_ONCE, batches=20)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(200, 209))
def test_views_whose_every_step_is_a_job_equal_postgres(oracle: psycopg.Connection, seed: int) -> None:
    jobs = check(
        oracle, seed, views=5, batches=5, settings=replace(FAST, step_job_min_rows=0, job_partitions=2)
    )
    assert any(job.step is not None for job in jobs)


@pytest.mark.slow(ordinary=1)
@pytest.mark.parametrize(("seed", "workers"), [(300, 2), (301, 3), (302, 7)])
def test_views_of_several_workers_equal_postgres(
    oracle: psycopg.Connection, seed: int, workers: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    divide_few_rows(monkeypatch, seed)
    check(oracle, seed, views=AT_ONCE, batches=5, workers=workers)


@pytest.mark.slow(slices=10)
@pytest.mark.timeout(900)
@pytest.mark.parametrize(("seed", "workers"), [(310 + i, (2, 3, 7)[i % 3]) for i in range(10)])
def test_views_whose_workers_are_killed_equal_postgres(
    oracle: psycopg.Connection, seed: int, workers: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    divide_few_rows(monkeypatch, seed)
    check(oracle, seed, views=AT_ONCE, batches=10, workers=workers, kills=True)


@pytest.mark.slow(ordinary=1)
@pytest.mark.parametrize("seed", [330, 331, 332])
def test_views_whose_workers_become_more_or_fewer_equal_postgres(
    oracle: psycopg.Connection, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    divide_few_rows(monkeypatch, seed)
    check(oracle, seed, views=AT_ONCE, batches=6, workers=2, rescales=True)


def divide_few_rows(monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    """By half of the seeds workers read shares of few rows, and write them, as they do of many."""
    if seed // 2 % 2:
        monkeypatch.setattr(installed, "READ_APART_ROWS", 3)
        monkeypatch.setattr(installed, "FEW_WRITTEN_ROWS", 1)
        monkeypatch.setattr(team, "GATHER_ROWS", 3)
        monkeypatch.setattr(stored, "LEAST_CUT_ROWS", 1)


def check(
    oracle: psycopg.Connection,
    seed: int,
    views: int,
    batches: int,
    settings: Settings = FAST,
    workers: int = 1,
    kills: bool = False,
    rescales: bool = False,
) -> list[RunJob]:
    """Returns the jobs that there were.  With several `workers` the views are in a cluster of these, one of which is killed beside every
    other batch if `kills`; there are others beside every batch if `rescales`."""
    random = Random(seed)
    way = WAYS[seed % len(WAYS)]
    with running_in(way, settings) as variant, variant.runtime.connect() as connection:
        if workers > 1:
            connection.execute(f"CREATE CLUSTER divided (WORKERS {workers})".encode())
            connection.execute("SET cluster = divided")
        oracle.execute("SET search_path = pg_temp")
        oracle.execute(f"SET statement_timeout = {TIMEOUT_MS}")  # type: ignore[arg-type]
        transaction = [*SCHEMA, *changes(random, 12), *changes(random, 12)]
        for database in (connection, oracle):
            for statement in transaction:
                database.execute(statement)  # type: ignore[arg-type]
        for statement in INDEXES if seed % 2 else ():
            connection.execute(statement)  # type: ignore[arg-type]
        queries = []
        while len(queries) < views:
            query = Queries(random).query(random.randint(1, 6))
            if _small(oracle, query):
                _create(connection, len(queries), query)
                queries.append(query)
        variant.changed()
        _compare(variant, connection, oracle, queries, f"seed {seed}, at the start")
        for batch in range(batches):
            transaction = changes(random, 4)
            if kills and batch % 2:
                _kill(variant.runtime, random)
            if rescales:
                workers = random.choice([other for other in (1, 2, 3, 7) if other != workers])
                connection.execute(f"ALTER CLUSTER divided SET (WORKERS {workers})".encode())
            for database in (connection, oracle):
                with database.transaction():
                    for statement in transaction:
                        database.execute(statement)  # type: ignore[arg-type]
            variant.changed()
            _compare(variant, connection, oracle, queries, f"seed {seed}, after batch {batch}")
        return variant.runtime.driver.jobs


def _kill(runtime: InProcess, random: Random) -> None:
    """Kills a worker of the cluster, unless its replica is just starting anew."""
    (replica,) = runtime.coordinator.controller.clusters.of("divided")
    if members := runtime.driver.members.get(replica.id):
        with suppress(ProcessLookupError):
            os.kill(random.choice(members), signal.SIGKILL)


def _small(oracle: psycopg.Connection, query: Query) -> bool:
    try:
        return len(oracle.execute(query.text).fetchall()) <= MOST_ROWS  # type: ignore[arg-type]
    except psycopg.errors.QueryCanceled:
        return False


def _create(connection: psycopg.Connection[Any], number: int, query: Query) -> None:
    try:
        connection.execute(f"CREATE MATERIALIZED VIEW m{number} AS {query.text}")  # type: ignore[arg-type]
        connection.execute(f"CREATE VIEW v{number} AS {query.text}")  # type: ignore[arg-type]
        connection.execute(f"CREATE INDEX i{number} ON v{number} (c0)")  # type: ignore[arg-type]
    except psycopg.Error as error:
        raise AssertionError(f"refused: {error}\n{query.text}") from error


def _compare(
    variant: Variant,
    connection: psycopg.Connection[Any],
    oracle: psycopg.Connection,
    queries: list[Query],
    when: str,
) -> None:
    for number, query in enumerate(queries):
        expected = rows_of(oracle, query.text)
        for name in (f"m{number}", f"v{number}"):
            _equal(rows_of(connection, f"SELECT * FROM {name}"), expected, f"{when}: {name}", query)
        for how in variant.asked(connection, query.text):
            found = rows_of(connection, query.text)
            _equal(found, expected, f"{when}: the query, {variant.way.name}, {how},", query)


def _equal(found: Counter[Row], expected: Counter[Row], what: str, query: Query) -> None:
    assert found == expected, (
        f"{what} has {list((found - expected).items())[:5]} too many and lacks "
        f"{list((expected - found).items())[:5]}\n{query.text}"
    )
