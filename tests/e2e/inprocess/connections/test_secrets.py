"""Secrets in a whole runtime: made, altered, granted, kept over restarts, and encrypted with other keys."""

from __future__ import annotations

import base64
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import psycopg
import pytest
from inprocess import InProcess, rows
from psycopg import errors
from ptvc.coord.catalog.items import Secret
from ptvc.coord.secrets.key_ring import UnusableKeys

Db = psycopg.Connection[tuple[Any, ...]]


def sealed(runtime: InProcess) -> dict[str, Secret]:
    return {secret.name: secret for secret in runtime.coordinator.catalog.user_secrets()}


def value(runtime: InProcess, name: str) -> bytes:
    secret = sealed(runtime)[name]
    return runtime.coordinator._keys.unseal(secret.sealed, secret.id, name)


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("'plain'", b"plain"),
        ("'é'", "é".encode()),
        (r"'back\slash'", rb"back\slash"),
        ("''", b""),
        ("'a' || 'b'", b"ab"),
        ("decode('AAH/', 'base64')", b"\x00\x01\xff"),
        (r"'\x00ff'::bytea", b"\x00\xff"),
        ("'a'::varchar(3)", b"a"),
        ("current_setting('TimeZone') || 'x'", b"UTCx"),
        ("(SELECT 'a')", None),
        ("1", None),
        ("NULL", None),
        ("repeat('x', 524289)", None),
        (f"'{'x' * 524_288}'", b"x" * 524_288),
        (f"'{'x' * 524_289}'", None),
    ],
)
def test_values(runtime: InProcess, db: Db, expression: str, expected: bytes | None) -> None:
    statement = f"CREATE SECRET s AS {expression}".encode()
    if expected is None:
        with pytest.raises(psycopg.Error) as refused:
            db.execute(statement)
        assert refused.value.sqlstate in ("0A000", "42804", "22004", "22023", "54000")
        return
    db.execute(statement)
    assert value(runtime, "s") == expected


def test_parameters_and_alterations(runtime: InProcess, db: Db) -> None:
    for text in ("one", "two"):
        db.execute("CREATE SECRET p AS %s", (text,))
        assert value(runtime, "p") == text.encode()
        db.execute("ALTER SECRET p AS %b", (b"\x00" + text.encode(),))
        assert value(runtime, "p") == b"\x00" + text.encode()
        db.execute("DROP SECRET p")
    db.execute("ALTER SECRET IF EXISTS p AS 'x'")
    with pytest.raises(errors.UndefinedObject, match='secret "p" does not exist'):
        db.execute("ALTER SECRET p AS 'x'")


def test_names_are_those_of_secrets_alone(db: Db, schema: str) -> None:
    db.execute("CREATE TABLE s (a int)")
    db.execute("CREATE SECRET s AS 'x'")
    db.execute("CREATE CONNECTION s TO KAFKA (BROKER 'a') WITH (VALIDATE = false)")
    for statement, message in (
        ("CREATE SECRET s AS 'y'", f'secret "s" already exists in schema "{schema}"'),
        ("CREATE SECRET nowhere.s AS 'y'", 'schema "nowhere" does not exist'),
        ("CREATE SECRET pg_temp.s AS 'y'", "temporary secrets are not supported"),
        ("CREATE SECRET pg_catalog.s AS 'y'", 'permission denied to create "pg_catalog.s"'),
        ("SELECT * FROM t", 'relation "t" does not exist'),
    ):
        with pytest.raises(psycopg.Error) as refused:
            db.execute(statement.encode())
        assert refused.value.diag.message_primary == message
    db.execute("ALTER SECRET s RENAME TO t")
    with pytest.raises(errors.UndefinedObject):
        db.execute("DROP SECRET s")
    db.execute("CREATE SECRET s AS 'y'")
    with pytest.raises(errors.DuplicateObject):
        db.execute("ALTER SECRET s RENAME TO t")
    db.execute("DROP TABLE s")
    db.execute("COMMENT ON SECRET t IS 'of the test'")
    assert rows(db, "SELECT comment FROM mz_internal.mz_comments WHERE object_type = 'secret'") == [
        ("of the test",)
    ]
    assert rows(db, "SHOW SECRETS") == [("s",), ("t",)]
    assert rows(db, "SHOW CONNECTIONS") == [("s", "kafka")]
    assert rows(db, "SELECT 1 FROM pg_class WHERE relname IN ('s', 't')") == []
    other = f"{schema}_other"
    db.execute(f"CREATE SCHEMA {other}".encode())
    db.execute(f"ALTER SECRET t SET SCHEMA {other}".encode())
    assert rows(db, f"SHOW SECRETS FROM {other}") == [("t",)]
    with pytest.raises(errors.DependentObjectsStillExist):
        db.execute(f"DROP SCHEMA {other}".encode())
    db.execute(f"DROP SCHEMA {other} CASCADE".encode())
    db.execute("DROP SECRET IF EXISTS s, nowhere")
    assert rows(db, "SHOW SECRETS") == []


