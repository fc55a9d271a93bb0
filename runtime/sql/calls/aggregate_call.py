"""Calls of aggregates: from syntax to a typed Aggregate over the rows of the groups."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

from ...errors import DatatypeMismatch, GroupingError, PtvcError, UndefinedFunction, Unsupported
from ...expr.coercion.type_rules import CastContext, base_name, can_cast
from ...expr.functions.aggregates import (
    AGGREGATES,
    HYPOTHETICAL,
    AggregateFunction,
    aggregate_function,
    resolve_aggregate,
    resolve_arguments,
)
from ...expr.functions.comparison.comparison_keys import equality_key, has_keys, sort_key
from ...expr.functions.containers.maps import value_type
from ...expr.functions.containers.records import row
from ...expr.functions.json.jsonb_build import refuse_json
from ...expr.tree.relation import Aggregate, ScalarOrder
from ...expr.tree.scalar import Call, Literal, Scalar, columns_of
from ...repr.types import FLOAT8, JSON, JSONB, NESTED, TEXT, Kind, ScalarType, array_of, list_of, map_of
from ..scalars.equal_keys import prints_differently
from ..scalars.expressions import Expressions
from ..scalars.typed import Typed, at
from ..scalars.zone import fold
from ..syntax import ast

_NOT_UNIQUE = frozenset(
    ("sum", "avg", "bit_and", "bit_or", "bit_xor", "array_agg", "list_agg", "range_intersect_agg")
)
"""Aggregates that an untyped literal alone does not choose an overload of."""

_IN_ORDER = frozenset(("array_agg", "list_agg", "string_agg"))
DOCUMENT_AGGREGATES = {
    "jsonb_agg": (1, "jsonb element"),
    "jsonb_object_agg": (2, "jsonb member"),
    "json_agg": (1, "json element"),
    "json_object_agg": (2, "json member"),
}
"""How many arguments they have, and the function of these that is a member's text."""

_FINISHED = {
    "jsonb_agg": ("jsonb of elements", JSONB),
    "jsonb_object_agg": ("jsonb of members", JSONB),
    "json_agg": ("json of elements", JSON),
    "json_object_agg": ("json of members", JSON),
}
_IDEMPOTENT = frozenset(
    ("min", "max", "any_value", "bool_and", "bool_or", "every", "bit_and", "bit_or", "range_intersect_agg")
)


def is_aggregate(node: ast.Function) -> bool:
    """Whether the call is one of an aggregate; with OVER it is one of a window function."""
    name = node.name[-1]
    return node.over is None and (name in AGGREGATES or bool(node.within))


def aggregate_calls(node: object) -> Iterator[ast.Function]:
    """Aggregate calls within `node`, those of window functions' arguments included; outermost only, subqueries
    left out."""
    if isinstance(node, ast.Query) or node is None or isinstance(node, str | int):
        return
    if isinstance(node, ast.Function) and is_aggregate(node):
        yield node
        return
    if isinstance(node, tuple):
        for part in node:
            yield from aggregate_calls(part)
        return
    for slot in getattr(type(node), "__slots__", ()):
        yield from aggregate_calls(getattr(node, slot))


def plan_aggregate(expressions: Expressions, call: ast.Function, outer: int) -> Aggregate:
    """`call` over the relation of `expressions`, whose first `outer` columns are those of enclosing queries."""
    for part in (*call.args, call.filter, call.order_by, call.within):
        for nested in aggregate_calls(part):
            raise GroupingError("aggregate function calls cannot be nested", position=nested.position)
    expressions.clause = "aggregate arguments"
    found = typed_aggregate(expressions, call)
    _own_level([scalar for scalar in found.scalars if scalar is not found.filter], outer, call)
    return found


def typed_aggregate(expressions: Expressions, call: ast.Function) -> Aggregate:
    """The aggregate with its arguments cast, for a grouping or a window."""
    with at(call.position):
        found = _ordered_set(expressions, call) if call.within else _plain(expressions, call)
    if call.filter is None:
        return found
    return replace(found, filter=expressions.predicate(call.filter, "FILTER"))


def _own_level(scalars: Sequence[Scalar], outer: int, call: ast.Function) -> None:
    columns = {column for scalar in scalars for column in columns_of(scalar)}
    if columns and all(index < outer for index in columns):
        raise Unsupported(
            "aggregates over columns of an outer query are not supported", position=call.position
        )


