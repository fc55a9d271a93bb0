"""Functions of numbers."""

from __future__ import annotations

from sqlglot import exp

from .arithmetic import as_float
from .casts import half_away
from .values import EXACT, NUMBERS, Kind, Value, most_of
from .writing import Rules, Writer, require, whole

RULES = Rules()
function, form = RULES.function, RULES.form


def number(w: Writer, node: exp.Expr, name: str = "this") -> Value:
    return require(w, node, w.expression(node.args[name]), NUMBERS, w.called(node) or node.key)


@function("abs", exp.Abs)
def absolute(w: Writer, node: exp.Expr) -> Value:
    value = w.expression(node.this)
    if value.kind is not Kind.WHOLE:
        value = number(w, node)
    return value.written(f"abs({value.sql})")


@function("sign", exp.Sign, "this")
def sign(w: Writer, node: exp.Expr) -> Value:
    """Of a decimal it is a decimal; Snowflake's, without digits behind the point, divides as integers do."""
    value = require(w, node, w.expression(node.this), EXACT, "SIGN")
    if w.dialect == "databricks":
        return Value(f"CAST(sign({value.sql}) AS double precision)", Kind.FLOAT)
    if value.kind is Kind.NUMERIC and w.dialect in ("bigquery", "redshift"):
        return Value(f"sign({value.sql})", Kind.NUMERIC, 0)
    return Value(f"CAST(sign({value.sql}) AS integer)", Kind.WHOLE if w.dialect == "redshift" else Kind.INT)


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
        return _of_integer(w, node, value)
    sql = f"round({value.sql}, {digits})"
    if w.dialect == "databricks" and not digits:
        return Value(sql, Kind.NUMERIC, 0)
    return _of_fewer_digits(w, value, sql, digits)


def _of_integer(w: Writer, node: exp.Expr, value: Value) -> Value:
    """ROUND and TRUNC of it."""
    if w.dialect == "redshift":
        raise w.refused(
            node,
            "what type Redshift makes of an integer here is not known",
            "It is whole already: leave it as it is.",
        )
    return Value(as_float(value), Kind.FLOAT) if w.dialect == "bigquery" else value


def _of_fewer_digits(w: Writer, value: Value, sql: str, digits: int) -> Value:
    """Of a decimal.  Redshift's result has the type of the argument: of more digits than that has it is the argument."""
    if w.dialect == "redshift":
        if value.scale is not None and value.scale <= digits:
            return value
        return Value(sql, Kind.NUMERIC, most=digits)
    most = most_of(value)
    return Value(
        sql,
        Kind.NUMERIC,
        None if value.scale is None else min(value.scale, digits),
        most=digits if most is None else min(most, digits),
    )


def _bound(names: str, node_type: type[exp.Expr], pg: str) -> None:
    def rule(w: Writer, node: exp.Expr) -> Value:
        value = number(w, node)
        if value.kind is Kind.INT:
            return Value(as_float(value), Kind.FLOAT) if w.dialect == "bigquery" else value
        sql = f"{pg}({value.sql})"
        if w.dialect == "databricks":
            return Value(f"CAST({sql} AS {'bigint' if value.kind is Kind.FLOAT else 'numeric'})", Kind.INT)
        if value.kind is Kind.FLOAT:
            return Value(sql, Kind.FLOAT)
        # Redshift's has the type of the argument, whose digits are then zeros.
        return Value(sql, Kind.NUMERIC, None if w.dialect == "redshift" else 0, most=0)

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
        return _of_integer(w, node, value)
    if value.kind is Kind.FLOAT:
        return Value(f"trunc({value.sql})", Kind.FLOAT)
    return _of_fewer_digits(w, value, f"trunc({value.sql}, {digits})", digits)


def _of_floats(names: str, node_type: type[exp.Expr], pg: str) -> None:
    def rule(w: Writer, node: exp.Expr) -> Value:
        value = number(w, node)
        _no_decimals_of_bigquery(w, node, value)
        return Value(f"{pg}({as_float(value)})", Kind.FLOAT)

    function(names, node_type)(rule)


def _no_decimals_of_bigquery(w: Writer, node: exp.Expr, *values: Value) -> None:
    if w.dialect == "bigquery" and any(value.kind is Kind.NUMERIC for value in values):
        raise w.refused(
            node,
            f"{w.called(node).upper()} of NUMERIC is one in BigQuery, of nine digits",
            "Cast it to FLOAT64.",
        )


_of_floats("sqrt", exp.Sqrt, "sqrt")
_of_floats("exp", exp.Exp, "exp")
_of_floats("ln", exp.Ln, "ln")


def _power(w: Writer, node: exp.Expr) -> Value:
    base, exponent = number(w, node), number(w, node, "expression")
    _no_decimals_of_bigquery(w, node, base, exponent)
    return Value(f"power({as_float(base)}, {as_float(exponent)})", Kind.FLOAT)


function("pow power", exp.Pow, "this expression")(_power)
function("square", exp.Pow, "this expression", ("snowflake",))(_power)
form(exp.Pow, "this expression", ("duckdb",))(_power)
