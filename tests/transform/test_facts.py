"""What is known of a relation whatever its tables hold; and that it is so, on random contents."""

from __future__ import annotations

import sys
from pathlib import Path
from random import Random

import pytest

sys.path.insert(0, str(Path(__file__).parents[1]))

from compute.random_views import TABLES, Views, random_row
from compute.reference import _same, evaluate, scalar
from ptvc.expr.tree import relation as r
from ptvc.expr.tree.relation_tree import inputs, walk
from ptvc.transform.facts import Analysis, Facts
from ptvc.transform.push_predicates import push_predicates

from transform.queries import raw


def facts(sql: str) -> Facts:
    return Analysis().facts(push_predicates(raw(sql)))


@pytest.mark.parametrize(
    ("sql", "keys"),
    [
        ("select a, b from t", []),
        ("select distinct a, b from t", [{0, 1}]),
        ("select count(*) from t", [set()]),
        ("select count(*) as n, a from t group by a", [{1}]),
        ("select q.a, v.f from (select a, count(*) from t group by a) q, v", []),
        ("select q.n, q.a from (select a, count(*) as n from t group by a) q join w on false", []),
        ("select x.a, y.d from (select distinct a from t) x join (select a, max(d) as d from u group by a) y"
         " on x.a = y.a", [{0}]),
        ("select x.a, y.d from (select distinct a from t) x, (select d from u group by d) y", [{0, 1}]),
        ("select y.a from (select distinct a from t) x left join (select a from u group by a) y on x.a = y.a", []),
        ("select distinct on (b) b, a, c from t order by b, a", [{0}]),
    ],
)  # fmt: skip
def test_unique_keys(sql: str, keys: list[set[int]]) -> None:
    assert [set(key) for key in facts(sql).keys] == keys


def test_equalities_presence_and_predicates() -> None:
    found = facts("select t.a, u.a, t.b from t join u on t.a = u.a where t.b > 3 and u.e is not null")
    assert found.class_of(0) == {0, 1}
    assert found.present == {0, 1, 2}
    assert len(found.about(2)) == 1
    assert facts("select t.a, u.a from t left join u on t.a = u.a").class_of(0) == {0}


@pytest.mark.parametrize("seed", range(150))
def test_facts_hold(seed: int) -> None:
    random = Random(seed)
    relation = push_predicates(Views(random, joins=2).relation(random.randint(1, 4)))
    contents = {
        id_: {random_row(random, schema): random.randint(1, 2) for _ in range(random.randrange(12))}
        for id_, schema in TABLES.items()
    }
    analysis = Analysis()
    for node in walk(relation):
        if isinstance(node, r.Negate) or any(isinstance(below, r.Negate) for below in inputs(node)):
            continue  # multiplicities below zero: no collection of its own
        rows, found = evaluate(node, contents), analysis.facts(node)
        for key in found.keys:
            values = [tuple(row[i] for i in sorted(key)) for row, n in rows.items() for _ in range(n)]
            assert len(values) == len(set(values)), key
        for row in rows:
            assert all(row[a] is not None and _same(row[a], row[b]) for a, b in found.equal)
            assert all(scalar(predicate, row) is True for predicate in found.predicates)
            assert all(row[i] is not None for i in found.present)
