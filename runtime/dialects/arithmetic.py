"""Arithmetic: of what `/` gives each dialect has its own idea, by the types of both sides."""

from __future__ import annotations

import re

from sqlglot import exp

from .values import DAYS, EXACT, NUMBERS, Kind, Value
from .writing import Rules, Writer, check_arguments, require

RULES = Rules()
form, function = RULES.form, RULES.function

_WITHOUT_NUMERIC_ROUNDING = {"snowflake": 12, "bigquery": 9, "databricks": 6, "duckdb": 38, "redshift": 38}
"""Digits behind the point up to which a product of NUMERICs has all of them."""


@form(exp.Neg)
def negative(w: Writer, node: exp.Expr) -> Value:
    value = require(w, node, w.expression(node.this), NUMBERS, "-")
    return Value(f"(-{value.sql})", value.kind, value.scale)


def promoted(left: Value, right: Value) -> Kind:
    kinds = (left.kind, right.kind)
    if Kind.FLOAT in kinds:
        return Kind.FLOAT
    return Kind.NUMERIC if Kind.NUMERIC in kinds else Kind.INT


def scale_of(value: Value) -> int | None:
    return 0 if value.kind in (Kind.INT, Kind.NULL) else value.scale


def _sum(w: Writer, node: exp.Expr) -> Value:
    word = "+" if isinstance(node, exp.Add) else "-"
    if isinstance(node.args["expression"], exp.Interval):
        return _shifted(w, node, word)
    left, right = w.expression(node.this), w.expression(node.args["expression"])
    if left.kind is Kind.DATE and right.kind is Kind.INT and w.dialect != "databricks":
        return Value(f"({left.sql} {word} CAST({right.sql} AS integer))", Kind.DATE)
    if left.kind is right.kind is Kind.DATE and word == "-":
        if w.dialect not in ("snowflake", "duckdb", "redshift"):
            raise w.refused(
                node, f"the difference of dates is an interval in {w.dialect}", "Use DATE_DIFF or DATEDIFF."
            )
        return Value(f"({left.sql} - {right.sql})", Kind.INT)
    require(w, node, left, NUMBERS, word)
    require(w, node, right, NUMBERS, word)
    scales = scale_of(left), scale_of(right)
    scale = None if None in scales else max(s for s in scales if s is not None)
    kind = promoted(left, right)
    return Value(f"({left.sql} {word} {right.sql})", kind, scale if kind is Kind.NUMERIC else None)


form(exp.Add, "this expression")(_sum)
form(exp.Sub, "this expression")(_sum)

_UNITS = {"YEAR", "MONTH", "WEEK", "DAY", "HOUR", "MINUTE", "SECOND"}
_LONG = {"YEAR", "QUARTER", "MONTH", "WEEK", "DAY"}


def interval(w: Writer, node: exp.Expr) -> tuple[str, str]:
    """The text of an interval with one unit, and the unit."""
    check_arguments(w, node, ("this", "unit"))
    unit = str(getattr(node.args.get("unit"), "this", "")).upper().removesuffix("S")
    amount = node.this
    if unit not in _UNITS:
        raise w.refused(node, "an interval is translated if it has one unit, from YEAR to SECOND")
    if isinstance(amount, exp.Literal) and re.fullmatch(r"\d+", str(amount.this)):
        return f"INTERVAL '{amount.this} {unit.lower()}'", unit
    if isinstance(amount, exp.Literal):
        raise w.refused(node, "an interval is translated if it is a whole number of a unit")
    count = require(w, node, w.expression(amount), frozenset({Kind.INT}), "INTERVAL")
    return f"(CAST({count.sql} AS double precision) * INTERVAL '1 {unit.lower()}')", unit


def _shifted(w: Writer, node: exp.Expr, word: str) -> Value:
    value = require(w, node, w.expression(node.this), DAYS, word)
    span, unit = interval(w, node.args["expression"])
    if w.dialect == "redshift" and unit in ("YEAR", "MONTH"):
        raise w.refused(
            node, "months are added otherwise at the end of a month", "Write the model in PostgreSQL's SQL."
        )
    sql = f"({value.sql} {word} {span})"
    if value.kind is not Kind.DATE:
        return Value(sql, value.kind)
    if unit in _LONG and w.dialect in ("snowflake", "databricks"):
        return Value(f"CAST({sql} AS date)", Kind.DATE)
    if w.dialect == "databricks":
        raise w.refused(
            node, "a date and hours are a TIMESTAMP of the session's zone", "Cast the date to TIMESTAMP_NTZ."
        )
    return Value(sql, Kind.TIMESTAMP)


