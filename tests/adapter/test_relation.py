from __future__ import annotations

import pytest
from dbt_common.exceptions import DbtRuntimeError
from ptvc.stored_tests import StoredTest

from dbt.adapters.ptvc.column import PtvcColumn
from dbt.adapters.ptvc.dependencies import transitive_dependents
from dbt.adapters.ptvc.relation import (
    PtvcRelation,
    PtvcRelationType,
    hash_in,
    mark,
    mark_as_test,
    marker,
    parse_kind,
    shorten,
)
from dbt.adapters.ptvc.single_relation import named_relation, reads_one_ref

HASH = "0123456789abcdef" * 4


def relation(name: str, kind: str = "view") -> PtvcRelation:
    return PtvcRelation.create(database="ptvc", schema="public", identifier=name, type=kind)  # type: ignore[arg-type]


def test_renders_without_the_database() -> None:
    assert relation("a").render() == '"public"."a"'


@pytest.mark.parametrize(
    ("word", "kind"),
    [
        ("materialized-view", PtvcRelationType.MaterializedView),
        ("MATERIALIZED VIEW", PtvcRelationType.MaterializedView),
        ("sink", PtvcRelationType.Sink),
        ("secret", PtvcRelationType.External),
    ],
)
def test_kinds(word: str, kind: PtvcRelationType) -> None:
    assert parse_kind(word) is kind


def test_kind_in_statements() -> None:
    view = relation("a", "materialized_view")
    assert view.is_materialized_view
    assert not view.is_view
    assert view.sql_kind == "materialized view"
    assert relation("a", "index").is_index


def test_names_that_do_not_fit_are_refused() -> None:
    assert relation("x" * 63).identifier == "x" * 63
    with pytest.raises(DbtRuntimeError, match="shorter `alias`"):
        relation("x" * 64)


def test_shorten_counts_bytes() -> None:
    assert shorten("short", "__tmp") == "short__tmp"
    assert len(shorten("x" * 63, "__tmp")) == 63
    assert len(shorten("é" * 40, "__tmp").encode()) <= 63


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("select 1", f"select {marker(HASH)} 1"),
        ("-- why\nselect 1", f"-- why\nselect {marker(HASH)} 1"),
        (
            "\n/* a */ with x as (select 1) select 2",
            f"\n/* a */ with {marker(HASH)} x as (select 1) select 2",
        ),
        ("(select 1)", f"( {marker(HASH)}select 1)"),
        ("values (1)", f"values {marker(HASH)} (1)"),
    ],
)
def test_the_hash_is_inside_the_query(sql: str, expected: str) -> None:
    assert mark(sql, HASH) == expected
    assert hash_in(mark(sql, HASH)) == HASH


def test_what_a_test_is_stays_in_its_comment() -> None:
    said = {"name": 'a */ "b" /* c', "models": ["m"], "severity": "warn", "fail_calc": "count(*)"}
    sql = mark(mark_as_test("select 1", {**said, "warn_if": "!= 0", "error_if": "!= 0"}), HASH)
    assert sql.count("*") == 4
    found = StoredTest.parse(7, "s", "r", sql)
    assert found == StoredTest(7, "s", "r", said["name"], ("m",), "warn", "count(*)", "!= 0", "!= 0")
    assert StoredTest.parse(7, "s", "r", mark("select 1", HASH)) is None


def test_no_hash() -> None:
    assert hash_in(None) is None
    assert hash_in("select 1 /* dbt:hash=abc */") is None


def test_transitive_dependents_nearest_first() -> None:
    edges = [(relation("c"), relation("b")), (relation("b"), relation("a")), (relation("d"), relation("x"))]
    assert [item.identifier for item in transitive_dependents(relation("a"), edges)] == ["b", "c"]
    assert transitive_dependents(relation("c"), edges) == []


@pytest.mark.parametrize(
    "body",
    [
        "select * from {{ ref('a') }}",
        "{{ config(materialized='index', columns=['x']) }}\nSELECT *\nFROM {{ ref('a') }};",
        "{# why #}\n{{ ref('p', 'a') }}",
        "{{ config(meta={'k': 1}) }} -- why\nselect * from {{ source('s', 't') }}",
    ],
)
def test_bodies_that_read_one_ref(body: str) -> None:
    assert reads_one_ref(body)


@pytest.mark.parametrize(
    "body",
    [
        "select a from {{ ref('a') }}",
        "select * from {{ ref('a') }} where x > 1",
        "from {{ ref('a') }} into file 'x'",
    ],
)
def test_bodies_that_do_more(body: str) -> None:
    assert not reads_one_ref(body)


def test_named_relation() -> None:
    assert named_relation('select * from "public"."a" -- all\n') == '"public"."a"'
    assert named_relation("public.a;") == "public.a"
    assert named_relation("select * from a where x") is None
    assert named_relation("from a into file 'x' format json") is None


@pytest.mark.parametrize(
    ("column", "expected"),
    [
        (PtvcColumn("a", "text"), "text"),
        (PtvcColumn("a", "character varying"), "character varying"),
        (PtvcColumn("a", "character varying", 10), "character varying(10)"),
        (PtvcColumn("a", "numeric", None, 10, 2), "numeric(10,2)"),
        (PtvcColumn("a", "numeric"), "numeric"),
        (PtvcColumn("a", "timestamp without time zone"), "timestamp without time zone"),
    ],
)
def test_column_types(column: PtvcColumn, expected: str) -> None:
    assert column.data_type == expected


def test_only_limited_texts_expand() -> None:
    short, long, text = PtvcColumn("a", "varchar", 5), PtvcColumn("a", "varchar", 9), PtvcColumn("a", "text")
    assert short.can_expand_to(long)
    assert not long.can_expand_to(short)
    assert not text.can_expand_to(long)
