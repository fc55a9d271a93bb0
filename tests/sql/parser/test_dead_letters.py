"""Clauses about dead letters: text to tree."""

from __future__ import annotations

from typing import Any

import pytest
from ptvc.errors import SqlSyntaxError
from ptvc.sql.parser.parse import parse
from ptvc.sql.syntax.data_statements import ReplayStatement


def node(sql: str) -> Any:
    (statement,) = parse(sql)
    return statement.node


@pytest.mark.parametrize(
    ("clauses", "name", "retained"),
    [
        ("WITH (ON ERROR = DEAD LETTER)", None, None),
        ("WITH (ON ERROR DEAD LETTER, RETAIN HISTORY FOR '1s')", None, 1000),
        ('DEAD LETTERS AS a."B" WITH (ON ERROR = DEAD LETTER)', ("a", "B"), None),
    ],
)
def test_of_a_source(clauses: str, name: tuple[str, ...] | None, retained: int | None) -> None:
    for source in (
        "FILE '/x' FORMAT JSON",
        "FILE '/x' FORMAT CSV WITH (HEADER = false) ENVELOPE NONE",
        "KAFKA CONNECTION k (TOPIC 't') FORMAT JSON",
        "KAFKA CONNECTION k (TOPIC 't') FORMAT JSON INCLUDE OFFSET EXPOSE PROGRESS AS p",
    ):
        found = node(f"CREATE SOURCE s (a int) FROM {source} {clauses}")
        assert found.dead_letters is not None
        assert (found.dead_letters.name and found.dead_letters.name.parts) == name
        assert found.retain_history_ms == retained
        assert found.options == (() if "HEADER" not in source else found.options[:1])


def test_among_the_options_of_a_format() -> None:
    found = node(
        "CREATE SOURCE s (a int) FROM FILE '/x' FORMAT CSV WITH (HEADER = true, ON ERROR = DEAD LETTER)"
    )
    assert found.dead_letters is not None
    assert [option.name for option in found.options] == ["header"]


def test_names_are_in_any_order_and_once() -> None:
    head = "CREATE SOURCE s FROM KAFKA CONNECTION k (TOPIC 't') FORMAT JSON"
    option = "WITH (ON ERROR = DEAD LETTER)"
    found = node(f"{head} DEAD LETTERS AS d EXPOSE PROGRESS AS p {option}")
    assert (found.dead_letters.name.parts, found.progress.parts) == (("d",), ("p",))
    for clauses in (
        f"DEAD LETTERS AS d DEAD LETTERS AS e {option}",
        "DEAD LETTERS AS d",
        "WITH (ON ERROR = FAIL)",
    ):
        with pytest.raises(SqlSyntaxError):
            parse(f"{head} {clauses}")


def test_replay() -> None:
    plain = node("ALTER SOURCE IF EXISTS a.s REPLAY DEAD LETTERS")
    assert isinstance(plain, ReplayStatement)
    assert (plain.source.parts, plain.assignments, plain.where, plain.if_exists) == (
        ("a", "s"),
        (),
        None,
        True,
    )
    whole = node("ALTER SOURCE s REPLAY DEAD LETTERS SET key = 'k', payload = payload || 'x' WHERE line < 3")
    assert [name.parts for name, _ in whole.assignments] == [("key",), ("payload",)]
    assert whole.where is not None
