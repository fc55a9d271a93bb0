"""CREATE TYPE: what it means, what is refused, and what a name stands for in a statement."""

from __future__ import annotations

import pytest
from ptvc.errors import PtvcError
from ptvc.repr.schema import Column, Schema
from ptvc.repr.types import INT4, Kind, ScalarType
from ptvc.sql.catalog.catalog_view import ItemKind
from ptvc.sql.plans.definition_plans import CreateTable, CreateType, CreateView
from ptvc.sql.plans.query_plans import Select

from .fake_catalog import context_of, fake_catalog, planned

INTS = ScalarType(Kind.LIST, element=INT4)
CATALOG = fake_catalog()
ID = CATALOG.add("public", "ints", ItemKind.TYPE, Schema((Column("", INTS),)))
CATALOG.add("other", "t", ItemKind.TYPE, Schema((Column("", ScalarType(Kind.MAP, element=INTS)),)))
CONTEXT = context_of(CATALOG)


def refusal(sql: str) -> PtvcError:
    with pytest.raises(PtvcError) as raised:
        planned(sql, CONTEXT)
    return raised.value


@pytest.mark.parametrize(
    ("sql", "name", "type_"),
    [
        ("CREATE TYPE a AS LIST (ELEMENT TYPE = int4)", "public.a", "integer list"),
        ("CREATE TYPE a AS LIST (ELEMENT TYPE ints list)", "public.a", "integer list list list"),
        (
            "create type other.a as map (value type = ints, key type = pg_catalog.text)",
            "other.a",
            "map[text=>integer list]",
        ),
        ('CREATE TYPE "A b" AS LIST (ELEMENT TYPE = other.t)', "public.A b", "map[text=>integer list] list"),
    ],
)
def test_what_is_created(sql: str, name: str, type_: str) -> None:
    found = planned(sql, CONTEXT)
    assert isinstance(found, CreateType)
    assert (str(found.name), str(found.type)) == (name, type_)


@pytest.mark.parametrize(
    ("sql", "sqlstate", "message"),
    [
        ("CREATE TYPE a AS ENUM ('x')", "0A000", "CREATE TYPE ... AS ENUM is not supported"),
        ("CREATE TYPE a AS (x int)", "0A000", "CREATE TYPE ... AS (...) is not supported"),
        ("CREATE TYPE a AS RANGE (SUBTYPE = int)", "0A000", "CREATE TYPE ... AS RANGE is not supported"),
        ("CREATE TYPE a", "0A000", "CREATE TYPE ... without AS is not supported"),
        ("CREATE TYPE a AS LIST (ELEMENT TYPE = int[])", "0A000", "lists of integer[] are not supported"),
        ("CREATE TYPE a AS LIST (ELEMENT TYPE = a)", "42704", 'type "a" does not exist'),
        ("CREATE TYPE a AS MAP (VALUE TYPE = int)", "42601", "KEY TYPE must be specified"),
        ("CREATE TYPE pg_temp.a AS LIST (ELEMENT TYPE = int)", "0A000", "temporary types are not supported"),
        ("CREATE TYPE a AS SET (ELEMENT TYPE = int)", "42601", 'syntax error at or near "SET"'),
        ("SELECT '{}'::ints[]", "0A000", "arrays of integer list are not supported"),
        ("SELECT '{}'::ints(3)", "42601", 'type modifier is not allowed for type "ints"'),
        ("SELECT '{}'::t", "42704", 'type "t" does not exist'),
        ("SELECT '{}'::public.int4", "42704", 'type "public.int4" does not exist'),
        ("DROP TYPE a", "42704", 'type "a" does not exist'),
        ("DROP VIEW ints", "42P01", 'view "ints" does not exist'),
        ("ALTER TYPE ints ADD VALUE 'x'", "0A000", "ALTER TYPE ... ADD is not supported yet"),
        ("ALTER TYPE ints SWAP WITH ints", "0A000", "ALTER TYPE ... SWAP is not supported yet"),
        (
            "DROP TYPE int4",
            "2BP01",
            "type int4 cannot be changed because it is required by the database system",
        ),
        (
            "CREATE TABLE x (a ints CHECK (a <> '{}'::ints))",
            "0A000",
            "types that were created are not supported in check constraints",
        ),
    ],
)
def test_what_is_refused(sql: str, sqlstate: str, message: str) -> None:
    error = refusal(sql)
    assert (error.sqlstate, str(error)) == (sqlstate, message)


def test_a_name_is_what_it_stands_for() -> None:
    named = planned("SELECT '{1}'::ints AS a, '{x=>{2}}'::other.t AS b, '{}'::map[text=>ints] AS c", CONTEXT)
    spelled = planned(
        "SELECT '{1}'::integer list AS a, '{x=>{2}}'::map[text=>integer list] AS b, '{}'::map[text=>integer list] AS c",
        CONTEXT,
    )
    assert isinstance(named, Select)
    assert isinstance(spelled, Select)
    assert (named.relation, named.schema) == (spelled.relation, spelled.schema)


def test_what_a_definition_keeps() -> None:
    table = planned("CREATE TABLE x (a ints DEFAULT '{1}'::ints)", CONTEXT)
    assert isinstance(table, CreateTable)
    assert table.schema.types == (INTS,)
    view = planned("CREATE VIEW x AS SELECT '{1}'::ints AS a", CONTEXT)
    assert isinstance(view, CreateView)
    assert (view.uses, view.schema.types) == (frozenset({ID}), (INTS,))
