"""CAST and TRY_CAST: what a type is called, and from which kinds it is reached with the same values.

Text becomes a number or a date where all dialects read it alike.  Other text is an error (22P02, 22007), never another value: the text
that is cast is then a sentence.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from sqlglot import exp

from .values import NUMBERS, Kind, Value, most_of, text_literal
from .writing import Rules, Writer, check_arguments

RULES = Rules()

DType = exp.DType

_INTEGERS = {DType.SMALLINT: "smallint", DType.INT: "integer", DType.BIGINT: "bigint"}
_DECIMAL_DEFAULTS = {"snowflake": (38, 0), "bigquery": (38, 9), "databricks": (10, 0), "redshift": (18, 0)}
_BOUNDED_TEXT = {DType.VARCHAR, DType.TEXT}

DIGITS = r"^[+-]?[0-9]+$"
DECIMALS = r"^[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)$"
FLOATS = r"^[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?$"
WORDS = r"^([Tt][Rr][Uu][Ee]|[Ff][Aa][Ll][Ss][Ee])$"
DATES = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$"
STAMPS = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}([ T][0-9]{2}:[0-9]{2}(:[0-9]{2}([.][0-9]{1,6})?)?)?$"
ZONED = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}([ T][0-9]{2}:[0-9]{2}(:[0-9]{2}([.][0-9]{1,6})?)?(Z|[+-][0-9]{2}:?[0-9]{2}|[+-][0-9]{2})?)?$"
_DOUBTFUL = r"[0-9]|^\s*[+-]?\s*([iI][nN][fF]|[nN][aA][nN])|^\s*([tTfFyYnN]|[oO][nN]|[oO][fF])"
"""Text that some dialect may read as a number, a date or a truth value, and another may not."""


@dataclass(frozen=True, slots=True)
class Target:
    """A type that is cast to.  `scale`: of a NUMERIC."""

    kind: Kind
    type: str
    scale: int | None = None


@RULES.form(exp.Cast, "this to")
def cast(w: Writer, node: exp.Expr) -> Value:
    return _cast(w, node, trying=False)


@RULES.form(exp.TryCast, "this to safe requires_string")
def try_cast(w: Writer, node: exp.Expr) -> Value:
    return _cast(w, node, trying=True)


def _cast(w: Writer, node: exp.Expr, *, trying: bool) -> Value:
    return converted(w, node, w.expression(node.this), target(w, node, node.args["to"]), trying=trying)


def target(w: Writer, node: exp.Expr, to: exp.Expr) -> Target:
    check_arguments(w, to, ("this", "expressions"))
    type_, dialect = to.this, w.dialect
    parameters = [str(getattr(item.this, "this", item.this)) for item in to.expressions]
    if not all(item.isdigit() for item in parameters):
        raise w.refused(node, f"the type {to.sql(dialect)} is not translated")
    numbers = [int(item) for item in parameters]
    if type_ is DType.DECIMAL:
        if not numbers and dialect in _DECIMAL_DEFAULTS:
            numbers = list(_DECIMAL_DEFAULTS[dialect])
        if numbers:
            precision, scale = (*numbers, 0)[:2]
            return Target(Kind.NUMERIC, f"numeric({precision},{scale})", scale)
    if type_ in _BOUNDED_TEXT and numbers:
        raise w.refused(
            node,
            f"what becomes of text that is longer than {numbers[0]} differs",
            "Leave the length out of the cast, or use LEFT.",
        )
    if not numbers and type_ in _INTEGERS and not (type_ is not DType.BIGINT and dialect == "bigquery"):
        name = "numeric(38,0)" if dialect == "snowflake" else _INTEGERS[type_]
        return Target(Kind.INT, name, 0)
    if not numbers and (found := _named(type_, dialect)) is not None:
        return Target(found, found.value)
    raise w.refused(node, f"the type {to.sql(dialect)} is not translated", _type_hint(type_))


def _named(type_: DType, dialect: str) -> Kind | None:
    match type_:
        case DType.DOUBLE:
            return Kind.FLOAT
        case DType.FLOAT:
            return Kind.FLOAT if dialect == "snowflake" else None
        case DType.TEXT | DType.VARCHAR:
            return Kind.TEXT
        case DType.BOOLEAN:
            return Kind.BOOL
        case DType.DATE:
            return Kind.DATE
        case DType.TIMESTAMPNTZ | DType.DATETIME:
            return Kind.TIMESTAMP
        case DType.TIMESTAMP:  # of Databricks it is read as TIMESTAMPTZ, of BigQuery as its DATETIME
            return Kind.TIMESTAMP
        case DType.TIMESTAMPLTZ:
            return Kind.TIMESTAMPTZ
        case DType.TIMESTAMPTZ:  # Snowflake's keeps the offset that it was written with
            return None if dialect == "snowflake" else Kind.TIMESTAMPTZ
    return None


def _type_hint(type_: DType) -> str | None:
    if type_ is DType.FLOAT:
        return "It has four bytes: cast to DOUBLE."
    if type_ is DType.TIMESTAMPTZ:
        return "It keeps its offset: cast to TIMESTAMP_NTZ or TIMESTAMP_LTZ."
    return None


def converted(w: Writer, node: exp.Expr, value: Value, to: Target, *, trying: bool = False) -> Value:
    """The value as of the type."""
    result = Value("", to.kind, to.scale if to.kind is Kind.NUMERIC else None)
    if value.kind is None:
        raise w.refused(
            node,
            f"a cast depends on the type of {value.sql}, which is not known",
            "Declare the columns' types.",
        )
    if value.kind is Kind.NULL:
        return result.written(f"CAST(NULL AS {to.type})")
    if value.kind is Kind.TEXT and to.kind is not Kind.TEXT:
        return result.written(_from_text(w, node, value, to, trying))
    if trying and w.dialect == "snowflake":
        raise w.refused(node, "TRY_CAST of other than text is an error in Snowflake", "Use CAST.")
    sql = _from(w, value, to)
    if sql is None or (trying and to.kind not in (value.kind, Kind.TEXT)):
        raise w.refused(
            node,
            f"{'TRY_CAST' if trying else 'a cast'} of {value.kind.value} to {to.type} is not translated",
            _cast_hint(w, value, to),
        )
    return result.written(sql)


def _cast_hint(w: Writer, value: Value, to: Target) -> str | None:
    if w.dialect == "redshift" and value.kind is Kind.NUMERIC and to.kind in NUMBERS:
        digits = to.scale or 0
        return f"It may cut digits off, or round: cast ROUND(..., {digits}) or TRUNC(..., {digits})."
    if value.kind is Kind.WHOLE:
        return "Cast it to INTEGER first."
    if value.kind is Kind.FLOAT and to.kind is Kind.INT:
        return "Say how it is rounded: FLOOR, CEIL."
    if value.kind is Kind.FLOAT:
        return "Floats are written otherwise: keep it a float."
    if to.kind is Kind.TEXT:
        return (
            "Instants and decimals are written otherwise: write the model in PostgreSQL's SQL, with to_char."
        )
    return None


def _from(w: Writer, value: Value, to: Target) -> str | None:
    """None where the values would differ, or are not known to be the same."""
    plain, dialect = f"CAST({value.sql} AS {to.type})", w.dialect
    match value.kind, to.kind:
        case (Kind.TEXT, Kind.TEXT) | (Kind.BOOL, Kind.BOOL) | (Kind.DATE, Kind.DATE):
            return plain
        case Kind.INT | Kind.DATE, Kind.TEXT:
            return plain
        case Kind.BOOL, Kind.TEXT:
            return plain if dialect != "redshift" else None
        case Kind.NUMERIC, Kind.TEXT:
            return plain if value.scale is not None and dialect not in ("bigquery", "snowflake") else None
        case Kind.TIMESTAMP, Kind.TEXT:
            return plain if dialect == "duckdb" else None
        case Kind.INT, Kind.INT | Kind.NUMERIC | Kind.FLOAT:
            return plain
        case Kind.NUMERIC, Kind.NUMERIC | Kind.INT if dialect == "redshift":
            # What is cast is cut off, or rounded where enable_numeric_rounding is set.
            most, room = most_of(value), to.scale or 0
            return plain if most is not None and most <= room else None
        case Kind.NUMERIC, Kind.NUMERIC | Kind.FLOAT:
            return plain
        case Kind.WHOLE, Kind.INT | Kind.NUMERIC | Kind.FLOAT:
            return plain
        case Kind.FLOAT, Kind.FLOAT:
            return plain
        case Kind.NUMERIC, Kind.INT if dialect in ("snowflake", "bigquery", "duckdb"):
            return plain  # half away from zero
        case Kind.NUMERIC | Kind.FLOAT, Kind.INT if dialect == "databricks":
            return f"CAST(TRUNC({value.sql}) AS {to.type})"
        case Kind.FLOAT, Kind.INT if dialect == "bigquery":
            return f"CAST({half_away(value.sql)} AS {to.type})"
        case Kind.FLOAT, Kind.INT if dialect == "duckdb":
            return plain  # half to even
        case Kind.BOOL, Kind.INT:
            return f"CAST(CAST({value.sql} AS integer) AS {to.type})"
        case Kind.INT, Kind.BOOL:
            return f"({value.sql} <> 0)"
        case (Kind.TIMESTAMP, Kind.TIMESTAMP) | (Kind.DATE, Kind.TIMESTAMP) | (Kind.TIMESTAMP, Kind.DATE):
            return plain
        case Kind.TIMESTAMPTZ, Kind.TIMESTAMPTZ:
            return plain
        case Kind.TIMESTAMPTZ, Kind.DATE | Kind.TIMESTAMP:
            return f"CAST({value.sql} AT TIME ZONE 'UTC' AS {to.type})"
        case Kind.DATE | Kind.TIMESTAMP, Kind.TIMESTAMPTZ:
            return f"(CAST({value.sql} AS timestamp) AT TIME ZONE 'UTC')"
    return None


def half_away(sql: str) -> str:
    """A float, rounded half away from zero; PostgreSQL's own rounds half to even."""
    return f"(TRUNC({sql}) + CASE WHEN ABS({sql} - TRUNC({sql})) >= 0.5 THEN SIGN({sql}) ELSE 0 END)"


