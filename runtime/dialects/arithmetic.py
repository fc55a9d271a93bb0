"""Arithmetic: of what `/` gives each dialect has its own idea, by the types of both sides."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

from sqlglot import exp

from .values import DAYS, EXACT, NUMBERS, Kind, Value, most_of, scale_of
from .writing import Rules, Writer, check_arguments, require

RULES = Rules()
form, function = RULES.form, RULES.function

_WITHOUT_NUMERIC_ROUNDING = {"snowflake": 12, "bigquery": 9, "databricks": 6, "duckdb": 38, "redshift": 38}
"""Digits behind the point up to which a product of NUMERICs has all of them."""


@form(exp.Neg)
def negative(w: Writer, node: exp.Expr) -> Value:
    value = w.expression(node.this)
    if value.kind is not Kind.WHOLE:
        require(w, node, value, NUMBERS, "-")
    return value.written(f"(-{value.sql})")


def promoted(left: Value, right: Value) -> Kind:
    kinds = (left.kind, right.kind)
    if Kind.FLOAT in kinds:
        return Kind.FLOAT
    return Kind.NUMERIC if Kind.NUMERIC in kinds else Kind.INT


def _combined(sql: str, left: Value, right: Value, digits: Callable[[int, int], int]) -> Value:
    """A sum or a product, whose digits behind the point are those of the sides put together so."""
    if (kind := promoted(left, right)) is not Kind.NUMERIC:
        return Value(sql, kind)

    def both(one: int | None, other: int | None) -> int | None:
        return None if one is None or other is None else digits(one, other)

    return Value(
        sql,
        kind,
        both(scale_of(left), scale_of(right)),
        most=both(most_of(left), most_of(right)),
    )


def _of_whole(left: Value, right: Value) -> Kind | None:
    """What a sum or a product of a `WHOLE` is, if that is known.  Of four bytes, it is exact or an error, whichever it is there."""
    kinds = {left.kind, right.kind}
    if Kind.WHOLE not in kinds:
        return None
    if Kind.FLOAT in kinds:
        return Kind.FLOAT
    small = all(
        side.kind is Kind.WHOLE or (side.kind is Kind.INT and 0 < len(side.literal or "") < 10)
        for side in (left, right)
    )
    return Kind.WHOLE if small else None


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
    sql = f"({left.sql} {word} {right.sql})"
    if (kind := _of_whole(left, right)) is not None:
        return Value(sql, kind)
    for side in (right, left):
        require(w, node, side, NUMBERS, word)
    return _combined(sql, left, right, max)


form(exp.Add, "this expression")(_sum)
form(exp.Sub, "this expression")(_sum)

TWELVE_MONTHS = "Add 12 months: then it is the last day of February."
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
    if w.dialect == "redshift" and unit == "YEAR":
        raise w.refused(node, "what a year later than a 29th of February is, is not known", TWELVE_MONTHS)
    sql = f"({value.sql} {word} {span})"
    if value.kind is not Kind.DATE:
        return Value(sql, value.kind)
    if w.dialect == "snowflake" and unit in ("WEEK", "DAY") and _is_standard(node.args["expression"]):
        if unit == "WEEK":
            raise w.refused(node, "INTERVAL '1' WEEK is no literal of Snowflake's", "Use DATEADD.")
        return Value(sql, Kind.TIMESTAMP)
    if unit in _LONG and w.dialect in ("snowflake", "databricks"):
        return Value(f"CAST({sql} AS date)", Kind.DATE)
    if w.dialect == "databricks":
        raise w.refused(
            node, "a date and hours are a TIMESTAMP of the session's zone", "Cast the date to TIMESTAMP_NTZ."
        )
    return Value(sql, Kind.TIMESTAMP)


def _is_standard(node: exp.Expr) -> bool:
    """INTERVAL '3' DAY, and not INTERVAL '3 days': a text that sqlglot has split has no place any more."""
    return isinstance(node.this.meta.get("start"), int)


@form(exp.Mul, "this expression")
def product(w: Writer, node: exp.Expr) -> Value:
    left, right = w.expression(node.this), w.expression(node.args["expression"])
    sql = f"({left.sql} * {right.sql})"
    if (kind := _of_whole(left, right)) is not None:
        return Value(sql, kind)
    for side in (left, right):
        require(w, node, side, NUMBERS, "*")
    value = _combined(sql, left, right, int.__add__)
    most, needed = _WITHOUT_NUMERIC_ROUNDING[w.dialect], most_of(value)
    if value.kind is Kind.NUMERIC and most < 38 and (needed is None or needed > most):
        raise w.refused(
            node,
            f"{w.dialect} may round this product of decimals: it keeps {most} digits at least, and no more are known to be needed",
            "Cast the operands to decimals of fewer digits behind the point, or to floats.",
        )
    return value


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
        return Value(_rounded_quotient(left.sql, right.sql, digits), Kind.NUMERIC, digits)
    hint = "Cast one of the two to a float (DOUBLE, FLOAT64)."
    if w.dialect == "snowflake":
        hint = "Cast the dividend to NUMBER(p, s). Of a constant, write no zeros at its end."
    raise w.refused(node, f"how many digits {w.dialect} gives a quotient of decimals is not known here", hint)


def _rounded_quotient(left: str, right: str, digits: int) -> str:
    """Half away from zero.  `/` would round it twice, and to fewer digits if it is large: cut off one digit later, it is exact."""
    step = f"0.{'0' * digits}1"
    whole = f"DIV(CAST({left} AS numeric), CAST({right} AS numeric) * {step})"
    return f"ROUND({whole} * {step}, {digits})"


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
    return replace(_combined(f"MOD({left.sql}, {right.sql})", left, right, max), scale=None)


form(exp.Mod, "this expression")(_remainder)
function("mod", exp.Mod, "this expression")(_remainder)


@function("div0", exp.If, "this true false", ("snowflake",))
def div0(w: Writer, node: exp.Expr) -> Value:
    quotient_node = node.args["false"].unnest()
    left = require(w, node, w.expression(quotient_node.this.unnest()), NUMBERS, "DIV0")
    right = require(w, node, w.expression(quotient_node.args["expression"].unnest()), NUMBERS, "DIV0")
    inner = divided(w, node, left, right.written(f"NULLIF({right.sql}, 0)"))
    nothing = f"{right.sql} = 0 AND {left.sql} IS NOT NULL"
    return inner.written(f"CASE WHEN {nothing} THEN 0 ELSE {inner.sql} END")


def _safe_divide(w: Writer, node: exp.Expr) -> Value:
    left = require(w, node, w.expression(node.this), NUMBERS, "SAFE_DIVIDE")
    right = require(w, node, w.expression(node.args["expression"]), NUMBERS, "SAFE_DIVIDE")
    return divided(w, node, left, right.written(f"NULLIF({right.sql}, 0)"))


function("safe_divide", exp.SafeDivide, "this expression", ("bigquery",))(_safe_divide)
function("try_divide", exp.SafeDivide, "this expression", ("databricks",))(_safe_divide)
