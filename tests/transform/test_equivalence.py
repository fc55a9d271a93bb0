"""Rules keep what a relation says: the same rows, no new errors, well-typed, on random relations and on SQL.

Every relation walks the pipeline; before and after each rule that changes it, it is evaluated on random contents.
"""

from __future__ import annotations

import datetime
import sys
from collections.abc import Mapping
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from random import Random

import pytest

sys.path.insert(0, str(Path(__file__).parents[1]))

from compute.histories import batch_of, updates_of
from compute.random_views import TABLES, Views, random_row
from compute.reference import Rows, as_of, evaluate
from ptvc.compute.oneshot import evaluate_once
from ptvc.errors import PtvcError
from ptvc.expr.registry import resolve_call
from ptvc.expr.tree import relation as r
from ptvc.expr.tree import relation_tree
from ptvc.expr.tree.scalar import Scalar
from ptvc.repr.batch import Batch, Delta
from ptvc.repr.schema import Schema
from ptvc.repr.types import INT4, Kind, ScalarType
from ptvc.transform.pipeline import RULES
from ptvc.transform.type_check import check_types

from transform.queries import CORRELATED, QUERIES, raw

Contents = Mapping[str, tuple[Schema, Rows]]

MAY_DROP_ERRORS = {
    "fold_constants",
    "narrow_columns",
    "push_predicates",
    "outer_to_inner",
    "propagate_equivalences",
    "drop_empty",
    "elide_distinct",
    "order_joins",
}
"""Rules after which rows or columns that nothing reads are not computed any more, nor are their errors."""


class TotalViews(Views):
    """As `Views`, but every order is total: which of several ties a TopK takes may depend on columns that are read."""

    def _top_k(self, depth: int) -> r.Relation:
        top = super()._top_k(depth)
        assert isinstance(top, r.TopK)
        return replace(top, order=(*top.order, *map(r.OrderBy, range(len(top.schema)))))

    def _window(self, depth: int) -> r.Relation:
        window = super()._window(depth)
        assert isinstance(window, r.Window)
        columns = map(r.OrderBy, range(len(window.input.schema)))
        return replace(window, order=(*window.order, *columns))


class FailingViews(TotalViews):
    """As `Views`, with divisions by columns that may be zero."""

    def scalar(self, schema: Schema) -> Scalar:
        column = self._column(schema, (INT4,))
        if column is not None and self._random.random() < 0.3:
            return resolve_call("divide", (column, column))
        return super().scalar(schema)

    def predicate(self, schema: Schema) -> Scalar:
        column = self._column(schema, (INT4,))
        if column is not None and self._random.random() < 0.15:
            return resolve_call("gt", (resolve_call("divide", (column, column)), column))
        return super().predicate(schema)


def evaluated(relation: r.Relation, batches: Mapping[str, Batch | Delta]) -> tuple[Rows, set[str]]:
    delta = evaluate_once(relation, batches, 9)
    return as_of(updates_of(delta.oks), 9), {str(row) for row, _, _ in updates_of(delta.errs)}


def walk(relation: r.Relation, contents: Contents) -> tuple[Rows, set[str]]:
    """The relation's rows and errors; asserts that no rule changes them."""
    batches = {
        id_: batch_of(schema, [(row, 3, n) for row, n in rows.items()])
        for id_, (schema, rows) in contents.items()
    }
    check_types(relation)
    rows, errors = evaluated(relation, batches)
    for rule in RULES:
        changed = rule(relation)
        check_types(changed)
        assert changed.schema.types == relation.schema.types, rule.__name__
        if changed is relation or changed == relation:
            continue
        after, after_errors = evaluated(changed, batches)
        assert after_errors <= errors, rule.__name__
        if errors and not after_errors:
            assert rule.__name__ in MAY_DROP_ERRORS
        if not errors:
            assert after == rows, rule.__name__
        relation, rows, errors = changed, after, after_errors
    return rows, errors


def random_contents(
    random: Random, tables: Mapping[str, Schema], count: int
) -> dict[str, tuple[Schema, Rows]]:
    contents = {}
    for id_, schema in tables.items():
        rows = {random_row(random, schema): random.randint(1, 2) for _ in range(random.randrange(count))}
        contents[id_] = (schema, rows)
    return contents


SEEDS = [*range(60), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(60, 1000))]


@pytest.mark.parametrize("seed", SEEDS)
def test_random_relations(seed: int) -> None:
    random = Random(seed)
    relation = TotalViews(random, joins=3).relation(random.randint(2, 5))
    contents = random_contents(random, TABLES, 10)
    expected = evaluate(relation, {id_: rows for id_, (_, rows) in contents.items()})
    assert walk(relation, contents) == (expected, set())


@pytest.mark.parametrize("seed", SEEDS)
def test_relations_that_fail(seed: int) -> None:
    random = Random(5_000 + seed)
    relation = FailingViews(random, joins=3).relation(random.randint(2, 5))
    walk(relation, random_contents(random, TABLES, 6))


def _value(random: Random, type_: ScalarType) -> object:
    if random.random() < 0.2:
        return None
    small = random.randrange(4)
    match type_.kind:
        case Kind.TEXT:
            return random.choice(["x", "y", "", "xy"])
        case Kind.BOOL:
            return small % 2 == 0
        case Kind.NUMERIC:
            return Decimal(small).quantize(Decimal(1).scaleb(-(type_.scale or 0)))
        case Kind.DATE:
            return datetime.date(2024, 1, 1 + small)
        case _:
            return small


def sql_contents(random: Random, relation: r.Relation) -> dict[str, tuple[Schema, Rows]]:
    gets = {node.id: node.schema for node in relation_tree.walk(relation) if isinstance(node, r.Get)}
    return {
        id_: (
            schema,
            {
                tuple(_value(random, type_) for type_ in schema.types): random.choice((1, 1, 2))
                for _ in range(random.randrange(7))
            },
        )
        for id_, schema in gets.items()
        if id_.startswith("u")
    }


@pytest.mark.parametrize("sql", [*CORRELATED, *QUERIES])
def test_queries(sql: str) -> None:
    try:
        relation = raw(sql)
    except PtvcError:
        return  # the corpus has queries that PostgreSQL refuses as well
    for seed in range(4 if sql in CORRELATED else 1):
        walk(relation, sql_contents(Random(seed), relation))
