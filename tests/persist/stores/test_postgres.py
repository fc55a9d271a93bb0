"""What PostgreSQL alone can do wrong: servers that cannot be used, connections that end, plans that read too much."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import oracle as oracle_server
import psycopg
import pytest
from persist_support import SCHEMA, append, read_at
from ptvc.clock import ManualClock
from ptvc.errors import DiskFull, InvalidParameter, StorageError
from ptvc.persist import state
from ptvc.persist.blob.memory import MemoryBlob
from ptvc.persist.client import Appended, PersistClient, Write
from ptvc.persist.consensus import postgres_commit, postgres_connection
from ptvc.persist.consensus.base import (
    Committed,
    Conflict,
    Indeterminate,
    Superseded,
    Transaction,
    WriterRow,
)
from ptvc.persist.consensus.postgres import PostgresConsensus
from ptvc.persist.consensus.postgres_connection import Connection, PostgresConnection, PostgresPlace
from ptvc.persist.state import Head, Hold
from ptvc.retry import Backoff
from servers.postgres_stores import FailingServer, disconnect, failing_server, fresh_schema, url_of
from test_consensus import commit, create, part


@pytest.fixture
def store(postgres_url: str) -> Iterator[PostgresConsensus]:
    with closing(PostgresConsensus(postgres_url)) as store:
        yield store


@pytest.fixture(scope="module")
def server() -> Iterator[FailingServer]:
    with failing_server() as server:
        yield server


def lose_reply(store: PostgresConsensus, monkeypatch: pytest.MonkeyPatch, uri: str) -> None:
    """The next commit is applied, and its answer never comes."""

    def commit(connection: Connection, transaction: Transaction) -> None:
        original(connection, transaction)
        monkeypatch.undo()
        disconnect(uri)
        connection.execute("SELECT 1")

    original = postgres_commit.commit
    monkeypatch.setattr(postgres_commit, "commit", commit)


# What is there


def test_it_survives_reopening(postgres_url: str) -> None:
    with closing(PostgresConsensus(postgres_url)) as store:
        identity = store.identity()
        head = create(store)
        change = state.appended(head, Write(0, 2, (part(1),)))
        store.commit(Transaction((change,), WriterRow("w", "f", 1), mark=9))
        store.take_epoch("c")
    with closing(PostgresConsensus(postgres_url)) as again:
        assert again.batches("s", 0) == (change.after, list(change.inserted))
        assert (again.identity(), again.mark(), again.take_epoch("c")) == (identity, 9, 2)


def test_two_clients_see_each_other(postgres_url: str) -> None:
    with closing(PostgresConsensus(postgres_url)) as one, closing(PostgresConsensus(postgres_url)) as other:
        before = other.change_count()
        head = create(one)
        assert other.change_count() != before
        assert other.head("s") == head
        assert one.identity() == other.identity()


def test_of_many_that_open_a_new_schema_one_makes_it(oracle_uri: str) -> None:
    with fresh_schema(oracle_uri) as url, ThreadPoolExecutor(6) as pool:
        stores = list(pool.map(lambda _: PostgresConsensus(url), range(6)))
        assert len({store.identity() for store in stores}) == 1
        for store in stores:
            store.close()


def test_of_many_that_create_a_shard_one_does(postgres_url: str) -> None:
    stores = [PostgresConsensus(postgres_url) for _ in range(4)]
    transaction = Transaction((state.created("s", SCHEMA, 0),))
    with ThreadPoolExecutor(len(stores)) as pool:
        for _ in range(5):
            outcomes = list(pool.map(lambda store: store.commit(transaction), stores))
            assert sorted(map(str, outcomes)) == sorted(map(str, [Committed(), *[Conflict(("s",))] * 3]))
            with psycopg.connect(postgres_url, autocommit=True) as connection:
                connection.execute("DELETE FROM shard")
                connection.execute("DELETE FROM schema")
    for store in stores:
        store.close()


def test_commits_are_durable_when_they_are_answered(
    store: PostgresConsensus, oracle: psycopg.Connection
) -> None:
    """Whatever the server's default is."""
    assert oracle.execute("SHOW synchronous_commit").fetchone() == ("off",)
    for connection in (store._writer, store._reader):
        found = connection.repeatable("read", lambda db: db.execute("SHOW synchronous_commit").fetchone())
        assert found == ("on",)


