"""Lineage of plans: what is said of chosen queries; and that a column which is not named has no influence on what is computed."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from ptvc.compute.oneshot import evaluate_once
from ptvc.expr.tree.relation import Project, TopK
from ptvc.lineage.columns import Inputs, Lineage, of_query
from ptvc.repr.batch import Batch, batch_from_rows
from ptvc.repr.schema import Schema
from ptvc.sql.parser.parse import parse
from ptvc.sql.plan import resolve
from ptvc.sql.plans.query_plans import Select

from tests.sql.fake_catalog import CATALOG, CONTEXT


def resolved(sql: str) -> tuple[Select, Lineage]:
    planned = resolve(parse(sql)[0], CONTEXT)
    assert isinstance(planned, Select)
    return planned, of_query(planned.relation, planned.finishing)


def shown(inputs: Inputs) -> str:
    texts = []
    for place, kinds in inputs.items():
        item = CATALOG.item_by_id(place.relation)
        words = "+".join(sorted(kind.value for kind in kinds))
        texts.append(f"{item.name.name}.{item.schema[place.column].name} {words}")
    return ", ".join(sorted(texts))


CASES = {
    "select a, b + 1, 7 from t": (["t.a copy", "t.b transform", ""], ""),
    "select * from t where c = 'x'": (["t.a copy", "t.b copy", "t.c copy"], "t.c filter"),
    "select t.c, u.e from t join u on t.a = u.a": (["t.c copy", "u.e copy"], "t.a join, u.a join"),
    "select t.c from t left join u on t.a = u.a and u.d > t.b": (
        ["t.c copy"],
        "t.a join, t.b join, u.a join, u.d join",
    ),
    "select c, sum(b), count(*) from t group by c": (["t.c copy", "t.b transform", ""], "t.c group"),
    "select sum(b) filter (where a > 1) from t": (["t.a transform, t.b transform"], ""),
    "select distinct c from t": (["t.c copy"], "t.c group"),
    "select c from t where a in (select a from u where d > 1)": (
        ["t.c copy"],
        "t.a filter, u.a filter, u.d filter",
    ),
    "select a, row_number() over (partition by c order by b) from t": (
        ["t.a copy", "t.b window, t.c window"],
        "",
    ),
    "select b from t order by a, b limit 3": (["t.b copy"], "t.a order, t.b order"),
    "select a from t union all select b from v": (["t.a copy, v.b copy"], ""),
    "select a from t except all select a from u": (["t.a copy"], "t.a filter, u.a filter"),
    "with x as (select a + b as s, c from t) select s, c from x where s > 0": (
        ["t.a transform, t.b transform", "t.c copy"],
        "t.a filter, t.b filter",
    ),
    "select coalesce(t.c, u.e), cast(t.a as bigint) from t, u": (
        ["t.c transform, u.e transform", "t.a transform"],
        "",
    ),
    "select case when g then f else 0 end from v": (["v.f transform, v.g transform"], ""),
    "select t.a, x from t, generate_series(1, t.b) as x": (["t.a copy", "t.b transform"], "t.b join"),
    "with recursive r as (select a, b from t union select r.a, u.a from r join u on u.d = r.b) select a, b from r": (
        ["t.a copy", "t.b copy, u.a copy"],
        "t.a group, t.b group+join, u.a group+join, u.d join",
    ),
}


@pytest.mark.parametrize("sql", CASES)
def test_lineage_of_a_query(sql: str) -> None:
    columns, rows = CASES[sql]
    _, found = resolved(sql)
    assert [shown(inputs) for inputs in found.columns] == columns
    assert shown(found.rows) == rows


QUERIES = [
    *CASES,
    "select a, (select max(d) from u where u.a = t.a) as m from t",
    "select c from t where exists (select 1 from u where u.a = t.a and u.d > t.b)",
    "select a from t where b > all (select b from v)",
    "select c, b from t where not exists (select 1 from w where w.a = t.a)",
    "select c, count(distinct b), min(a) from t group by c having sum(a) > 2",
    "select a, sum(b) over (partition by c order by a) from t",
    "select distinct on (c) c, a from t order by c, b",
    "select a from t intersect select a from u",
    "select t.a, x.d from t, lateral (select d from u where u.a = t.a order by d limit 1) as x",
    "select c, sum(b) from t group by rollup (c)",
    "select * from t natural join u",
    "select u.e from t full join u on t.a = u.a where coalesce(t.b, 0) < 3",
]
TABLES = ("t", "u", "v", "w")


def rows(rng: Random, schema: Schema) -> list[tuple[Any, ...]]:
    return [tuple(value(rng, str(column.type)) for column in schema) for _ in range(rng.randint(3, 9))]


def value(rng: Random, type_: str) -> Any:
    if rng.random() < 0.1:
        return None
    match type_.partition("(")[0]:
        case "integer" | "bigint" | "numeric":
            return rng.randint(0, 4)
        case "boolean":
            return rng.random() < 0.5
        case "date":
            return rng.randint(0, 3)
        case _:
            return rng.choice("xyz")


@pytest.mark.parametrize("sql", QUERIES)
@pytest.mark.parametrize("seed", range(5))
def test_what_is_not_named_does_not_matter(sql: str, seed: int) -> None:
    """A column that decides nothing about the rows, and of which an output is not made, may hold anything."""
    rng = Random(seed)
    planned, found = resolved(sql)
    items = [item for item in CATALOG.objects.values() if item.name.name in TABLES]
    tables = {item.id: rows(rng, item.schema) for item in items}
    before = evaluate(planned, tables)
    for item in items:
        for place, column in enumerate(item.schema):
            if any((field.relation, field.column) == (item.id, place) for field in found.rows):
                continue
            changed = [
                (*row[:place], value(rng, str(column.type)), *row[place + 1 :]) for row in tables[item.id]
            ]
            after = evaluate(planned, {**tables, item.id: changed})
            free = [
                output
                for output, inputs in enumerate(found.columns)
                if all((field.relation, field.column) != (item.id, place) for field in inputs)
            ]
            assert sorted(map(repr, only(after, free))) == sorted(map(repr, only(before, free))), column.name


def only(found: list[tuple[Any, ...]], places: list[int]) -> list[tuple[Any, ...]]:
    return [tuple(row[place] for place in places) for row in found]


def evaluate(planned: Select, tables: dict[str, list[tuple[Any, ...]]]) -> list[tuple[Any, ...]]:
    relation, finishing = planned.relation, planned.finishing
    if finishing.limit is not None:
        relation = TopK(relation, (), finishing.order, finishing.limit, finishing.offset)
    relation = Project(relation, finishing.indices)
    inputs: dict[str, Batch] = {
        id_: batch_from_rows(CATALOG.objects[id_].schema, given, 0) for id_, given in tables.items()
    }
    delta = evaluate_once(relation, inputs, 0)
    assert not len(delta.errs)
    columns = [column.to_pylist() for column in delta.oks.columns]
    return [
        row
        for row, count in zip(zip(*columns, strict=True), delta.oks.diffs.tolist(), strict=True)
        for _ in range(count)
    ]
