"""Ranges against PostgreSQL: text, constructors, canonical forms, comparisons, operators and functions.

Numerics stand without zeros at their end, which are not kept here.
"""

from __future__ import annotations

import psycopg
import pyarrow as pa
import pytest
from ptvc.errors import UndefinedFunction
from ptvc.expr.columns.row_errors import Evaluated
from ptvc.expr.registry import resolve_call
from ptvc.expr.text.range_text import scan_range
from ptvc.expr.text.text_format import from_text
from ptvc.expr.text.text_output import literal_text
from ptvc.expr.tree.scalar import Cast, Literal
from ptvc.repr.types import (
    BOOL,
    DATERANGE,
    INT4,
    INT4RANGE,
    INT8RANGE,
    NUMERIC,
    NUMRANGE,
    RANGES,
    TEXT,
    TSRANGE,
    TSTZRANGE,
    ScalarType,
    array_of,
)
from support import check, product

BOUNDS: dict[ScalarType, list[str | None]] = {
    INT4RANGE: ["-2147483648", "1", "2", "5", "2147483646", "2147483647", None],
    INT8RANGE: ["-9223372036854775808", "-1", "0", "4", "9223372036854775806", "9223372036854775807", None],
    NUMRANGE: ["-12345678901234567890.5", "-1", "0", "0.0000001", "1.5", "99999999999999999999", None],
    DATERANGE: ["-infinity", "4714-11-24 BC", "2024-02-28", "2024-02-29", "5874897-12-31", "infinity", None],
    TSRANGE: ["-infinity", "0044-03-15 12:00:00 BC", "2024-02-29 10:00:00", "2024-02-29 10:00:00.5", "infinity", None],
    TSTZRANGE: ["-infinity", "2024-02-29 10:00:00+00", "2024-02-29 10:00:00.000001+00", "infinity", None],
}  # fmt: skip
VALUES: dict[ScalarType, list[str | None]] = {
    type_: [
        "empty",
        "(,)",
        None,
        *(f'{sign},"{bounds[3]}")' for sign in "[("),
        *(f'(,"{bounds[2]}"{sign}' for sign in "])"),
        *(
            f'{left}"{bounds[i]}","{bounds[j]}"{right}'
            for i, j in ((1, 2), (1, 3), (2, 3))
            for left in "[("
            for right in ")]"
        ),
        f'["{bounds[2]}","{bounds[2]}"]',
    ]
    for type_, bounds in BOUNDS.items()
}
"""Every way in which two ranges of a type may lie to each other."""


@pytest.mark.parametrize("type_", RANGES, ids=str)
def test_constructors(oracle: psycopg.Connection, type_: ScalarType) -> None:
    bounds = (type_.subtype, type_.subtype)
    name, rows = str(type_), product(BOUNDS[type_], BOUNDS[type_])
    check(oracle, f"{name}(c0, c1)", lambda a, b: resolve_call(name, (a, b)), bounds, rows)
    flags = ["[]", "[)", "(]", "()", "][", "", None]
    check(
        oracle,
        f"{name}(c0, c1, c2)",
        lambda a, b, c: resolve_call(name, (a, b, c)),
        (*bounds, TEXT),
        product(BOUNDS[type_], BOUNDS[type_], flags),
    )


TEXTS = [
    "[{0},{1})", "({0},{1}]", '["{0}","{1}"]', " [{0},{1}] ", "[{0},{1}] x", "[{0},{1}", "[{0}{1}]", "[{0},{1},{1}]",
    "{0},{1}", "({0},)", "(,{1}]", "( ,{1}]", '["",{1}]', '["{0},{1}]', '[{0}"",{1}]', "[{1},{0}]", "[{0}),{1}]",
    r"[\{0},{1}]", "[{0},{1}]]", "[x,{1}]", "[{0},x]", "empty", " Empty\t", "EMPTYx", "emp", "",
    "[", "[{0},", "[{0},\\", "(,)", "[,]", "[{0},{0}]", "[{0},{0})", "({0},{0}]", None,
]  # fmt: skip
"""Texts of ranges, with places for two bounds."""
ODD_TEXTS = ["[({0},{1}]", '["{0}"""  ,{1}]', r'["{0}\"",{1}]']
"""Signs within a bound.  Dates with these are other dates in PostgreSQL, and in no form that is read here."""


