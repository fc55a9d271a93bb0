"""What GROUPING SETS, ROLLUP and CUBE come to."""

from __future__ import annotations

import pytest
from ptvc.compute.lower import lower
from ptvc.compute.plan import JoinOp, ReduceOp
from ptvc.errors import PtvcError, Unsupported
from ptvc.sql.parser.parse import parse
from ptvc.sql.plan import plan
from ptvc.sql.plans.query_plans import Select
from ptvc.sql.query.grouping_sets import grouping_sets
from ptvc.sql.syntax import ast
from ptvc.sql.syntax.query_statements import QueryStatement
from ptvc.transform.pipeline import optimize

from .fake_catalog import CONTEXT


def selected(query: str) -> Select:
    (statement,) = parse(query)
    select = plan(statement, CONTEXT)
    assert isinstance(select, Select)
    return select


def elements(group_by: str) -> tuple[ast.Expression | ast.GroupingSets, ...]:
    (statement,) = parse(f"select 1 from t group by {group_by}")
    assert isinstance(statement.node, QueryStatement)
    body = statement.node.query.body
    assert isinstance(body, ast.SelectBody)
    return body.group_by


@pytest.mark.parametrize(
    ("group_by", "sets"),
    [
        ("a, b", ["ab"]),
        ("(a, b), c", ["abc"]),
        ("()", [""]),
        ("(), a", ["a"]),
        ("rollup (a, b)", ["ab", "a", ""]),
        ("rollup ((a, b), c)", ["abc", "ab", ""]),
        ("cube (a, b)", ["ab", "a", "b", ""]),
        ("cube ((a, b), c)", ["abc", "ab", "c", ""]),
        ("grouping sets (a, (a, b), ())", ["a", "ab", ""]),
        ("grouping sets (rollup (a), grouping sets (b, ()))", ["a", "", "b", ""]),
        ("a, rollup (b, c)", ["abc", "ab", "a"]),
        ("rollup (a), rollup (b)", ["ab", "a", "b", ""]),
    ],
)
def test_elements_cross(group_by: str, sets: list[str]) -> None:
    found = grouping_sets(elements(group_by))
    names = ["".join(node.parts[0] for node in one if isinstance(node, ast.Name)) for one in found]
    assert names == sets


def test_too_many_sets() -> None:
    with pytest.raises(PtvcError) as caught:
        grouping_sets(elements("cube (a, b, c, a, b, c), cube (a, b, c, a, b, c), rollup (a)"))
    assert caught.value.sqlstate == "54001"
    with pytest.raises(Unsupported, match="512 grouping sets"):
        grouping_sets(elements("cube (a, b, c, a, b, c, a, b, c)"))
    with pytest.raises(PtvcError, match="limited to 12"):
        grouping_sets(elements("cube (a, b, c, a, b, c, a, b, c, a, b, c, a)"))


def test_sets_share_their_input_and_one_reduction() -> None:
    sets = "(t.b), (u.d), (t.b, u.d)"
    query = f"select t.b, u.d, sum(t.a), max(e) from t join u on t.a = u.a group by grouping sets ({sets})"
    nodes = lower(optimize(selected(query).relation)).nodes
    assert sum(isinstance(node.op, JoinOp) for node in nodes) == 1
    assert [node.op.keys for node in nodes if isinstance(node.op, ReduceOp)] == [3]


def test_empty_sets_are_totals() -> None:
    nodes = lower(
        optimize(selected("select b, count(*) from t group by rollup (b), rollup (b)").relation)
    ).nodes
    reductions = [node.op for node in nodes if isinstance(node.op, ReduceOp)]
    assert [(op.keys, op.scalar) for op in reductions] == [(2, False), (0, True)]


def test_keys_that_a_set_leaves_out_are_nullable() -> None:
    select = selected("select count(*) as n, b is null as k from t group by rollup (b)")
    assert select.schema[0].name == "n"
    relation = optimize(select.relation)
    assert relation.schema.types == select.relation.schema.types
