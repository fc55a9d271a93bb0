"""Cached plans: the same rows and errors as planning anew, for every query and for parameters in place of its literals."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest
from ptvc.errors import PtvcError
from ptvc.expr.tree.relation import Constant, Filter, Relation
from ptvc.expr.tree.relation_tree import scalars_of, walk
from ptvc.expr.tree.scalar import Literal
from ptvc.pgwire.types import parse_one
from ptvc.repr.batch import batch_from_rows
from ptvc.repr.types import BOOL, INT4, TEXT, ScalarType
from ptvc.sql.cache.plan_cache import Asked, PlanCache
from ptvc.sql.catalog.catalog_view import PlanContext
from ptvc.sql.parser.parse import Statement, parse
from ptvc.sql.plan import describe, plan
from ptvc.sql.plans.data_plans import Insert
from ptvc.sql.plans.plans import PlannedStatement
from ptvc.sql.plans.query_plans import Select
from ptvc.sql.plans.session_plans import Begin
from ptvc.transform.bind_parameters import has_parameter

from ..fake_catalog import CATALOG, CONTEXT
from ..test_queries_against_postgres import QUERIES, finish, random_tables

LITERAL = re.compile(r"'(?:[^']|'')*'|(?<![\w.$'])\d+(?![\w.'])")
OTHER_VALUES = ("2", None)


def cached(
    cache: PlanCache,
    statement: Statement,
    parameters: tuple[Literal, ...] = (),
    context: PlanContext = CONTEXT,
    version: int = 1,
    own_names: bool = False,
) -> PlannedStatement:
    types = tuple(parameter.type for parameter in parameters)
    return cache.plan(Asked(statement, context, version, types, own_names), parameters)


def inputs_of(seed: int) -> dict[str, Any]:
    inputs = {}
    for name, rows in random_tables(seed).items():
        item = CATALOG.item("public", name)
        assert item is not None
        inputs[item.id] = batch_from_rows(item.schema, rows, 1)
    return inputs


INPUTS = inputs_of(7)


def outcome(make: Any) -> Any:
    """Rows, or the error; rows of equal value are equal."""
    try:
        planned = make()
        if not isinstance(planned, Select):
            return planned
        assert not any(has_parameter(s) for node in walk(planned.relation) for s in scalars_of(node))
        rows = finish(planned, planned.relation, INPUTS)
    except PtvcError as error:
        return error.sqlstate, error.message, error.position
    except AssertionError as error:  # of `finish`: the query's own errors; which of several is not defined
        if not str(error).startswith("["):
            raise
        return "an error of the rows"
    return planned.schema.names, planned.schema.types, Counter(tuple(map(plain, row)) for row in rows)


def plain(value: Any) -> Any:
    if isinstance(value, list):
        return tuple(map(plain, value))
    return value.normalize() + 0 if isinstance(value, Decimal) else value


def with_parameters(query: str) -> tuple[str, list[str]]:
    """The query with `$1`, `$2`, ... for its literals, and these."""
    literals: list[str] = []

    def replaced(match: re.Match[str]) -> str:
        literals.append(match[0].strip("'").replace("''", "'"))
        return f"${len(literals)}"

    return LITERAL.sub(replaced, query), literals


def values(types: tuple[ScalarType, ...], texts: list[str | None]) -> tuple[Literal, ...] | None:
    """As a client would send them; None when one makes no sense for its type."""
    try:
        return tuple(
            Literal(None if text is None else parse_one(text, type_), type_)
            for text, type_ in zip(texts, types, strict=True)
        )
    except PtvcError:
        return None


@pytest.mark.parametrize("query", QUERIES, ids=lambda q: re.sub(r"\W+", "_", q)[:60])
@pytest.mark.slow(ordinary=150)
def test_a_cached_plan_says_what_a_new_one_says(query: str) -> None:
    cache = PlanCache()
    (statement,) = parse(query)
    wanted = plan(statement, CONTEXT)
    for _ in range(2):
        assert cached(cache, statement) == wanted
    assert cache.hits == 1

    text, literals = with_parameters(query)
    try:
        (statement,) = parse(text)
        types = describe(statement, CONTEXT, [None] * len(literals)).parameter_types
    except (PtvcError, AssertionError):
        return  # no place for a parameter, or none whose type is found
    other = OTHER_VALUES[len(query) % 2]
    for texts in (literals, [other] * len(literals)):
        parameters = values(types, list(texts))
        if parameters is not None:
            wanted = outcome(lambda p=parameters: plan(statement, CONTEXT, p))  # type: ignore[misc]
            assert outcome(lambda p=parameters: cached(cache, statement, p)) == wanted, texts  # type: ignore[misc]


def test_most_queries_are_planned_once_for_all_values() -> None:
    """Else the test above would compare little."""
    cache, tried = PlanCache(), 0
    for query in QUERIES[::5]:
        text, literals = with_parameters(query)
        if not literals:
            continue
        try:
            (statement,) = parse(text)
            types = describe(statement, CONTEXT, [None] * len(literals)).parameter_types
        except (PtvcError, AssertionError):
            continue
        parameters = values(types, list(literals))
        if parameters is None or isinstance(
            outcome(lambda s=statement, p=parameters: plan(s, CONTEXT, p)), str
        ):  # type: ignore[misc]
            continue
        tried += 1
        for _ in range(2):
            outcome(lambda s=statement, p=parameters: cached(cache, s, p))  # type: ignore[misc]
    assert cache.hits > tried * 0.6 > 10


def relation(planned: PlannedStatement) -> Relation:
    assert isinstance(planned, Select | Insert)
    return planned.relation


def one(sql: str) -> Statement:
    (statement,) = parse(sql)
    return statement


@pytest.mark.parametrize(
    "sql",
    [
        "select now()",
        "select a from t where current_timestamp > '2024-01-01'",
        "select current_date",
        "select txid_current()",
        "select pg_backend_pid()",
        "select current_setting('server_version')",
        "insert into t (c) values (now()::text)",
    ],
)
def test_what_depends_on_the_moment_or_on_settings_is_planned_each_time(sql: str) -> None:
    cache, statement = PlanCache(), one(sql)
    later = replace(
        CONTEXT,
        now_us=CONTEXT.now_us + 86_400_000_000,
        settings={"server_version": "17.0"},
        pid=9,
    )
    for context in (CONTEXT, later, CONTEXT):
        assert cached(cache, statement, context=context) == plan(statement, context)
    assert relation(plan(statement, later)) != relation(plan(statement, CONTEXT)) or "where" in sql
    assert cache.hits == 0


@pytest.mark.parametrize(
    ("sql", "other"),
    [
        ("select current_user", replace(CONTEXT, user="somebody")),
        ("select current_schema", replace(CONTEXT, search_path=("other", "public"))),
        ("select current_schemas(false)", replace(CONTEXT, search_path=("other", "public"))),
        ("select * from strict", replace(CONTEXT, search_path=("other",))),
    ],
)
def test_what_depends_on_the_session_is_kept_by_session(sql: str, other: PlanContext) -> None:
    cache, statement = PlanCache(), one(sql)
    for context in (CONTEXT, other, CONTEXT, other):
        mine = outcome(lambda c=context: cached(cache, statement, context=c))  # type: ignore[misc]
        assert mine == outcome(lambda c=context: plan(statement, c))  # type: ignore[misc]


def test_a_change_of_the_catalog_forgets_every_plan() -> None:
    cache, statement = PlanCache(), one("select a from t")
    for version, hits in ((1, 0), (1, 1), (2, 1), (2, 2), (1, 2)):
        cached(cache, statement, version=version)
        assert cache.hits == hits


def test_sessions_with_objects_of_their_own_have_plans_of_their_own() -> None:
    cache, statement = PlanCache(), one("select a from t")
    other = replace(CONTEXT, temp_schema="pg_temp_2")
    for context, own, hits in ((CONTEXT, False, 0), (other, False, 1), (other, True, 1), (CONTEXT, True, 1)):
        cached(cache, statement, context=context, own_names=own)
        assert cache.hits == hits


def test_the_types_of_parameters_are_part_of_the_key() -> None:
    cache, statement = PlanCache(), one("select $1 + 1 as x")
    for literal in (Literal(1, INT4), Literal(2, ScalarType(INT4.kind)), Literal("1", TEXT)):
        wanted = outcome(lambda p=literal: plan(statement, CONTEXT, (p,)))  # type: ignore[misc]
        assert outcome(lambda p=literal: cached(cache, statement, (p,))) == wanted  # type: ignore[misc]


def test_values_that_decide_a_filter_let_the_rules_run_again() -> None:
    cache = PlanCache()
    statement = one("select a from t where $1::text is null or c = $1")
    every = relation(cached(cache, statement, (Literal(None, TEXT),)))
    assert not any(isinstance(node, Filter) for node in walk(every))
    some = relation(cached(cache, statement, (Literal("x", TEXT),)))
    assert some == relation(plan(statement, CONTEXT, (Literal("x", TEXT),)))
    none = relation(cached(cache, one("select a from t where $1"), (Literal(False, BOOL),)))
    assert isinstance(none, Constant)
    assert cache.hits == 1


def test_a_row_of_parameters_is_a_constant() -> None:
    cache, statement = PlanCache(), one("insert into t values ($1, $2 + 1, $3)")
    for number in (1, 2):
        planned = relation(
            cached(cache, statement, (Literal(number, INT4), Literal(4, INT4), Literal("x", TEXT)))
        )
        assert isinstance(planned, Constant)
        assert planned.rows == ((number, 5, "x"),)
    assert cache.hits == 1


@pytest.mark.parametrize(
    "sql", ["select a from t order by a limit $1", "insert into t (a) values ($1), ($2), (3)"]
)
def test_what_needs_the_values_is_planned_with_them(sql: str) -> None:
    cache, statement = PlanCache(), one(sql)
    for number in (1, 2):
        parameters = (Literal(number, INT4), Literal(7, INT4))
        assert cached(cache, statement, parameters) == plan(statement, CONTEXT, parameters)
    assert cache.hits == 0


def test_errors_are_not_kept() -> None:
    cache, statement = PlanCache(), one("select nothing from t")
    for _ in range(2):
        with pytest.raises(PtvcError, match="nothing"):
            cached(cache, statement)
    with pytest.raises(PtvcError, match="there is no parameter"):
        cached(cache, one("select $2"), (Literal(1, INT4),))


def test_shapes_are_kept_by_the_types_that_the_client_declares() -> None:
    cache, statement = PlanCache(), one("select $1 as x")
    for declared in (None, INT4, None, INT4):
        prepared = cache.describe(Asked(statement, CONTEXT, 1, (declared,), False))
        assert prepared == describe(statement, CONTEXT, [declared])


def test_definitions_and_statements_about_plans_are_not_kept() -> None:
    cache = PlanCache()
    for sql in (
        "create view x as select a from t",
        "explain select a from t",
        "show search_path",
        "show tables",
    ):
        for _ in range(2):
            cached(cache, one(sql))
    assert cache.hits == 0
    for _ in range(2):
        assert isinstance(cached(cache, one("begin")), Begin)
    assert cache.hits == 1


def test_the_plans_used_last_stay() -> None:
    cache = PlanCache(entries=3)
    first = one("select a from t where a = 0")
    for number in range(9):
        cached(cache, one(f"select a from t where a = {number}"))
        cached(cache, first)
    assert cache.hits == 9
    assert len(cache._plans) == 3


def test_plans_are_dropped_by_their_weight_and_long_statements_not_kept() -> None:
    cache = PlanCache(weight=40_000)
    for number in range(9):
        cached(cache, one(f"select a from t where a = {number}"))
    assert 0 < len(cache._plans) < 9
    text = f"select a from t where c = '{'x' * 70_000}'"
    cache = PlanCache()
    for _ in range(2):
        cached(cache, cache.parse(text)[0])
    assert cache.hits == len(cache._plans) == len(cache._statements) == 0