# Servers and schemas that cannot be used


def refused(url: str) -> StorageError:
    with pytest.raises(StorageError) as caught:
        PostgresConsensus(url)
    assert "secret" not in str(caught.value)
    assert caught.value.hint is not None
    return caught.value


def test_a_newer_format_is_refused(postgres_url: str) -> None:
    PostgresConsensus(postgres_url).close()
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        connection.execute("UPDATE format SET version = 99")
    assert "has format version 99; this release knows up to 1" in refused(postgres_url).message


@pytest.mark.parametrize(
    "table", ["format (x int)", "format (application text, version int)", "other (x int)"]
)
def test_tables_of_others_are_left_alone(postgres_url: str, oracle: psycopg.Connection, table: str) -> None:
    schema = PostgresPlace.of(postgres_url).schema
    oracle.execute(f"CREATE SCHEMA {schema}".encode())
    oracle.execute(f"CREATE TABLE {schema}.{table}".encode())
    error = refused(postgres_url)
    assert "tables of another program" in error.message
    assert "search_path" in str(error.hint)


def test_a_schema_that_was_made_for_it_is_used(postgres_url: str, oracle: psycopg.Connection) -> None:
    oracle.execute(f"CREATE SCHEMA {PostgresPlace.of(postgres_url).schema}".encode())
    PostgresConsensus(postgres_url).close()


def test_no_server(tmp_path: Path) -> None:
    error = refused(f"postgresql://me:secret@/db?host={tmp_path}")
    assert "could not connect to postgresql://me@" in error.message
    assert "server runs" in str(error.hint)
    assert "Connection refused" in refused("postgresql://me:secret@127.0.0.1:1/db").message


def test_no_database(oracle_uri: str) -> None:
    error = refused(oracle_uri.replace(f"/{oracle_server.DATABASE}", "/nowhere"))
    assert 'database "nowhere" does not exist' in error.message
    assert "CREATE DATABASE" in str(error.hint)


def test_a_wrong_password(server: FailingServer) -> None:
    server.only_with_password("locked", "right")
    for user in ("locked", "locked:secret"):
        error = refused(server.uri.replace("//postgres:@", f"//{user}@"))
        assert "PGPASSWORD" in str(error.hint)


def test_a_user_who_may_not(oracle_uri: str, oracle: psycopg.Connection) -> None:
    oracle.execute("CREATE ROLE humble LOGIN")
    url = oracle_uri.replace("//postgres:@", "//humble@")
    error = refused(url_of(url, "persist_humble"))
    assert "permission denied" in error.message
    assert "GRANT CREATE" in str(error.hint)
    oracle.execute("DROP ROLE humble")


def test_a_server_that_cannot_be_written(postgres_url: str, oracle: psycopg.Connection) -> None:
    oracle.execute("CREATE ROLE reader LOGIN")
    oracle.execute("ALTER ROLE reader SET default_transaction_read_only = on")
    url = postgres_url.replace("//postgres:@", "//reader@")
    for more in ("", "&target_session_attrs=any"):
        error = refused(url + more)
        assert "read-only" in error.message
        assert "primary" in str(error.hint)
    oracle.execute("DROP ROLE reader")


def test_a_database_of_another_encoding(oracle_uri: str, oracle: psycopg.Connection) -> None:
    oracle.execute("CREATE DATABASE latin TEMPLATE template0 ENCODING 'LATIN1' LOCALE 'C'")
    error = refused(oracle_uri.replace(f"/{oracle_server.DATABASE}", "/latin"))
    assert "encoding LATIN1" in error.message
    oracle.execute("DROP DATABASE latin")


