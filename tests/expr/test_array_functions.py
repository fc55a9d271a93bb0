"""Functions and operators of arrays, against PostgreSQL, on columns and on constants."""

from __future__ import annotations

import psycopg
import pytest
from ptvc.errors import UndefinedFunction
from ptvc.expr.registry import resolve_call
from ptvc.expr.tree.scalar import ColumnRef, Literal
from ptvc.repr.types import BOOL, FLOAT8, INT4, INT8, TEXT, UUID, ScalarType, array_of
from support import check, product

INTS = ["{}", "{1}", "{1,2,3}", "{3,NULL,1}", "{NULL}", "{2,2,1,2}", "{-5,2147483647}", None]
TEXTS = ["{}", "{a}", "{a,b,a}", '{"",NULL,"x y"}', "{b,c}", None]
FLOATS = ["{}", "{0,-0,NaN}", "{NaN}", "{-0}", "{0}", "{1.5,NULL}", "{Infinity,1}", None]
UUIDS = ["{}", "{a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11}", "{NULL}", None]
ITEMS = ["1", "2", "-7", None]
BOUNDS = ["-2147483648", "-1", "0", "1", "2", "3", "2147483647", None]
A_INT, A_TEXT, A_FLOAT = array_of(INT4), array_of(TEXT), array_of(FLOAT8)

ARRAYS: dict[ScalarType, list[str | None]] = {
    A_INT: INTS, A_TEXT: TEXTS, A_FLOAT: FLOATS, array_of(UUID): UUIDS,
}  # fmt: skip
ELEMENTS: dict[ScalarType, list[str | None]] = {
    A_INT: ITEMS, A_TEXT: ["a", "", "b", None], A_FLOAT: ["0", "-0", "NaN", "1.5", None],
    array_of(UUID): ["a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11", None],
}  # fmt: skip
COMPARISONS = {"eq": "=", "ne": "<>", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}


@pytest.mark.parametrize("type_", list(ARRAYS), ids=str)
def test_two_arrays(oracle: psycopg.Connection, type_: ScalarType) -> None:
    rows = product(ARRAYS[type_], ARRAYS[type_])
    signs = {
        **COMPARISONS,
        "array_contains": "@>",
        "array_contained": "<@",
        "array_overlaps": "&&",
        "concat_op": "||",
    }
    for name, sign in signs.items():
        check(oracle, f"c0 {sign} c1", lambda a, b, f=name: resolve_call(f, (a, b)), (type_, type_), rows)
    for name in ("array_cat", "greatest", "least", "nullif"):
        check(oracle, f"{name}(c0, c1)", lambda a, b, f=name: resolve_call(f, (a, b)), (type_, type_), rows)
    check(
        oracle,
        "c0 IS DISTINCT FROM c1",
        lambda a, b: resolve_call("is_distinct_from", (a, b)),
        (type_, type_),
        rows,
    )


@pytest.mark.parametrize("type_", list(ARRAYS), ids=str)
def test_array_and_element(oracle: psycopg.Connection, type_: ScalarType) -> None:
    element = type_.element
    assert element is not None
    rows = product(ARRAYS[type_], ELEMENTS[type_])
    for name in ("array_append", "array_remove", "array_position", "array_positions"):
        check(oracle, f"{name}(c0, c1)", lambda a, b, f=name: resolve_call(f, (a, b)), (type_, element), rows)
    check(
        oracle,
        "array_prepend(c1, c0)",
        lambda a, b: resolve_call("array_prepend", (b, a)),
        (type_, element),
        rows,
    )
    check(oracle, "c0 || c1", lambda a, b: resolve_call("concat_op", (a, b)), (type_, element), rows)
    check(oracle, "c1 || c0", lambda a, b: resolve_call("concat_op", (b, a)), (type_, element), rows)
    check(
        oracle,
        "array_replace(c0, c1, c2)",
        lambda a, b, c: resolve_call("array_replace", (a, b, c)),
        (type_, element, element),
        product(ARRAYS[type_], ELEMENTS[type_], ELEMENTS[type_]),
    )
    check(
        oracle,
        "ARRAY[c0, c1, c0]",
        lambda a, b: resolve_call("array_of", (a, b, a)),
        (element, element),
        product(ELEMENTS[type_], ELEMENTS[type_]),
    )


