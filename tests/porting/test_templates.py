"""Jinja in SQL: what it stands for, and that it comes back as it was written."""

from __future__ import annotations

import pytest
from ptvc.dialects.values import Kind
from ptvc.porting.jinja import Known, Reader
from ptvc.porting.templates import Dynamic, Template, template

KNOWN = Known(
    "snowflake",
    refs={"orders": "orders", "Odd": "Odd Name"},
    sources={("raw", "pay"): "payments"},
    variables={"since": "2020-02-01", "n": 3, "column": "id"},
    macros=frozenset({"cents"}),
)


def made(source: str) -> Template:
    return template(source, KNOWN.dialect, Reader(KNOWN, "ref:me", "me"))


WHOLE = """\
{{ config(materialized='incremental', tags=["a", "}}"]) }}
{# of {{ all }} #}
{% set unused = 'x' %}
select {{ dbt.datediff('a', 'b', 'day') }} as days, '{{ var("column") }}-x' as c, "{}" as braces
from {{ ref('orders') }} o
left join {{- source('raw', 'pay') -}} as p on p.at > '{{ var("since") }}' and p.n = {{ var('n') }}
{%- if is_incremental() %}
where p.at > (select max(at) from {{ this }})
{%- endif %}
"""


def test_it_comes_back() -> None:
    found = made(WHOLE)
    assert found.restore(found.sql) == WHOLE
    assert "{{" not in found.sql
    assert "{%" not in found.sql


def test_what_stands_for_what() -> None:
    found = made(WHOLE)
    assert {relation.key: relation.name for relation in found.relations.values()} == {
        "ref:orders": "orders",
        "source:raw.pay": "payments",
        "ref:me": "me",
    }
    assert sorted(str(kind) for kind in found.opaque.values()) == ["Kind.INT", "Kind.INT", "Kind.TEXT"]


def test_a_date_is_one_of_another_year() -> None:
    """So that it is read as a date is, and is found again among other dates."""
    found = made("select '1604-02-01' as a, '{{ var(\"since\") }}' as b")
    assert found.sql == "select '1604-02-01' as a, '1608-02-01' as b"
    assert found.restore(found.sql) == "select '1604-02-01' as a, '{{ var(\"since\") }}' as b"
    assert found.opaque == {}


def test_a_name_that_needs_quotes_has_them() -> None:
    assert '."Odd Name"' in made("select * from {{ ref('Odd') }}").sql


def test_conditions_choose_among_texts_of_one_length() -> None:
    source = "select 1{% if target.name == 'x' %} as a{% else %} as b{% endif %}{% if not is_incremental() %} + 2{% endif %}"
    found = made(source)
    readings = [found.reading(choice) for choice in found.choices()]
    assert {len(one) for one in readings} == {len(found.sql)}
    plain = [" ".join(part for part in one.split() if not part.startswith("/*")) for one in readings]
    assert len(set(plain)) == 4


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("select {% for x in [1] %}{{ x }}{% endfor %}", "`for`"),
        ("select {{ cents('a') }}", "the macro cents"),
        ("{{ dbt_utils.date_spine('day', 'a', 'b') }}", "the macro dbt_utils.date_spine"),
        ("select {{ dbt.hash('a || b') }}", "SQL in an argument"),
        ("select {{ var('column') }}", "var('column')"),
        ("select {{ var('unknown') }}", "var('unknown')"),
        ("select x_{{ var('n') }}", "var('n')"),
        ("select 'a\\n{{ var('column') }}'", "in a string"),
        ("select {% if a %}1{% elif b %}2{% endif %}", "conditions"),
        ("select {% if a %}1", "does not end"),
        ("select {{ ref('of_a_package') }}", "of_a_package"),
        ("select {{ 1", "does not end"),
        ("select ptvc_j1_", "placeholders"),
    ],
)
def test_what_is_only_known_when_dbt_compiles(source: str, reason: str) -> None:
    with pytest.raises(Dynamic) as caught:
        made(source)
    assert reason in caught.value.reason
    assert 0 <= caught.value.offset < len(source)


def test_types_are_those_of_the_other_warehouse() -> None:
    assert made("select a::{{ dbt.type_numeric() }}").sql == "select a::number(28,6)"


def test_places_are_those_of_the_source() -> None:
    found = made("select {{ dbt.hash('a') }},\n hash(x), '{{ var('column') }}', y from {{ ref('orders') }}")
    for word in ("hash(x)", "y from"):
        assert found.source[found.offset(found.sql.index(word)) :].startswith(word)


def test_kinds_of_macros() -> None:
    found = made(
        "select {{ dbt_utils.generate_surrogate_key(['a', 'b']) }}, {{ dbt.date_trunc('day', 'a') }}"
    )
    assert list(found.opaque.values()) == [Kind.TEXT, None]
