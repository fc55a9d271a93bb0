"""Queries by DuckDB: the rows of the operators, or no answer."""

from __future__ import annotations

import sys
from collections import Counter
from itertools import product
from pathlib import Path
from random import Random

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parents[1]))

from ptvc.compute.duck.evaluate import evaluate_by_duckdb
from ptvc.compute.duck.relations import is_sql
from ptvc.compute.oneshot import evaluate_once
from ptvc.errors import PtvcError
from ptvc.expr.registry import resolve_call
from ptvc.expr.tree.relation import Aggregate, Distinct, Filter, Get, Map, Reduce, Relation
from ptvc.expr.tree.scalar import Cast, ColumnRef, Literal
from ptvc.repr.batch import NO_ERRORS, Batch, Delta
from ptvc.repr.consolidate import consolidate
from ptvc.repr.rows import Rows
from ptvc.repr.schema import ERROR_SCHEMA, Column, Schema
from ptvc.repr.types import BOOL, FLOAT8, INT4, INT8, TEXT
from ptvc.transform.pipeline import optimize
from transform.queries import CORRELATED, QUERIES, raw
from transform.test_equivalence import Contents, random_contents, sql_contents

from compute.histories import batch_of
from compute.random_views import TABLES, Views


def rows(delta: Delta) -> Counter[tuple[object, ...]]:
    batch = consolidate(delta.oks)
    columns = [column.to_pylist() for column in batch.columns]
    found: Counter[tuple[object, ...]] = Counter()
    for i, n in enumerate(batch.diffs):
        found[tuple("nan" if c[i] != c[i] else c[i] for c in columns)] += int(n)
    return found


def _pieces(rows: Batch) -> tuple[Batch, ...]:
    """The same rows as they may be stored: some of them one by one, and some that were there and were removed."""
    random = Random(len(rows))
    if not len(rows) or random.random() < 0.3:
        return (rows,)
    some = np.array([random.random() < 0.3 for _ in range(len(rows))])
    more = random.randint(0, 2)
    added = Batch(rows.columns, rows.times, rows.diffs + np.where(some, more, 0))
    removed = Batch(rows.columns, rows.times, np.full(len(rows), -more, np.int64)).filter(some)
    cut = random.randrange(len(rows))
    return added.slice(0, cut), removed if more else removed.slice(0, 0), added.slice(cut, len(rows))


def check(relation: Relation, contents: Contents) -> bool:
    """Whether DuckDB answered."""
    relation = optimize(relation)
    inputs = {
        id_: Delta(batch_of(schema, [(row, 3, n) for row, n in content.items()]), NO_ERRORS)
        for id_, (schema, content) in contents.items()
    }
    pieces = {id_: Rows(contents[id_][0], 3, _pieces(delta.oks), NO_ERRORS) for id_, delta in inputs.items()}
    found = evaluate_by_duckdb(relation, pieces, 3)
    if found is None:
        return False
    wanted = evaluate_once(relation, inputs, 3)
    assert not len(wanted.errs)
    assert rows(found) == rows(wanted)
    assert [c.type for c in found.oks.columns] == [c.type.arrow for c in relation.schema]
    some = evaluate_by_duckdb(relation, pieces, 3, limit=2)
    assert some is not None
    assert len(some.oks) == min(rows(wanted).total(), 2)
    assert rows(some) <= rows(wanted)
    return True


SEEDS = [*range(40), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(40, 300))]


@pytest.mark.parametrize("seed", SEEDS)
def test_random_relations(seed: int) -> None:
    random = Random(seed)
    relation = Views(random).relation(random.randint(1, 5))
    check(relation, random_contents(random, TABLES, random.choice((1, 10, 60))))


@pytest.mark.slow
def test_queries() -> None:
    answered: Counter[bool] = Counter()
    for seed, sql in enumerate([*QUERIES, *CORRELATED]):
        try:
            relation = raw(sql)
        except PtvcError:
            continue  # the corpus has queries that PostgreSQL refuses as well
        answered[check(relation, sql_contents(Random(seed), relation))] += 1
    assert answered[True] > 20 * answered[False], answered


FLOATS = [0.1, 1e16, -1e16, 3.3333, 5e-324, 1e300, -1e300, 2.0**53, 1.0, float("inf"), float("nan")]


