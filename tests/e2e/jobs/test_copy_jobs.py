"""COPY to files whose rows the tasks of a Spark job write: what one process writes, no more and no less, whatever comes in between."""

from __future__ import annotations

import csv
import json
import os
import shutil
import signal
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

import psycopg
import pyarrow.parquet as pq
import pytest
from psycopg import errors
from servers.s3_server import S3Server

from ..conftest import running
from ..runtime_process import Runtime

pytestmark = pytest.mark.slow

ROWS = 30_000
COLUMNS = ("id", "pad", "n", "z", "pad || '\"'", "NULLIF(id % 7, 3)", "n / 8", "ARRAY[id, NULL]")
SOURCES = (
    "t",
    "t WHERE id % 3 <> 1",
    "(SELECT * FROM t UNION ALL SELECT * FROM t WHERE id < 9000) t",
    "(SELECT max(id) AS id, pad, sum(n)::numeric(12, 2) AS n, min(z) AS z FROM t GROUP BY pad) t",
    "t JOIN (SELECT DISTINCT id % 11 AS r FROM t) u ON t.id % 11 = u.r",
)
LARGE = "(SELECT id AS c0, pad, n, z, g FROM t, generate_series(1, 20) AS g)"
"""Some 60 MB, which takes tasks a while to write."""

LATE_ERROR = "(SELECT pad, CASE WHEN id = 29999 THEN 'infinity' ELSE z END FROM t)"
"""In Parquet: the task that writes the row finds it."""


@pytest.fixture(scope="module")
def runtime() -> Iterator[Runtime]:
    """Of two clusters: `jobs` answers everything by jobs, `one` nothing.  An answer of a job may have 1 MB."""
    with running("max_result_bytes=1000000") as runtime:
        runtime.run(
            "CREATE CLUSTER jobs (JOB MIN ROWS 0)",
            "CREATE CLUSTER one (JOB MIN ROWS 1000000000)",
            "CREATE TABLE t (id int NOT NULL, pad text, n numeric(10, 2), z timestamptz)",
            "INSERT INTO t SELECT i, md5(i::text) || ',' || md5((i + 1)::text), i::numeric / 100, "
            f"'2024-01-01'::timestamptz + i * interval '1 second' FROM generate_series(1, {ROWS}) AS i",
            "UPDATE t SET pad = NULL WHERE id % 500 = 3",
            "INSERT INTO t SELECT * FROM t WHERE id % 10 = 4",  # rows that are there twice
        )
        yield runtime


def copy(runtime: Runtime, cluster: str, query: str, place: object, options: str) -> int:
    with runtime.connect() as connection:
        connection.execute(f"SET cluster = {cluster}".encode())
        connection.execute("SET TimeZone = 'Europe/Zurich'")
        text = f"COPY {query} TO '{place}' WITH (MAX FILE SIZE = '1MB', {options})"
        return connection.execute(text.encode()).rowcount


def manifest(place: Path) -> list[str]:
    """The names of the files; there are these only, as large as it says."""
    said = json.loads((place / "_SUCCESS").read_text())
    names = [file["name"] for file in said["files"]]
    assert sorted([*names, "_SUCCESS"]) == sorted(os.listdir(place))
    assert [file["bytes"] for file in said["files"]] == [(place / name).stat().st_size for name in names]
    assert said["rows"] == sum(file["rows"] for file in said["files"])
    return names


def rows(place: Path) -> Counter[str]:
    found: Counter[str] = Counter()
    for name in manifest(place):
        if name.endswith(".csv"):
            with (place / name).open(newline="") as file:
                header, *lines = csv.reader(file)
            assert header[0] == "c0"
            found.update(map(repr, lines))
        else:
            found.update(map(repr, pq.read_table(place / name).to_pylist()))
    return found


def jobs(runtime: Runtime, status: str) -> int:
    query = f"SELECT count(*) FROM mz_internal.mz_spark_jobs WHERE kind = 'export' AND status = '{status}'"
    return int(runtime.run(query)[0][0])


def nothing_is_left(runtime: Runtime) -> bool:
    """Of answers, and of the fences of exports."""
    return not any((runtime.directory / "state" / "answers").iterdir())


@pytest.mark.parametrize("seed", range(6))
def test_tasks_write_what_one_process_writes(runtime: Runtime, tmp_path: Path, seed: int) -> None:
    random = Random(seed)
    before = jobs(runtime, "finished")
    for number, source in enumerate(random.sample(SOURCES, 2)):
        chosen = ["pad", *random.choices(COLUMNS, k=3)]
        columns = ", ".join(f"t.{c} AS c{i}" if c.isalpha() else f"{c} AS c{i}" for i, c in enumerate(chosen))
        query = f"(SELECT {columns} FROM {source})"
        options = random.choice(("FORMAT PARQUET", "FORMAT CSV, HEADER"))
        places = [tmp_path / f"{cluster}{number}" for cluster in ("jobs", "one")]
        counts = [copy(runtime, place.name[:-1], query, place, options) for place in places]
        assert counts[0] == counts[1], query
        assert rows(places[0]) == rows(places[1]), query
        assert len(manifest(places[0])) > 1
        assert manifest(places[0])[0].startswith("part-00000-00000.")
    assert jobs(runtime, "finished") == before + 2
    runtime.eventually(lambda: nothing_is_left(runtime))


