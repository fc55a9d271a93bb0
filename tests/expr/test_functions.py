"""Every function of the registry, against PostgreSQL."""

from __future__ import annotations

import psycopg
import pytest
from ptvc.errors import InvalidParameter, UndefinedFunction, Unsupported
from ptvc.expr.registry import FUNCTIONS, resolve_call
from ptvc.expr.tree.scalar import ColumnRef, Literal
from ptvc.repr.types import (
    BOOL,
    DATE,
    FLOAT4,
    FLOAT8,
    INT2,
    INT4,
    INT8,
    NUMERIC,
    TEXT,
    TIMESTAMP,
    TIMESTAMPTZ,
    Kind,
    ScalarType,
    array_of,
)
from support import check, product
from values import EDGES, N10_2, N20_10, N38_0, VARCHAR3

COUNTS = ["-2147483648", "-3", "-1", "0", "1", "2", "5", "2147483647", None]
SMALL = ["-3", "-1", "0", "1", "2", "7", None]
PARTS: list[str | None] = ["", "a", "b", "l", " ", "xyz", "日", None]
WORDS = EDGES[TEXT]

TEXT_CASES: list[tuple[str, tuple[ScalarType, ...], list[tuple[str | None, ...]]]] = [
    *((f"{name}(c0)", (TEXT,), product(WORDS)) for name in (
        "length", "char_length", "octet_length", "bit_length", "lower", "upper", "initcap", "reverse", "btrim", "ltrim",
        "rtrim", "ascii", "md5", "quote_ident", "quote_literal", "quote_nullable",
    )),
    *((f"{name}(c0, c1)", (TEXT, TEXT), product(WORDS, PARTS)) for name in (
        "btrim", "ltrim", "rtrim", "strpos", "starts_with", "concat", "concat_ws",
    )),
    *((f"{name}(c0, c1)", (TEXT, INT4), product(WORDS, COUNTS)) for name in ("left", "right", "substring", "substr")),
    *((f"{name}(c0, c1)", (TEXT, INT4), product(WORDS, SMALL)) for name in ("repeat", "lpad", "rpad")),
    *((f"{name}(c0, c1, c2)", (TEXT, INT4, TEXT), product(WORDS, SMALL, ["", "*", "ab", None]))
      for name in ("lpad", "rpad")),
    ("lpad(c0, c1)", (TEXT, INT4), product(["a"], ["2147483647", "300000000"])),
    ("repeat(c0, c1)", (TEXT, INT4), product(["ab"], ["2147483647", "600000000"])),
    ("substring(c0, c1, c2)", (TEXT, INT4, INT4), product(WORDS, COUNTS, COUNTS)),
    ("replace(c0, c1, c2)", (TEXT, TEXT, TEXT), product(WORDS, PARTS, ["", "Z", None])),
    ("translate(c0, c1, c2)", (TEXT, TEXT, TEXT), product(WORDS, ["abc", "aa", "", None], ["", "x", "xyz"])),
    ("split_part(c0, c1, c2)", (TEXT, TEXT, INT4), product([*WORDS, "a,b,,c", ",,"], ["", ",", " ", "l"], SMALL)),
    ("chr(c0)", (INT4,), product(["-1", "0", "1", "65", "233", "26085", "55296", "1114111", "1114112", None])),
    ("to_hex(c0)", (INT4,), product(EDGES[INT4])),
    ("to_hex(c0)", (INT8,), product(EDGES[INT8])),
    ("upper(c0)", (VARCHAR3,), product(["abc", None])),
    ("concat(c0, c1, c2)", (INT4, BOOL, FLOAT8), product(["1", None], ["true", None], ["0.5", "1e20", None])),
    ("concat_ws(c0, c1, c2)", (TEXT, INT4, DATE), product([",", "", None], ["1", None], ["2020-01-01", None])),
    ("format_type(c0, c1)", (INT4, INT4), product(["16", "23", "1043", "1700", "1231", "0", "99999", None],
                                                  ["-1", "14", "655366", None])),
]  # fmt: skip


def build_call(expression: str):  # type: ignore[no-untyped-def]
    name = expression.split("(")[0]
    return lambda *args: resolve_call(name, args)


@pytest.mark.parametrize(
    ("expression", "types", "rows"), TEXT_CASES, ids=[f"{c[0]}-{c[1][0]}" for c in TEXT_CASES]
)
def test_text(oracle, expression, types, rows) -> None:  # type: ignore[no-untyped-def]
    check(oracle, expression, build_call(expression), types, rows)