def _plain(expressions: Expressions, call: ast.Function) -> Aggregate:
    name = call.name[-1]
    if name in DOCUMENT_AGGREGATES:
        return _documents(expressions, call, name)
    if name == "map_agg":
        return _map(expressions, call)
    nullable = AGGREGATES[name].empty is None
    if call.star:
        _, result = resolve_aggregate(name, None)
        return Aggregate(name, None, result, name, nullable=nullable)
    if name == "count" and not call.args:
        raise PtvcError("count(*) must be used to call a parameterless aggregate function", sqlstate="42809")
    found = [expressions.resolve(arg) for arg in call.args]
    if len(found) == 1 and found[0].unknown:
        _refuse_unknown(name)
    wanted, result = resolve_arguments(name, [None if t.unknown else t.scalar.type for t in found])
    arguments = [expressions.coerce(t, w, name) for t, w in zip(found, wanted, strict=True)]
    by = [expressions.scalar(key.expression) for key in call.order_by]
    order = tuple(
        ScalarOrder(sort_key(scalar), key.descending, key.nulls_first)
        for scalar, key in zip(by, call.order_by, strict=True)
    )
    if call.distinct:
        same = [*arguments, *(typed.scalar for typed in found)]
        for scalar, node in zip(by, call.order_by, strict=True):
            if has_keys(scalar.type):
                raise Unsupported(
                    f"DISTINCT with ORDER BY in {name} of {base_name(scalar.type)} is not supported"
                )
            if scalar not in same:
                raise PtvcError(
                    "in an aggregate with DISTINCT, ORDER BY expressions must appear in argument list",
                    sqlstate="42P10",
                    position=node.expression.position,
                )
    if name in ("min", "max") and arguments[0].type.kind is Kind.RECORD:
        sort_key(arguments[0])  # there must be one
    distinct = call.distinct and name not in _IDEMPOTENT
    if call.distinct:
        for argument in arguments:
            equality_key(argument)  # there must be one
    if distinct and name == "count":
        arguments = [equality_key(argument) for argument in arguments]
    if distinct and AGGREGATES[name].pair:
        raise Unsupported(f"DISTINCT in {name} is not supported")
    return Aggregate(
        "array_agg" if name == "list_agg" else name,
        arguments[0],
        result,
        name,
        distinct,
        nullable=nullable,
        rest=tuple(arguments[1:]),
        order=order if name in _IN_ORDER else (),
    )


def _documents(expressions: Expressions, call: ast.Function, name: str) -> Aggregate:
    """jsonb_agg and jsonb_object_agg: the texts of all members, joined; `finished` makes the document of them."""
    found = [] if call.star else [expressions.resolve(arg) for arg in call.args]
    count, member = DOCUMENT_AGGREGATES[name]
    if len(found) != count:
        types = ", ".join(base_name(None if t.unknown else t.scalar.type) for t in found)
        raise UndefinedFunction(f"function {name}({types}) does not exist")
    if count == 1 and found[0].unknown and found[0].parameter is None:
        raise DatatypeMismatch("could not determine polymorphic type because input has type unknown")
    if count == 2 and found[0].scalar.type.kind in NESTED | {Kind.JSONB, Kind.JSON}:
        raise PtvcError("key value must be scalar, not array, composite, or json", sqlstate="22023")
    order = tuple(
        ScalarOrder(sort_key(expressions.scalar(key.expression)), key.descending, key.nulls_first)
        for key in call.order_by
    )
    if call.distinct and order:
        raise Unsupported(f"DISTINCT with ORDER BY in {name} is not supported")
    scalars = tuple(expressions.defaulted(typed) for typed in found)
    if name.startswith("jsonb"):
        refuse_json(scalars)
    if call.distinct and any(prints_differently(scalar.type) for scalar in scalars):
        raise Unsupported(f"DISTINCT in {name} of {scalars[-1].type} is not supported")
    if call.distinct:
        order = tuple(ScalarOrder(sort_key(scalar), False, False) for scalar in scalars)
    argument = Call(member, scalars, TEXT, False)
    lines = name == "json_agg" and scalars[0].type.kind in (Kind.ARRAY, Kind.RECORD)
    delimiter = Literal(", \n " if lines else ", ", TEXT)
    return Aggregate(
        "string_agg", argument, TEXT, name, call.distinct, nullable=True, rest=(delimiter,), order=order
    )


def _map(expressions: Expressions, call: ast.Function) -> Aggregate:
    """map_agg: all entries, the last of a key the last in the order; `finished` makes the map of them."""
    found = [] if call.star else [expressions.resolve(arg) for arg in call.args]
    texts = bool(found) and (found[0].unknown or found[0].scalar.type.is_string_category)
    if len(found) != 2 or not texts:
        raise _no_such("map_agg", found)
    if call.distinct:
        raise Unsupported("DISTINCT in map_agg is not supported")
    key, value = expressions.coerce(found[0], TEXT, "map_agg"), expressions.defaulted(found[1])
    if value.type.kind is Kind.ARRAY:
        raise Unsupported(f"map_agg of {value.type} is not supported", hint="Cast it to a list.")
    order = tuple(
        ScalarOrder(sort_key(expressions.scalar(by.expression)), by.descending, by.nulls_first)
        for by in call.order_by
    )
    entry = row((("key", key), ("value", value)))
    return Aggregate("array_agg", entry, list_of(entry.type), "map_agg", nullable=True, order=order)


def finished(call: ast.Function, value: Scalar) -> Scalar:
    """The aggregate's result, from the column that holds what was planned for `call`."""
    if call.name[-1] == "map_agg":
        return Call("map of entries", (value,), map_of(value_type(value.type)), True)
    made = _FINISHED.get(call.name[-1])
    return value if made is None else Call(made[0], (value,), made[1], True)


