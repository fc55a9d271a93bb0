"""Functions of bytea, bits, number theory, degrees and formatting, against PostgreSQL."""

from __future__ import annotations

import psycopg
import pytest
from ptvc.expr.registry import resolve_call
from ptvc.expr.tree.scalar import Literal
from ptvc.repr.types import (
    BYTEA,
    FLOAT8,
    INT2,
    INT4,
    INT8,
    NUMERIC,
    TEXT,
    UUID,
    ScalarType,
    array_of,
)
from support import check, product
from values import EDGES, N10_2, N20_10

BYTES = EDGES[BYTEA]
WORDS = EDGES[TEXT]
PLACES = ["-1", "0", "1", "2", "5", "20", "2147483647", None]
CODED = [
    "", "YWJj", "YW Jj", "YQ==", "YQ=", "YQ", "Y===", "Y!Jj", "6162", "616", "6g", "61 62", "a\\000b", "a\\\\b", "a\\9", "é", "YWJjYWJj\nYQ==", "====", "YQ==YQ==", None,
]  # fmt: skip
Case = tuple[str, tuple[ScalarType, ...], list[tuple[str | None, ...]]]

BINARY: list[Case] = [
    *((f"{name}(c0)", (BYTEA,), product(BYTES)) for name in (
        "md5", "sha224", "sha256", "sha384", "sha512", "length", "octet_length", "bit_length", "bit_count", "reverse", "crc32",
    )),
    ("encode(c0, c1)", (BYTEA, TEXT), product(BYTES, ["hex", "BASE64", "escape", "nope", "", None])),
    ("decode(c0, c1)", (TEXT, TEXT), product(CODED, ["hex", "base64", "escape", "x", None])),
    ("get_byte(c0, c1)", (BYTEA, INT4), product(BYTES, PLACES)),
    ("get_bit(c0, c1)", (BYTEA, INT8), product(BYTES, PLACES)),
    ("set_byte(c0, c1, c2)", (BYTEA, INT4, INT4), product(BYTES, PLACES, ["0", "255", "256", "-1"])),
    ("set_bit(c0, c1, c2)", (BYTEA, INT8, INT4), product(BYTES, PLACES, ["0", "1", "2", "-1"])),
    ("substring(c0, c1, c2)", (BYTEA, INT4, INT4), product(BYTES, PLACES, PLACES)),
    ("substr(c0, c1)", (BYTEA, INT4), product(BYTES, PLACES)),
    ("overlay(c0, c1, c2)", (BYTEA, BYTEA, INT4), product(BYTES, BYTES, PLACES)),
    ("overlay(c0, c1, c2, c3)", (BYTEA, BYTEA, INT4, INT4), product(BYTES, ["\\x", "\\x0102"], PLACES, PLACES[:6])),
    ("convert_from(c0, 'UTF8')", (BYTEA,), product([*BYTES, "\\xc3a9", "\\xc3", "\\xe697a5", "\\xe697"])),
    ("convert_to(c0, 'utf-8')", (TEXT,), product(WORDS)),
    ("uuid_extract_version(c0)", (UUID,), product([*EDGES[UUID], "41db1265-8bc1-1ab3-992f-885799a4af1d"])),
    *((f"{name}(c0, c1)", (BYTEA, BYTEA), product(BYTES, BYTES)) for name in ("btrim", "ltrim", "rtrim")),
]  # fmt: skip
TEXTS: list[Case] = [
    ("overlay(c0, c1, c2)", (TEXT, TEXT, INT4), product(WORDS, ["", "XY", None], PLACES)),
    ("overlay(c0, c1, c2, c3)", (TEXT, TEXT, INT4, INT4), product(WORDS, ["", "XY"], PLACES, PLACES[:6])),
    ("to_oct(c0)", (INT4,), product(EDGES[INT4])),
    ("to_bin(c0)", (INT8,), product(EDGES[INT8])),
    ("normalize(c0)", (TEXT,), product([*WORDS, "e\u0301", "\ufb01", "a\u0301\u0323"])),
    ("pg_size_pretty(c0)", (INT8,), product([*EDGES[INT8], "10239", "10240", "20971519", "20971520", "-123456789012",
                                            "10485759", "1099511627776000"])),
    ("num_nulls(c0, c1)", (TEXT, INT4), product(["a", None], ["1", None])),
    ("num_nonnulls(c0, c1)", (TEXT, INT4), product(["a", None], ["1", None])),
    ("format(c0, c1, c2)", (TEXT, TEXT, INT4), product(
        ["", "%%", "%s", "%s-%s", "%2$s %1$s", "%I %L", "%L %L", "%5s|%-5s|", "%*s", "%1$*2$s|", "%", "%z", "%s %s %s", "%0$s",
         "%1$", "%99999999999s", "a%1$-6sb", "%-*s|", "%1$*2s", None], ["x", "Sel ect", "it's \\", "7", "-4", None], ["3", "-4", None])),
]  # fmt: skip
NUMBERS: list[Case] = [
    *((f"{name}(c0, c1)", (type_, type_), product(EDGES[type_], EDGES[type_]))
      for name in ("gcd", "lcm") for type_ in (INT4, INT8, N10_2)),
    ("factorial(c0)", (INT8,), product(["-1", "0", "1", "5", "20", "33", "40", None])),
    *(("div(c0, c1)", (type_, other), product(EDGES[type_], EDGES[other]))
      for type_ in (N10_2, NUMERIC) for other in (N10_2, NUMERIC)),
    ("trim_scale(c0)", (N10_2,), product(EDGES[N10_2])),
    ("min_scale(c0)", (N20_10,), product(EDGES[N20_10])),
    ("width_bucket(c0, c1, c2, c3)", (FLOAT8, FLOAT8, FLOAT8, INT4),
     product(["-1", "0", "3.5", "10", "11", "NaN", "Infinity", None], ["0", "10", "NaN", "Infinity"], ["10", "0", "5"],
             ["-1", "0", "3", "2147483647"])),
    ("width_bucket(c0, c1, c2, c3)", (NUMERIC, NUMERIC, NUMERIC, INT4),
     product(["-1", "0", "3.5", "9.99", "10", "11", None], ["0", "10"], ["10", "0", "5"], ["-1", "0", "3", "2147483647"])),
    ("width_bucket(c0, c1)", (INT4, array_of(INT4)), product(EDGES[INT4], ["{}", "{1,3,5}", "{1,NULL}", None])),
    ("width_bucket(c0, c1)", (FLOAT8, array_of(FLOAT8)), product(EDGES[FLOAT8], ["{0,1.5,NaN}"])),
]  # fmt: skip
ANGLES = [
    *EDGES[FLOAT8],
    "30",
    "45",
    "60",
    "90",
    "120",
    "180",
    "270",
    "360",
    "-45",
    "-390",
    "0.5",
    "-0.5",
    "1.1",
    "725.25",
]
FLOATS: list[Case] = [
    *((f"{name}(c0)", (FLOAT8,), product(ANGLES)) for name in (
        "sind", "cosd", "tand", "cotd", "asind", "acosd", "atand", "cot", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "erf",
        "erfc",
    )),
    *((f"{name}(c0, c1)", (FLOAT8, FLOAT8), product(ANGLES, ANGLES)) for name in ("atan2", "atan2d")),
]  # fmt: skip