@pytest.mark.parametrize(
    "other", [INT4, BOOL, FLOAT8, N10_2, NUMERIC, DATE, TIMESTAMP, TIMESTAMPTZ, TEXT], ids=str
)
def test_concat_operator(oracle: psycopg.Connection, other: ScalarType) -> None:
    rows = product(["a", "", None], EDGES[other])
    check(oracle, "c0 || c1", lambda a, b: resolve_call("concat_op", (a, b)), (TEXT, other), rows)
    check(oracle, "c1 || c0", lambda a, b: resolve_call("concat_op", (b, a)), (TEXT, other), rows)


LIKES = [
    "",
    "%",
    "_",
    "a%",
    "%a",
    "%b%",
    "a_c",
    "A%",
    "%\\%%",
    "%\\_c",
    "x\\\\y",
    "日%",
    "%%",
    "a%c%",
    "___",
    "é_",
    None,
]


@pytest.mark.parametrize("pattern", LIKES)
def test_like(oracle: psycopg.Connection, pattern: str | None) -> None:
    rows = product([*WORDS, "line\nbreak", "É"])
    quoted = "NULL" if pattern is None else "'" + pattern.replace("'", "''") + "'"
    for name, word in {
        "like": "LIKE",
        "ilike": "ILIKE",
        "not_like": "NOT LIKE",
        "not_ilike": "NOT ILIKE",
    }.items():
        check(
            oracle,
            f"c0 {word} {quoted}",
            lambda a, f=name: resolve_call(f, (a, Literal(pattern, TEXT))),
            (TEXT,),
            rows,
        )


def test_like_by_row(oracle: psycopg.Connection) -> None:
    rows = product([w for w in WORDS if w], LIKES)
    check(oracle, "c0 LIKE c1", lambda a, b: resolve_call("like", (a, b)), (TEXT, TEXT), rows)
    check(
        oracle,
        "c0 LIKE 'a#%b%' ESCAPE '#'",
        lambda a: resolve_call("like", (a, Literal("a#%b%", TEXT), Literal("#", TEXT))),
        (TEXT,),
        product(WORDS),
    )


REGEXES = [
    "", "a", "^a", "c$", "^abc$", "a.c", "[a-c]+", "[^a-z]", "(a|b)c", "^(hello|abc)", "o{2}", "l{1,2}", r"\d+", r"\s",
    r"\w+$", "[[:digit:]]", "x*", "é", "^.{3}$", "[]a]", "[", "(", "*a", "a|", r"a\.b", "A", "^(ABC)$", r"\W", "[A-B]",
]  # fmt: skip


@pytest.mark.parametrize("pattern", REGEXES)
def test_regex(oracle: psycopg.Connection, pattern: str) -> None:
    rows = product([*WORDS, "line\nbreak", "É", "K", "foo]", "book"])
    for name, sign in {"regex_match": "~", "regex_imatch": "~*", "regex_not_match": "!~"}.items():
        check(
            oracle,
            f"c0 {sign} '{pattern}'",
            lambda a, f=name: resolve_call(f, (a, Literal(pattern, TEXT))),
            (TEXT,),
            rows,
        )


@pytest.mark.parametrize("pattern", ["a", "[^0-9]+", r"\s+", "[a-l]", "^h", "o$", "l{2}"])
def test_regexp_replace(oracle: psycopg.Connection, pattern: str) -> None:
    for flags in ("", "g", "gi"):
        check(
            oracle,
            f"regexp_replace(c0, '{pattern}', '<>', '{flags}')",
            lambda a, f=flags: resolve_call(
                "regexp_replace", (a, Literal(pattern, TEXT), Literal("<>", TEXT), Literal(f, TEXT))
            ),
            (TEXT,),
            product(WORDS),
        )


NUMERICS = (N10_2, N20_10, N38_0, NUMERIC)


@pytest.mark.parametrize("type_", [*NUMERICS, FLOAT8, FLOAT4, INT2, INT4, INT8], ids=str)
@pytest.mark.parametrize("name", ["ceil", "ceiling", "floor", "round", "trunc", "sign", "sqrt"])
def test_rounding(oracle: psycopg.Connection, name: str, type_: ScalarType) -> None:
    values = [*EDGES[type_], "2.5", "-2.5", "0.5", "-0.5", "3.5", "2", "1000000"]
    if type_.is_integer:
        values = EDGES[type_]
    check(oracle, f"{name}(c0)", lambda a: resolve_call(name, (a,)), (type_,), product(values))