def _refuse_unknown(name: str) -> None:
    if name in _NOT_UNIQUE:
        raise PtvcError(
            f"function {name}(unknown) is not unique",
            sqlstate="42725",
            hint="Could not choose a best candidate function. You might need to add explicit type casts.",
        )
    if name == "any_value":
        raise DatatypeMismatch("could not determine polymorphic type because input has type unknown")


def _ordered_set(expressions: Expressions, call: ast.Function) -> Aggregate:
    name = call.name[-1]
    function = aggregate_function(name)
    keys = [expressions.resolve(key.expression) for key in call.within]
    given = [expressions.resolve(arg) for arg in call.args]
    if function is None or not function.within:
        raise _no_such(name, [*given, *keys], f"WITHIN GROUP is for ordered-set aggregates: {name} is none.")
    if any(has_keys(key.scalar.type) for key in keys):
        raise Unsupported(f"{name} over jsonb or bpchar is not supported", position=call.position)
    if name in HYPOTHETICAL:
        scalars, direct, result = _hypothetical(expressions, function, keys, given, call.args)
    else:
        scalars, direct, result = _inverse(expressions, function, keys, given)
    order = tuple(
        ScalarOrder(scalar, key.descending, key.nulls_first)
        for scalar, key in zip(scalars, call.within, strict=True)
    )
    nullable = function.empty is None
    return Aggregate(name, None, result, name, nullable=nullable, order=order, direct=tuple(direct))


def _no_such(name: str, arguments: Sequence[Typed], hint: str | None = None) -> UndefinedFunction:
    types = ", ".join(base_name(None if t.unknown else t.scalar.type) for t in arguments)
    return UndefinedFunction(
        f"function {name}({types}) does not exist",
        hint=hint
        or "No function matches the given name and argument types. You might need to add explicit type casts.",
    )


def _hypothetical(
    expressions: Expressions,
    function: AggregateFunction,
    keys: Sequence[Typed],
    given: Sequence[Typed],
    nodes: Sequence[ast.Expression],
) -> tuple[list[Scalar], list[Literal], ScalarType]:
    """A constant of each sort key's type; `nodes` are where the constants are written."""
    name = function.name
    if len(keys) != len(given):
        raise _no_such(
            name,
            [*given, *keys],
            f"To use the hypothetical-set aggregate {name}, the number of hypothetical direct arguments (here "
            f"{len(given)}) must match the number of ordering columns (here {len(keys)}).",
        )
    scalars: list[Scalar] = []
    direct: list[Literal] = []
    for key, constant, node in zip(keys, given, nodes, strict=True):
        (scalar, value), _ = expressions.unify((key, constant), "WITHIN GROUP", node.position)
        scalars.append(scalar)
        direct.append(_constant(name, value))
    resolved = function.result(scalars[0].type)
    assert resolved is not None
    return scalars, direct, resolved[1]


def _inverse(
    expressions: Expressions, function: AggregateFunction, keys: Sequence[Typed], given: Sequence[Typed]
) -> tuple[list[Scalar], list[Literal], ScalarType]:
    """mode, percentile_disc and percentile_cont: one sort key, and one fraction, or an array of them, or none."""
    name = function.name
    if len(keys) != 1 or len(given) != (0 if name == "mode" else 1):
        raise _no_such(name, [*given, *keys])
    if keys[0].unknown and keys[0].parameter is None and name in ("mode", "percentile_disc"):
        raise DatatypeMismatch("could not determine polymorphic type because input has type unknown")
    resolved = function.result(function.unknown if keys[0].unknown else keys[0].scalar.type)
    if resolved is None:
        if keys[0].scalar.type.kind is Kind.INTERVAL:
            raise Unsupported(f"{name} of intervals is not supported", hint="Take it of their seconds.")
        raise _no_such(name, [*given, *keys])
    wanted, result = resolved
    scalars = [expressions.coerce(keys[0], wanted, name)]
    if not given:
        return scalars, [], result
    fraction = given[0]
    several = not fraction.unknown and fraction.scalar.type.kind is Kind.ARRAY
    type_ = array_of(FLOAT8) if several else FLOAT8
    if not fraction.unknown and not can_cast(fraction.scalar.type, type_, CastContext.IMPLICIT):
        raise _no_such(name, [*given, *keys])
    literal = _constant(name, expressions.coerce(fraction, type_, name))
    for value in literal.value or () if several else (literal.value,):
        if value is not None and not (0 <= value <= 1 and not math.isnan(value)):
            raise PtvcError(f"percentile value {value:g} is not between 0 and 1", sqlstate="22003")
    if several:
        if result.kind is Kind.ARRAY:
            raise Unsupported(f"{name} of an array of fractions over arrays is not supported")
        result = array_of(result)
    return scalars, [literal], result


def _constant(name: str, scalar: Scalar) -> Literal:
    folded = fold(scalar)
    if not isinstance(folded, Literal):
        raise Unsupported(
            f"the direct arguments of {name} must be constants",
            hint="Write a number, or compute each fraction that you need.",
        )
    return folded


def is_grouping(node: ast.Function) -> bool:
    return node.name == ("grouping",)