@pytest.mark.parametrize("type_", RANGES, ids=str)
def test_text(oracle: psycopg.Connection, type_: ScalarType) -> None:
    low, high = BOUNDS[type_][1:3]
    odd = ODD_TEXTS if type_.subtype.is_numeric_category else []
    texts = [None if text is None else text.format(low, high) for text in (*TEXTS, *odd)]
    rows = product([*texts, *VALUES[type_]])
    check(oracle, f"c0::{type_}", lambda a: Cast(a, type_), (TEXT,), rows)
    check(oracle, f"c0::{type_}::text", lambda a: Cast(Cast(a, type_), TEXT), (TEXT,), rows)


def test_arrays_of_ranges(oracle: psycopg.Connection) -> None:
    rows = product(
        ['{"[1,5)",NULL,empty}', "{}", '{"(,3]"}', '{"[\\"1\\",2]"}', "{[1,2)}", '{"[5,1]"}', None]
    )
    check(oracle, "c0::int4range[]", lambda a: Cast(a, array_of(INT4RANGE)), (TEXT,), rows)


COMPARISONS = {"eq": "=", "ne": "<>", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}
RELATIONS = {
    "either contains": "@>", "either contained": "<@", "either overlaps": "&&", "shift_left": "<<", "shift_right": ">>",
    "range_overleft": "&<", "range_overright": "&>", "range_adjacent": "-|-",
}  # fmt: skip
SETS = {"add": "+", "subtract": "-", "multiply": "*"}


@pytest.mark.parametrize("type_", RANGES, ids=str)
def test_operators(oracle: psycopg.Connection, type_: ScalarType) -> None:
    rows, types = product(VALUES[type_], VALUES[type_]), (type_, type_)
    for name, sign in {**COMPARISONS, **RELATIONS, **SETS}.items():
        check(oracle, f"c0 {sign} c1", lambda a, b, f=name: resolve_call(f, (a, b)), types, rows)
    for name in ("range_merge", "greatest", "least", "nullif"):
        check(oracle, f"{name}(c0, c1)", lambda a, b, f=name: resolve_call(f, (a, b)), types, rows)
    check(oracle, "c0 IN (c1, c0)", lambda a, b: resolve_call("in", (a, b, a)), types, rows)
    check(
        oracle,
        "c0 IS DISTINCT FROM c1",
        lambda a, b: resolve_call("is_distinct_from", (a, b)),
        types,
        rows,
    )


@pytest.mark.parametrize("type_", RANGES, ids=str)
def test_elements(oracle: psycopg.Connection, type_: ScalarType) -> None:
    types, elements = (type_, type_.subtype), BOUNDS[type_]
    rows = product(VALUES[type_], elements)
    check(oracle, "c0 @> c1", lambda a, b: resolve_call("either contains", (a, b)), types, rows)
    check(oracle, "c1 <@ c0", lambda a, b: resolve_call("either contained", (b, a)), types, rows)


@pytest.mark.parametrize("type_", RANGES, ids=str)
def test_bounds(oracle: psycopg.Connection, type_: ScalarType) -> None:
    rows = product(VALUES[type_])
    for name in ("lower", "upper", "isempty", "lower_inc", "upper_inc", "lower_inf", "upper_inf"):
        check(oracle, f"{name}(c0)", lambda a, f=name: resolve_call(f, (a,)), (type_,), rows)


