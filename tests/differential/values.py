"""Values of every type, as SQL expressions: two or more ordinary ones, then those at the edges.

The names are PostgreSQL's (`pg_type.typname`; those with modifiers as they are written).  What regenerate.py writes and
what is drawn at random comes from here.
"""

from __future__ import annotations

from typing import Final

ORDINARY: Final[dict[str, tuple[str, ...]]] = {
    "bool": ("true", "false"),
    "int2": ("7::int2", "'-3'::int2", "2::int2"),
    "int4": ("5", "-7", "2"),
    "int8": ("12::int8", "'-5'::int8", "3::int8"),
    "float4": ("1.5::float4", "'-2.25'::float4", "3::float4"),
    "float8": ("2.5::float8", "'-0.5'::float8", "4::float8"),
    "numeric": ("3.75", "-1.5::numeric", "2.25::numeric(6,2)"),
    "text": ("'abc'::text", "'Hello World'::text", "'l'::text"),
    "varchar": ("'abc'::varchar", "'xyz'::varchar(3)"),
    "bpchar": ("'ab'::char(4)", "'xyz'::char(3)"),
    "char": ("'x'::\"char\"", "'y'::\"char\""),
    "name": ("'abc'::name", "'some_name'::name"),
    "bytea": ("'\\x6162'::bytea", "'\\x00ff10'::bytea", "'\\x62'::bytea"),
    "date": ("'2024-02-29'::date", "'1999-12-31'::date"),
    "time": ("'12:34:56.789'::time", "'03:00:00'::time"),
    "timetz": ("'12:34:56+02'::timetz", "'03:00:00+00'::timetz"),
    "timestamp": ("'2024-02-29 12:34:56.789'::timestamp", "'1999-12-31 23:59:59'::timestamp"),
    "timestamptz": ("'2024-02-29 12:34:56.789+02'::timestamptz", "'1999-12-31 23:59:59Z'::timestamptz"),
    "interval": ("'1 mon 2 days 03:04:05.5'::interval", "'-1 day'::interval", "'36:00:00'::interval"),
    "uuid": ("'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid", "'00000000-0000-0000-0000-000000000001'::uuid"),
    "jsonb": ('\'{"a": 1, "b": [1, 2]}\'::jsonb', "'[1, \"x\", null]'::jsonb", "'\"a\"'::jsonb"),
    "json": ("'{\"a\": 1}'::json", "'[1, 2]'::json"),
    "oid": ("5::oid", "3000000000::oid"),
    "_int4": ("array[1, 2, 3]", "'{4,NULL,1}'::int4[]", "array[2]"),
    "_text": ("array['a', 'b']", '\'{"x y",NULL,""}\'::text[]', "array['a']"),
    "_float8": ("'{1.5,-2}'::float8[]", "'{3}'::float8[]"),
    "_int8": ("'{10,20}'::int8[]", "'{20}'::int8[]"),
    "_bool": ("'{t,f}'::bool[]", "'{t}'::bool[]"),
    "_numeric": ("'{1.5,-2}'::numeric[]", "'{1.5}'::numeric[]"),
    "_date": ("'{2024-02-29,NULL}'::date[]", "'{2024-02-29}'::date[]"),
    "int4range": ("'[1,5)'::int4range", "'[3,8)'::int4range"),
    "int8range": ("'[1,5000000000)'::int8range", "'[3,8)'::int8range"),
    "numrange": ("'[1.5,5)'::numrange", "'(3.25,8]'::numrange"),
    "daterange": ("'[2024-01-01,2024-02-29]'::daterange", "'[2024-02-01,2024-03-01)'::daterange"),
    "tsrange": ("'[2024-01-01,2024-02-29 12:00]'::tsrange", "'[2024-02-01 01:02:03.5,2024-03-01)'::tsrange"),
    "tstzrange": (
        "'[2024-01-01 00:00+00,2024-02-29 12:00+02]'::tstzrange",
        "'(2024-02-01 00:00Z,)'::tstzrange",
    ),
}

