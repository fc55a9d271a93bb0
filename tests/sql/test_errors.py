"""Refusals: SQLSTATE, message and 1-based position are PostgreSQL's; hostile text never crashes."""

from __future__ import annotations

from pathlib import Path

import pytest
from ptvc.errors import PtvcError
from ptvc.sql.parser.lexer import tokenize
from ptvc.sql.parser.parse import parse
from ptvc.sql.plan import describe, plan

from .fake_catalog import CONTEXT, planned

CASES = [
    ("select nope from t", "42703", 'column "nope" does not exist', 8),
    ("select t.nope from t", "42703", "column t.nope does not exist", 8),
    ("select x.a from t", "42P01", 'missing FROM-clause entry for table "x"', 8),
    ("select a from t, u", "42702", 'column reference "a" is ambiguous', 8),
    ("select * from tt", "42P01", 'relation "tt" does not exist', 15),
    ("select * from no.t", "42P01", 'relation "no.t" does not exist', 15),
    ("select a, b from t group by a", "42803", 'column "t.b" must appear in the GROUP BY clause or be used in an aggregate function', 11),
    ("select a from t where count(*) > 1", "42803", "aggregate functions are not allowed in WHERE", 23),
    ("select sum(count(*)) from t", "42803", "aggregate function calls cannot be nested", 12),
    ("select a from t where a", "42804", "argument of WHERE must be type boolean, not type integer", 23),
    ("select a + c from t", "42883", "operator does not exist: integer + text", 10),
    ("select nope(a) from t", "42883", "function nope(integer) does not exist", 8),
    ("select sum(c) from t", "42883", "function sum(text) does not exist", 8),
    ("select 1 union select 1, 2", "42601", "each UNION query must have the same number of columns", 23),
    ("select a from t union select c from t", "42804", "UNION types integer and text cannot be matched", 30),
    ("select a from t order by 2", "42P10", "ORDER BY position 2 is not in select list", 26),
    ("select distinct a from t order by b", "42P10", "for SELECT DISTINCT, ORDER BY expressions must appear in select list", 35),
    ("select case when a then 1 end from t", "42804", "argument of CASE/WHEN must be type boolean, not type integer", 18),
    ("select 1 limit -1", "2201W", "LIMIT must not be negative", 16),
    ("select 1 limit ('{}'::json)", "42804", "argument of LIMIT must be type bigint, not type json", 21),
    ("select 1 offset true", "42804", "argument of OFFSET must be type bigint, not type boolean", 17),
    ("select (select a, b from t)", "42601", "subquery must return only one column", 8),
    ("select a::nope from t", "42704", 'type "nope" does not exist', 11),
    ("select * from t, t", "42712", 'table name "t" specified more than once', 18),
    ("select * from t join u using (zz)", "42703", 'column "zz" specified in USING clause does not exist in left table', 17),
    ("select from where", "42601", 'syntax error at or near "where"', 13),
    ("select 'abc", "42601", "unterminated quoted string at or near \"'abc\"", 8),
    ("select 1 +", "42601", "syntax error at end of input", 11),
    ("insert into t (a, zz) values (1, 2)", "42703", 'column "zz" of relation "t" does not exist', 19),
    ("insert into t values (1, 2, 'x', 4)", "42601", "INSERT has more expressions than target columns", 34),
    ("insert into t (a, b) values (1)", "42601", "INSERT has more target columns than expressions", 19),
    ("insert into t (a) values (true)", "42804", 'column "a" is of type integer but expression is of type boolean', 27),
    ("insert into t (a) values ('x')", "22P02", 'invalid input syntax for type integer: "x"', 27),
    ("update t set zz = 1", "42703", 'column "zz" of relation "t" does not exist', 14),
    ("delete from counts", "0A000", 'cannot change view "counts"', 13),
    ("drop view t", "42809", '"t" is not a view', 11),
    ("drop table nope", "42P01", 'table "nope" does not exist', 12),
    ("create table t2 (a int, a text)", "42701", 'column "a" specified more than once', 14),
    ("create table x.t2 (a int)", "3F000", 'schema "x" does not exist', 14),
    ("select rank() over w from t", "42704", 'window "w" does not exist', 20),
    ("select a from t where rank() over () = 1", "42P20", "window functions are not allowed in WHERE", 23),
    ("select sum(a) over (rows between 1 following and current row) from t", "42P20", "frame starting from following row cannot have preceding rows", 50),
    ("create materialized view x as select now()", "0A000", "now is not allowed in a materialized view", 38),
    ("create materialized view x as select mz_now()", "0A000", "this use of mz_now() is not supported in what is maintained", None),
    ("copy t from stdin csv where a > 0", "0A000", "WHERE of COPY is not supported", 23),
    ("set constraints t_pkey deferred", "0A000", "SET CONSTRAINTS of a constraint is not supported: none is deferrable", 17),
    ("tail t", "0A000", "TAIL is not supported yet", 1),
    ("subscribe t with (speed 1)", "22023", 'SUBSCRIBE option "speed" not recognized', 19),
    ("subscribe t envelope debezium (a)", "42601", 'syntax error at or near "a"', 32),
    ("subscribe t envelope upsert (key (nope))", "42703", 'column "nope" does not exist', 35),
    ("subscribe t up 5", "42601", 'syntax error at or near "5"', 16),
    ("select a from t as of at most 5", "42601", 'syntax error at or near "most"', 26),
    ("select a from (select a from t as of 5) as x", "42601", "AS OF is not allowed here", 32),
    ("select a from t as of true", "42804", "argument of AS OF must be a time, not type boolean", 23),
    ("create table p (a int references t (a))", "0A000", "FOREIGN KEY is not supported: it would not be enforced", 23),
    ("create table p (a bigserial)", "0A000", "columns of type bigserial are not supported", 19),
    ("create table p (a int generated always as identity)", "0A000", "columns that are GENERATED are not supported", 23),
    ("select '1'::serial", "42704", 'type "serial" does not exist', 13),
]  # fmt: skip


