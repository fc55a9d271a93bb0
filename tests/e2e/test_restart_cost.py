"""What a real worker that is killed costs: the changes since the last checkpoint, not what there was before."""

from __future__ import annotations

import os
import signal

import pytest

from .conftest import running
from .runtime_process import Runtime

pytestmark = pytest.mark.slow

ROWS = 30_000
QUERY = "SELECT customer, count(*) AS orders, max(amount) AS most FROM orders GROUP BY customer"
STATUS = """
    SELECT o.name, h.rows, h.spark_job_id, s.checkpoint_frontier
    FROM mz_internal.mz_hydration_statuses h
    JOIN mz_catalog.mz_objects o ON o.id = h.object_id
    LEFT JOIN mz_internal.mz_dataflow_state s ON s.object_id = h.object_id
    WHERE h.hydrated ORDER BY o.name
"""


def worker(runtime: Runtime) -> int | None:
    pids = runtime.run(
        "SELECT process_id FROM mz_internal.mz_cluster_replica_statuses WHERE status = 'online'"
    )
    return pids[0][0] if pids else None


def kill_worker(runtime: Runtime) -> None:
    before = worker(runtime)
    assert before is not None
    os.kill(before, signal.SIGKILL)
    runtime.eventually(lambda: worker(runtime) not in (None, before))


def kill_coordinator(runtime: Runtime) -> None:
    runtime.kill()
    runtime.start()


def test_a_view_and_an_index_that_jobs_have_hydrated_go_on_from_checkpoints() -> None:
    with running("job_min_rows=5000", "spill_rows=2000", "checkpoint_interval_ms=3600000") as runtime:
        runtime.run("CREATE TABLE orders (id int NOT NULL, customer int, amount int)")
        with runtime.connect() as connection, connection.cursor().copy("COPY orders FROM STDIN") as copy:
            copy.write("".join(f"{i}\t{i % 107}\t{i * 37 % 1000}\n" for i in range(ROWS)))
        runtime.run(
            f"CREATE MATERIALIZED VIEW totals AS {QUERY}", "CREATE INDEX by_customer ON orders (customer)"
        )
        saved = runtime.eventually(
            lambda: [s for s in [runtime.run(STATUS)] if len(s) == 2 and all(r[3] for r in s)]
        )[0]
        assert all(rows >= ROWS and job is not None for _, rows, job, _ in saved)
        for tail, end in enumerate((kill_worker, kill_worker, kill_coordinator), 1):
            runtime.run(
                "INSERT INTO orders VALUES (-1, 7, 5000)",
                "DELETE FROM orders WHERE id = -1 AND amount < 5000",
            )
            end(runtime)
            status = runtime.eventually(lambda: [s for s in [runtime.run(STATUS)] if len(s) == 2])[0]
            assert [rows for _, rows, _, _ in status] == [tail, tail]
            assert runtime.rows("SELECT * FROM totals") == runtime.rows(QUERY)
            [(count,)] = runtime.run("SELECT count(*) FROM (SELECT id FROM orders WHERE customer = 7) AS o")
            assert count == len([i for i in range(ROWS) if i % 107 == 7]) + tail
