"""Apache Flink SQL over the same topic: its Kafka connector in a cluster of one process, which stores nothing.

That is its best case: the rows go to a sink that drops them (`blackhole`), there is no checkpoint, and the cluster is up before the clock
starts.  Of a topic with keys it reads `upsert-kafka`; since Flink 2.1 a sink that takes any change has it keep no row of a key, so a count of
the rows is made as well, for which it has to.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import TextIO

from ..maven import NoJars, jars_of
from ..measure import load
from ..runtime import RuntimeFailed
from .results import BacklogResult

VERSION, CONNECTOR = "2.2.1", "5.0.0-2.2"
SYSTEM = f"Flink SQL {VERSION}"
_ARTIFACTS = {
    "flink-clients": VERSION,
    "flink-connector-base": VERSION,
    "flink-table-api-java-bridge": VERSION,
    "flink-table-planner-loader": VERSION,
    "flink-table-runtime": VERSION,
    "flink-json": VERSION,
    "flink-sql-connector-kafka": CONNECTOR,
}
_OPENED = ("lang", "lang.invoke", "lang.reflect", "net", "nio", "text", "time", "util", "util.concurrent")
"""Packages of Java's that Flink reaches into, as its own scripts allow it to."""
_READ = """
CREATE TABLE appended (id INT, name STRING, price DOUBLE) WITH ('connector' = 'kafka', 'topic' = '{topic}',
'properties.bootstrap.servers' = '{broker}', 'scan.startup.mode' = 'earliest-offset', 'scan.bounded.mode' = 'latest-offset',
'value.format' = 'json')

CREATE TABLE upserted (id INT, name STRING, price DOUBLE, k STRING, PRIMARY KEY (k) NOT ENFORCED) WITH ('connector' = 'upsert-kafka',
'topic' = '{topic}', 'properties.bootstrap.servers' = '{broker}', 'scan.bounded.mode' = 'latest-offset',
'key.format' = 'raw', 'value.format' = 'json', 'value.fields-include' = 'EXCEPT_KEY')

CREATE TABLE dropped WITH ('connector' = 'blackhole') LIKE appended (EXCLUDING ALL)

CREATE TABLE dropped_by_key WITH ('connector' = 'blackhole') LIKE upserted (EXCLUDING ALL)

CREATE TABLE dropped_count (n BIGINT) WITH ('connector' = 'blackhole')

SELECT count(*) FROM appended

INSERT INTO dropped SELECT * FROM appended

INSERT INTO dropped_by_key SELECT * FROM upserted

INSERT INTO dropped_count SELECT count(*) FROM upserted

SELECT count(*) FROM upserted
"""
"""The first query is also what its compiler has to warm up with."""
_JOBS = ("append, dropped", "upsert, dropped", "upsert, counted")


def flink_jars() -> Path:
    """The folder of its jars.  Raises NoJars."""
    artifacts = {f"org.apache.flink:{name}": version for name, version in _ARTIFACTS.items()}
    return jars_of(f"flink-{VERSION}-{CONNECTOR}", artifacts)


def java() -> str:
    home = os.environ.get("JAVA_HOME")
    program = shutil.which("java", path=f"{home}/bin") if home else shutil.which("java")
    if program is None:
        raise NoJars("Flink needs a JDK of Java 17: there is no program java")
    return program


def run_flink(broker: str, topic: str, messages: int, keys: int) -> list[BacklogResult]:
    """Whole reads of the topic, which has so many messages of so many keys.  Raises NoJars, and RuntimeFailed for a wrong count."""
    jars = flink_jars()
    with tempfile.TemporaryDirectory(prefix="ptvc-bench-flink-") as folder:
        script, log = Path(folder) / "read.sql", Path(folder) / "flink.log"
        script.write_text(_READ.format(broker=broker, topic=topic).strip())
        opens = [f"--add-opens=java.base/java.{package}=ALL-UNNAMED" for package in _OPENED]
        main = Path(__file__).with_name("FlinkSql.java")
        command = [java(), "-Xmx1g", *opens, "-cp", f"{jars}/*", str(main), str(script)]
        with log.open("w") as errors:
            said = _said(command, errors)
        if said is None:
            raise RuntimeFailed(f"Flink has failed: {log.read_text()[-2000:]}")
    counts = [int(found[0]) for kind, *found in said if kind == "last"]
    if counts != [messages, keys]:
        raise RuntimeFailed(f"Flink has counted {counts}, not {[messages, keys]}")
    start = next(float(found[0]) for kind, *found in said if kind == "ready")
    jobs = [map(float, found) for kind, *found in said if kind == "job"]
    return [
        BacklogResult(SYSTEM, job, messages, rows, seconds, cpu, load(), start)
        for (job, rows), (seconds, cpu) in zip(
            zip(_JOBS, (messages, keys, keys), strict=True), jobs, strict=True
        )
    ]


def _said(command: list[str], errors: TextIO) -> list[list[str]] | None:
    """What the program has printed, in words; None where it has failed."""
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, text=True) as process:
        try:
            assert process.stdout is not None
            said = [line.split() for line in process.stdout]
        except BaseException:
            process.kill()
            raise
    return None if process.returncode else said