@pytest.mark.parametrize(
    ("expression", "types", "rows"),
    [*BINARY, *TEXTS, *NUMBERS, *FLOATS],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_function(
    oracle: psycopg.Connection,
    expression: str,
    types: tuple[ScalarType, ...],
    rows: list[tuple[str | None, ...]],
) -> None:
    name, _, rest = expression.partition("(")
    constants = [Literal(part.strip(" '"), TEXT) for part in rest.rstrip(")").split(",") if "'" in part]
    check(oracle, expression, lambda *args: resolve_call(name, (*args, *constants)), types, rows)


BITS = {"bits_and": "&", "bits_or": "|", "bits_xor": "#"}
SHIFTS = {"shift_left": "<<", "shift_right": ">>"}


@pytest.mark.parametrize("type_", [INT2, INT4, INT8], ids=str)
def test_bits(oracle: psycopg.Connection, type_: ScalarType) -> None:
    rows = product(EDGES[type_], EDGES[type_])
    for name, sign in BITS.items():
        check(oracle, f"c0 {sign} c1", lambda a, b, f=name: resolve_call(f, (a, b)), (type_, type_), rows)
    check(oracle, "~c0", lambda a: resolve_call("bits_not", (a,)), (type_,), product(EDGES[type_]))
    rows = product(EDGES[type_], ["-1", "0", "1", "5", "31", "33", "64", None])
    for name, sign in SHIFTS.items():
        check(oracle, f"c0 {sign} c1", lambda a, b, f=name: resolve_call(f, (a, b)), (type_, INT4), rows)


def test_bytes_are_joined_and_found(oracle: psycopg.Connection) -> None:
    rows = product(BYTES, BYTES)
    check(oracle, "c0 || c1", lambda a, b: resolve_call("concat_op", (a, b)), (BYTEA, BYTEA), rows)
    patterns = ["\\x25", "\\x61256325", "\\x5f", "\\x0025", "\\x255cff", "\\xff"]
    check(
        oracle,
        "c0 LIKE c1",
        lambda a, b: resolve_call("like", (a, b)),
        (BYTEA, BYTEA),
        product(BYTES, patterns),
    )
    check(oracle, "position(c1 in c0)", lambda a, b: resolve_call("position", (a, b)), (BYTEA, BYTEA), rows)
    check(
        oracle,
        "c0 || 'a'::text",
        lambda a: resolve_call("concat_op", (a, Literal("a", TEXT))),
        (BYTEA,),
        product(BYTES),
    )
