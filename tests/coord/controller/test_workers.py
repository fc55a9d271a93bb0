"""Clusters whose replicas are several processes: their views are those of any other cluster, also when a process is killed."""

from __future__ import annotations

import json
import os
import re
import signal
from collections import Counter
from collections.abc import Iterator
from random import Random
from typing import Any

import psycopg
import psycopg.rows
import pytest
from inprocess import InProcess, eventually, running
from ptvc.compute.partitioned.one_step import WorkerLost
from ptvc.compute.partitioned.stored import InputLost, Share
from ptvc.persist.part import BlobKey
from ptvc.replica.installed import Installed
from ptvc.replica.workers.part_store import PartStore
from ptvc.replica.workers.team import Stepped
from ptvc.repr.batch import Delta

TABLES = (
    "CREATE TABLE orders (id int NOT NULL, customer int, amount int)",
    "CREATE TABLE customers (customer int NOT NULL, segment text)",
)
VIEWS = {
    "by_segment": "SELECT c.segment, count(*) AS n, sum(o.amount) AS total, count(DISTINCT o.customer) AS buyers"
    " FROM orders o JOIN customers c ON o.customer = c.customer GROUP BY c.segment",
    "largest": "SELECT * FROM (SELECT *, row_number() OVER (PARTITION BY customer ORDER BY amount DESC, id) AS place"
    " FROM orders) AS ranked WHERE place <= 2",
    "without": "SELECT c.customer FROM customers c LEFT JOIN orders o ON o.customer = c.customer WHERE o.id IS NULL",
    "extremes": "SELECT customer % 7 AS class, min(amount) AS least, max(amount) AS most FROM orders GROUP BY 1",
    "everything": "SELECT count(*) AS n, sum(amount) AS total FROM orders",
    "rest": "SELECT customer FROM customers EXCEPT ALL SELECT customer FROM orders",
    "running": "SELECT customer, id, sum(amount) OVER (PARTITION BY customer ORDER BY id) AS so_far FROM orders",
}


@pytest.fixture(params=[2, 3])
def runtime(request: pytest.FixtureRequest) -> Iterator[InProcess]:
    with running() as runtime:
        runtime.query(f"CREATE CLUSTER divided (WORKERS {request.param})")
        eventually(lambda: len(runtime.driver.members.get(replica(runtime), ())) == request.param - 1)
        yield runtime


def replica(runtime: InProcess) -> str:
    (made,) = runtime.coordinator.controller.clusters.of("divided")
    return made.id


def kill_a_member(runtime: InProcess, random: Random) -> list[int]:
    """Returns the processes that there were."""
    members = list(runtime.driver.members[replica(runtime)])
    os.kill(random.choice(members), signal.SIGKILL)
    return members


def changed(connection: psycopg.Connection, random: Random, count: int) -> None:
    """Some inserts, an update and some deletes, in one transaction."""
    with connection.transaction():
        for _ in range(count):
            values = (random.randrange(1_000), random.randrange(20), random.randrange(100))
            connection.execute("INSERT INTO orders VALUES (%s, %s, %s)", values)
            connection.execute(
                "INSERT INTO customers VALUES (%s, %s)",
                (random.randrange(20), random.choice(("a", "b", None))),
            )
        connection.execute(
            "UPDATE orders SET amount = amount + 1 WHERE customer = %s", (random.randrange(20),)
        )
        connection.execute("DELETE FROM orders WHERE id %% 5 = %s", (random.randrange(5),))
        connection.execute("DELETE FROM customers WHERE customer = %s", (random.randrange(20),))


def check(connection: psycopg.Connection) -> None:
    for name, query in VIEWS.items():
        expected = Counter(connection.execute(query).fetchall())  # type: ignore[arg-type]
        assert Counter(connection.execute(f"SELECT * FROM {name}").fetchall()) == expected, name  # type: ignore[arg-type]


def create(connection: psycopg.Connection) -> None:
    for statement in TABLES:
        connection.execute(statement)  # type: ignore[arg-type]
    changed(connection, Random(1), 30)
    connection.execute("SET cluster = divided")
    for name, query in VIEWS.items():
        connection.execute(f"CREATE MATERIALIZED VIEW {name} AS {query}")  # type: ignore[arg-type]


def test_views_follow_their_tables(runtime: InProcess) -> None:
    random = Random(2)
    with runtime.connect() as connection:
        create(connection)
        check(connection)
        for _ in range(8):
            changed(connection, random, random.choice((1, 20)))
            check(connection)


