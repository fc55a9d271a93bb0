"""A served runtime whose blobs are in S3: Spark's tasks read and write them there, knowing their URL only."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from servers.s3_server import CREDENTIALS, S3Server

from ..conftest import running

ROWS = 20_000
TOTALS = (
    "SELECT customer, count(*) AS n, sum(amount) AS amount, max(note) AS note FROM orders GROUP BY customer"
)
WIDE = "SELECT o.id, o.note, c.name FROM orders o JOIN customers c ON c.id = o.customer"


@pytest.mark.slow
def test_jobs_and_replicas_work_in_s3(s3: S3Server) -> None:
    bucket = s3.bucket()
    options = ("--blob", s3.url(bucket, "environment"))
    with running("replica_slots=2", options=options) as runtime:
        runtime.run(
            "CREATE TABLE orders (id int NOT NULL, customer int, amount int, note text)",
            "CREATE TABLE customers (id int NOT NULL, name text NOT NULL)",
            "INSERT INTO customers SELECT i, 'customer ' || i FROM generate_series(0, 99) AS i",
            "INSERT INTO orders SELECT i, i % 100, i * 37 % 1000, md5(i::text) || md5((i + 1)::text) "
            f"FROM generate_series(1, {ROWS}) AS i",
            "CREATE CLUSTER jobs (JOB MIN ROWS 0)",
        )
        for name, query in (("totals", TOTALS), ("wide", WIDE)):
            runtime.run(f"CREATE MATERIALIZED VIEW {name} IN CLUSTER jobs AS {query}")
        hydrated = (
            "SELECT count(*) FROM mz_internal.mz_hydration_statuses h JOIN mz_catalog.mz_materialized_views v "
            "ON v.id = h.object_id WHERE h.hydrated AND h.spark_job_id IS NOT NULL"
        )
        runtime.eventually(lambda: runtime.run(hydrated) == [(2,)])
        assert runtime.rows("SELECT * FROM totals") == runtime.rows(TOTALS)
        assert runtime.rows("SELECT * FROM wide") == runtime.rows(WIDE)
        names = s3.names(bucket)
        assert any("/job-" in name for name in names), "the job's tasks have written there"
        runtime.run("UPDATE orders SET note = note || '!', amount = amount + 1")
        assert runtime.rows("SELECT * FROM totals") == runtime.rows(TOTALS)
        assert runtime.rows("SELECT * FROM wide") == runtime.rows(WIDE)
        assert any("/replica-" in name for name in s3.names(bucket)), "so has a replica"
        assert not (runtime.directory / "blobs").exists()
        for pid in runtime.everything():
            command = Path(f"/proc/{pid}/cmdline").read_bytes().decode()
            assert CREDENTIALS["AWS_SECRET_ACCESS_KEY"] not in command
        runtime.stop()
        for log in [*runtime.directory.rglob("*.log"), runtime.directory / "stores.json"]:
            assert CREDENTIALS["AWS_SECRET_ACCESS_KEY"] not in log.read_text(errors="replace")
        command = [sys.executable, "-m", "ptvc", "persist", "verify", "--path", str(runtime.directory)]
        verified = subprocess.run(command, capture_output=True, text=True, check=False)
        assert verified.returncode == 0, verified.stdout + verified.stderr
