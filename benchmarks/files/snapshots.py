"""Parquet files of four columns in a directory, and the same objects in S3: until all rows are durable, beside Spark's own counts of the files;
and by one worker, and by several."""

from __future__ import annotations

import json
import os
import secrets
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
import obstore
import psycopg
import pyarrow as pa
import pyarrow.parquet as pq
from obstore.store import S3Store

from ..maven import jars_of
from ..runtime import RuntimeFailed, ServedRuntime, await_true, served
from .results import SnapshotResult

GROUP_ROWS = 250_000
TEXT_BYTES = 10
COLUMNS = "id bigint, k int, x double precision, t text"
WITHIN_S = 1800.0
NEVER = 1 << 60
KEY = "testing"
HADOOP, SDK = "3.5.0", "2.35.4"
"""Of the pinned Spark, and the version that this Hadoop names."""
_SDK_MODULES = ("s3", "s3-transfer-manager", "sts", "apache-client", "netty-nio-client")
_NOT_NEEDED = ("software.amazon.awssdk:bundle", "org.apache.hadoop:hadoop-common")
"""All of the SDK, some 600 MB, and what Spark has."""


def s3a_jars() -> Path:
    """The folder of what Spark needs to read objects of S3.  Raises NoJars."""
    modules = {f"software.amazon.awssdk:{module}": SDK for module in _SDK_MODULES}
    artifacts = {"org.apache.hadoop:hadoop-aws": HADOOP, **modules}
    return jars_of(f"s3a-{HADOOP}-{SDK}", artifacts, without=_NOT_NEEDED)


def run_snapshots(
    rows: int, files: int, rounds: int, s3: str | None, s3a: Path | None = None
) -> Iterator[SnapshotResult]:
    """`s3` is `URL/BUCKET` of a server that is there, which takes the keys KEY; None leaves it out.  With `s3a`, a folder of jars,
    Spark counts its objects as well."""
    with tempfile.TemporaryDirectory(prefix="ptvc-bench-") as folder:
        total = write_files(Path(folder), rows, files)
        yield from _spark("directory", folder, rounds)
        places = {"directory": f"FROM FILE '{folder}'"}
        if s3 is not None:
            endpoint, _, bucket = s3.rpartition("/")
            prefix = f"ptvc-bench-{secrets.token_hex(4)}"
            _upload(Path(folder), endpoint, bucket, prefix)
            if s3a is not None:
                yield from _spark("S3", f"s3a://{bucket}/{prefix}", rounds, str(s3a), endpoint, KEY)
            places["S3"] = f"FROM S3 CONNECTION c (URI 's3://{bucket}/{prefix}')"
        for what, least in (("job", 1), ("itself", NEVER)):
            settings = [f"source_job_min_bytes={least}", "compaction_interval_ms=3600000"]
            with served(settings) as runtime, runtime.connect() as db:
                if s3 is not None:
                    _connect(db, endpoint)
                for place, source in places.items():
                    for _ in range(rounds if what == "job" else 1):
                        yield _read(runtime, db, f"{source} FORMAT PARQUET", f"{place}, by {what}", total)


