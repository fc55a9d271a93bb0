"""What psql 15 and dbt send to the catalog plans, and runs over empty system relations."""

from __future__ import annotations

from pathlib import Path

import pytest
from ptvc.compute.oneshot import evaluate_once
from ptvc.sql.catalog.system_relations import ALWAYS_EMPTY, SYSTEM_RELATIONS
from ptvc.sql.plans.query_plans import Select

from .fake_catalog import planned

DATA = Path(__file__).parent / "testdata"
STATEMENTS = [
    text.strip() for name in ("psql.sql", "dbt.sql") for text in (DATA / name).read_text().split("\n---\n")
]


@pytest.mark.parametrize("number", range(len(STATEMENTS)))
def test_it_plans_and_runs(number: int) -> None:
    select = planned(STATEMENTS[number])
    assert isinstance(select, Select)
    assert len(select.schema) > 0
    result = evaluate_once(select.relation, {}, 1)
    assert len(result.errs) == 0


@pytest.mark.parametrize(
    "kind",
    [
        "tables",
        "views",
        "materialized views",
        "sources",
        "sinks",
        "indexes",
        "clusters",
        "schemas",
        "objects",
    ],
)
def test_show_is_a_select(kind: str) -> None:
    select = planned(f"show {kind} like 'x%'")
    assert isinstance(select, Select)
    assert select.schema.names[0] == "name"


def test_show_columns_and_create() -> None:
    columns = planned("show columns from t")
    assert isinstance(columns, Select)
    assert columns.schema.names == ("name", "nullable", "type")
    create = planned("show create table t")
    assert isinstance(create, Select)
    assert create.schema.names == ("name", "create_sql")


def test_empty_relations_have_shapes() -> None:
    assert set(SYSTEM_RELATIONS) > ALWAYS_EMPTY
    assert "oid" in SYSTEM_RELATIONS["pg_catalog.pg_class"].names
