"""Which queries are Spark jobs: by the rows that they read, and whether DuckDB would compute them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import pytest
from ptvc.compute.shared_files import LocalFiles
from ptvc.config import ClusterOptions, Settings
from ptvc.coord.controller.query_jobs import DUCKDB_FACTOR, QueryJobs
from ptvc.expr.registry import resolve_call
from ptvc.expr.tree.relation import Distinct, Get, Map, Relation
from ptvc.expr.tree.scalar import ColumnRef, Literal
from ptvc.persist.part import PartRef
from ptvc.replica.protocol import Import
from ptvc.repr.schema import Column, Schema
from ptvc.repr.types import INT4

SCHEMA = Schema((Column("a", INT4, False),))
BY_DUCKDB = Distinct(Get("t", SCHEMA))
BY_OPERATORS = Distinct(
    Map(Get("t", SCHEMA), (resolve_call("divide", (Literal(7, INT4), ColumnRef(0, INT4))),), ("b",))
)
LEAST = 1_000


@dataclass
class Catalog:
    least: int | None = None

    def cluster_options(self, name: str) -> ClusterOptions:
        return ClusterOptions(job_min_rows=self.least)


def wanted(path: Path, relation: Relation, rows: int, least: int | None = None, **more: Any) -> bool:
    settings = Settings(query_job_min_rows=LEAST, **more)
    part = PartRef("t", "parquet1", None, None, rows, 0, 1, 3, 3, 0)
    source = Import("t", "t", SCHEMA, True, 5, (part,), (), 6)
    jobs = QueryJobs(cast(Any, None), cast(Any, Catalog(least)), settings, LocalFiles(path))
    return jobs.wanted(relation, "c", (source,) if rows else ())


@pytest.mark.parametrize(
    ("relation", "least"),
    [(BY_OPERATORS, LEAST), (BY_DUCKDB, LEAST * DUCKDB_FACTOR)],
    ids=["operators", "duckdb"],
)
def test_by_rows(tmp_path: Path, relation: Relation, least: int) -> None:
    assert not wanted(tmp_path, relation, 0)
    assert not wanted(tmp_path, relation, least - 1)
    assert wanted(tmp_path, relation, least)


def test_the_option_of_the_cluster_comes_first(tmp_path: Path) -> None:
    assert not wanted(tmp_path, BY_OPERATORS, LEAST, least=LEAST + 1)
    assert wanted(tmp_path, BY_OPERATORS, 7, least=7)
    assert wanted(tmp_path, BY_DUCKDB, 7 * DUCKDB_FACTOR, least=7, duckdb_min_rows=0)


def test_without_duckdb(tmp_path: Path) -> None:
    assert wanted(tmp_path, BY_DUCKDB, LEAST, duckdb_min_rows=1_000_000)
