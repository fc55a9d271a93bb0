"""Window functions of one SELECT: from OVER and WINDOW to Window relations.

All calls of the select list, ORDER BY, QUALIFY and DISTINCT ON are found and resolved first.  Calls that agree on
PARTITION BY and ORDER BY become one Window, whatever their frames; one Window stands on the other, and every call is a
column behind the input's.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from ...errors import DatatypeMismatch, PtvcError, UndefinedFunction, UndefinedObject, Unsupported
from ...expr.coercion.type_rules import CastContext, base_name, can_cast
from ...expr.functions.aggregates import AGGREGATES
from ...expr.functions.comparison.comparison_keys import equality_key, sort_key
from ...expr.tree.relation import OrderBy, Relation, Window, WindowCall
from ...expr.tree.scalar import Literal, Scalar, columns_of
from ...expr.tree.windows import (
    DEFAULT_FRAME,
    NULLS_IGNORED,
    WINDOW_FUNCTIONS,
    Bound,
    BoundKind,
    Exclusion,
    Frame,
    FrameUnit,
)
from ...repr.types import FLOAT8, INT4, INT8, INTERVAL, NESTED, NUMERIC, Kind, ScalarType
from ..calls.aggregate_call import finished, typed_aggregate
from ..calls.split_aggregates import whole, window_parts
from ..calls.window_errors import windowing_error
from ..scalars import build
from ..scalars.expressions import Expressions
from ..scalars.typed import Typed, at
from ..scalars.zone import fold
from ..syntax import ast


@dataclass(slots=True)
class _Group:
    """Calls over one partitioning and order, by the call's syntax."""

    partition: tuple[Scalar, ...]
    order: tuple[Scalar, ...]
    keys: tuple[ast.SortKey, ...]
    calls: dict[ast.Function, WindowCall] = field(default_factory=dict)

    def matches(self, other: _Group) -> bool:
        def directions(group: _Group) -> list[tuple[bool, bool]]:
            return [(key.descending, key.nulls_first) for key in group.keys]

        mine = (self.partition, self.order, directions(self))
        return mine == (other.partition, other.order, directions(other))


