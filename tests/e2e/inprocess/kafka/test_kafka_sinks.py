"""KAFKA sinks of a whole runtime: what a reader of the topic holds is what the view holds."""

from __future__ import annotations

import json
import uuid
from collections import Counter
from random import Random
from typing import Any

import psycopg
import pytest
from inprocess import InProcess, eventually, rows
from servers.kafka.broker import KafkaBroker

Db = psycopg.Connection[tuple[Any, ...]]


@pytest.fixture
def topic(kafka: KafkaBroker) -> str:
    return f"out-{uuid.uuid4().hex[:12]}"


def connect(db: Db, kafka: KafkaBroker) -> None:
    progress = f"progress-{uuid.uuid4().hex[:12]}"
    db.execute(
        f"CREATE CONNECTION k TO KAFKA (BROKER '{kafka.bootstrap}', SECURITY PROTOCOL PLAINTEXT, "
        f"PROGRESS TOPIC '{progress}')".encode()
    )


def folded(kafka: KafkaBroker, topic: str, *key: str) -> Counter[str]:
    """The last value of each key."""
    last: dict[bytes, bytes] = {}
    if topic not in kafka.admin.list_topics(timeout=10).topics:
        return Counter()
    for message in kafka.messages(topic):
        assert list(json.loads(message.key())) == list(key)
        if message.value() is None:
            del last[message.key()]
        else:
            assert last.get(message.key()) != message.value(), "nothing twice"
            last[message.key()] = message.value()
    return Counter(value.decode() for value in last.values())


def wanted(db: Db, relation: str) -> Counter[str]:
    return Counter(text for (text,) in rows(db, f"SELECT row_to_json(r)::text FROM {relation} r"))


def status(db: Db, name: str = "s") -> Any:
    return rows(db, f"SELECT status, error FROM mz_internal.mz_sink_statuses WHERE name = '{name}'")[0]


def test_a_reader_of_the_topic_has_the_view(db: Db, kafka: KafkaBroker, topic: str) -> None:
    connect(db, kafka)
    db.execute("CREATE TABLE t (k int, v int, at timestamptz)")
    db.execute("INSERT INTO t SELECT i % 50, i, '2024-01-01 00:00:00Z' FROM generate_series(1, 500) g (i)")
    db.execute(
        "CREATE MATERIALIZED VIEW totals AS SELECT k, sum(v) AS total, max(at) AS last FROM t GROUP BY k"
    )
    db.execute(
        f"CREATE SINK s FROM totals INTO KAFKA CONNECTION k (TOPIC '{topic}', TOPIC PARTITION COUNT 3) "
        "KEY (k) FORMAT JSON ENVELOPE UPSERT".encode()
    )
    random = Random(1)
    for _ in range(10):
        db.execute("INSERT INTO t VALUES (%s, %s, now())", (random.randrange(60), random.randrange(100)))
        db.execute("DELETE FROM t WHERE k = %s", (random.randrange(60),))

    def objects(found: Counter[str]) -> list[tuple[Any, ...]]:
        return sorted((o["k"], o["total"]) for o in map(json.loads, found))

    def same() -> bool:
        return objects(folded(kafka, topic, "k")) == sorted(rows(db, "SELECT k, total FROM totals"))

    eventually(same)
    assert status(db) == ("running", None)
    staged, committed, size = rows(
        db,
        "SELECT messages_staged, messages_committed, bytes_committed FROM mz_internal.mz_sink_statistics "
        "JOIN mz_sinks USING (id) WHERE name = 's'",
    )[0]
    assert staged == committed == len(kafka.messages(topic))
    assert size > 0
    assert rows(db, "SELECT s.type, s.format, k.topic FROM mz_sinks s JOIN mz_kafka_sinks k USING (id) WHERE s.name = 's'") == [
        ("kafka", "json", topic)
    ]  # fmt: skip


