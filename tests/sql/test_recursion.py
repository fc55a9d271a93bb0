"""Recursive queries: what is refused, as PostgreSQL refuses it or with a reason of our own, and mutual recursion."""

from __future__ import annotations

from collections import Counter
from typing import Any

import psycopg
import pytest
from ptvc.compute.oneshot import evaluate_once
from ptvc.errors import PtvcError
from ptvc.expr.tree.codec import relation_from_json, relation_to_json
from ptvc.repr.batch import batch_from_rows
from ptvc.transform.pipeline import optimize

from .fake_catalog import CATALOG, planned

ILLEGAL = [
    "with recursive r(n) as (select n from r) select * from r",
    "with recursive r(n) as (select 1 intersect select n from r) select * from r",
    "with recursive r(n) as (select n from r union all select 1) select * from r",
    "with recursive r(n) as (select 1 union all select r.n from r, r s) select * from r",
    "with recursive r(n) as (select 1 union all select t.a from t left join r on t.a = r.n) select * from r",
    "with recursive r(n) as (select 1 union all select t.a from r right join t on t.a = r.n) select * from r",
    "with recursive r(n) as (select 1 union all select t.a from r full join t on t.a = r.n) select * from r",
    "with recursive r(n) as (select 1 union all select a from t where a in (select n from r)) select * from r",
    "with recursive r(n) as (select 1 union all select max(n) from r) select * from r",
    "with recursive r(n) as (select 1 union all (select a from t except select n from r)) select * from r",
    "with recursive r(n) as (select 1 union all (select a from t intersect all select n from r)) select * from r",
    "with recursive r(n) as (select 1 union all (select n from r except all select a from t)) select * from r",
    "with recursive r(n) as (select 1 union all select n + 1 from r order by 1) select * from r",
    "with recursive r(n) as (select 1 union all select n + 1 from r limit 3) select * from r",
    "with recursive r(n) as (select 1 union all select n + 1 from r offset 3) select * from r",
    "with recursive a(n) as (select 1 union all select n from b), b(n) as (select n from a) select * from a",
    "with recursive r(n) as (select 1 union all select n + 1::bigint from r) select * from r",
    "with recursive r(n) as (select 1 union all select n, n from r) select * from r",
    "with recursive r(n) as (select 1), r(n) as (select 2) select * from r",
    "with recursive r(n, m) as (select 1 union all select n + 1 from r) select * from r",
    "with recursive r(n) as (select 1 union all select 'x' || n from r) select * from r",
    "with recursive r(n) as (select 1 union all select nope from r) select * from r",
]


@pytest.fixture(scope="module")
def connection(oracle_uri: str) -> Any:
    with psycopg.connect(oracle_uri, autocommit=True) as connection:
        connection.execute("create schema recursion_errors")
        connection.execute("set search_path = recursion_errors")
        connection.execute("create table t (a int, b int, c text)")
        yield connection
        connection.execute("drop schema recursion_errors cascade")


@pytest.mark.parametrize("query", ILLEGAL)
def test_illegal_forms_are_refused_as_by_postgres(query: str, connection: Any) -> None:
    with pytest.raises(psycopg.Error) as theirs:
        connection.execute(query)
    with pytest.raises(PtvcError) as ours:
        planned(query)
    assert ours.value.sqlstate == theirs.value.sqlstate
    assert ours.value.message == theirs.value.diag.message_primary


@pytest.mark.parametrize(
    ("query", "message"),
    [
        (
            "with recursive r(n) as (select 1 union all select distinct n + 1 from r) select * from r",
            'a recursive reference to query "r" under DISTINCT or GROUP BY with UNION ALL is not supported',
        ),
        (
            "with recursive r(n) as (select 1 union (select n + 1 from r union select 5)) select * from r",
            'a recursive reference to query "r" in an arm of UNION is not supported',
        ),
        (
            "with recursive r(n) as (select 1 union select max(n) from (select n from r) q) select * from r",
            'a recursive reference to query "r" under an aggregate is not supported',
        ),
        (
            "with recursive r(n) as (select 1 union select n from (select n from r limit 1) q) select * from r",
            'a recursive reference to query "r" under LIMIT is not supported',
        ),
        (
            "with recursive r(n) as (select 1 union (with q as (select n from r) select q.n from q, q p))"
            " select * from r",
            'a recursive reference to query "r" inside WITH is not supported',
        ),
        (
            "with recursive r(n) as (select 1 union select n from r) cycle n set c using p select * from r",
            "CYCLE of a recursive query is not supported",
        ),
        (
            "with recursive r(n) as (select 1 union select n from r) search depth first by n set o select * from r",
            "SEARCH of a recursive query is not supported",
        ),
    ],
)
def test_what_is_no_fixpoint_is_refused(query: str, message: str) -> None:
    with pytest.raises(PtvcError) as caught:
        planned(query)
    assert (caught.value.sqlstate, caught.value.message) == ("0A000", message)
    assert caught.value.hint is not None


@pytest.mark.parametrize(
    ("query", "sqlstate"),
    [
        ("with mutually recursive x as (select 1) select 1", "42601"),
        ("with mutually recursive (recursion limit 0) x(n int) as (select 1) select 1", "42601"),
        ("with mutually recursive x(n int) as (select 1, 2) select n from x", "42804"),
        ("with mutually recursive x(n int) as (select true) select n from x", "42804"),
        ("with mutually recursive x(n int) as (select 1), x(m int) as (select 2) select 1", "42712"),
        ("with mutually recursive x(n nope) as (select 1) select 1", "42704"),
        ("with mutually recursive x(n int) as (select m from x) select 1", "42703"),
        ("with mutually recursive x(n int) as (select n from y) select 1", "42P01"),
        ("select (with mutually recursive x(n int) as (select t.a) select n from x) from t", "0A000"),
    ],
)
def test_mutual_recursion_is_checked(query: str, sqlstate: str) -> None:
    with pytest.raises(PtvcError) as caught:
        planned(query)
    assert caught.value.sqlstate == sqlstate


