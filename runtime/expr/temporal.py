"""`mz_now()` in relations: its value in a one-off query, and where what is maintained may use it."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

from ..errors import Unsupported
from ..repr.types import INT8, Kind, ScalarType
from .registry import resolve_call
from .tree.relation import Binding, Filter, Join, JoinKind, LetRec, Relation
from .tree.relation_tree import free_locals, inputs, scalars_of, walk, with_inputs, with_scalars
from .tree.scalar import And, Cast, Literal, MzNow, NowCompare, Scalar, transform
from .tree.scalar import walk as walk_scalar

_LARGE_CONSTANT = 1 << 18
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_HINT = (
    "Compare mz_now() with an expression over columns by =, <, <=, >, >= or BETWEEN, under AND, in WHERE or HAVING; "
    "move arithmetic to the other side."
)


def reads_now(scalar: Scalar) -> bool:
    return any(isinstance(node, MzNow | NowCompare) for node in walk_scalar(scalar))


def is_temporal(predicate: Scalar) -> bool:
    """Whether a Filter's predicate is a bound on the time, and nothing else."""
    return isinstance(predicate, NowCompare) and not reads_now(predicate.bound)


def check_temporal(relation: Relation) -> None:
    """Raises 0A000 where `mz_now()` stands in what is to be maintained for anything but a temporal filter."""
    for node in walk(relation):
        free = _filters(node)
        if isinstance(node, LetRec) and any(map(_changes_inside, node.bindings)):
            raise Unsupported(
                "mz_now() over recursive rows is not supported inside of a recursion",
                hint="Filter what goes into the recursion, or what comes out of it.",
            )
        for scalar in scalars_of(node):
            for part in _conjuncts(scalar):
                if reads_now(part) and part not in free:
                    raise Unsupported(
                        "this use of mz_now() is not supported in what is maintained", hint=_HINT
                    )


def _filters(node: Relation) -> list[Scalar]:
    """The temporal filters of a node."""
    bounds: tuple[Scalar, ...] = ()
    if isinstance(node, Filter):
        bounds = node.predicates
    elif isinstance(node, Join) and node.kind is JoinKind.INNER:
        bounds = node.residual
    return [part for predicate in bounds for part in _conjuncts(predicate) if is_temporal(part)]


def _changes_inside(binding: Binding) -> bool:
    """Whether a temporal filter is over what differs between iterations."""
    return any(_filters(node) and free_locals(node) for node in walk(binding.value))


def finds_now(relation: Relation, most: int) -> bool | None:
    """Whether `mz_now()` stands in it; None if it is large: of more than `most` expressions, of which a constant of
    _LARGE_CONSTANT bytes or characters is as many."""
    left = most
    for node in walk(relation):
        for scalar in scalars_of(node):
            for part in walk_scalar(scalar):
                if isinstance(part, MzNow | NowCompare):
                    return True
                left -= 1
                if isinstance(part, Literal) and isinstance(part.value, str | bytes):
                    left -= most * len(part.value) // _LARGE_CONSTANT
                if left < 0:
                    return None
    return False


def at_time(relation: Relation, time: int) -> Relation:
    """The relation as it is at `time` (milliseconds since 1970), without `mz_now()`."""
    children = inputs(relation)
    new = tuple(at_time(child, time) for child in children)
    if any(a is not b for a, b in zip(children, new, strict=True)):
        relation = with_inputs(relation, new)
    if not any(reads_now(scalar) for scalar in scalars_of(relation)):
        return relation
    return with_scalars(relation, lambda scalar: transform(scalar, lambda node: _value(node, time)))


def scalar_at(scalar: Scalar, time: int) -> Scalar:
    """As `at_time`, of one expression."""
    return transform(scalar, lambda node: _value(node, time)) if reads_now(scalar) else scalar


def _conjuncts(scalar: Scalar) -> Iterator[Scalar]:
    if isinstance(scalar, And):
        for arg in scalar.args:
            yield from _conjuncts(arg)
    else:
        yield scalar


def _value(node: Scalar, time: int) -> Scalar:
    match node:
        case MzNow(type=type_):
            return Literal(time, type_)
        case Cast(arg=Literal(value=value, type=type_), type=target) if type_ == INT8 and _is_instant(target):
            return _instant(value, target)  # of a view that was stored when mz_now() was a bigint
        case NowCompare(operator=operator, bound=bound) if _is_instant(bound.type):
            return _compare_instant(operator, bound, time)
        case NowCompare(operator=operator, bound=bound):
            return resolve_call(operator, (Literal(time, INT8), bound))
        case _:
            return node


def _is_instant(type_: ScalarType) -> bool:
    return type_.kind in (Kind.TIMESTAMP, Kind.TIMESTAMPTZ)


def _instant(time: int, type_: ScalarType) -> Literal:
    instant = _EPOCH + timedelta(milliseconds=time)
    return Literal(instant if type_.kind is Kind.TIMESTAMPTZ else instant.replace(tzinfo=None), type_)


def _compare_instant(operator: str, bound: Scalar, time: int) -> Scalar:
    """The bound counts in whole milliseconds, rounded down: `time < bound` is `time + 1 <= bound` as instants."""
    this, following = _instant(time, bound.type), _instant(time + 1, bound.type)
    match operator:
        case "lt":
            return resolve_call("ge", (bound, following))
        case "le":
            return resolve_call("ge", (bound, this))
        case "gt":
            return resolve_call("lt", (bound, this))
        case "ge":
            return resolve_call("lt", (bound, following))
        case _:
            return And((resolve_call("ge", (bound, this)), resolve_call("lt", (bound, following))))
