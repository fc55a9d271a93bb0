"""Dead letters of KAFKA sources in a whole runtime, over a real broker."""

from __future__ import annotations

from datetime import datetime

import pytest
from inprocess import eventually, rows
from psycopg import errors
from servers.kafka.broker import KafkaBroker

from .sources import Db, connect, shows, statistics

AT = 1_700_000_000_123
SHOWN_AT = datetime(2023, 11, 14, 22, 13, 20, 123_000)


def create(db: Db, topic: str, clauses: str, columns: str = "(id int NOT NULL)", more: str = "") -> None:
    db.execute(
        f"CREATE SOURCE s {columns} FROM KAFKA CONNECTION k (TOPIC '{topic}') {clauses} {more} WITH (ON ERROR = DEAD LETTER)".encode()
    )


def test_messages_in_error_go_to_a_table_beside_the_rows(db: Db, kafka: KafkaBroker) -> None:
    connect(db, kafka)
    topic = kafka.topic(partitions=2, retention_ms="-1")
    headers = [("a", b"1"), ("a", b"2"), ("b", b"\xff")]
    kafka.produce(topic, [(b"k", b'{"id": 1}'), (b"k", b"junk")], headers=headers, timestamp=AT)
    create(db, topic, "FORMAT JSON", more="EXPOSE PROGRESS AS p")
    reason = f'source "s", topic "{topic}", partition 0, offset 1: column "id": invalid input syntax for type json: junk'
    letter = (0, 1, SHOWN_AT, b"k", b"junk", r'{a=>"\\x32",b=>"\\xff"}', reason)
    columns = 'partition, "offset", timestamp, key, payload, headers::text, reason'
    shows(db, f"SELECT {columns} FROM s_dead_letters", [letter])
    assert rows(db, "SELECT * FROM s") == [(1,)]
    db.execute(
        "CREATE MATERIALIZED VIEW bad AS SELECT count(*) AS n, count(payload) AS payloads FROM s_dead_letters"
    )
    kafka.produce(topic, [(None, None), (None, b"{}"), (None, b'{"id": 2}')], 1)
    shows(db, "SELECT * FROM bad", [(3, 2)])
    shows(db, "SELECT * FROM s", [(1,), (2,)])
    shows(
        db,
        'SELECT "offset", key, payload, reason FROM s_dead_letters WHERE partition = 1',
        [
            (0, None, None, f'source "s", topic "{topic}", partition 1, offset 0: the message has no value'),
            (
                1,
                None,
                b"{}",
                f'source "s", topic "{topic}", partition 1, offset 1: column "id": null value in column "id" violates not-null constraint',
            ),
        ],
    )
    shows(db, 'SELECT partition, "offset"::int FROM p', [(0, 2), (1, 3)])
    eventually(lambda: statistics(db, "records, errors, dead_letters") == (5, 0, 3))
    ((_, shown),) = rows(db, "SHOW CREATE SOURCE s")
    assert shown.endswith(".s_dead_letters WITH (ON ERROR = DEAD LETTER)")


def test_replay_decodes_whole_messages_again(db: Db, kafka: KafkaBroker) -> None:
    connect(db, kafka)
    topic = kafka.topic(retention_ms="-1")
    create(
        db,
        topic,
        "KEY FORMAT TEXT VALUE FORMAT JSON INCLUDE KEY, PARTITION, OFFSET, TIMESTAMP, HEADERS, HEADER 'a' AS a",
        columns="(key int, n int NOT NULL, PRIMARY KEY (key))",
    )
    headers = [("a", b"1"), ("a", b"2"), ("b", b"\xff")]
    kafka.produce(
        topic, [(b"x1", b'{"n": "y2"}'), (b"3", b'{"n": 4}'), (b"5", None)], headers=headers, timestamp=AT
    )
    shows(db, "SELECT count(*) FROM s_dead_letters", [(2,)])
    said: list[str] = []
    db.add_notice_handler(lambda notice: said.append(notice.message_primary or ""))
    digits = "convert_to(translate(convert_from({}, 'UTF8'), 'xy', ''), 'UTF8')"
    db.execute(
        "ALTER SOURCE s REPLAY DEAD LETTERS SET "
        f"key = {digits.format('key')}, payload = convert_to(replace(convert_from(payload, 'UTF8'), '\"y2\"', '2'), 'UTF8')".encode()
    )
    assert said == ["1 dead letter replayed, 1 not decoded"]
    kept = r'{a=>"\\x32",b=>"\\xff"}'
    assert rows(
        db, 'SELECT key, n, partition, "offset"::int, timestamp, headers::text, a FROM s ORDER BY 1'
    ) == [(1, 2, 0, 0, SHOWN_AT, kept, "2"), (3, 4, 0, 1, SHOWN_AT, kept, "2")]
    assert rows(db, 'SELECT "offset", key, payload FROM s_dead_letters') == [(2, b"5", None)]
    kafka.produce(topic, [(b"6", b'{"n": 7}')])
    shows(db, "SELECT key FROM s", [(1,), (3,), (6,)])


def test_envelopes_by_key_refuse_it(db: Db, kafka: KafkaBroker) -> None:
    connect(db, kafka)
    with pytest.raises(errors.FeatureNotSupported, match="ENVELOPE UPSERT") as refused:
        create(db, "t", "KEY FORMAT TEXT VALUE FORMAT JSON ENVELOPE UPSERT", columns="")
    assert "VALUE DECODING ERRORS" in (refused.value.diag.message_hint or "")
    with pytest.raises(errors.FeatureNotSupported, match="ENVELOPE DEBEZIUM"):
        create(
            db,
            "t",
            "KEY FORMAT JSON VALUE FORMAT JSON ENVELOPE DEBEZIUM",
            columns="(id int, n int, PRIMARY KEY (id))",
        )
