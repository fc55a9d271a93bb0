"""A POSTGRES sink against a PostgreSQL: what its table holds after each interval, and who may write."""

from __future__ import annotations

import uuid
from collections import Counter
from collections.abc import Callable, Iterator
from random import Random
from threading import Event
from typing import Any

import psycopg
import pyarrow as pa
import pytest
from ptvc.storage.connections.options import ConnectionKind, ConnectionOptions
from ptvc.storage.connections.values import Values
from ptvc.storage.sink.change_records import SinkEnvelope
from ptvc.storage.sink.contract import SinkFenced, SinkStalled, Unwritable
from ptvc.storage.sink.postgres.options import PostgresSinkOptions
from ptvc.storage.sink.postgres.sink import PostgresSink

from ...connections.outside import postgres_with_passwords
from ..kafka.support import SCHEMA, batch, between, contents, history

Db = psycopg.Connection[tuple[Any, ...]]
FIRST = 1_000
PAUSE = Event()
PASSWORD = "secret"


class Target:
    """A sink's table in a schema of its own; `sink()` is its next writer."""

    def __init__(
        self, port: int, db: Db, envelope: SinkEnvelope = SinkEnvelope.UPSERT, **options: Any
    ) -> None:
        self.db = db
        self.envelope = envelope
        self.schema = f"s{uuid.uuid4().hex[:12]}"
        db.execute(f"CREATE SCHEMA {self.schema}".encode())
        self.options = PostgresSinkOptions("c1", "out", self.schema, identity=f"u1-{self.schema}", **options)
        given = {
            "HOST": "127.0.0.1",
            "PORT": str(port),
            "DATABASE": "postgres",
            "USER": "ann",
            "PASSWORD": PASSWORD,
        }
        self.values = Values(ConnectionOptions(ConnectionKind.POSTGRES, given), {})
        self.made: list[PostgresSink] = []

    def sink(self, generation: int = 0, term: int = 0) -> PostgresSink:
        made = PostgresSink(
            self.options, SCHEMA, self.envelope, (0,), generation, FIRST, self.values, term=term
        )
        self.made.append(made)
        return made

    def rows(self) -> Counter[tuple[Any, ...]]:
        return Counter(self.db.execute(f"SELECT * FROM {self.schema}.out".encode()).fetchall())


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    with postgres_with_passwords("ann", PASSWORD) as port:
        yield port


@pytest.fixture
def target(port: int) -> Iterator[Callable[..., Target]]:
    made: list[Target] = []
    where = f"host=127.0.0.1 port={port} user=ann password={PASSWORD} dbname=postgres"
    with psycopg.connect(where, autocommit=True, application_name="test") as db:

        def make(**options: Any) -> Target:
            made.append(Target(port, db, **options))
            return made[-1]

        yield make
        for one in made:
            for sink in one.made:
                sink.close()


@pytest.mark.parametrize("seed", range(4))
def test_the_table_is_the_contents_after_each_interval(target: Callable[..., Target], seed: int) -> None:
    """However often it is opened anew."""
    out, random = target(), Random(seed)
    changes, lower = history(random, FIRST, 40, 40, 15), 0
    sink = out.sink()
    assert sink.open() == 0
    sink.check_follows(FIRST + 1)
    while lower < FIRST + 40:
        upper = min(max(lower, FIRST) + random.randrange(1, 6), FIRST + 40)
        sink.write(between(changes, lower, upper), lower, upper)
        assert sink.upper == upper
        assert out.rows() == contents(changes, upper)
        lower = upper
        if random.random() < 0.3:
            if random.random() < 0.5:
                sink.close()
            sink = out.sink()
            begun = sink.open()
            assert begun <= lower  # where nothing had changed nothing was written
            lower = begun


def test_a_log_of_changes(target: Callable[..., Target]) -> None:
    out = target(envelope=SinkEnvelope.NONE)
    changes = history(Random(7), FIRST, 20, 20, 10)
    sink = out.sink()
    sink.open()
    sink.write(between(changes, 0, FIRST + 9), 0, FIRST + 9)
    sink.write(between(changes, FIRST + 9, FIRST + 20), FIRST + 9, FIRST + 20)
    found: Counter[tuple[Any, ...]] = Counter()
    for k, v, time, diff in out.db.execute(f"SELECT * FROM {out.schema}.out".encode()):
        found[k, v, time] += diff
    wanted: Counter[tuple[Any, ...]] = Counter()
    for k, v, time, diff in changes:
        wanted[k, v, time] += diff
    assert {row: n for row, n in found.items() if n} == {row: n for row, n in wanted.items() if n}


