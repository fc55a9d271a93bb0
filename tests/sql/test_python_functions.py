"""CREATE FUNCTION ... LANGUAGE python: its options, what of them is refused, and that a definition is kept as it was."""

from __future__ import annotations

import json

import pytest
from ptvc.errors import PtvcError
from ptvc.sql.plans.definition_plans import CreateFunction
from ptvc.sql.syntax.function_definition import ExternalOptions, FunctionDefinition, FunctionKind, Volatility

from .fake_catalog import planned

SOURCE = "AS $$def f(x): return x$$"


def definition(sql: str) -> FunctionDefinition:
    found = planned(sql)
    assert isinstance(found, CreateFunction)
    return found.definition


def test_options_stand_in_any_order() -> None:
    found = definition(
        f"CREATE OR REPLACE FUNCTION f(x float8 DEFAULT 100) RETURNS float8 LANGUAGE PYTHON IMMUTABLE "
        f"RETURNS NULL ON NULL INPUT RUNTIME_VERSION = '3.11' PACKAGES = ('numpy', 'json') HANDLER = 'entry' TIMEOUT = '2min' {SOURCE}"
    )
    assert (found.language, found.body) == ("python", "def f(x): return x")
    assert (found.strict, found.volatility) == (True, Volatility.IMMUTABLE)
    assert found.external == ExternalOptions("python", "entry", "3.11", ("numpy", "json"), 120_000)
    assert definition(
        f"CREATE FUNCTION f(x int) RETURNS int {SOURCE} PACKAGES = () LANGUAGE 'python'"
    ).external == ExternalOptions("python")
    aggregate = definition(f"CREATE AGGREGATE FUNCTION f(x int) RETURNS int LANGUAGE python STRICT {SOURCE}")
    assert (aggregate.kind, aggregate.strict) == (FunctionKind.AGGREGATE, True)


@pytest.mark.parametrize(
    ("statement", "sqlstate", "message"),
    [
        ("f(x int) RETURNS int LANGUAGE python", "42P13", "no function body specified"),
        (f"f(x int) RETURNS int LANGUAGE plpython3u {SOURCE}", "0A000", "functions in language plpython3u"),
        ("f(x int) RETURNS int LANGUAGE python RETURN x", "42P13", "RETURN is of language"),
        (f"f(x int) RETURNS int LANGUAGE python HANDLER = 'a' HANDLER = 'b' {SOURCE}", "42601", "redundant"),
        (
            f"f(x int) RETURNS int LANGUAGE python TIMEOUT = '0s' {SOURCE}",
            "22023",
            "invalid value for TIMEOUT",
        ),
        (
            f"f(x int) RETURNS int LANGUAGE python TIMEOUT = 'long' {SOURCE}",
            "22023",
            "invalid value for TIMEOUT",
        ),
        (f"f(x int) RETURNS int LANGUAGE python PACKAGES = 'numpy' {SOURCE}", "42601", "syntax error"),
        (f"f(x int) RETURNS int LANGUAGE python TIMEOUT = 5 {SOURCE}", "42601", "syntax error"),
        ("f(x int) RETURNS int LANGUAGE sql HANDLER = 'f' AS 'SELECT x'", "42P13", "HANDLER is of language"),
        ("f(x int) RETURNS int LANGUAGE sql TIMEOUT = '1s' AS 'SELECT x'", "42P13", "TIMEOUT is of language"),
        (f"f(x interval) RETURNS int LANGUAGE python {SOURCE}", "0A000", "arguments of type interval"),
        (f"f(x int) RETURNS json LANGUAGE python {SOURCE}", "0A000", "results of type json"),
        (f"f(x int4range) RETURNS int LANGUAGE python {SOURCE}", "0A000", "arguments of type int4range"),
        (f"f(x int list) RETURNS int LANGUAGE python {SOURCE}", "0A000", "arguments of type integer list"),
        (f"f(x oid[]) RETURNS int LANGUAGE python {SOURCE}", "0A000", r"arguments of type oid\[\]"),
        (f"upper(x text) RETURNS text LANGUAGE python {SOURCE}", "0A000", "is one of the system's"),
        (f"f(x int) RETURNS SETOF int LANGUAGE python {SOURCE}", "0A000", "return a set"),
    ],
)
def test_refusals(statement: str, sqlstate: str, message: str) -> None:
    with pytest.raises(PtvcError, match=message) as error:
        planned(f"CREATE FUNCTION {statement}")
    assert error.value.sqlstate == sqlstate


def test_an_aggregate_needs_an_argument() -> None:
    with pytest.raises(PtvcError, match="needs an argument"):
        planned(f"CREATE AGGREGATE FUNCTION f() RETURNS int LANGUAGE python {SOURCE}")


def test_a_definition_is_kept() -> None:
    found = definition(
        f"CREATE FUNCTION f(x numeric(10, 2)[]) RETURNS jsonb LANGUAGE python STABLE PACKAGES = ('numpy') {SOURCE}"
    )
    assert FunctionDefinition.from_json(json.loads(json.dumps(found.to_json()))) == found
    in_sql = definition("CREATE FUNCTION f(x int) RETURNS int LANGUAGE sql AS 'SELECT x'")
    assert "external" not in in_sql.to_json()


def test_volatility_is_part_of_the_meaning() -> None:
    """Of Python only: views over it were allowed on that ground."""

    def both(language: str, body: str) -> tuple[FunctionDefinition, FunctionDefinition]:
        text = f"CREATE FUNCTION f(x int) RETURNS int LANGUAGE {language} {{}} AS '{body}'"
        return definition(text.format("IMMUTABLE")), definition(text.format("VOLATILE"))

    immutable, volatile = both("python", "def f(x): return x")
    assert not immutable.means_the_same(volatile)
    immutable, volatile = both("sql", "SELECT x")
    assert immutable.means_the_same(volatile)
