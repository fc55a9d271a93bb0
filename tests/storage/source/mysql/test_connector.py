"""MYSQL sources against a MariaDB: whatever happens at either side, what is committed is what upstream had at one time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from threading import Event, Thread
from time import monotonic, sleep
from typing import Any

import pymysql
import pytest
from ptvc.repr.schema import Column, Schema
from ptvc.repr.types import TEXT
from ptvc.sql.statement.connector.mysql_types import mysql_type
from ptvc.storage.connectors import AskedOutput
from ptvc.storage.source.mysql.server import offered_tables
from servers.certificates import Authority
from servers.mariadb_listening import mariadb_server
from servers.mysql_process import MysqlProcess
from servers.mysql_servers import KINDS, numbers, server_of

from .reader import Reader, Upstream, plain_type

ACCOUNTS = 40
of_mariadb = pytest.mark.parametrize("upstream", ["mariadb"], indirect=True)
of_mysql = pytest.mark.parametrize("upstream", ["mysql"], indirect=True)


@pytest.fixture
def up(upstream: MysqlProcess) -> Iterator[Upstream]:
    made = Upstream(upstream)
    yield made
    made.close()


@pytest.fixture
def reader(up: Upstream) -> Iterator[Reader]:
    made = Reader(up)
    yield made
    made.die()


def test_a_table_is_followed(up: Upstream, reader: Reader) -> None:
    up.table("t", "k bigint, v text")
    up.run(
        "INSERT INTO t SELECT seq, concat('v', seq) FROM " + numbers(1000),
        "INSERT INTO t VALUES (NULL, NULL), (1, 'a\\tb\\\\')",
    )
    reader.ask("t")
    reader.ask_progress()
    reader.until(lambda: reader.equals("t"))
    up.run(
        "UPDATE t SET v = concat(v, '!') WHERE k < 10",
        "DELETE FROM t WHERE k > 990",
        "INSERT INTO t VALUES (7, 'x')",
    )
    reader.until(lambda: reader.equals("t"))
    assert reader.contents["progress"] == {(up.gtids,): 1}
    assert reader.ingestion.statistics.snapshot_done
    assert reader.ingestion.statistics.outputs["t"].snapshot_committed
    assert not reader.errors["t"]


def test_a_transaction_is_one_commit_over_all_tables(up: Upstream, reader: Reader) -> None:
    """Money moves between two tables while they are read; savepoints are rolled back on the way."""
    banks(up)
    reader.ask("a", "b")
    sums: set[int] = set()
    reader.seen = lambda: sums.add(_money(reader))
    done = Event()
    movers = [Thread(target=_move, args=(up.server, up.name, seed, done)) for seed in range(3)]
    for mover in movers:
        mover.start()
    try:
        for round_ in range(6):
            target = reader.commits + 10
            reader.until(lambda target=target: reader.commits >= target)
            if round_ % 2:
                reader.die()
    finally:
        done.set()
        for mover in movers:
            mover.join()
    reader.until(lambda: reader.equals("a", "b"))
    assert sums == {2 * ACCOUNTS * 100}


def banks(up: Upstream) -> None:
    for name in ("a", "b"):
        up.table(name, "k bigint primary key, v bigint")
        up.run(f"INSERT INTO {name} SELECT seq, 100 FROM {numbers(ACCOUNTS)}")


def _money(reader: Reader) -> int:
    return sum(v * n for name in ("a", "b") for (_, v), n in reader.contents[name].items())


def _move(server: MysqlProcess, schema: str, seed: int, done: Event) -> None:
    random = Random(seed)
    db: Any = None
    while not done.wait(0.002):
        # A server that was killed is awaited.
        with suppress(pymysql.MySQLError):
            if db is None or not db.open:
                db = server.connect(schema)
            with db.cursor() as cursor:
                _transfer(cursor, random)
    if db is not None and db.open:
        db.close()


def _transfer(cursor: Any, random: Random) -> None:
    amount, one, other = (
        random.randrange(1, 50),
        random.randrange(ACCOUNTS) + 1,
        random.randrange(ACCOUNTS) + 1,
    )
    cursor.execute("BEGIN")
    cursor.execute("SAVEPOINT s")
    cursor.execute("UPDATE a SET v = v + 1000 WHERE k = %s", (one,))
    cursor.execute("ROLLBACK TO s")
    cursor.execute("UPDATE a SET v = v - %s WHERE k = %s", (amount, one))
    cursor.execute("UPDATE b SET v = v + %s WHERE k = %s", (amount, other))
    cursor.execute("COMMIT" if random.random() < 0.9 else "ROLLBACK")


@pytest.mark.parametrize("seed", range(3))
def test_it_may_die_at_any_time(up: Upstream, seed: int) -> None:
    """Before it has begun, amid contents, between pieces, and before a commit."""
    random = Random(seed)
    small = Reader(up, chunk_bytes=2_000)
    up.table("t", "k bigint, v text")
    up.run("INSERT INTO t SELECT seq, concat(repeat('x', 20), seq) FROM " + numbers(2000))
    small.ask("t")
    for _ in range(12):
        for _ in range(random.randrange(8)):
            ingest = small.ingestion.advance()
            if ingest is None:
                continue
            if not ingest.complete:
                small.ingestion.staged()
            else:
                small.ingestion.aborted()
                break
        small.die()
        if random.random() < 0.5:
            small.advance()
        k = random.randrange(2000)
        up.run(
            f"UPDATE t SET v = concat(v, 'y') WHERE k BETWEEN {k} AND {k + 300}",
            f"DELETE FROM t WHERE k = {k}",
            f"INSERT INTO t VALUES ({k}, 'new')",
        )
    small.until(lambda: small.equals("t"))
    assert small.pieces > 10
    small.die()


def test_a_transaction_larger_than_memory_may_be(up: Upstream) -> None:
    """It is handed out in pieces, and committed once."""
    up.table("t", "k bigint, v text")
    small = Reader(up, chunk_bytes=10_000)
    small.ask("t")
    small.until(lambda: small.ingestion.statistics.snapshot_done)
    sizes: set[int] = set()
    small.seen = lambda: sizes.add(small.contents["t"].total())
    up.run("INSERT INTO t SELECT seq, repeat('x', 100) FROM " + numbers(5000))
    small.until(lambda: small.equals("t"))
    assert small.pieces > 5
    assert sizes <= {0, 5000}
    small.die()


def test_tables_are_added_while_others_are_read(up: Upstream, reader: Reader) -> None:
    """Each joins the others at one time."""
    banks(up)
    reader.ask("a")
    reader.until(lambda: reader.equals("a"))
    sums: set[int] = set()
    done = Event()
    mover = Thread(target=_move, args=(up.server, up.name, 1, done))
    mover.start()
    try:
        target = reader.commits + 5
        reader.until(lambda: reader.commits >= target)
        reader.ask("b")
        reader.seen = lambda: sums.add(_money(reader)) if reader.contents["b"] else None
        reader.until(lambda: reader.contents["b"])
    finally:
        done.set()
        mover.join()
    reader.until(lambda: reader.equals("a", "b"))
    assert sums == {2 * ACCOUNTS * 100}


@pytest.mark.parametrize(
    ("statement", "told"),
    [
        ("ALTER TABLE t DROP COLUMN v", 'its column "v" was altered'),
        ("ALTER TABLE t CHANGE v w text", 'its column "v" was altered'),
        ("ALTER TABLE t MODIFY k int", 'its column "k" was altered'),
        ("ALTER TABLE t CONVERT TO CHARACTER SET latin1", "was altered"),
        ("TRUNCATE t", "was truncated"),
        ("DROP TABLE t", "was dropped"),
        ("RENAME TABLE t TO u", ".u, which is its REFERENCE now: drop the table"),
        ("ALTER TABLE t RENAME TO u", ".u, which is its REFERENCE now: drop the table"),
        ("ALTER TABLE t RENAME u", ".u, which is its REFERENCE now: drop the table"),
        ("ALTER TABLE t ENGINE = MyISAM", "another engine"),
    ],
)
def test_a_table_that_becomes_another_one_ends_and_others_go_on(
    up: Upstream, reader: Reader, statement: str, told: str
) -> None:
    up.table("t", "k bigint, v text, w2 int")
    up.table("o", "k bigint, v text")
    up.run("INSERT INTO t VALUES (1, 'a', 1)")
    reader.ask("t", "o")
    reader.until(lambda: reader.ingestion.statistics.snapshot_done)
    up.run("INSERT INTO t VALUES (2, 'b', 2)", statement, "INSERT INTO o VALUES (1, 'x')")
    reader.until(lambda: reader.equals("o"))
    (error,) = reader.errors["t"]
    assert told in error
    assert reader.contents["t"] == Counter([(1, "a", 1), (2, "b", 2)])
    reader.die()
    up.run("INSERT INTO o VALUES (2, 'y')")
    reader.until(lambda: reader.equals("o"))
    assert reader.errors["t"] == {error: 1}


@of_mariadb
def test_a_table_that_is_replaced_ends(up: Upstream, reader: Reader) -> None:
    up.table("t", "k bigint, v text")
    reader.ask("t")
    reader.until(lambda: reader.ingestion.statistics.snapshot_done)
    up.run("CREATE OR REPLACE TABLE t (k bigint, v text)")
    reader.until(lambda: reader.errors["t"])
    assert "was dropped" in next(iter(reader.errors["t"]))


@of_mariadb
def test_what_leaves_rows_as_they_are_does_not_end_a_table(up: Upstream, reader: Reader) -> None:
    up.table("t", "k bigint primary key, v text")
    reader.ask("t")
    reader.until(lambda: reader.ingestion.statistics.snapshot_done)
    up.run(
        "ALTER TABLE t ADD COLUMN a int FIRST, ADD INDEX i (a), COMMENT = 'ENGINE'",
        "INSERT INTO t VALUES (1, 7, 'a')",
        "ALTER TABLE t DROP COLUMN a, ADD COLUMN b text AFTER k, ENGINE = InnoDB",
        "INSERT INTO t VALUES (8, 'b', 'c')",
        "CREATE INDEX j ON t (k)",
        "OPTIMIZE TABLE t",
        "ANALYZE TABLE t",
        "CREATE TABLE other LIKE t",
        "DROP TABLE other",
        "CREATE TEMPORARY TABLE x AS SELECT * FROM t",
        "DROP TEMPORARY TABLE x",
        "UPDATE t SET v = 'z' WHERE k = 8",
    )
    reader.until(lambda: reader.contents["t"] == Counter([(7, "a"), (8, "z")]))
    assert not reader.errors["t"]


def test_a_table_that_is_another_one_already_has_an_error_instead_of_contents(
    up: Upstream, reader: Reader
) -> None:
    up.table("t", "k bigint, v text")
    up.table("o", "k bigint, v text")
    reader.ask("t", "o")
    up.run("ALTER TABLE t MODIFY v varchar(10)", "INSERT INTO o VALUES (1, 'x')")
    reader.until(lambda: reader.equals("o"))
    (error,) = reader.errors["t"]
    assert "has another type upstream" in error


def test_statements_instead_of_rows_end_tables(up: Upstream, reader: Reader) -> None:
    """Nobody knows which rows they changed."""
    up.table("t", "k bigint, v text")
    reader.ask("t")
    reader.until(lambda: reader.ingestion.statistics.snapshot_done)
    up.run(
        "SET SESSION binlog_format = STATEMENT",
        "INSERT INTO t VALUES (1, 'a')",
        "SET SESSION binlog_format = ROW",
    )
    reader.until(lambda: reader.errors["t"])
    assert "by a statement, not by rows" in next(iter(reader.errors["t"]))


@of_mariadb
def test_two_phases_end_tables(up: Upstream, reader: Reader) -> None:
    """What is prepared may be rolled back yet."""
    up.table("t", "k bigint, v text")
    up.table("o", "k bigint, v text")
    reader.ask("t", "o")
    reader.until(lambda: reader.ingestion.statistics.snapshot_done)
    up.run("XA START 'x'", "INSERT INTO t VALUES (1, 'a')", "XA END 'x'", "XA PREPARE 'x'", "XA ROLLBACK 'x'")
    up.run("INSERT INTO o VALUES (1, 'a')")
    reader.until(lambda: reader.equals("o"))
    (error,) = reader.errors["t"]
    assert "that is not told whole" in error


@of_mariadb
def test_transactions_of_several_domains(up: Upstream, reader: Reader) -> None:
    """Each counts its own, and so may several servers in one."""
    up.table("t", "k bigint, v text")
    reader.ask("t")
    for k in range(30):
        up.run(f"SET SESSION gtid_domain_id = {k % 3}, SESSION server_id = {1 + k % 2}")
        up.run(
            f"INSERT INTO t VALUES ({k}, 'a')", f"UPDATE t SET v = 'd{k % 3}' WHERE k <= {k} AND k % 4 = 0"
        )
        if k % 7 == 0:
            reader.until(lambda: reader.equals("t"))
            reader.die()
    reader.until(lambda: reader.equals("t"))
    domains = {gtid.split("-")[0] for gtid in up.gtids.split(",")}
    assert domains >= {"0", "1", "2"}
    assert reader.position is not None
    assert all(gtid in reader.position for gtid in up.gtids.split(","))


@of_mysql
def test_two_phases_of_which_only_the_second_is_told_are_a_transaction(up: Upstream, reader: Reader) -> None:
    """MySQL before 5.7."""
    up.table("t", "k bigint, v text")
    reader.ask("t")
    reader.until(lambda: reader.ingestion.statistics.snapshot_done)
    for k, end in enumerate(("XA ROLLBACK 'x'", "XA COMMIT 'x'")):
        up.run("XA START 'x'", f"INSERT INTO t VALUES ({k}, 'a')", "XA END 'x'", "XA PREPARE 'x'", end)
    up.run("INSERT INTO t VALUES (2, 'b')")
    reader.until(lambda: reader.contents["t"].total() == 2)
    assert reader.equals("t")


@of_mysql
def test_columns_without_names_are_known_by_their_place(up: Upstream, reader: Reader) -> None:
    """More of them behind the others do not matter, nor what becomes of one that is not read and stays where it is."""
    up.table("t", "a int, k bigint unsigned primary key, v varchar(20), z smallint unsigned")
    up.table("o", "k bigint, v text")
    (table,) = offered_tables(up.db, [(up.name, "t")])
    assert table.layout == ("a", "k", "v", "z")
    kept = table.without(frozenset(("a", "v")))
    schema = Schema(tuple(Column(c.name, mysql_type(c) or TEXT) for c in kept.columns))
    reader.add({"t": AskedOutput(kept.reference, schema, kept.to_json())})
    reader.ask("o")
    reader.until(lambda: reader.ingestion.statistics.snapshot_done)
    up.run(
        "INSERT INTO t VALUES (1, 18446744073709551615, 'x', 65535)",
        "ALTER TABLE t ADD COLUMN b text, MODIFY a text, ADD INDEX (z)",
        "INSERT INTO t VALUES ('long', 2, NULL, 2, 'more')",
    )
    reader.until(lambda: reader.contents["t"] == Counter([(2**64 - 1, 65535), (2, 2)]))
    up.run("ALTER TABLE t ADD COLUMN c int FIRST", "INSERT INTO o VALUES (1, 'x')")
    reader.until(lambda: reader.equals("o"))
    (error,) = reader.errors["t"]
    assert "has its columns at other places" in error
    assert reader.contents["t"] == Counter([(2**64 - 1, 65535), (2, 2)])


def test_rows_without_all_columns_end_a_table(up: Upstream, reader: Reader) -> None:
    up.table("t", "k bigint primary key, v text")
    reader.ask("t")
    reader.until(lambda: reader.ingestion.statistics.snapshot_done)
    up.run(
        "SET SESSION binlog_row_image = MINIMAL",
        "INSERT INTO t (k) VALUES (1)",
        "SET SESSION binlog_row_image = FULL",
    )
    reader.until(lambda: reader.errors["t"])
    assert "binlog_row_image" in next(iter(reader.errors["t"]))


@of_mariadb
def test_columns_that_are_not_read_are_passed_over(up: Upstream, reader: Reader) -> None:
    """Of types that are not known here, computed ones, and more of them than a byte counts."""
    others = (
        "u uuid, ip inet6, g geometry, co text COMPRESSED, vc varchar(300) COMPRESSED, vi int AS (k + 1) VIRTUAL, "
        "st bigint AS (k + 2) STORED, inv int INVISIBLE DEFAULT 3, j json"
    )
    many = ", ".join(f"m{place} tinyint" for place in range(300))
    up.table("t", f"{others}, {many}, k bigint primary key, v text")
    up.run(
        "INSERT INTO t (k, v, u, ip, g, co, vc) VALUES (1, 'a', uuid(), '::1', point(1, 2), repeat('c', 1000), repeat('d', 300))"
    )

    def ask() -> None:
        (table,) = offered_tables(up.db, [(up.name, "t")])
        kept = table.without(
            frozenset(c.name for c in table.columns if c.name not in ("vi", "st", "inv", "k", "v"))
        )
        schema = Schema(tuple(Column(c.name, plain_type(c)) for c in kept.columns))
        reader.add({"t": AskedOutput(kept.reference, schema, kept.to_json())})

    ask()
    reader.until(lambda: reader.contents["t"] == Counter([(2, 3, 3, 1, "a")]))
    up.run(
        "INSERT INTO t (k, v, u, g, co, m299) VALUES (2, 'b', uuid(), point(1, 2), 'short', 5), (3, NULL, NULL, NULL, NULL, NULL)",
        "UPDATE t SET inv = 4, k = 10 WHERE k = 1",
    )
    reader.until(
        lambda: reader.contents["t"] == Counter([(11, 12, 4, 10, "a"), (3, 4, 3, 2, "b"), (4, 5, 3, 3, None)])
    )


def test_the_log_is_read_over_tls() -> None:
    made = Authority().certify("localhost")
    with TemporaryDirectory() as folder:
        certificate, key = Path(folder) / "certificate", Path(folder) / "key"
        certificate.write_text(made.certificate)
        key.write_text(made.key)
        with mariadb_server(
            f"--ssl-cert={certificate}", f"--ssl-key={key}", "--require-secure-transport=1"
        ) as server:
            up = Upstream(server)
            up.table("t", "k bigint, v text")
            up.run("INSERT INTO t SELECT seq, repeat('x', 500) FROM " + numbers(2000))
            reader = Reader(up)
            reader.ask("t")
            reader.until(lambda: reader.equals("t"))
            up.run("UPDATE t SET v = concat(v, 'y')")
            reader.until(lambda: reader.equals("t"))
            reader.die()
            up.db.close()


@pytest.fixture(params=KINDS)
def own_server(request: pytest.FixtureRequest) -> Iterator[Upstream]:
    """A server that is restarted, and whose log is purged."""
    with server_of(request.param) as server:
        made = Upstream(server)
        yield made
        if made.db.open:
            made.db.close()


@pytest.mark.slow(ordinary=1)
@pytest.mark.parametrize("seed", range(10))
def test_server_and_reader_may_be_killed(own_server: Upstream, seed: int) -> None:
    random, done = Random(seed), Event()
    up, reader = own_server, Reader(own_server, chunk_bytes=random.choice((1_000, 8 << 20)))
    banks(up)
    reader.ask("a", "b")
    sums: set[int] = set()
    reader.seen = lambda: sums.add(_money(reader))
    movers = [Thread(target=_move, args=(up.server, up.name, 10 * seed + i, done)) for i in range(2)]
    for mover in movers:
        mover.start()
    try:
        for _ in range(4):
            target = reader.commits + random.randrange(1, 8)
            reader.until(lambda target=target: reader.commits >= target)
            match random.randrange(3):
                case 0:
                    reader.die()
                case 1:
                    up.db.close()
                    up.server.kill()
                    for _ in range(random.randrange(3)):
                        reader.advance()
                    up.server.start()
                    up.reconnect()
                case _:
                    up.run("FLUSH BINARY LOGS")
    finally:
        done.set()
        for mover in movers:
            mover.join()
    reader.until(lambda: reader.equals("a", "b"))
    assert sums == {2 * ACCOUNTS * 100}
    reader.die()


def test_a_log_that_is_purged_stalls(own_server: Upstream) -> None:
    up, reader = own_server, Reader(own_server)
    up.table("t", "k bigint, v text")
    reader.ask("t")
    reader.until(lambda: reader.ingestion.statistics.snapshot_done)
    reader.die()
    up.run("INSERT INTO t VALUES (1, 'lost')", "FLUSH BINARY LOGS")
    _purge(up)
    reader.until_stalled("the server cannot send its binary log from there on")
    assert "create it again" in (reader.ingestion.statistics.hint or "")
    assert not reader.contents["t"]
    reader.die()


def _purge(up: Upstream) -> None:
    """Files that somebody reads, or that the engine has to do with yet, stay for a while."""
    until = monotonic() + 60
    while len(up.rows("SHOW BINARY LOGS")) > 1:
        assert monotonic() < until
        ((last, *_),) = up.rows("SHOW MASTER STATUS")
        up.run(f"PURGE BINARY LOGS TO '{last}'")
        sleep(0.1)


def test_another_history_stalls(own_server: Upstream) -> None:
    up, reader = own_server, Reader(own_server)
    up.table("t", "k bigint, v text")
    up.run("INSERT INTO t VALUES (1, 'a')")
    reader.ask("t")
    reader.until(lambda: reader.equals("t"))
    reader.die()
    up.run("RESET MASTER", "INSERT INTO t VALUES (2, 'b')")
    reader.until_stalled("the server cannot send its binary log from there on")
    reader.die()


def test_another_history_that_is_longer_stalls(own_server: Upstream) -> None:
    """Its transactions have the same GTIDs, and are others."""
    up, reader = own_server, Reader(own_server)
    up.table("t", "k bigint, v text")
    reader.ask("t")
    reader.until(lambda: reader.ingestion.statistics.snapshot_done)
    up.run("INSERT INTO t VALUES (1, 'a')")
    reader.until(lambda: reader.equals("t"))
    reader.die()
    up.run("INSERT INTO t VALUES (2, 'b')")
    reader.until(lambda: reader.equals("t"))
    reader.die()
    up.run("RESET MASTER", "SET timestamp = 1000000000", *["INSERT INTO t VALUES (3, 'c')"] * 20)
    reader.until_stalled("has another history than the one that was read")
    assert "create it again" in (reader.ingestion.statistics.hint or "")
    reader.die()


def test_a_last_transaction_that_is_purged_does_not_matter(own_server: Upstream) -> None:
    """Nothing that comes next is missing."""
    up, reader = own_server, Reader(own_server)
    up.table("t", "k bigint, v text")
    reader.ask("t")
    reader.until(lambda: reader.ingestion.statistics.snapshot_done)
    up.run("INSERT INTO t VALUES (1, 'a')")
    reader.until(lambda: reader.equals("t"))
    reader.die()
    up.run("FLUSH BINARY LOGS")
    _purge(up)
    up.run("INSERT INTO t VALUES (2, 'b')")
    reader.until(lambda: reader.equals("t"))
    reader.die()


def test_a_log_without_transactions_is_begun_with(own_server: Upstream) -> None:
    up, reader = own_server, Reader(own_server)
    up.table("t", "k bigint, v text")
    up.run("INSERT INTO t VALUES (1, 'a')", "RESET MASTER")
    reader.ask("t")
    reader.until(lambda: reader.equals("t"))
    reader.die()
    up.run("INSERT INTO t VALUES (2, 'b')")
    reader.until(lambda: reader.equals("t"))
    reader.die()
