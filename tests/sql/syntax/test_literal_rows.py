"""Long lists of literal rows: the same statement as cell by cell, quickly, and errors as ever."""

from __future__ import annotations

import time
from itertools import cycle, islice

import psycopg
import pytest
from ptvc.compute.oneshot import evaluate_once
from ptvc.errors import PtvcError
from ptvc.sql.parser.lexer import TokenKind, tokenize
from ptvc.sql.plans.data_plans import Insert
from ptvc.sql.plans.query_plans import Select
from ptvc.sql.syntax.literal_rows import MIN_ROWS

from ..fake_catalog import planned

ROWS = [
    "(1, '1.50', true)",
    "( -2 ,'it''s'  , NULL )",
    "(3, null, FALSE)",
    "(null, 'a, (b)', tRue)",
]


def contents(sql: str) -> list[tuple[object, ...]]:
    statement = planned(sql)
    assert isinstance(statement, Insert | Select)
    result = evaluate_once(statement.relation, {}, 1)
    assert not len(result.errs)
    rows = zip(*(column.to_pylist() for column in result.oks.columns), strict=True)
    counted = zip(rows, result.oks.diffs.tolist(), strict=True)
    return sorted((row for row, count in counted for _ in range(count)), key=repr)


def many(rows: list[str], count: int = MIN_ROWS) -> str:
    return ", ".join(islice(cycle(rows), count))


def in_parts(before: str, rows: list[str]) -> list[tuple[object, ...]]:
    """The same rows through statements that are too short to be scanned."""
    found = []
    for row in islice(cycle(rows), MIN_ROWS):
        found += contents(f"{before} {row}")
    return sorted(found, key=repr)


@pytest.mark.parametrize(
    ("before", "rows"),
    [
        ("insert into t (a, c) values", ["(1, 'x')", "(2, 'it''s')", "(null, null)", "(-5, '')"]),
        ("insert into v values", ["(1, 1.255, true)", "(2, -3, null)", "(3, null, false)"]),
        ("insert into w values", ["(1, '2024-02-29')", "('7', null)", "(3, '1999-12-31')"]),
        ("insert into other.strict values", ["(1, 1.5)", "(2, 100)", "(3, -0.001)"]),
        ("insert into t (c, a) values", ["(1, '2')", "('x', 3)"]),  # mixed: cell by cell
    ],
)
def test_rows_are_those_of_short_statements(before: str, rows: list[str]) -> None:
    assert contents(f"{before} {many(rows)}") == in_parts(before, rows)


def test_a_query_over_values() -> None:
    sql = f"select column1, column2, column3 from (values {many(ROWS)}) v"
    assert contents(sql) == in_parts("values", ROWS)
    assert [str(t) for t in planned(sql).schema.types] == ["integer", "text", "boolean"]  # type: ignore[union-attr]


def test_one_token() -> None:
    tokens = tokenize(f"values {many(ROWS)} order by 1")
    assert [token.kind for token in tokens[:3]] == [TokenKind.NAME, TokenKind.ROWS, TokenKind.NAME]
    assert tokens[1].rows is not None
    assert len(tokens[1].rows) == MIN_ROWS
    assert tokenize(f"values {many(ROWS, MIN_ROWS - 1)}")[1].kind is TokenKind.OPERATOR
    assert tokenize(f"values {many(ROWS)}, (1 + 1, 'x', true)")[1].kind is TokenKind.OPERATOR


@pytest.mark.parametrize(
    ("bad", "sqlstate"),
    [
        ("(1, 2, 'x', 4)", "42601"),
        ("('x', 1)", "22P02"),
        ("(true, 1)", "42804"),
        ("(1)", "42601"),
        ("(1, 'unterminated", "42601"),
    ],
)
def test_errors_stay_those_of_the_ordinary_way(bad: str, sqlstate: str) -> None:
    good = ["(1, 2)"]
    sql = f"insert into t (a, b) values {many(good)}, {bad}"
    with pytest.raises(PtvcError) as caught:
        planned(sql)
    assert caught.value.sqlstate == sqlstate
    assert caught.value.position is not None


