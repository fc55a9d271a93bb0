"""Which texts may hold a secret, and what is shown and told of them."""

from __future__ import annotations

import pytest
from ptvc.errors import PtvcError
from ptvc.sql.parser.parse import parse
from ptvc.sql.syntax.secret_text import may_hold_secret, shown_text

WORD = "hunter2"


@pytest.mark.parametrize(
    ("sql", "shown"),
    [
        ("CREATE SECRET s AS 'hunter2'", "CREATE SECRET ..."),
        ("alter\tsecret s AS 'hunter2'", "alter\tsecret ..."),
        ("CREATE /* a */ -- b\n SECRET s AS 'hunter2'", "CREATE /* a */ -- b\n SECRET ..."),
        ("SELECT 1; CREATE SECRET s AS 'hunter2'; SELECT 2", "SELECT 1; CREATE SECRET ..."),
    ],
)
def test_what_is_shown(sql: str, shown: str) -> None:
    assert may_hold_secret(sql)
    assert shown_text(sql) == shown


@pytest.mark.parametrize(
    "sql",
    ["SELECT secret FROM t", "DROP SECRET s", "CREATE TABLE secret (a int)", "GRANT USAGE ON SECRET s TO r"],
)
def test_others_are_shown_as_they_are(sql: str) -> None:
    assert not may_hold_secret(sql)
    assert shown_text(sql) == sql


@pytest.mark.parametrize(
    "sql",
    [
        "CREATE SECRET s 'hunter2'",
        "CREATE SECRET s AS 'hunter2",
        "CREATE SECRET s AS $$hunter2",
        "CREATE SECRET s AS 'a' 'hunter2'",
        "CREATE SECRET s AS 1hunter2",
        "CREATE SECRET s AS N'hunter2'",
        "CREATE SECRET s AS E'\\xff hunter2'",
        'CREATE SECRET s AS "hunter2',
        "ALTER SECRET s SET 'hunter2'",
        "ALTER SECRET s AS",
        "SELECT 'hunter2'; CREATE SECRET s",
        "CREATE CONNECTION c TO KAFKA (BROKER 'a', SASL PASSWORD 'hunter2",
        "CREATE CONNECTION c TO KAFKA (BROKER 'a', SASL PASSWORD = 1 'hunter2')",
        "ALTER CONNECTION c SET (SASL PASSWORD 'hunter2' 'hunter2')",
    ],
)
def test_errors_do_not_repeat_it(sql: str) -> None:
    with pytest.raises(PtvcError) as refused:
        parse(sql)
    error = refused.value
    assert WORD not in f"{error.message} {error.detail} {error.hint} {error!r}"
    assert error.__cause__ is None
    assert error.__suppress_context__ or error.__context__ is None
    assert error.position is not None
    assert error.sqlstate in ("42601", "0A000", "22021")


def test_other_errors_are_what_they_are() -> None:
    with pytest.raises(PtvcError, match='syntax error at or near "nonsense"'):
        parse("SELECT 1 FROM t nonsense nonsense")


def test_no_tree_shows_it() -> None:
    texts = ("CREATE SECRET s AS 'hunter2'", "ALTER SECRET s AS 'hunter2'")
    for text in (*texts, "CREATE CONNECTION c TO AWS (REGION 'hunter2')"):
        assert WORD not in repr(parse(text))
