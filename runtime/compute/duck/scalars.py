"""Types and expressions as DuckDB's SQL: those whose values are PostgreSQL's, whatever the row, or an error.

What is left out computes something else there: division, casts of most types to text, time zones.  An error says nothing, as DuckDB evaluates
in an order of its own: the operators compute the query then.  Dates and times travel as their integers, since DuckDB's
have other bounds.  Columns of floats must have no -0.0 (`evaluate` looks), which DuckDB takes for one with 0.0 where the total order of
rows does not.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import pyarrow as pa

from ...expr.tree.scalar import And, Call, Case, Cast, Coalesce, ColumnRef, Literal, Or, Scalar
from ...repr.types import Kind, ScalarType

_KINDS = {
    Kind.BOOL: "BOOLEAN",
    Kind.INT2: "SMALLINT",
    Kind.INT4: "INTEGER",
    Kind.INT8: "BIGINT",
    Kind.FLOAT4: "FLOAT",
    Kind.FLOAT8: "DOUBLE",
    Kind.TEXT: "VARCHAR",
    Kind.VARCHAR: "VARCHAR",
    Kind.DATE: "INTEGER",
    Kind.TIMESTAMP: "BIGINT",
    Kind.TIMESTAMPTZ: "BIGINT",
}

INTEGERS = frozenset((Kind.INT2, Kind.INT4, Kind.INT8))
_TEXTS = frozenset((Kind.TEXT, Kind.VARCHAR))

_OPERATORS = {
    "eq": "=",
    "ne": "<>",
    "lt": "<",
    "le": "<=",
    "gt": ">",
    "ge": ">=",
    "is_distinct": "IS DISTINCT FROM",
    "is_not_distinct": "IS NOT DISTINCT FROM",
}
_TESTS = {
    "not": "(NOT {})",
    "is_null": "({} IS NULL)",
    "is_not_null": "({} IS NOT NULL)",
    "is_unknown": "({} IS NULL)",
    "is_not_unknown": "({} IS NOT NULL)",
    "is_true": "({} IS NOT DISTINCT FROM TRUE)",
    "is_not_true": "({} IS DISTINCT FROM TRUE)",
    "is_false": "({} IS NOT DISTINCT FROM FALSE)",
    "is_not_false": "({} IS DISTINCT FROM FALSE)",
}

_ARITHMETIC = {"add": "+", "subtract": "-", "multiply": "*"}

MOST_LITERALS = 1_000
"""A longer list is parsed more slowly than the operators look for its values."""


class NotInSql(Exception):
    """It is not written here."""


def sql_type(type_: ScalarType) -> str:
    """DuckDB's type for the values; raises NotInSql."""
    if type_.kind is Kind.NUMERIC and type_.scale is not None:
        return f"DECIMAL(38, {type_.scale})"
    if type_.kind not in _KINDS:
        raise NotInSql(str(type_))
    return _KINDS[type_.kind]


def as_integers(values: pa.Array) -> pa.Array:
    """Dates and timestamps as their integers; others as they are."""
    if pa.types.is_date32(values.type):
        return values.view(pa.int32())
    return values.view(pa.int64()) if pa.types.is_timestamp(values.type) else values


def is_comparable(left: ScalarType, right: ScalarType) -> bool:
    """Whether DuckDB compares values of the two types as PostgreSQL does."""
    if left.kind in INTEGERS and right.kind in INTEGERS:
        return True
    if left.kind in _TEXTS and right.kind in _TEXTS:
        return True
    return left.kind is right.kind and sql_type(left) == sql_type(right)


Column = Callable[[int], str]
"""The SQL of a column of the input."""