@pytest.mark.parametrize(
    ("url", "schema"),
    [
        ("postgresql://h/d", "ptvc"),
        ("host=h dbname=d", "ptvc"),
        ("postgresql://h/d?options=-csearch_path%3Dmine", "mine"),
        ("postgresql://h/d?options=-c%20search_path%3D%22Mine%22", "Mine"),
        ("postgresql://h/d?options=-cwork_mem%3D1MB%20--search-path%3Dmine", "mine"),
        ("postgresql://h/d?options=-cwork_mem%3D1MB", "ptvc"),
    ],
)
def test_the_schema_is_named_by_the_search_path(url: str, schema: str) -> None:
    assert PostgresPlace.of(url).schema == schema


def test_places_are_named_without_secrets() -> None:
    place = PostgresPlace.of("postgresql://me:secret@host:99/db")
    assert str(place) == 'postgresql://me@host:99/db (schema "ptvc")'
    for url in ("postgresql://me:secret@[host/db", "postgresql://me:secret@host/db?secret=1", "secret"):
        with pytest.raises(InvalidParameter) as caught:
            PostgresPlace.of(url)
        assert "secret" not in f"{caught.value} {caught.value.hint}"
    with pytest.raises(InvalidParameter, match="one schema"):
        PostgresPlace.of("postgresql://h/d?options=-csearch_path%3Da,b")


# Connections that end


def test_reading_goes_on_over_another_connection(store: PostgresConsensus, oracle_uri: str) -> None:
    head = create(store)
    before = store.change_count()
    disconnect(oracle_uri)
    assert store.head("s") == head
    disconnect(oracle_uri)
    assert store.batches("s", 0) == (head, [])
    # It may lead to a server that has forgotten something.
    assert store.change_count() != before
    disconnect(oracle_uri)
    assert store.take_epoch("c") == 1