def _pattern(to: Target, dialect: str) -> str | None:
    match to.kind:
        case Kind.INT:
            return DECIMALS if dialect == "snowflake" else DIGITS
        case Kind.NUMERIC if dialect == "redshift" and to.scale is not None:
            # Of more digits than there is room for, it is not said whether they are rounded.
            some, one = (f"[0-9]{{{least},{to.scale}}}" if to.scale else "0" * least for least in (0, 1))
            return rf"^[+-]?([0-9]+(\.{some}0*)?|\.{one}0*)$"
        case Kind.NUMERIC:
            return DECIMALS
        case Kind.FLOAT:
            return FLOATS
        case Kind.BOOL:
            return WORDS
        case Kind.DATE:
            return DATES
        case Kind.TIMESTAMP:
            return STAMPS
        case Kind.TIMESTAMPTZ:
            return ZONED
    return None


def _from_text(w: Writer, node: exp.Expr, value: Value, to: Target, trying: bool) -> str:
    pattern = _pattern(to, w.dialect)
    if pattern is None:
        raise w.refused(node, f"a cast of text to {to.type} is not translated")
    zone = " AT TIME ZONE 'UTC'" if to.kind is Kind.TIMESTAMPTZ else ""
    if value.literal is not None and re.fullmatch(pattern.strip("^$"), value.literal):
        literal = value.literal
        if zone and not re.search(r"(Z|[+-]\d\d(:?\d\d)?)$", literal[10:]):
            word = "TRY_CAST" if trying else "CAST"
            return f"({word}({text_literal(literal)} AS timestamp){zone})"
        return f"{'TRY_CAST' if trying else 'CAST'}({text_literal(literal)} AS {to.type})"
    if zone:
        raise w.refused(
            node, "text is read as an instant of the session's zone", "Cast it to a timestamp without zone."
        )
    if value.literal is not None and not trying:
        raise w.refused(
            node,
            f'dialects may read "{value.literal}" otherwise as {to.type}',
            "Write it as ISO 8601 or digits.",
        )
    sql, quoted = value.sql, text_literal(pattern)
    error = f"CAST('{_what(to)}: ' || {sql} AS {to.type})"
    if not trying:
        return f"CASE WHEN {sql} ~ {quoted} THEN CAST({sql} AS {to.type}) ELSE {error} END"
    return (
        f"CASE WHEN {sql} ~ {quoted} THEN TRY_CAST({sql} AS {to.type})"
        f" WHEN {sql} ~ {text_literal(_DOUBTFUL)} THEN {error} END"
    )


def _what(to: Target) -> str:
    if to.kind in NUMBERS:
        return "not a plain number"
    return "neither true nor false" if to.kind is Kind.BOOL else "not written as YYYY-MM-DD"
