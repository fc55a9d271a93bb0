"""POSTGRES sources against a PostgreSQL: whatever happens at either side, what is committed is what upstream had at one time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from random import Random
from threading import Event, Thread

import psycopg
import pytest
from ptvc.repr.types import CHAR, INT8
from servers.postgres_listening import Listening

from .reader import USER, Reader, Upstream

ACCOUNTS = 40


@pytest.fixture
def up(upstream: Listening) -> Iterator[Upstream]:
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
        "INSERT INTO t SELECT g, 'v' || g FROM generate_series(1, 1000) g",
        "INSERT INTO t VALUES (NULL, NULL), (1, E'a\\tb\\\\\\n')",
    )
    reader.ask("t")
    reader.ask_progress()
    reader.until(lambda: reader.equals("t"))
    up.run(
        "UPDATE t SET v = v || '!' WHERE k < 10",
        "DELETE FROM t WHERE k > 990",
        "INSERT INTO t VALUES (7, 'x')",
    )
    reader.until(lambda: reader.equals("t"))
    assert sum(reader.contents["progress"].values()) == 1
    assert reader.ingestion.statistics.snapshot_done
    assert reader.ingestion.statistics.outputs["t"].snapshot_committed
    assert not reader.errors["t"]


def test_a_transaction_is_one_commit_over_all_tables(up: Upstream, reader: Reader) -> None:
    """Money moves between two tables while they are read; savepoints are rolled back on the way."""
    for name in ("a", "b"):
        up.table(name, "k bigint, v bigint")
        up.run(f"INSERT INTO {name} SELECT g, 100 FROM generate_series(1, {ACCOUNTS}) g")
    reader.ask("a", "b")
    sums: set[int] = set()
    reader.seen = lambda: sums.add(_money(reader))
    done = Event()
    movers = [Thread(target=_move, args=(up, Random(seed), done)) for seed in range(3)]
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


def _money(reader: Reader) -> int:
    return sum(v * n for name in ("a", "b") for (_, v), n in reader.contents[name].items())


def _move(up: Upstream, random: Random, done: Event) -> None:
    with psycopg.connect(up.server.uri, autocommit=True) as db:
        db.execute(f"SET search_path = {up.name}".encode())
        while not done.is_set():
            amount = random.randrange(1, 50)
            with db.transaction():
                with db.transaction(force_rollback=True):
                    db.execute("UPDATE a SET v = v + 1000 WHERE k = %s", (random.randrange(1, ACCOUNTS + 1),))
                db.execute(
                    "UPDATE a SET v = v - %s WHERE k = %s", (amount, random.randrange(1, ACCOUNTS + 1))
                )
                db.execute(
                    "UPDATE b SET v = v + %s WHERE k = %s", (amount, random.randrange(1, ACCOUNTS + 1))
                )


@pytest.mark.parametrize("seed", range(3))
def test_it_may_die_at_any_time(up: Upstream, reader: Reader, seed: int) -> None:
    """Before it has begun, amid contents, between pieces, and before a commit."""
    random = Random(seed)
    small = Reader(up, chunk_bytes=2_000)
    up.table("t", "k bigint, v text")
    up.run("INSERT INTO t SELECT g, repeat('x', 20) || g FROM generate_series(1, 2000) g")
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
            f"UPDATE t SET v = v || 'y' WHERE k BETWEEN {k} AND {k + 300}",
            f"DELETE FROM t WHERE k = {k}",
            f"INSERT INTO t VALUES ({k}, 'new')",
        )
    small.until(lambda: small.equals("t"))
    assert small.pieces > 10
    small.die()


def test_a_transaction_larger_than_memory_may_be(up: Upstream, reader: Reader) -> None:
    """It is handed out in pieces, and committed once."""
    up.table("t", "k bigint, v text")
    small = Reader(up, chunk_bytes=10_000)
    small.ask("t")
    small.until(lambda: small.ingestion.statistics.snapshot_done)
    sizes: set[int] = set()
    small.seen = lambda: sizes.add(sum(small.contents["t"].values()))
    up.run("INSERT INTO t SELECT g, repeat('x', 100) FROM generate_series(1, 5000) g")
    small.until(lambda: small.equals("t"))
    assert small.pieces > 5
    assert sizes <= {0, 5000}
    small.die()


def test_tables_are_added_while_others_are_read(up: Upstream, reader: Reader) -> None:
    up.table("a", "k bigint, v bigint")
    up.table("b", "k bigint, v bigint")
    for name in ("a", "b"):
        up.run(f"INSERT INTO {name} SELECT g, 100 FROM generate_series(1, {ACCOUNTS}) g")
    reader.ask("a")
    done = Event()
    mover = Thread(target=_move, args=(up, Random(1), done))
    mover.start()
    sums: set[int] = set()
    try:
        reader.until(lambda: reader.commits > 5)
        reader.ask("b")
        reader.until(lambda: reader.contents["b"])
        reader.seen = lambda: sums.add(_money(reader))
        target = reader.commits + 20
        reader.until(lambda: reader.commits > target)
    finally:
        done.set()
        mover.join()
    reader.until(lambda: reader.equals("a", "b"))
    assert sums == {2 * ACCOUNTS * 100}
    assert up.slots() == [up.name]  # what the snapshot had is gone
    reader.forget("a")
    up.run("INSERT INTO b VALUES (1000, 0)")
    reader.until(lambda: reader.equals("b"))
    reader.ask("a")
    reader.until(lambda: reader.equals("a", "b"))


def test_open_transactions_upstream_keep_nobody_else_waiting_for_good(up: Upstream, reader: Reader) -> None:
    up.table("t", "k bigint, v bigint")
    with psycopg.connect(up.server.uri) as other:
        other.execute(f"INSERT INTO {up.name}.t VALUES (1, 1)".encode())
        reader.ask("t")
        reader.until_stalled("transactions that are open upstream")
    reader.until(lambda: reader.equals("t"))
    assert reader.contents["t"] == Counter({(1, 1): 1})


@pytest.mark.slow
@pytest.mark.parametrize("added", [False, True])
def test_who_alters_a_table_and_the_snapshot_do_not_wait_for_each_other(
    up: Upstream, reader: Reader, added: bool
) -> None:
    """A slot waits for all transactions, an ALTER TABLE among them that waits for the snapshot's lock."""
    up.table("t", "k bigint, v text")
    up.table("u", "k bigint")
    up.run("CREATE TABLE o (k int)", "INSERT INTO t VALUES (1, 'a')")
    if added:
        reader.ask("u")
        reader.until(lambda: reader.ingestion.statistics.snapshot_done)
    altered = Event()

    def alter() -> None:
        with psycopg.connect(up.server.uri, autocommit=True) as db:
            db.execute(f"ALTER TABLE {up.name}.t ADD COLUMN w bigint DEFAULT 7".encode())
        altered.set()

    with psycopg.connect(up.server.uri) as other:
        other.execute(f"INSERT INTO {up.name}.o VALUES (1)".encode())
        reader.ask("t")
        waiting = f"SELECT FROM pg_locks WHERE relation = '{up.name}.t'::regclass AND {{}}"
        reader.until(lambda: up.rows(waiting.format("mode = 'AccessShareLock'")))
        thread = Thread(target=alter)
        thread.start()
        try:
            reader.until(lambda: altered.is_set() or up.rows(waiting.format("NOT granted")))
            other.commit()
            reader.until(altered.is_set)
        finally:
            reader.die()
            thread.join()
    up.run("INSERT INTO t VALUES (2, 'b')")
    reader.until(lambda: reader.contents["t"] == Counter({(1, "a"): 1, (2, "b"): 1}))
    assert not reader.errors["t"]


