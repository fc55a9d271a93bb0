"""Predicates move towards the inputs; equalities of both sides of a join become its keys.

| through        | what moves                                                                    |
|----------------|-------------------------------------------------------------------------------|
| project, map   | everything; computed columns are put into the predicate unless they can fail  |
| inner join     | what one side alone decides, to that side; equalities to keys; the rest joins |
| left join      | what the left side decides; of its own condition, what the right side decides |
| semi, anti     | everything, to the left                                                       |
| flat map       | what the input's columns decide                                               |
| reduce, top-k, window | what the columns of the group or partition decide                      |
| union, distinct, threshold | everything                                                        |
| recursion      | everything, into the body and no further                                      |

Of an OR, what all its branches ask for is a predicate of its own: `(a AND b) OR (a AND c)` is `a AND (b OR c)`.  Of one that needs
both sides of an inner join, each side is asked beforehand for what every branch asks of it.

A predicate that can fail does not move past a join, a grouping, or a difference: it would meet rows that it does not
meet now.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ..expr.evaluate import can_fail
from ..expr.tree.relation import (
    Distinct,
    Filter,
    FlatMap,
    Join,
    JoinKind,
    LetRec,
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
from ..expr.tree.relation_tree import inputs, with_inputs
from ..expr.tree.scalar import And, ColumnRef, Or, Scalar, columns_of, remap
from .rewrite import filtered, key_pair, shifted, side_of, substitute


def push_predicates(relation: Relation) -> Relation:
    return _push(relation, [])


def _push(relation: Relation, predicates: Sequence[Scalar]) -> Relation:
    """`relation` under `predicates`, each as deep as it goes."""
    match relation:
        case Filter(input=child, predicates=own):
            return _push(child, [*_split(own), *predicates])
        case Project(input=child, indices=indices):
            moved = [remap(predicate, lambda index: indices[index]) for predicate in predicates]
            return replace(relation, input=_push(child, moved))
        case Map():
            return _map(relation, predicates)
        case Join(kind=JoinKind.INNER):
            return _inner(relation, predicates)
        case Join():
            return _outer(relation, predicates)
        case Reduce():
            return _reduce(relation, predicates)
        case TopK(group=group):
            safe, rest = _decided(predicates, set(group))
            return filtered(replace(relation, input=_push(relation.input, safe)), rest)
        case FlatMap(kept=kept):
            safe, rest = _decided(predicates, set(range(len(kept))))
            moved = [remap(predicate, lambda index: kept[index]) for predicate in safe]
            return filtered(replace(relation, input=_push(relation.input, moved)), rest)
        case Window(partition=partition):
            safe, rest = _decided(predicates, set(partition))
            return filtered(replace(relation, input=_push(relation.input, safe)), rest)
        case Union(inputs=arms) if not any(isinstance(arm, Negate) for arm in arms):
            return replace(relation, inputs=tuple(_push(arm, predicates) for arm in arms))
        case Union(inputs=arms):
            safe, rest = _decided(predicates, set(range(len(relation.schema))))
            return filtered(replace(relation, inputs=tuple(_push(arm, safe) for arm in arms)), rest)
        case LetRec(bindings=bindings):
            # Into the body only: inside the loop the rows that are filtered out lead to others.
            bound = tuple(replace(binding, value=_push(binding.value, [])) for binding in bindings)
            return replace(relation, bindings=bound, body=_push(relation.body, predicates))
        case Distinct() | Negate():
            return replace(relation, input=_push(relation.input, predicates))
        case Threshold():
            safe, rest = _decided(predicates, set(range(len(relation.schema))))
            return filtered(replace(relation, input=_push(relation.input, safe)), rest)
        case _:
            below = tuple(_push(child, []) for child in inputs(relation))
            return filtered(with_inputs(relation, below), predicates)


def _split(predicates: Sequence[Scalar]) -> list[Scalar]:
    out: list[Scalar] = []
    for predicate in predicates:
        match predicate:
            case And(args=args):
                out.extend(_split(args))
            case Or():
                out.extend(_factored(predicate))
            case _:
                out.append(predicate)
    return out


def _factored(disjunction: Or) -> list[Scalar]:
    """What all branches ask for, and the OR of the rest.  (With an error in it, NULL AND (TRUE OR error) would be another value.)"""
    if can_fail(disjunction):
        return [disjunction]
    branches = [_split([branch]) for branch in disjunction.args]
    common = [predicate for predicate in branches[0] if all(predicate in other for other in branches[1:])]
    if not common:
        return [disjunction]
    rests = [[predicate for predicate in branch if predicate not in common] for branch in branches]
    return common if not all(rests) else [*common, Or(tuple(map(_all, rests)))]


def _implied(predicate: Scalar, columns: set[int]) -> list[Scalar]:
    """What every branch of an OR that cannot fail asks of `columns` alone."""
    if not isinstance(predicate, Or):
        return []
    branches = [[p for p in _split([branch]) if columns_of(p) <= columns] for branch in predicate.args]
    return [Or(tuple(map(_all, branches)))] if all(branches) else []


def _all(predicates: Sequence[Scalar]) -> Scalar:
    return predicates[0] if len(predicates) == 1 else And(tuple(predicates))


def _decided(predicates: Sequence[Scalar], columns: set[int]) -> tuple[list[Scalar], list[Scalar]]:
    """Those that read `columns` only and cannot fail, and the others."""
    safe: list[Scalar] = []
    rest: list[Scalar] = []
    for predicate in predicates:
        fits = columns_of(predicate) <= columns and not can_fail(predicate)
        (safe if fits else rest).append(predicate)
    return safe, rest


def _map(relation: Map, predicates: Sequence[Scalar]) -> Relation:
    schema = relation.input.schema
    width = len(schema)
    columns: list[Scalar] = [ColumnRef(i, c.type, c.nullable) for i, c in enumerate(schema)]
    columns.extend(relation.scalars)
    below, above = [], []
    for predicate in predicates:
        computed = [index for index in columns_of(predicate) if index >= width]
        if any(can_fail(columns[index]) for index in computed):
            above.append(predicate)
        else:
            below.append(substitute(predicate, columns) if computed else predicate)
    return filtered(replace(relation, input=_push(relation.input, below)), above)


def _inner(join: Join, predicates: Sequence[Scalar]) -> Relation:
    width = len(join.left.schema)
    left: list[Scalar] = []
    right: list[Scalar] = []
    left_keys, right_keys = list(join.left_keys), list(join.right_keys)
    residual: list[Scalar] = []
    above: list[Scalar] = []
    takes_keys = not (join.null_safe and left_keys)
    held = _split(join.residual)
    for place, predicate in enumerate([*held, *predicates]):
        side = side_of(predicate, width)
        pair = key_pair(predicate, width) if takes_keys and side == "both" else None
        if pair is not None:
            left_keys.append(pair[0])
            right_keys.append(pair[1])
        elif can_fail(predicate) or side == "none":
            above.append(predicate)
        elif side == "left":
            left.append(predicate)
        elif side == "right":
            right.append(shifted(predicate, -width))
        else:
            residual.append(predicate)
            if place >= len(held):  # one that has come down now: of another, its sides know
                left += _implied(predicate, set(range(width)))
                moved = _implied(predicate, set(range(width, width + len(join.right.schema))))
                right += [shifted(p, -width) for p in moved]
    joined = Join(
        _push(join.left, left),
        _push(join.right, right),
        JoinKind.INNER,
        tuple(left_keys),
        tuple(right_keys),
        tuple(residual),
        join.null_safe and not takes_keys,
    )
    return filtered(joined, above)


def _outer(join: Join, predicates: Sequence[Scalar]) -> Relation:
    """LEFT, RIGHT, FULL, SEMI, ANTI."""
    width = len(join.left.schema)
    everything = width + len(join.right.schema)
    semi = join.kind in (JoinKind.SEMI, JoinKind.ANTI)
    left: list[Scalar] = []
    right: list[Scalar] = []
    above = list(predicates)
    if semi or join.kind is JoinKind.LEFT:
        left, above = _decided(above, set(range(width)))
    elif join.kind is JoinKind.RIGHT:
        moved, above = _decided(above, set(range(width, everything)))
        right = [shifted(predicate, -width) for predicate in moved]
    residual = _split(join.residual)
    if semi or join.kind is JoinKind.LEFT:
        # The condition's own part over the side whose rows it only selects.
        moved, residual = _decided(residual, set(range(width, everything)))
        moved, fixed = [p for p in moved if columns_of(p)], [p for p in moved if not columns_of(p)]
        right.extend(shifted(predicate, -width) for predicate in moved)
        residual.extend(fixed)
    elif join.kind is JoinKind.RIGHT:
        moved, residual = _decided(residual, set(range(width)))
        moved, fixed = [p for p in moved if columns_of(p)], [p for p in moved if not columns_of(p)]
        left.extend(moved)
        residual.extend(fixed)
    joined = replace(
        join, left=_push(join.left, left), right=_push(join.right, right), residual=tuple(residual)
    )
    return filtered(joined, above)


def _reduce(relation: Reduce, predicates: Sequence[Scalar]) -> Relation:
    below: list[Scalar] = []
    rest: Sequence[Scalar] = predicates
    if relation.keys:
        safe, rest = _decided(predicates, set(range(len(relation.keys))))
        for predicate in safe:
            moved = substitute(predicate, relation.keys)
            if columns_of(predicate) and not can_fail(moved):
                below.append(moved)
            else:
                rest = [*rest, predicate]
    return filtered(replace(relation, input=_push(relation.input, below)), rest)
