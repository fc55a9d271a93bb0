"""Arguments of `config(...)` that go, stay or come."""

from __future__ import annotations

import pytest
from ptvc.porting.config_calls import Argument, changed
from ptvc.porting.configs import Fate, fate
from ptvc.porting.templates import Dynamic, Piece, PieceKind


def made(call: str, dialect: str = "snowflake", **added: str) -> str:
    def of(argument: Argument) -> Fate | None:
        return fate(dialect, argument.name, argument.value)

    return changed(Piece(PieceKind.VALUE, call, 0), of, added)


@pytest.mark.parametrize(
    ("call", "after"),
    [
        ("{{ config(materialized='view') }}", "{{ config(materialized='view') }}"),
        ("{{config(transient=true)}}", ""),
        ("{{ config(transient=true, tags=['a, b']) }}", "{{ config(tags=['a, b']) }}"),
        (
            "{{ config(materialized='dynamic_table', target_lag='1 day') }}",
            "{{ config(materialized='materialized_view') }}",
        ),
        (
            "{{\n  config(\n    alias = 'x',\n    cluster_by = ['a', 'b'],\n    tags = 'y'\n  )\n}}",
            "{{\n  config(\n    alias = 'x',\n    tags = 'y'\n  )\n}}",
        ),
        ("{{ config(post_hook='x', copy_grants=true) }}", "{{ config(post_hook='x') }}"),
    ],
)
def test_what_goes(call: str, after: str) -> None:
    assert made(call) == after


@pytest.mark.parametrize(
    ("call", "after"),
    [
        ("{{ config() }}", "{{ config(dialect='snowflake') }}"),
        ("{{ config(alias='x') }}", "{{ config(alias='x', dialect='snowflake') }}"),
        ("{{ config(transient=true) }}", "{{ config(dialect='snowflake') }}"),
        (
            "{{ config(\n    alias='x'\n) }}",
            "{{ config(\n    alias='x',\n    dialect='snowflake'\n) }}",
        ),
    ],
)
def test_what_comes(call: str, after: str) -> None:
    assert made(call, dialect="snowflake").strip() in (call, "")
    assert (
        changed(
            Piece(PieceKind.VALUE, call, 0),
            lambda argument: fate("snowflake", argument.name, argument.value),
            {"dialect": "'snowflake'"},
        )
        == after
    )


def test_arguments_that_cannot_be_told_apart() -> None:
    with pytest.raises(Dynamic):
        made("{{ config(**defaults) }}")


@pytest.mark.parametrize(
    ("dialect", "name", "value", "doubtful"),
    [
        ("snowflake", "unique_key", "id", None),
        ("snowflake", "partition_by", "x", None),
        ("bigquery", "partition_by", {"field": "day"}, False),
        ("bigquery", "incremental_strategy", "insert_overwrite", True),
        ("databricks", "incremental_strategy", "merge", None),
        ("redshift", "dist", "even", False),
        ("duckdb", "materialized", "external", True),
        ("databricks", "post_hook", "optimize x", True),
        ("snowflake", "+target_lag", "1 day", False),
    ],
)
def test_fates(dialect: str, name: str, value: object, doubtful: bool | None) -> None:
    found = fate(dialect, name, value)
    assert (None if found is None else found.doubt) is doubtful
