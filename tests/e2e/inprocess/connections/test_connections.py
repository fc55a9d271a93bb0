"""Connections in a whole runtime: what statements say of them, and how they are tried."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import replace
from time import monotonic
from typing import Any

import psycopg
import pytest
from inprocess import FAST, InProcess, rows, running
from psycopg import errors
from servers.certificates import Authority
from servers.ports import free_port
from storage.connections.outside import postgres_with_passwords, registry, silence

Db = psycopg.Connection[tuple[Any, ...]]
UNTRIED = "WITH (VALIDATE = false)"


def message(db: Db, sql: str) -> tuple[str | None, str | None, str | None]:
    with pytest.raises(psycopg.Error) as refused:
        db.execute(sql.encode())
    diag = refused.value.diag
    return diag.sqlstate, diag.message_primary, diag.message_hint


def test_show_create_makes_the_same_again(db: Db, schema: str) -> None:
    authority = Authority().certificate
    db.execute("CREATE SECRET s AS 'x'")
    made = [
        "k TO KAFKA (BROKERS ('a:1', '[::1]:2'), SECURITY PROTOCOL SASL_SSL, SASL MECHANISMS SCRAM-SHA-256, "
        "SASL USERNAME 'O''Hara', SASL PASSWORD SECRET s, PROGRESS TOPIC t)",
        f"r FOR CONFLUENT SCHEMA REGISTRY (URL = 'https://r:1', SSL CERTIFICATE AUTHORITY = '{authority}')",
        "p TO POSTGRES (HOST 'h', PORT 5433, DATABASE 'D d', USER SECRET s, PASSWORD = SECRET s, SSL MODE verify_full)",
        "a TO AWS (REGION 'eu-west-1', ACCESS KEY ID AKIA, SECRET ACCESS KEY SECRET \"s\", SESSION TOKEN SECRET s)",
    ]
    for text in made:
        db.execute(f"CREATE CONNECTION {text} {UNTRIED}".encode())
    shown = {name: rows(db, f"SHOW CREATE CONNECTION {name}")[0][1] for name in "krpa"}
    assert shown["k"] == (
        f"CREATE CONNECTION {schema}.k TO KAFKA (BROKERS = ('a:1', '[::1]:2'), SECURITY PROTOCOL = 'SASL_SSL', "
        "SASL MECHANISMS = 'SCRAM-SHA-256', SASL USERNAME = 'O''Hara', "
        f"SASL PASSWORD = SECRET {schema}.s, PROGRESS TOPIC = 't') WITH (VALIDATE = false)"
    )
    for name, text in shown.items():
        db.execute(f"DROP CONNECTION {name}".encode())
        db.execute(text.encode())
        assert rows(db, f"SHOW CREATE CONNECTION {name}")[0][1] == text
    assert rows(db, "SHOW CONNECTIONS") == [
        ("a", "aws"),
        ("k", "kafka"),
        ("p", "postgres"),
        ("r", "confluent-schema-registry"),
    ]
    assert rows(db, "SELECT brokers, sink_progress_topic, sasl_username FROM mz_kafka_connections") == [
        (["a:1", "[::1]:2"], "t", "O'Hara")
    ]
    assert rows(
        db, 'SELECT host, port, database, "user", ssl_mode FROM mz_internal.mz_postgres_connections'
    ) == [("h", 5433, "D d", None, "verify-full")]
    assert rows(db, "SELECT url, username FROM mz_internal.mz_schema_registry_connections") == [
        ("https://r:1", None)
    ]
    secret = rows(db, "SELECT id FROM mz_secrets WHERE name = 's'")[0][0]
    assert rows(
        db,
        "SELECT endpoint, region, access_key_id, access_key_id_secret_id, secret_access_key_secret_id, "
        "session_token_secret_id FROM mz_internal.mz_aws_connections",
    ) == [(None, "eu-west-1", "akia", None, secret, secret)]
    options = rows(db, "SELECT c.name, x.option FROM mz_internal.mz_connection_secrets x "
                       "JOIN mz_connections c ON c.id = x.connection_id")  # fmt: skip
    assert sorted(options) == [
        ("a", "SECRET ACCESS KEY"),
        ("a", "SESSION TOKEN"),
        ("k", "SASL PASSWORD"),
        ("p", "PASSWORD"),
        ("p", "USER"),
    ]
    depends = rows(db, "SELECT o.name FROM mz_internal.mz_object_dependencies d JOIN mz_objects o ON o.id = d.object_id "
                       f"WHERE d.referenced_object_id = '{secret}'")  # fmt: skip
    assert sorted(depends) == [("a",), ("k",), ("p",)]


def test_what_is_refused(db: Db) -> None:
    db.execute("CREATE SECRET s AS 'x'")
    for sql, state, text in (
        ("CREATE CONNECTION c TO KAFKA (BROKR 'h')", "42601", "connections to KAFKA have no option BROKR"),
        ("CREATE CONNECTION c TO KAFKA (BROKER 'h', BROKERS 'i')", "42601", "conflicting or redundant options"),
        ("CREATE CONNECTION c TO KAFKA (BROKER ('h', 'i'))", "42601", "option BROKER takes one text"),
        ("CREATE CONNECTION c TO KAFKA (BROKER)", "42601", "option BROKERS takes a text, or several in parentheses"),
        ("CREATE CONNECTION c TO KAFKA (SSL KEY SECRET t)", "42704", 'secret "t" does not exist'),
        (
            "CREATE CONNECTION c TO POSTGRES (HOST h, DATABASE d, USER u, PASSWORD p)",
            "22023",
            "option PASSWORD takes a secret, not a text",
        ),
        ("CREATE CONNECTION c TO POSTGRES (HOST h)", "22023", "option DATABASE must be given"),
        ("CREATE CONNECTION c TO AWS (ENDPOINT SECRET s)", "22023", "option ENDPOINT takes a text, not a secret"),
        ("CREATE CONNECTION c TO KAFKA ()", "42601", 'syntax error'),
        ("CREATE CONNECTION c TO MYSQL (HOST h)", "22023", "option USER must be given"),
        ("CREATE CONNECTION c TO AWS PRIVATELINK (SERVICE NAME h)", "0A000", "connections to AWS PRIVATELINK are not supported"),
        ("CREATE CONNECTION c TO NOWHERE (HOST h)", "42601", "syntax error"),
        (
            "CREATE CONNECTION c TO KAFKA (BROKER 'h') WITH (FAST = true)",
            "42601",
            "unrecognized option of a connection: FAST",
        ),
        (
            "CREATE CONNECTION c TO KAFKA (BROKER 'h') WITH (VALIDATE = 3)",
            "42601",
            "option VALIDATE takes true or false",
        ),
        ("VALIDATE CONNECTION c", "42704", 'connection "c" does not exist'),
        ("ALTER CONNECTION c SET (BROKER 'h')", "42704", 'connection "c" does not exist'),
        ("CREATE CONNECTION pg_temp.c TO KAFKA (BROKER 'h')", "0A000", "temporary connections are not supported"),
    ):  # fmt: skip
        assert message(db, sql)[:2] == (state, text), sql


def test_alterations(db: Db) -> None:
    db.execute("CREATE SECRET s AS 'x'")
    db.execute("CREATE SECRET t AS 'y'")
    db.execute(f"CREATE CONNECTION c TO KAFKA (BROKER 'h', PROGRESS TOPIC 'p') {UNTRIED}".encode())
    db.execute(
        f"ALTER CONNECTION c SET (SASL USERNAME u, SASL MECHANISMS PLAIN, SASL PASSWORD SECRET s), "
        f"RESET (PROGRESS TOPIC), SET (BROKER 'i') {UNTRIED}".encode()
    )
    shown = rows(db, "SHOW CREATE CONNECTION c")[0][1]
    assert "BROKERS = ('i')" in shown
    assert "PROGRESS" not in shown
    assert message(db, "DROP SECRET s")[:2] == (
        "2BP01",
        "cannot drop secret s because other objects depend on it",
    )
    db.execute(f"ALTER CONNECTION c SET (SASL PASSWORD SECRET t) {UNTRIED}".encode())
    db.execute("DROP SECRET s")
    for sql, text in (
        ("RESET (SASL PASSWORD)", "option SASL PASSWORD must be given"),
        ("RESET (HOST)", "connections to KAFKA have no option HOST"),
        ("SET (BROKER 'a'), RESET (BROKER)", "conflicting or redundant options"),
        ("SET (SECURITY PROTOCOL PLAINTEXT)", "option SASL MECHANISMS means nothing with SECURITY PROTOCOL PLAINTEXT"),
    ):  # fmt: skip
        assert message(db, f"ALTER CONNECTION c {sql} {UNTRIED}")[1] == text
    assert rows(db, "SHOW CREATE CONNECTION c")[0][1].count("SECRET") == 1
    db.execute("ALTER SECRET t RENAME TO u")
    assert ".u)" in rows(db, "SHOW CREATE CONNECTION c")[0][1]
    db.execute("ALTER CONNECTION c RENAME TO d")
    db.execute("COMMENT ON CONNECTION d IS 'of the test'")
    db.execute("ALTER CONNECTION IF EXISTS c SET (BROKER 'x')")
    db.execute(f"CREATE CONNECTION IF NOT EXISTS d TO KAFKA (BROKER 'x') {UNTRIED}".encode())
    assert message(db, "CREATE CONNECTION d TO KAFKA (BROKER 'x')")[0] == "42710"
    db.execute("DROP SECRET u CASCADE")
    assert rows(db, "SHOW CONNECTIONS") == []


def test_it_is_tried_before_it_is_made(db: Db) -> None:
    db.execute("CREATE SECRET s AS 'wrong'")
    with registry() as found:
        found.authorization = "Basic YW5uOnJpZ2h0"  # ann:right
        options = f"(URL 'http://localhost:{found.port}/prefix', USERNAME ann, PASSWORD SECRET s)"
        create = f"CREATE CONNECTION r TO CONFLUENT SCHEMA REGISTRY {options}"
        state, text, _ = message(db, create)
        assert state == "28000"
        assert text == (
            f"cannot connect to the schema registry at http://localhost:{found.port}/prefix: "
            "authentication failed (HTTP status 401)"
        )
        assert rows(db, "SHOW CONNECTIONS") == []
        db.execute(f"{create} {UNTRIED}".encode())
        assert message(db, "VALIDATE CONNECTION r")[0] == "28000"
        db.execute("ALTER SECRET s AS 'right'")
        assert db.execute("VALIDATE CONNECTION r").statusmessage == "VALIDATE CONNECTION"
        url = f"http://localhost:{free_port()}"
        assert message(db, f"ALTER CONNECTION r SET (URL = '{url}')")[0] == "08006"
        assert f":{found.port}/" in rows(db, "SHOW CREATE CONNECTION r")[0][1]
        db.execute(f"ALTER CONNECTION r SET (URL = '{url}') {UNTRIED}".encode())
        assert message(db, "VALIDATE CONNECTION r")[0] == "08006"
        asked = len(found.requests)
        db.execute(f"CREATE CONNECTION IF NOT EXISTS r TO CONFLUENT SCHEMA REGISTRY {options}".encode())
        assert len(found.requests) == asked, "what is there already is not tried"
        with db.transaction():
            db.execute("CREATE SECRET t AS 'right'")
            db.execute(
                f"CREATE CONNECTION q TO CONFLUENT SCHEMA REGISTRY {options.replace('SECRET s', 'SECRET t')}".encode()
            )
        assert len(found.requests) > asked
        db.execute("BEGIN READ ONLY")
        db.execute("VALIDATE CONNECTION q")
        db.execute("ROLLBACK")


def test_aws_is_tried_when_asked_for(db: Db) -> None:
    db.execute("CREATE SECRET s AS 'x'")
    options = f"(ENDPOINT 'http://127.0.0.1:{free_port()}', ACCESS KEY ID k, SECRET ACCESS KEY SECRET s)"
    assert message(db, f"CREATE CONNECTION a TO AWS {options} WITH (VALIDATE)")[0] == "08006"
    db.execute(f"CREATE CONNECTION a TO AWS {options}".encode())
    db.execute("ALTER CONNECTION a SET (REGION x)")
    assert message(db, "ALTER CONNECTION a SET (REGION y) WITH (VALIDATE = true)")[0] == "08006"


def test_a_real_postgres(db: Db) -> None:
    db.execute("CREATE SECRET s AS 'right'")
    with postgres_with_passwords("ann", "right") as port:
        options = f"(HOST localhost, PORT {port}, DATABASE postgres, USER ann, PASSWORD SECRET s)"
        db.execute(f"CREATE CONNECTION p TO POSTGRES {options}".encode())
        db.execute("ALTER SECRET s AS 'wrong'")
        assert message(db, "VALIDATE CONNECTION p")[:2] == (
            "28000",
            f"cannot connect to PostgreSQL at localhost:{port}: authentication failed",
        )
    assert message(db, "VALIDATE CONNECTION p")[0] == "08006"


def test_link_local_addresses(db: Db) -> None:
    options = "(HOST '169.254.169.254', DATABASE d, USER u)"
    state, text, hint = message(db, f"CREATE CONNECTION p TO POSTGRES {options}")
    assert (state, text) == ("42501", 'connections to "169.254.169.254" are not allowed')
    assert hint == "ptvc serve --set allow_link_local_connections=1 allows them."


@pytest.fixture
def patient() -> Iterator[InProcess]:
    with running(replace(FAST, connection_timeout_ms=60_000)) as runtime:
        yield runtime


def test_what_does_not_answer_can_be_cancelled_and_keeps_nobody_waiting(patient: InProcess) -> None:
    with silence() as port, patient.connect() as db, patient.connect() as other:
        begun = monotonic()
        failed: list[str | None] = []

        def create() -> None:
            try:
                db.execute(
                    f"CREATE CONNECTION r TO CONFLUENT SCHEMA REGISTRY (URL 'http://127.0.0.1:{port}')".encode()
                )
            except psycopg.Error as error:
                failed.append(error.sqlstate)

        thread = threading.Thread(target=create)
        thread.start()
        for number in range(20):
            other.execute(f"CREATE TABLE t{number} (a int)".encode())
        assert thread.is_alive()
        db.cancel_safe()
        thread.join(30)
        assert failed == ["57014"]
        assert monotonic() - begun < 30
        assert rows(other, "SHOW CONNECTIONS") == []
        db.execute("SET statement_timeout = '100ms'")
        with pytest.raises(errors.QueryCanceled):
            db.execute(
                f"CREATE CONNECTION r TO CONFLUENT SCHEMA REGISTRY (URL 'http://127.0.0.1:{port}')".encode()
            )