@pytest.mark.parametrize(("sql", "sqlstate", "message", "position"), CASES, ids=[case[0] for case in CASES])
def test_error(sql: str, sqlstate: str, message: str, position: int | None) -> None:
    with pytest.raises(PtvcError) as caught:
        planned(sql)
    error = caught.value
    assert (error.sqlstate, error.message, error.position) == (sqlstate, message, position)


def test_hints_name_what_was_meant() -> None:
    for sql, hint in [
        ("select aa from t", 'Perhaps you meant to reference the column "t.a".'),
        ("select * from count", 'Perhaps you meant "counts".'),
        ("tail t", "It is called SUBSCRIBE."),
    ]:
        with pytest.raises(PtvcError) as caught:
            planned(sql)
        assert caught.value.hint == hint


@pytest.mark.parametrize(
    "sql",
    [
        "select " + "(" * 10_000 + "1" + ")" * 10_000,
        "(" * 10_000,
        "select " + "not " * 20_000 + "true",
        "select " + "- " * 20_000 + "1",
        "select " + "case when true then " * 5_000 + "1",
        "select 1" + " + 1" * 20_000,
        "select " + "(select " * 2_000 + "1",
        "select * from " + "(select * from " * 2_000 + "t",
        "select 1" + " union select 1" * 5_000,
        "select a[" * 5_000,
        "/*" * 10_000,
        "select $tag$ never closed",
        "\x00",
        "select \ud7ff",
        "select $99999999999999999999",
        "select 1e999999999",
        "select '99999-01-01'::date",
        "insert into w values (1, '99999-01-01'), (2, null)",
        "select * from w where h = '99999-01-01'",
        "select " + "9" * 5000,
    ],
)
def test_hostile_text_is_an_error(sql: str) -> None:
    assert _outcome(sql) != "XX000"


def _outcome(sql: str) -> str:
    """00000, or the SQLSTATE; any other exception is a defect and passes through."""
    try:
        for statement in parse(sql):
            describe(statement, CONTEXT, ())
            plan(statement, CONTEXT)
    except PtvcError as error:
        return error.sqlstate
    return "00000"


def _examples() -> list[str]:
    data = Path(__file__).parent / "testdata"
    queries = (data / "queries.sql").read_text().split(";\n")[::6]
    return [q.strip() for q in queries] + (data / "statements.sql").read_text().strip().split(";\n")


@pytest.mark.parametrize("sql", _examples())
def test_a_statement_cut_anywhere_fails_cleanly(sql: str) -> None:
    ends = [token.end for token in tokenize(sql)]
    assert len(ends) > 1
    for end in ends:
        assert _outcome(sql[:end]) != "XX000", sql[:end]


def test_parameters_are_inferred() -> None:
    for sql, types in [
        ("select a from t where a = $1 and c like $2", ("integer", "text")),
        ("insert into t values ($1, $2, $3)", ("integer", "integer", "text")),
        ("insert into t (c, a) select $1, $2", ("text", "integer")),
        ("update t set b = $1 where c = $2", ("integer", "text")),
        ("select $1::bigint, $2", ("bigint", "text")),
        ("select a from t limit $1", ("bigint",)),
        ("select a from t where a in ($1, $2)", ("integer", "integer")),
    ]:
        (statement,) = parse(sql)
        found = describe(statement, CONTEXT, ())
        assert tuple(str(type_) for type_ in found.parameter_types) == types, sql
