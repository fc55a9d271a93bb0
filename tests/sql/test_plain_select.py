"""Which statements are planned at once: those whose text bounds the work."""

from __future__ import annotations

import pytest
from ptvc.sql.parse import parse
from ptvc.sql.plain_select import MAX_TEXT, is_plain

from .fake_catalog import CONTEXT


def plain(sql: str) -> bool:
    (statement,) = parse(sql)
    return is_plain(statement, CONTEXT)


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT * FROM t WHERE a = 5",
        "SELECT a, t.b AS c FROM public.t AS t WHERE a IN (1, 2) AND NOT b = 'x' OR b IS NULL ORDER BY a DESC LIMIT 5",
        "SELECT a FROM t WHERE a = $1",
        "SELECT nothing FROM t",
    ],
)
def test_plain(sql: str) -> None:
    assert plain(sql)


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT 1",
        "SELECT repeat('x', 100000000) FROM t",
        "SELECT a FROM t WHERE a = 2::numeric ^ 100000",
        "SELECT a FROM t WHERE b = 'x' || 'y'",
        "SELECT a FROM t, t AS u",
        "SELECT a FROM t JOIN t AS u USING (a)",
        "SELECT (SELECT 1) FROM t",
        "SELECT a FROM (SELECT * FROM t) AS s",
        "WITH s AS (SELECT 1) SELECT a FROM t",
        "SELECT a FROM t UNION SELECT a FROM t",
        "SELECT a FROM t WHERE a = CAST('1' AS int)",
        "SELECT a FROM t AS OF 5",
        "SELECT * FROM counts",
        "SELECT * FROM pg_class",
        "SELECT * FROM missing",
        "INSERT INTO t (a) VALUES (1)",
        f"SELECT a FROM t WHERE b = '{'x' * MAX_TEXT}'",
    ],
)
def test_not_plain(sql: str) -> None:
    assert not plain(sql)