class WindowPlanner:
    """`width` is the number of columns of enclosing queries, by which every window is partitioned too."""

    def __init__(
        self,
        expressions: Expressions,
        named: Sequence[ast.NamedWindow],
        width: int,
    ) -> None:
        self._expressions = expressions
        self._width = width
        self._named: dict[str, ast.Window] = {}
        for item in named:
            if item.name in self._named:
                raise windowing_error(f'window "{item.name}" is already defined', item.position)
            self._named[item.name] = self._definition(item.window)

    def plan(self, roots: Sequence[object]) -> dict[ast.Function, Scalar]:
        """Extends the relation of the expressions; where each call's value is."""
        calls = dict.fromkeys(call for root in roots for call in window_calls(root))
        planned_calls = {call: self._call(call) for call in calls}
        for window in self._named.values():
            self._group(window)  # one that is not used must be valid too
        groups: list[_Group] = []
        for call, without_frame in planned_calls.items():
            assert call.over is not None
            definition = self._definition(call.over)
            group = self._group(definition)
            planned = replace(without_frame, frame=self._frame(definition, group))
            known = next((other for other in groups if other.matches(group)), None)
            if known is None:
                groups.append(known := group)
            known.calls[call] = planned
        places: dict[ast.Function, Scalar] = {}
        for group in groups:
            places |= self._window(group)
        return places

    def _window(self, group: _Group) -> dict[ast.Function, Scalar]:
        scalars = [*group.partition, *group.order]
        below: Relation
        below, positions = build.append(
            self._expressions.relation, scalars, [f"window{i}" for i in range(len(scalars))]
        )
        partition = (*range(self._width), *positions[: len(group.partition)])
        order = tuple(
            OrderBy(position, key.descending, key.nulls_first)
            for position, key in zip(positions[len(group.partition) :], group.keys, strict=True)
        )
        calls: list[WindowCall] = []
        for call in group.calls.values():
            calls += [part for part in window_parts(call) if part not in calls]
        relation = Window(below, tuple(dict.fromkeys(partition)), order, tuple(calls))
        self._expressions.relation = relation
        base = len(below.schema)
        return {
            node: finished(
                node,
                whole(call, build.refs(relation, [base + calls.index(part) for part in window_parts(call)])),
            )
            for node, call in group.calls.items()
        }

    # --- definitions ---

    def _definition(self, window: ast.Window) -> ast.Window:
        """The window with what it inherits."""
        if window.name is None:
            return window
        base = self._named.get(window.name)
        if base is None:
            raise UndefinedObject(f'window "{window.name}" does not exist', position=window.position)
        if not window.copied:
            return base
        if window.partition_by:
            raise windowing_error(
                f'cannot override PARTITION BY clause of window "{window.name}"', window.position
            )
        if window.order_by and base.order_by:
            raise windowing_error(
                f'cannot override ORDER BY clause of window "{window.name}"', window.position
            )
        if base.frame is not None:
            error = windowing_error(
                f'cannot copy window "{window.name}" because it has a frame clause', window.position
            )
            if not window.order_by and window.frame is None:
                error.hint = "Omit the parentheses in this OVER clause."
            raise error
        return replace(
            window, partition_by=base.partition_by, order_by=window.order_by or base.order_by, name=None
        )

    def _group(self, window: ast.Window) -> _Group:
        expressions = self._expressions
        expressions.clause = "window definitions"
        partition = [equality_key(expressions.scalar(node)) for node in window.partition_by]
        order = [sort_key(expressions.scalar(key.expression)) for key in window.order_by]
        kept = tuple(scalar for scalar in partition if not isinstance(scalar, Literal))
        group = _Group(kept, tuple(order), window.order_by)
        self._frame(window, group)
        return group

    # --- frames ---

    def _frame(self, window: ast.Window, group: _Group) -> Frame:
        clause = window.frame
        if clause is None:
            return DEFAULT_FRAME
        unit = FrameUnit(clause.unit)
        offsets = clause.start.offset is not None or clause.end.offset is not None
        if unit is FrameUnit.RANGE and offsets and len(group.order) != 1:
            raise windowing_error(
                "RANGE with offset PRECEDING/FOLLOWING requires exactly one ORDER BY column", clause.position
            )
        if unit is FrameUnit.GROUPS and not group.order:
            raise windowing_error("GROUPS mode requires an ORDER BY clause", clause.position)
        start = self._bound(clause.start, unit, group, "starting")
        end = self._bound(clause.end, unit, group, "ending")
        return Frame(unit, start, end, Exclusion(clause.exclusion))

    def _bound(self, bound: ast.FrameBound, unit: FrameUnit, group: _Group, side: str) -> Bound:
        kind = BoundKind(bound.kind)
        if bound.offset is None:
            return Bound(kind)
        name = unit.value.upper()
        typed = self._expressions.resolve(bound.offset)
        with at(bound.offset.position):
            wanted = INT8 if unit is not FrameUnit.RANGE else _range_offset(group.order[0].type, typed)
            if not typed.unknown and not can_cast(typed.scalar.type, wanted, CastContext.ASSIGNMENT):
                raise DatatypeMismatch(
                    f"argument of {name} must be type bigint, not type {base_name(typed.scalar.type)}"
                )
            if columns_of(typed.scalar):
                raise PtvcError(f"argument of {name} must not contain variables", sqlstate="42P10")
            value = fold(self._expressions.coerce(typed, wanted, name))
            if not isinstance(value, Literal):
                raise Unsupported(f"argument of {name} must be a constant")
        if not self._expressions.planner.describing:
            _check_offset(value, side, unit)
        return Bound(kind, value)

    # --- calls ---

    def _call(self, node: ast.Function) -> WindowCall:
        name = node.name[-1]
        self._expressions.clause = "window function calls"
        for part in (*node.args, node.filter):
            for nested in window_calls(part):
                raise windowing_error("window function calls cannot be nested", nested.position)
        if node.distinct:
            raise Unsupported("DISTINCT is not implemented for window functions", position=node.position)
        if (
            node.nulls is not None
            and name not in NULLS_IGNORED
            and name in AGGREGATES.keys() | WINDOW_FUNCTIONS
        ):
            raise Unsupported(f"function {name} does not allow RESPECT/IGNORE NULLS", position=node.position)
        if name in AGGREGATES:
            return self._aggregate_call(node)
        if name not in WINDOW_FUNCTIONS:
            self._expressions.resolve(replace(node, over=None, filter=None))  # may not exist at all
            raise PtvcError(
                f"OVER specified, but {name} is not a window function nor an aggregate function",
                sqlstate="42809",
                position=node.position,
            )
        if node.filter is not None:
            raise Unsupported(
                "FILTER is not implemented for non-aggregate window functions", position=node.position
            )
        with at(node.position):
            call = _typed_call(self._expressions, name, [self._expressions.resolve(arg) for arg in node.args])
        return replace(call, ignore_nulls=node.nulls == "ignore")

    def _aggregate_call(self, node: ast.Function) -> WindowCall:
        if node.order_by:
            raise Unsupported(
                "aggregate ORDER BY is not implemented for window functions", position=node.position
            )
        name = node.name[-1]
        if name == "any_value" or node.within or AGGREGATES[name].within:
            raise Unsupported(f"{name} is not supported as a window function", position=node.position)
        aggregate = typed_aggregate(self._expressions, node)
        args = () if aggregate.argument is None else (aggregate.argument, *aggregate.rest)
        if name in ("min", "max") and args[0].type.kind in NESTED:
            raise Unsupported(
                f"{name} of {args[0].type} is not supported as a window function", position=node.position
            )
        return WindowCall(
            aggregate.function,
            args,
            aggregate.type,
            aggregate.name,
            filter=aggregate.filter,
            nullable=aggregate.nullable,
        )