def test_ten_thousand_rows_are_planned_quickly() -> None:
    rows = [f"({i}, {i * 2}, 'name {i}')" for i in range(10_000)]
    sql = "insert into t values " + ", ".join(rows)
    best = 10.0
    for _ in range(3):
        start = time.process_time()
        planned(sql)
        best = min(best, time.process_time() - start)
    assert best < 0.5


# --- lists behind IN ---

LISTS = [
    ("a", [str(n) for n in range(-20, 20)]),
    ("a", [*(str(n) for n in range(40)), "null"]),
    ("a", [str(3_000_000_000 + n) for n in range(40)]),
    ("a", [f"'{n}'" for n in range(40)]),
    ("a", [f"{n}.5" for n in range(20)] + [str(n) for n in range(20)]),
    ("a::bigint", [str(n) for n in range(40)]),
    ("a::smallint", [str(n) for n in range(40)]),
    ("a::numeric", [str(n) for n in range(40)]),
    ("a::float8", [str(n) for n in range(40)]),
    ("(a > 3)", ["true"] * 40),
    ("c", [f"'x{n}'" for n in range(39)] + ["'it''s'"]),
    ("c::varchar(3)", [f"'x{n}'" for n in range(40)]),
    ("c::char(3)", [f"'x{n}'" for n in range(40)]),
    ("date '2024-01-01' + a", [f"'2024-01-{n:02}'" for n in range(1, 32)] + ["null"]),
    ("null", [str(n) for n in range(40)]),
    ("'7'", [str(n) for n in range(40)]),
    ("'x'", [f"'x{n}'" for n in range(39)] + ["'x'"]),
]
TABLE = "(values (1, 'x1'), (7, 'it''s'), (25, 'X'), (null, null), (-3, '')) as t (a, c)"


@pytest.mark.parametrize(("subject", "items"), LISTS, ids=lambda value: str(value)[:20])
@pytest.mark.parametrize("word", ["in", "not in"])
def test_lists_mean_what_postgresql_says(
    oracle: psycopg.Connection[object], subject: str, items: list[str], word: str
) -> None:
    sql = f"select a, {subject} {word} ({', '.join(items)}) from {TABLE}"
    assert len(items) >= MIN_ROWS
    theirs = oracle.execute(sql).fetchall()  # type: ignore[arg-type]
    assert contents(sql) == sorted(theirs, key=repr)


@pytest.mark.parametrize(
    ("subject", "item"),
    [("a", "'x'"), ("c", "1"), ("date '2024-01-01'", "'2024-02-30'"), ("true", "2"), ("a", "true")],
)
def test_errors_in_lists_are_those_of_postgresql(
    oracle: psycopg.Connection[object], subject: str, item: str
) -> None:
    kind = "'2024-01-01'" if subject.startswith("date") else "false" if subject == "true" else "'1'"
    sql = f"select {subject} in ({', '.join([kind] * 50)}, {item}) from {TABLE}"
    with pytest.raises(psycopg.Error) as theirs:
        oracle.execute(sql)  # type: ignore[arg-type]
    with pytest.raises(PtvcError) as ours:
        contents(sql)
    assert (ours.value.sqlstate, ours.value.position) == (
        theirs.value.sqlstate,
        int(theirs.value.diag.statement_position or 0),
    )


def test_a_list_is_one_constant() -> None:
    statement = planned(f"select a from t where a in ({', '.join(map(str, range(100)))})")
    assert "any_eq" in repr(statement)
    for length, kind in ((MIN_ROWS - 1, TokenKind.OPERATOR), (MIN_ROWS, TokenKind.ROWS)):
        assert tokenize(f"in ({', '.join(['1'] * length)})")[1].kind is kind
