"""Inputs of few rows that all workers have: views are those of any other cluster, through kills, restarts and other numbers of workers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from random import Random

import pytest
from inprocess import FAST, InProcess, eventually, rows, running
from ptvc.compute.partitioned import broadcast

VIEWS = {
    "buyers": "SELECT n.name, count(*) AS orders, count(DISTINCT o.customer) AS buyers"
    " FROM orders o JOIN customers c ON o.customer = c.customer JOIN nations n ON c.nation = n.nation GROUP BY n.name",
    "living": "SELECT n.name, count(*) AS customers FROM customers c LEFT JOIN nations n ON c.nation = n.nation GROUP BY n.name",
    "abroad": "SELECT c.customer, n.name FROM customers c JOIN nations n ON c.nation = n.nation WHERE n.name <> 'n3'",
}


@pytest.fixture
def runtime(monkeypatch: pytest.MonkeyPatch) -> Iterator[InProcess]:
    monkeypatch.setattr(broadcast, "MANY_ROWS", 500)
    monkeypatch.setattr(broadcast, "WORTH", 10)
    with running(FAST) as runtime, runtime.connect() as db:
        runtime.query("CREATE CLUSTER c (WORKERS 2)")
        db.execute("CREATE TABLE nations (nation int NOT NULL, name text)")
        db.execute("CREATE TABLE customers (customer int NOT NULL, nation int)")
        db.execute("CREATE TABLE orders (id int NOT NULL, customer int)")
        db.execute("INSERT INTO nations SELECT i, 'n' || i % 7 FROM generate_series(0, 9) AS i")
        db.execute("INSERT INTO customers SELECT i, i * 31 % 10 FROM generate_series(0, 599) AS i")
        db.execute("INSERT INTO orders SELECT i, i * 7919 % 600 FROM generate_series(0, 2999) AS i")
        db.execute("SET cluster = c")
        for name, query in VIEWS.items():
            db.execute(f"CREATE MATERIALIZED VIEW {name} AS {query}".encode())
        yield runtime


def change(runtime: InProcess, random: Random) -> None:
    """Of all three at one time, among it a nation that goes and comes, and keys that are in none."""
    with runtime.connect() as db, db.transaction():
        nation = random.randrange(12)
        db.execute(f"DELETE FROM nations WHERE nation = {nation}".encode())
        if random.random() < 0.7:
            db.execute(f"INSERT INTO nations VALUES ({nation}, 'n{random.randrange(7)}')".encode())
        db.execute(
            f"UPDATE customers SET nation = {random.randrange(12)} WHERE customer % 50 = {random.randrange(50)}".encode()
        )
        db.execute(f"DELETE FROM orders WHERE id % 20 = {random.randrange(20)}".encode())
        db.execute(f"INSERT INTO orders SELECT i, i % 700 FROM generate_series({nation}, 90) AS i".encode())


def check(runtime: InProcess) -> None:
    with runtime.connect() as db:
        for name, query in VIEWS.items():
            found, expected = (Counter(rows(db, text)) for text in (f"SELECT * FROM {name}", query))
            assert found == expected, name


def shown(runtime: InProcess, name: str) -> str:
    """The first line of its plan."""
    with runtime.connect() as db:
        return str(rows(db, f"EXPLAIN PHYSICAL PLAN FOR MATERIALIZED VIEW {name}")[0][0])


BUYERS = "Divided among 2 workers: public.customers by hash(#0), public.nations everywhere, public.orders by hash(#1)"


def test_few_rows_are_everywhere_and_counted_once(runtime: InProcess) -> None:
    random = Random(1)
    check(runtime)
    assert shown(runtime, "buyers") == BUYERS
    assert shown(runtime, "abroad").endswith("public.customers by hash(#0, #1), public.nations everywhere")
    for _ in range(8):
        change(runtime, random)
        check(runtime)


def test_restarts_and_other_numbers_of_workers_go_on_from_what_was_saved(runtime: InProcess) -> None:
    random = Random(2)
    check(runtime)
    for workers in (2, 3, 1, 2):
        runtime.query(f"ALTER CLUSTER c SET (WORKERS {workers})")
        eventually(lambda n=workers: handed_over(runtime, n))
        for _ in range(2):
            change(runtime, random)
            check(runtime)
        runtime.abandon()
        runtime.start()
        change(runtime, random)
        check(runtime)


def handed_over(runtime: InProcess, workers: int) -> bool:
    """Whether all that there is in the cluster is of so many workers, and up."""
    replicas = [of for of in runtime.coordinator.controller.clusters if of.cluster == "c"]
    return all(of.options.workers == workers and of.connected.is_set() for of in replicas)