def scalar_sql(scalar: Scalar, column: Column) -> str:
    """An expression that has PostgreSQL's value, or fails; raises NotInSql."""
    match scalar:
        case ColumnRef(index=index, type=type_):
            sql_type(type_)
            return column(index)
        case Literal():
            return _literal(scalar)
        case And(args=args):
            return "(" + " AND ".join(scalar_sql(arg, column) for arg in args) + ")"
        case Or(args=args):
            return "(" + " OR ".join(scalar_sql(arg, column) for arg in args) + ")"
        case Coalesce(args=args, type=type_) if all(sql_type(arg.type) == sql_type(type_) for arg in args):
            return "COALESCE(" + ", ".join(scalar_sql(arg, column) for arg in args) + ")"
        case Case(branches=branches, otherwise=otherwise, type=type_) if all(
            sql_type(value.type) == sql_type(type_) for value in (*(v for _, v in branches), otherwise)
        ):
            whens = " ".join(
                f"WHEN {scalar_sql(when, column)} THEN {scalar_sql(then, column)}" for when, then in branches
            )
            return f"(CASE {whens} ELSE {scalar_sql(otherwise, column)} END)"
        case Cast(arg=arg, type=type_) if _widens(arg.type, type_) or _is_spelled_alike(arg.type, type_):
            return f"CAST({scalar_sql(arg, column)} AS {sql_type(type_)})"
        case Call(function="md5", args=(arg,)) if arg.type.kind in _TEXTS:
            return f"md5({scalar_sql(arg, column)})"
        case Call(function="concat_op", args=args) if all(arg.type.kind in _TEXTS for arg in args):
            return "(" + " || ".join(scalar_sql(arg, column) for arg in args) + ")"
        case Call(function=function, args=(arg,)) if function in _TESTS:
            return _TESTS[function].format(scalar_sql(arg, column))
        case Call(function=function, args=(left, right)) if function in _OPERATORS and is_comparable(
            left.type, right.type
        ):
            return f"({scalar_sql(left, column)} {_OPERATORS[function]} {scalar_sql(right, column)})"
        case Call(function="in", args=(left, *items)) if len(items) <= MOST_LITERALS and all(
            isinstance(item, Literal) and is_comparable(left.type, item.type) for item in items
        ):
            return (
                f"({scalar_sql(left, column)} IN ({', '.join(scalar_sql(item, column) for item in items)}))"
            )
        case Call(function="any_eq", args=(left, Literal(value=list() as values, type=array))) if (
            (element := array.element) is not None
            and 0 < len(values) <= MOST_LITERALS
            and is_comparable(left.type, element)
        ):
            listed = ", ".join(_literal(Literal(value, element)) for value in values)
            return f"({scalar_sql(left, column)} IN ({listed}))"
        case Call(function=function, args=(left, right), type=type_) if (
            function in _ARITHMETIC
            and {left.type.kind, right.type.kind, type_.kind} <= INTEGERS
            and _widens(left.type, type_)
            and _widens(right.type, type_)
        ):
            # Of one type: what is too large for it is an error, and the operators say which.
            of_type = (f"CAST({scalar_sql(arg, column)} AS {sql_type(type_)})" for arg in (left, right))
            return f"({f' {_ARITHMETIC[function]} '.join(of_type)})"
        case _:
            raise NotInSql(type(scalar).__name__)


def _widens(source: ScalarType, target: ScalarType) -> bool:
    widths = (Kind.INT2, Kind.INT4, Kind.INT8)
    if source.kind in widths and target.kind in widths:
        return widths.index(source.kind) <= widths.index(target.kind)
    return source.kind in _TEXTS and target.kind is Kind.TEXT


def _is_spelled_alike(source: ScalarType, target: ScalarType) -> bool:
    """Whether DuckDB writes the values of the first as PostgreSQL does."""
    return target.kind is Kind.TEXT and (source.kind in INTEGERS or source.kind is Kind.BOOL)


def _literal(literal: Literal) -> str:
    value, type_ = literal.value, literal.type
    name = sql_type(type_)
    if value is None:
        return f"CAST(NULL AS {name})"
    match type_.kind:
        case Kind.TEXT | Kind.VARCHAR:
            return "'" + str(value).replace("'", "''") + "'"
        case Kind.BOOL:
            return str(value).upper()
        case Kind.INT2 | Kind.INT4 | Kind.INT8:
            return f"CAST({int(value)} AS {name})"
        case Kind.FLOAT8 if value == value and value - value == 0 and value != 0:
            return f"CAST('{float(value)!r}' AS DOUBLE)"
        case Kind.FLOAT8 if value == 0 and math.copysign(1, value) == 1:
            return "CAST(0 AS DOUBLE)"
        case Kind.NUMERIC:
            return f"CAST('{value:f}' AS {name})"
        case Kind.DATE | Kind.TIMESTAMP | Kind.TIMESTAMPTZ:
            (number,) = as_integers(pa.array([value], type_.arrow)).to_pylist()
            return f"CAST({number} AS {name})"
        case _:
            raise NotInSql(str(type_))


def of(alias: str) -> Column:
    return lambda index: f"{alias}.c{index}"