@form(exp.Mul, "this expression")
def product(w: Writer, node: exp.Expr) -> Value:
    left = require(w, node, w.expression(node.this), NUMBERS, "*")
    right = require(w, node, w.expression(node.args["expression"]), NUMBERS, "*")
    kind = promoted(left, right)
    scales = scale_of(left), scale_of(right)
    scale = None if None in scales else sum(s for s in scales if s is not None)
    most = _WITHOUT_NUMERIC_ROUNDING[w.dialect]
    if kind is Kind.NUMERIC and most < 38 and (scale is None or scale > most):
        raise w.refused(
            node,
            f"{w.dialect} may round this product of decimals: it keeps {most} digits at least, and no more are known to be needed",
            "Cast the operands to decimals of fewer digits behind the point, or to floats.",
        )
    return Value(f"({left.sql} * {right.sql})", kind, scale if kind is Kind.NUMERIC else None)


def as_float(value: Value) -> str:
    return value.sql if value.kind is Kind.FLOAT else f"CAST({value.sql} AS double precision)"


@form(exp.Div, "this expression typed safe")
def quotient(w: Writer, node: exp.Expr) -> Value:
    left = require(w, node, w.expression(node.this), NUMBERS, "/")
    right = require(w, node, w.expression(node.args["expression"]), NUMBERS, "/")
    return divided(w, node, left, right)


def divided(w: Writer, node: exp.Expr, left: Value, right: Value) -> Value:
    kind = promoted(left, right)
    if (
        kind is Kind.FLOAT
        or (w.dialect in ("bigquery", "databricks") and kind is Kind.INT)
        or w.dialect == "duckdb"
    ):
        return Value(f"({as_float(left)} / {as_float(right)})", Kind.FLOAT)
    if w.dialect == "redshift" and kind is Kind.INT:
        return Value(f"(CAST({left.sql} AS bigint) / CAST({right.sql} AS bigint))", Kind.INT)
    scale = scale_of(left)
    if w.dialect == "snowflake" and scale is not None:
        digits = max(scale, min(scale + 6, 12))
        return Value(
            f"ROUND(CAST({left.sql} AS numeric) / CAST({right.sql} AS numeric), {digits})",
            Kind.NUMERIC,
            digits,
        )
    raise w.refused(
        node,
        f"how many digits {w.dialect} gives a quotient of decimals is not known here",
        "Cast one of the two to a float (DOUBLE, FLOAT64).",
    )


def _whole_quotient(w: Writer, node: exp.Expr) -> Value:
    integers = frozenset({Kind.INT})
    left = require(w, node, w.expression(node.this), integers, "DIV")
    right = require(w, node, w.expression(node.args["expression"]), integers, "DIV")
    return Value(f"(CAST({left.sql} AS bigint) / CAST({right.sql} AS bigint))", Kind.INT)


function("div", exp.IntDiv, "this expression", ("bigquery",))(_whole_quotient)
form(exp.IntDiv, "this expression", ("bigquery", "databricks", "duckdb"))(_whole_quotient)


def _remainder(w: Writer, node: exp.Expr) -> Value:
    """It has the sign of the dividend everywhere."""
    left = require(w, node, w.expression(node.this), EXACT, "MOD")
    right = require(w, node, w.expression(node.args["expression"]), EXACT, "MOD")
    return Value(f"MOD({left.sql}, {right.sql})", promoted(left, right))


form(exp.Mod, "this expression")(_remainder)
function("mod", exp.Mod, "this expression")(_remainder)


@function("div0", exp.If, "this true false", ("snowflake",))
def div0(w: Writer, node: exp.Expr) -> Value:
    quotient_node = node.args["false"].unnest()
    left = require(w, node, w.expression(quotient_node.this.unnest()), NUMBERS, "DIV0")
    right = require(w, node, w.expression(quotient_node.args["expression"].unnest()), NUMBERS, "DIV0")
    inner = divided(w, node, left, Value(f"NULLIF({right.sql}, 0)", right.kind, right.scale))
    nothing = f"{right.sql} = 0 AND {left.sql} IS NOT NULL"
    return Value(f"CASE WHEN {nothing} THEN 0 ELSE {inner.sql} END", inner.kind, inner.scale)


def _safe_divide(w: Writer, node: exp.Expr) -> Value:
    left = require(w, node, w.expression(node.this), NUMBERS, "SAFE_DIVIDE")
    right = require(w, node, w.expression(node.args["expression"]), NUMBERS, "SAFE_DIVIDE")
    return divided(w, node, left, Value(f"NULLIF({right.sql}, 0)", right.kind, right.scale))


function("safe_divide", exp.SafeDivide, "this expression", ("bigquery",))(_safe_divide)
function("try_divide", exp.SafeDivide, "this expression", ("databricks",))(_safe_divide)
