"""Hydrations, queries and steps as Spark jobs, end to end: chosen by size, said so, and never another result."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import psycopg
import pytest

from ..conftest import running
from ..runtime_process import Runtime

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

UNENDING = "SELECT count(*) AS n FROM wide a LEFT JOIN wide b ON (a.id * 7 + b.id) % 1000003 = 999999"
"""1.6 billion pairs, all of them looked at."""


@pytest.fixture(scope="module")
def runtime() -> Iterator[Runtime]:
    """Every view three times: in a cluster that hydrates all by jobs, in one that never does, and in the default."""
    with running("job_min_rows=5000", "max_result_bytes=2000000") as runtime:
        runtime.run(
            "CREATE TABLE orders (id int NOT NULL, customer int, amount int, note text)",
            "CREATE TABLE customers (id int NOT NULL, name text NOT NULL)",
            "CREATE TABLE wide (id int)",
            "INSERT INTO wide SELECT g FROM generate_series(1, 40000) AS g",
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


@pytest.mark.slow
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


def index_hydration(runtime: Runtime, name: str) -> tuple[object, ...] | None:
    rows = runtime.run(
        "SELECT h.hydrated, h.rows, h.spark_job_id, h.percent FROM mz_internal.mz_hydration_statuses h "
        f"JOIN mz_catalog.mz_indexes i ON i.id = h.object_id WHERE i.name = '{name}'"
    )
    return rows[0] if rows and rows[0][0] else None


def test_an_index_is_hydrated_by_a_job_and_goes_on(runtime: Runtime) -> None:
    runtime.run(
        "CREATE TABLE events (id int NOT NULL, kind int, note text)",
        "INSERT INTO events SELECT g, g % 50, 'event ' || (g % 7)::text FROM generate_series(1, 3000) AS g",
        "DELETE FROM events WHERE id % 10 = 3",
        "CREATE INDEX events_by_kind IN CLUSTER jobs ON events (kind)",
        "CREATE VIEW notes_by_kind AS SELECT kind, note, count(*) AS n FROM events GROUP BY kind, note",
        "CREATE INDEX notes_index IN CLUSTER jobs ON notes_by_kind (kind, note)",
    )
    for name in ("events_by_kind", "notes_index"):
        hydrated = runtime.eventually(lambda name=name: index_hydration(runtime, name))  # type: ignore[misc]
        assert hydrated[2] is not None, "by a job"
        assert hydrated[3] == 100
    queries = (
        "SELECT * FROM events WHERE kind = 7",
        "SELECT * FROM events",
        "SELECT * FROM notes_by_kind WHERE kind = 8 AND note = 'event 3'",
        "SELECT * FROM notes_by_kind",
    )

    def alike() -> None:
        with runtime.connect() as indexed, runtime.connect() as plain:
            indexed.execute("SET cluster = jobs")
            plain.execute("SET cluster = tasks")
            for query in queries:
                rows = [Counter(c.execute(query).fetchall()) for c in (indexed, plain)]
                assert rows[0] == rows[1], query

    alike()
    runtime.run(
        "INSERT INTO events VALUES (90001, 7, 'new'), (90002, NULL, NULL), (90003, 8, 'event 3')",
        "DELETE FROM events WHERE id % 4 = 1",
        "UPDATE events SET kind = 7 WHERE kind = 9",
    )
    alike()


def test_an_index_over_an_error_is_in_error_until_it_goes_away(runtime: Runtime) -> None:
    runtime.run(
        "CREATE TABLE shares (n int)",
        "INSERT INTO shares VALUES (1), (0), (2)",
        "CREATE VIEW share AS SELECT n, 10 / n AS part FROM shares",
        "CREATE INDEX share_index IN CLUSTER jobs ON share (n)",
    )
    assert runtime.eventually(lambda: index_hydration(runtime, "share_index"))[2] is not None
    with runtime.connect() as connection:
        connection.execute("SET cluster = jobs")
        with pytest.raises(Exception, match="division by zero"):
            connection.execute("SELECT * FROM share WHERE n = 2")
        connection.execute("DELETE FROM shares WHERE n = 0")
        assert connection.execute("SELECT part FROM share WHERE n = 2").fetchall() == [(5,)]


def test_jobs_are_shown_with_how_far_they_came(runtime: Runtime) -> None:
    # A view of this test: of what has ended the last hundred are shown, and the other tests run more.
    runtime.run(f"CREATE MATERIALIZED VIEW jobs.shown IN CLUSTER jobs AS {VIEWS['named']}")
    runtime.eventually(lambda: hydration(runtime, "jobs", "shown"))
    rows = runtime.run(
        "SELECT j.kind, j.status, j.rows_total, j.rows_read, j.levels, j.levels_done, j.tasks, j.tasks_done, j.percent,"
        " j.seconds FROM mz_internal.mz_spark_jobs j JOIN mz_catalog.mz_objects o ON o.id = j.object_id "
        "JOIN mz_catalog.mz_schemas s ON s.id = o.schema_id WHERE s.name = 'jobs' AND o.name = 'shown' "
        "AND j.kind = 'hydration'"
    )
    assert rows, "it is remembered"
    kind, status, total, read, levels, levels_done, tasks, tasks_done, percent, seconds = rows[-1]
    assert (kind, status, percent) == ("hydration", "finished", 100)
    assert read == total > 4_900
    assert levels_done == levels == 2
    assert tasks_done == tasks
    assert seconds > 0


QUERIES = (
    *VIEWS.values(),
    "SELECT id, amount FROM orders WHERE amount > 500 ORDER BY amount DESC, id LIMIT 7 OFFSET 3",
    "SELECT * FROM orders",
    "SELECT customer, avg(amount), stddev(amount), max(note) FROM orders GROUP BY customer HAVING count(*) > 3",
    "SELECT id FROM orders UNION ALL SELECT id FROM orders WHERE id < 100",
    "SELECT count(*) FROM orders WHERE id < 0",
    "SELECT customer, string_agg(note, ',' ORDER BY id), array_agg(amount ORDER BY id) FROM orders GROUP BY customer",
    "SELECT id, row_number() OVER (PARTITION BY customer ORDER BY id), lag(amount) OVER (ORDER BY id) FROM orders",
    "SELECT a.id, c.name, b.id FROM orders a JOIN customers c ON c.id = a.customer JOIN orders b ON b.amount = a.amount",
    "SELECT o.note, c.name, count(*) FROM orders o FULL JOIN customers c ON c.id = o.customer GROUP BY 1, 2",
)


def queries_by_job(runtime: Runtime) -> int:
    return int(runtime.run("SELECT count(*) FROM mz_internal.mz_spark_jobs WHERE kind = 'query'")[0][0])


def test_queries_by_job_and_by_task_answer_alike(runtime: Runtime) -> None:
    before = queries_by_job(runtime)
    with runtime.connect() as jobs, runtime.connect() as tasks:
        jobs.execute("SET cluster = jobs")
        tasks.execute("SET cluster = tasks")
        for query in QUERIES:
            query = query.replace("JOIN totals", "JOIN public.totals AS totals")
            answers = [connection.execute(query).fetchall() for connection in (jobs, tasks)]
            if "ORDER BY amount" in query:
                assert answers[0] == answers[1], query
            assert Counter(map(repr, answers[0])) == Counter(map(repr, answers[1])), query
        with pytest.raises(Exception, match="division by zero"):
            jobs.execute("SELECT 1 / (id - id) FROM orders")
    assert queries_by_job(runtime) == before + len(QUERIES) + 1
    assert list((runtime.directory / "state" / "answers").iterdir()) == [], "answers are removed"


def test_a_query_by_job_sees_the_transaction_s_own_writes(runtime: Runtime) -> None:
    with runtime.connect() as connection:
        connection.execute("SET cluster = jobs")
        connection.execute("BEGIN")
        connection.execute("INSERT INTO customers VALUES (7001, 'own'), (7002, 'own')")
        assert connection.execute("SELECT id FROM customers WHERE name = 'own' ORDER BY id").fetchall() == [
            (7001,),
            (7002,),
        ]
        connection.execute("ROLLBACK")


def test_a_query_by_job_is_cancelled(runtime: Runtime) -> None:
    with runtime.connect() as connection:
        connection.execute("SET cluster = jobs")
        connection.execute("SET statement_timeout = '2s'")
        with pytest.raises(psycopg.errors.QueryCanceled):
            connection.execute(UNENDING)
        connection.execute("SET statement_timeout = 0")
        assert connection.execute("SELECT count(*) FROM customers WHERE id = 3").fetchone() is not None
    statuses = runtime.run("SELECT status FROM mz_internal.mz_spark_jobs WHERE kind = 'query'")
    assert ("canceled",) in statuses


def test_an_answer_that_is_too_large_is_refused(runtime: Runtime) -> None:
    with runtime.connect() as connection:
        connection.execute("SET cluster = jobs")
        with pytest.raises(psycopg.Error, match="max_result_bytes") as refused:
            connection.execute("SELECT * FROM wide a, customers b")
        assert refused.value.sqlstate == "53400"