@pytest.mark.parametrize("type_", NUMERICS, ids=str)
@pytest.mark.parametrize("name", ["round", "trunc"])
def test_digits(oracle: psycopg.Connection, name: str, type_: ScalarType) -> None:
    rows = product(EDGES[type_], ["-50", "-3", "-1", "0", "1", "2", "5", "11", None])
    check(oracle, f"{name}(c0, c1)", lambda a, b: resolve_call(name, (a, b)), (type_, INT4), rows)
    for digits in (-2, 0, 1, 4):
        check(
            oracle,
            f"{name}(c0, {digits})",
            lambda a, d=digits: resolve_call(name, (a, Literal(d, INT4))),
            (type_,),
            product(EDGES[type_]),
        )


@pytest.mark.parametrize(
    "name",
    ["exp", "ln", "log", "log10", "sin", "cos", "tan", "asin", "acos", "atan", "cbrt", "degrees", "radians"],
)
def test_float_functions(oracle: psycopg.Connection, name: str) -> None:
    rows = product([*EDGES[FLOAT8], "710", "-750", "100", "0.5", "-1"])
    if name in ("sin", "cos", "tan"):
        rows = [row for row in rows if row[0] not in ("1e308", "-1e308")]
    check(oracle, f"{name}(c0)", lambda a: resolve_call(name, (a,)), (FLOAT8,), rows)


def test_power(oracle: psycopg.Connection) -> None:
    values = ["0", "1", "-1", "2", "-8", "0.5", "1e200", "1e-200", "NaN", "Infinity", "-Infinity", "3", None]
    check(
        oracle,
        "power(c0, c1)",
        lambda a, b: resolve_call("power", (a, b)),
        (FLOAT8, FLOAT8),
        product(values, values),
    )
    ints = product(["0", "2", "-3", None], ["0", "2", "-1"])
    check(oracle, "power(c0, c1)", lambda a, b: resolve_call("power", (a, b)), (INT4, INT4), ints)


FIELDS = [
    "year", "month", "day", "quarter", "week", "dow", "isodow", "doy", "isoyear", "decade", "century", "millennium",
    "epoch", "hour", "minute", "second", "milliseconds", "microseconds",
]  # fmt: skip
TIMES = ("hour", "minute", "second", "milliseconds", "microseconds")


@pytest.mark.parametrize("field", FIELDS)
@pytest.mark.parametrize("type_", [DATE, TIMESTAMP, TIMESTAMPTZ], ids=str)
def test_extract(oracle: psycopg.Connection, type_: ScalarType, field: str) -> None:
    rows = product(EDGES[type_])
    if type_ is not DATE or field not in TIMES:
        check(
            oracle,
            f"extract({field} from c0)",
            lambda a: resolve_call("extract", (Literal(field, TEXT), a), (True,)),
            (type_,),
            rows,
            refusals=True,  # of an infinite value it is an infinite numeric
        )
    check(
        oracle,
        f"date_part('{field}', c0)",
        lambda a: resolve_call("date_part", (Literal(field, TEXT), a), (True,)),
        (type_,),
        rows,
    )
    if field not in ("dow", "isodow", "doy", "isoyear", "epoch"):
        check(
            oracle,
            f"date_trunc('{field}', c0)",
            lambda a: resolve_call("date_trunc", (Literal(field, TEXT), a), (True,)),
            (type_,),
            rows,
        )


def test_date_trunc_of_a_varying_field(oracle: psycopg.Connection) -> None:
    rows = product(["Month", "day", "weeks", "epoch", None], EDGES[TIMESTAMP])
    check(
        oracle, "date_trunc(c0, c1)", lambda a, b: resolve_call("date_trunc", (a, b)), (TEXT, TIMESTAMP), rows
    )


def test_unknown_fields_are_errors_of_the_statement() -> None:
    day = ColumnRef(0, DATE)
    with pytest.raises(InvalidParameter, match='unit "foo" not recognized for type date'):
        resolve_call("extract", (Literal("foo", TEXT), day), (True,))
    with pytest.raises(Unsupported, match='unit "hour" not supported for type date'):
        resolve_call("extract", (Literal("hour", TEXT), day), (True,))


def test_date_arithmetic(oracle: psycopg.Connection) -> None:
    rows = product(EDGES[DATE], [*COUNTS, "365"])
    check(oracle, "c0 + c1", lambda a, b: resolve_call("add", (a, b)), (DATE, INT4), rows)
    check(oracle, "c1 + c0", lambda a, b: resolve_call("add", (b, a)), (DATE, INT4), rows)
    check(oracle, "c0 - c1", lambda a, b: resolve_call("subtract", (a, b)), (DATE, INT4), rows)
    dates = product(EDGES[DATE], EDGES[DATE])
    check(oracle, "c0 - c1", lambda a, b: resolve_call("subtract", (a, b)), (DATE, DATE), dates)
    parts = product(["2020", "0", "-44", "9999"], ["1", "2", "13", "0"], ["1", "29", "31", "0", None])
    check(oracle, "make_date(c0, c1, c2)", lambda *a: resolve_call("make_date", a), (INT4, INT4, INT4), parts)


