"""Typed expressions, drawn at random: functions, operators and casts inside one another, over one row of values.

What there is to draw from are PostgreSQL's own signatures (pg_proc, pg_operator, pg_cast) of functions that the registry
has, over the types of `TYPES`; a few constructs of SQL come on top.  The values are columns, so that neither side computes
anything beforehand.  Left out is what deviates by nature once it is an argument of something else: the last digits of a
quotient or a sine, and a `numeric` as text.  They stand at the top only.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from random import Random
from typing import Any

import psycopg
from ptvc.expr.registry import FUNCTIONS

from .arguments import ARGUMENTS, HUGE
from .suite import Failure, Finding, Verdict
from .values import ORDINARY, values, written

TYPES = (
    "bool", "int2", "int4", "int8", "float4", "float8", "numeric", "text", "bytea", "date", "time", "timestamp", "timestamptz",
    "interval", "uuid", "jsonb", "_int4", "_text", "int4range",
)  # fmt: skip


def columns() -> dict[str, list[str]]:
    """By type, the columns of the table `leaves`: its values, and a NULL."""
    return {
        name: [f"{name.strip('_')}{'s' * name.startswith('_')}_{i}" for i in range(len(values(name)) + 1)]
        for name in TYPES
    }


def leaves() -> list[str]:
    """Makes the table."""
    names = columns()
    shape = ", ".join(f"{column} {written(type_)}" for type_ in TYPES for column in names[type_])
    row = ", ".join(value for type_ in TYPES for value in (*values(type_), "NULL"))
    return [f"CREATE TABLE leaves ({shape})", f"INSERT INTO leaves VALUES ({row})"]


_POLYMORPHIC = {
    "anyelement": "int4", "anycompatible": "int4", "anynonarray": "int4", "anyarray": "_int4", "anycompatiblearray": "_int4",
    "anyrange": "int4range",
}  # fmt: skip
_NEVER = HUGE | {
    "age", "concat", "concat_ws", "format", "num_nulls", "num_nonnulls", "quote_literal", "quote_nullable", "to_jsonb",
    "jsonb_build_array", "jsonb_build_object", "repeat", "chr", "to_timestamp", "array_position", "string_to_array", "timezone",
    "set_bit", "set_byte", "extract", "overlaps", "regexp_count", "regexp_instr", "exp", "jsonb_path_query",
}  # fmt: skip
"""Huge, with a syntax of their own, of no fixed signature, or errors nearly always."""

_KNOWN_BEFOREHAND = ("NULL", "'nonsense'")
"""Constants that decide a call whatever the values are."""

_ROUGH_OPERATORS = frozenset(("/", "^", "|/", "||/"))


@dataclass(frozen=True, slots=True)
class Signature:
    """`form` has a `{}` for each argument.  A `rough` one may differ in its last digits."""

    form: str
    arguments: tuple[str, ...]
    result: str
    rough: bool
    name: str = ""


def signatures(connection: psycopg.Connection[Any]) -> list[Signature]:
    """All that may be drawn, in an order that depends on PostgreSQL's catalog only."""
    found: list[Signature] = []
    functions = connection.execute(
        """SELECT p.proname, r.typname, ARRAY(SELECT t.typname::text FROM unnest(p.proargtypes) WITH ORDINALITY a (o, n)
                  JOIN pg_type t ON t.oid = a.o ORDER BY n)
           FROM pg_proc p JOIN pg_type r ON r.oid = p.prorettype
           WHERE p.prokind = 'f' AND NOT p.proretset AND p.provolatile <> 'v' AND p.pronamespace = 11 AND p.provariadic = 0
           ORDER BY 1, 3"""
    ).fetchall()
    for name, result, types in functions:
        if name in FUNCTIONS and name not in _NEVER:
            found += _signature(f"{name}({', '.join(['{}'] * len(types))})", types, result, name)
    operators = connection.execute(
        """SELECT o.oprname, l.typname, r.typname, t.typname FROM pg_operator o LEFT JOIN pg_type l ON l.oid = o.oprleft
           JOIN pg_type r ON r.oid = o.oprright JOIN pg_type t ON t.oid = o.oprresult ORDER BY 1, 2 NULLS FIRST, 3"""
    ).fetchall()
    for sign, left, right, result in operators:
        if (sign.startswith("*") and len(sign) > 1) or sign in ("~<~", "~>~", "~<=~", "~>=~", "@@"):
            continue
        form, types = (
            ("({} " + sign + " {})", [left, right]) if left is not None else ("(" + sign + " {})", [right])
        )
        found += _signature(form, types, result, sign)
    casts = connection.execute(
        "SELECT s.typname, t.typname FROM pg_cast c JOIN pg_type s ON s.oid = castsource"
        " JOIN pg_type t ON t.oid = casttarget ORDER BY 1, 2"
    ).fetchall()
    casts += [(name, "text") for name in TYPES if name != "numeric"] + [("text", name) for name in TYPES]
    for source, target in dict.fromkeys(casts):
        if source in TYPES and target in TYPES:
            found += _signature("({})::" + written(target), [source], target, "::")
    return found


