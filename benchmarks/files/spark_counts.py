"""`python -m benchmarks.files.spark_counts PATH ROUNDS [JARS ENDPOINT KEY]`: Spark's own counts of Parquet files, as JSON lines: what, rows,
seconds, CPU seconds.  With the folder of the jars for it, objects of S3 at that endpoint are counted.

`count(*)` reads the ends of the files only.  `decode` reads what it counts: a hash of all columns of every row.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from time import perf_counter

from pyspark.sql import SparkSession

from ..measure import tree_cpu_seconds

COUNTS = {
    "count(*)": ("count(*)",),
    "decode": ("count(*)", "bit_xor(xxhash64(id, k, x, t))"),
}


def main(path: str, rounds: int, jars: str | None = None, endpoint: str = "", key: str = "") -> None:
    master = f"local[{len(os.sched_getaffinity(0))}]"
    builder = (
        SparkSession.builder.master(master)
        .config("spark.driver.memory", "2g")
        .config("spark.ui.enabled", "false")
    )
    if jars is not None:
        builder = builder.config("spark.jars", ",".join(map(str, sorted(Path(jars).iterdir()))))
        for name, value in {
            "endpoint": endpoint,
            "endpoint.region": "us-east-1",
            "path.style.access": "true",
            "access.key": key,
            "secret.key": key,
        }.items():
            builder = builder.config(f"spark.hadoop.fs.s3a.{name}", value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    for round_ in range(rounds + 1):
        for what, expressions in COUNTS.items():
            cpu, began = tree_cpu_seconds(os.getpid()), perf_counter()
            rows = session.read.parquet(path).selectExpr(*expressions).collect()[0][0]
            seconds = perf_counter() - began
            if round_:  # the first one compiles
                found = [what, rows, seconds, tree_cpu_seconds(os.getpid()) - cpu]
                print(json.dumps(found), flush=True)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), *sys.argv[3:])
