"""CREATE FUNCTION ... LANGUAGE javascript: its options, what of them is refused, and that a definition is kept as it was."""

from __future__ import annotations

import json

import pytest
from ptvc.errors import PtvcError
from ptvc.sql.plans.definition_plans import CreateFunction
from ptvc.sql.syntax.function_definition import ExternalOptions, FunctionDefinition, Volatility

from .fake_catalog import planned

SOURCE = "AS $$return x$$"


def definition(sql: str) -> FunctionDefinition:
    found = planned(sql)
    assert isinstance(found, CreateFunction)
    return found.definition


@pytest.mark.parametrize("name", ["javascript", "JavaScript", "js", "'javascript'"])
def test_options(name: str) -> None:
    found = definition(
        f"CREATE FUNCTION f(\"X\" float8, int DEFAULT 1) RETURNS float8 TIMEOUT = '2s' LANGUAGE {name} IMMUTABLE {SOURCE}"
    )
    assert (found.language, found.body, found.volatility) == ("javascript", "return x", Volatility.IMMUTABLE)
    assert found.external == ExternalOptions("javascript", timeout_ms=2000)
    assert found.parameters == ("X", "$2")


@pytest.mark.parametrize(
    ("statement", "sqlstate", "message"),
    [
        ("f(x int) RETURNS int LANGUAGE js", "42P13", "no function body specified"),
        ("f(x int) RETURNS int LANGUAGE js RETURN x", "42P13", "RETURN is of language"),
        (f"f(x int) RETURNS int LANGUAGE js HANDLER = 'a' {SOURCE}", "42P13", "HANDLER is of language"),
        (f"f(x int) RETURNS int LANGUAGE js PACKAGES = () {SOURCE}", "42P13", "PACKAGES is of language"),
        (
            f"f(x int) RETURNS int LANGUAGE js RUNTIME_VERSION = '1' {SOURCE}",
            "42P13",
            "RUNTIME_VERSION is of",
        ),
        (
            f"f(x numeric) RETURNS int LANGUAGE js {SOURCE}",
            "0A000",
            "in JavaScript .* arguments of type numeric",
        ),
        (f"f(x int) RETURNS date LANGUAGE js {SOURCE}", "0A000", "results of type date"),
        (f"f(x timestamptz[]) RETURNS int LANGUAGE js {SOURCE}", "0A000", "arguments of type"),
        (f"f(x bytea) RETURNS int LANGUAGE js {SOURCE}", "0A000", "arguments of type bytea"),
        (f"f(x int) RETURNS SETOF int LANGUAGE js {SOURCE}", "0A000", "return a set"),
    ],
)
def test_refusals(statement: str, sqlstate: str, message: str) -> None:
    with pytest.raises(PtvcError, match=message) as error:
        planned(f"CREATE FUNCTION {statement}")
    assert error.value.sqlstate == sqlstate


def test_an_aggregate_needs_an_argument() -> None:
    with pytest.raises(PtvcError, match="an aggregate in JavaScript needs an argument"):
        planned(f"CREATE AGGREGATE FUNCTION f() RETURNS int LANGUAGE js {SOURCE}")


def test_a_definition_is_kept() -> None:
    found = definition(f"CREATE FUNCTION f(x int[]) RETURNS jsonb LANGUAGE js TIMEOUT = '1s' STABLE {SOURCE}")
    assert FunctionDefinition.from_json(json.loads(json.dumps(found.to_json()))) == found


def test_definitions_of_before_there_was_javascript_are_read() -> None:
    found = definition("CREATE FUNCTION f(x int) RETURNS int LANGUAGE python AS 'def f(x): return x'")
    stored = found.to_json()
    stored["python"] = {key: value for key, value in stored.pop("external").items() if key != "language"}
    assert FunctionDefinition.from_json(stored) == found


def test_volatility_is_part_of_the_meaning() -> None:
    text = f"CREATE FUNCTION f(x int) RETURNS int LANGUAGE javascript {{}} {SOURCE}"
    assert not definition(text.format("IMMUTABLE")).means_the_same(definition(text.format("VOLATILE")))