def test_blocks(runtime: InProcess, db: Db, other: Db) -> None:
    with db.transaction():
        db.execute("CREATE SECRET s AS 'x'")
        db.execute("CREATE CONNECTION c TO KAFKA (BROKER 'a', SSL CERTIFICATE SECRET s, SSL KEY SECRET s) "
                   "WITH (VALIDATE = false)")  # fmt: skip
        assert rows(db, "SHOW CONNECTIONS") == [("c", "kafka")]
        assert rows(other, "SHOW SECRETS") == []
        db.execute("ALTER SECRET s AS 'y'")
    assert value(runtime, "s") == b"y"
    db.execute("BEGIN")
    db.execute("ALTER SECRET s AS 'z'")
    db.execute("ROLLBACK")
    assert value(runtime, "s") == b"y"
    db.execute("BEGIN READ ONLY")
    with pytest.raises(errors.ReadOnlySqlTransaction, match="cannot execute ALTER SECRET"):
        db.execute("ALTER SECRET s AS 'z'")
    db.execute("ROLLBACK")


def test_another_value_does_not_disturb_a_block_that_names_the_secret(db: Db, other: Db) -> None:
    db.execute("CREATE SECRET s AS 'x'")
    db.execute("BEGIN")
    db.execute("CREATE CONNECTION c TO POSTGRES (HOST h, DATABASE d, USER SECRET s) WITH (VALIDATE = false)")
    other.execute("ALTER SECRET s AS 'y'")
    db.execute("COMMIT")
    db.execute("BEGIN")
    db.execute("ALTER SECRET s AS 'z'")
    other.execute("ALTER SECRET s AS 'w'")
    with pytest.raises(errors.SerializationFailure):
        db.execute("COMMIT")


def test_a_name_has_one_secret_whoever_comes_first(runtime: InProcess, schema: str) -> None:
    def make(number: int) -> str | None:
        with runtime.connect(options=f"-c search_path={schema}") as db:
            try:
                db.execute(f"CREATE SECRET s AS 'of {number}'".encode())
            except psycopg.Error as error:
                return error.sqlstate
        return None

    with ThreadPoolExecutor(6) as pool:
        outcomes = list(pool.map(make, range(6)))
    assert sorted(outcomes, key=str) == ["42710"] * 5 + [None]
    assert value(runtime, "s") == f"of {outcomes.index(None)}".encode()


def test_privileges(runtime: InProcess, schema: str) -> None:
    runtime.query("CREATE ROLE maker LOGIN")
    runtime.query("CREATE ROLE user_of LOGIN")
    runtime.query(f"GRANT USAGE, CREATE ON SCHEMA {schema} TO maker, user_of")
    with runtime.connect(options=f"-c search_path={schema}") as db:
        refused: list[str] = []

        def attempt(role: str, statement: str) -> None:
            db.execute(f"SET ROLE {role}".encode())
            try:
                db.execute(statement.encode())
            except errors.InsufficientPrivilege as error:
                refused.append(str(error.diag.message_primary))
            db.execute("RESET ROLE")

        kafka = "TO KAFKA (BROKER 'a', SSL CERTIFICATE SECRET s, SSL KEY SECRET s) WITH (VALIDATE = false)"
        attempt("maker", "CREATE SECRET s AS 'x'")
        attempt("user_of", f"CREATE CONNECTION c {kafka}")
        attempt("user_of", "ALTER SECRET s AS 'y'")
        attempt("user_of", "DROP SECRET s")
        attempt("user_of", "ALTER SECRET s RENAME TO t")
        attempt("user_of", "COMMENT ON SECRET s IS 'mine'")
        assert refused == ["permission denied for secret s", *["must be owner of secret s"] * 4]
        refused.clear()
        attempt("maker", "GRANT USAGE ON SECRET s TO user_of")
        attempt("user_of", f"CREATE CONNECTION c {kafka}")
        attempt("maker", "VALIDATE CONNECTION c")
        attempt("maker", "ALTER CONNECTION c SET (BROKER 'b') WITH (VALIDATE = false)")
        attempt("maker", "REVOKE USAGE ON SECRET s FROM user_of")
        attempt("user_of", "ALTER CONNECTION c SET (BROKER 'b') WITH (VALIDATE = false)")
        attempt("user_of", "ALTER CONNECTION c SET (SSL KEY SECRET s) WITH (VALIDATE = false)")
        assert refused == [
            "permission denied for connection c",
            "must be owner of connection c",
            "permission denied for secret s",
        ]
        assert rows(
            db,
            "SELECT has_secret_privilege('maker', 's', 'USAGE'), has_secret_privilege('user_of', 's', 'USAGE'), "
            f"has_connection_privilege('user_of', '{schema}.c', 'USAGE')",
        ) == [(True, False, True)]
        with pytest.raises(errors.UndefinedObject, match='secret "t" does not exist'):
            db.execute("SELECT has_secret_privilege('maker', 't', 'USAGE')")
        with pytest.raises(psycopg.Error, match="invalid privilege type SELECT for secret"):
            db.execute("GRANT SELECT ON SECRET s TO PUBLIC")
        db.execute(f"GRANT USAGE ON ALL SECRETS IN SCHEMA {schema} TO user_of".encode())
        db.execute(f"GRANT USAGE ON ALL CONNECTIONS IN SCHEMA {schema} TO maker".encode())
        found = rows(db, "SELECT grantee, name, object_type FROM mz_internal.mz_show_all_privileges "
                         "WHERE object_type IN ('secret', 'connection')")  # fmt: skip
        assert sorted(found) == [("maker", "c", "connection"), ("user_of", "s", "secret")]
        db.execute("ALTER DEFAULT PRIVILEGES GRANT USAGE ON SECRETS TO maker")
        db.execute("CREATE SECRET later AS 'x'")
        assert rows(db, "SELECT has_secret_privilege('maker', 'later', 'USAGE')") == [(True,)]
        db.execute("ALTER DEFAULT PRIVILEGES REVOKE USAGE ON SECRETS FROM maker")
        db.execute("ALTER SECRET later OWNER TO user_of")
        db.execute("DROP OWNED BY maker CASCADE")
        assert rows(db, "SHOW SECRETS") == [("later",)]
        assert rows(db, "SHOW CONNECTIONS") == []
        db.execute("DROP OWNED BY user_of")
        db.execute("DROP ROLE maker, user_of")


