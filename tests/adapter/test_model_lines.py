"""The line of a model's file, from the line of the statement that was made of it."""

from __future__ import annotations

import pytest

from dbt.adapters.ptvc.model_lines import line_of_file

FILE = """{{
  config(materialized='table')
}}

{% for kind in ['a', 'b'] %}
select
  '{{ kind }}' as kind,
  amount
from {{ ref('orders') }}
{% if not loop.last %}union all{% endif %}
{% endfor %}
"""
STATEMENT = """/* {"app": "dbt"} */
create table "ptvc"."public"."kinds" as (


select /* dbt:hash */
  'a' as kind,
  amount
from "ptvc"."public"."orders"
union all

select
  'b' as kind,
  amount
from "ptvc"."public"."orders"


);
"""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("select /*", 6),
        ("select\n", 6),  # of the loop's second turn
        ('  amount\nfrom "ptvc"."public"."orders"\n\n', 8),
        ('from "ptvc"."public"."orders"\n\n', 9),  # behind the same neighbour
        ("create table", None),
    ],
)
def test_lines(text: str, expected: int | None) -> None:
    line = STATEMENT.count("\n", 0, STATEMENT.index(text)) + 1
    assert line_of_file(STATEMENT, line, FILE) == expected


def test_lines_that_are_not_there() -> None:
    assert line_of_file("a\nb", 3, "a\nb") is None
    assert line_of_file("", 1, "") is None
    assert line_of_file("a", 1, "b") is None


def test_a_file_as_it_is() -> None:
    text = "\n".join(f"line {number}" for number in range(50))
    assert [line_of_file(f"create view v as (\n{text}\n)", line, text) for line in (1, 2, 51, 52)] == [
        None,
        1,
        50,
        None,
    ]


def test_a_line_between_others_that_jinja_has_changed() -> None:
    file = "select id\nfrom {{ ref('a') }}\nwhere x in (select x from {{ ref('b') }})\n"
    made = "create view v as\nselect id\nfrom public.a\nwhere x in (select x from public.b)\n"
    assert [line_of_file(made, number, file) for number in (2, 3, 4)] == [1, 2, 3]


def test_lines_of_a_loop_that_jinja_can_have_made_of_one_line_only() -> None:
    file = "select\n{% for c in ['a', 'b'] %}\n    {{ c }} as {{ c }}_of,\n{% endfor %}\n    1 as one\n"
    made = "select\n\n    a as a_of,\n\n    b as b_of,\n\n    1 as one\n"
    assert [line_of_file(made, number, file) for number in (3, 5, 7)] == [3, 3, 5]


def test_a_line_that_may_be_of_several_has_none() -> None:
    file = "select\n    {{ a() }},\n    {{ b() }},\n    {{ c() }}\nfrom t\n"
    made = "select\n    x1,\n    x2, y2,\n    x3,\n    x4\nfrom t\n"
    assert line_of_file(made, 4, file) is None