EDGES: Final[dict[str, tuple[str, ...]]] = {
    "bool": (),
    "int2": ("'32767'::int2", "'-32768'::int2", "0::int2"),
    "int4": ("2147483647", "'-2147483648'::int4", "0"),
    "int8": ("9223372036854775807", "'-9223372036854775808'::int8", "0::int8"),
    "float4": ("'NaN'::float4", "'-Infinity'::float4", "'3.4e38'::float4", "'-0'::float4"),
    "float8": ("'NaN'::float8", "'Infinity'::float8", "'1e308'::float8", "'-0'::float8", "'1e-310'::float8"),
    "numeric": ("99999999999999999999.999", "0.00", "-0.000001"),
    "text": ("''::text", "'äöü €'::text", "'  42 '::text", "'a%b\\c_'::text"),
    "varchar": ("''::varchar",),
    "bpchar": ("''::char(2)", "'a '::char(3)"),
    "char": ("''::\"char\"",),
    "name": ("''::name",),
    "bytea": ("''::bytea", "'\\xffffffffffffffff'::bytea"),
    "date": ("'infinity'::date", "'0001-01-01 BC'::date", "'9999-12-31'::date"),
    "time": ("'24:00:00'::time", "'00:00:00'::time"),
    "timetz": ("'24:00:00-12'::timetz",),
    "timestamp": (
        "'-infinity'::timestamp",
        "'0044-03-15 BC'::timestamp",
        "'9999-12-31 23:59:59.999999'::timestamp",
    ),
    "timestamptz": ("'infinity'::timestamptz", "'0044-03-15 BC'::timestamptz"),
    "interval": ("'infinity'::interval", "'-178000000 years'::interval", "'00:00:00'::interval"),
    "uuid": ("'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid",),
    "jsonb": ("'null'::jsonb", "'1.50'::jsonb", "'{}'::jsonb", "'true'::jsonb"),
    "json": ("'null'::json",),
    "oid": ("0::oid",),
    "_int4": ("'{}'::int4[]",),
    "_text": ("'{}'::text[]", """'{"a,b","q\\"q"}'::text[]"""),
    "_float8": ("'{}'::float8[]", "'{NaN,Infinity}'::float8[]"),
    "_int8": ("'{}'::int8[]",),
    "_bool": ("'{}'::bool[]",),
    "_numeric": ("'{}'::numeric[]",),
    "_date": ("'{}'::date[]",),
    "int4range": ("'empty'::int4range", "'(,)'::int4range", "'[5,8]'::int4range", "'(,1)'::int4range"),
    "int8range": ("'empty'::int8range", "'[-9223372036854775808,)'::int8range"),
    "numrange": ("'empty'::numrange", "'(,3.25]'::numrange", "'[3.25,3.25]'::numrange"),
    "daterange": ("'empty'::daterange", "'[-infinity,infinity]'::daterange", "'[0044-03-15 BC,)'::daterange"),
    "tsrange": ("'empty'::tsrange", "'[2024-03-01,infinity]'::tsrange", "'(-infinity,)'::tsrange"),
    "tstzrange": ("'empty'::tstzrange", "'(,)'::tstzrange"),
}

SQL_NAMES: Final[dict[str, str]] = {
    "bpchar": "char(3)",
    "char": '"char"',
    **{name: f"{name[1:]}[]" for name in ORDINARY if name.startswith("_")},
}
"""Types whose `typname` is not how one writes them."""


def written(typname: str) -> str:
    return SQL_NAMES.get(typname, typname)


def values(typname: str) -> tuple[str, ...]:
    return ORDINARY[typname] + EDGES[typname]