def test_who_was_replaced_writes_nothing(target: Callable[..., Target]) -> None:
    out = target()
    late, old, new = out.sink(term=1), out.sink(term=2), out.sink(term=3)
    old.open()
    old.write(batch([(1, "a", FIRST, 1)]), 0, FIRST + 1)
    assert new.open() == FIRST + 1
    with pytest.raises(SinkFenced):
        old.write(batch([(2, "b", FIRST + 1, 1)]), FIRST + 1, FIRST + 2)
    with pytest.raises(SinkFenced):
        late.open()
    new.write(batch([(3, "c", FIRST + 1, 1)]), FIRST + 1, FIRST + 2)
    assert out.rows() == {(1, "a"): 1, (3, "c"): 1}


@pytest.mark.parametrize(
    ("statement", "change"),
    [
        ("DELETE FROM {}.out WHERE k = 1", [(1, "a", FIRST + 1, -1)]),
        ("DELETE FROM {}.out WHERE k = 1", [(1, "a", FIRST + 1, -1), (1, "b", FIRST + 1, 1)]),
        ("INSERT INTO {}.out VALUES (2, 'mine')", [(2, "b", FIRST + 1, 1)]),
    ],
)
def test_rows_that_somebody_else_changed_stall_it(
    target: Callable[..., Target], statement: str, change: list[Any]
) -> None:
    out = target()
    sink = out.sink()
    sink.open()
    sink.write(batch([(1, "a", FIRST, 1)]), 0, FIRST + 1)
    out.db.execute(statement.format(out.schema).encode())
    with pytest.raises(SinkStalled):
        sink.write(batch(change), FIRST + 1, FIRST + 2)
    assert sink.durable_upper == FIRST + 1


@pytest.mark.parametrize("envelope", [SinkEnvelope.UPSERT, SinkEnvelope.NONE])
def test_a_trigger_that_leaves_rows_out_stalls_it(
    target: Callable[..., Target], envelope: SinkEnvelope
) -> None:
    out = target(envelope=envelope)
    sink = out.sink()
    sink.open()
    for statement in (
        "CREATE FUNCTION {}.skip() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'",
        "CREATE TRIGGER skips BEFORE INSERT ON {0}.out FOR EACH ROW WHEN (NEW.k = 2) EXECUTE FUNCTION {0}.skip()",
    ):
        out.db.execute(statement.format(out.schema).encode())
    rows = batch([(1, "a", FIRST, 1), (2, "b", FIRST, 1)])
    with pytest.raises(SinkStalled) as raised:
        sink.write(rows, 0, FIRST + 1)
    assert "has let the sink insert 1 of 2 rows" in raised.value.message
    assert '("skips")' in raised.value.message
    assert not out.rows()
    out.db.execute(f"DROP TRIGGER skips ON {out.schema}.out".encode())
    sink.write(rows, 0, FIRST + 1)
    assert out.rows().total() == 2


def test_a_table_of_progress_that_is_gone(target: Callable[..., Target]) -> None:
    out = target()
    sink = out.sink()
    sink.open()
    sink.write(batch([(1, "a", FIRST, 1)]), 0, FIRST + 1)
    out.db.execute(f"DROP TABLE {out.schema}.ptvc_sink_progress".encode())
    with pytest.raises(SinkStalled) as raised:
        sink.write(batch([(2, "b", FIRST + 1, 1)]), FIRST + 1, FIRST + 2)
    assert raised.value.message == (
        f'table "{out.schema}.ptvc_sink_progress" is gone, which says how far the sink has written'
    )
    assert out.rows() == {(1, "a"): 1}


def test_a_key_that_is_null(target: Callable[..., Target]) -> None:
    sink = target().sink()
    sink.open()
    one = batch([(1, "a", FIRST, 1)])
    null = one.with_columns((pa.array([None], pa.int64()), one.columns[1]))
    with pytest.raises(Unwritable, match='column "k" of the key is NULL'):
        sink.write(null, 0, FIRST + 1)


