"""Hydrations as Spark jobs, end to end: chosen by size, said so, and never another result."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from .conftest import running
from .runtime_process import Runtime

ROWS = 5_000
VIEWS = {
    "totals": "SELECT customer, count(*) AS orders, sum(amount) AS amount, min(amount) AS least, max(note) AS note "
    "FROM orders GROUP BY customer",
    "named": "SELECT o.id, c.name, o.amount FROM orders o JOIN customers c ON c.id = o.customer",
    "unnamed": "SELECT o.id, c.name FROM orders o LEFT JOIN customers c ON c.id = o.customer WHERE o.amount < 50",
    "notes": "SELECT DISTINCT note FROM orders",
    "everything": "SELECT count(*) AS orders, sum(amount) AS amount, count(DISTINCT customer) AS customers FROM orders",
    "largest": "SELECT DISTINCT ON (customer) customer, id, amount FROM orders ORDER BY customer, amount DESC, id",
    "ids": "SELECT id FROM customers UNION ALL SELECT customer FROM orders WHERE amount > 990",
    "above": "SELECT name, orders FROM customers JOIN totals ON totals.customer = customers.id WHERE orders > 45",
}


@pytest.fixture(scope="module")
def runtime() -> Iterator[Runtime]:
    """Every view three times: in a cluster that hydrates all by jobs, in one that never does, and in the default."""
    with running("job_min_rows=5000") as runtime:
        runtime.run(
            "CREATE TABLE orders (id int NOT NULL, customer int, amount int, note text)",
            "CREATE TABLE customers (id int NOT NULL, name text NOT NULL)",
        )
        with runtime.connect() as connection:
            with connection.cursor().copy("COPY orders FROM STDIN") as copy:
                for i in range(ROWS):
                    customer = r"\N" if i % 100 == 0 else str(i % 107)
                    copy.write(f"{i}\t{customer}\t{i * 37 % 1000}\tnote {i % 13}\n")
            with connection.cursor().copy("COPY customers FROM STDIN") as copy:
                copy.write("".join(f"{i}\tcustomer {i}\n" for i in range(100)))
        runtime.run(
            "DELETE FROM orders WHERE id % 50 = 7", "UPDATE orders SET amount = -1 WHERE id % 111 = 5"
        )
        for cluster, rows in (("jobs", 0), ("tasks", 1_000_000_000)):
            runtime.run(f"CREATE CLUSTER {cluster} (JOB MIN ROWS {rows})", f"CREATE SCHEMA {cluster}")
            for name, query in VIEWS.items():
                query = query.replace("JOIN totals", f"JOIN {cluster}.totals AS totals")
                runtime.run(f"CREATE MATERIALIZED VIEW {cluster}.{name} IN CLUSTER {cluster} AS {query}")
        runtime.run(f"CREATE MATERIALIZED VIEW totals AS {VIEWS['totals']}")
        yield runtime


def hydration(runtime: Runtime, schema: str, name: str) -> tuple[object, ...] | None:
    rows = runtime.run(
        "SELECT h.hydrated, h.rows, h.hydration_seconds, h.spark_job_id FROM mz_internal.mz_hydration_statuses h "
        "JOIN mz_catalog.mz_materialized_views v ON v.id = h.object_id "
        f"JOIN mz_catalog.mz_schemas s ON s.id = v.schema_id WHERE s.name = '{schema}' AND v.name = '{name}'"
    )
    return rows[0] if rows and rows[0][0] else None


def agree(runtime: Runtime) -> bool:
    for name, query in VIEWS.items():
        expected = runtime.rows(query)
        assert runtime.rows(f"SELECT * FROM jobs.{name}") == expected, name
        assert runtime.rows(f"SELECT * FROM tasks.{name}") == expected, name
    return True


def test_jobs_and_tasks_hydrate_alike_and_go_on_alike(runtime: Runtime) -> None:
    runtime.eventually(lambda: runtime.run("SELECT count(*) FROM jobs.above"))
    runtime.eventually(lambda: runtime.run("SELECT count(*) FROM tasks.above"))
    agree(runtime)
    runtime.run(
        "INSERT INTO orders VALUES (90001, 3, 5000, 'new'), (90002, NULL, -7, NULL), (90003, 105, 1, 'note 1')",
        "DELETE FROM orders WHERE id % 40 = 3",
        "INSERT INTO customers VALUES (105, 'late'), (3, 'double')",
        "DELETE FROM customers WHERE id = 10",
    )
    agree(runtime)
    runtime.run("DELETE FROM orders WHERE customer IS NOT NULL")
    agree(runtime)


def test_a_hydration_says_how_it_was_done(runtime: Runtime) -> None:
    by_job = runtime.eventually(lambda: hydration(runtime, "jobs", "named"))
    assert by_job[3] is not None
    by_task = runtime.eventually(lambda: hydration(runtime, "tasks", "named"))
    assert by_task[3] is None
    for answer in (by_job, by_task):
        assert isinstance(answer[1], int)
        assert answer[1] >= 4_900, "rows that were read, of both inputs"
        assert isinstance(answer[2], float)
        assert answer[2] > 0
    default = runtime.eventually(lambda: hydration(runtime, "public", "totals"))
    assert default[3] is not None, "there are at least as many updates as job_min_rows"


def test_an_error_found_by_a_job_is_the_views_and_goes_away(runtime: Runtime) -> None:
    runtime.run("CREATE TABLE divisors (n int)", "INSERT INTO divisors VALUES (1), (0), (2)")
    runtime.run(
        "CREATE MATERIALIZED VIEW jobs.quotients IN CLUSTER jobs AS SELECT n, 10 / n AS q FROM divisors"
    )
    runtime.eventually(lambda: hydration(runtime, "jobs", "quotients"))
    with pytest.raises(Exception, match="division by zero"):
        runtime.run("SELECT * FROM jobs.quotients")
    runtime.run("DELETE FROM divisors WHERE n = 0")
    assert runtime.rows("SELECT * FROM jobs.quotients") == [(1, 10), (2, 5)]
