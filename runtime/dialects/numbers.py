"""Functions of numbers."""

from __future__ import annotations

from sqlglot import exp

from .arithmetic import as_float
from .casts import half_away
from .values import EXACT, NUMBERS, Kind, Value
from .writing import Rules, Writer, require, whole

RULES = Rules()
function, form = RULES.function, RULES.form


def number(w: Writer, node: exp.Expr, name: str = "this") -> Value:
    return require(w, node, w.expression(node.args[name]), NUMBERS, w.called(node) or node.key)


@function("abs", exp.Abs)
def absolute(w: Writer, node: exp.Expr) -> Value:
    value = number(w, node)
    return Value(f"abs({value.sql})", value.kind, value.scale)


@function("sign", exp.Sign, "this")
def sign(w: Writer, node: exp.Expr) -> Value:
    value = require(w, node, w.expression(node.this), EXACT, "SIGN")
    return Value(f"CAST(sign({value.sql}) AS integer)", Kind.INT)


@function("round", exp.Round, "this decimals casts_non_integer_decimals")
def round_(w: Writer, node: exp.Expr) -> Value:
    """Half away from zero."""
    value = number(w, node)
    digits = (
        0 if node.args.get("decimals") is None else whole(w, node.args["decimals"], "the digits of ROUND", 0)
    )
    if value.kind is Kind.FLOAT and (digits or w.dialect == "redshift"):
        raise w.refused(
            node, "ROUND of a float to digits is not translated", "Cast it to a decimal, and round that."
        )
    if value.kind is Kind.FLOAT:
        return Value(half_away(value.sql), Kind.FLOAT)
    if value.kind is Kind.INT:
        return Value(as_float(value), Kind.FLOAT) if w.dialect == "bigquery" else value
    sql = f"round({value.sql}, {digits})"
    if w.dialect == "databricks" and not digits:
        return Value(sql, Kind.NUMERIC, 0)
    return Value(sql, Kind.NUMERIC, None if value.scale is None else min(value.scale, digits))


def _bound(names: str, node_type: type[exp.Expr], pg: str) -> None:
    def rule(w: Writer, node: exp.Expr) -> Value:
        value = number(w, node)
        if value.kind is Kind.INT:
            return Value(as_float(value), Kind.FLOAT) if w.dialect == "bigquery" else value
        sql = f"{pg}({value.sql})"
        if w.dialect == "databricks":
            return Value(f"CAST({sql} AS {'bigint' if value.kind is Kind.FLOAT else 'numeric'})", Kind.INT)
        return Value(sql, value.kind, 0 if value.kind is Kind.NUMERIC else None)

    function(names, node_type, "this")(rule)
    form(node_type, "this")(rule)


_bound("ceil ceiling", exp.Ceil, "ceil")
_bound("floor", exp.Floor, "floor")


@function(
    "trunc truncate",
    exp.Trunc,
    "this decimals fractions_supported",
    ("snowflake", "bigquery", "redshift", "duckdb"),
)
def truncated(w: Writer, node: exp.Expr) -> Value:
    value = number(w, node)
    digits = (
        0 if node.args.get("decimals") is None else whole(w, node.args["decimals"], "the digits of TRUNC", 0)
    )
    if value.kind is Kind.FLOAT and digits:
        raise w.refused(node, "TRUNC of a float to digits is not translated", "Cast it to a decimal.")
    if value.kind is Kind.INT:
        return Value(as_float(value), Kind.FLOAT) if w.dialect == "bigquery" else value
    if value.kind is Kind.FLOAT:
        return Value(f"trunc({value.sql})", Kind.FLOAT)
    scale = None if value.scale is None else min(value.scale, digits)
    return Value(f"trunc({value.sql}, {digits})", Kind.NUMERIC, scale)


def _of_floats(names: str, node_type: type[exp.Expr], pg: str, dialects: tuple[str, ...]) -> None:
    def rule(w: Writer, node: exp.Expr) -> Value:
        return Value(f"{pg}({as_float(number(w, node))})", Kind.FLOAT)

    function(names, node_type, "this", dialects)(rule)


_ALL_BUT_DECIMALS = ("snowflake", "duckdb", "databricks", "redshift")
_of_floats("sqrt", exp.Sqrt, "sqrt", (*_ALL_BUT_DECIMALS, "bigquery"))
_of_floats("exp", exp.Exp, "exp", (*_ALL_BUT_DECIMALS, "bigquery"))
_of_floats("ln", exp.Ln, "ln", (*_ALL_BUT_DECIMALS, "bigquery"))


def _power(w: Writer, node: exp.Expr) -> Value:
    base, exponent = number(w, node), number(w, node, "expression")
    if w.dialect == "bigquery" and Kind.NUMERIC in (base.kind, exponent.kind):
        raise w.refused(node, "POWER of NUMERIC is not translated", "Cast it to FLOAT64.")
    return Value(f"power({as_float(base)}, {as_float(exponent)})", Kind.FLOAT)


function("pow power", exp.Pow, "this expression")(_power)
function("square", exp.Pow, "this expression", ("snowflake",))(_power)
form(exp.Pow, "this expression", ("duckdb",))(_power)
