from __future__ import annotations

import pytest

from dbt.adapters.ptvc.staging.names import Reference, StagedNames, renamed_schema


@pytest.mark.parametrize(
    "sql",
    [
        'select * from "s__dbt_next"."day"',
        "select * from s__dbt_next.day",
        'select * from "s__dbt_next" . day as d',
        "select s__dbt_next.day.v from x",
    ],
)
def test_a_reference_is_found_and_moved(sql: str) -> None:
    reference = Reference("s__dbt_next", "day")
    assert reference.is_in(sql)
    assert reference.moved(sql, "s") == sql.replace("s__dbt_next", "s")


@pytest.mark.parametrize(
    "sql",
    [
        'select * from "s__dbt_next"."days"',
        "select * from s__dbt_next.day_2",
        "select * from other_s__dbt_next.day",
        'select * from "s"."day"',
        "select day from s__dbt_next.week",
    ],
)
def test_other_names_are_none(sql: str) -> None:
    reference = Reference("s__dbt_next", "day")
    assert not reference.is_in(sql)
    assert reference.moved(sql, "s") == sql


def test_a_schema_is_renamed_wherever_it_is_a_word() -> None:
    sql = 'select "s__dbt_next"."a".v from s__dbt_next.a join my_s__dbt_next.b'
    assert renamed_schema(sql, "s__dbt_next", "s") == 'select "s"."a".v from s.a join my_s__dbt_next.b'


def test_names_are_known_until_they_are_removed() -> None:
    names = StagedNames()
    names.add(("s", "a"), "s__dbt_next")
    assert names.schema_of(("s", "a")) == "s__dbt_next"
    names.remove([("s", "a"), ("s", "never")])
    assert names.schema_of(("s", "a")) is None


def test_a_part_of_a_relation_is_named_after_it() -> None:
    reference = Reference("s__dbt_next", "clicks", "clicks_dead_letters")
    for text in (
        's__dbt_next."clicks_dead_letters"',
        "s__dbt_next.clicks",
        "s__dbt_next . clicks_dead_letters d",
    ):
        assert reference.is_in(f"select * from {text}")
    for text in ("s__dbt_next.clicks_dead", "s.clicks_dead_letters", 's__dbt_next."clicks_dead_letters_2"'):
        assert not reference.is_in(f"select * from {text}")
