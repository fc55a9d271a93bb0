"""What counts as another definition, and what does not."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest

from dbt.adapters.ptvc.definition_hash import definition_hash
from dbt.adapters.ptvc.relation import mark_as_test

QUERY = "select id, 'a  b' as \"Text\" from t -- all of them\nwhere id > 1"


def of(sql: str, **options: Any) -> str:
    return definition_hash("view", sql, options)


@pytest.mark.parametrize(
    "same",
    [
        "\n  select id , 'a  b' AS \"Text\"\n\n from t\nwhere id>1  \n",
        "SELECT id, /* what it says */ 'a  b' as \"Text\" FROM T where id > 1 -- more than one",
        "select id, E'a\\x20 b' as \"Text\" from t where id > 0x01",
    ],
)
def test_comments_spacing_and_case_do_not_count(same: str) -> None:
    assert of(same) == of(QUERY)


@pytest.mark.parametrize(
    "other",
    [
        "select id, 'a b' as \"Text\" from t where id > 1",
        "select id, 'a  b' as \"text\" from t where id > 1",
        "select id, 'a  b' as \"Text\" from t where id >= 1",
        "select id, 'a  b' as \"Text\" from t where id > 1.0",
        'select id, "a  b" as "Text" from t where id > 1',
    ],
)
def test_what_is_in_quotes_and_numbers_count(other: str) -> None:
    assert of(other) != of(QUERY)


def test_kind_and_options_count() -> None:
    hashes = {
        of(QUERY),
        of(QUERY, cluster="fast"),
        of(QUERY, cluster="slow"),
        definition_hash("materialized_view", QUERY, {}),
    }
    assert len(hashes) == 4
    assert of(QUERY, cluster=None) == of(QUERY)


def test_what_a_text_says_of_a_test_counts() -> None:
    warns, fails = (mark_as_test(QUERY, {"severity": severity}) for severity in ("warn", "error"))
    assert len({of(QUERY), of(warns), of(fails)}) == 3


def test_a_hash_of_version_1_goes_on_for_the_same_text_only() -> None:
    old = "16252d8a9417df8fdd0948fd35bffe5ff0d650c1a92482c80fccfe7a12576385"
    assert definition_hash("view", "select 1  \n", {"cluster": None}, old) == old
    assert definition_hash("view", "select 1 -- again", {}, old) != old
    assert definition_hash("view", "select 2", {}, old) != old


def test_what_is_no_sql_is_hashed_as_text() -> None:
    assert of("select 'open") != of("select  'open")


def test_nothing_of_the_engine_is_loaded() -> None:
    """dbt starts for every command: Arrow alone would be a third of a second."""
    code = (
        "import sys; from ptvc.sql.parser.lexer import tokenize; tokenize('select 1');"
        "print([name for name in ('pyarrow', 'numpy', 'pyspark') if name in sys.modules])"
    )
    printed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert printed.stdout.strip() == "[]"
