"""Which texts may hold a secret, and what is shown and told of them."""

from __future__ import annotations

import pytest
from ptvc.errors import PtvcError, QueryCanceled
from ptvc.interrupt import Interrupt, interruptible
from ptvc.sql.parser import parse as parse_module
from ptvc.sql.parser.parse import parse
from ptvc.sql.syntax.quoted import SLICE
from ptvc.sql.syntax.secret_text import may_hold_secret, shown_text

WORD = "hunter2"


@pytest.mark.parametrize(
    ("sql", "shown"),
    [
        ("CREATE SECRET s AS 'hunter2'", "CREATE SECRET ..."),
        ("alter\tsecret s AS 'hunter2'", "alter\tsecret ..."),
        ("CREATE /* a */ -- b\n SECRET s AS 'hunter2'", "CREATE /* a */ -- b\n SECRET ..."),
        ("SELECT 1; CREATE SECRET s AS 'hunter2'; SELECT 2", "SELECT 1; CREATE SECRET ..."),
        ("SELECT create/**/secret", "SELECT create/**/secret ..."),
        ("CREATE /* a /* b */ c */ SECRET s AS 'hunter2'", "CREATE /* a /* b */ c */ SECRET ..."),
        ("SELECT 'CREATE /*'; ALTER SECRET s AS 'hunter2'", "SELECT 'CREATE ..."),
    ],
)
def test_what_is_shown(sql: str, shown: str) -> None:
    assert may_hold_secret(sql)
    assert shown_text(sql) == shown


@pytest.mark.parametrize("gap", [" ", "\n" * SLICE, f"--{'x' * SLICE}\n", f"/*{'x' * SLICE}*/ "], ids=len)
@pytest.mark.parametrize("before", [0, SLICE - 7, SLICE - 1, SLICE, SLICE + 1, 3 * SLICE])
def test_it_is_found_wherever_slices_end(before: int, gap: str) -> None:
    start = f"{'x' * before} alter{gap}Secret"
    assert shown_text(f"{start} s AS 'hunter2'") == f"{start} ..."
    assert not may_hold_secret(f"{'x' * before}alter{gap}secret" if before else f"alter{gap}secrets")


def test_the_search_can_be_cancelled() -> None:
    interrupt = Interrupt()
    interrupt.set()
    with interruptible(interrupt), pytest.raises(QueryCanceled):
        may_hold_secret("SELECT 1")


def test_what_was_cancelled_is_not_searched(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parse_module, "without_secrets", None)
    interrupt = Interrupt()
    interrupt.set()
    with interruptible(interrupt), pytest.raises(QueryCanceled):
        parse(f"SELECT '{'x' * SLICE}'")


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT secret FROM t",
        "DROP SECRET s",
        "CREATESECRET",
        "recreate secret",
        "CREATE secrets",
        "CREATE TABLE secret (a int)",
        "GRANT USAGE ON SECRET s TO r",
    ],
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
