"""Queries that rules are tried on: those of the planner's tests, and correlated subqueries of every kind."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from ptvc.expr.tree.relation import Relation
from ptvc.sql.parser.parse import parse
from ptvc.sql.query.planner import Planner
from ptvc.sql.statement import data
from ptvc.sql.syntax.query_statements import QueryStatement
from sql.fake_catalog import CONTEXT

QUERIES = [
    sql
    for sql in (Path(__file__).parents[1] / "sql" / "testdata" / "queries.sql").read_text().split(";\n")
    if sql.strip()
]

CORRELATED = [
    "select a, (select count(*) from u where u.a = t.a) as n from t",
    "select a, (select count(d) + 1 from u where u.a = t.a and u.e = t.c) as n from t",
    "select a, (select max(d) from u where u.a = t.a) from t where b > (select avg(d) from u where u.a = t.a)",
    "select a, (select sum(10 / d) from u where u.a = t.a) from t",
    "select a, (select 10 / sum(d) from u where u.a = t.a) from t",
    "select a, (select d from u where u.a = t.a) from t",
    "select a, (select d + 1 from u where u.a = t.a and u.d > 1) from t where b = 2",
    "select a, (select d from u where u.a = t.a order by d limit 1) from t",
    "select a, (select e from u where u.a = t.b order by d, e offset 1 limit 1) from t where c = 'x'",
    "select a from t where exists (select 1 from u where u.a = t.a and u.d > 1) and b > 1",
    "select a from t where not exists (select 1 from u where u.a = t.a)",
    "select a from t where exists (select 1 from u where u.a = t.a and 10 / u.d > t.b)",
    "select a from t where exists (select 1 from u where u.d > t.a)",
    "select a from t where exists (select 1 from u where u.a = t.a and u.d > t.b)",
    "select a, exists (select 1 from u where u.a = t.a) as e from t",
    "select a, exists (select 1 from u, w where u.a = t.a and w.a = u.a) as e from t",
    "select a, exists (select 1 from u, w where u.a = t.a and w.a = t.b) as e from t",
    "select a from t where b in (select d from u where u.a = t.a)",
    "select a from t where b not in (select d from u where u.a = t.a)",
    "select a, b in (select d from u where u.a = t.a) from t",
    "select a, a + 1 in (select d from u where u.e = t.c) from t",
    "select t.a, s.d from t, lateral (select d from u where u.a = t.a order by d limit 2) s",
    "select t.a, s.n from t, lateral (select count(*) as n from u where u.a = t.a having count(*) > 1) s",
    "select t.a, s.n from t left join lateral (select sum(d) as n from u where u.a = t.a) s on true",
    "select t.a, s.n from t left join lateral (select d as n from u where u.a = t.a) s on s.n > t.b",
    "select t.a, s.n from t left join lateral (select d, count(*) as n from u where u.a = t.a group by d) s on s.n > 1",
    "select t.a, s.x from t, lateral (select x from u, generate_series(1, u.d::int) g(x) where u.a = t.a) s",
    "select t.a, g.x, s.n from t, generate_series(1, t.a) g(x), lateral (select count(*) as n from u where u.a = g.x) s",
    "select t.a, s.d from t, lateral (select distinct d from u where u.a = t.a union all select f::int from v where v.b = t.a) s",
    "select a from t where not exists (select 1 from u where u.a = t.a and exists (select 1 from w where w.a = u.a and w.a = t.b))",
    "select a from t where exists (select 1 from u where u.a = t.a and exists (select 1 from w where w.a = u.a))",
    "select a, (select count(*) from u where u.a = t.a and d > (select avg(x.d) from u x where x.a = u.a)) from t",
    "select a, (select count(*) from u where u.a = t.a and d > (select count(*) from w where w.a = t.a)) from t",
    "select a, (select sum(f) from v where v.b = t.a + 1) from t",
    "select a, (select sum(f) from v where v.b + 1 = t.a) from t",
    "select b, (select count(*) from u where u.a = s.b) from (select b, count(*) as n from t group by b) s where n > 1",
]
"""Subqueries that depend on the outer query: covered by equalities and not, that may fail and not, nested."""


def raw(sql: str) -> Relation:
    """The query as it is planned, before any rule."""
    (statement,) = parse(sql)
    assert isinstance(statement.node, QueryStatement)
    return data.finished(Planner(CONTEXT), statement.node.query).relation