@pytest.mark.parametrize(
    ("name", "types", "message", "sqlstate"),
    [
        ("eq", (INT4RANGE, INT8RANGE), "operator does not exist: int4range = int8range", "42883"),
        ("either contains", (NUMRANGE, INT4), "operator does not exist: numrange @> integer", "42883"),
        ("either contains", (INT4, INT4RANGE), "operator does not exist: integer @> int4range", "42883"),
        ("either contained", (INT4RANGE, INT4), "operator does not exist: int4range <@ integer", "42883"),
        ("either overlaps", (INT4RANGE, INT4), "operator does not exist: int4range && integer", "42883"),
        ("either overlaps", (TSRANGE, TSTZRANGE), "operator does not exist: tsrange && tstzrange", "42883"),
        ("range_overleft", (INT4RANGE, INT4), "operator does not exist: int4range &< integer", "42883"),
        ("add", (INT4RANGE, INT4), "operator does not exist: int4range + integer", "42883"),
        ("either contains", (None, INT4), "operator is not unique: unknown @> integer", "42725"),
        ("range_adjacent", (None, None), "operator is not unique: unknown -|- unknown", "42725"),
        ("int4range", (NUMERIC, INT4), "function int4range(numeric, integer) does not exist", "42883"),
        ("isempty", (None,), "function isempty(unknown) is not unique", "42725"),
        ("isempty", (BOOL,), "function isempty(boolean) does not exist", "42883"),
    ],
)  # fmt: skip
def test_what_does_not_exist(
    name: str, types: tuple[ScalarType | None, ...], message: str, sqlstate: str
) -> None:
    args = [Literal(None, type_ or TEXT) for type_ in types]
    with pytest.raises(UndefinedFunction) as caught:
        resolve_call(name, args, [type_ is None for type_ in types])
    assert (caught.value.message, caught.value.sqlstate) == (message, sqlstate)


def test_an_untyped_literal_is_a_range_beside_one() -> None:
    found = resolve_call("either contains", (Literal(None, INT4RANGE), Literal("[1,2)", TEXT)), (False, True))
    assert found.function == "range_contains"
    assert found.args[1].type == INT4RANGE


def test_one_text_is_cut() -> None:
    assert scan_range("[1, 2)") == ("[", "1", " 2", ")")
    assert scan_range('(,"a""b\\c")') == ("(", None, 'a"bc', ")")
    assert scan_range(" EMPTY ") == ("", None, None, "")


def test_discrete_ranges_of_one_meaning_are_one_value() -> None:
    found: Evaluated = from_text(pa.array(["[1,2]", "(0,3)", "[1,3)", "(0,2]"]), INT4RANGE)
    assert len(found.values.unique()) == 1


def test_a_literal_is_shown_as_its_text() -> None:
    (value,) = from_text(pa.array(["(1,5]"]), INT4RANGE).values.to_pylist()
    assert literal_text(value, INT4RANGE) == "'[2,6)'"
    assert literal_text(None, INT4RANGE) is None
    assert literal_text(5, INT4) is None


@pytest.mark.parametrize(
    ("type_", "text", "stored"),
    [
        (INT4RANGE, "[1,5)", "02 80000001 01 02 80000005 00"),
        (INT4RANGE, "(,-2]", "01 00000000 00 02 7fffffff 00"),
        (INT4RANGE, "empty", "00" * 12),
        (INT8RANGE, "[0,)", "02 8000000000000000 01 03 0000000000000000 00"),
        (NUMRANGE, "(-1,1]", f"02 7f{(2**248 - 10**38):062x} 02 02 80{10**38:062x} 01"),
        (DATERANGE, "[1970-01-01,1970-01-01]", "02 80000000 01 02 80000001 00"),
        (TSRANGE, "[1970-01-01,infinity]", "02 8000000000000000 01 02 ffffffffffffffff 01"),
        (TSTZRANGE, "(1969-12-31 23:59:59.999999Z,)", "02 7fffffffffffffff 02 03 0000000000000000 00"),
    ],
)
def test_what_is_stored_never_changes(type_: ScalarType, text: str, stored: str) -> None:
    (value,) = from_text(pa.array([text]), type_).values.to_pylist()
    assert value.hex() == stored.replace(" ", "")
