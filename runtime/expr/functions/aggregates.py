"""Aggregate functions: names, argument and result types, and how their state behaves.

Only types and classification live here; the operators of `compute` compute the values.

| kind         | state                                                            |
|--------------|------------------------------------------------------------------|
| accumulable  | a sum per group: an update adds to it, a retraction subtracts    |
| hierarchical | needs the values that are there: min and max under retractions   |
| whole group  | is computed anew from all rows of a group that has changed       |

Ordered-set aggregates (`percentile_cont(0.5) WITHIN GROUP (ORDER BY x)`) aggregate what they are ordered by; what
stands in their parentheses are constants.  Those of HYPOTHETICAL say where a row of these constants would stand; they
are aggregates with WITHIN GROUP only, else window functions.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from ...errors import UndefinedFunction, Unsupported
from ...repr.types import (
    BOOL,
    BYTEA,
    FLOAT4,
    FLOAT8,
    INT8,
    INTERVAL,
    JSON,
    JSONB,
    NUMERIC,
    TEXT,
    UINT8,
    Kind,
    ScalarType,
    array_of,
    derived_numeric,
    list_of,
)
from ..coercion.type_rules import CastContext, base_name, can_cast


class AggregateKind(enum.Enum):
    ACCUMULABLE = "accumulable"
    HIERARCHICAL = "hierarchical"
    WHOLE_GROUP = "whole group"


@dataclass(frozen=True, slots=True)
class AggregateFunction:
    """`result` maps the argument's type to (type the argument is cast to, type of the result), or None where
    PostgreSQL has no such aggregate.  `empty` is the value over no rows: NULL, or 0 for count.  With `pair` there
    are two arguments, both double precision, and `result` is asked for the first.  `unknown` is what an untyped literal is
    taken for.  With `within` it is an ordered-set aggregate, and `result` is asked for what it is ordered by."""

    name: str
    kind: AggregateKind
    result: Callable[[ScalarType], tuple[ScalarType, ScalarType] | None]
    empty: float | None = None
    pair: bool = False
    within: bool = False
    unknown: ScalarType = TEXT


def _sum(argument: ScalarType) -> tuple[ScalarType, ScalarType] | None:
    match argument.kind:
        case Kind.INT2 | Kind.INT4:
            return argument, INT8
        case Kind.UINT2 | Kind.UINT4:
            return argument, UINT8
        case Kind.INT8 | Kind.UINT8:
            return argument, derived_numeric(0)
        case Kind.NUMERIC:
            return argument, NUMERIC if argument.scale is None else derived_numeric(argument.scale)
        case Kind.FLOAT4:
            return argument, FLOAT4
        case Kind.FLOAT8:
            return argument, FLOAT8
        case Kind.INTERVAL | Kind.TIME:
            return INTERVAL, INTERVAL  # see sql/calls/split_aggregates.py
        case _:
            return None


def _avg(argument: ScalarType) -> tuple[ScalarType, ScalarType] | None:
    if argument.kind in (Kind.INTERVAL, Kind.TIME):
        return INTERVAL, INTERVAL
    if argument.is_float:
        return argument, FLOAT8
    return (argument, NUMERIC) if argument.is_numeric_category else None


def _count(argument: ScalarType) -> tuple[ScalarType, ScalarType]:
    return argument, INT8


def _extreme(argument: ScalarType) -> tuple[ScalarType, ScalarType] | None:
    if argument.kind is Kind.BPCHAR:
        if argument.length is None:
            raise Unsupported(
                "min and max of bpchar without a length are not supported",
                hint="Cast it to char(n) or to text.",
            )
        return argument, argument
    if argument.is_string_category:
        return TEXT, TEXT
    if argument.kind in (Kind.BOOL, Kind.JSONB, Kind.JSON, Kind.UUID) or argument.is_range:
        return None
    if argument.leaf.kind is Kind.JSONB:
        raise Unsupported(f"min and max of {argument} are not supported")
    if argument.kind is Kind.NUMERIC and argument.scale is not None:
        return argument, derived_numeric(argument.scale)
    return argument, plain_type(argument)


def _bool(argument: ScalarType) -> tuple[ScalarType, ScalarType] | None:
    return (BOOL, BOOL) if argument.kind is Kind.BOOL else None


def _variance(argument: ScalarType) -> tuple[ScalarType, ScalarType] | None:
    if argument.is_float:
        return argument, FLOAT8
    return (argument, NUMERIC) if argument.is_numeric_category else None


def _bits(argument: ScalarType) -> tuple[ScalarType, ScalarType] | None:
    return (argument, argument) if argument.is_integer else None


def _regression(argument: ScalarType) -> tuple[ScalarType, ScalarType]:
    return FLOAT8, FLOAT8


def _pair_count(argument: ScalarType) -> tuple[ScalarType, ScalarType]:
    return FLOAT8, INT8


def plain_type(argument: ScalarType) -> ScalarType:
    """The type without the length or precision that was declared for it."""
    if argument.kind is Kind.NUMERIC:
        return NUMERIC if argument.scale is None else derived_numeric(argument.scale)
    if argument.kind is Kind.BPCHAR:
        return argument  # how it prints is a matter of its length
    return ScalarType(argument.kind, element=argument.element, fields=argument.fields)


def _any(argument: ScalarType) -> tuple[ScalarType, ScalarType]:
    return argument, plain_type(argument)


def _intersection(argument: ScalarType) -> tuple[ScalarType, ScalarType] | None:
    return (argument, argument) if argument.is_range else None


def _array(argument: ScalarType) -> tuple[ScalarType, ScalarType]:
    if argument.kind is Kind.ARRAY:
        raise Unsupported(
            f"array_agg of {argument} is not supported: its result would have two dimensions",
            hint="Aggregate array_to_string(...) instead.",
        )
    if argument.kind in (Kind.LIST, Kind.MAP):
        raise Unsupported(f"array_agg of {argument} is not supported", hint="Write list_agg.")
    return argument, array_of(plain_type(argument))


def _list(argument: ScalarType) -> tuple[ScalarType, ScalarType]:
    if argument.kind is Kind.ARRAY:
        raise Unsupported(f"list_agg of {argument} is not supported", hint="Cast it to a list.")
    return argument, list_of(plain_type(argument))


def _text(argument: ScalarType) -> tuple[ScalarType, ScalarType] | None:
    if argument.kind is Kind.BYTEA:
        return BYTEA, BYTEA
    return (TEXT, TEXT) if argument.is_string_category else None


def _document(argument: ScalarType) -> tuple[ScalarType, ScalarType]:
    return argument, JSONB


def _text_document(argument: ScalarType) -> tuple[ScalarType, ScalarType]:
    return argument, JSON


def _continuous(argument: ScalarType) -> tuple[ScalarType, ScalarType] | None:
    if argument.kind is Kind.INTERVAL:
        raise Unsupported("percentile_cont of intervals is not supported")
    return (FLOAT8, FLOAT8) if argument.is_numeric_category else None


def _rank(argument: ScalarType) -> tuple[ScalarType, ScalarType]:
    return argument, INT8


def _share(argument: ScalarType) -> tuple[ScalarType, ScalarType]:
    return argument, FLOAT8


_VARIANCES = ("var_pop", "var_samp", "variance", "stddev_pop", "stddev_samp", "stddev")
_REGRESSIONS = (
    "corr", "covar_pop", "covar_samp", "regr_avgx", "regr_avgy", "regr_intercept", "regr_r2", "regr_slope",
    "regr_sxx", "regr_sxy", "regr_syy",
)  # fmt: skip

AGGREGATES: Mapping[str, AggregateFunction] = {
    function.name: function
    for function in (
        AggregateFunction("count", AggregateKind.ACCUMULABLE, _count, empty=0),
        AggregateFunction("sum", AggregateKind.ACCUMULABLE, _sum),
        AggregateFunction("avg", AggregateKind.ACCUMULABLE, _avg),
        AggregateFunction("bool_and", AggregateKind.ACCUMULABLE, _bool),
        AggregateFunction("bool_or", AggregateKind.ACCUMULABLE, _bool),
        AggregateFunction("every", AggregateKind.ACCUMULABLE, _bool),
        *(
            AggregateFunction(name, AggregateKind.ACCUMULABLE, _variance, unknown=FLOAT8)
            for name in _VARIANCES
        ),
        *(
            AggregateFunction(f"bit_{word}", AggregateKind.ACCUMULABLE, _bits)
            for word in ("and", "or", "xor")
        ),
        *(AggregateFunction(n, AggregateKind.ACCUMULABLE, _regression, pair=True) for n in _REGRESSIONS),
        AggregateFunction("regr_count", AggregateKind.ACCUMULABLE, _pair_count, empty=0, pair=True),
        AggregateFunction("min", AggregateKind.HIERARCHICAL, _extreme),
        AggregateFunction("max", AggregateKind.HIERARCHICAL, _extreme),
        AggregateFunction("any_value", AggregateKind.HIERARCHICAL, _any),
        # Planned as a max and a min, see sql/calls/split_aggregates.py.
        AggregateFunction("range_intersect_agg", AggregateKind.HIERARCHICAL, _intersection),
        AggregateFunction("array_agg", AggregateKind.WHOLE_GROUP, _array),
        AggregateFunction("list_agg", AggregateKind.WHOLE_GROUP, _list),  # planned as array_agg
        AggregateFunction("map_agg", AggregateKind.WHOLE_GROUP, _list),  # planned as array_agg of records
        AggregateFunction("string_agg", AggregateKind.WHOLE_GROUP, _text),
        # Planned as string_agg of the members' texts, see sql/calls/aggregate_call.py.
        AggregateFunction("jsonb_agg", AggregateKind.WHOLE_GROUP, _document),
        AggregateFunction("jsonb_object_agg", AggregateKind.WHOLE_GROUP, _document),
        AggregateFunction("json_agg", AggregateKind.WHOLE_GROUP, _text_document),
        AggregateFunction("json_object_agg", AggregateKind.WHOLE_GROUP, _text_document),
        AggregateFunction("mode", AggregateKind.WHOLE_GROUP, _any, within=True),
        AggregateFunction("percentile_disc", AggregateKind.WHOLE_GROUP, _any, within=True),
        AggregateFunction(
            "percentile_cont", AggregateKind.WHOLE_GROUP, _continuous, within=True, unknown=FLOAT8
        ),
    )
}

HYPOTHETICAL: Mapping[str, AggregateFunction] = {
    function.name: function
    for function in (
        AggregateFunction("rank", AggregateKind.WHOLE_GROUP, _rank, empty=1, within=True),
        AggregateFunction("dense_rank", AggregateKind.WHOLE_GROUP, _rank, empty=1, within=True),
        AggregateFunction("percent_rank", AggregateKind.WHOLE_GROUP, _share, empty=0.0, within=True),
        AggregateFunction("cume_dist", AggregateKind.WHOLE_GROUP, _share, empty=1.0, within=True),
    )
}


def aggregate_function(name: str) -> AggregateFunction | None:
    return AGGREGATES.get(name) or HYPOTHETICAL.get(name)


def empty_value(name: str) -> float | None:
    """The aggregate over no rows; None is NULL."""
    function = aggregate_function(name)
    return None if function is None else function.empty


def resolve_aggregate(name: str, argument: ScalarType | None) -> tuple[ScalarType | None, ScalarType]:
    """(type to cast the argument to, type of the result) of aggregate `name`; `argument` None is `count(*)`.

    Raises UndefinedFunction as PostgreSQL does where the aggregate does not take the type.
    """
    if argument is None:
        if name == "count":
            return None, INT8
        raise UndefinedFunction(f"function {name}() does not exist")
    (wanted,), result = resolve_arguments(name, (argument,))
    return wanted, result


def resolve_arguments(
    name: str, arguments: Sequence[ScalarType | None]
) -> tuple[tuple[ScalarType, ...], ScalarType]:
    """As `resolve_aggregate`, for all arguments of a call, at least one; None is an untyped literal."""
    function = AGGREGATES.get(name)
    if name == "string_agg":
        if len(arguments) == 2 and all(type_ is None or type_.is_string_category for type_ in arguments):
            return (TEXT, TEXT), TEXT
        if len(arguments) == 2 and all(type_ is None or type_.kind is Kind.BYTEA for type_ in arguments):
            return (BYTEA, BYTEA), BYTEA
    elif function is not None and not function.within and len(arguments) == (2 if function.pair else 1):
        if function.pair:
            if all(type_ is None or can_cast(type_, FLOAT8, CastContext.IMPLICIT) for type_ in arguments):
                wanted, result = _resolved(function, FLOAT8)
                return (wanted, wanted), result
        elif (resolved := function.result(arguments[0] or function.unknown)) is not None:
            return (resolved[0],), resolved[1]
    raise UndefinedFunction(
        f"function {name}({', '.join(map(base_name, arguments))}) does not exist",
        hint="No function matches the given name and argument types. You might need to add explicit type casts.",
    )


def _resolved(function: AggregateFunction, argument: ScalarType) -> tuple[ScalarType, ScalarType]:
    resolved = function.result(argument)
    assert resolved is not None
    return resolved
