"""What sources are to read at once as Spark jobs, and kill -9 of whoever has a part in that: every row is there once, in one commit."""

from __future__ import annotations

import gzip
import io
import os
import signal
from pathlib import Path

import fastavro
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from servers.s3_server import S3Server

from ..conftest import running
from ..runtime_process import Runtime
from ..test_restart_cost import kill_coordinator, kill_worker

pytestmark = pytest.mark.slow

JOBS = "SELECT status FROM mz_internal.mz_spark_jobs WHERE kind = 'source'"
ROWS = 300_000
"""Of a file."""
AVRO = {
    "type": "record",
    "name": "r",
    "fields": [{"name": "id", "type": "long"}, {"name": "t", "type": "string"}],
}


def file(number: int, format: str) -> bytes:
    ids = np.arange(number * ROWS, (number + 1) * ROWS)
    sink = io.BytesIO()
    if format == "avro":
        rows = ({"id": i, "t": str(i)} for i in ids.tolist())
        fastavro.writer(sink, AVRO, rows)
        return sink.getvalue()
    pq.write_table(pa.table({"id": ids, "t": pa.array(ids).cast(pa.string())}), sink, row_group_size=50_000)
    return sink.getvalue()


def connect(runtime: Runtime, s3: S3Server) -> None:
    options = f"ENDPOINT '{s3.endpoint}', ACCESS KEY ID 'testing', SECRET ACCESS KEY SECRET k"
    runtime.run("CREATE SECRET k AS 'testing-secret'", f"CREATE CONNECTION c TO AWS ({options})")


def test_a_job_reads_objects_and_later_ones_are_read_as_ever(s3: S3Server) -> None:
    bucket = s3.bucket()
    for number in range(3):
        s3.write(bucket, f"in/{number}.csv.gz", gzip.compress(b"id,t\n%d,x\nbad,y\n1,z\n" % (10 * number)))
    with running("source_job_min_bytes=100") as runtime:
        connect(runtime, s3)
        place = f"URI 's3://{bucket}/in', SCAN INTERVAL '100ms'"
        runtime.run(
            f"CREATE SOURCE s (id int, t text) FROM S3 CONNECTION c ({place}) FORMAT CSV WITH HEADER "
            "WITH (ON ERROR = DEAD LETTER) WHERE (id <> 1)"
        )
        runtime.eventually(lambda: runtime.run(JOBS) == [("finished",)])
        runtime.eventually(lambda: runtime.rows("SELECT * FROM s") == [(0, "x"), (10, "x"), (20, "x")])
        letters = "SELECT file, line, payload = 'bad,y' FROM s_dead_letters"
        assert runtime.rows(letters) == [(f"in/{number}.csv.gz", 3, True) for number in range(3)]
        counts = (
            "SELECT messages_received, updates_filtered, dead_letters FROM mz_internal.mz_source_statistics"
        )
        assert (9, 3, 3) in runtime.run(counts)
        s3.write(bucket, "in/3.csv", b"id,t\n7,w\n")
        runtime.eventually(lambda: (7, "w") in runtime.rows("SELECT * FROM s"))
        assert runtime.run(JOBS) == [("finished",)], "that is no job's"


@pytest.mark.parametrize(
    ("kill", "format"),
    [("coordinator", "parquet"), ("replica", "parquet"), ("driver", "parquet"), ("driver", "avro")],
)
def test_rows_are_there_once_whoever_dies_while_a_job_reads(s3: S3Server, kill: str, format: str) -> None:
    files = 8
    bucket = s3.bucket()
    for number in range(files):
        s3.write(bucket, f"in/{number}.{format}", file(number, format))
    total = files * ROWS
    with running("source_job_min_bytes=1000000") as runtime:
        connect(runtime, s3)
        runtime.run(
            f"CREATE SOURCE s (id bigint, t text) FROM S3 CONNECTION c (URI 's3://{bucket}/in') FORMAT {format}",
            "CREATE MATERIALIZED VIEW v AS SELECT count(*) AS n, count(DISTINCT id) AS ids FROM s",
        )
        runtime.eventually(lambda: runtime.run(JOBS) == [("running",)])
        assert runtime.run("SELECT count(*) FROM s") == [(0,)]
        if kill == "coordinator":
            kill_coordinator(runtime)
        elif kill == "replica":
            kill_worker(runtime)
        else:
            (driver,) = (pid for pid in runtime.everything() if _is_driver(pid))
            os.kill(driver, signal.SIGKILL)
        seen = set()

        def all_there() -> bool:
            ((n, ids),) = runtime.run("SELECT n, ids FROM v")
            seen.add((n, ids))
            return bool(n == total)

        runtime.eventually(all_there)
        assert runtime.run("SELECT count(*), count(DISTINCT id), sum(length(t)) FROM s")[0][:2] == (
            total,
            total,
        )
        assert seen <= {(0, 0), (total, total)}, "all of it is of one commit"


def test_a_job_reads_files_of_avro(tmp_path: Path) -> None:
    rows = [{"id": i, "t": "\0" if i == 17 else f"t{i}"} for i in range(100_000)]
    for number in range(3):
        with (tmp_path / f"{number}.avro").open("wb") as sink:
            fastavro.writer(sink, AVRO, rows, "deflate")
    with running("source_job_min_bytes=1000") as runtime:
        runtime.run(
            f"CREATE SOURCE s (id bigint, t text) FROM FILE '{tmp_path}' FORMAT AVRO WITH (ON ERROR = DEAD LETTER)"
        )
        runtime.eventually(lambda: runtime.run(JOBS) == [("finished",)])
        counts = "SELECT count(*), count(DISTINCT id), sum(id) FROM s"
        whole = (3 * 99_999, 99_999, 3 * (sum(range(100_000)) - 17))
        runtime.eventually(lambda: runtime.run(counts) == [whole])
        letters = "SELECT file, line FROM s_dead_letters"
        assert runtime.rows(letters) == [(f"{number}.avro", 18) for number in range(3)]
        with (tmp_path / "1.avro").open("a+b") as stream:
            fastavro.writer(stream, None, [{"id": -1, "t": "later"}])
        runtime.eventually(lambda: (-1, "later") in runtime.rows("SELECT * FROM s WHERE id < 0"))


def _is_driver(pid: int) -> bool:
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as command:
            return b"ptvc.replica.driver" in command.read()
    except FileNotFoundError:
        return False
