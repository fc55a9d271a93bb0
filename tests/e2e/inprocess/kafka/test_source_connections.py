"""What a KAFKA source has to do with its connection: dependencies, privileges, changes."""

from __future__ import annotations

from time import sleep

import psycopg
import pytest
from inprocess import InProcess, rows
from psycopg import errors
from servers.kafka.broker import KafkaBroker

from .sources import Db, connect, shows, stalled, status


def create(db: Db, topic: str) -> None:
    db.execute(f"CREATE SOURCE s FROM KAFKA CONNECTION k (TOPIC '{topic}') FORMAT TEXT".encode())


def test_a_connection_that_is_used_is_not_dropped(db: Db, kafka: KafkaBroker, schema: str) -> None:
    connect(db, kafka)
    topic = kafka.topic()
    create(db, topic)
    with pytest.raises(errors.DependentObjectsStillExist) as refused:
        db.execute("DROP CONNECTION k")
    assert refused.value.diag.message_detail == f"source {schema}.s depends on connection {schema}.k"
    depends = "SELECT o.name FROM mz_internal.mz_object_dependencies d JOIN mz_connections o ON o.id = d.referenced_object_id"
    assert rows(db, depends) == [("k",)]
    assert rows(db, "SELECT topic, key_format, value_format FROM mz_kafka_sources") == [(topic, None, "text")]
    assert rows(db, "SELECT type, envelope_type FROM mz_sources WHERE name = 's'") == [("kafka", "none")]
    assert rows(db, "SELECT count(*) FROM pg_depend WHERE objid = 's'::regclass") == [(0,)]
    db.execute("DROP CONNECTION k CASCADE")
    assert rows(db, "SHOW SOURCES") == []


def test_a_connection_may_be_used_by_those_who_have_the_right(
    runtime: InProcess, db: Db, kafka: KafkaBroker, schema: str
) -> None:
    connect(db, kafka)
    topic = kafka.topic()
    kafka.produce(topic, [(None, b"a")])
    db.execute("CREATE ROLE reader LOGIN")
    for sql in (f"USAGE, CREATE ON SCHEMA {schema}", "USAGE, CREATE ON CLUSTER quickstart"):
        db.execute(f"GRANT {sql} TO reader".encode())
    with psycopg.connect(
        host="127.0.0.1", port=runtime.port, user="reader", dbname="ptvc", autocommit=True,
        options=f"-c search_path={schema}",
    ) as reader:  # fmt: skip
        with pytest.raises(errors.InsufficientPrivilege, match="permission denied for connection k"):
            create(reader, topic)
        db.execute("GRANT USAGE ON CONNECTION k TO reader")
        create(reader, topic)
        # Which is asked when it is created; those who read it need none.
        db.execute("REVOKE USAGE ON CONNECTION k FROM reader")
        shows(reader, "SELECT * FROM s", [("a",)])
        db.execute("DROP SOURCE s")
    db.execute(f"REVOKE ALL ON SCHEMA {schema} FROM reader".encode())
    db.execute("REVOKE ALL ON CLUSTER quickstart FROM reader")
    db.execute("DROP ROLE reader")


def test_an_altered_connection_is_gone_through_at_once(db: Db, kafka: KafkaBroker) -> None:
    connect(db, kafka)
    topic = kafka.topic()
    kafka.produce(topic, [(None, b"a")])
    create(db, topic)
    shows(db, "SELECT * FROM s", [("a",)])
    db.execute("ALTER CONNECTION k SET (BROKER '127.0.0.1:1') WITH (VALIDATE = false)")
    assert "cannot connect to Kafka at 127.0.0.1:1" in stalled(db)
    kafka.produce(topic, [(None, b"b")])
    db.execute(f"ALTER CONNECTION k SET (BROKER '{kafka.bootstrap}')".encode())
    shows(db, "SELECT * FROM s", [("a",), ("b",)])
    assert status(db) == ("running", None)


def test_connections_that_change_all_the_time_lose_nothing(db: Db, kafka: KafkaBroker) -> None:
    """Each time the source is installed anew, while what the former one has read may be on its way."""
    connect(db, kafka)
    topic = kafka.topic()
    create(db, topic)
    wanted = []
    for number in range(60):
        kafka.produce(topic, [(None, b"%d-%d" % (number, n)) for n in range(5)])
        wanted += [(f"{number}-{n}",) for n in range(5)]
        if number % 3 == 0:
            brokers = (
                f"'{kafka.bootstrap}', 'localhost:{kafka.port}'" if number % 2 else f"'{kafka.bootstrap}'"
            )
            db.execute(f"ALTER CONNECTION k SET (BROKERS ({brokers})) WITH (VALIDATE = false)".encode())
        sleep(0.01)
    shows(db, "SELECT * FROM s", wanted)


def test_link_local_addresses_are_not_gone_to(db: Db) -> None:
    db.execute("CREATE CONNECTION k TO KAFKA (BROKER '169.254.169.254:9092') WITH (VALIDATE = false)")
    create(db, "t")
    assert 'connections to "169.254.169.254" are not allowed' in stalled(db)