TEXTS: Final[dict[str, tuple[str, ...]]] = {
    "bool": ("t", "yes", " off ", "1", "maybe"),
    "int2": ("12", " -7 ", "0x1F", "1_000", "40000", "1.5", ""),
    "int4": ("12", "+7", "0b101", "3000000000", "1e3", "x"),
    "int8": ("12", "0o17", "9223372036854775808", "--1"),
    "float4": ("1.5", "1e40", "nan", "inf", "1e-50", "1.5x"),
    "float8": ("1.5", " -1e5 ", "1e400", "-inf", ".5", "5.", "1e", "abc"),
    "numeric": ("1.50", "1e5", "-.5", "0x10", "1_0.5", "1.5.2", ""),
    "text": ("abc",),
    "varchar": ("abc",),
    "bpchar": ("ab", "abcd", "abc  "),
    "char": ("a", "abc"),
    "name": ("abc",),
    "bytea": ("\\x61", "a\\\\b", "a\\000b", "\\xg1", "\\x6", "a\\"),
    "date": (
        "2024-02-29", "20240229", "Feb 29, 2024", "29 Feb 2024", "2023-02-29", "02/03/2024", "epoch", "infinity",
        "2024-060", "J2451545", "0044-03-15 BC", "2024-13-01", "x",
    ),
    "time": ("12:34", "12:34:56.7891234", "3 PM", "24:00", "24:01", "040506", "12:60", "allballs"),
    "timetz": ("12:34+02", "12:34"),
    "timestamp": (
        "2024-02-29 12:34:56", "2024-02-29T12:34:56Z", "2024-02-29 12:34:56+05", "epoch", "-infinity",
        "2024-02-30 00:00", "20240229T123456", "2024-02-29 25:00", "99999-01-01", "2024-02-29 12:34:56.9999999",
    ),
    "timestamptz": (
        "2024-02-29 12:34:56+02", "2024-02-29 12:34:56 America/New_York", "2024-02-29 12:34:56 PST",
        "2024-02-29", "2024-02-29 12:34:56-05:30:15", "2024-02-29 12:34 Nowhere/City",
    ),
    "interval": (
        "1 day", "1-2", "1 2:03:04", "P1Y2M3DT4H5M6S", "P0001-02-03T04:05:06", "-1 mon 3 days ago", "1.5 months", "5",
        "1 fortnight", "2 weeks -3 hours", "1 century", "infinity", "@ 1 minute", "00:00:00.0000001", "",
    ),
    "uuid": (
        "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11", "{A0EEBC999C0B4EF8BB6D6BB9BD380A11}", "a0eebc99", "",
    ),
    "jsonb": ("[1, 2.50, 1e2]", '{"b": 1, "a": 2, "b": 3}', '"\\u00e4"', "{", "", "nul", "[1,]", '"\\u0000"'),
    "json": ("[1]",),
    "oid": ("12", "-1", "4294967296"),
    "_int4": ("{1,2}", "{ 1 , NULL }", "{1,x}", "{1", "[2:3]={1,2}", "{{1,2},{3,4}}", "1", "{}"),
    "_text": ('{a,"b c",null,"null"}', "{a b}", '{"a\\"b"}', "{a,,b}", "{a}x"),
    "_float8": ("{1e5,NaN}",),
    "_int8": ("{1}",),
    "_bool": ("{t,no}", "{x}"),
    "_numeric": ("{1.50,2}",),
    "_date": ("{2024-01-01}",),
    "int4range": (
        "[1,5)", "[1,5]", " (1,5] ", "(1,2)", "empty", "EMPTY ", "(,)", "[1,)", "[5,1]", "[1,2", "1,2", "[1,2,3]", '["1",2]',
        "[1,2147483647]", "[ 1, 2 ]", "[a,2]", "", "[1,3000000000]",
    ),
    "int8range": ("[1,5)", "(1,9223372036854775807]", "[x,)"),
    "numrange": ("[1.5,2)", "(1,1)", "[1,1]", "[1e3,1e4]", "[NaN,)x"),
    "daterange": ("[2024-01-01,2024-01-31]", "[2024-02-30,)", "(infinity,)", "[5874897-12-31,5874897-12-31]", "[,]"),
    "tsrange": ("[2024-01-01 10:00, 2024-01-01 11:00)", '["2024-01-01 10:00",]', "[2024-01-02,2024-01-01]"),
    "tstzrange": ("[2024-01-01 10:00+02,2024-01-01 10:00Z)", "(,2024-01-01]"),
}  # fmt: skip
"""Texts as input of each type: good ones in every form, and bad ones."""
