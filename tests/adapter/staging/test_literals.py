from __future__ import annotations

import pytest

from dbt.adapters.ptvc.staging.literals import renamed_in_literals

SCHEMAS = {"s__dbt_next": "s"}


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        (
            """select '"s__dbt_next"."a"' from "s__dbt_next"."a\"""",
            """select '"s"."a"' from "s__dbt_next"."a\"""",
        ),
        ("select $$s__dbt_next.a$$, $q$s__dbt_next.b$q$", "select $$s.a$$, $q$s.b$q$"),
        (r"select E'it\'s s__dbt_next.a'", r"select E'it\'s s.a'"),
        ("select 'it''s s__dbt_next.a', x", "select 'it''s s.a', x"),
    ],
)
def test_names_in_strings_are_those_of_the_place(sql: str, expected: str) -> None:
    assert renamed_in_literals(sql, SCHEMAS) == expected


@pytest.mark.parametrize(
    "sql",
    [
        'select "s__dbt_next"."a"."v" from s__dbt_next.a -- s__dbt_next\n/* \'s__dbt_next\' */',
        "select 'my_s__dbt_next.a'",
        "select 's__dbt_next",  # the runtime refuses it
        "select 's.a'",
    ],
)
def test_all_else_stays(sql: str) -> None:
    assert renamed_in_literals(sql, SCHEMAS) == sql
