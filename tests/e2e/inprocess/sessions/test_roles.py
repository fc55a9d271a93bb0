"""Roles: who there is, who is in whom, who a session is; and who may connect."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from inprocess import InProcess, rows


@pytest.fixture(scope="module")
def runtime(tmp_path_factory: pytest.TempPathFactory) -> Iterator[InProcess]:
    environment = InProcess(tmp_path_factory.mktemp("roles"))
    environment.start()
    yield environment
    environment.stop()


@pytest.fixture
def db(runtime: InProcess) -> Iterator[psycopg.Connection[Any]]:
    with runtime.connect() as connection:
        yield connection
        connection.execute("RESET SESSION AUTHORIZATION")


def state_of(db: psycopg.Connection[Any], sql: str) -> str | None:
    """The SQLSTATE of a statement that fails; None for one that does not."""
    try:
        db.execute(sql)  # type: ignore[call-overload]
    except psycopg.Error as error:
        return error.sqlstate
    return None


def test_roles_and_memberships(db: psycopg.Connection[Any]) -> None:
    db.execute("CREATE ROLE staff")
    db.execute("CREATE USER ada WITH PASSWORD NULL CREATEDB IN ROLE staff")
    db.execute("CREATE ROLE bob NOINHERIT LOGIN ROLE ada ADMIN staff")
    assert rows(
        db,
        "SELECT rolname, rolcanlogin, rolinherit, rolcreatedb FROM pg_roles WHERE rolname <> 'ptvc' ORDER BY 1",
    ) == [("ada", True, True, True), ("bob", True, False, False), ("staff", False, True, False)]
    members = """SELECT r.rolname, m.rolname, pg_get_userbyid(a.grantor), a.admin_option, a.inherit_option
        FROM pg_auth_members a JOIN pg_roles r ON r.oid = a.roleid JOIN pg_roles m ON m.oid = a.member
        ORDER BY 1, 2"""
    assert rows(db, members) == [
        ("bob", "ada", "ptvc", False, True),
        ("bob", "staff", "ptvc", True, True),
        ("staff", "ada", "ptvc", False, True),
    ]
    assert state_of(db, "GRANT ada TO bob") == "0LP01"
    db.execute("REVOKE ADMIN OPTION FOR bob FROM staff")
    db.execute("REVOKE staff FROM ada")
    assert rows(db, members) == [
        ("bob", "ada", "ptvc", False, True),
        ("bob", "staff", "ptvc", False, True),
    ]
    assert state_of(db, "CREATE ROLE ada") == "42710"
    assert state_of(db, "CREATE ROLE public") == "42939"
    assert state_of(db, "CREATE ROLE x REPLICATION") == "0A000"
    assert state_of(db, "DROP ROLE nobody") == "42704"
    db.execute("DROP ROLE IF EXISTS nobody")
    db.execute("ALTER ROLE ada RENAME TO eve")
    db.execute("DROP ROLE eve, bob, staff")
    assert rows(db, "SHOW ROLES") == [("ptvc",)]
    assert rows(db, "SELECT * FROM pg_auth_members") == []


def test_who_a_session_is(db: psycopg.Connection[Any]) -> None:
    who = "SELECT current_user, session_user"
    db.execute("CREATE ROLE a")
    db.execute("CREATE ROLE b IN ROLE a")
    db.execute("CREATE ROLE c")
    assert rows(db, who) == [("ptvc", "ptvc")]
    db.execute("SET ROLE b")
    assert rows(db, who) == [("b", "ptvc")]
    assert rows(db, "SHOW is_superuser") == [("off",)]
    db.execute("SET ROLE NONE")
    db.execute("SET SESSION AUTHORIZATION b")
    assert rows(db, who) == [("b", "b")]
    db.execute("SET ROLE a")
    assert rows(db, who) == [("a", "b")]
    assert state_of(db, "SET ROLE c") == "42501"
    assert state_of(db, "SET ROLE nobody") == "22023"
    assert state_of(db, "CREATE ROLE d") == "42501"
    with db.transaction(force_rollback=True):
        db.execute("SET LOCAL ROLE b")
        assert rows(db, who) == [("b", "b")]
    assert rows(db, who) == [("a", "b")]
    db.execute("RESET ROLE")
    assert rows(db, who) == [("b", "b")]
    db.execute("DISCARD ALL")
    assert rows(db, who) == [("ptvc", "ptvc")]
    assert rows(db, "SHOW is_superuser") == [("on",)]
    db.execute("DROP ROLE a, b, c")


def test_createrole_makes_and_administers_its_own(db: psycopg.Connection[Any]) -> None:
    db.execute("CREATE ROLE chief CREATEROLE")
    db.execute("CREATE ROLE other")
    db.execute("SET ROLE chief")
    db.execute("CREATE ROLE mine")
    assert state_of(db, "CREATE ROLE king SUPERUSER") == "42501"
    assert state_of(db, "CREATE ROLE king CREATEDB") == "42501"
    assert state_of(db, "DROP ROLE other") == "42501"
    assert state_of(db, "GRANT other TO mine") == "42501"
    assert state_of(db, "ALTER ROLE ptvc NOSUPERUSER") == "42501"
    db.execute("ALTER ROLE mine LOGIN")
    db.execute("GRANT mine TO other")
    db.execute("RESET ROLE")
    assert state_of(db, "DROP ROLE chief") == "2BP01"  # it has granted a membership
    db.execute("DROP ROLE mine, other")
    db.execute("DROP ROLE chief")


def test_settings_of_the_system_are_those_of_new_sessions(
    runtime: InProcess, db: psycopg.Connection[Any]
) -> None:
    shown = "SELECT current_setting('lock_timeout'), current_setting('search_path')"

    def new_session(user: str = "ptvc") -> list[tuple[Any, ...]]:
        with runtime.connect(user=user) as session:
            return rows(session, shown)

    db.execute("CREATE USER own")
    db.execute("ALTER ROLE own SET lock_timeout = '3s'")
    before = rows(db, shown)
    db.execute("ALTER SYSTEM SET lock_timeout TO '7s'")
    db.execute('ALTER SYSTEM SET search_path = "A b", public')
    assert rows(db, shown) == before
    assert new_session() == [("7s", '"A b", public')]
    assert new_session("own") == [("3s", '"A b", public')]  # a role's own settings win
    with runtime.connect() as session:
        session.execute("SET lock_timeout = '1s'; RESET lock_timeout")
        assert rows(session, shown) == new_session()
    db.execute("ALTER SYSTEM RESET search_path")
    db.execute("ALTER SYSTEM RESET search_path")  # nothing is left to be taken back
    assert new_session() == [("7s", "public")]
    for statement, state in [
        ("SET max_tables = 100", "42704"),  # limits that would not be kept are not taken, as by SET
        ("SET enable_things = true", "42704"),
        ("SET lock_timeout = 'long'", "22023"),
        ("SET server_version = '9'", "55P02"),
        ("RESET nothing", "42704"),
        ("DO IT", "42601"),
    ]:
        assert state_of(db, f"ALTER SYSTEM {statement}") == state
    assert state_of(db, "BEGIN; ALTER SYSTEM RESET ALL; COMMIT") == "0A000"
    db.execute("ROLLBACK")
    db.execute("SET ROLE own")
    assert state_of(db, "ALTER SYSTEM SET lock_timeout = 0") == "42501"
    assert state_of(db, "ALTER SYSTEM RESET ALL") == "42501"
    db.execute("RESET ROLE")
    assert db.execute("ALTER SYSTEM RESET ALL").statusmessage == "ALTER SYSTEM"
    assert new_session() == before
    db.execute("DROP ROLE own")


def test_who_may_connect(runtime: InProcess, db: psycopg.Connection[Any]) -> None:
    def who(user: str, **more: Any) -> Any:
        with psycopg.connect(runtime.dsn, user=user, **more) as connection:
            return rows(connection, "SELECT current_user, current_setting('statement_timeout')")

    assert who("anybody") == [("anybody", "0")]  # there is no role but the first
    db.execute("CREATE ROLE quiet")
    db.execute("CREATE USER loud")
    db.execute("ALTER ROLE loud SET statement_timeout = '5s'")
    assert who("loud") == [("loud", "5s")]
    for name in ("anybody", "quiet"):
        with pytest.raises(psycopg.OperationalError, match=r"does not exist|not permitted to log in"):
            who(name)
    db.execute("ALTER ROLE loud PASSWORD 'secret'")
    assert who("loud", password="secret") == [("loud", "5s")]
    for name, password in (("loud", "wrong"), ("nobody", "secret")):
        with pytest.raises(psycopg.OperationalError, match="password authentication failed"):
            who(name, password=password)
    assert who("ptvc") == [("ptvc", "0")]
    ((shown,),) = rows(db, "SELECT rolpassword FROM pg_roles WHERE rolname = 'loud'")
    assert shown == "********"
    db.execute("DROP ROLE quiet, loud")


def test_roles_outlive_the_process(tmp_path: Path) -> None:
    runtime = InProcess(tmp_path)
    runtime.start()
    with runtime.connect() as db:
        db.execute("CREATE ROLE keeper LOGIN PASSWORD 'x'")
        db.execute("ALTER DEFAULT PRIVILEGES GRANT SELECT ON TABLES TO keeper")
        db.execute("CREATE TABLE t (a int)")
        db.execute("CREATE TABLE closed (a int)")
        db.execute("REVOKE ALL ON closed FROM keeper; ALTER ROLE keeper SET search_path = public")
    runtime.stop()
    runtime = InProcess(tmp_path)
    runtime.start()
    with psycopg.connect(runtime.dsn, user="keeper", password="x") as db:
        assert rows(db, "SELECT current_user") == [("keeper",)]
        assert rows(db, "SELECT tableowner FROM pg_tables WHERE tablename = 't'") == [("ptvc",)]
        assert rows(db, "SELECT * FROM t") == []
        assert rows(db, "SELECT has_table_privilege(current_user, 'closed', 'SELECT')") == [(False,)]
        assert rows(db, "SELECT count(*) FROM pg_default_acl") == [(1,)]
    runtime.stop()
