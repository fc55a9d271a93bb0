"""Every query of testdata/queries.sql gives PostgreSQL's rows, as planned and after every rule."""

from __future__ import annotations

import random
import re
from collections import Counter
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import psycopg
import pytest
from ptvc.compute.oneshot import evaluate_once
from ptvc.expr.tree.relation import Relation
from ptvc.repr.batch import Batch, batch_from_rows
from ptvc.sql.parser.parse import parse
from ptvc.sql.plan import plan
from ptvc.sql.plans.query_plans import Select
from ptvc.transform.pipeline import optimize

from .fake_catalog import CATALOG, CONTEXT, TABLES

QUERIES = [
    q.strip()
    for q in (Path(__file__).parent / "testdata" / "queries.sql").read_text().split(";\n")
    if q.strip()
]
_SQL_TYPES = {"t": "(a int, b int, c text)", "u": "(a int, d bigint, e text)"} | {
    "v": "(b int, f numeric(10,2), g bool)",
    "w": "(a int, h date)",
}


def _value(kind: str, rng: random.Random) -> Any:
    if rng.random() < 0.12:
        return None
    match kind:
        case "int4" | "int8":
            return rng.randrange(5)
        case "text":
            return rng.choice(["x", "y", "xy", "X", ""])
        case "numeric":
            return Decimal(rng.randrange(0, 500)).scaleb(-2).quantize(Decimal("0.01"))
        case "bool":
            return rng.random() < 0.5
        case _:
            return date(2024, 1, rng.randrange(1, 5))


def random_tables(seed: int) -> dict[str, list[tuple[Any, ...]]]:
    rng = random.Random(seed)
    return {
        name: [
            tuple(_value(type_.kind.value, rng) for _, type_ in columns)
            for _ in range(rng.choice([0, 6, 14]) if seed else 12)
        ]
        for name, columns in TABLES.items()
    }


@pytest.fixture(scope="module", params=[0, 1, 2])
def world(request: pytest.FixtureRequest, oracle_uri: str) -> Any:
    tables = random_tables(request.param)
    with psycopg.connect(oracle_uri, autocommit=True) as connection:
        connection.execute("create schema plan_world")
        connection.execute("set search_path = plan_world")
        for name, rows in tables.items():
            connection.execute(f"create table {name} {_SQL_TYPES[name]}")  # type: ignore[arg-type]
            with connection.cursor() as cursor, cursor.copy(f"copy {name} from stdin") as copy:  # type: ignore[arg-type]
                for row in rows:
                    copy.write_row(row)
        inputs = {}
        for name, rows in tables.items():
            item = CATALOG.item("public", name)
            assert item is not None
            inputs[item.id] = batch_from_rows(item.schema, rows, 1)
        yield connection, inputs
        connection.execute("drop schema plan_world cascade")


def _rows(batch: Batch) -> list[tuple[Any, ...]]:
    columns = [column.to_pylist() for column in batch.columns]
    rows = list(zip(*columns, strict=True)) if columns else [()] * len(batch)
    return [row for row, diff in zip(rows, batch.diffs.tolist(), strict=True) for _ in range(diff)]


def _plain(row: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(v.normalize() + 0 if isinstance(v, Decimal) else v for v in row)


def _rounded(row: tuple[Any, ...]) -> tuple[Any, ...]:
    """Quotients carry 38 digits here and about 16 there."""
    return tuple(
        round(v, 12).normalize() + 0 if isinstance(v, Decimal) else round(v, 9) if isinstance(v, float) else v
        for v in row
    )


def finish(select: Select, relation: Relation, inputs: dict[str, Batch]) -> list[tuple[Any, ...]]:
    result = evaluate_once(relation, inputs, 1)
    assert not len(result.errs), result.errs.columns[1].to_pylist()
    rows = _rows(result.oks)
    for key in reversed(select.finishing.order):
        nulls = [row for row in rows if row[key.index] is None]
        others = sorted(
            (row for row in rows if row[key.index] is not None),
            key=lambda row: row[key.index],
            reverse=key.descending,
        )
        rows = nulls + others if key.nulls_first else others + nulls
    end = None if select.finishing.limit is None else select.finishing.offset + select.finishing.limit
    rows = rows[select.finishing.offset : end]
    return [tuple(row[i] for i in select.finishing.indices) for row in rows]


@pytest.mark.parametrize("query", QUERIES, ids=lambda q: re.sub(r"\W+", "_", q)[:60])
def test_rows_are_those_of_postgres(query: str, world: Any) -> None:
    connection, inputs = world

    cursor = connection.execute(query)
    wanted = [_rounded(_plain(row)) for row in cursor.fetchall()]
    (statement,) = parse(query)
    select = plan(statement, CONTEXT)
    assert isinstance(select, Select)
    assert [column.name for column in select.schema] == [d.name for d in cursor.description]
    assert [column.type.oid for column in select.schema] == [d.type_code for d in cursor.description]
    got = [_rounded(_plain(row)) for row in finish(select, select.relation, inputs)]
    assert Counter(got) == Counter(wanted)
    assert optimize(select.relation).schema.types == select.relation.schema.types