def test_what_a_table_that_is_added_waits_for_is_told(
    up: Upstream, reader: Reader, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ptvc.storage.source.postgres.snapshot.SLOW_S", 0.2)
    for name in ("t", "u"):
        up.table(name, "k bigint")
    up.run("CREATE TABLE o (k int)")
    reader.ask("t")
    reader.until(lambda: reader.ingestion.statistics.snapshot_done)
    with psycopg.connect(up.server.uri) as other:
        other.execute(f"INSERT INTO {up.name}.o VALUES (1)".encode())
        reader.ask("u")
        reader.until_stalled(f'for the contents of "{up.name}.u" waits since')
        process = other.info.backend_pid
        assert f'open upstream: process {process} of role "postgres"' in (
            reader.ingestion.statistics.reason or ""
        )
        up.run("INSERT INTO u VALUES (1)")
        assert not reader.contents["u"]
    reader.until(lambda: reader.equals("t", "u"))
    assert reader.contents["u"]


@pytest.mark.parametrize("connections", [None, 1, 3])
def test_contents_are_copied_in_ranges(
    up: Upstream, monkeypatch: pytest.MonkeyPatch, connections: int | None
) -> None:
    """Of a table that grows meanwhile, and whose last pages were empty when it was begun."""
    monkeypatch.setattr("ptvc.storage.source.postgres.snapshot.RANGE_BYTES", 5 * 8192)
    up.table("t", "k bigint, v text")
    up.table("u", "k bigint")
    up.run(
        "INSERT INTO t SELECT g, repeat('x', 50) || g FROM generate_series(1, 20000) g",
        "DELETE FROM t WHERE k > 18000",
        "INSERT INTO u SELECT g FROM generate_series(1, 7) g",
    )
    reader = Reader(up, chunk_bytes=30_000, snapshot_connections=connections)
    reader.ask("t", "u")
    for k in range(40):
        reader.step()
        up.run(f"INSERT INTO t VALUES ({k}, 'new')", f"UPDATE t SET v = 'y' WHERE k = {k * 400}")
    reader.until(lambda: reader.equals("t", "u"))
    assert reader.pieces > 20
    reader.die()


def test_contents_of_a_table_that_was_renamed(up: Upstream, reader: Reader) -> None:
    """Another one has its name by now."""
    up.table("t", "k bigint")
    up.run("INSERT INTO t VALUES (1)")
    reader.ask("t")
    up.run("ALTER TABLE t RENAME TO gone")
    up.table("t", "k bigint")
    up.run("INSERT INTO t VALUES (2)", "INSERT INTO gone VALUES (3)")
    reader.until(lambda: reader.contents["t"] == up.contents("gone"))


def test_a_table_that_is_gone_before_its_contents_were_read(up: Upstream, reader: Reader) -> None:
    for name in ("t", "u"):
        up.table(name, "k bigint")
    up.run("INSERT INTO t VALUES (1)")
    reader.ask("t", "u")
    up.run("DROP TABLE u")
    reader.until(lambda: reader.equals("t"))
    (message,) = reader.errors["u"]
    assert "was dropped upstream" in message


def test_another_database_of_the_server(up: Upstream, reader: Reader) -> None:
    up.table("t", "k bigint")
    reader.ask("t")
    reader.until(lambda: reader.ingestion.statistics.snapshot_done)
    reader.die()
    other = Reader(up, database="template1")
    other.position = reader.position
    other.ask("t")
    other.until_stalled(
        'leads to database "template1", and the source reads database "postgres" of that server'
    )
    other.die()


def test_large_values_that_do_not_change(up: Upstream, reader: Reader) -> None:
    up.table("t", "k bigint, v text, w text")
    up.run("ALTER TABLE t ALTER COLUMN w SET STORAGE EXTERNAL")
    reader.ask("t")
    up.run("INSERT INTO t SELECT g, 'v', repeat('w', 1000000) FROM generate_series(1, 3) g")
    reader.until(lambda: reader.equals("t"))
    up.run("UPDATE t SET v = 'x' WHERE k = 2", "UPDATE t SET k = 9 WHERE k = 1", "DELETE FROM t WHERE k = 3")
    reader.until(lambda: reader.equals("t"))


@pytest.mark.parametrize(
    ("statement", "text"),
    [
        ("ALTER TABLE t DROP COLUMN v", 'column "v" of table'),
        ("ALTER TABLE t RENAME COLUMN v TO w", 'column "v" of table'),
        ("ALTER TABLE t ALTER COLUMN v TYPE varchar(10)", "has another type"),
        ("ALTER TABLE t REPLICA IDENTITY DEFAULT", "REPLICA IDENTITY FULL"),
        ("TRUNCATE t", "was truncated"),
        ("DROP TABLE t", "was dropped"),
        ("ALTER PUBLICATION {p} DROP TABLE t", "was dropped"),
        ("ALTER PUBLICATION {p} DROP TABLE t; ALTER PUBLICATION {p} ADD TABLE t", "was dropped"),
    ],
)
@pytest.mark.parametrize("then", ["INSERT INTO t (k) VALUES (3)", ""], ids=["written", "quiet"])
def test_a_table_that_becomes_another_one_has_an_error(
    up: Upstream, reader: Reader, statement: str, text: str, then: str
) -> None:
    up.table("t", "k bigint, v text")
    up.table("u", "k bigint")
    up.run("INSERT INTO t VALUES (1, 'a')")
    reader.ask("t", "u")
    reader.until(lambda: reader.equals("t", "u"))
    for part in statement.format(p=up.name).split(";"):
        up.run(part)
    if then and "DROP TABLE t" not in statement:
        up.run(then)
    up.run("INSERT INTO u VALUES (1)")
    reader.until(lambda: reader.errors["t"] and reader.equals("u"))
    ((message, count),) = reader.errors["t"].items()
    assert text in message
    assert count == 1
    reader.die()
    up.run("INSERT INTO u VALUES (2)")
    reader.until(lambda: reader.equals("u"))
    assert sum(reader.errors["t"].values()) == 1


def test_what_does_not_matter(up: Upstream, reader: Reader) -> None:
    """Columns that come, a table that is renamed, what is written to others."""
    up.table("t", "k bigint, v text")
    reader.ask("t")
    reader.until(lambda: reader.ingestion.statistics.snapshot_done)
    up.run("ALTER TABLE t ADD COLUMN w bigint DEFAULT 7", "INSERT INTO t VALUES (1, 'a', 2)")
    reader.until(lambda: reader.contents["t"] == Counter({(1, "a"): 1}))
    up.run(
        "ALTER TABLE t RENAME TO t2",
        "INSERT INTO t2 VALUES (2, 'b', 2)",
        "CREATE TABLE o (k int)",
        "INSERT INTO o VALUES (1)",
    )
    reader.until(lambda: reader.contents["t"] == Counter({(1, "a"): 1, (2, "b"): 1}))
    assert not reader.errors["t"]


def test_values_that_are_not_of_the_type_are_errors_until_they_go(up: Upstream, reader: Reader) -> None:
    from ptvc.repr.types import INT4, NUMERIC

    up.table("t", "k bigint, v numeric")
    up.run("INSERT INTO t VALUES (1, 1.5), (2, 'NaN'), (3, 1e60)")
    reader.ask("t", types={"bigint": INT4, "numeric": NUMERIC})
    reader.until(lambda: reader.commits)
    assert sum(reader.contents["t"].values()) == 3 - sum(reader.errors["t"].values())
    assert sum(reader.errors["t"].values()) >= 1
    up.run("DELETE FROM t WHERE k = 3", "UPDATE t SET v = 2 WHERE k = 2")
    reader.until(lambda: not reader.errors["t"])
    assert {k for k, _ in reader.contents["t"]} == {1, 2}


def test_single_bytes(up: Upstream, reader: Reader) -> None:
    """PostgreSQL writes what is beyond ASCII in octal digits from version 16 on; what it had before was no UTF-8."""
    up.table("t", 'k bigint, v "char"')
    up.run(r"INSERT INTO t VALUES (1, 'a'), (2, '\'), (3, ''), (4, '\200'), (5, '\377')")
    reader.ask("t", types={"bigint": INT8, '"char"': CHAR})
    reader.until(lambda: reader.commits)
    assert reader.contents["t"] == Counter({(1, "a"): 1, (2, "\\"): 1, (3, ""): 1})
    assert reader.errors["t"] == Counter({'column "v": a byte beyond ASCII as "char" is not supported': 2})
    up.run("UPDATE t SET v = 'b' WHERE k > 3")
    reader.until(lambda: not reader.errors["t"])
    assert reader.equals("t")


def test_the_slot_moves_where_only_others_write(
    up: Upstream, reader: Reader, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ptvc.storage.source.upstream.connector.IDLE_S", 0.2)
    up.table("t", "k bigint")
    up.run("CREATE TABLE o (k int)")
    reader.ask("t")
    reader.until(lambda: reader.ingestion.statistics.snapshot_done)

    def behind() -> int:
        asked = f"SELECT pg_current_wal_insert_lsn() - confirmed_flush_lsn FROM pg_replication_slots WHERE slot_name = '{up.name}'"
        return int(up.rows(asked)[0][0])

    up.run("INSERT INTO o SELECT g FROM generate_series(1, 50000) g")
    assert behind() > 1_000_000
    reader.until(lambda: behind() < 100_000)


def test_what_a_slot_has_lost_stalls_it(up: Upstream, reader: Reader) -> None:
    up.table("t", "k bigint")
    reader.ask("t")
    reader.until(lambda: reader.ingestion.statistics.snapshot_done)
    reader.die()
    up.run("INSERT INTO t VALUES (1)")
    up.run(
        "SELECT pg_terminate_backend(active_pid, 5000) FROM pg_replication_slots WHERE active_pid IS NOT NULL",
        f"SELECT pg_replication_slot_advance('{up.name}', pg_current_wal_insert_lsn())",
    )
    reader.until_stalled("and was read up to")
    reader.die()
    up.run(f"SELECT pg_drop_replication_slot('{up.name}')")
    reader.until_stalled("is gone")
    assert reader.contents["t"] == Counter()


def test_two_of_one_slot(up: Upstream, reader: Reader) -> None:
    up.table("t", "k bigint")
    reader.ask("t")
    reader.until(lambda: reader.ingestion.statistics.snapshot_done)
    reader.advance()
    other = Reader(up)
    other.position = reader.position
    other.ask("t")
    other.until_stalled("is in use by process")
    up.run("INSERT INTO t VALUES (1)")
    reader.until(lambda: reader.equals("t"))
    other.die()


def test_connections_that_break(up: Upstream, reader: Reader) -> None:
    up.table("t", "k bigint")
    reader.ask("t")
    for k in range(5):
        up.run(
            f"INSERT INTO t VALUES ({k})",
            f"SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE usename = '{USER}'",
        )
        reader.until(lambda: reader.equals("t"))


def test_row_filters(up: Upstream, reader: Reader) -> None:
    up.run(
        "CREATE TABLE p (k bigint, v text)",
        "ALTER TABLE p REPLICA IDENTITY FULL",
        f"GRANT SELECT ON p TO {USER}",
        f"ALTER PUBLICATION {up.name} ADD TABLE p WHERE (k <> 5)",
        "INSERT INTO p SELECT g, 'v' FROM generate_series(1, 50) g",
    )
    reader.ask("p")

    def equal() -> bool:
        return reader.contents["p"] == Counter(up.rows("SELECT * FROM p WHERE k <> 5"))

    reader.until(equal)
    up.run(
        "UPDATE p SET k = k + 1 WHERE k IN (4, 9)",
        "UPDATE p SET k = 60 WHERE k = 5",
        "INSERT INTO p VALUES (5, 'no'), (6, 'yes')",
        "DELETE FROM p WHERE k = 20",
    )
    reader.until(equal)


def test_columns_that_change_places(up: Upstream, reader: Reader) -> None:
    """What the log says of a table looks as before."""
    up.table("t", "k bigint, v text, w text")
    up.table("u", "k bigint, v text")
    up.run("INSERT INTO t VALUES (1, 'v', 'w')", "INSERT INTO u VALUES (1, 'v')")
    reader.ask("t", "u")
    reader.until(lambda: reader.equals("t", "u"))
    up.run(
        "ALTER TABLE t RENAME v TO x",
        "ALTER TABLE t RENAME w TO v",
        "ALTER TABLE t RENAME x TO w",
        "INSERT INTO t VALUES (2, 'w', 'v')",
        "ALTER TABLE u DROP COLUMN v",
        "ALTER TABLE u ADD COLUMN v text",
        "INSERT INTO u VALUES (2, 'v')",
    )
    reader.until(lambda: reader.errors["t"] and reader.errors["u"])
    for name in ("t", "u"):
        assert all("is another one upstream" in message for message in reader.errors[name])
        assert sum(reader.contents[name].values()) == 1, "nothing of it was taken"


def test_a_connection_that_breaks_amid_pieces(up: Upstream, reader: Reader) -> None:
    """Pieces that were staged are given up; what comes then is exact, the position as a row too."""
    small = Reader(up, chunk_bytes=200_000)
    up.table("t", "k bigint, v text")
    up.table("u", "k bigint, v text")
    up.run(
        "INSERT INTO t VALUES (1, 'a')",
        "INSERT INTO u SELECT g, repeat('x', 100) FROM generate_series(1, 100000) g",
    )
    small.ask("t")
    small.ask_progress()
    small.until(lambda: small.equals("t"))
    small.ask("u")
    for k in range(3):
        pieces = small.pieces
        while small.pieces < pieces + 2:
            small.step()
        up.run(
            f"SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE usename = '{USER}'",
            f"UPDATE u SET v = v || 'y' WHERE k < {10 * k}",
            f"INSERT INTO t VALUES ({k}, 'b')",
        )
        assert small.ingestion.in_transaction
        while small.ingestion.in_transaction:
            small.step()
        assert not small.contents["u"]
    small.until(lambda: small.equals("t", "u"))
    assert sum(small.contents["progress"].values()) == 1
    small.die()


def test_a_table_that_is_locked_holds_up_no_other(up: Upstream, reader: Reader) -> None:
    up.table("t", "k bigint")
    up.table("u", "k bigint")
    reader.ask("t", "u")
    reader.until(lambda: reader.commits)
    with psycopg.connect(up.server.uri) as other:
        other.execute(f"LOCK TABLE {up.name}.t IN ACCESS EXCLUSIVE MODE".encode())
        up.run("INSERT INTO u VALUES (1)")
        reader.until(lambda: reader.equals("u"), 5.0)
        reader.die()
        up.run("INSERT INTO u VALUES (2)")
        reader.until(lambda: reader.equals("u"), 10.0)
