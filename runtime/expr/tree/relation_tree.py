"""Relations as trees: their inputs and expressions, the same relation over others, every node of one, what it reads."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import assert_never

from ...interrupt import check_interrupt
from .relation import (
    AssertSingle,
    Changes,
    Constant,
    Distinct,
    Filter,
    FlatMap,
    Get,
    GlobalId,
    Join,
    LetRec,
    LocalGet,
    Map,
    Negate,
    Project,
    Reduce,
    Relation,
    Threshold,
    TopK,
    Union,
    Window,
)
from .scalar import Scalar, calls_external


def inputs(relation: Relation) -> tuple[Relation, ...]:
    """The relations that it is made of.  Whatever looks at a plan comes by here, and can be cancelled."""
    check_interrupt()
    match relation:
        case Get() | Constant() | LocalGet():
            return ()
        case LetRec(bindings=bindings, body=body):
            return (*(binding.value for binding in bindings), body)
        case Join(left=left, right=right):
            return (left, right)
        case Union(inputs=children):
            return children
        case (
            Map(input=child)
            | Filter(input=child)
            | Project(input=child)
            | Reduce(input=child)
            | Distinct(input=child)
            | TopK(input=child)
            | Window(input=child)
            | Negate(input=child)
            | Threshold(input=child)
            | AssertSingle(input=child)
            | FlatMap(input=child)
        ):
            return (child,)
        case _:
            assert_never(relation)


def with_inputs(relation: Relation, new: tuple[Relation, ...]) -> Relation:
    """The same node over other inputs (of the same column types)."""
    match relation:
        case Get() | Constant() | LocalGet():
            return relation
        case LetRec(bindings=bindings):
            bound = tuple(
                replace(binding, value=value) for binding, value in zip(bindings, new, strict=False)
            )
            return replace(relation, bindings=bound, body=new[-1])
        case Join():
            return replace(relation, left=new[0], right=new[1])
        case Union():
            return replace(relation, inputs=new)
        case _:
            return replace(relation, input=new[0])


def reading(relation: Relation, id: GlobalId, other: Callable[[Get], Relation]) -> Relation:
    """`relation` with `other` in the place of what it reads of `id`; itself if it does not."""
    if isinstance(relation, Get):
        return other(relation) if relation.id == id else relation
    children = inputs(relation)
    new = tuple(reading(child, id, other) for child in children)
    same = all(a is b for a, b in zip(children, new, strict=True))
    return relation if same else with_inputs(relation, new)


def scalars_of(relation: Relation) -> tuple[Scalar, ...]:
    """The expressions of the node itself."""
    match relation:
        case Changes(bounds=bounds):
            return bounds
        case Map(scalars=scalars):
            return scalars
        case Filter(predicates=predicates):
            return predicates
        case Join(left_keys=left, right_keys=right, residual=residual):
            return (*left, *right, *residual)
        case Reduce(keys=keys, aggregates=aggregates):
            return (*keys, *(scalar for aggregate in aggregates for scalar in aggregate.scalars))
        case Window(calls=functions):
            return tuple(scalar for call in functions for scalar in call.scalars)
        case FlatMap(calls=calls):
            return tuple(arg for call in calls for arg in call.args)
        case _:
            return ()


def with_scalars(relation: Relation, change: Callable[[Scalar], Scalar]) -> Relation:
    """The same node with `change` applied to each of `scalars_of` it."""

    def every(scalars: tuple[Scalar, ...]) -> tuple[Scalar, ...]:
        return tuple(change(scalar) for scalar in scalars)

    match relation:
        case Changes(bounds=bounds):
            return replace(relation, bounds=every(bounds))
        case Map(scalars=scalars):
            return replace(relation, scalars=every(scalars))
        case Filter(predicates=predicates):
            return replace(relation, predicates=every(predicates))
        case Join(left_keys=left, right_keys=right, residual=residual):
            return replace(relation, left_keys=every(left), right_keys=every(right), residual=every(residual))
        case Reduce(keys=keys, aggregates=aggregates):
            mapped = tuple(aggregate.mapped(change) for aggregate in aggregates)
            return replace(relation, keys=every(keys), aggregates=mapped)
        case Window(calls=functions):
            return replace(relation, calls=tuple(call.mapped(change) for call in functions))
        case FlatMap(calls=calls):
            return replace(relation, calls=tuple(replace(call, args=every(call.args)) for call in calls))
        case _:
            return relation


def walk(relation: Relation) -> Iterator[Relation]:
    """The relation and all that it is made of, outermost first."""
    pending = [relation]
    while pending:
        node = pending.pop()
        yield node
        pending.extend(reversed(inputs(node)))


def free_locals(relation: Relation) -> frozenset[str]:
    """Ids of the bindings that the relation reads and that no LetRec inside it defines.

    A LetRec whose body reads none of its bindings is its body: what the bindings read nobody reads.
    """
    if isinstance(relation, LocalGet):
        return frozenset((relation.id,))
    if isinstance(relation, LetRec):
        own = {binding.id for binding in relation.bindings}
        read = free_locals(relation.body)
        if read.isdisjoint(own):
            return read
        return read.union(*(free_locals(binding.value) for binding in relation.bindings)) - own
    return frozenset().union(*(free_locals(child) for child in inputs(relation)))


def dependencies(relation: Relation) -> set[GlobalId]:
    """Catalog objects that the relation reads."""
    return {
        node.object if isinstance(node, Changes) else node.id
        for node in walk(relation)
        if isinstance(node, Get)
    }


def runs_external(relation: Relation) -> bool:
    """Whether code of users runs where the relation is computed."""
    return any(calls_external(scalar) for node in walk(relation) for scalar in scalars_of(node))