def test_show_create_makes_the_same_again(db: Db, schema: str) -> None:
    db.execute(
        "CREATE CONNECTION k TO KAFKA (BROKER '127.0.0.1:1', SECURITY PROTOCOL PLAINTEXT) WITH (VALIDATE = false)"
    )
    db.execute('CREATE TABLE t (k int, "V" text, h map[text => text])')
    made = (
        "CREATE SINK {s} IN CLUSTER quickstart FROM {s0}.t INTO KAFKA CONNECTION {s0}.k (TOPIC = 'to', COMPRESSION TYPE = 'zstd', "
        "TRANSACTIONAL ID PREFIX = 'tx', PROGRESS GROUP ID PREFIX = 'pg', TOPIC PARTITION COUNT = 3, TOPIC REPLICATION FACTOR = 1, "
        "TRANSACTION TIMEOUT = '2500 ms', PARTITION BY = k % 7, TOPIC CONFIG = MAP['cleanup.policy' => 'compact']) KEY (k) HEADERS h "
        "KEY FORMAT TEXT VALUE FORMAT JSON ENVELOPE UPSERT WITH (SNAPSHOT = false)"
    )
    db.execute(made.replace("{s0}", schema).replace("{s}", "s").encode())
    (shown,) = (text for _, text in rows(db, "SHOW CREATE SINK s"))
    assert shown == made.replace("{s0}", schema).replace("{s}", f"{schema}.s")
    db.execute("DROP SINK s")
    db.execute(shown.encode())
    assert rows(db, "SHOW CREATE SINK s")[0][1] == shown


BAD = {
    "KAFKA CONNECTION none (TOPIC 'x') KEY (k) FORMAT JSON ENVELOPE UPSERT": ("42704", 'connection "none" does not exist'),
    "KAFKA CONNECTION p (TOPIC 'x') KEY (k) FORMAT JSON ENVELOPE UPSERT": ("42809", 'connection "p" is to POSTGRES, not to KAFKA'),
    "KAFKA CONNECTION k () KEY (k) FORMAT JSON ENVELOPE UPSERT": ("42601", None),
    "KAFKA CONNECTION k (COMPRESSION TYPE gzip) KEY (k) FORMAT JSON ENVELOPE UPSERT": ("42601", "option TOPIC must be given"),
    "KAFKA CONNECTION k (TOPIC 'a b') KEY (k) FORMAT JSON ENVELOPE UPSERT": ("22023", None),
    "KAFKA CONNECTION k (TOPIC 'a', TOPIC 'b') KEY (k) FORMAT JSON ENVELOPE UPSERT": ("42601", "conflicting or redundant options"),
    "KAFKA CONNECTION k (TOPIC 'a', SPEED 5) KEY (k) FORMAT JSON ENVELOPE UPSERT": ("42601", "unrecognized option of a Kafka sink: SPEED"),
    "KAFKA CONNECTION k (TOPIC 'a', COMPRESSION TYPE brotli) KEY (k) FORMAT JSON ENVELOPE UPSERT": ("22023", None),
    "KAFKA CONNECTION k (TOPIC 'a', TRANSACTION TIMEOUT '1 ms') KEY (k) FORMAT JSON ENVELOPE UPSERT": ("22023", None),
    "KAFKA CONNECTION k (TOPIC 'a', TOPIC PARTITION COUNT 0) KEY (k) FORMAT JSON ENVELOPE UPSERT": ("22023", None),
    "KAFKA CONNECTION k (TOPIC 'a', PARTITION BY = v) KEY (k) FORMAT JSON ENVELOPE UPSERT": ("42804", None),
    "KAFKA CONNECTION k (TOPIC 'a', PARTITION BY = w) KEY (k) FORMAT JSON ENVELOPE UPSERT": ("42P10", None),
    "KAFKA CONNECTION k (TOPIC 'a', PARTITION BY = (SELECT 1)) KEY (k) FORMAT JSON ENVELOPE UPSERT": ("0A000", None),
    "KAFKA CONNECTION k (TOPIC 'a', PARTITION BY = random()::int) KEY (k) FORMAT JSON ENVELOPE UPSERT": ("0A000", None),
    "KAFKA CONNECTION k (TOPIC 'a', TOPIC METADATA REFRESH INTERVAL '1s') KEY (k) FORMAT JSON ENVELOPE UPSERT": ("0A000", None),
    "KAFKA CONNECTION k (TOPIC 'a', TOPIC CONFIG MAP['a' => 1]) KEY (k) FORMAT JSON ENVELOPE UPSERT": ("22023", None),
    "KAFKA CONNECTION k (TOPIC 'a') FORMAT JSON ENVELOPE UPSERT": ("42601", "ENVELOPE UPSERT requires KEY (...)"),
    "KAFKA CONNECTION k (TOPIC 'a') KEY (k) FORMAT JSON ENVELOPE NONE": ("0A000", None),
    "KAFKA CONNECTION k (TOPIC 'a') KEY (k) FORMAT JSON": ("42601", "ENVELOPE clause is required"),
    "KAFKA CONNECTION k (TOPIC 'a') KEY (k) FORMAT CSV ENVELOPE UPSERT": ("0A000", None),
    "KAFKA CONNECTION k (TOPIC 'a') KEY (k) FORMAT TEXT ENVELOPE UPSERT": ("22023", None),
    "KAFKA CONNECTION k (TOPIC 'a') KEY FORMAT TEXT VALUE FORMAT JSON ENVELOPE DEBEZIUM": ("42601", "KEY FORMAT needs KEY (...)"),
    "KAFKA CONNECTION k (TOPIC 'a') KEY (k) HEADERS v FORMAT JSON ENVELOPE UPSERT": ("22023", None),
    "KAFKA CONNECTION k (TOPIC 'a') KEY (k) FORMAT JSON ENVELOPE UPSERT WITH (COMMIT INTERVAL '1s')": ("0A000", None),
}  # fmt: skip


