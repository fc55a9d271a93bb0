"""A runtime that is started in a folder with files named as modules: none of its processes imports them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from .test_first_steps import run

SHADOWING = ("types", "select", "json", "random", "numpy", "pyarrow", "pyspark", "ptvc")

FUNCTION = "create function f(int) returns int language python immutable as 'def f(x): return x + 1'"
LONG = (
    "select count(*) from (select g, sum(g) over (order by g) from generate_series(1, 300000) as s(g)) as x"
)
VIEW = """
    create table t (a int);
    insert into t values (1), (2);
    create materialized view m as select sum(f(a)) as s from t;
    select s from m;
    select count(*) from mz_internal.mz_spark_jobs where kind = 'hydration' and status = 'finished'
"""


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    for name in SHADOWING:
        (tmp_path / f"{name}.py").write_text(f"raise RuntimeError('this is not {name}')\n")
    run(["ptvc", "up", "--set", "job_min_rows=1"], tmp_path)
    yield tmp_path
    run(["ptvc", "down"], tmp_path)


def answers(output: str) -> list[str]:
    return [line.strip("│ ") for line in output.splitlines() if line.startswith("│")]


def test_the_server_its_queries_and_functions(folder: Path) -> None:
    assert answers(run(["ptvc", "sql", f"{FUNCTION}; select f(2); {LONG}"], folder)) == ["3", "300000"]


@pytest.mark.slow
def test_what_spark_starts(folder: Path) -> None:
    assert answers(run(["ptvc", "sql", f"{FUNCTION}; {VIEW}"], folder, timeout=120)) == ["5", "1"]