def _signature(form: str, types: list[str], result: str, name: str) -> list[Signature]:
    types, result = [_POLYMORPHIC.get(t, t) for t in types], _POLYMORPHIC.get(result, result)
    if not types or result not in TYPES or any(t not in TYPES for t in types):
        return []
    digits = result in ("float4", "float8", "numeric") and name not in (
        "+",
        "-",
        "*",
        "%",
        "::",
        "abs",
        "@",
        "floor",
        "ceil",
    )
    rough = digits or name in _ROUGH_OPERATORS or (result == "interval" and name in ("*", "/"))
    return [Signature(form, tuple(types), result, rough, name)]


class Expressions:
    def __init__(self, random: Random, signatures: list[Signature]) -> None:
        self.random = random
        self._all = signatures
        self._columns = columns()
        self._depth = 1
        self._of: dict[str, list[Signature]] = {name: [] for name in TYPES}
        for signature in signatures:
            self._of[signature.result].append(signature)

    def statement(self) -> tuple[str, bool]:
        """A query, and whether it is one call, so that there is one error that it may give."""
        self._depth = self.random.choice((1, 1, 2, 3))
        call = self.call(self.random.choice(self._all), self._depth)
        return f"SELECT {call} AS x FROM leaves", self._depth == 1

    def call(self, signature: Signature, depth: int) -> str:
        arguments = [
            self.random.choice([a for a in ARGUMENTS[signature.name, i] if a not in _KNOWN_BEFOREHAND])
            if (signature.name, i) in ARGUMENTS
            else self.draw(type_, depth - 1)
            for i, type_ in enumerate(signature.arguments)
        ]
        if depth < self._depth and all((signature.name, i) in ARGUMENTS for i in range(len(arguments))):
            arguments[0] = (
                f"CASE WHEN bool_0 THEN {arguments[0]} END"  # PostgreSQL computes constants beforehand
            )
        for place, argument in enumerate(arguments):
            if argument.startswith("-"):  # `--` begins a comment
                arguments[place] = f"({argument})"
        return signature.form.format(*arguments)

    def draw(self, type_: str, depth: int) -> str:
        """An expression of the type, at most `depth` calls deep."""
        if depth <= 0 or self.random.random() < 0.2:
            return self._leaf(type_)
        if self.random.random() < 0.15:
            return self._construct(type_, depth)
        exact = [signature for signature in self._of[type_] if not signature.rough]
        return self.call(self.random.choice(exact), depth) if exact else self._leaf(type_)

    def _leaf(self, type_: str) -> str:
        names = self._columns[type_]
        ordinary = len(ORDINARY[type_])
        return self.random.choice(names[:ordinary] if self.random.random() < 0.6 else names)

    def _construct(self, type_: str, depth: int) -> str:
        one, other = self.draw(type_, depth - 1), self.draw(type_, depth - 1)
        if type_ == "bool":
            inner = self.random.choice(sorted(TYPES))
            value = self.draw(inner, depth - 1)
            return self.random.choice(
                (
                    f"({one} AND {other})", f"({one} OR NOT {other})", f"({value} IS NULL)",
                    f"({value} IS DISTINCT FROM {self.draw(inner, depth - 1)})", f"({one} IS NOT TRUE)",
                    f"({value} IN ({self._leaf(inner)}, {self._leaf(inner)}))",
                )
            )  # fmt: skip
        return self.random.choice(
            (
                f"CASE WHEN {self.draw('bool', depth - 1)} THEN {one} ELSE {other} END",
                f"coalesce({one}, {other})",
                f"nullif({one}, {other})",
                f"greatest({one}, {other})",
            )
        )


def judged(found: Finding, one: bool) -> Finding:
    """Deviations of docs/sql/deviations.md that no list of statements can name."""
    if found.verdict is not Verdict.WRONG or not isinstance(found.ours, Failure):
        return found
    too_long = found.ours.message == "value overflows numeric format"
    theirs = found.theirs.sqlstate if isinstance(found.theirs, Failure) else ""
    another = theirs[:2] == found.ours.sqlstate[:2] == "22" and not one
    no_date = found.ours.sqlstate == "22007" and theirs in ("22008", "22023")
    return replace(found, verdict=Verdict.DEVIATING) if too_long or another or no_date else found