def test_what_does_not_go_together_is_refused(db: Db) -> None:
    db.execute(
        "CREATE CONNECTION k TO KAFKA (BROKER '127.0.0.1:1', SECURITY PROTOCOL PLAINTEXT) WITH (VALIDATE = false)"
    )
    db.execute("CREATE CONNECTION p TO POSTGRES (HOST h, DATABASE d, USER u) WITH (VALIDATE = false)")
    db.execute("CREATE TABLE t (k int, v text, w int)")
    for clause, (sqlstate, message) in BAD.items():
        with pytest.raises(psycopg.Error) as refused:
            db.execute(f"CREATE SINK s FROM t INTO {clause}".encode())
        diag = refused.value.diag
        assert diag.sqlstate == sqlstate, (clause, diag.sqlstate, diag.message_primary)
        assert message is None or diag.message_primary == message
    db.execute("CREATE SINK s FROM t INTO KAFKA CONNECTION k (TOPIC 'a') KEY (k) FORMAT JSON ENVELOPE UPSERT")
    with pytest.raises(psycopg.Error, match='sink "s" writes to topic "a" already'):
        db.execute(
            "CREATE SINK s2 FROM t INTO KAFKA CONNECTION k (TOPIC 'a') KEY (k) FORMAT JSON ENVELOPE UPSERT"
        )
    with pytest.raises(psycopg.errors.DependentObjectsStillExist):
        db.execute("DROP CONNECTION k")


def test_privileges(runtime: InProcess, db: Db, schema: str) -> None:
    db.execute(
        "CREATE CONNECTION k TO KAFKA (BROKER '127.0.0.1:1', SECURITY PROTOCOL PLAINTEXT) WITH (VALIDATE = false)"
    )
    db.execute("CREATE TABLE t (k int)")
    role = f"{schema}_r"
    db.execute(f"CREATE ROLE {role} LOGIN".encode())
    needed = (
        f"USAGE, CREATE ON SCHEMA {schema}", "CREATE ON CLUSTER quickstart", "SELECT ON TABLE t", "USAGE ON CONNECTION k"
    )  # fmt: skip
    sink = (
        f"CREATE SINK {schema}.s FROM {schema}.t INTO KAFKA CONNECTION {schema}.k (TOPIC 'a') "
        "KEY (k) FORMAT JSON ENVELOPE UPSERT"
    ).encode()
    for grant in needed:
        with (
            pytest.raises(psycopg.errors.InsufficientPrivilege),
            runtime.connect(user=role, options=f"-c search_path={schema}") as own,
        ):
            own.execute(sink)
        db.execute(f"GRANT {grant} TO {role}".encode())
    with runtime.connect(user=role, options=f"-c search_path={schema}") as own:
        own.execute(sink)
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            own.execute(
                f"CREATE SINK {schema}.f FROM {schema}.t INTO FILE '/tmp/sink-f' FORMAT JSON ENVELOPE NONE".encode()
            )


@pytest.mark.slow
def test_a_sink_says_what_it_waits_for(db: Db, kafka: KafkaBroker, topic: str) -> None:
    db.execute(
        "CREATE CONNECTION k TO KAFKA (BROKER '127.0.0.1:1', SECURITY PROTOCOL PLAINTEXT) WITH (VALIDATE = false)"
    )
    db.execute("CREATE TABLE t (k int, v int)")
    db.execute("INSERT INTO t VALUES (1, 1)")
    db.execute(
        f"CREATE SINK s FROM t INTO KAFKA CONNECTION k (TOPIC '{topic}') KEY (k) FORMAT JSON ENVELOPE UPSERT".encode()
    )
    eventually(lambda: status(db)[0] == "stalled" and "127.0.0.1:1" in status(db)[1])
    # The connection is put right, and the sink goes on by itself.
    db.execute(f"ALTER CONNECTION k SET (BROKER '{kafka.bootstrap}')".encode())
    eventually(lambda: folded(kafka, topic, "k") == {'{"k":1,"v":1}': 1})
    eventually(lambda: status(db) == ("running", None))
    db.execute("INSERT INTO t VALUES (5, 1), (5, 2)")
    eventually(lambda: status(db)[0] == "stalled")
    assert "the sink's key (k) is not unique" in status(db)[1]
    db.execute("DROP SINK s")
    db.execute("DROP CONNECTION k")


