"""What Debezium writes of a PostgreSQL is what sources with ENVELOPE DEBEZIUM hold: upstream's tables."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from contextlib import ExitStack
from random import Random
from typing import Any

import psycopg
import pytest
from inprocess import eventually, rows
from servers.debezium import debezium
from servers.kafka.broker import KafkaBroker
from servers.maven_jars import DEBEZIUM, Missing
from servers.postgres_listening import Listening, logical_postgres

from .sources import Db, connect, shows, status

USER, PASSWORD = "ann", "a-password"
ORDERS = "id bigint, item text, price numeric(12,2), paid boolean, at timestamptz, day date, ref uuid, PRIMARY KEY (id)"
PAIRS = "a int, b text, weight double precision, PRIMARY KEY (a, b)"


@pytest.fixture(scope="module")
def server() -> Iterator[Listening]:
    with logical_postgres(USER, PASSWORD) as server:
        yield server


@pytest.fixture
def upstream(server: Listening) -> Iterator[Db]:
    """A session of who owns two tables, of which one has old rows in its log, and the other only keys."""
    with ExitStack() as stack:
        try:
            DEBEZIUM.folder()
        except Missing as missing:
            pytest.skip(str(missing))
        db = stack.enter_context(psycopg.connect(server.uri, autocommit=True))
        schema = f"s{uuid.uuid4().hex[:8]}"
        for statement in (
            f"CREATE SCHEMA {schema} AUTHORIZATION {USER}",
            f"SET ROLE {USER}",
            f"SET search_path = {schema}",
            f"CREATE TABLE orders ({ORDERS})",
            f"CREATE TABLE pairs ({PAIRS})",
            "ALTER TABLE orders REPLICA IDENTITY FULL",
        ):
            db.execute(statement.encode())
        yield db


def transaction(db: Db, random: Random) -> None:
    with db.transaction():
        for _ in range(random.randrange(1, 6)):
            n, word = random.randrange(40), random.choice(("", "größer", "x" * 90, "'"))
            match random.randrange(6):
                case 0 | 1:
                    values: tuple[Any, ...] = (
                        n,
                        random.choice((None, word)),
                        random.randrange(10**9) / 100,
                        n % 3 == 0,
                    )
                    db.execute(
                        "INSERT INTO orders VALUES (%s, %s, %s, %s, '2024-02-29 12:00:00.123456+02'::timestamptz + %s * interval '1 h', "
                        "date '1999-12-31' + %s, gen_random_uuid()) ON CONFLICT (id) DO UPDATE SET item = excluded.item, at = NULL",
                        (*values, n, n),
                    )
                case 2:
                    db.execute("DELETE FROM orders WHERE id = %s", (n + 1000,))
                    db.execute("UPDATE orders SET id = id + 1000 WHERE id = %s", (n,))
                case 3:
                    db.execute("DELETE FROM orders WHERE id = %s", (n,))
                case 4:
                    db.execute(
                        "INSERT INTO pairs VALUES (%s, %s, %s) ON CONFLICT (a, b) DO UPDATE SET weight = excluded.weight",
                        (n, word[:3], random.choice((None, random.random(), 1e300, float("-inf")))),
                    )
                case _:
                    db.execute("DELETE FROM pairs WHERE a %% 7 = %s", (n % 7,))


@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.parametrize(("schemas", "seed"), [("false", 1), ("true", 2), ("false", 3)])
def test_tables_are_upstreams_whatever_happens_to_the_connector(
    db: Db, kafka: KafkaBroker, server: Listening, upstream: Db, schemas: str, seed: int
) -> None:
    """Of one that is killed events come again."""
    random = Random(seed)
    ((schema,),) = rows(upstream, "SELECT current_schema")
    tables, prefix = ("orders", "pairs"), f"p{uuid.uuid4().hex[:8]}"
    settings = {
        "decimal_handling_mode": "string",
        "time_precision_mode": "isostring",
        "key_converter_schemas_enable": schemas,
        "value_converter_schemas_enable": schemas,
    }
    for _ in range(20):
        transaction(upstream, random)
    connect(db, kafka)
    with debezium(
        server, USER, PASSWORD, kafka, prefix, [f"{schema}.{table}" for table in tables], **settings
    ) as connector:
        for table, columns in zip(tables, (ORDERS, PAIRS), strict=True):
            db.execute(
                f"CREATE SOURCE {table} ({columns}) FROM KAFKA CONNECTION k (TOPIC '{prefix}.{schema}.{table}') "
                "KEY FORMAT JSON VALUE FORMAT JSON ENVELOPE DEBEZIUM".encode()
            )
        compare(db, upstream)
        for _ in range(3):
            for _ in range(random.randrange(5, 40)):
                transaction(upstream, random)
            compare(db, upstream)
            eventually(lambda: connector.is_behind_snapshot, 60)
            connector.kill()
            for _ in range(random.randrange(5, 40)):
                transaction(upstream, random)
            connector.start()
        compare(db, upstream)
    assert [status(db, table) for table in tables] == [("running", None)] * 2
    assert rows(upstream, "SELECT count(*) > 0 FROM orders") == [(True,)]


def compare(db: Db, upstream: Db) -> None:
    for table in ("orders", "pairs"):
        shows(db, f"SELECT * FROM {table}", rows(upstream, f"SELECT * FROM {table}"), 90)