def test_a_member_that_is_killed_costs_nothing_but_time(runtime: InProcess) -> None:
    random = Random(3)
    with runtime.connect() as connection:
        create(connection)
        for _ in range(4):
            before = kill_a_member(runtime, random)
            changed(connection, random, 10)
            check(connection)
            assert runtime.driver.members[replica(runtime)] != before, "another attempt has other members"


def test_a_member_that_dies_while_nothing_happens_is_missed(runtime: InProcess) -> None:
    with runtime.connect() as connection:
        create(connection)
        check(connection)
        before = kill_a_member(runtime, Random(7))
        eventually(lambda: set(runtime.driver.members[replica(runtime)]).isdisjoint(before))
        check(connection)


def test_indexes_views_over_views_and_recursion_are_there_too(runtime: InProcess) -> None:
    with runtime.connect() as connection:
        create(connection)
        connection.execute("CREATE INDEX by_class ON extremes (class)")
        connection.execute(
            "CREATE VIEW totals AS SELECT segment, sum(total) AS t FROM by_segment GROUP BY segment"
        )
        connection.execute("CREATE INDEX totals_index ON totals (segment)")
        connection.execute(
            "CREATE MATERIALIZED VIEW steps AS WITH RECURSIVE r(n) AS (SELECT customer FROM customers UNION"
            " SELECT n + 1 FROM r WHERE n < 40) SELECT n FROM r"
        )
        connection.execute(
            "CREATE MATERIALIZED VIEW joined AS SELECT e.class, e.most, o.id FROM extremes e"
            " JOIN orders o ON e.class = o.customer"
        )
        for seed in range(3):
            changed(connection, Random(seed), 10)
            check(connection)
            for indexed, query in (
                ("totals", "SELECT segment, sum(total) AS t FROM by_segment GROUP BY segment"),
                (
                    "steps",
                    "SELECT DISTINCT n FROM (SELECT generate_series(customer, 40) AS n FROM customers) AS s",
                ),
                (
                    "joined",
                    "SELECT class, most, id FROM (SELECT customer % 7 AS class, max(amount) AS most FROM orders"
                    " GROUP BY 1) AS e JOIN orders o ON class = o.customer",
                ),
            ):
                found = Counter(connection.execute(f"SELECT * FROM {indexed}").fetchall())  # type: ignore[arg-type]
                assert found == Counter(connection.execute(query).fetchall()), indexed  # type: ignore[arg-type]


def test_a_subscription_hears_of_every_change_once(runtime: InProcess) -> None:
    random = Random(6)
    with runtime.connect() as connection, runtime.connect(autocommit=False) as other:
        create(connection)
        query = VIEWS["by_segment"]
        other.execute("SET cluster = divided")
        other.execute(f"DECLARE changes CURSOR FOR SUBSCRIBE ({query}) WITH (SNAPSHOT)".encode())
        heard: Counter[tuple[object, ...]] = Counter()

        def agrees() -> bool:
            for _, diff, *row in other.execute("FETCH ALL changes").fetchall():
                heard[tuple(row)] += diff
            found = Counter(connection.execute(query).fetchall())  # type: ignore[arg-type]
            return Counter({row: n for row, n in heard.items() if n}) == found

        for _ in range(3):
            eventually(agrees)
            changed(connection, random, 10)
        eventually(agrees)


def test_an_error_comes_and_goes(runtime: InProcess) -> None:
    with runtime.connect() as connection:
        create(connection)
        connection.execute(
            "CREATE MATERIALIZED VIEW shares AS SELECT customer, sum(100 / amount) AS s FROM orders GROUP BY customer"
        )
        connection.execute("DELETE FROM orders WHERE amount = 0")
        expected = connection.execute(
            "SELECT customer, sum(100 / amount) FROM orders GROUP BY customer"
        ).fetchall()
        assert Counter(connection.execute("SELECT * FROM shares").fetchall()) == Counter(expected)
        connection.execute("INSERT INTO orders VALUES (7, 1, 0), (8, 2, 0), (9, 3, 0)")
        for _ in range(2):
            with pytest.raises(psycopg.errors.DivisionByZero):
                connection.execute("SELECT * FROM shares").fetchall()
            connection.execute("DELETE FROM orders WHERE id = 8 AND amount = 0")
        connection.execute("DELETE FROM orders WHERE amount = 0")
        assert Counter(connection.execute("SELECT * FROM shares").fetchall()) == Counter(expected)