def run_among_workers(rows: int, files: int, rounds: int, workers: int) -> Iterator[SnapshotResult]:
    """Read by a cluster of one worker, and by one of several, in turns: Parquet files, and one file of JSON lines with a tenth of the rows.
    What they do not share is the leader's process: each cluster has its own."""
    with tempfile.TemporaryDirectory(prefix="ptvc-bench-") as folder:
        parquet, lines = Path(folder, "parquet"), Path(folder, "lines.json")
        parquet.mkdir()
        total = write_files(parquet, rows, files)
        few = write_lines(lines, rows // 10)
        settings = [f"source_job_min_bytes={NEVER}", "compaction_interval_ms=3600000"]
        with served(settings) as runtime, runtime.connect() as db:
            for count in (1, workers):
                db.execute(f"CREATE CLUSTER of_{count} (WORKERS {count})".encode())
            for number in range(rounds + 1):
                for what, source, wanted in (
                    ("Parquet", f"FROM FILE '{parquet}' FORMAT PARQUET", total),
                    ("JSON, one file", f"FROM FILE '{lines}' FORMAT JSON", few),
                ):
                    for count in (1, workers):
                        label = f"{what}, {count} worker{'s' if count > 1 else ''}"
                        result = _read(runtime, db, source, label, wanted, f"IN CLUSTER of_{count} ")
                        if number:  # the first one waits for the processes
                            yield result


def write_lines(file: Path, rows: int) -> int:
    """How many rows there are, of the columns of `write_files`."""
    random = np.random.default_rng(1)
    keys, numbers = random.integers(0, 1_000_000, rows), random.random(rows)
    with file.open("w") as stream:
        for id_, (k, x) in enumerate(zip(keys.tolist(), numbers.tolist(), strict=True)):
            stream.write(json.dumps({"id": id_, "k": k, "x": x, "t": f"t{k:09}"}) + "\n")
    return rows


def write_files(folder: Path, rows: int, files: int) -> int:
    """How many rows there are: equally many in each file."""
    random = np.random.default_rng(1)
    count = rows // files
    for file in range(files):
        letters = random.integers(97, 123, count * TEXT_BYTES, dtype=np.uint8)
        offsets = np.arange(0, len(letters) + 1, TEXT_BYTES, dtype=np.int32)
        table = pa.table(
            {
                "id": np.arange(file * count, (file + 1) * count),
                "k": random.integers(0, 1_000_000, count, dtype=np.int32),
                "x": random.random(count),
                "t": pa.StringArray.from_buffers(count, pa.py_buffer(offsets), pa.py_buffer(letters)),
            }
        )
        pq.write_table(table, folder / f"{file:04}.parquet", row_group_size=GROUP_ROWS)
    return count * files


def _spark(place: str, path: str, rounds: int, *s3a: str) -> Iterator[SnapshotResult]:
    command = [sys.executable, "-m", "benchmarks.files.spark_counts", path, str(rounds), *s3a]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeFailed(f"Spark did not count: {done.stderr[-2000:]}")
    for line in done.stdout.splitlines():
        if line.startswith("["):
            what, rows, seconds, cpu_s = json.loads(line)
            yield SnapshotResult(f"{place}, Spark's {what}", rows, seconds, cpu_s, os.getloadavg()[0])


def _upload(folder: Path, endpoint: str, bucket: str, prefix: str) -> None:
    store = S3Store(
        bucket,
        endpoint=endpoint,
        access_key_id=KEY,
        secret_access_key=KEY,
        region="us-east-1",
        client_options={"allow_http": True},
    )
    for path in sorted(folder.iterdir()):
        obstore.put(store, f"{prefix}/{path.name}", path)


def _connect(db: psycopg.Connection[Any], endpoint: str) -> None:
    db.execute(f"CREATE SECRET k AS '{KEY}'".encode())
    options = f"ENDPOINT '{endpoint}', ACCESS KEY ID '{KEY}', SECRET ACCESS KEY SECRET k"
    db.execute(f"CREATE CONNECTION c TO AWS ({options})".encode())


def _read(
    runtime: ServedRuntime, db: psycopg.Connection[Any], source: str, what: str, rows: int, cluster: str = ""
) -> SnapshotResult:
    cpu, began = runtime.cpu_seconds(), perf_counter()
    db.execute(f"CREATE SOURCE s ({COLUMNS}) {cluster}{source}".encode())

    def all_there() -> bool:
        counted = db.execute(
            "SELECT coalesce(sum(updates_committed), 0) FROM mz_internal.mz_source_statistics"
        )
        return bool(counted.fetchone() == (rows,))

    await_true(all_there, "all rows are durable", WITHIN_S, 0.05)
    result = SnapshotResult(
        what, rows, perf_counter() - began, runtime.cpu_seconds() - cpu, os.getloadavg()[0]
    )
    found = db.execute("SELECT count(*) FROM s").fetchone()
    if found != (rows,):
        raise RuntimeFailed(f"{found} rows are there of {rows}")
    db.execute("DROP SOURCE s")
    return result