def test_a_commit_whose_answer_is_lost_may_have_been_applied(
    store: PostgresConsensus, oracle_uri: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    head = create(store)
    change = state.appended(head, Write(0, 1))
    lose_reply(store, monkeypatch, oracle_uri)
    with pytest.raises(Indeterminate, match="could not commit to postgresql://"):
        store.commit(Transaction((change,)))
    assert store.head("s") == change.after
    # Whether the server was gone before it came is not known, either.
    assert store.beat("nobody") == 0
    disconnect(oracle_uri)
    with pytest.raises(Indeterminate):
        store.commit(Transaction((state.appended(change.after, Write(1, 2)),)))
    assert store.head("s") == change.after
    assert store.commit(Transaction((state.appended(change.after, Write(1, 2)),))) == Committed()


def test_an_append_whose_answer_is_lost_is_resolved(
    store: PostgresConsensus, oracle_uri: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = PersistClient(store, MemoryBlob(), ManualClock())
    client.create_shard("s", SCHEMA)
    for time in range(6):
        if time % 2:
            lose_reply(store, monkeypatch, oracle_uri)
        else:
            disconnect(oracle_uri)
        assert append(client, "s", time, time + 1, [((time, "x"), time, 1)]) == Appended({"s": time + 1})
    assert read_at(client, "s", 5) == {("row", time, "x"): 1 for time in range(6)}


def test_a_server_that_goes_away_again_and_again(postgres_url: str, oracle_uri: str) -> None:
    """What may be done twice is done until an answer comes."""
    losses = 3

    def work(connection: Connection) -> int:
        nonlocal losses
        if losses:
            losses -= 1
            disconnect(oracle_uri)
        (found,) = connection.execute("SELECT 1").fetchall()
        return int(found[0])

    with closing(PostgresConnection(PostgresPlace.of(postgres_url), lambda _: None)) as connection:
        assert connection.repeatable("read", work) == 1
        assert connection.generation == 4


def test_a_server_that_stays_away(server: FailingServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is waited for once, and then every call says so at once, until it is back."""
    monkeypatch.setattr(postgres_connection, "RECONNECT", Backoff(0.05, 0.1, deadline_s=0.3))
    with closing(PostgresConsensus(url_of(server.uri, "away"))) as store:
        head = create(store)
        server.stop()
        with pytest.raises(Indeterminate):
            store.commit(Transaction((state.appended(head, Write(0, 1)),)))
        for _ in range(2):
            with pytest.raises(StorageError, match="could not connect") as caught:
                store.commit(Transaction((state.appended(head, Write(0, 1)),)))
            assert not isinstance(caught.value, Indeterminate)
            with pytest.raises(StorageError, match="could not connect"):
                store.head("s")
        server.start()
        assert store.head("s") == head
        assert store.commit(Transaction((state.appended(head, Write(0, 1)),))) == Committed()


def test_another_environment_in_the_same_place_is_not_taken_for_the_old_one(
    store: PostgresConsensus, postgres_url: str, oracle_uri: str
) -> None:
    create(store)
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        connection.execute("UPDATE mark SET value = value + 1 WHERE name = 'identity'")
    disconnect(oracle_uri)
    with pytest.raises(StorageError, match="another environment"):
        store.head("s")


def test_tables_that_are_gone(store: PostgresConsensus, postgres_url: str) -> None:
    head = create(store)
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        connection.execute("DROP TABLE batch")
    with pytest.raises(StorageError, match=r"relation .* does not exist") as caught:
        store.commit(Transaction((state.appended(head, Write(0, 1, (part(0),))),)))
    assert "backup" in str(caught.value.hint)
    assert store.head("s") == head
    with pytest.raises(StorageError, match=r"relation .* does not exist"):
        store.batches("s", 0)
    assert store.head("s") == head


def test_a_full_disk_is_named() -> None:
    place = PostgresPlace.of("postgresql://h/d")
    error = place.failure("commit to", psycopg.errors.DiskFull("could not extend file"))
    assert isinstance(error, DiskFull)
    assert error.sqlstate == "53100"
    assert place.failure("read", psycopg.errors.DataCorrupted("invalid page")).sqlstate == "XX001"


# Locks


def test_a_lock_is_waited_for_only_so_long(postgres_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        postgres_connection, "_SETTINGS", {**postgres_connection._SETTINGS, "lock_timeout": "20"}
    )
    with closing(PostgresConsensus(postgres_url)) as store, psycopg.connect(postgres_url) as other:
        head = create(store)
        other.execute("SELECT FROM shard FOR UPDATE")
        with pytest.raises(StorageError, match="lock timeout") as caught:
            store.commit(Transaction((state.appended(head, Write(0, 1)),)))
        assert "holds a lock" in str(caught.value.hint)
        assert not isinstance(caught.value, Indeterminate)
        other.rollback()
        assert store.commit(Transaction((state.appended(head, Write(0, 1)),))) == Committed()


def held_open(url: str, transaction: Transaction) -> psycopg.Connection:
    """A connection on which the commit was applied, and has not been committed yet."""
    place = PostgresPlace.of(url)
    connection = psycopg.connect(url)
    connection.adapters.register_dumper(int, psycopg.types.numeric.Int8BinaryDumper)
    connection.execute(f"SET search_path = {place.schema}".encode())
    assert postgres_commit.commit(connection, transaction) == Committed()
    return connection


def waiting(postgres_url: str) -> int:
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        query = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'ptvc' AND wait_event_type = 'Lock'"
        ((count,),) = connection.execute(query).fetchall()
    return int(count)


@pytest.mark.parametrize("applied", [True, False])
def test_a_commit_waits_for_another_one_and_sees_what_it_did(
    store: PostgresConsensus, postgres_url: str, applied: bool
) -> None:
    head = create(store)
    first = held_open(postgres_url, Transaction((state.appended(head, Write(0, 1)),)))
    with ThreadPoolExecutor(1) as pool, first:
        second = pool.submit(store.commit, Transaction((state.appended(head, Write(0, 2)),)))
        while not waiting(postgres_url):
            assert not second.done()
        if applied:
            first.commit()
        else:
            first.rollback()
        assert second.result() == (Conflict(("s",)) if applied else Committed())


def test_an_epoch_is_taken_when_nothing_of_an_older_one_is_under_way(
    store: PostgresConsensus, postgres_url: str
) -> None:
    head = create(store)
    assert store.take_epoch("c") == 1
    change = state.appended(head, Write(0, 1))
    old = held_open(postgres_url, Transaction((change,), epoch=("c", 1)))
    with ThreadPoolExecutor(1) as pool, old:
        taken = pool.submit(store.take_epoch, "c")
        while not waiting(postgres_url):
            assert not taken.done()
        old.commit()
        assert taken.result() == 2
    assert store.head("s") == change.after
    late = Transaction((state.appended(change.after, Write(1, 2)),), epoch=("c", 1))
    assert store.commit(late) == Superseded("c", 2)


def test_transactions_over_many_shards_and_heartbeats_do_not_wait_for_each_other_in_a_circle(
    postgres_url: str,
) -> None:
    names = [f"s{number}" for number in range(12)]
    with closing(PostgresConsensus(postgres_url)) as maker:
        heads = {name: create(maker, name) for name in names}
        for name in names:
            heads[name] = commit(maker, state.held(heads[name], Hold(name, "reader", 0, False, 100, 0)))
    done = threading.Event()

    def step(order: int) -> int:
        won = 0
        with closing(PostgresConsensus(postgres_url)) as store:
            for _ in range(15):
                chosen = names[::order]
                found = [store.head(name) for name in chosen]
                changes = tuple(
                    state.held(head, Hold(head.shard, f"{order}", 0, False, 100, 0)) for head in found if head
                )
                won += store.commit(Transaction(changes)) == Committed()
        return won

    def beat() -> int:
        beats = 0
        with closing(PostgresConsensus(postgres_url)) as store:
            while not done.is_set():
                beats += store.beat("reader")
        return beats

    with ThreadPoolExecutor(3) as pool:
        beats = pool.submit(beat)
        won = [pool.submit(step, order) for order in (1, -1)]
        assert sum(each.result() for each in won) >= 15
        done.set()
        assert beats.result() > 0


# Costs


def test_every_statement_goes_by_an_index(store: PostgresConsensus, postgres_url: str) -> None:
    """So an append's cost does not depend on how much there is; though the plan was made for empty tables."""
    head = create(store)
    held = state.held(head, Hold("s", "reader", 0, False, 100, 0))
    append_one = state.appended(head, Write(0, 1, (part(0), part(0, blob=True))))
    second = state.appended(append_one.after, Write(1, 2, (part(1),)))
    merge = state.merged(second.after, (*append_one.inserted, *second.inserted), 0, (part(1),))
    row = WriterRow("w", "f", 1)
    transactions = [
        Transaction((append_one,), row, ("c", 1), 3),
        Transaction((merge,), row, ("c", 1)),
        Transaction((held,)),
        Transaction((state.released(held.after, replace(held.after.holds[0])),)),
        Transaction((state.dropped(head, append_one.inserted),)),
        Transaction((state.created("t", SCHEMA, 0),)),
    ]

    def plan(db: Connection) -> list[str]:
        lines = []
        for transaction in transactions:
            statement = postgres_commit._statement(transaction)
            rows = db.execute(b"EXPLAIN " + statement.text(), statement.parameters).fetchall()
            lines += [line for (line,) in rows]
        return lines

    scans = [line for line in store._writer.repeatable("read", plan) if "Seq Scan" in line]
    assert scans == []


def test_the_parts_of_one_commit_are_one_statement(
    store: PostgresConsensus, oracle: psycopg.Connection
) -> None:
    """However many shards: a thousand holds are set at once."""
    heads: list[Head] = []
    changes = [state.created(f"s{number}", SCHEMA, 0) for number in range(1000)]
    assert store.commit(Transaction(tuple(changes))) == Committed()
    heads = [change.after for change in changes]
    holds = tuple(state.held(head, Hold(head.shard, "view", 0, True, None, 0)) for head in heads)
    assert store.commit(Transaction(holds)) == Committed()
    assert store.head("s999") == holds[999].after
    assert store.beat("view") == 0
