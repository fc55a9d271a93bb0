"""KAFKA sinks in Avro of a whole runtime: a source over the sink's topic is the view again."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from random import Random
from typing import Any

import psycopg
import pytest
from inprocess import eventually, rows
from servers.kafka.broker import KafkaBroker
from servers.schema_registry import SchemaRegistry, schema_registry

from .sources import Db, connect, shows

REGISTRY = "USING CONFLUENT SCHEMA REGISTRY CONNECTION r"
COLUMNS = (
    'k bigint NOT NULL, "Total amount" numeric(12, 2), ratio numeric, at timestamp, day date, since time, tags text[], note text, '
    "id uuid, raw bytea, ok boolean NOT NULL, share real, more map[text => int]"
)
ROW = (
    "i, i * 1.25, i / 7.0, timestamp '2024-01-01 00:00:00.000001' + i * interval '1 hour', date '1969-12-30' + i, time '00:00:01', "
    "CASE WHEN i % 3 > 0 THEN ARRAY['a', NULL, i::text] END, CASE WHEN i % 4 > 0 THEN 'ä' || i END, "
    "'00000000-0000-0000-0000-0000000000ff', '\\x00ff', i % 2 = 0, i / 2.0, MAP['x' => i]"
)


@pytest.fixture
def registry(db: Db, kafka: KafkaBroker) -> Iterator[SchemaRegistry]:
    connect(db, kafka)
    with schema_registry() as server:
        db.execute(f"CREATE CONNECTION r TO CONFLUENT SCHEMA REGISTRY (URL '{server.url}')".encode())
        yield server


@pytest.fixture
def topic() -> str:
    return f"out-{uuid.uuid4().hex[:12]}"


def create(db: Db, topic: str, clauses: str, relation: str = "t", name: str = "s") -> None:
    db.execute(
        f"CREATE SINK {name} FROM {relation} INTO KAFKA CONNECTION k (TOPIC '{topic}') {clauses}".encode()
    )


def status(db: Db, name: str = "s") -> Any:
    return rows(db, f"SELECT status, error FROM mz_internal.mz_sink_statuses WHERE name = '{name}'")[0]


def waits(db: Db, words: str) -> None:
    """Until the sink says that it waits for that."""
    try:
        eventually(lambda: status(db)[0] == "stalled" and words in status(db)[1])
    except AssertionError:
        raise AssertionError(f"{status(db)} says nothing of {words!r}") from None


@pytest.mark.parametrize("envelope", ["UPSERT", "DEBEZIUM"])
def test_a_source_over_the_topic_is_the_view(
    db: Db, registry: SchemaRegistry, topic: str, envelope: str
) -> None:
    db.execute(f"CREATE TABLE t ({COLUMNS})".encode())
    db.execute(f"INSERT INTO t SELECT {ROW} FROM generate_series(1, 200) g (i)".encode())
    create(db, topic, f"KEY (k) FORMAT AVRO {REGISTRY} ENVELOPE {envelope}")
    eventually(lambda: status(db) == ("running", None) and bool(registry.versions(f"{topic}-value")))
    db.execute(
        f"CREATE SOURCE back FROM KAFKA CONNECTION k (TOPIC '{topic}') FORMAT AVRO {REGISTRY} ENVELOPE {envelope}".encode()
    )
    random = Random(3)
    for _ in range(5):
        db.execute(
            "UPDATE t SET note = %s, ok = NOT ok WHERE k %% 7 = %s",
            (f"n{random.random()}", random.randrange(7)),
        )
        db.execute("DELETE FROM t WHERE k %% 11 = %s", (random.randrange(11),))
    kept = "ratio, at, day, since, note, id, raw, ok, share, tags::text, more::text"
    wanted = rows(db, f'SELECT k, "Total amount", {kept} FROM t')
    shows(db, f'SELECT k, "Total_amount", {kept} FROM back', wanted, 60)
    ((nullable,),) = rows(
        db, "SELECT attnotnull FROM pg_attribute WHERE attrelid = 'back'::regclass AND attname = 'ok'"
    )
    assert nullable


def test_show_create_makes_the_same_again(db: Db, registry: SchemaRegistry, schema: str) -> None:
    db.execute("CREATE TABLE t (k int NOT NULL, v text)")
    head = "CREATE SINK {s}.s IN CLUSTER quickstart FROM {s}.t INTO KAFKA CONNECTION {s}.k (TOPIC = 'to') KEY (k) "
    formats = (
        "FORMAT AVRO {r} (AVRO KEY FULLNAME = 'a.K', KEY COMPATIBILITY LEVEL = 'FULL', AVRO VALUE FULLNAME = 'a.V', "
        "VALUE COMPATIBILITY LEVEL = 'NONE', NULL DEFAULTS = true)",
        "FORMAT AVRO {r} (AVRO KEY FULLNAME = 'row', AVRO VALUE FULLNAME = 'envelope')",
        "KEY FORMAT TEXT VALUE FORMAT AVRO {r} (AVRO VALUE FULLNAME = 'a.V')",
        "KEY FORMAT AVRO {r} (AVRO KEY FULLNAME = 'a.K', NULL DEFAULTS = true) VALUE FORMAT JSON",
        "KEY FORMAT AVRO {r} (AVRO KEY FULLNAME = 'a.K', NULL DEFAULTS = true) VALUE FORMAT AVRO {r} (AVRO VALUE FULLNAME = 'a.V')",
    )
    for format_ in formats:
        made = (
            (head + format_ + " ENVELOPE UPSERT")
            .replace("{r}", REGISTRY.replace(" r", " {s}.r"))
            .replace("{s}", schema)
        )
        db.execute(made.encode())
        ((_, shown),) = rows(db, "SHOW CREATE SINK s")
        assert shown == made
        assert rows(db, "SELECT format FROM mz_sinks WHERE name = 's'") == [
            ("json" if "JSON" in format_ else "avro",)
        ]
        with pytest.raises(psycopg.errors.DependentObjectsStillExist):
            db.execute("DROP CONNECTION r")
        db.execute("DROP SINK s")
    db.execute("DROP CONNECTION r")


BAD = {
    "KEY (k) FORMAT AVRO USING CONFLUENT SCHEMA REGISTRY CONNECTION none ENVELOPE UPSERT": ("42704", 'connection "none" does not exist'),
    "KEY (k) FORMAT AVRO USING CONFLUENT SCHEMA REGISTRY CONNECTION k ENVELOPE UPSERT": (
        "42809", 'connection "k" is to KAFKA, not to CONFLUENT SCHEMA REGISTRY',
    ),
    "KEY (k) FORMAT AVRO ENVELOPE UPSERT": ("42601", None),
    "KEY (k) FORMAT AVRO {r} (AVRO KEY FULLNAME 'a b') ENVELOPE UPSERT": ("22023", '"a b" is no full name of Avro'),
    "KEY (k) FORMAT AVRO {r} (AVRO VALUE FULLNAME 'x.row') ENVELOPE DEBEZIUM": ("22023", 'AVRO VALUE FULLNAME cannot be "x.row"'),
    "KEY (k) FORMAT AVRO {r} (KEY COMPATIBILITY LEVEL 'SOME') ENVELOPE UPSERT": ("22023", None),
    "KEY (k) FORMAT AVRO {r} (NULL DEFAULTS, NULL DEFAULTS) ENVELOPE UPSERT": ("42601", "conflicting or redundant options"),
    "KEY (k) FORMAT AVRO {r} (NULL DEFAULTS 'maybe') ENVELOPE UPSERT": ("22023", "option NULL DEFAULTS: it takes true or false"),
    "KEY (k) FORMAT AVRO {r} (SIZE 5) ENVELOPE UPSERT": ("42601", "unrecognized option of FORMAT AVRO: SIZE"),
    "KEY (k) FORMAT AVRO {r} (DOC ON TYPE t = 'x') ENVELOPE UPSERT": ("0A000", "option DOC ON is not supported"),
    "FORMAT AVRO {r} (AVRO KEY FULLNAME 'a') ENVELOPE DEBEZIUM": ("42601", None),
    "KEY (k) KEY FORMAT AVRO {r} (AVRO VALUE FULLNAME 'a') VALUE FORMAT JSON ENVELOPE UPSERT": ("42601", None),
    "KEY (k) KEY FORMAT AVRO {r} VALUE FORMAT TEXT ENVELOPE DEBEZIUM": ("22023", "ENVELOPE DEBEZIUM cannot have VALUE FORMAT TEXT"),
}  # fmt: skip


def test_what_does_not_go_together_is_refused(db: Db, registry: SchemaRegistry) -> None:
    db.execute("CREATE TABLE t (k int, v text)")
    for clauses, (sqlstate, message) in BAD.items():
        with pytest.raises(psycopg.Error) as refused:
            create(db, "out", clauses.replace("{r}", REGISTRY))
        diag = refused.value.diag
        assert diag.sqlstate == sqlstate, (clauses, diag.sqlstate, diag.message_primary)
        assert message is None or diag.message_primary == message
    db.execute('CREATE TABLE odd (k int, took interval); CREATE TABLE alike (k int, "a b" int, "a-b" int)')
    for relation, message in (
        ("odd", 'column "took" is of type interval'),
        ("alike", 'columns "a b" and "a-b"'),
    ):
        with pytest.raises(psycopg.Error, match=message):
            create(db, "out", f"KEY (k) FORMAT AVRO {REGISTRY} ENVELOPE UPSERT", relation)


def test_a_sink_says_what_it_waits_for(
    db: Db, registry: SchemaRegistry, kafka: KafkaBroker, topic: str
) -> None:
    db.execute("CREATE TABLE t (k int, v date)")
    db.execute("INSERT INTO t VALUES (1, '2024-01-01')")
    registry.stop()
    create(db, topic, f"KEY (k) FORMAT AVRO {REGISTRY} ENVELOPE UPSERT")
    waits(db, f'cannot register the schema of subject "{topic}-key"')
    registry.refused[f"{topic}-value"] = "incompatible with an earlier schema, for a reason"
    registry.start()
    waits(db, "incompatible with an earlier schema, for a reason")
    registry.refused.clear()
    eventually(lambda: status(db) == ("running", None) and len(kafka.messages(topic)) == 1)
    db.execute("INSERT INTO t VALUES (2, 'infinity')")
    waits(db, 'column "v" is infinite, which Avro has no date for')


def test_keys_keep_their_bytes_whatever_is_read(
    db: Db, registry: SchemaRegistry, kafka: KafkaBroker, topic: str
) -> None:
    """Of values, a column that may come to be NULL makes another version of the schema."""
    db.execute("CREATE TABLE t (k int NOT NULL, l int, v int, w int NOT NULL)")
    db.execute("CREATE TABLE stricter (k int NOT NULL, l int NOT NULL, v int NOT NULL, w int NOT NULL)")
    db.execute("CREATE TABLE looser (k int NOT NULL, l int, v int, w int)")
    db.execute("CREATE TABLE loosest (k int, l int, v int, w int)")
    for number, table in enumerate(("t", "stricter", "looser")):
        db.execute(f"INSERT INTO {table} VALUES (1, 1, 1, {number})".encode())
    create(db, topic, f"KEY (k, l) FORMAT AVRO {REGISTRY} ENVELOPE UPSERT")
    eventually(lambda: status(db) == ("running", None) and len(kafka.messages(topic)) == 1)
    with pytest.raises(
        psycopg.Error, match='column "k" may be NULL, and the Avro schema of the sink\'s keys says'
    ):
        db.execute("ALTER SINK s SET FROM loosest")
    for count, table, versions in ((2, "stricter", 1), (3, "looser", 2)):
        eventually(lambda t=table: switched(db, t))  # type: ignore[misc]
        eventually(lambda c=count: len(kafka.messages(topic)) == c)  # type: ignore[misc]
        assert len(registry.versions(f"{topic}-value")) == versions
    assert len(registry.versions(f"{topic}-key")) == 1
    assert len({message.key() for message in kafka.messages(topic)}) == 1


def switched(db: Db, table: str) -> bool:
    """Whether the sink reads the table from now on: it does not as long as the last exchange is not complete."""
    try:
        db.execute(f"ALTER SINK s SET FROM {table}".encode())
    except psycopg.errors.ObjectNotInPrerequisiteState:
        return False
    return True