def test_views_are_dropped_and_made_again(runtime: InProcess) -> None:
    with runtime.connect() as connection:
        create(connection)
        for name, query in VIEWS.items():
            connection.execute(f"DROP MATERIALIZED VIEW {name}")  # type: ignore[arg-type]
            connection.execute(f"CREATE MATERIALIZED VIEW {name} AS {query}")  # type: ignore[arg-type]
        changed(connection, Random(4), 10)
        check(connection)


def test_restarts_go_on_where_the_views_were(runtime: InProcess) -> None:
    with runtime.connect() as connection:
        create(connection)
        check(connection)
    runtime.stop()
    runtime.start()
    with runtime.connect() as connection:
        changed(connection, Random(5), 10)
        check(connection)


LARGE = {
    "largest": VIEWS["largest"],
    "per_customer": "SELECT customer, count(*) AS n, sum(amount) AS total FROM orders GROUP BY customer",
    "keyless": "SELECT o.amount, c.segment FROM orders o JOIN customers c ON o.customer = c.customer",
}


def test_large_steps_are_read_and_written_by_all_workers(
    runtime: InProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of what all have read and written, the leader, which is in this process, has only a share."""
    read, steps = Counter[str](), Counter[str]()
    reading, stepping = PartStore.read, Installed.step

    def counted(store: PartStore, share: Share) -> Delta:
        delta = reading(store, share)
        read["rows"] += len(delta.oks)
        return delta

    def stepped(installed: Installed, *args: object, **options: bool) -> Stepped:
        made = stepping(installed, *args, **options)  # type: ignore[arg-type]
        steps["parts"] = max(steps["parts"], len(made.parts))
        return made

    monkeypatch.setattr(PartStore, "read", counted)
    monkeypatch.setattr(Installed, "step", stepped)
    workers = len(runtime.driver.members[replica(runtime)]) + 1
    with runtime.connect() as connection:
        for statement in TABLES:
            connection.execute(statement)  # type: ignore[arg-type]
        connection.execute(
            "INSERT INTO customers SELECT i, CASE WHEN i % 10 > 0 THEN 's' || i % 5 END FROM generate_series(0, 8999) AS i"
        )
        connection.execute("SET cluster = divided")
        for name, query in LARGE.items():
            connection.execute(f"CREATE MATERIALIZED VIEW {name} AS {query}")  # type: ignore[arg-type]

        def agrees(cause: str) -> None:
            for name, query in LARGE.items():
                both = (Counter(connection.execute(q).fetchall()) for q in (f"SELECT * FROM {name}", query))  # type: ignore[arg-type]
                found, expected = both
                assert found == expected, (name, cause)

        connection.execute(
            "INSERT INTO orders SELECT i, i * 7919 % 10000, i % 100 FROM generate_series(0, 69999) AS i"
        )
        agrees("insert")
        assert 0 < read["rows"] <= 3 * 70_000 * 1.1 / workers
        assert steps["parts"] == workers
        connection.execute("DELETE FROM orders WHERE id % 3 = 1")
        agrees("delete")
        connection.execute(
            "CREATE MATERIALIZED VIEW again AS SELECT amount, max(id) AS most FROM orders GROUP BY amount"
        )
        found = Counter(connection.execute("SELECT * FROM again").fetchall())
        assert found == Counter(
            connection.execute("SELECT amount, max(id) FROM orders GROUP BY amount").fetchall()
        )
        kill_a_member(runtime, Random(8))
        connection.execute("UPDATE orders SET amount = amount + 1")
        agrees("update, in new workers")


KEYLESS = (
    "SELECT o.id * 10 + 1 AS number, c.segment FROM orders o JOIN customers c ON o.customer = c.customer"
)


def many_orders(connection: psycopg.Connection, first: int, count: int) -> None:
    connection.execute(
        f"INSERT INTO orders SELECT {first} + i, i * 7919 % 10000, i % 100 FROM generate_series(0, {count - 1}) AS i".encode()
    )


def keyless_agrees(connection: psycopg.Connection) -> None:
    queries = ("SELECT * FROM keyless", KEYLESS)
    found, expected = (Counter(connection.execute(query).fetchall()) for query in queries)  # type: ignore[arg-type]
    assert found == expected


def with_keyless(connection: psycopg.Connection) -> None:
    for statement in TABLES:
        connection.execute(statement)  # type: ignore[arg-type]
    connection.execute("INSERT INTO customers SELECT i, 's' || i % 5 FROM generate_series(0, 8999) AS i")
    connection.execute(
        f"CREATE MATERIALIZED VIEW keyless IN CLUSTER divided AS {KEYLESS}"  # type: ignore[arg-type]
    )
    keyless_agrees(connection)


def test_parts_of_a_step_that_is_not_committed_stay_while_its_replica_lives(
    runtime: InProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is lost between what members have written and the commit: garbage collection takes the parts then, and not before."""
    stepping, controller = Installed.step, runtime.coordinator.controller
    wrote: set[BlobKey] = set()
    kept: list[bool] = []

    def collect() -> None:
        runtime.persist.collect_garbage(writer_is_dead=lambda writer: writer not in controller.writers())

    def there() -> set[BlobKey]:
        return wrote & set(runtime.persist.blob.keys())

    def lost(installed: Installed, *args: object, **options: bool) -> Stepped:
        made = stepping(installed, *args, **options)  # type: ignore[arg-type]
        if not wrote and (blobs := {part.blob for part in made.parts if part.blob is not None}):
            wrote.update(blobs)
            collect()
            kept.append(there() == wrote)
            raise WorkerLost("a worker of the replica has ended")
        return made

    with runtime.connect() as connection:
        with_keyless(connection)
        monkeypatch.setattr(Installed, "step", lost)
        many_orders(connection, 0, 70_000)
        keyless_agrees(connection)
        assert kept == [True]
        assert len(wrote) == len(runtime.driver.members[replica(runtime)]) + 1

        def collected() -> bool:
            collect()
            return not there()

        eventually(collected)
        keyless_agrees(connection)


def test_a_view_whose_input_cannot_be_read_any_more_begins_again(
    runtime: InProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As when it lags, and what it has heard of was merged; the other views of the replica go on."""
    reading = PartStore.read
    lost: list[Share] = []

    def read(store: PartStore, share: Share) -> Delta:
        if share.as_of is None and not lost:
            lost.append(share)
            raise InputLost("the part is gone")
        return reading(store, share)

    with runtime.connect() as connection:
        with_keyless(connection)
        connection.execute(
            f"CREATE MATERIALIZED VIEW by_segment IN CLUSTER divided AS {VIEWS['by_segment']}"  # type: ignore[arg-type]
        )
        members = list(runtime.driver.members[replica(runtime)])
        monkeypatch.setattr(PartStore, "read", read)
        many_orders(connection, 0, 40_000)
        keyless_agrees(connection)
        assert len(lost) == 1
        many_orders(connection, 40_000, 40_000)
        keyless_agrees(connection)
        found, expected = (
            Counter(connection.execute(query).fetchall())  # type: ignore[arg-type]
            for query in ("SELECT * FROM by_segment", VIEWS["by_segment"])
        )
        assert found == expected
        assert runtime.driver.members[replica(runtime)] == members, "no worker has ended"


def explained(connection: psycopg.Connection, what: str) -> list[str]:
    return [line for (line,) in connection.execute(f"EXPLAIN {what}".encode()).fetchall()]


def test_plans_say_among_whom_they_are_divided(runtime: InProcess) -> None:
    with runtime.connect() as connection:
        create(connection)
        workers = len(runtime.driver.members[replica(runtime)]) + 1
        head, *nodes = explained(connection, "PHYSICAL PLAN FOR MATERIALIZED VIEW largest")
        assert head == f"Divided among {workers} workers: public.orders by hash(#1)"
        assert not [line for line in nodes if "by hash" in line or "level 1" in line], (
            "rows move when they come, and then no more"
        )
        head, *nodes = explained(connection, "PHYSICAL PLAN FOR MATERIALIZED VIEW by_segment")
        assert head.startswith(f"Divided among {workers} workers: public.customers by"), (
            "customers are counted in place"
        )
        assert [line for line in nodes if line.endswith(", sums with DISTINCT")]
        connection.execute(
            "CREATE MATERIALIZED VIEW orders_by_segment AS SELECT c.segment, count(*) AS n FROM orders o"
            " JOIN customers c USING (customer) GROUP BY c.segment"
        )
        head, _, *nodes = explained(connection, "PHYSICAL PLAN FOR MATERIALIZED VIEW orders_by_segment")
        assert head == f"Divided among {workers} workers: rows as they come", "keys of the join may be split"
        moved = re.search(r"  behind level 1: %(\d+)( by hash\(.*?\)), combined\n", "\n".join(nodes))
        assert moved is not None, "segments are not where customers are"
        assert [line for line in nodes if f"%{moved[1]}{moved[2]}" in line and "level 2" in line]
        assert "  behind level 0, in the first step: how many rows keys have" in nodes
        ((document,),) = connection.execute(
            "EXPLAIN PHYSICAL PLAN AS JSON FOR MATERIALIZED VIEW orders_by_segment"
        ).fetchall()
        division = json.loads(document)["division"]
        assert division["workers"] == workers
        expected = {"level": 1, "node": int(moved[1]), "last_level": 2, "combined": True}
        assert expected.items() <= division["moves"][-1].items()
        connection.execute("CREATE INDEX orders_by_customer ON orders (customer)")
        connection.execute(
            "CREATE MATERIALIZED VIEW beside AS SELECT o.id, c.segment FROM orders o JOIN customers c USING (customer)"
        )
        head, *_ = explained(connection, "PHYSICAL PLAN FOR MATERIALIZED VIEW beside")
        assert head.startswith("Divided"), "each worker holds what it looks up"
        connection.execute("CREATE MATERIALIZED VIEW doubled AS SELECT id * 2 AS twice FROM orders")
        head, *_ = explained(connection, "PHYSICAL PLAN FOR MATERIALIZED VIEW doubled")
        assert (
            head
            == f"In one of {workers} workers: nothing in it brings rows together by a key, or adds them up"
        )
        head, *_ = explained(connection, "PHYSICAL PLAN FOR SELECT count(*) FROM customers")
        assert head.startswith(f"None of {workers} workers: queries are computed by one process")
        eventually(lambda: told(connection))


def told(connection: psycopg.Connection) -> bool:
    """Whether the replica has said what its workers have done."""
    try:
        lines = explained(connection, "ANALYZE FOR MATERIALIZED VIEW largest")
    except psycopg.errors.ObjectNotInPrerequisiteState:
        return False
    (counted,) = connection.execute("SELECT count(*) FROM orders").fetchone() or (0,)
    return any(f"rows_in={counted}" in line for line in lines)


OF = " JOIN mz_catalog.mz_objects o ON o.id = w.object_id WHERE o.name = %s"


def test_relations_say_what_each_worker_has_done(runtime: InProcess) -> None:
    with runtime.connect() as connection:
        create(connection)
        check(connection)
        connection.execute("CREATE MATERIALIZED VIEW doubled AS SELECT id * 2 AS twice FROM orders")
        connection.execute("SELECT * FROM doubled").fetchall()
        members = runtime.driver.members[replica(runtime)]
        eventually(
            lambda: told(connection) and of_view(connection, "doubled") and of_view(connection, "by_segment")
        )
        found = of_view(connection, "largest")
        assert [row["worker_id"] for row in found] == list(range(len(members) + 1))
        assert [row["process_id"] for row in found] == [os.getpid(), *members]
        assert all(row["replica_id"] == replica(runtime) for row in found)
        assert min(row["steps"] for row in found) > 0
        assert sum(row["rows_received"] for row in found) > 0
        assert all(row["messages_sent"] > 0 and row["bytes_sent"] > 0 for row in found)
        assert all(row["busy_seconds"] > 0 for row in found)
        assert found[0]["waiting_seconds"] > 0, "no rows move here, so it is the leader alone that waits"
        assert all(row["waiting_seconds"] > 0 for row in of_view(connection, "by_segment"))
        eventually(lambda: parts_make_the_whole(connection, "largest"))
        (alone,) = of_view(connection, "doubled")
        assert (alone["worker_id"], alone["rows_received"], alone["messages_sent"]) == (0, 0, 0)
        assert alone["steps"] > 0
        assert alone["busy_seconds"] > 0
        assert alone["waiting_seconds"] == 0


def test_relations_say_what_the_processes_are_and_how_even_their_work(runtime: InProcess) -> None:
    """All orders are of one customer, so one worker has them all."""
    with runtime.connect() as connection:
        for statement in TABLES:
            connection.execute(statement)  # type: ignore[arg-type]
        connection.execute("INSERT INTO orders SELECT i, 7, i FROM generate_series(1, 3000) AS i")
        connection.execute("SET cluster = divided")
        connection.execute(f"CREATE MATERIALIZED VIEW largest AS {VIEWS['running']}".encode())
        connection.execute("SELECT * FROM largest").fetchall()
        members = runtime.driver.members[replica(runtime)]
        eventually(lambda: told(connection))
        processes = connection.execute(
            "SELECT worker_id, process_id, cpu_seconds > 0, memory_bytes > 0, bytes_sent > messages_sent"
            " FROM mz_internal.mz_cluster_replica_workers WHERE replica_id = %s ORDER BY worker_id",
            [replica(runtime)],
        ).fetchall()
        pids = [os.getpid(), *members]
        assert processes == [(number, pid, True, True, True) for number, pid in enumerate(pids)]
        (skew,) = connection.execute(
            f"SELECT w.workers, w.state_rows, w.state_bytes >= 1, w.busy >= 1 FROM mz_internal.mz_dataflow_skew w {OF}",
            ["largest"],
        ).fetchall()
        assert skew == (len(pids), float(len(pids)), True, True)
        lines = explained(connection, "ANALYZE FOR MATERIALIZED VIEW largest")
        for number in range(len(pids)):
            (line,) = (line for line in lines if line.startswith(f"  worker={number}  steps="))
            assert re.search(r"busy_ms=\d.* waiting_ms=\d.* rows_received=\d.* state_rows=\d", line)
        lines = explained(connection, "ANALYZE MEMORY FOR MATERIALIZED VIEW largest")
        assert [
            line for line in lines if re.fullmatch(r"  worker=0  state_rows=\d+  memory_bytes=\d+.*", line)
        ]


def test_a_replica_of_one_process_is_one_worker() -> None:
    with running() as runtime, runtime.connect() as connection:
        connection.execute("CREATE TABLE orders (id int NOT NULL, customer int, amount int)")
        connection.execute(f"CREATE MATERIALIZED VIEW largest AS {VIEWS['largest']}".encode())
        connection.execute("INSERT INTO orders VALUES (1, 2, 3)")
        eventually(lambda: told(connection))
        (found,) = of_view(connection, "largest")
        assert (found["worker_id"], found["process_id"], found["messages_sent"]) == (0, os.getpid(), 0)
        assert connection.execute("SELECT * FROM mz_internal.mz_dataflow_skew").fetchall() == []
        nodes = explained(connection, "PHYSICAL PLAN FOR MATERIALIZED VIEW largest")
        assert nodes[0].lstrip().startswith("0  level 0  Import"), "nothing is said of workers"


def parts_make_the_whole(connection: psycopg.Connection, name: str) -> bool:
    """What the workers hold is what the operators do, and the dataflow; a merge may come between two of the three."""
    parts = connection.execute(
        "SELECT sum(w.state_rows)::bigint, sum(w.memory_bytes)::bigint, sum(w.mapped_bytes)::bigint"
        f" FROM mz_internal.mz_dataflow_workers w {OF}",
        [name],
    ).fetchone()
    operators = connection.execute(
        "SELECT sum(w.state_rows)::bigint, sum(w.state_bytes)::bigint, sum(w.mapped_bytes)::bigint"
        f" FROM mz_internal.mz_dataflow_operators w {OF}",
        [name],
    ).fetchone()
    dataflow = connection.execute(
        f"SELECT w.memory_bytes, w.mapped_bytes FROM mz_internal.mz_dataflow_state w {OF}", [name]
    ).fetchone()
    assert parts is not None
    return parts[0] > 0 and parts == operators and parts[1:] == dataflow


def of_view(connection: psycopg.Connection, name: str) -> list[dict[str, Any]]:
    cursor = connection.cursor(row_factory=psycopg.rows.dict_row)
    query = f"SELECT w.* FROM mz_internal.mz_dataflow_workers w {OF} ORDER BY w.worker_id"
    return cursor.execute(query.encode(), [name]).fetchall()


def test_how_many_workers_there_are() -> None:
    with running() as runtime, runtime.connect() as connection:
        with pytest.raises(psycopg.errors.InvalidParameterValue, match="WORKERS must be at most 64"):
            connection.execute("CREATE CLUSTER many (WORKERS 65)")
        connection.execute("CREATE CLUSTER one (WORKERS 1)")
        connection.execute("ALTER CLUSTER one SET (WORKERS 1, MEMORY LIMIT '1GB')")
        with pytest.raises(psycopg.errors.InvalidParameterValue, match="WORKERS must be at most 64"):
            connection.execute("ALTER CLUSTER one SET (WORKERS 65)")
        for workers in (1, 2):
            connection.execute(f"ALTER CLUSTER one SET (WORKERS {workers})".encode())
            (shown,) = connection.execute("SHOW CREATE CLUSTER one").fetchall()
            assert f"WORKERS {workers}" in shown[1]