def rows(query: str, tables: dict[str, list[tuple[Any, ...]]]) -> Counter[tuple[Any, ...]]:
    relation = planned(query).relation
    inputs = {}
    for name, content in tables.items():
        item = CATALOG.item("public", name)
        assert item is not None
        inputs[item.id] = batch_from_rows(item.schema, content, 1)
    found = []
    for variant in (relation, optimize(relation), relation_from_json(relation_to_json(relation))):
        result = evaluate_once(variant, inputs, 1)
        assert not len(result.errs), result.errs.columns[1].to_pylist()
        columns = [column.to_pylist() for column in result.oks.columns]
        every = zip(zip(*columns, strict=True), result.oks.diffs.tolist(), strict=True)
        found.append(Counter(dict(every)))
    assert found[0] == found[1] == found[2]
    return found[0]


EDGES = {"t": [(1, 2, "a"), (2, 3, "b"), (3, 1, "c"), (4, 5, "d")]}


def test_bindings_see_those_before_them_at_once_and_those_after_them_late() -> None:
    query = (
        "with mutually recursive (return at recursion limit {}) a(n int) as (select 1 union all select n from b),"
        " b(n int) as (select n + 1 from a) select 'a', n from a union all select 'b', n from b"
    )
    assert rows(query.format(1), {}) == {("a", 1): 1, ("b", 2): 1}
    assert rows(query.format(2), {}) == {("a", 1): 1, ("a", 2): 1, ("b", 2): 1, ("b", 3): 1}


def test_even_and_odd_steps_along_edges() -> None:
    query = (
        "with mutually recursive even(n int) as (select 1 union select t.b from odd join t on t.a = odd.n),"
        " odd(n int) as (select t.b from even join t on t.a = even.n union select t.b from even join t on t.a = even.n)"
        " select n, 'even' from even union all select n, 'odd' from odd"
    )
    assert rows(query, EDGES) == {(n, word): 1 for n in (1, 2, 3) for word in ("even", "odd")}


def test_shortest_paths_by_min_inside_the_loop() -> None:
    query = (
        "with mutually recursive best(n int, cost bigint) as (select n, min(cost) from ("
        "select 1 as n, 0::bigint as cost union all select t.b, best.cost + 1 from best join t on t.a = best.n) q"
        " group by n) select n, cost from best"
    )
    assert rows(query, EDGES) == {(1, 0): 1, (2, 1): 1, (3, 2): 1}


def test_types_are_assigned_as_declared() -> None:
    query = "with mutually recursive x(n numeric(10,2), c text) as (select 1, null) select n, c from x"
    ((row, count),) = rows(query, {}).items()
    assert (str(row[0]), row[1], count) == ("1.00", None, 1)


def test_a_loop_inside_a_loop() -> None:
    query = (
        "with mutually recursive big(n int) as (select 1 union select m from ("
        " with mutually recursive small(m int) as ("
        "  select n + 10 as m from big where n < 20 union select m + 1 from small where m % 10 < 3) select m from small"
        ") q) select n from big"
    )
    assert set(rows(query, {})) == {(1,), *((n,) for n in (11, 12, 13, 21, 22, 23))}


def test_an_inner_loop_that_comes_to_read_nothing_of_the_outer_one() -> None:
    """Behind `where false` only, which rules take away; in a third loop, of which then nothing is read."""
    query = (
        "with mutually recursive x(n int) as (select 1 union select n from ("
        "with mutually recursive y(n int) as ("
        "with mutually recursive z(n int) as (select n from x union select n from z)"
        " select n from y union all (select z.n from z, (select 1 where false) nothing)) select n from y) q)"
        " select n from x"
    )
    assert set(rows(query, {})) == {(1,)}


def test_names_of_an_inner_loop_hide_outer_ones() -> None:
    query = (
        "with mutually recursive x(n int) as (select 1 union select n from ("
        "with mutually recursive x(n int) as (select 5 union select n + 1 from x where n < 7) select n from x) q)"
        " select n from x"
    )
    assert set(rows(query, {})) == {(1,), (5,), (6,), (7,)}


def test_a_limit_that_is_reached_is_an_error() -> None:
    query = "with mutually recursive ({} recursion limit 5) x(n int) as (select 1 union select n + 1 from x) select * from x"
    for word in ("", "error at"):
        result = evaluate_once(planned(query.format(word)).relation, {}, 1)
        assert result.errs.columns[0].to_pylist() == ["54000"]
        assert "limit of 5 iterations" in result.errs.columns[1][0].as_py()
    assert set(rows(query.format("return at"), {})) == {(n,) for n in range(1, 6)}


@pytest.mark.parametrize(
    ("query", "allowed"),
    [
        (
            "with recursive r(n) as (select a from t union select n + 1 from r where n < mz_now()) select n from r",
            False,
        ),
        (
            "with recursive r(n) as (select a from t where a > mz_now() union select n + 1 from r where n < 5) select n from r",
            True,
        ),
        (
            "with recursive r(n) as (select a from t union select n + 1 from r where n < 5) select n from r where n > mz_now()",
            True,
        ),
    ],
)
def test_the_time_inside_a_maintained_recursion(query: str, allowed: bool) -> None:
    statement = f"create materialized view m as {query}"
    if allowed:
        planned(statement)
        return
    with pytest.raises(PtvcError, match="over recursive rows"):
        planned(statement)
