"""What a piece of Jinja in a model stands for, as far as that is known before dbt compiles it.

Calls of dbt's cross-database macros, and of those of dbt_utils that write an expression, are values: the adapter writes PostgreSQL's SQL for
them, which is what stands around them when the model is ported.  Their arguments are to be names and numbers, as SQL in them is not read.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from jinja2 import Environment, nodes
from jinja2.exceptions import TemplateError

from ..dialects.values import Kind
from .templates import Dynamic, Inline, Meaning, Nothing, Opaque, Piece, PieceKind, Relation

_JINJA = Environment(extensions=["jinja2.ext.do"])

_TEXT, _INT, _BOOL, _ZONED = Kind.TEXT, Kind.INT, Kind.BOOL, Kind.TIMESTAMPTZ

_MACROS: dict[str, tuple[Kind | None, str | None]] = {
    "generate_surrogate_key": (_TEXT, "''"),
    "surrogate_key": (_TEXT, "''"),
    "concat": (_TEXT, "''"),
    "hash": (_TEXT, "''"),
    "length": (_INT, "0"),
    "position": (_INT, "0"),
    "replace": (_TEXT, "''"),
    "right": (_TEXT, "''"),
    "split_part": (_TEXT, "''"),
    "string_literal": (_TEXT, "''"),
    "cast_bool_to_text": (_TEXT, "''"),
    "datediff": (_INT, "0"),
    "dateadd": (None, None),
    "date_trunc": (None, None),
    "last_day": (None, None),
    "safe_cast": (None, None),
    "any_value": (None, None),
    "bool_or": (_BOOL, "true"),
    "listagg": (_TEXT, "''"),
    "safe_divide": (None, None),
    "safe_add": (None, None),
    "safe_subtract": (None, None),
    "current_timestamp": (_ZONED, "now()"),
    "get_url_host": (_TEXT, "''"),
    "get_url_path": (_TEXT, "''"),
    "get_url_parameter": (_TEXT, "''"),
}
"""Of dbt and dbt_utils: the kind of the value, and one for the planner."""

_TYPES: dict[str, Mapping[str, str]] = {
    "type_string": {"bigquery": "string", "": "varchar"},
    "type_timestamp": {"snowflake": "timestamp_ntz", "databricks": "timestamp", "": "timestamp"},
    "type_float": {"bigquery": "float64", "databricks": "double", "duckdb": "double", "": "float"},
    "type_numeric": {"snowflake": "number(28,6)", "bigquery": "numeric", "": "numeric(28,6)"},
    "type_bigint": {"bigquery": "int64", "": "bigint"},
    "type_int": {"bigquery": "int64", "": "int"},
    "type_boolean": {"bigquery": "bool", "": "boolean"},
}
"""As dbt writes them for the dialects."""

_FOREIGN = (
    "The model keeps its dialect, and a package's macro may write PostgreSQL's SQL into it, as it knows the adapter:"
    " look at what is left in target/translated, or write the model in PostgreSQL's SQL."
)
_PACKAGES = ("dbt", "dbt_utils")
_WRAPPED = re.compile(r"[A-Za-z_][\w.]*|\d+(\.\d+)?|'[^']*'|")


@dataclass(slots=True)
class Known:
    """Of the project: names of models and seeds with those they have in the warehouse, sources likewise, `vars`, and its own macros."""

    dialect: str
    refs: Mapping[str, str] = field(default_factory=dict)
    sources: Mapping[tuple[str, str], str] = field(default_factory=dict)
    variables: Mapping[str, Any] = field(default_factory=dict)
    macros: frozenset[str] = frozenset()


@dataclass(slots=True)
class Reader:
    """The meanings of one file's Jinja.  `read`: keys of relations that it reads.  `macros`: those that write PostgreSQL's SQL."""

    known: Known
    this: str
    this_name: str
    assigned: dict[str, Any] = field(default_factory=dict)
    read: set[str] = field(default_factory=set)
    macros: set[str] = field(default_factory=set)

    def __call__(self, piece: Piece) -> Meaning:
        if piece.kind is PieceKind.TAG:
            self._set(piece)
            return Nothing()
        node = expression(piece)
        if isinstance(node, nodes.Call):
            meaning = self._call(node, piece)
            if isinstance(meaning, Relation):
                self.read.add(meaning.key)
            return meaning
        name = dotted(node)
        match name:
            case "this":
                return Relation(self.this, self.this_name)
            case "invocation_id":
                return Opaque(_TEXT, None, "''")
            case "run_started_at" | "target.name" | "target.schema" | "target.database":
                return Opaque(None, None, in_quotes=True)
        if name in self.assigned:
            return _value(self.assigned[name], piece)
        raise Dynamic(f"`{piece.code}`", piece.start)

    def _set(self, piece: Piece) -> None:
        name, _, code = piece.code[3:].partition("=")
        try:
            self.assigned[name.strip()] = _expression_of(code).as_const()
        except (nodes.Impossible, TemplateError, AttributeError, IndexError):
            self.assigned.pop(name.strip(), None)

    def _call(self, node: nodes.Call, piece: Piece) -> Meaning:
        name, arguments = dotted(node.node), _constants(node)
        match name, arguments:
            case "config", _:
                return Nothing()
            case "ref", [*_, str(model)] if arguments and not node.kwargs:
                if model not in self.known.refs:
                    raise Dynamic(f"a relation of a package, {model}", piece.start)
                return Relation(f"ref:{model}", self.known.refs[model])
            case "source", [str(source), str(table)]:
                known = self.known.sources.get((source, table), table)
                return Relation(f"source:{source}.{table}", known)
            case "var", [str(variable), *default] if len(default) < 2:
                if variable in self.known.variables or default:
                    return _value(self.known.variables.get(variable, *default), piece)
                return _value(None, piece)
            case "env_var", [str(), *_]:
                return _value(None, piece)
            case "return" | "log" | "print" | "exceptions.raise_compiler_error", _:
                raise Dynamic(f"`{piece.code}`", piece.start)
        return self._macro(name, node, piece)

    def _macro(self, name: str, node: nodes.Call, piece: Piece) -> Meaning:
        package, _, macro = name.rpartition(".")
        if package in _PACKAGES or (not package and macro not in self.known.macros):
            if macro in _TYPES or macro in _MACROS:
                self.macros.add(name)
            if macro in _TYPES:
                types = _TYPES[macro]
                return Inline(types.get(self.known.dialect, types[""]))
            if macro in _MACROS and all(_plain(one) for one in (*node.args, *(k.value for k in node.kwargs))):
                kind, shown = _MACROS[macro]
                return Opaque(kind, None, shown)
            if macro in _MACROS:
                raise Dynamic(f"SQL in an argument of {name}", piece.start)
        foreign = bool(name) and macro not in self.known.macros
        raise Dynamic(
            f"the macro {name}" if name else f"`{piece.code}`", piece.start, _FOREIGN if foreign else None
        )


def _value(value: Any, piece: Piece) -> Meaning:
    """A text is a value in quotes, and any SQL outside of them."""
    match value:
        case bool():
            return Opaque(_BOOL, None, "true" if value else "false")
        case int():
            return Opaque(_INT, None, str(value))
        case float():
            return Opaque(None, None, str(value))
        case str():
            return Opaque(None, value, in_quotes=True)
    if value is None:
        return Opaque(None, None, in_quotes=True)
    raise Dynamic(f"`{piece.code}`", piece.start)


def expression(piece: Piece) -> nodes.Node:
    try:
        found: nodes.Node = _expression_of(piece.code)
    except (TemplateError, AttributeError, IndexError):
        raise Dynamic(f"`{piece.code}`", piece.start) from None
    return found


def _expression_of(code: str) -> Any:
    """The one expression in it."""
    (output,) = _JINJA.parse("{{" + code + "}}").body
    (found,) = output.nodes  # type: ignore[attr-defined]
    return found


def dotted(node: nodes.Node) -> str:
    """`a.b`; empty for what is no name."""
    if isinstance(node, nodes.Name):
        return node.name
    if isinstance(node, nodes.Getattr):
        before = dotted(node.node)
        return f"{before}.{node.attr}" if before else ""
    return ""


def _constants(node: nodes.Call) -> list[Any] | None:
    try:
        return [one.as_const() for one in node.args]
    except nodes.Impossible:
        return None


def _plain(node: nodes.Expr) -> bool:
    """A name of a column, a number, a part of a date, or a list of these."""
    try:
        value = node.as_const()
    except nodes.Impossible:
        return isinstance(node, nodes.Call) and dotted(node.node).rpartition(".")[2] in (
            "ref",
            "source",
            "current_timestamp",
            *_TYPES,
        )
    values = value if isinstance(value, list | tuple) else [value]
    return all(not isinstance(one, str) or _WRAPPED.fullmatch(one) is not None for one in values)


_REF = re.compile(r"""\bref\(\s*(?:['"][\w-]+['"]\s*,\s*)?['"](\w+)['"]\s*[,)]""")


def refs(code: str) -> list[str]:
    """Names of what a template reads by `ref`, wherever in it: as far as they are written out."""
    return list(dict.fromkeys(_REF.findall(code)))
