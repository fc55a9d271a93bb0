"""Narrow reads: the same rows from the columns that are read as from all."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from random import Random

import pytest

sys.path.insert(0, str(Path(__file__).parents[1]))

from compute.histories import batch_of
from compute.random_views import TABLES
from ptvc.errors import PtvcError
from ptvc.expr.registry import resolve_call
from ptvc.expr.tree import relation as r
from ptvc.expr.tree.scalar import ColumnRef, Literal
from ptvc.repr.batch import Batch
from ptvc.repr.schema import Column, Schema
from ptvc.repr.types import INT4
from ptvc.transform.narrow_reads import Columns, narrow_reads
from ptvc.transform.pipeline import optimize
from ptvc.transform.type_check import check_types

from transform.queries import CORRELATED, QUERIES, raw
from transform.test_equivalence import Contents, TotalViews, evaluated, random_contents, sql_contents

T = r.Get("u1", Schema(tuple(Column(name, INT4) for name in "abcd")))
POSITIVE = resolve_call("gt", (ColumnRef(2, INT4), Literal(0, INT4)))


def test_a_chain_reads_what_it_looks_at() -> None:
    relation, columns = narrow_reads(r.Project(r.Filter(T, (POSITIVE,)), (3,)))
    assert columns == {"u1": (2, 3)}
    assert relation.schema.names == ("d",)
    (filter_,) = (relation.input,) if isinstance(relation, r.Project) else ()
    assert isinstance(filter_, r.Filter)
    assert filter_.input.schema.names == ("c", "d")


def test_what_is_read_twice_is_read_once_with_the_columns_of_both() -> None:
    left, right = r.Project(T, (0,)), r.Project(T, (2,))
    _, columns = narrow_reads(r.Union((left, right), left.schema))
    assert columns == {"u1": (0, 2)}


@pytest.mark.parametrize("relation", [T, r.Filter(T, (POSITIVE,)), r.Distinct(T), r.Project(T, (3, 2, 1, 0))])
def test_what_reads_all_columns_stays(relation: r.Relation) -> None:
    same, columns = narrow_reads(relation)
    assert same is relation
    assert columns == {}


def narrowed(batches: Mapping[str, Batch], columns: Mapping[str, Columns]) -> dict[str, Batch]:
    return {id_: batch.select(columns[id_]) if id_ in columns else batch for id_, batch in batches.items()}


def check(relation: r.Relation, contents: Contents) -> bool:
    """Compares what the relation says of all and of the narrow columns; whether there are fewer."""
    relation = optimize(relation)
    found, columns = narrow_reads(relation)
    check_types(found)
    assert found.schema == relation.schema
    batches = {
        id_: batch_of(schema, [(row, 3, n) for row, n in rows.items()])
        for id_, (schema, rows) in contents.items()
    }
    assert evaluated(found, narrowed(batches, columns)) == evaluated(relation, batches)
    return bool(columns)


@pytest.mark.parametrize("seed", range(100))
def test_random_relations(seed: int) -> None:
    random = Random(seed)
    relation = TotalViews(random, joins=3).relation(random.randint(2, 5))
    check(relation, random_contents(random, TABLES, 10))


@pytest.mark.slow
def test_queries() -> None:
    narrower = 0
    for seed, sql in enumerate([*QUERIES, *CORRELATED]):
        try:
            relation = raw(sql)
        except PtvcError:
            continue  # the corpus has queries that PostgreSQL refuses as well
        narrower += check(relation, sql_contents(Random(seed), relation))
    assert narrower > len(CORRELATED)
