"""Long lists of literal rows: the same statement as cell by cell, quickly, and errors as ever."""

from __future__ import annotations

import time
from itertools import cycle, islice

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
