"""Look-ups in text: what is parameterized, and that a parameterized query answers as it does with its values in the text."""

from __future__ import annotations

import datetime
import re
import uuid
from collections import Counter
from collections.abc import Iterator

import pytest
from ptvc.errors import DataError, PtvcError
from ptvc.repr.types import BPCHAR, DATE, INT4, INT8, TEXT, TIMESTAMPTZ, Kind, ScalarType
from ptvc.sql.cache.auto_parameterization import Parameterized, is_parameterizable, parameterize
from ptvc.sql.cache.plan_cache import Asked, PlanCache
from ptvc.sql.parser.parse import parse
from ptvc.sql.plan import describe, plan
from ptvc.sql.plans.query_plans import Select

from ..fake_catalog import CONTEXT, TABLES
from ..test_queries_against_postgres import QUERIES
from .test_plan_cache import outcome

UUID = ScalarType(Kind.UUID)


@pytest.mark.parametrize(
    ("text", "parameterized", "written"),
    [
        ("SELECT * FROM t WHERE a = 17", "SELECT * FROM t WHERE a = $1", (17,)),
        (
            "select a from t where a=017 and\n c = 'it''s' ; ",
            "select a from t where a=$1 and\n c = $2",
            (17, "it's"),
        ),
        (
            "SELECT 'a = 1', \"b = 2\" FROM t WHERE a = 3",
            "SELECT 'a = 1', \"b = 2\" FROM t WHERE a = $1",
            (3,),
        ),
        ("SELECT * FROM t WHERE a = 5::int8 LIMIT 3", "SELECT * FROM t WHERE a = $1::int8 LIMIT 3", (5,)),
        ("SELECT date'2024-01-01' WHERE 'x;y' = 'a;b'", "SELECT date'2024-01-01' WHERE 'x;y' = $1", ("a;b",)),
    ],
)
def test_values_that_something_is_compared_with(
    text: str, parameterized: str, written: tuple[int | str, ...]
) -> None:
    assert parameterize(text) == Parameterized(parameterized, written)


@pytest.mark.parametrize(
    "text",
    [
        "SELECT a FROM t",
        "SELECT a FROM t WHERE a >= 1 OR a <= 2 OR a <> 3 OR a != 4",
        "SELECT a FROM t WHERE a = -1 OR a = 1.5 OR a = 1e3 OR a = .5 OR a = 0x1F OR a = 1_000",
        "SELECT a FROM t WHERE a = 1234567890123456789",
        "SELECT f(a => 1)",
        "SELECT a FROM t WHERE a = ANY('{1,2}')",
        "SELECT a FROM t WHERE c = 'a'\n'b'",
        "SELECT a FROM t WHERE c = E'a' AND a = 1",
        "SELECT a FROM t WHERE c = u&'a' AND a = 1",
        "SELECT a FROM t WHERE a = 1 -- AND b = 2",
        "SELECT a FROM t /* a = 1 */ WHERE a = 1",
        "SELECT $$ a = 1 $$",
        "SELECT a FROM t WHERE a = 1 AND c = $1",
        "SELECT a FROM t WHERE a = 1; DELETE FROM t",
        "DELETE FROM t WHERE a = 1",
        "SELECT a FROM t WHERE a = 1 AND c = '" + "x" * 1_000 + "'",
    ],
)
def test_what_is_not_parameterized(text: str) -> None:
    assert parameterize(text) is None


def test_integers_are_of_the_type_of_such_a_literal() -> None:
    parameterized = parameterize("select 1 where a = 2147483647 and b = 2147483648 and c = '1'")
    assert parameterized is not None
    assert parameterized.types == (INT4, INT8, None)


def test_strings_are_what_they_are_compared_with() -> None:
    key = "01234567-89ab-cdef-0123-456789abcdef"
    found = Parameterized("", ("x", key, "2024-02-29")).literals((TEXT, UUID, DATE))
    assert found is not None
    assert [literal.value for literal in found] == ["x", uuid.UUID(key).bytes, datetime.date(2024, 2, 29)]
    for type_ in (BPCHAR, TIMESTAMPTZ, INT4):
        assert Parameterized("", ("1",)).literals((type_,)) is None
    assert Parameterized("", ("infinity",)).literals((DATE,)) is None
    with pytest.raises(DataError):
        Parameterized("", ("nonsense",)).literals((UUID,))


def texts() -> Iterator[str]:
    """Queries whose values are parameterized: those of the comparison with PostgreSQL, and every column against what it may
    be compared with, and against what it may not."""
    for query in QUERIES:
        yield re.sub(r"(?<=\s)(?:<|>|<=|>=|<>)(?=\s*[\d'])", "=", query)
    for table, columns in TABLES.items():
        for name, _ in columns:
            for value in ("1", "5000000000", "'1'", "'true'", "'x '", "'2024-01-02'", "'é''é'"):
                yield f"SELECT * FROM {table} WHERE {name} = {value}"
                yield f"SELECT {name}, {name} = {value} AS x FROM {table} WHERE NOT {name} = {value} ORDER BY 1 LIMIT 3"
                yield f"SELECT {name} FROM {table} WHERE {name} = {value}::text::date OR {name} IS NULL"
                yield f"SELECT {name} + 1 FROM {table} WHERE coalesce({name}, {name} = {value}) = {value}"


def test_answers_as_with_the_values_in_the_text() -> None:
    cache, compared = PlanCache(), Counter[str]()
    for text in texts():
        parameterized = parameterize(text)
        if parameterized is None:
            continue
        try:
            (statement,) = parse(parameterized.text)
            types = describe(statement, CONTEXT, parameterized.types).parameter_types
            values = parameterized.literals(types)
        except (PtvcError, AssertionError):
            continue
        if values is None:
            continue
        asked = Asked(statement, CONTEXT, 1, types, False)
        found = outcome(lambda a=asked, v=values: cache.plan(a, v))  # type: ignore[misc]
        generic = cache.generic(asked)
        if generic is None or not is_parameterizable(generic.plan):
            continue
        (written,) = parse(text)
        assert found == outcome(lambda s=written: plan(s, CONTEXT)), text  # type: ignore[misc]
        compared += Counter(literal.type.kind.name for literal in values)
    assert compared.keys() == {"INT4", "INT8", "TEXT", "DATE"}
    assert min(compared.values()) >= 3, compared


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("select a + 1 from t where a = $1 order by c limit 2", True),
        ("select count(*) from t where a = $1", False),
        ("select d from u where e = 'x' or d = $1::bigint", True),
        ("select t.a from t, t as u where t.a = $1", False),
    ],
)
def test_look_ups_read_one_collection(sql: str, expected: bool) -> None:
    (statement,) = parse(sql)
    cache = PlanCache()
    asked = Asked(statement, CONTEXT, 1, (INT4,), False)
    values = Parameterized("", (1,)).literals((INT4,))
    assert values is not None
    assert isinstance(cache.plan(asked, values), Select)
    generic = cache.generic(asked)
    assert generic is not None
    assert is_parameterizable(generic.plan) == expected