def _check_offset(offset: Literal, side: str, unit: FrameUnit) -> None:
    """What PostgreSQL refuses before it looks at any row.  RANGE's negative offsets are errors of rows."""
    if offset.value is None:
        raise PtvcError(f"frame {side} offset must not be null", sqlstate="22004")
    if unit is not FrameUnit.RANGE and offset.value < 0:
        raise PtvcError(f"frame {side} offset must not be negative", sqlstate="22013")


_TIMES = frozenset((Kind.DATE, Kind.TIMESTAMP, Kind.TIMESTAMPTZ, Kind.TIME, Kind.INTERVAL))


def _range_offset(order: ScalarType, offset: Typed) -> ScalarType:
    """The type that the offset of RANGE has, by that of the order key."""
    message = "RANGE with offset PRECEDING/FOLLOWING is not supported for column type"
    if order.is_integer:
        wanted = INT8
    elif order.is_float:
        wanted = FLOAT8
    elif order.kind is Kind.NUMERIC:
        wanted = NUMERIC
    elif order.kind in _TIMES:
        wanted = INTERVAL
    else:
        raise Unsupported(
            f"{message} {base_name(order)}", hint="Use ROWS or GROUPS, or order by a number or a time."
        )
    if not offset.unknown and not can_cast(offset.scalar.type, wanted, CastContext.IMPLICIT):
        raise Unsupported(
            f"{message} {base_name(order)} and offset type {base_name(offset.scalar.type)}",
            hint="Cast the offset value to an appropriate type.",
        )
    return wanted


_NO_ARGUMENTS = {
    "row_number": INT8,
    "rank": INT8,
    "dense_rank": INT8,
    "percent_rank": FLOAT8,
    "cume_dist": FLOAT8,
}
_ARITIES = {"ntile": (1, 1), "lag": (1, 3), "lead": (1, 3), "nth_value": (2, 2)}


def _typed_call(expressions: Expressions, name: str, args: list[Typed]) -> WindowCall:
    """A call of WINDOW_FUNCTIONS, its arguments cast; 42883 where PostgreSQL has no such function."""
    if name in _NO_ARGUMENTS:
        if args and name != "row_number":
            raise PtvcError(f"WITHIN GROUP is required for ordered-set aggregate {name}", sqlstate="42809")
        if args:
            raise _undefined(name, args)
        return WindowCall(name, (), _NO_ARGUMENTS[name], name, nullable=False)
    low, high = _ARITIES.get(name, (1, 1))
    if not low <= len(args) <= high:
        raise _undefined(name, args)
    if name == "ntile":
        return WindowCall(name, (_as_int4(expressions, name, args, 0),), INT4, name)
    if args[0].unknown and args[0].parameter is None and (len(args) < 3 or args[2].unknown):
        raise DatatypeMismatch("could not determine polymorphic type because input has type unknown")
    scalars = [expressions.defaulted(args[0])]
    if len(args) > 2:
        try:
            scalars, _ = expressions.unify((args[0], args[2]), name, 0)
        except DatatypeMismatch:
            raise _undefined(name, args) from None
    if len(args) > 1:
        scalars.insert(1, _as_int4(expressions, name, args, 1))
    return WindowCall(name, tuple(scalars), scalars[0].type, name)


def _as_int4(expressions: Expressions, name: str, args: list[Typed], index: int) -> Scalar:
    arg = args[index]
    if not arg.unknown and not can_cast(arg.scalar.type, INT4, CastContext.IMPLICIT):
        raise _undefined(name, args)
    return fold(expressions.coerce(arg, INT4, name))


def _undefined(name: str, args: Sequence[Typed]) -> UndefinedFunction:
    types = ", ".join(base_name(None if arg.unknown else arg.scalar.type) for arg in args)
    return UndefinedFunction(
        f"function {name}({types}) does not exist",
        hint="No function matches the given name and argument types. You might need to add explicit type casts.",
    )


def window_calls(node: object) -> Iterator[ast.Function]:
    """Calls with OVER within `node`, outermost only, subqueries left out."""
    if isinstance(node, ast.Query) or node is None or isinstance(node, str | int):
        return
    if isinstance(node, ast.Function) and node.over is not None:
        yield node
        return
    if isinstance(node, tuple):
        for part in node:
            yield from window_calls(part)
        return
    for slot in getattr(type(node), "__slots__", ()):
        yield from window_calls(getattr(node, slot))