def test_something_else_to_read(fresh: InProcess, kafka: KafkaBroker, topic: str) -> None:
    with fresh.connect() as db:
        connect(db, kafka)
        db.execute("CREATE TABLE t (k int, v int)")
        db.execute("INSERT INTO t SELECT i, i FROM generate_series(1, 20) g (i)")
        db.execute("CREATE MATERIALIZED VIEW old AS SELECT k, v FROM t")
        db.execute("CREATE MATERIALIZED VIEW new AS SELECT k, v + k % 2 AS v FROM t WHERE k > 3")
        db.execute(
            f"CREATE SINK s FROM old INTO KAFKA CONNECTION k (TOPIC '{topic}') KEY (k) FORMAT JSON ENVELOPE UPSERT".encode()
        )

        def compact(relation: str) -> Counter[str]:
            return Counter(f'{{"k":{k},"v":{v}}}' for k, v in rows(db, f"SELECT k, v FROM {relation}"))

        eventually(lambda: folded(kafka, topic, "k") == compact("old"))
        db.execute("ALTER SINK s SET FROM new")
        db.execute("INSERT INTO t VALUES (30, 30)")
        eventually(lambda: folded(kafka, topic, "k") == compact("new"))
        # Rows that both have are not written again.
        assert len(kafka.messages(topic)) == 20 + 3 + 8 + 1 + kafka_extra(kafka, topic)
        fresh.kill_replica()
        db.execute("INSERT INTO t VALUES (31, 31)")
        eventually(lambda: folded(kafka, topic, "k") == compact("new"))
    fresh.abandon()
    fresh.start()
    with fresh.connect() as db:
        db.execute("INSERT INTO t VALUES (33, 33)")
        eventually(lambda: folded(kafka, topic, "k") == Counter(
            f'{{"k":{k},"v":{v}}}' for k, v in rows(db, "SELECT k, v FROM new")
        ))  # fmt: skip


def test_what_was_to_be_read_and_is_in_error_gives_way_to_something_else(
    fresh: InProcess, kafka: KafkaBroker, topic: str
) -> None:
    """Neither that nor what the topic shows comes out of its error."""
    with fresh.connect() as db:
        connect(db, kafka)
        db.execute("CREATE TABLE t (k int, v int)")
        db.execute("INSERT INTO t SELECT i, i FROM generate_series(1, 20) g (i)")
        db.execute("CREATE MATERIALIZED VIEW old AS SELECT k, 10 / v AS v FROM t")
        db.execute("CREATE MATERIALIZED VIEW worse AS SELECT k, 100 / v AS v FROM t")
        db.execute("CREATE MATERIALIZED VIEW new AS SELECT k, v + k % 2 AS v FROM t WHERE k > 3")
        db.execute(
            f"CREATE SINK s FROM old INTO KAFKA CONNECTION k (TOPIC '{topic}') KEY (k) FORMAT JSON ENVELOPE UPSERT".encode()
        )

        def compact(relation: str) -> Counter[str]:
            return Counter(f'{{"k":{k},"v":{v}}}' for k, v in rows(db, f"SELECT k, v FROM {relation}"))

        shown = compact("old")
        eventually(lambda: folded(kafka, topic, "k") == shown)
        db.execute("INSERT INTO t VALUES (30, 0)")
        db.execute("ALTER SINK s SET FROM worse")
        eventually(lambda: status(db)[0] == "stalled" and "division by zero" in status(db)[1])
        fresh.kill_replica()
        db.execute("ALTER SINK s SET FROM new")
        eventually(lambda: folded(kafka, topic, "k") == compact("new"))
        assert folded(kafka, topic, "k") != shown
        eventually(lambda: status(db) == ("running", None))
        db.execute("DROP MATERIALIZED VIEW old")
        db.execute("DROP MATERIALIZED VIEW worse")


def kafka_extra(kafka: KafkaBroker, topic: str) -> int:
    """Whether the row that came last was written from the former relation first."""
    last = [m for m in kafka.messages(topic) if m.key() == b'{"k":30}']
    return len(last) - 1
