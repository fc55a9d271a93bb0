"""Fixtures that every layer's tests share."""

from __future__ import annotations

import gc
import os
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import psycopg
import pytest

sys.path.insert(0, str(Path(__file__).parent))
os.environ["PTVC_CHECK_PLANS"] = "1"  # relations are type-checked between rules, in every process

import oracle as oracle_server
from ptvc.plan_depth import allow_deep_plans
from servers.kafka.broker import KafkaBroker, running_kafka
from servers.maven_jars import Missing
from servers.s3_server import S3Server, running_s3

allow_deep_plans()  # as in every process that plans
pytest_plugins = (
    "plugins.rotation",
    "plugins.durations",
    "plugins.missing_parts",
    "plugins.failures",
    "plugins.shuffle",
)


def pytest_collection_finish() -> None:
    """What is known of all tests is no garbage: to look through it takes 0.4 s, which would hold a runtime in this process."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session")
def oracle_uri() -> Iterator[str]:
    """The URI of an embedded PostgreSQL, started once per session and only if a test asks for it."""
    with oracle_server.running_postgres() as uri:
        yield uri


@pytest.fixture
def oracle(oracle_uri: str) -> Iterator[psycopg.Connection]:
    """A connection to the embedded PostgreSQL, in autocommit; temporary objects vanish with it, and so do new ones in `public`."""
    with psycopg.connect(oracle_uri, autocommit=True) as connection:
        before = relations_of(connection)
        yield connection
    with psycopg.connect(oracle_uri, autocommit=True) as connection:
        for oid in relations_of(connection) - before:
            drop_relation(connection, oid)


@pytest.fixture
def empty_database(oracle_uri: str) -> Iterator[str]:
    """A database of the test's own in the embedded PostgreSQL, for what looks into catalogs."""
    with oracle_server.own_database(oracle_uri, "of_a_test") as uri:
        yield uri


def relations_of(connection: psycopg.Connection) -> set[int]:
    """The OIDs of the tables and views in `public`."""
    query = (
        "SELECT oid FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'v', 'm')"
    )
    return {oid for (oid,) in connection.execute(query)}


def drop_relation(connection: psycopg.Connection, oid: int) -> None:
    """Nothing, if it went with another one."""
    row = connection.execute(
        "SELECT relkind, oid::regclass::text FROM pg_class WHERE oid = %s", [oid]
    ).fetchone()
    if row is not None:
        kind = {"r": "TABLE", "v": "VIEW", "m": "MATERIALIZED VIEW"}[row[0]]
        connection.execute(f"DROP {kind} {row[1]} CASCADE")


@pytest.fixture(scope="session")
def s3() -> Iterator[S3Server]:
    """An S3 of the tests' own, with credentials in the environment; started once, if a test asks for it."""
    with running_s3() as server:
        yield server


@pytest.fixture(scope="session")
def kafka() -> Iterator[KafkaBroker]:
    """An Apache Kafka broker of this process's own, started once, if a test asks for it."""
    with ExitStack() as stack:
        try:
            broker = stack.enter_context(running_kafka())
        except Missing as missing:
            pytest.skip(str(missing))
        yield broker


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """The verdicts of the differential suite, and of scripts by each way of answering.  They come as properties of reports: with
    several workers the tests have run in other processes, and those do not load the folder's own conftest here."""
    counts: dict[str, Counter[str]] = {}
    for reports in terminalreporter.stats.values():
        for report in reports:
            if getattr(report, "when", None) == "teardown":
                for name, value in report.user_properties:
                    if name == "verdicts":
                        counts.setdefault(value["family"], Counter()).update(value["counts"])
    if not counts:
        return
    terminalreporter.section("statements against PostgreSQL")
    for name, found in [*sorted(counts.items()), ("all", sum(counts.values(), Counter()))]:
        shown = ", ".join(f"{number} {verdict}" for verdict, number in found.most_common())
        terminalreporter.line(f"{name}: {found.total()} ({shown})")
