"""Writes cases/generated: every cast, operator, function and aggregate of PostgreSQL's catalog over values.py.

    python tests/differential/regenerate.py

The files are kept so that a reader, and a diff, see what is compared.  The answers are not: they are PostgreSQL's at
the time of the test.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

import psycopg

if __package__ in (None, ""):
    sys.path.insert(0, str(Path(__file__).parents[1]))

from oracle import running_postgres

from differential.arguments import ARGUMENTS, HUGE, SPECIAL
from differential.values import EDGES, ORDINARY, TEXTS, values, written

GENERATED = Path(__file__).parent / "cases" / "generated"
POLYMORPHIC = {
    "anyelement": "int4", "anyarray": "_int4", "anynonarray": "int4", "anycompatible": "int4", "any": "int4",
    "anycompatiblearray": "_int4", "anycompatiblenonarray": "int4", "anyrange": "int4range",
}  # fmt: skip
_UNCOMPARABLE = {"jsonpath", "void", "internal", "trigger", "cstring"}


def casts(connection: psycopg.Connection) -> Iterator[str]:
    """Text to every type in every form; then every pair of types."""
    for name, texts in TEXTS.items():
        for text in texts:
            quoted = text.replace("'", "''")
            yield f"SELECT '{quoted}'::{written(name)}"
    for name in TEXTS:
        yield f"SELECT '{TEXTS[name][0]}'::text::{written(name)}, NULL::{written(name)}"
        if name != "numeric":
            yield f"SELECT v::text AS v FROM (VALUES {', '.join(f'({v})' for v in values(name))}) AS x (v)"
    castable = set(
        connection.execute(
            "SELECT s.typname, t.typname FROM pg_cast c JOIN pg_type s ON s.oid = castsource"
            " JOIN pg_type t ON t.oid = casttarget"
        ).fetchall()
    )
    for source in ORDINARY:
        for target in ORDINARY:
            if source == target:
                continue
            every = (source, target) in castable
            for value in values(source) if every else ORDINARY[source][:1]:
                yield f"SELECT ({value})::{written(target)}"


def operators(connection: psycopg.Connection) -> Iterator[str]:
    """Every operator: ordinary and extreme operands, a NULL, and an untyped literal on either side."""
    rows = connection.execute(
        "SELECT o.oprname, l.typname, r.typname FROM pg_operator o LEFT JOIN pg_type l ON l.oid = o.oprleft"
        " JOIN pg_type r ON r.oid = o.oprright ORDER BY 1, 2 NULLS FIRST, 3"
    ).fetchall()
    for sign, left, right in rows:
        left, right = POLYMORPHIC.get(left, left), POLYMORPHIC.get(right, right)
        if (
            (left is not None and left not in ORDINARY)
            or right not in ORDINARY
            or sign in _INTERNAL_OPERATORS
        ):
            continue
        if left is None:
            for value in values(right):
                yield f"SELECT {sign} ({value})"
            continue
        yield f"SELECT {ORDINARY[left][0]} {sign} {ORDINARY[right][-1]}, {ORDINARY[left][1]} {sign} {ORDINARY[right][0]}"
        yield f"SELECT {ORDINARY[left][0]} {sign} NULL, NULL {sign} {ORDINARY[right][0]}"
        if left == right:
            text = TEXTS[right][0]
            yield f"SELECT {ORDINARY[left][0]} {sign} '{text}', '{text}' {sign} {ORDINARY[left][1]}"
        for number, edge in enumerate(EDGES[left]):
            others = EDGES[right] or ORDINARY[right]
            yield f"SELECT {edge} {sign} {others[number % len(others)]}"
            if number == 0:
                yield f"SELECT {edge} {sign} {ORDINARY[right][0]}"
        for edge in EDGES[right][:2]:
            yield f"SELECT {ORDINARY[left][0]} {sign} {edge}"


_INTERNAL_OPERATORS = {"~>~", "~<~", "~>=~", "~<=~", "*=", "*<>", "*<", "*>", "*<=", "*>="}
"""Those of operator classes, which nobody writes."""


def operators_of_other_types() -> Iterator[str]:
    """Which pairs of types have an operator at all: `=`, `+`, `||` and `<` over all of them."""
    for left in ORDINARY:
        for right in ORDINARY:
            if left != right:
                sign = ("=", "+", "||", "<")[(len(left) + 3 * len(right)) % 4]
                yield f"SELECT {ORDINARY[left][0]} {sign} {ORDINARY[right][0]}"


def functions(connection: psycopg.Connection) -> Iterator[str]:
    """Every signature of every documented function over our types."""
    rows = connection.execute(
        """SELECT p.proname, p.proretset, p.provariadic <> 0, p.pronargs, p.pronargdefaults,
             ARRAY(SELECT t.typname::text FROM unnest(p.proargtypes) WITH ORDINALITY a (o, n)
                   JOIN pg_type t ON t.oid = a.o ORDER BY n)
           FROM pg_proc p JOIN pg_type r ON r.oid = p.prorettype
           WHERE p.prokind = 'f' AND p.pronamespace = 11 AND p.provolatile <> 'v' AND r.typname <> ALL (%s)
             AND NOT EXISTS (SELECT FROM pg_operator o WHERE o.oprcode = p.oid AND p.proname <> ALL (%s))
             AND NOT EXISTS (SELECT FROM pg_cast c WHERE c.castfunc = p.oid AND p.proname <> ALL (%s))
             AND p.proname = ANY (%s)
           ORDER BY 1, 6""",
        (sorted(_UNCOMPARABLE), DOCUMENTED, DOCUMENTED, DOCUMENTED),
    ).fetchall()
    for name, _, variadic, count, _, types in rows:
        types = [POLYMORPHIC.get(t, t) for t in types]
        if any(t not in ORDINARY and t != "jsonpath" for t in types):
            continue
        yield from _calls(name, types, variadic, count)
    for name, lists in SPECIAL.items():
        for arguments in lists:
            yield arguments if arguments.startswith("SELECT") else f"SELECT {name}({arguments})"


def _calls(name: str, types: list[str], variadic: bool, count: int) -> Iterator[str]:
    keyword = "VARIADIC " if variadic and types[-1].startswith("_") else ""

    def call(arguments: Iterable[str]) -> str:
        given = list(arguments)
        if keyword:
            given[-1] = keyword + given[-1]
        return f"SELECT {name}({', '.join(given)})"

    if not types:
        yield f"SELECT {name}()"
        return
    chosen = [ARGUMENTS.get((name, i), ORDINARY.get(type_, ())) for i, type_ in enumerate(types)]
    if not all(chosen):
        return
    for number in range(max(2, *(len(c) if (name, i) in ARGUMENTS else 2 for i, c in enumerate(chosen)))):
        yield call(c[(number + i) % len(c)] for i, c in enumerate(chosen))
    yield call(["NULL", *(c[0] for c in chosen[1:])])
    if count > 1:
        yield call(
            [*(c[0] for c in chosen[:-1]), f"NULL::{written(types[-1])}" if types[-1] in ORDINARY else "NULL"]
        )
    for position, type_ in enumerate(types):
        if (name, position) in ARGUMENTS or (name in HUGE and type_.startswith("int")):
            continue
        for edge in EDGES.get(type_, ()):
            yield call(edge if i == position else c[0] for i, c in enumerate(chosen))


COLUMNS = {
    "i2": "int2", "i4": "int4", "i8": "int8", "f4": "float4", "f8": "float8", "n": "numeric", "n2": "numeric", "b": "bool",
    "s": "text", "vc": "varchar", "by": "bytea", "d": "date", "t": "time", "ts": "timestamp", "tz": "timestamptz",
    "iv": "interval", "u": "uuid", "j": "jsonb", "ia": "_int4", "ta": "_text", "r": "int4range", "dr": "daterange",
}  # fmt: skip
"""The columns of the table `every`."""


def columns(connection: psycopg.Connection) -> Iterator[str]:
    """Casts, operators and functions of one argument over whole columns; every column ordered, grouped and joined."""
    castable = connection.execute(
        "SELECT s.typname, t.typname FROM pg_cast c JOIN pg_type s ON s.oid = castsource"
        " JOIN pg_type t ON t.oid = casttarget ORDER BY 1, 2"
    ).fetchall()
    unary = connection.execute(
        "SELECT DISTINCT p.proname, t.typname FROM pg_proc p JOIN pg_type t ON t.oid = p.proargtypes[0]"
        " WHERE p.pronargs = 1 AND p.prokind = 'f' AND p.provolatile <> 'v' AND p.proname = ANY (%s) ORDER BY 1, 2",
        (DOCUMENTED,),
    ).fetchall()
    binary = connection.execute(
        "SELECT DISTINCT o.oprname, l.typname, r.typname FROM pg_operator o JOIN pg_type l ON l.oid = o.oprleft"
        " JOIN pg_type r ON r.oid = o.oprright ORDER BY 1, 2, 3"
    ).fetchall()
    of = {typname: name for name, typname in COLUMNS.items()}
    for name, typname in COLUMNS.items():
        yield f"SELECT id, {name} FROM every ORDER BY {name} NULLS FIRST, id"
        yield f"SELECT id, {name} FROM every ORDER BY {name} DESC, id LIMIT 3"
        yield f"SELECT {name}, count(*), min(id) FROM every GROUP BY {name}"
        yield f"SELECT DISTINCT {name} FROM every"
        yield f"SELECT x.id, y.id FROM every x JOIN every y ON x.{name} = y.{name}"
        yield f"SELECT x.id, y.id FROM every x LEFT JOIN every y ON x.{name} < y.{name}"
        yield f"SELECT id, {name}::text, {name} IS NULL, {name} IS NOT DISTINCT FROM (SELECT {name} FROM every WHERE id = 1) FROM every"
        yield f"SELECT {name} FROM every WHERE {name} IN (SELECT {name} FROM every WHERE id = 5)"
        yield f"SELECT {name} FROM every UNION SELECT {name} FROM every"
        yield f"SELECT {name} FROM every EXCEPT ALL SELECT {name} FROM every WHERE id = 1"
        yield f"SELECT id, lag({name}) OVER (ORDER BY id), first_value({name}) OVER (ORDER BY id DESC) FROM every"
        yield f"SELECT id, CASE WHEN id > 2 THEN {name} END, coalesce({name}, (SELECT {name} FROM every WHERE id = 1)) FROM every"
        yield f"SELECT min({name}), max({name}), count({name}), count(DISTINCT {name}) FROM every"
        yield f"SELECT array_agg({name} ORDER BY id) FROM every WHERE id < 4"
        for source, target in castable:
            if source == typname and target in ORDINARY:
                yield f"SELECT id, {name}::{written(target)} FROM every"
    for function, typname in unary:
        if (column := of.get(POLYMORPHIC.get(typname, typname))) is not None:
            yield f"SELECT id, {function}({column}) FROM every WHERE id <> 3"
    for sign, left, right in binary:
        a, b = of.get(POLYMORPHIC.get(left, left)), of.get(POLYMORPHIC.get(right, right))
        if a is not None and b is not None and sign not in _INTERNAL_OPERATORS:
            yield f"SELECT x.id, y.id, x.{a} {sign} y.{b} FROM every x, every y WHERE x.id < 4"


def aggregates(connection: psycopg.Connection) -> Iterator[str]:
    """Every aggregate over every type that it takes, in all forms of a call, over values with NULLs and repetitions."""
    rows = connection.execute(
        """SELECT p.proname, ARRAY(SELECT t.typname::text FROM unnest(p.proargtypes) WITH ORDINALITY a (o, n)
                   JOIN pg_type t ON t.oid = a.o ORDER BY n)
           FROM pg_proc p JOIN pg_aggregate a ON a.aggfnoid = p.oid WHERE p.prokind = 'a' AND a.aggkind = 'n' ORDER BY 1, 2"""
    ).fetchall()
    for name, types in rows:
        if any(t not in ORDINARY and t not in POLYMORPHIC for t in types) or not types:
            continue
        wide = ["int4", "text", "numeric", "jsonb", "int4range"] if types[0] in POLYMORPHIC else [types[0]]
        for first in wide:
            actual = [first, *(POLYMORPHIC.get(t, t) for t in types[1:])]
            rows_of = ", ".join(
                f"({k}, {', '.join(ORDINARY[t][(k + i) % len(ORDINARY[t])] for i, t in enumerate(actual))})"
                for k in (1, 2, 2, 3)
            )
            columns = [f"x{i}" for i in range(len(actual))]
            nulls = ", ".join(f"NULL::{written(t)}" for t in actual)
            source = f"(VALUES {rows_of}, (3, {nulls})) AS s (k, {', '.join(columns)})"
            given = ", ".join(columns)
            order = f" ORDER BY {given}" if name in _ORDERED and first != "json" else ""
            yield f"SELECT {name}({given}{order}) FROM {source}"
            yield f"SELECT k, {name}({given}{order}), count(*) FROM {source} GROUP BY k"
            yield f"SELECT {name}({given}{order}) FILTER (WHERE k > 2), {name}({given}{order}) FILTER (WHERE k > 9) FROM {source}"
            if len(actual) == 1:
                yield f"SELECT {name}(DISTINCT {given}{order}) FROM {source}"
            yield f"SELECT {name}({given}) FROM {source} WHERE false"


_ORDERED = {
    "array_agg", "string_agg", "json_agg", "jsonb_agg", "json_agg_strict", "jsonb_agg_strict", "jsonb_object_agg", "any_value",
    "json_object_agg",
}  # fmt: skip


def _words(text: str) -> list[str]:
    return text.split()


DOCUMENTED = _words("""
abs acos acosd acosh age array_append array_cat array_dims array_fill array_length array_lower array_ndims array_position
array_positions array_prepend array_remove array_replace array_reverse array_sort array_to_json array_to_string array_upper ascii
asin asind asinh atan atan2 atan2d atand atanh bit_count bit_length btrim cardinality casefold cbrt ceil ceiling char_length
character_length chr concat concat_ws convert convert_from convert_to cos cosd cosh cot cotd crc32 crc32c date_add date_bin
date_part date_subtract date_trunc decode degrees div encode erf erfc exp factorial floor format format_type gamma gcd
generate_series generate_subscripts get_bit get_byte initcap is_normalized isfinite json_array_elements json_array_elements_text
json_array_length json_extract_path json_extract_path_text json_object json_object_keys json_strip_nulls json_typeof
jsonb_array_elements jsonb_array_elements_text jsonb_array_length jsonb_build_array jsonb_build_object jsonb_each jsonb_each_text
jsonb_extract_path jsonb_extract_path_text jsonb_insert jsonb_object jsonb_object_keys jsonb_pretty jsonb_set jsonb_set_lax
jsonb_strip_nulls jsonb_typeof justify_days justify_hours justify_interval lcm left length lgamma ln log log10 lower lpad ltrim
make_date make_interval make_time make_timestamp make_timestamptz md5 min_scale mod normalize num_nonnulls num_nulls octet_length
overlay parse_ident pg_size_bytes pg_size_pretty pi position pow power quote_ident quote_literal quote_nullable radians
regexp_count regexp_instr regexp_like regexp_match regexp_matches regexp_replace regexp_split_to_array regexp_split_to_table
regexp_substr repeat replace reverse right round rpad rtrim scale set_bit set_byte sha224 sha256 sha384 sha512 sign sin sind sinh
split_part sqrt starts_with string_to_array string_to_table strpos substr substring tan tand tanh timezone to_ascii to_bin to_char
to_date to_hex to_json to_jsonb to_number to_oct to_timestamp translate trim_array trim_scale trunc unicode_assigned
unistr unnest upper uuid_extract_timestamp uuid_extract_version width_bucket
int4range int8range numrange daterange tsrange tstzrange isempty lower_inc lower_inf upper_inc upper_inf range_merge
bool int4 float8 text date
""")
"""The functions of the manual's chapter 9, and names of types that can be called."""


def write(name: str, lines: Iterable[str]) -> int:
    found = list(dict.fromkeys(lines))
    GENERATED.mkdir(parents=True, exist_ok=True)
    (GENERATED / f"{name}.sql").write_text("\n".join(found) + "\n")
    return len(found)


def main() -> None:
    with running_postgres() as uri, psycopg.connect(uri) as connection:
        print("casts", write("casts", casts(connection)))
        print("operators", write("operators", operators(connection)))
        print("operators_of_other_types", write("operators_of_other_types", operators_of_other_types()))
        print("functions", write("functions", functions(connection)))
        print("columns", write("columns", columns(connection)))
        print("aggregates", write("aggregates", aggregates(connection)))


if __name__ == "__main__":
    main()
