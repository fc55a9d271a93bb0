from __future__ import annotations

from typing import Any

import pytest
from dbt_common.exceptions import DbtRuntimeError

from dbt.adapters.ptvc.relation_configs import IndexChanges, IndexConfig, index_statement_is
from dbt.adapters.ptvc.source_body import closing_parenthesis


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