def test_what_has_an_order_or_is_small_is_written_by_one_process(runtime: Runtime, tmp_path: Path) -> None:
    before = jobs(runtime, "finished")
    for number, query in enumerate(
        ("(SELECT id FROM t ORDER BY id DESC LIMIT 100)", "(SELECT DISTINCT id % 50 FROM t)", "(SELECT id FROM t LIMIT 70 OFFSET 9)")
    ):  # fmt: skip
        assert copy(runtime, "jobs", query, tmp_path / str(number), "FORMAT CSV") == (100, 50, 70)[number]
        assert manifest(tmp_path / str(number)) == ["part-00000.csv"]
    ids = [int(line) for line in (tmp_path / "0" / "part-00000.csv").read_text().split()]
    assert ids == sorted(ids, reverse=True)
    assert jobs(runtime, "finished") == before


def test_an_order_has_the_limit_of_an_answer(runtime: Runtime, tmp_path: Path) -> None:
    with pytest.raises(errors.ConfigurationLimitExceeded, match="max_result_bytes"):
        copy(runtime, "jobs", "(SELECT * FROM t ORDER BY pad)", tmp_path / "out", "FORMAT CSV")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("query", "error"),
    [
        ("(SELECT pad, 1 / (id - 17) FROM t)", errors.DivisionByZero),
        (LATE_ERROR, errors.DatetimeFieldOverflow),
    ],
)
def test_an_error_leaves_nothing(
    runtime: Runtime, tmp_path: Path, query: str, error: type[Exception]
) -> None:
    with pytest.raises(error):
        copy(runtime, "jobs", query, tmp_path / "out", "FORMAT PARQUET")
    assert not (tmp_path / "out").exists()
    runtime.eventually(lambda: nothing_is_left(runtime))


def test_to_s3_with_faults(runtime: Runtime, s3: S3Server, tmp_path: Path) -> None:
    bucket = s3.bucket()
    options = f"ENDPOINT '{s3.endpoint}', ACCESS KEY ID 'testing', SECRET ACCESS KEY SECRET k"
    runtime.run("CREATE SECRET k AS 'testing-secret'", f"CREATE CONNECTION c TO AWS ({options})")
    for number, rate in enumerate((0.0, 0.1)):
        s3.fail_at_random(rate, 7)
        try:
            to = "FORMAT PARQUET, AWS CONNECTION = c"
            assert copy(runtime, "jobs", "t", f"s3://{bucket}/out{number}", to) == ROWS + ROWS // 10
        finally:
            s3.fail_at_random(0.0, 0)
        place = tmp_path / str(number)
        place.mkdir()
        for name in s3.names(bucket):
            if name.startswith(f"out{number}/"):
                (place / name.partition("/")[2]).write_bytes(s3.read(bucket, name))
        assert len(manifest(place)) > 1
    assert copy(runtime, "one", "t", tmp_path / "one", "FORMAT PARQUET") == ROWS + ROWS // 10
    assert rows(tmp_path / "0") == rows(tmp_path / "1") == rows(tmp_path / "one")
    to = f"s3://{bucket}/failed"
    with pytest.raises(errors.DatetimeFieldOverflow):
        copy(runtime, "jobs", LATE_ERROR, to, "FORMAT PARQUET, AWS CONNECTION = c")
    assert not [name for name in s3.names(bucket) if name.startswith("failed")]


def interrupted(runtime: Runtime, place: Path, interrupt: Callable[[int], Any]) -> psycopg.Error | None:
    """The error, if any, of a large export, interrupted when tasks have written some files; `interrupt` gets the backend's pid."""
    failed: list[psycopg.Error] = []
    with runtime.connect() as connection:
        connection.execute("SET cluster = jobs")

        def run() -> None:
            text = f"COPY {LARGE} TO '{place}' WITH (FORMAT CSV, HEADER, MAX FILE SIZE = '1MB')"
            try:
                connection.execute(text.encode())
            except psycopg.Error as error:
                failed.append(error)

        thread = threading.Thread(target=run)
        thread.start()
        runtime.eventually(lambda: place.exists() and any(n.startswith("part") for n in os.listdir(place)))
        interrupt(connection.info.backend_pid)
        thread.join(120)
        assert not thread.is_alive()
    return failed[0] if failed else None


def test_cancel_leaves_nothing(runtime: Runtime, tmp_path: Path) -> None:
    place = tmp_path / "out"

    def cancel(pid: int) -> None:
        assert runtime.run(f"SELECT pg_cancel_backend({pid})") == [(True,)]

    assert isinstance(interrupted(runtime, place, cancel), errors.QueryCanceled)
    runtime.eventually(lambda: not place.exists())
    assert jobs(runtime, "canceled") == 1
    runtime.eventually(lambda: nothing_is_left(runtime))
    assert copy(runtime, "jobs", "t", place, "FORMAT CSV") == ROWS + ROWS // 10


@pytest.mark.parametrize("process", ["driver", "jvm", "worker"])
def test_killed_processes_leave_nothing(runtime: Runtime, tmp_path: Path, process: str) -> None:
    place = tmp_path / "out"

    def kill(_: int) -> None:
        pids = runtime.children()[process]
        assert pids
        for pid in pids:
            os.kill(pid, signal.SIGKILL)

    error = interrupted(runtime, place, kill)
    if error is None:  # tasks that died were run again
        assert process == "worker"
        assert sum(rows(place).values()) == 20 * (ROWS + ROWS // 10)
        shutil.rmtree(place)
    else:
        assert "while a job was running" in str(error) or "Spark job" in str(error)
        runtime.eventually(lambda: not place.exists())
    assert (
        runtime.eventually(lambda: copy(runtime, "jobs", "t", place, "FORMAT PARQUET")) == ROWS + ROWS // 10
    )
    assert sum(rows(place).values()) == ROWS + ROWS // 10
    runtime.eventually(lambda: nothing_is_left(runtime))