@pytest.mark.parametrize("seed", range(40))
def test_sums_of_floats(seed: int) -> None:
    """Exact, or left to the operators: not what adding up from left to right gives."""
    random = Random(seed)
    values = random.sample(FLOATS, random.randint(1, 5))
    some = [(k, random.choice([None, *values]), n) for k in range(3) for n in (1, 2) for _ in range(20)]
    contents = {"t": (SCHEMA, Counter({(k, v): n for k, v, n in some}))}
    check(AVERAGES, contents)


SCHEMA = Schema((Column("k", INT4), Column("v", FLOAT8)))
_V = ColumnRef(1, FLOAT8, True)
AVERAGES = Reduce(
    Get("t", SCHEMA),
    (ColumnRef(0, INT4, True),),
    ("k",),
    tuple(Aggregate(function, _V, FLOAT8, function) for function in ("sum", "avg", "min", "max")),
)


def test_what_is_wholly_sql() -> None:
    table = Get("t", SCHEMA)
    k, one = ColumnRef(0, INT4, True), Literal(1, INT4)
    filtered = Filter(table, (resolve_call("eq", (k, one)),))
    assert is_sql(filtered)
    assert is_sql(Distinct(filtered))
    assert is_sql(AVERAGES)
    assert is_sql(Map(table, (Literal(0.0, FLOAT8),), ("zero",)))
    assert not is_sql(Map(table, (Literal(-0.0, FLOAT8),), ("zero",))), "it would be 0.0"
    assert not is_sql(Map(filtered, (resolve_call("divide", (k, one)),), ("half",)))
    assert not is_sql(Distinct(Map(filtered, (resolve_call("divide", (k, one)),), ("half",))))


TEXTS = Schema((Column("n", INT8), Column("b", BOOL), Column("t", TEXT)))
NUMBERS = [None, 0, 7, -1, 10**18, -(2**63), 2**63 - 1]
SPELLED = [None, "", "a", "ä€\U0001f600", "it's", " 12 ", "x" * 70]


def test_texts() -> None:
    n, b, t = (ColumnRef(i, column.type, True) for i, column in enumerate(TEXTS))
    number, truth = Cast(n, TEXT), Cast(b, TEXT)
    key = resolve_call("concat_op", (resolve_call("concat_op", (number, Literal("-", TEXT))), t))
    values = (number, truth, resolve_call("md5", (t,)), resolve_call("md5", (key,)), key)
    mapped = Map(Get("t", TEXTS), values, tuple(f"x{i}" for i in range(len(values))))
    counted = Reduce(mapped, (ColumnRef(6, TEXT, True),), ("key",), (Aggregate("count", None, INT8, "n"),))
    some = Counter(dict.fromkeys(product(NUMBERS, (None, True, False), SPELLED), 1))
    for relation in (mapped, counted):
        assert is_sql(relation)
        assert check(relation, {"t": (TEXTS, some)})
    assert not is_sql(Map(Get("t", SCHEMA), (Cast(_V, TEXT),), ("x",))), "floats are spelled otherwise"


def test_errors_and_rows_that_are_very_often_there_are_for_the_operators() -> None:
    batch = batch_of(SCHEMA, [((1, 1.5), 3, 100), ((2, 0.5), 3, 1)])
    errors = batch_of(ERROR_SCHEMA, [(("22012", "division by zero"), 3, 1)])
    table = Get("t", SCHEMA)
    assert evaluate_by_duckdb(table, {"t": Rows(SCHEMA, 3, (batch,), errors)}, 3) is None
    assert evaluate_by_duckdb(table, {"t": Rows(SCHEMA, 3, (batch,), NO_ERRORS)}, 3) is None
    counted = Reduce(table, (), (), (Aggregate("count", None, INT8, "n"),), scalar=True)
    found = evaluate_by_duckdb(counted, {"t": Rows(SCHEMA, 3, (batch,), NO_ERRORS)}, 3)
    assert found is not None
    assert found.oks.columns[0].to_pylist() == [101]
    negative_zero = batch_of(SCHEMA, [((1, -0.0), 3, 1)])
    assert evaluate_by_duckdb(table, {"t": Rows(SCHEMA, 3, (negative_zero,), NO_ERRORS)}, 3) is not None
    distinct = Distinct(Filter(table, (resolve_call("is_not_null", (ColumnRef(0, INT4, True),)),)))
    assert evaluate_by_duckdb(distinct, {"t": Rows(SCHEMA, 3, (negative_zero,), NO_ERRORS)}, 3) is None