@pytest.mark.parametrize("type_", list(ARRAYS), ids=str)
def test_parts_and_sizes(oracle: psycopg.Connection, type_: ScalarType) -> None:
    rows = product(ARRAYS[type_], BOUNDS)
    check(oracle, "c0[c1]", lambda a, b: resolve_call("array_subscript", (a, b)), (type_, INT4), rows)
    for name in ("array_length", "array_lower", "array_upper", "trim_array"):
        check(oracle, f"{name}(c0, c1)", lambda a, b, f=name: resolve_call(f, (a, b)), (type_, INT4), rows)
    check(
        oracle,
        "c0[c1:c2]",
        lambda a, b, c: resolve_call("array_slice", (a, b, c)),
        (type_, INT4, INT4),
        product(ARRAYS[type_], BOUNDS, BOUNDS),
    )
    for name in ("cardinality", "array_ndims", "array_dims", "array_reverse", "array_sort"):
        check(
            oracle, f"{name}(c0)", lambda a, f=name: resolve_call(f, (a,)), (type_,), product(ARRAYS[type_])
        )
    check(
        oracle,
        "array_sort(c0, c1, c2)",
        lambda a, b, c: resolve_call("array_sort", (a, b, c)),
        (type_, BOOL, BOOL),
        product(ARRAYS[type_], ["true", "false", None], ["true", "false", None]),
    )


def test_more_of_ints(oracle: psycopg.Connection) -> None:
    check(
        oracle,
        "array_position(c0, c1, c2)",
        lambda a, b, c: resolve_call("array_position", (a, b, c)),
        (A_INT, INT4, INT4),
        product(INTS, ITEMS, BOUNDS),
    )
    check(
        oracle,
        "array_fill(c0, c1)",
        lambda a, b: resolve_call("array_fill", (a, b)),
        (TEXT, A_INT),
        product(["x", None], ["{}", "{2}", "{0}", "{-1}", "{NULL}", "{2,2}", None]),
        refusals=True,
    )
    check(
        oracle,
        "array_append(c0, c1)",
        lambda a, b: resolve_call("array_append", (a, b)),
        (A_INT, INT8),
        product(INTS, ["1", "9223372036854775807", None]),
    )
    check(
        oracle,
        "c0 || '{7,NULL}'",
        lambda a: resolve_call("concat_op", (a, Literal("{7,NULL}", TEXT)), (False, True)),
        (A_INT,),
        product(INTS),
    )


@pytest.mark.parametrize(
    ("name", "types", "message"),
    [
        ("array_append", (INT4, INT4), "function array_append(integer, integer) does not exist"),
        ("array_contains", (A_INT, A_TEXT), "operator does not exist: integer[] @> text[]"),
        ("array_subscript", (A_INT,), "function array_subscript(integer[]) does not exist"),
        ("concat_op", (A_INT, TEXT), "operator does not exist: integer[] || text"),
    ],
)
def test_undefined(name: str, types: tuple[ScalarType, ...], message: str) -> None:
    with pytest.raises(UndefinedFunction) as caught:
        resolve_call(name, [ColumnRef(i, type_) for i, type_ in enumerate(types)])
    assert caught.value.message == message


def test_string_to_array(oracle: psycopg.Connection) -> None:
    texts = ["", "a", "a,b,,c", ",", "日,é", "NULL,a", None]
    check(
        oracle,
        "string_to_array(c0, c1)",
        lambda a, b: resolve_call("string_to_array", (a, b)),
        (TEXT, TEXT),
        product(texts, [",", "", "ab", None]),
    )
    check(
        oracle,
        "string_to_array(c0, c1, c2)",
        lambda a, b, c: resolve_call("string_to_array", (a, b, c)),
        (TEXT, TEXT, TEXT),
        product(texts, [",", "", None], ["", "a", "NULL", None]),
    )
