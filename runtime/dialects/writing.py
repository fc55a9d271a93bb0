"""What a rule is given, and how rules are found.

A rule makes PostgreSQL's text of one kind of node.  It names the node's arguments that it takes account of; a node with any other is
refused before the rule is asked, whatever a later version of sqlglot puts there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Protocol

from sqlglot import exp

from ..errors import Unsupported
from ..expr.text.keywords import RESERVED
from .scope import Columns, Scope
from .values import Kind, Value, most_of

ALL = ("bigquery", "databricks", "duckdb", "redshift", "snowflake")


@dataclass(frozen=True, slots=True)
class Query:
    """`columns`: what it selects, None where that is not known."""

    sql: str
    columns: Columns | None


class Writer(Protocol):
    """The rules' view of a translation that is under way."""

    dialect: str
    scope: Scope

    def expression(self, node: exp.Expr) -> Value: ...

    def query(self, node: exp.Expr) -> Query: ...

    def name(self, identifier: exp.Expr) -> str: ...

    def called(self, node: exp.Expr) -> str: ...

    def refused(self, node: exp.Expr, what: str, hint: str | None = None) -> Unsupported: ...


Rule = Callable[[Writer, exp.Expr], Value]


@dataclass(frozen=True, slots=True)
class _Known:
    node: type[exp.Expr]
    arguments: frozenset[str]
    rule: Rule


@dataclass(slots=True)
class Rules:
    """`functions` by dialect and the name that is called, `forms` by dialect and node, for what has no such name."""

    functions: dict[tuple[str, str], list[_Known]] = field(default_factory=dict)
    forms: dict[tuple[str, type[exp.Expr]], _Known] = field(default_factory=dict)

    def function(
        self, names: str, node: type[exp.Expr], arguments: str = "this", dialects: Iterable[str] = ALL
    ) -> Callable[[Rule], Rule]:
        def add(rule: Rule) -> Rule:
            known = _Known(node, frozenset(arguments.split()), rule)
            for dialect in dialects:
                for name in names.split():
                    self.functions.setdefault((dialect, name), []).append(known)
            return rule

        return add

    def form(
        self, node: type[exp.Expr], arguments: str = "this", dialects: Iterable[str] = ALL
    ) -> Callable[[Rule], Rule]:
        def add(rule: Rule) -> Rule:
            for dialect in dialects:
                assert (dialect, node) not in self.forms, (dialect, node)
                self.forms[dialect, node] = _Known(node, frozenset(arguments.split()), rule)
            return rule

        return add

    def write(self, w: Writer, node: exp.Expr) -> Value:
        name = w.called(node)
        for known in self.functions.get((w.dialect, name), ()) if name else ():
            if type(node) is known.node:
                check_arguments(w, node, known.arguments)
                return known.rule(w, node)
        form = self.forms.get((w.dialect, type(node)))
        if form is None or name:
            what = f"{name}()" if name else node.key.replace("_", " ").upper()
            raise w.refused(node, f"{what} of {w.dialect} is not translated", _HINTS.get(name or node.key))
        check_arguments(w, node, form.arguments)
        return form.rule(w, node)


_HINTS = {
    "approx_count_distinct": "Write COUNT(DISTINCT ...).",
    "approx_distinct": "Write COUNT(DISTINCT ...).",
    "initcap": "Words begin elsewhere in PostgreSQL: write upper(left(...)) and lower(substr(...)).",
    "flatten": "Write the model in PostgreSQL's SQL: CROSS JOIN LATERAL jsonb_array_elements(...).",
    "regexplike": "Regular expressions differ: write the model in PostgreSQL's SQL (~), or use LIKE.",
    "jsonextract": "Write the model in PostgreSQL's SQL: -> and ->>.",
}


def check_arguments(w: Writer, node: exp.Expr, known: Iterable[str]) -> None:
    for name, value in node.args.items():
        if value not in (None, False, []) and name not in known:
            what = w.called(node) or node.key
            raise w.refused(node, f"{name.rstrip('_').replace('_', ' ')} of {what} is not translated")


def quote(name: str) -> str:
    simple = name.isascii() and name.isidentifier() and name == name.lower() and name not in RESERVED
    return name if simple else '"' + name.replace('"', '""') + '"'


def require(w: Writer, node: exp.Expr, value: Value, kinds: frozenset[Kind], what: str) -> Value:
    """The value, which is to be known to be of one of the kinds."""
    if value.kind in kinds or value.kind is Kind.NULL:
        return value
    kind = value.kind
    if kind is None:
        raise w.refused(
            node,
            f"{what} depends on the type of {value.sql}, which is not known",
            "Cast it: CAST(... AS a type).",
        )
    if kind is Kind.WHOLE:
        raise w.refused(
            node,
            f"{what} depends on whether this is an integer or a float in {w.dialect}, which is not known here",
            _WHOLE,
        )
    wanted = " or ".join(sorted(one.value for one in kinds))
    raise w.refused(node, f"{what} of {kind.value} is not translated, of {wanted} it is", "Cast it.")


_WHOLE = "Cast it to INTEGER; of a date, EXTRACT is an integer."


def accept(w: Writer, node: exp.Expr, value: Value, kinds: frozenset[Kind], what: str) -> Value:
    """The value, which is of one of the kinds or not known to be: where PostgreSQL refuses others."""
    return value if value.kind is None else require(w, node, value, kinds, what)


def whole(w: Writer, node: exp.Expr, what: str, least: int) -> int:
    """A whole number that is written out."""
    if isinstance(node, exp.Literal) and str(node.this).isdigit() and int(node.this) >= least:
        return int(node.this)
    raise w.refused(node, f"{what} is translated if it is a number that is written out, {least} or more")


_FAMILIES = (
    (Kind.INT, Kind.NUMERIC, Kind.FLOAT),
    (Kind.DATE, Kind.TIMESTAMP, Kind.TIMESTAMPTZ),
)
"""Kinds that go together become the last of those that are there."""


def unify(w: Writer, node: exp.Expr, values: Iterable[Value]) -> Value:
    """The kind that values of one column have in common; texts and others have none."""
    given = [value for value in values if value.kind is not Kind.NULL]
    kinds = {value.kind for value in given} - {None}
    if len(kinds) > 1 and not any(kinds <= set(family) for family in _FAMILIES):
        names = " and ".join(sorted(kind.value for kind in kinds if kind is not None))
        raise w.refused(
            node, f"{names} in one place: dialects differ in what becomes of them", "Cast them to one type."
        )
    if not given:
        return Value("", Kind.NULL)
    if any(value.kind is None for value in given):
        return Value("")
    if len(kinds) == 1:
        scales = {value.scale for value in given}
        scale = scales.pop() if len(scales) == 1 else None
        return Value("", given[0].kind, scale, most=_most(given))
    (family,) = (family for family in _FAMILIES if kinds <= set(family))
    return Value("", next(kind for kind in reversed(family) if kind in kinds), most=_most(given))


def _most(values: Iterable[Value]) -> int | None:
    digits = [most_of(value) for value in values]
    return None if None in digits else max(one for one in digits if one is not None)
