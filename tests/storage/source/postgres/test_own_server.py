"""POSTGRES sources against a server of their own, to which something happens as a whole."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import oracle
import pytest
from servers.postgres_listening import Listening, logical_postgres

from .reader import USER, Reader, Upstream

pytestmark = pytest.mark.slow


@pytest.fixture(params=oracle.VERSIONS, ids="PostgreSQL {}".format)
def server(request: pytest.FixtureRequest) -> Iterator[Listening]:
    with logical_postgres(version=request.param) as server:
        yield server


def test_a_slot_that_held_too_much_of_the_log_stalls_it(server: Listening) -> None:
    server.set("max_slot_wal_keep_size = '1MB'")
    up = Upstream(server)
    up.table("t", "k bigint, v text")
    reader = Reader(up)
    reader.ask("t")
    up.run("INSERT INTO t VALUES (1, 'a')")
    reader.until(lambda: reader.equals("t"))
    reader.die()
    up.run("CREATE TABLE other (v text)")

    def is_lost() -> bool:
        """A checkpoint takes the log away that a slot holds beyond that."""
        up.run(
            "INSERT INTO other SELECT repeat('x', 1000) FROM generate_series(1, 20000)",
            "SELECT pg_switch_wal()",
            "CHECKPOINT",
        )
        return up.rows(f"SELECT wal_status FROM pg_replication_slots WHERE slot_name = '{up.name}'") == [
            ("lost",)
        ]

    for _ in range(50):
        if is_lost():
            break
    reader.until_stalled(
        "has lost what comes next: it held more of the log than max_slot_wal_keep_size allows"
    )
    assert reader.contents["t"] == Counter({(1, "a"): 1})
    reader.die()
    up.close()


def test_an_earlier_copy_of_the_files_is_not_gone_on_with(server: Listening, tmp_path: Path) -> None:
    """It is on the same timeline, and its slot is where it was then: what it writes now lies where others were read."""
    up = Upstream(server)
    up.table("t", "k bigint, v text")
    up.run("CREATE TABLE other (v text)")
    reader = Reader(up)
    reader.ask("t")
    up.run("INSERT INTO t VALUES (1, 'a')")
    reader.until(lambda: reader.equals("t"))
    reader.die()
    up.db.close()
    files = server.stopped_files()
    kept = tmp_path / "copy"
    shutil.copytree(files, kept, symlinks=True)
    server.control("start")
    up.reconnect()
    up.run("INSERT INTO t SELECT g, 'read' FROM generate_series(2, 2000) g")
    reader.until(lambda: reader.equals("t"))
    read = Counter(reader.contents["t"])
    reader.die()
    up.db.close()
    server.put_files(kept)
    up.reconnect()
    up.run("INSERT INTO t VALUES (-1, 'of the copy')")
    reader.until_stalled("the log of the server ends at")
    up.run(
        "INSERT INTO other SELECT repeat('x', 1000) FROM generate_series(1, 5000)",
        "INSERT INTO t VALUES (-2, 'later')",
    )
    for _ in range(20):
        assert not reader.advance()
    assert "the log of the server ends at" in (reader.ingestion.statistics.reason or "")
    assert reader.contents["t"] == read
    reader.die()
    up.close()


def test_tables_that_inherit(server: Listening) -> None:
    """A parent has its own rows: those of its children are published as theirs."""
    up = Upstream(server)
    up.table("parent", "k bigint, v text")
    up.run(
        "CREATE TABLE child (extra bigint) INHERITS (parent)",
        "ALTER TABLE child REPLICA IDENTITY FULL",
        f"GRANT SELECT ON child TO {USER}",
        f"ALTER PUBLICATION {up.name} SET TABLE parent",
        "INSERT INTO parent VALUES (1, 'p')",
        "INSERT INTO child VALUES (2, 'c', 7)",
    )
    reader = Reader(up)
    reader.ask("parent", "child")

    def is_same() -> bool:
        own = Counter(up.rows("SELECT * FROM ONLY parent"))
        return reader.contents["parent"] == own and reader.contents["child"] == up.contents("child")

    reader.until(is_same)
    up.run(
        "UPDATE parent SET v = 'u'", "INSERT INTO child VALUES (3, 'd', 8)", "DELETE FROM parent WHERE k = 2"
    )
    reader.until(is_same)
    assert reader.contents["child"] == Counter({(3, "d", 8): 1})
    reader.die()
    up.close()


def test_changes_of_another_origin_and_another_primary_key(server: Listening) -> None:
    up = Upstream(server)
    up.table("t", "k bigint PRIMARY KEY, v text")
    reader = Reader(up)
    reader.ask("t")
    up.run("INSERT INTO t VALUES (1, 'a')")
    reader.until(lambda: reader.equals("t"))
    up.run(
        "SELECT pg_replication_origin_create('elsewhere')",
        "SELECT pg_replication_origin_session_setup('elsewhere')",
        "INSERT INTO t VALUES (2, 'b')",
        "SELECT pg_replication_origin_session_reset()",
        "ALTER TABLE t DROP CONSTRAINT t_pkey, ADD PRIMARY KEY (v)",
        "UPDATE t SET k = 1",
        "INSERT INTO t VALUES (1, 'c')",
    )
    reader.until(lambda: reader.equals("t"))
    assert not reader.errors["t"]
    reader.die()
    up.close()
