"""Statements of a session that is not in UTC.

A one-off query, and what INSERT, UPDATE and the like compute, are put into the session's zone as a whole, when they are
planned (expr/coercion/session_zone.py says how).  What is defined lasts, and everybody reads it: views, indexes, defaults and
checks are in UTC, so a definition that depends on the zone is refused outside UTC, and a view that a query reads is left
as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import fields, is_dataclass, replace
from typing import TYPE_CHECKING, Any

from ...errors import Unsupported
from ...expr import evaluate
from ...expr.coercion.session_zone import current, has_instants, in_current_zone, planning_in, refusal
from ...expr.datetimes.zones import UTC_NAMES
from ...expr.fold_rows import fold_rows as _fold_rows
from ...expr.tree.relation import FlatMap, Reduce, Relation, TableCall, Window
from ...expr.tree.relation_tree import with_scalars
from ...expr.tree.scalar import Literal, Scalar
from ...expr.tree.windows import Frame, FrameUnit
from ...repr.types import INTERVAL, TEXT, ScalarType
from ...transform.rewrite import bottom_up
from ..plans import definition_plans, explain_plans, plans

if TYPE_CHECKING:
    from ..query.planner import Planner

_SQL = __name__.partition(".sql.")[0] + ".sql."
"""Where the dataclasses are of which plans consist."""
_DEFINITIONS = (
    definition_plans.CreateTable
    | definition_plans.AlterTable
    | definition_plans.CreateView
    | definition_plans.CreateMaterializedView
    | definition_plans.CreateIndex
    | definition_plans.CreateSink
)


def fold(scalar: Scalar) -> Scalar:
    """As `evaluate.fold`, for expressions of the statement that is being planned."""
    return evaluate.fold(in_current_zone(scalar))


def fold_rows(cells: Sequence[Scalar]) -> list[Scalar]:
    """As `fold_rows.fold_rows`, likewise."""
    return _fold_rows([in_current_zone(cell) for cell in cells])


def plan_in_zone(planner: Planner, plan: Callable[[], plans.PlannedStatement]) -> plans.PlannedStatement:
    """What `plan` makes, in the session's zone.  Raises Unsupported for definitions that depend on it."""
    if planner.context.zone in UTC_NAMES:
        return plan()
    with planning_in(planner.context.zone) as zone:
        planned = plan()
        if isinstance(planned, explain_plans.Explain) and planned.object is not None:
            return planned
        planned = _placed(planned, planner.views)
        lasting = isinstance(planned, _DEFINITIONS)
        if isinstance(planned, definition_plans.CreateTable) and planned.query is not None:
            lasting = False  # its rows are computed once
        if lasting and zone.used:
            raise Unsupported(
                f"a definition that depends on the session's time zone ({zone.name}) is not supported",
                hint="Name the zone by AT TIME ZONE, write offsets into literals, or SET TIME ZONE 'UTC'.",
            )
    return planned


def _placed(value: Any, views: list[Relation]) -> Any:
    """A plan, or a part of one, with every expression in the current zone, but those of `views`."""
    if isinstance(value, Scalar):
        return in_current_zone(value)
    if isinstance(value, Relation):
        return bottom_up(value, _relation, views)
    if isinstance(value, tuple) and type(value) is tuple:
        return tuple(_placed(item, views) for item in value)
    if is_dataclass(value) and type(value).__module__.startswith(_SQL):
        parts = {field.name: getattr(value, field.name) for field in fields(value)}
        new = {name: _placed(part, views) for name, part in parts.items()}
        changed = {name: part for name, part in new.items() if part is not parts[name]}
        return replace(value, **changed) if changed else value  # type: ignore[type-var]
    return value


def _relation(node: Relation) -> Relation:
    match node:
        case Reduce(aggregates=aggregates):
            for aggregate in aggregates:
                _check_json(aggregate.function, aggregate.scalars)
        case Window(calls=calls, order=order):
            for call in calls:
                _check_json(call.function, call.scalars)
                _check_frame(call.frame, [node.input.schema[key.index].type for key in order])
        case FlatMap(calls=table_calls):
            node = replace(node, calls=tuple(map(stepping_in_zone, table_calls)))
        case _:
            pass
    return with_scalars(node, in_current_zone)


def _check_json(function: str, scalars: tuple[Scalar, ...]) -> None:
    if "json" in function and any(has_instants(scalar.type) for scalar in scalars):
        raise refusal(f"{function} of timestamps with time zone")


def _check_frame(frame: Frame, keys: Sequence[ScalarType]) -> None:
    offsets = (frame.start.offset, frame.end.offset)
    moved = any(offset is not None and offset.type.kind is INTERVAL.kind for offset in offsets)
    if frame.unit is FrameUnit.RANGE and moved and any(map(has_instants, keys)):
        raise refusal("RANGE with an offset over timestamps with time zone")


def stepping_in_zone(call: TableCall) -> TableCall:
    """generate_series steps by the zone's clocks."""
    zone = current()
    if (
        zone is None
        or call.function != "generate_series"
        or not has_instants(call.type)
        or len(call.args) > 3
    ):
        return call
    zone.used = True
    return replace(call, args=(*call.args, Literal(zone.name, TEXT)))
