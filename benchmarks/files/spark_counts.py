"""`python -m benchmarks.files.spark_counts PATH ROUNDS`: Spark's own counts of Parquet files, as JSON lines: what, rows, seconds, CPU seconds.

`count(*)` reads the ends of the files only.  `decode` reads what it counts: a hash of all columns of every row.
"""

from __future__ import annotations

import json
import os
import sys
from time import perf_counter

from pyspark.sql import SparkSession

from ..measure import tree_cpu_seconds

COUNTS = {
    "count(*)": ("count(*)",),
    "decode": ("count(*)", "bit_xor(xxhash64(id, k, x, t))"),
}


def main(path: str, rounds: int) -> None:
    master = f"local[{len(os.sched_getaffinity(0))}]"
    session = (
        SparkSession.builder.master(master)
        .config("spark.driver.memory", "2g")
        .config("spark.ui.enabled", "false")
        .getOrCreate()
    )
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
    main(sys.argv[1], int(sys.argv[2]))
