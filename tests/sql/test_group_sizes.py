"""OPTIONS behind a SELECT are read and change nothing; the same word may still be a name."""

from __future__ import annotations

import pytest
from ptvc.errors import PtvcError
from ptvc.sql.plans import definition_plans

from .fake_catalog import planned


@pytest.mark.parametrize(
    ("sql", "options"),
    [
        ("SELECT a, sum(b) FROM t GROUP BY a {}", "(AGGREGATE INPUT GROUP SIZE = 1000)"),
        ("SELECT a, sum(b) FROM t GROUP BY a HAVING a > 1 {}", "(EXPECTED GROUP SIZE 10)"),
        ("SELECT DISTINCT ON (a) a, b FROM t {} ORDER BY a, b LIMIT 1", "(DISTINCT ON INPUT GROUP SIZE = 2)"),
        (
            "SELECT max(b) FROM (SELECT b FROM t WHERE a = 1 {} LIMIT 3) AS x",
            "(LIMIT INPUT GROUP SIZE = 5, AGGREGATE INPUT GROUP SIZE 7)",
        ),
        ("SELECT 1 {} UNION ALL SELECT 2", "(EXPECTED GROUP SIZE = 10)"),
    ],
)
def test_sizes_change_nothing(sql: str, options: str) -> None:
    assert planned(sql.format(f"OPTIONS {options}")) == planned(sql.format(""))


def test_they_stay_in_the_text_of_a_view() -> None:
    query = "SELECT a, max(b) FROM t GROUP BY a OPTIONS (AGGREGATE INPUT GROUP SIZE = 1)"
    view = planned(f"CREATE VIEW v AS {query};")
    assert isinstance(view, definition_plans.CreateView)
    assert view.definition_sql == query


def test_the_word_is_a_name_elsewhere() -> None:
    planned("SELECT options.x, 1 AS options FROM t AS options (x)")
    planned("SELECT options.x, 1 options FROM t options (x, y)")


@pytest.mark.parametrize(
    ("options", "state"),
    [
        ("AGGREGATE INPUT GROUP SIZE = 0", "22023"),
        ("AGGREGATE INPUT GROUP SIZE = -1", "22023"),
        ("AGGREGATE INPUT GROUP SIZE = 1.5", "22023"),
        ("AGGREGATE INPUT GROUP SIZE = 'x'", "22023"),
        ("AGGREGATE INPUT GROUP SIZE = ", "42601"),
        ("AGGREGATE INPUT SIZE = 1", "42601"),
        ("NOTHING = 1", "42601"),
        ("EXPECTED GROUP SIZE = 1, EXPECTED GROUP SIZE = 1", "42601"),
        ("EXPECTED GROUP SIZE = 1, LIMIT INPUT GROUP SIZE = 1", "42601"),
        ("EXPECTED GROUP SIZE = 1" + "0" * 5000, "22003"),
    ],
)
def test_what_is_no_size(options: str, state: str) -> None:
    with pytest.raises(PtvcError) as error:
        planned(f"SELECT max(a) FROM t OPTIONS ({options})")
    assert error.value.sqlstate == state