@pytest.mark.parametrize(
    "test", ["true", "not_true", "false", "not_false", "unknown", "not_unknown", "null", "not_null"]
)
def test_boolean_tests(oracle: psycopg.Connection, test: str) -> None:
    words = test.upper().replace("_", " ")
    check(oracle, f"c0 IS {words}", lambda a: resolve_call(f"is_{test}", (a,)), (BOOL,), product(EDGES[BOOL]))
    check(oracle, "NOT c0", lambda a: resolve_call("not", (a,)), (BOOL,), product(EDGES[BOOL]))


INT_ARRAYS = ["{1,2,3}", "{}", "{NULL}", "{1,NULL}", None]


@pytest.mark.parametrize("operator", ["eq", "ne", "lt", "ge"])
def test_any_and_all(oracle: psycopg.Connection, operator: str) -> None:
    sign = {"eq": "=", "ne": "<>", "lt": "<", "ge": ">="}[operator]
    rows = product(["1", "2", "5", None], INT_ARRAYS)
    for word in ("any", "all"):
        check(
            oracle,
            f"c0 {sign} {word} (c1)",
            lambda a, b, w=word: resolve_call(f"{w}_{operator}", (a, b)),
            (INT4, array_of(INT4)),
            rows,
        )


def test_arrays(oracle: psycopg.Connection) -> None:
    ints = array_of(INT4)
    rows = product(INT_ARRAYS, [",", "", None])
    check(
        oracle,
        "array_to_string(c0, c1)",
        lambda a, b: resolve_call("array_to_string", (a, b)),
        (ints, TEXT),
        rows,
    )
    check(
        oracle,
        "array_to_string(c0, c1, '*')",
        lambda a, b: resolve_call("array_to_string", (a, b, Literal("*", TEXT))),
        (ints, TEXT),
        rows,
    )
    check(
        oracle, "cardinality(c0)", lambda a: resolve_call("cardinality", (a,)), (ints,), product(INT_ARRAYS)
    )
    check(
        oracle,
        "array_length(c0, 1)",
        lambda a: resolve_call("array_length", (a, Literal(1, INT4))),
        (ints,),
        product(INT_ARRAYS),
    )
    pairs = product(INT_ARRAYS, INT_ARRAYS)
    check(oracle, "c0 = c1", lambda a, b: resolve_call("eq", (a, b)), (ints, ints), pairs)


@pytest.mark.parametrize("name", ["gamma", "lgamma"])
def test_functions_that_postgresql_has_are_refused_as_such(name: str) -> None:
    with pytest.raises(Unsupported, match=f"function {name} is not supported"):
        resolve_call(name, [ColumnRef(0, TEXT)])
    assert name not in FUNCTIONS


@pytest.mark.parametrize(
    ("name", "args", "unknown", "result"),
    [
        ("eq", (ColumnRef(0, DATE), Literal("2020-01-01", TEXT)), (False, True), BOOL),
        ("add", (ColumnRef(0, INT4), Literal("5", TEXT)), (False, True), INT4),
        ("add", (ColumnRef(0, INT2), ColumnRef(1, INT8)), (), INT8),
        ("add", (ColumnRef(0, INT4), ColumnRef(1, N10_2)), (), ScalarType(Kind.NUMERIC, None, 2)),
        ("multiply", (ColumnRef(0, N10_2), ColumnRef(1, N20_10)), (), ScalarType(Kind.NUMERIC, None, 12)),
        ("multiply", (ColumnRef(0, FLOAT4), ColumnRef(1, N10_2)), (), FLOAT8),
        ("divide", (ColumnRef(0, INT4), ColumnRef(1, N10_2)), (), NUMERIC),
        ("add", (ColumnRef(0, DATE), ColumnRef(1, INT2)), (), DATE),
        ("date_trunc", (Literal("day", TEXT), ColumnRef(0, DATE)), (True,), TIMESTAMPTZ),
        ("round", (ColumnRef(0, INT4),), (), FLOAT8),
        ("round", (ColumnRef(0, INT4), Literal(2, INT4)), (), ScalarType(Kind.NUMERIC, None, 2)),
    ],
)
def test_resolution(name, args, unknown, result) -> None:  # type: ignore[no-untyped-def]
    call = resolve_call(name, args, unknown)
    assert call.type == result


def test_ambiguity_is_reported() -> None:
    with pytest.raises(UndefinedFunction, match="is not unique") as caught:
        resolve_call("add", (Literal("1", TEXT), Literal("2", TEXT)), (True, True))
    assert caught.value.sqlstate == "42725"
