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
