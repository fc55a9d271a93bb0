"""Operators of jsonb over columns of random documents, against PostgreSQL; parsing of columns; the order of documents."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from random import Random

import psycopg
import pyarrow as pa
import pytest
from ptvc.errors import UndefinedFunction
from ptvc.expr.evaluate import evaluate
from ptvc.expr.jsonb import columns
from ptvc.expr.jsonb.canonical import canonical
from ptvc.expr.jsonb.document import ABSENT
from ptvc.expr.registry import resolve_call
from ptvc.expr.text.text_format import from_text
from ptvc.expr.tree.scalar import Cast, ColumnRef, Literal, Scalar
from ptvc.repr.types import BOOL, FLOAT8, INT4, INT8, JSONB, TEXT, ScalarType, array_of
from support import check, column, product

KEYS = ("a", "b", "aa", "", "é", "z")
NUMBERS = ("0", "-0", "1", "1.0", "1.50", "-2.5", "1e2", "1E-3", "12345678901234567890.5", "-7", "0.000")
STRINGS = ("", "a", "b", "é", 'quo"te', "line\n", "\u0001", "1", "null")


def document(rng: Random, depth: int = 3) -> str:
    """A random JSON text, spaces and repeated keys included."""
    choice = rng.random()
    if depth and choice < 0.3:
        return "[" + ", ".join(document(rng, depth - 1) for _ in range(rng.randrange(4))) + "]"
    if depth and choice < 0.65:
        pairs = (
            f"{json.dumps(rng.choice(KEYS), ensure_ascii=rng.random() < 0.5)} :{document(rng, depth - 1)}"
            for _ in range(rng.randrange(5))
        )
        return "{" + ",\n".join(pairs) + "}"
    if choice < 0.8:
        return rng.choice(NUMBERS)
    if choice < 0.92:
        return json.dumps(rng.choice(STRINGS), ensure_ascii=rng.random() < 0.5)
    return rng.choice(("null", "true", "false"))


def documents(seed: int, count: int = 120) -> list[str | None]:
    rng = Random(seed)
    return [None, *(document(rng) for _ in range(count))]


def call(name: str, *literals: Scalar) -> Callable[..., Scalar]:
    return lambda *args: resolve_call(name, (*args, *literals))


def text(value: str) -> Literal:
    return Literal(value, TEXT)


def path(*elements: str) -> Literal:
    return Literal(list(elements), array_of(TEXT))


ONE: tuple[tuple[str, Callable[..., Scalar]], ...] = (
    ("c0::text", lambda d: Cast(d, TEXT)),
    ("c0 -> 'a'", call("jsonb get", text("a"))),
    ("c0 -> 'a' -> 'b'", lambda d: resolve_call("jsonb get", (resolve_call("jsonb get", (d, text("a"))), text("b")))),
    ("c0 -> 'a' ->> 0", lambda d: resolve_call("jsonb get text", (resolve_call("jsonb get", (d, text("a"))), Literal(0, INT4)))),
    ("c0 -> -1", call("jsonb get", Literal(-1, INT4))),
    ("c0 ->> 'a'", call("jsonb get text", text("a"))),
    ("c0 #> '{a,0,b}'", call("jsonb at path", path("a", "0", "b"))),
    ("c0 #>> '{1,-1}'", call("jsonb at path text", path("1", "-1"))),
    ("c0 @> '{\"a\": 1}'", call("jsonb_contains", Literal('{"a": 1}', JSONB))),
    ("c0 <@ '[1, \"a\", {\"a\": []}]'", call("jsonb_contained", Literal('[1, "a", {"a": []}]', JSONB))),
    ("c0 ? 'a'", call("jsonb_exists", text("a"))),
    ("c0 ?| '{b,aa}'", call("jsonb_exists_any", path("b", "aa"))),
    ("c0 ?& '{a,b}'", call("jsonb_exists_all", path("a", "b"))),
    ("c0 - 'a'", call("subtract", text("a"))),
    ("c0 - 0", call("subtract", Literal(0, INT4))),
    ("c0 - '{a,b}'::text[]", call("subtract", path("a", "b"))),
    ("c0 #- '{a,0}'", call("jsonb_delete_path", path("a", "0"))),
    ("jsonb_set(c0, '{a,-1}', '[]')", call("jsonb_set", path("a", "-1"), Literal("[]", JSONB))),
    ("jsonb_set(c0, '{1,b}', '2', false)", call("jsonb_set", path("1", "b"), Literal("2", JSONB), Literal(False, BOOL))),
    ("jsonb_insert(c0, '{a,1}', '2')", call("jsonb_insert", path("a", "1"), Literal("2", JSONB))),
    ("jsonb_strip_nulls(c0)", call("jsonb_strip_nulls")),
    ("jsonb_pretty(c0)", call("jsonb_pretty")),
    ("jsonb_typeof(c0)", call("jsonb_typeof")),
    ("jsonb_array_length(c0)", call("jsonb_array_length")),
    ("c0::int", lambda d: Cast(d, INT4)),
    ("c0::bigint", lambda d: Cast(d, INT8)),
    ("c0::float8", lambda d: Cast(d, FLOAT8)),
    ("c0::bool", lambda d: Cast(d, BOOL)),
    ("to_jsonb(c0)", call("to_jsonb")),
    ("jsonb_build_array(c0, 1)", call("jsonb_build_array", Literal(1, INT4))),
)  # fmt: skip


@pytest.mark.parametrize(("expression", "build"), ONE, ids=[expression for expression, _ in ONE])
def test_operators_of_one_document(
    oracle: psycopg.Connection, expression: str, build: Callable[..., Scalar]
) -> None:
    check(oracle, expression, build, (JSONB,), product(documents(1)))


PATHS = (
    "$.a", "$.*", "$[*]", "$.a[*] ? (@ > 1)", "$.** ? (@ == 1)", "$.a.size()", "$.**.type()", "strict $.a", "strict $[0]",
    "$.a + 1", "$ ? (@.a == @.b)", "$[*] ? (exists(@.a))", "strict $.*.a", "$[last]", "-$.a", "$.a < $.b", "$.**{1} ? (@ < \"b\")",
)  # fmt: skip


@pytest.mark.parametrize("written", PATHS)
def test_paths(oracle: psycopg.Connection, written: str) -> None:
    def build(name: str) -> Callable[..., Scalar]:
        return lambda d: resolve_call(name, (d, text(written)), (False, True))

    rows = product(documents(2))
    check(oracle, f"jsonb_path_query_array(c0, '{written}')", build("jsonb_path_query_array"), (JSONB,), rows)
    check(oracle, f"c0 @? '{written}'", build("jsonb_path_exists_opr"), (JSONB,), rows)
    check(oracle, f"c0 @@ '{written}'", build("jsonb_path_match_opr"), (JSONB,), rows)


TWO = (
    ("c0 = c1", "eq"), ("c0 <> c1", "ne"), ("c0 < c1", "lt"), ("c0 >= c1", "ge"), ("c0 @> c1", "jsonb_contains"),
    ("c0 || c1", "concat_op"), ("c0 IS DISTINCT FROM c1", "is_distinct_from"), ("greatest(c0, c1)", "greatest"),
    ("nullif(c0, c1)", "nullif"), ("jsonb_build_object('b', c0, 'a', c1)", "build"),
)  # fmt: skip


@pytest.mark.parametrize(("expression", "name"), TWO, ids=[name for _, name in TWO])
def test_operators_of_two_documents(oracle: psycopg.Connection, expression: str, name: str) -> None:
    rng = Random(3)
    some = documents(4, 40)
    rows = [(rng.choice(some), rng.choice(some)) for _ in range(400)] + [(d, d) for d in some]
    build: Callable[..., Scalar] = partial(_pair, name)
    check(oracle, expression, build, (JSONB, JSONB), rows)


def _pair(name: str, left: Scalar, right: Scalar) -> Scalar:
    if name == "build":
        return resolve_call("jsonb_build_object", (text("b"), left, text("a"), right))
    return resolve_call(name, (left, right))


BROKEN = (
    "", " ", "{", "}", "[1,]", "[,1]", '{"a"}', '{"a":}', "{a:1}", "01", "1.", ".5", "+1", "1e", "NaN", "Infinity", "-",
    "'a'", '"a', '"\\x"', '"\\u12"', '"\\ud800"', '"\\udc00\\ud800"', '"\\u0000"', '{"\\u0000":1}', "tru", "nullx",
    "1 2", "[1] x", '"tab\t"', "\ufeff1", "1e140000", "-1e-17000", "\u00a01", '{"a":1,}', "// 1\n1", "1e131071 ",
)  # fmt: skip


def test_input(oracle: psycopg.Connection) -> None:
    check(
        oracle,
        "md5((c0::jsonb)::text)",
        lambda t: resolve_call("md5", (Cast(Cast(t, JSONB), TEXT),)),
        (TEXT,),
        product(BROKEN),
    )


AGAIN = (
    '{"a": 1e999999, "a": 1}', '{"a": -1e-17000, "a": 1}', '{"a": 1e131072, "b": 2, "a": null}', '{"a": 1e131071, "a": 1}',
    '{"a": {"b": [1, {"c": 1e999999}]}, "a": 1}', '[{"a": [1e-16384], "a": []}]', '{"a": 1e99999999999999999999, "a": 1}',
    '{"a": %s, "a": 1}' % ("9" * 131073), '{"a": %s, "a": 1}' % ("9" * 131072), '{"a": 0.%s, "a": 1}' % ("0" * 16384),
    '{"a": 0.%s1, "a": 1}' % ("0" * 16382), '{"a": "\\u0000", "a": 1}', '{"a": {"\\u0000": 1}, "a": 1}', '{"a": ["\\ud800"], "a": 1}',
    '{"a": "\\ud83d\\ude00", "a": 1}', '{"a": 1e999999, "a": }', '{"a": "\\\\u0000", "a": 1}',
)  # fmt: skip
"""A key that comes again, and a value before that PostgreSQL reads all the same."""


def test_what_a_later_value_replaces_is_read(oracle: psycopg.Connection) -> None:
    def build(c: Scalar) -> Scalar:
        return resolve_call("md5", (Cast(Cast(c, JSONB), TEXT),))

    check(oracle, "md5((c0::jsonb)::text)", build, (TEXT,), product(AGAIN))


def test_a_row_does_not_depend_on_its_batch() -> None:
    texts = [*BROKEN, *documents(5, 30), *BROKEN]
    whole = from_text(pa.array(texts, pa.string()), JSONB)
    assert whole.errors is not None
    failed = dict(zip(whole.errors.indices.tolist(), whole.errors.messages.to_pylist(), strict=True))
    for row, one in enumerate(texts):
        single = from_text(pa.array([one], pa.string()), JSONB)
        assert single.values[0].as_py() == whole.values[row].as_py()
        assert (None if single.errors is None else single.errors.messages[0].as_py()) == failed.get(row)


def test_canonical_text_is_its_own() -> None:
    for one in documents(6):
        if one is not None:
            assert canonical(canonical(one)) == canonical(one)


def test_a_column_is_parsed_once_and_not_kept_beyond_its_life() -> None:
    array = column(['{"a": 1}', None, '{"a": 1}'], JSONB)
    first, places = columns.documents(array)
    assert list(first) == [{"a": 1}, ABSENT]
    assert places is not None
    assert places.tolist() == [0, 1, 0]
    assert columns.documents(array)[0] is first
    reference = columns._kept.columns[-1][0]
    assert reference() is array
    del array
    assert reference() is None


def test_types_of_members(oracle: psycopg.Connection) -> None:
    types: tuple[ScalarType, ...] = (TEXT, INT4, FLOAT8, BOOL)
    rows = product(
        ['a"b', "", "x\\", "é\n", None],
        ["1", None],
        ["1.5", "1e25", "1e-7", "NaN", "-0", None],
        ["true", None],
    )

    def build(*args: Scalar) -> Scalar:
        return resolve_call(
            "jsonb_build_object", [part for i, arg in enumerate(args) for part in (text(f"k{i}"), arg)]
        )

    check(oracle, "jsonb_build_object('k0', c0, 'k1', c1, 'k2', c2, 'k3', c3)", build, types, rows)


@pytest.mark.parametrize(
    ("text", "sqlstate"),
    [
        ("[" * 250 + "]" * 250, None),
        ("[" * 252 + "]" * 252, "54001"),
        ("[" * 100_000, "54001"),
        ('{"a":' * 100_000, "54001"),
        ("[" + ",".join(["1e131000"] * 2000) + "]", "54000"),
        ("[" + ",".join(["1"] * 20_000) + "]", None),
    ],
    ids=["deep", "too deep", "arrays", "objects", "zeros", "long"],
)
def test_hostile_documents(text: str, sqlstate: str | None) -> None:
    found = from_text(pa.array([text]), JSONB)
    if sqlstate is not None:
        assert found.errors is not None
        assert found.errors.sqlstates.to_pylist() == [sqlstate]
        return
    assert found.errors is None
    array = found.values
    for name, literal in (("jsonb_contains", Literal(array[0].as_py(), JSONB)), ("lt", Literal("1", JSONB))):
        result = evaluate(resolve_call(name, (ColumnRef(0, JSONB), literal)), (array,), 1)
        assert result.errors is None
    for written in ("$.** ? (@ == 7)", "$" + "[*]" * 200):
        path_call = resolve_call(
            "jsonb_path_exists_opr", (ColumnRef(0, JSONB), Literal(written, TEXT)), (False, True)
        )
        assert evaluate(path_call, (array,), 1).errors is None


@pytest.mark.parametrize(
    "name", ["jsonb_build_array", "to_jsonb", "jsonb_build_object", "jsonb_set", "jsonb_path_query_array"]
)
def test_nothing_makes_a_document_deeper_than_can_be_read(name: str) -> None:
    def grown(document: Scalar) -> Scalar:
        match name:
            case "jsonb_build_object":
                return resolve_call(name, (text("a"), document))
            case "jsonb_set":
                return resolve_call(name, (document, path("0"), document))
            case "jsonb_path_query_array":
                return resolve_call(name, (document, text("$")), (False, True))
            case _:
                return resolve_call(name, (document,))

    for depth, fails in ((40, False), (251, name != "to_jsonb")):
        array = from_text(pa.array(["[" * depth + "]" * depth, "[1]"]), JSONB).values
        result = evaluate(grown(ColumnRef(0, JSONB)), (array,), 2)
        found = [] if result.errors is None else result.errors.sqlstates.to_pylist()
        assert found == (["54001"] if fails else [])
        assert result.values[1].is_valid


def test_arrays_of_something_else_than_text_are_no_arguments() -> None:
    numbers = Literal([1], array_of(INT4))
    for name, args in (
        ("jsonb at path", (Literal("{}", JSONB), numbers)),
        ("subtract", (Literal("{}", JSONB), numbers)),
        ("jsonb_object", (numbers,)),
    ):
        with pytest.raises(UndefinedFunction):
            resolve_call(name, args)


def test_a_path_may_be_a_parameter() -> None:
    """Which is a text by the time that it has a value."""
    call_ = resolve_call(
        "jsonb_path_exists_opr", (Literal('{"a": 1}', JSONB), Literal("$.a", TEXT)), (False, False)
    )
    assert evaluate(call_, (), 1).values.to_pylist() == [True]
