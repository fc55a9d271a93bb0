"""Aggregates as DuckDB's SQL, over the columns of `t`, each row of which occurs once, or as often as a column says."""

from __future__ import annotations

from ...expr.tree.relation import Aggregate
from ...repr.types import INT8, Kind
from .scalars import INTEGERS, NotInSql, of, scalar_sql, sql_type


def is_split(aggregate: Aggregate) -> bool:
    """Whether DuckDB gives only what it is computed from: sums of floats are exact here, and quotients PostgreSQL's."""
    argument = aggregate.argument
    if argument is None or aggregate.rest or aggregate.order or aggregate.direct:
        return False
    if argument.type.kind is Kind.FLOAT8:
        return aggregate.function in ("sum", "avg")
    return aggregate.function == "avg" and argument.type.kind in INTEGERS


def adds_up(aggregate: Aggregate) -> bool:
    """Whether a row that occurs n times counts n times, and one that was taken away -1 times."""
    return aggregate.function in ("count", "sum", "avg") and not aggregate.distinct


def split_sql(aggregate: Aggregate, scale: int, count: str | None) -> list[str]:
    """Of one that `is_split`: the sum of its values times 2^scale, and how many there are."""
    assert aggregate.argument is not None
    value = scalar_sql(aggregate.argument, of("t"))
    scaled = (
        f"CAST({value} * CAST('{2.0**scale!r}' AS DOUBLE) AS HUGEINT)"
        if aggregate.argument.type.is_float
        else value
    )
    if count is not None:
        return [
            f"CAST({_call('sum', f'CAST({scaled} AS HUGEINT) * {count}', aggregate)} AS DECIMAL(38, 0))",
            _present(value, aggregate, count),
        ]
    return [
        f"CAST({_call('sum', scaled, aggregate)} AS DECIMAL(38, 0))",
        _call("count", value, aggregate),
    ]


def _call(function: str, inside: str, aggregate: Aggregate) -> str:
    distinct = "DISTINCT " if aggregate.distinct and aggregate.argument is not None else ""
    text = f"{function}({distinct}{inside})"
    if aggregate.filter is None:
        return text
    return f"{text} FILTER (WHERE {scalar_sql(aggregate.filter, of('t'))})"


def _present(value: str | None, aggregate: Aggregate, count: str) -> str:
    """How many values there are, or rows without one."""
    inside = count if value is None else f"CASE WHEN {value} IS NOT NULL THEN {count} END"
    return f"CAST(COALESCE({_call('sum', inside, aggregate)}, 0) AS BIGINT)"


def aggregate_sql(aggregate: Aggregate, count: str | None) -> str:
    """Over the columns of t, each row of which occurs `count` times; raises NotInSql."""
    if aggregate.rest or aggregate.order or aggregate.direct:
        raise NotInSql(aggregate.function)
    function, argument = aggregate.function, aggregate.argument
    value = None if argument is None else scalar_sql(argument, of("t"))
    type_ = INT8 if argument is None else argument.type
    known = (
        function == "count"
        or (function in ("min", "max") and type_.kind is not Kind.BOOL)
        or (function in ("bool_and", "bool_or") and type_.kind is Kind.BOOL)
        or (function == "sum" and type_.kind in INTEGERS)
    )
    if not known:
        raise NotInSql(f"{function}({type_})")
    if count is None:
        text = _call(function, value or "*", aggregate)
    elif function == "count":
        text = _present(value, aggregate, count)
    else:
        total = _call("sum", f"CAST({value} AS HUGEINT) * {count}", aggregate)
        text = f"CASE WHEN {_present(value, aggregate, count)} > 0 THEN {total} END"
    # A sum is a HUGEINT: one that is too large for PostgreSQL's type is an error, and computed anew for its words.
    return f"CAST({text} AS {sql_type(aggregate.type)})"
