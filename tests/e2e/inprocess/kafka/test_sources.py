"""KAFKA sources of a whole runtime: what messages become, by format, envelope and what is included."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import psycopg
import pytest
from inprocess import eventually, rows
from servers.kafka.broker import KafkaBroker

from .sources import Db, connect, objects, shows, statistics, status


def test_objects_become_rows(db: Db, kafka: KafkaBroker) -> None:
    topic = kafka.topic(partitions=3)
    connect(db, kafka)
    kafka.produce(topic, objects({"id": i, "name": f"n{i}", "other": 1} for i in range(1000)), (0, 1, 2))
    db.execute(
        f"CREATE SOURCE s (id int NOT NULL, name text, missing text) FROM KAFKA CONNECTION k (TOPIC '{topic}') FORMAT JSON".encode()
    )
    db.execute("CREATE MATERIALIZED VIEW v AS SELECT count(*) AS n, sum(id) AS total FROM s")
    shows(db, "SELECT * FROM v", [(1000, 499_500)])
    kafka.produce(topic, objects([{"id": 7, "name": "more"}]))
    shows(db, "SELECT * FROM v", [(1001, 499_507)])
    assert rows(db, "SELECT name, missing FROM s WHERE id = 7 ORDER BY name") == [
        ("more", None),
        ("n7", None),
    ]
    assert status(db) == ("running", None)
    wanted = "records, messages_received, updates_committed, offset_known, offset_committed, snapshot_records_known"
    eventually(lambda: statistics(db, wanted) == (1001, 1001, 1001, 1001, 1001, 1000))
    assert statistics(db, "snapshot_records_staged, snapshot_committed, lag_bytes") == (1000, True, None)


def test_columns_of_formats_and_of_what_is_included(db: Db, kafka: KafkaBroker) -> None:
    connect(db, kafka)
    topic = kafka.topic(retention_ms="-1")
    headers = [("a", b"1"), ("b", b"\xff"), ("a", b"2")]
    kafka.produce(topic, [(b"x", b"1,2")], headers=headers, timestamp=1_700_000_000_123)
    kafka.produce(topic, [(None, b'{"a": [1, 2.50]}')], timestamp=1_700_000_000_124)
    for name, clauses in (
        ("whole", "KEY FORMAT TEXT VALUE FORMAT BYTES INCLUDE KEY, PARTITION, OFFSET, TIMESTAMP, HEADERS"),
        (
            "named",
            "KEY FORMAT BYTES VALUE FORMAT TEXT INCLUDE OFFSET AS o, KEY AS kk, HEADER 'a' AS a, HEADER 'b' AS b BYTES",
        ),
        ("keyless", "KEY FORMAT BYTES VALUE FORMAT TEXT"),
    ):
        db.execute(f"CREATE SOURCE {name} FROM KAFKA CONNECTION k (TOPIC '{topic}') {clauses}".encode())
    at = datetime(2023, 11, 14, 22, 13, 20, 123_000)
    shows(
        db,
        'SELECT key, data, partition, "offset"::int, timestamp, headers::text FROM whole',
        [
            ("x", b"1,2", 0, 0, at, r'{a=>"\\x32",b=>"\\xff"}'),
            (None, b'{"a": [1, 2.50]}', 0, 1, at.replace(microsecond=124_000), "{}"),
        ],
    )
    shows(
        db,
        "SELECT kk, text, o::int, a, b FROM named",
        [(b"x", "1,2", 0, "2", b"\xff"), (None, '{"a": [1, 2.50]}', 1, None, None)],
    )
    shows(db, "SELECT * FROM keyless", [("1,2",), ('{"a": [1, 2.50]}',)])
    types = "SELECT attname, format_type(atttypid, atttypmod) FROM pg_attribute WHERE attrelid = 'whole'::regclass"
    assert rows(db, types) == [
        ("key", "text"),
        ("data", "bytea"),
        ("partition", "integer"),
        ("offset", "uint8"),
        ("timestamp", "timestamp without time zone"),
        ("headers", "map"),
    ]


def test_csv_and_documents(db: Db, kafka: KafkaBroker) -> None:
    connect(db, kafka)
    lines, documents = kafka.topic(), kafka.topic()
    kafka.produce(lines, [(None, b'1;"a;b";\n'), (None, b"2;;x")])
    kafka.produce(documents, [(None, b'{"b": 1, "a": 2.50}'), (None, b"null"), (None, b"[1]")])
    for name, columns, topic, clauses in (
        ("plain", "", lines, "FORMAT CSV WITH 3 COLUMNS DELIMITED BY ';'"),
        ("typed", "(id int NOT NULL, a text, b text)", lines, "FORMAT CSV DELIMITED BY ';'"),
        ("d", "", documents, "FORMAT JSON"),
    ):
        db.execute(
            f"CREATE SOURCE {name} {columns} FROM KAFKA CONNECTION k (TOPIC '{topic}') {clauses}".encode()
        )
    shows(db, "SELECT column1, column2, column3 FROM plain", [("1", "a;b", None), ("2", None, "x")])
    shows(db, "SELECT * FROM typed", [(1, "a;b", None), (2, None, "x")])
    shows(db, "SELECT data::text FROM d", [('{"a": 2.50, "b": 1}',), ("null",), ("[1]",)])


def test_upsert_follows_keys(db: Db, kafka: KafkaBroker) -> None:
    connect(db, kafka)
    topic = kafka.topic(partitions=2)
    kafka.produce(
        topic, objects([{"id": 1, "name": "a"}, {"id": 2, "name": "b"}, {"id": 1, "name": "c"}], "id")
    )
    declared = "(id int, name text, PRIMARY KEY (id))"
    for name, columns, formats in (
        ("s", "", "KEY FORMAT TEXT VALUE FORMAT JSON"),
        ("typed", declared, "KEY FORMAT CSV VALUE FORMAT JSON"),
    ):
        db.execute(
            f"CREATE SOURCE {name} {columns} FROM KAFKA CONNECTION k (TOPIC '{topic}') {formats} ENVELOPE UPSERT".encode()
        )
    shows(db, "SELECT key, data->>'name' FROM s", [("1", "c"), ("2", "b")])
    shows(db, "SELECT * FROM typed", [(1, "c"), (2, "b")])
    kafka.produce(topic, [(b"2", None), (b"3", None), *objects([{"id": 4, "name": None}], "id")], 1)
    shows(db, "SELECT key, data->>'name' FROM s", [("1", "c"), ("4", None)])
    shows(db, "SELECT * FROM typed", [(1, "c"), (4, None)])


def test_where_is_asked_of_every_column_before_anything_is_stored(db: Db, kafka: KafkaBroker) -> None:
    connect(db, kafka)
    topic = kafka.topic(partitions=2)
    kafka.produce(topic, objects([{"id": 1, "n": 1}, {"id": 2, "n": 5}, {"id": 3, "n": 0}], "id"), 0)
    kafka.produce(topic, objects([{"id": 4, "n": 1}], "id"), 1)
    columns = f"(id int, n int, PRIMARY KEY (id)) FROM KAFKA CONNECTION k (TOPIC '{topic}') KEY FORMAT CSV VALUE FORMAT JSON"
    where = "WHERE (6 / n > 2 AND shard = 0) WITH (EXCLUDE COLUMNS (shard), RETAIN HISTORY FOR '1000ms')"
    db.execute(
        f"CREATE SOURCE s {columns} INCLUDE PARTITION AS shard ENVELOPE UPSERT EXPOSE PROGRESS AS p {where}".encode()
    )
    shows(db, "SELECT * FROM s", [('source "s", WHERE: division by zero',)])
    kafka.produce(topic, [(b"3", None), *objects([{"id": 2, "n": 2}], "id")], 0)
    shows(db, "SELECT * FROM s", [(1, 1), (2, 2)])
    kafka.produce(topic, objects([{"id": 1, "n": 4}, {"id": 2, "n": 0}, {"id": 2, "n": 1}], "id"), 0)
    shows(db, "SELECT * FROM s", [(2, 1)])
    (shown,) = rows(db, "SHOW CREATE SOURCE s")
    assert shown[1].endswith(f"INCLUDE PARTITION AS shard ENVELOPE UPSERT {where}")


def test_errors_name_the_message_and_go_with_their_key(db: Db, kafka: KafkaBroker) -> None:
    connect(db, kafka)
    topic = kafka.topic()
    db.execute(
        f"CREATE SOURCE s (id text, n int NOT NULL, PRIMARY KEY (id)) FROM KAFKA CONNECTION k (TOPIC '{topic}') "
        "KEY FORMAT TEXT VALUE FORMAT JSON ENVELOPE UPSERT".encode()
    )

    def fails(message: str) -> None:
        def told() -> bool:
            with pytest.raises(psycopg.Error) as failed:
                db.execute("SELECT * FROM s")
            return message in str(failed.value)

        eventually(lambda: status(db)[0] == "running" and _fails(db) and told())

    where = f'source "s", topic "{topic}", partition 0, offset'
    kafka.produce(topic, [(b"a", b'{"n": "x"}')])
    fails(f'{where} 0: column "n": invalid input syntax for type integer: "x"')
    kafka.produce(topic, [(b"a", b'{"n": 1}')])
    shows(db, "SELECT * FROM s", [("a", 1)])
    kafka.produce(topic, [(b"a", b"{}")])
    fails(f'{where} 2: column "n": null value in column "n" violates not-null constraint')
    kafka.produce(topic, [(b"a", None)])
    shows(db, "SELECT * FROM s", [])
    # A key that is NULL is a key of its own.
    kafka.produce(topic, [(None, b'{"n": 1}')])
    fails(f'{where} 4: column "n": the message has no key')
    kafka.produce(topic, [(None, None), (b"b", b'{"n": 2}')])
    shows(db, "SELECT * FROM s", [("b", 2)])
    eventually(lambda: statistics(db, "errors") == (3,))


def _fails(db: Db) -> bool:
    try:
        db.execute("SELECT * FROM s")
    except psycopg.Error:
        return True
    return False


def test_errors_may_be_rows(db: Db, kafka: KafkaBroker) -> None:
    connect(db, kafka)
    topic = kafka.topic()
    db.execute(
        f"CREATE SOURCE s (id text, n int NOT NULL, t text, PRIMARY KEY (id)) FROM KAFKA CONNECTION k (TOPIC '{topic}') "
        "KEY FORMAT TEXT VALUE FORMAT JSON INCLUDE OFFSET "
        "ENVELOPE UPSERT (VALUE DECODING ERRORS = (INLINE AS wrong))".encode()
    )
    columns = 'id, n, t, wrong, "offset"::int'
    kafka.produce(topic, [(b"a", b'{"n": "x", "t": "y"}'), (b"b", b'{"n": 1}'), (b"c", b"[")])
    shows(
        db,
        f"SELECT {columns} FROM s",
        [
            ("a", None, None, 'column "n": invalid input syntax for type integer: "x"', 0),
            ("b", 1, None, None, 1),
            ("c", None, None, "invalid input syntax for type json: [", 2),
        ],
    )
    kafka.produce(topic, [(b"a", b'{"n": 2}'), (b"c", None)])
    shows(db, f"SELECT {columns} FROM s", [("a", 2, None, None, 3), ("b", 1, None, None, 1)])


def test_a_message_without_a_value_is_an_error_of_rows(db: Db, kafka: KafkaBroker) -> None:
    connect(db, kafka)
    topic = kafka.topic()
    kafka.produce(topic, [(b"a", b"x"), (b"a", None)])
    db.execute(f"CREATE SOURCE s FROM KAFKA CONNECTION k (TOPIC '{topic}') FORMAT TEXT".encode())
    eventually(lambda: _fails(db))
    with pytest.raises(
        psycopg.Error, match=f'topic "{topic}", partition 0, offset 1: the message has no value'
    ):
        db.execute("SELECT * FROM s")


def test_where_it_begins(db: Db, kafka: KafkaBroker) -> None:
    connect(db, kafka)
    topic = kafka.topic(partitions=2, retention_ms="-1")
    for number in range(10):
        kafka.produce(topic, [(None, b"%d" % number)], number % 2, timestamp=1_000 * (number + 1))
    for name, options, wanted in (
        ("offsets", "START OFFSET (2, 4)", "46 8 9"),
        ("one", "START OFFSET = 3", "6 8 1 3 5 7 9"),
        ("behind", "START OFFSET (-1, -2)", "8 7 9"),
        ("time", "START TIMESTAMP 7500", "7 8 9"),
        ("later", "START TIMESTAMP -1000", ""),
    ):
        db.execute(
            f"CREATE SOURCE {name} (n int) FROM KAFKA CONNECTION k (TOPIC '{topic}', {options}) FORMAT TEXT".encode()
        )
        numbers = wanted.replace("46", "4 6").split()
        shows(db, f"SELECT n FROM {name}", [(int(n),) for n in numbers])
        if not numbers:
            eventually(lambda n=name: status(db, n)[0] == "running")  # type: ignore[misc]
    kafka.produce(topic, [(None, b"10")])
    shows(db, "SELECT n FROM later", [(10,)])


def test_show_create_makes_the_same_again(db: Db, kafka: KafkaBroker, schema: str) -> None:
    connect(db, kafka)
    topic = kafka.topic()
    for columns, options, clauses in (
        ("", "", " FORMAT JSON ENVELOPE NONE"),
        ("", ", GROUP ID PREFIX = 'p', START OFFSET = (0, -2)", " FORMAT CSV WITH 2 COLUMNS DELIMITED BY ';' ENVELOPE NONE"),
        ("", ", START TIMESTAMP = -5, TOPIC METADATA REFRESH INTERVAL = '500ms'",
         " KEY FORMAT TEXT VALUE FORMAT BYTES INCLUDE KEY AS kk, PARTITION AS partition, HEADER 'h' AS h BYTES,"
         " HEADERS AS headers ENVELOPE UPSERT (VALUE DECODING ERRORS = (INLINE AS e))"),
        (" (id integer, n text NOT NULL, PRIMARY KEY (id))", "", " KEY FORMAT JSON VALUE FORMAT JSON ENVELOPE UPSERT"),
        ("", "", " KEY FORMAT JSON VALUE FORMAT JSON INCLUDE KEY, TIMESTAMP AS at ENVELOPE NONE"),
    ):  # fmt: skip
        head = f"CREATE SOURCE {schema}.s{columns} IN CLUSTER quickstart"
        text = f"{head} FROM KAFKA CONNECTION {schema}.k (TOPIC = '{topic}'{options}){clauses}"
        db.execute(text.encode())
        assert rows(db, "SHOW CREATE SOURCE s")[0][1] == text
        db.execute("DROP SOURCE s")


@pytest.mark.parametrize(
    ("sql", "sqlstate", "message"),
    [
        ("FROM KAFKA CONNECTION nowhere (TOPIC 't') FORMAT JSON", "42704", 'connection "nowhere" does not exist'),
        ("FROM KAFKA CONNECTION p (TOPIC 't') FORMAT JSON", "42809", 'connection "p" is to POSTGRES, not to KAFKA'),
        ("FROM KAFKA CONNECTION k (START OFFSET 1) FORMAT JSON", "42601", "option TOPIC must be given"),
        ("FROM KAFKA CONNECTION k (TOPIC 't', TOPIC 'u') FORMAT JSON", "42601", "conflicting or redundant options"),
        ("FROM KAFKA CONNECTION k (TOPICS 't') FORMAT JSON", "42601", "KAFKA sources have no option TOPICS"),
        ("FROM KAFKA CONNECTION k (TOPIC 't') FORMAT XML", "0A000", "FORMAT XML of messages is not supported"),
        ("FROM KAFKA CONNECTION k (TOPIC 't') FORMAT CSV WITH HEADER", "0A000", "messages have no header"),
        ("FROM KAFKA CONNECTION k (TOPIC 't') FORMAT CSV", "42601", "FORMAT CSV needs to know its columns"),
        ("FROM KAFKA CONNECTION k (TOPIC 't') FORMAT JSON ENVELOPE UPSERT", "42601", "ENVELOPE UPSERT needs to know what keys are"),
        ("FROM KAFKA CONNECTION k (TOPIC 't') FORMAT JSON INCLUDE KEY", "42601", "INCLUDE KEY needs to know what keys are"),
        ("FROM KAFKA CONNECTION k (TOPIC 't') FORMAT JSON ENVELOPE MATERIALIZE", "0A000", "ENVELOPE MATERIALIZE of KAFKA sources is not supported"),
        ("FROM KAFKA CONNECTION k (TOPIC 't') FORMAT JSON INCLUDE SIZE", "42601", "INCLUDE SIZE is nothing that a message has"),
        ("FROM KAFKA CONNECTION k (TOPIC 't') FORMAT TEXT INCLUDE OFFSET AS text", "42701", 'column "text" specified more than once'),
        ("(a int, b int) FROM KAFKA CONNECTION k (TOPIC 't') FORMAT TEXT", "0A000", "FORMAT TEXT makes one column, not 2"),
        ("(a int PRIMARY KEY, b int) FROM KAFKA CONNECTION k (TOPIC 't') FORMAT JSON", "42601", "PRIMARY KEY names the columns that are read from keys of messages"),
        ("(a int[]) FROM KAFKA CONNECTION k (TOPIC 't') FORMAT JSON", "0A000", 'column "a" of type integer[] cannot be read from format json'),
        ("(a int) FROM KAFKA CONNECTION k (TOPIC 't') FORMAT BYTES", "0A000", "FORMAT BYTES makes one column of type bytea"),
        ("FROM KAFKA CONNECTION k (TOPIC 't', START OFFSET 1, START TIMESTAMP 2) FORMAT JSON", "22023", "START OFFSET and START TIMESTAMP exclude each other"),
    ],
)  # fmt: skip
def test_refused(db: Db, sql: str, sqlstate: str, message: str) -> None:
    db.execute("CREATE CONNECTION k TO KAFKA (BROKER 'nowhere.invalid') WITH (VALIDATE = false)")
    db.execute("CREATE CONNECTION p TO POSTGRES (HOST h, DATABASE d, USER u) WITH (VALIDATE = false)")
    with pytest.raises(psycopg.Error) as refused:
        db.execute(f"CREATE SOURCE s {sql}".encode())
    assert refused.value.diag.sqlstate == sqlstate
    assert message in (refused.value.diag.message_primary or "")


def test_progress_is_the_position_at_each_time(db: Db, kafka: KafkaBroker) -> None:
    connect(db, kafka)
    topic = kafka.topic(partitions=2)
    kafka.produce(topic, [(None, b"%d" % n) for n in range(7)], (0, 1))
    db.execute(
        f"CREATE SOURCE s FROM KAFKA CONNECTION k (TOPIC '{topic}') FORMAT TEXT INCLUDE PARTITION EXPOSE PROGRESS AS p".encode()
    )
    shows(db, 'SELECT partition, "offset"::int FROM p', [(0, 4), (1, 3)])
    db.execute("CREATE TABLE later FROM SOURCE s (REFERENCE mz_progress)")
    kafka.produce(topic, [(None, b"x")], 1)
    for name in ("p", "later"):
        shows(db, f'SELECT partition, "offset"::int FROM {name}', [(0, 4), (1, 4)])
    same = 'SELECT count(*) FROM s FULL JOIN (SELECT sum("offset") AS n FROM p) p ON false'
    assert rows(db, same)[0][0] == 9
    db.execute("DROP TABLE later")
    kafka.produce(topic, [(None, b"y")])
    shows(db, 'SELECT partition, "offset"::int FROM p', [(0, 5), (1, 4)])
    answer: Any = rows(db, 'SELECT (SELECT count(*) FROM s), (SELECT sum("offset") FROM p)')
    assert answer == [(9, 9)]


def test_progress_that_is_exposed_later_leaves_rows_by_key_alone(db: Db, kafka: KafkaBroker) -> None:
    """The source goes on with another output, and with what it knows of its keys."""
    connect(db, kafka)
    topic = kafka.topic()
    kafka.produce(topic, [(b"a", b"1"), (b"b", b"2")])
    db.execute(
        f"CREATE SOURCE s FROM KAFKA CONNECTION k (TOPIC '{topic}') KEY FORMAT TEXT VALUE FORMAT TEXT ENVELOPE UPSERT".encode()
    )
    shows(db, "SELECT * FROM s", [("a", "1"), ("b", "2")])
    db.execute("CREATE TABLE p FROM SOURCE s (REFERENCE mz_progress)")
    shows(db, 'SELECT partition, "offset"::int FROM p', [(0, 2)])
    kafka.produce(topic, [(b"a", b"3"), (b"b", None)])
    shows(db, "SELECT * FROM s", [("a", "3")])
    shows(db, 'SELECT partition, "offset"::int FROM p', [(0, 4)])