@pytest.mark.parametrize(
    ("table", "why"),
    [
        ("(k bigint PRIMARY KEY)", 'it has no column "v"'),
        ("(k int PRIMARY KEY, v text)", 'column "k" is integer, and the sink writes bigint'),
        ("(k bigint, v text)", "no unique index of it is on exactly (k)"),
        ("(k bigint, v text, PRIMARY KEY (k, v))", "no unique index of it is on exactly (k)"),
        ("(k bigint PRIMARY KEY DEFERRABLE, v text)", "its unique constraint on (k) is DEFERRABLE"),
        ("(k bigint PRIMARY KEY, v text, n int NOT NULL)", 'column "n" is not of the sink'),
    ],
)
def test_tables_that_do_not_take_it(target: Callable[..., Target], table: str, why: str) -> None:
    out = target()
    out.db.execute(f"CREATE TABLE {out.schema}.out {table}".encode())
    with pytest.raises(SinkStalled) as raised:
        out.sink().open()
    assert why in raised.value.message


def test_a_schema_that_is_not_there(target: Callable[..., Target]) -> None:
    out = target()
    out.db.execute(f"DROP SCHEMA {out.schema}".encode())
    sink = out.sink()
    with pytest.raises(SinkStalled, match=f'schema "{out.schema}" does not exist there') as raised:
        sink.open()
    assert raised.value.sqlstate == "3F000"
    out.db.execute(f"CREATE SCHEMA {out.schema}".encode())
    assert sink.open() == 0


def test_a_table_that_is_there(target: Callable[..., Target]) -> None:
    out = target()
    table = f"{out.schema}.out"
    out.db.execute(f"CREATE TABLE {table} (note text DEFAULT 'x', v text, k bigint PRIMARY KEY)".encode())
    out.db.execute(f"INSERT INTO {table} VALUES ('old', 'old', 1)".encode())
    sink = out.sink()
    with pytest.raises(SinkStalled, match="has rows that are not of the sink"):
        sink.open()
    out.db.execute(f"TRUNCATE {table}".encode())
    assert sink.open() == 0
    sink.write(batch([(1, "a", FIRST, 1)]), 0, FIRST + 1)
    assert out.rows() == {("x", "a", 1): 1}


def test_a_connection_that_breaks(target: Callable[..., Target]) -> None:
    out = target()
    sink = out.sink()
    sink.open()
    sink.write(batch([(1, "a", FIRST, 1)]), 0, FIRST + 1)
    out.db.execute(
        "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE application_name = 'ptvc' AND pid <> pg_backend_pid()"
    )
    more = batch([(1, "a", FIRST + 1, -1)])
    with pytest.raises(SinkStalled, match="cannot write to table"):
        sink.write(more, FIRST + 1, FIRST + 2)
    sink.write(more, FIRST + 1, FIRST + 2)
    assert out.rows() == {}


def test_a_few_changes_are_not_looked_for_in_the_whole_table(target: Callable[..., Target]) -> None:
    """Nor where many came just before, of which the session has statistics."""
    out = target()
    sink = out.sink()
    sink.open()
    sink.write(batch([(i, "a", FIRST, 1) for i in range(20_000)]), 0, FIRST + 1)
    many = [(i, text, FIRST + 1, diff) for i in range(10_000, 20_000) for text, diff in (("a", -1), ("z", 1))]
    sink.write(batch(many), FIRST + 1, FIRST + 2)
    for i in range(5):
        at = FIRST + 2 + i
        sink.write(
            batch([(i, "a", at, -1), (i, "b", at, 1), (100 + i, "a", at, -1), (-1 - i, "c", at, 1)]),
            at,
            at + 1,
        )
    sink.close()  # a session tells what it has counted at its end
    while out.db.execute("SELECT 1 FROM pg_stat_activity WHERE application_name = 'ptvc'").fetchall():
        PAUSE.wait(0.01)
    asked = f"SELECT n_tup_upd, seq_tup_read FROM pg_stat_user_tables WHERE schemaname = '{out.schema}' AND relname = 'out'"
    ((updated, read),) = out.db.execute(asked.encode()).fetchall()
    assert updated == 10_005
    assert read <= 20_000  # for the many, once
    assert len(out.rows()) == 20_000
