"""Models in another warehouse's dialect."""

from __future__ import annotations

from pathlib import Path

from .test_checker import checked, columns

DIALECT = "{{ config(dialect='snowflake') }}\n"


def test_columns_are_those_of_what_it_means(tmp_path: Path) -> None:
    """By the types of what it reads: a quotient of integers is a decimal in Snowflake."""
    sql = DIALECT + "select id / 2 as half, sum(iff(id > 1, 1, 0)) as n from {{ ref('orders') }} group by id"
    found = columns(checked(tmp_path, {"models/foreign.sql": sql}), "model.shop.foreign")
    assert list(found) == ["half", "n"]
    assert found["half"].startswith("numeric")


def test_what_is_refused_has_its_place_in_the_file(tmp_path: Path) -> None:
    sql = DIALECT + "select\n  id,\n  hash(id) as h\nfrom {{ ref('orders') }}\n"
    (finding,) = checked(tmp_path, {"models/foreign.sql": sql}).result.findings
    assert finding.code == "0A000"
    assert (finding.place.file, finding.place.line, finding.place.column) == ("models/foreign.sql", 4, 3)
    assert finding.hint is not None


def test_an_ephemeral_model_has_none(tmp_path: Path) -> None:
    files = {
        "models/part.sql": "{{ config(materialized='ephemeral', dialect='snowflake') }}select id from {{ ref('orders') }}",
        "models/whole.sql": "select id from {{ ref('part') }}",
    }
    (finding,) = checked(tmp_path, files).result.findings
    assert (finding.node, finding.code) == ("model.shop.whole", "0A000")
    assert "ephemeral" in finding.message
