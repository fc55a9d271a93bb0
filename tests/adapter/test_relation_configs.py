from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest
from dbt_common.exceptions import DbtRuntimeError

from dbt.adapters.ptvc.definition_hash import definition_hash
from dbt.adapters.ptvc.relation import mark_as_test
from dbt.adapters.ptvc.relation_configs import IndexChanges, IndexConfig, index_statement_is
from dbt.adapters.ptvc.source_body import closing_parenthesis, is_of_source


def test_index_names_follow_columns_cluster_and_relation() -> None:
    index = IndexConfig.parse({"columns": ["a", "b"]})
    names = {
        index.name("t", None),
        index.name("t", "h"),
        IndexConfig.parse({"columns": ["b", "a"]}).name("t", None),
        IndexConfig.parse({"columns": ["a", "b"], "cluster": "fast"}).name("t", None),
    }
    assert len(names) == 4
    assert all(name.startswith("t__dbtidx_") for name in names)
    assert len(index.name("x" * 63, None)) == 63


def test_a_default_index_is_on_all_columns() -> None:
    assert IndexConfig.parse({"default": True, "cluster": "fast"}) == IndexConfig((), "fast")
    assert IndexConfig.parse({"default": True, "columns": "a"}) == IndexConfig(("a",))


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        ("id", "mapping with `columns`"),
        ({}, "needs `columns`"),
        ({"columns": []}, "needs `columns`"),
        ({"columns": ["a"], "unique": True}, "does not enforce uniqueness"),
        ({"columns": ["a"], "kind": "x"}, "no option kind"),
        ({"columns": ["a"], "type": "gist"}, "no type 'gist'"),
    ],
)
def test_bad_indexes_are_refused(raw: Any, message: str) -> None:
    with pytest.raises(DbtRuntimeError, match=message):
        IndexConfig.parse(raw)


def test_index_changes() -> None:
    kept = IndexConfig(columns=("a",))
    gone = IndexConfig(columns=("b",))
    existing = [kept.name("t", "h"), gone.name("t", "h"), "made_by_hand"]
    changes = IndexChanges.between("t", "h", [{"columns": ["a"]}, {"columns": "c"}], existing)
    assert list(changes.create.values()) == [IndexConfig(columns=("c",))]
    assert changes.drop == (gone.name("t", "h"),)


def test_the_same_index_twice_is_one() -> None:
    changes = IndexChanges.between("t", None, [{"columns": ["a"]}, {"columns": ["a"]}], [])
    assert len(changes.create) == 1


@pytest.mark.parametrize(
    ("body", "rest"),
    [
        ("(a int, b text) from file 'x'", " from file 'x'"),
        ("\n-- (why)\n(a numeric(3, 1)) from file '('", " from file '('"),
        (
            "from load generator counter (tick interval '1s')",
            "from load generator counter (tick interval '1s')",
        ),
    ],
)
def test_columns_of_a_source(body: str, rest: str) -> None:
    assert body[closing_parenthesis(body) :] == rest


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("from source s.shop (reference orders)", True),
        ("\n-- a table\n/* of it */ FROM\n  Source shop (reference orders)", True),
        ("(id int) from source shop (reference orders)", True),
        ("from postgres connection c (publication 'p')", False),
        ("(id int) from file '/from source/x' format json", False),
        ("from sources", False),
    ],
)
def test_bodies_of_tables_of_sources(body: str, expected: bool) -> None:
    assert is_of_source(body) == expected


@pytest.mark.parametrize(
    ("statement", "same"),
    [
        ("CREATE INDEX i IN CLUSTER quickstart ON public.t (a, b)", True),
        ('create index "i" on "public"."t" ("a", "b")', True),
        ("CREATE INDEX i IN CLUSTER quickstart ON public.t (b, a)", False),
        ("CREATE INDEX i IN CLUSTER quickstart ON public.u (a, b)", False),
        (None, False),
    ],
)
def test_index_statements(statement: str | None, same: bool) -> None:
    assert index_statement_is(statement, '"public"."t"', ["a", '"b"'], None) is same


def test_index_statements_of_a_cluster() -> None:
    statement = "CREATE INDEX i IN CLUSTER fast ON public.t (a)"
    assert index_statement_is(statement, "public.t", ["a"], "fast")
    assert not index_statement_is(statement, "public.t", ["a"], "slow")


# -- what counts as another definition, and what does not --

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