def test_a_restart_keeps_them(fresh: InProcess) -> None:
    fresh.query("CREATE SECRET s AS 'x'")
    fresh.query(
        "CREATE CONNECTION c TO POSTGRES (HOST h, DATABASE d, USER u, PASSWORD SECRET s) WITH (VALIDATE = false)"
    )
    before = fresh.query("SELECT * FROM mz_connections"), fresh.query("SELECT * FROM mz_secrets")
    fresh.abandon()
    fresh.start()
    assert (fresh.query("SELECT * FROM mz_connections"), fresh.query("SELECT * FROM mz_secrets")) == before
    assert value(fresh, "s") == b"x"
    with pytest.raises(errors.DependentObjectsStillExist):
        fresh.query("DROP SECRET s")


def key_file(runtime: InProcess) -> Path:
    return runtime.directory / "secrets.key"


def test_keys_are_rotated_at_a_restart(fresh: InProcess) -> None:
    fresh.query("CREATE SECRET s AS 'x'")
    before, old = sealed(fresh)["s"].sealed, key_file(fresh).read_text()
    fresh.stop()
    key_file(fresh).write_text(f"{base64.b64encode(bytes(32)).decode()}\n{old}")
    fresh.start()
    assert value(fresh, "s") == b"x"
    assert sealed(fresh)["s"].sealed.split(".")[1] != before.split(".")[1]
    fresh.stop()
    key_file(fresh).write_text(base64.b64encode(bytes(32)).decode())
    fresh.start()
    assert value(fresh, "s") == b"x"


def test_a_lost_key(fresh: InProcess, caplog: pytest.LogCaptureFixture) -> None:
    """The runtime starts; what needs the key is refused, and no other one is made beside what needs it."""
    fresh.query("CREATE SECRET s AS 'x'")
    fresh.query(
        "CREATE CONNECTION c TO POSTGRES (HOST localhost, DATABASE d, USER u, PASSWORD SECRET s) WITH (VALIDATE = false)"
    )
    fresh.stop()
    text = key_file(fresh).read_text()
    key_file(fresh).unlink()
    fresh.start()
    assert "the keys of 1 secrets are not there, among them that of public.s" in caplog.text
    with pytest.raises(errors.ConfigFileError, match="cannot be read: its key"):
        fresh.query("VALIDATE CONNECTION c")
    for statement in ("CREATE SECRET t AS 'y'", "ALTER SECRET s AS 'y'"):
        with pytest.raises(errors.ConfigFileError, match="the key of 1 secrets is not there"):
            fresh.query(statement)
    assert not key_file(fresh).exists()
    fresh.stop()
    key_file(fresh).touch(0o600)
    key_file(fresh).write_text(text)
    fresh.start()
    assert value(fresh, "s") == b"x"
    fresh.query("DROP SECRET s CASCADE")
    fresh.stop()
    key_file(fresh).unlink()
    fresh.start()
    fresh.query("CREATE SECRET t AS 'y'")
    assert key_file(fresh).exists()


def test_a_key_file_that_others_may_read_is_refused(fresh: InProcess) -> None:
    fresh.query("CREATE SECRET s AS 'x'")
    fresh.stop()
    key_file(fresh).chmod(0o644)
    with pytest.raises(UnusableKeys, match="may be read by others"):
        fresh.start()
    key_file(fresh).chmod(0o600)
