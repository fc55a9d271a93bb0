"""Texts of other dialects made PostgreSQL's in place: they mean what the translation does, and keep what need not change."""

from __future__ import annotations

import pytest
from ptvc.dialects.rewriting import applied, edits, same
from ptvc.dialects.translate import survey, translate, type_of
from ptvc.dialects.values import Kind

from .constructs import constructs, documented, rows

TYPES = {"orders": {"id": "integer", "amount": "numeric(12,2)", "placed": "date", "note": "text"}}


def rewritten(sql: str, dialect: str) -> str:
    translated = translate(sql, dialect, lambda _, name: TYPES.get(name))
    return applied(sql, edits(sql, dialect, translated))


TOGETHER = 10


@pytest.mark.parametrize("dialect", ["bigquery", "databricks", "duckdb", "redshift", "snowflake"])
def test_all_constructs_become_what_they_are_translated_to(dialect: str) -> None:
    """Several in one query: of those of which values are tested."""
    asked = dialect in ("databricks", "duckdb")
    types = survey(f"{rows(dialect)}select * from t", dialect).columns if asked else None
    found = constructs(dialect) if asked else [construct for construct, _, _ in documented(dialect)]
    source = " from t" if asked else ""
    for start in range(0, len(found), TOGETHER):
        items = [f"{one} as v{number}" for number, one in enumerate(found[start : start + TOGETHER])]
        sql = "select\n    " + ",\n    ".join(items) + source
        translated = translate(sql, dialect, lambda _, name: types)
        assert same(applied(sql, edits(sql, dialect, translated)), translated), sql


def test_what_means_the_same_stays_as_it_was_written() -> None:
    sql = """
-- all of them
with o as (
    SELECT * from orders   -- and no more
)

select
    o.ID as number, (o.amount + 1) * 2 as more, o.placed::date as day /* when */,
    note is not null as noted
from o
join orders as p on p.id != o.id and p.note not like 'x%' and o.amount between 1 and 2
where not (o.id in (1, 2))
"""
    assert rewritten(sql, "snowflake") == sql


def test_what_does_not_is_replaced_where_it_stands() -> None:
    sql = """\
select
    iff(amount > 10, 'big', 'small') as size,  -- how big
    nvl(note, 'none') as note, // the old kind
    dateadd('month', -1, placed) as before
from orders o
"""
    assert (
        rewritten(sql, "snowflake")
        == """\
select
    case when amount > 10 then 'big' else 'small' end as size,  -- how big
    coalesce(note, 'none') as note, -- the old kind
    cast(placed + cast(-1 as integer) * interval '1 month' as date) as before
from orders o
"""
    )


def test_comments_within_what_is_replaced() -> None:
    sql = "SELECT IF(id > 1, -- first\n 'a', # then\n 'b') AS x, `id` FROM orders"
    made = rewritten(sql, "bigquery")
    assert "first" in made
    assert "then" in made
    assert same(made, translate(sql, "bigquery", lambda _, name: TYPES.get(name)))


@pytest.mark.parametrize(
    ("one", "other", "alike"),
    [
        ("select a::integer", "select cast(a as integer)", True),
        ("select a from t join u using (b)", "select a from t inner join u using (b)", True),
        ("select 1 where not a is null", "select 1 where a is not null", True),
        ("select 1 where not (a between 1 and 2)", "select 1 where a not between 1 and 2", True),
        ("select 1 where a and (b and c)", "select 1 where a and b and c", True),
        ("select 1 where a or (b and c)", "select 1 where (a or b) and c", False),
        ("select a - (b - c)", "select a - b - c", False),
        ("select 'A'", "select 'a'", False),
        ('select "A"', "select a", False),
        ("select 1.0", "select 1.00", False),
        (
            "select sum(a) over (order by b rows 1 preceding)",
            "select sum(a) over (order by b rows 2 preceding)",
            False,
        ),
        (
            f"select 1 where a in ({', '.join(map(str, range(50)))})",
            f"select 1 where a in ({', '.join(map(str, range(1, 51)))})",
            False,
        ),
    ],
)
def test_same(one: str, other: str, alike: bool) -> None:
    assert same(one, other) is alike


def test_all_that_is_refused_is_found() -> None:
    sql = "select\n  hash(id) as h,\n  iff(id > 1, 1, 2) as i,\n  initcap(note) as n\nfrom orders\nwhere regexp_like(note, 'x')"
    found = survey(sql, "snowflake", lambda _, name: TYPES.get(name))
    assert found.sql is None
    places = [error.position for error in found.refused]
    assert [sql[(place or 0) - 1 :][:4] for place in places] == ["hash", "init", "rege"]
    assert found.columns == {"h": "", "i": "integer", "n": ""}


def test_what_follows_from_a_refusal_is_none() -> None:
    sql = "select cast(hash(id) as varchar) || 'x' as h from orders"
    assert len(survey(sql, "snowflake", lambda _, name: TYPES.get(name)).refused) == 1


def test_opaque_names_are_values() -> None:
    sql = "select id / n as half, iff(id > n, 1, 2) as i from orders"
    known = survey(sql, "snowflake", lambda _, name: TYPES.get(name), {"n": Kind.INT})
    assert known.refused == ()
    assert known.columns is not None
    assert known.columns["half"].startswith("numeric")
    unknown = survey(sql, "snowflake", lambda _, name: TYPES.get(name), {"n": None})
    assert ["which is not known" in error.message for error in unknown.refused] == [True]


@pytest.mark.parametrize(
    ("dialect", "type_", "ours"),
    [
        ("snowflake", "NUMBER(38,0)", "numeric(38,0)"),
        ("snowflake", "timestamp_ntz", "timestamp"),
        ("snowflake", "variant", None),
        ("snowflake", "timestamp_tz", None),
        ("bigquery", "int64", "bigint"),
        ("bigquery", "float64", "double precision"),
        ("redshift", "super", None),
        ("databricks", "string", "text"),
        ("duckdb", "hugeint", None),
        ("duckdb", "no such type", None),
        ("duckdb", "int) as x, (1", None),
    ],
)
def test_types(dialect: str, type_: str, ours: str | None) -> None:
    assert type_of(type_, dialect) == ours
