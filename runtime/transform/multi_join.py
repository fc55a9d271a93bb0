"""A multi-join: nested inner joins as what they mean, inputs side by side with the conditions between them.

```
Join on (#1 = right.#0)            inputs   a, b, c            columns #0 #1 | #2 #3 | #4 #5
  Project (#0, #2)         ──>     classes  {#0, #2}, {#3, #4}
    Join on (#0 = right.#0)        residual what compares inputs otherwise
      a, b                         output   where the join's own columns stand
  c
```

An equivalence class has one expression per input at most (two of one input would be a filter of it); all of a class
are equal in a row of the join, so any two of them connect their inputs.  A join is taken apart only if nothing in its
conditions can fail, since conditions will be tried on other rows than before.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from ..expr.evaluate import can_fail
from ..expr.registry import resolve_call
from ..expr.temporal import reads_now
from ..expr.tree.relation import Filter, Join, JoinKind, Project, Relation
from ..expr.tree.scalar import Scalar, columns_of, remap
from .facts import conjuncts
from .rewrite import filtered, unique

Class = dict[int, Scalar]
"""By input: the expression, over that input's own columns, that equals those of the others."""


@dataclass(frozen=True, slots=True)
class MultiJoin:
    """`classes` connect the inputs; `residual` is over the columns of all inputs in order, and `output` says where
    each column of the relation stands among these."""

    inputs: tuple[Relation, ...]
    classes: tuple[Class, ...]
    residual: tuple[Scalar, ...]
    output: tuple[int, ...]

    @property
    def offsets(self) -> tuple[int, ...]:
        """Where the columns of each input begin."""
        at, out = 0, []
        for relation in self.inputs:
            out.append(at)
            at += len(relation.schema)
        return tuple(out)

    def connecting(self, bound: Iterable[int], to: int) -> tuple[int, ...]:
        """The classes by which the inputs `bound` reach the input `to`."""
        known = set(bound)
        return tuple(i for i, c in enumerate(self.classes) if to in c and known & c.keys())


def multi_join(join: Join) -> MultiJoin | None:
    """The joins at the top of `join` taken apart; None when it is not an inner join that may be."""
    if not _is_open(join):
        return None
    inputs: list[Relation] = []
    pairs: list[tuple[Scalar, Scalar]] = []
    residual: list[Scalar] = []
    output = _flatten(join, 0, inputs, pairs, residual)
    widths = [len(relation.schema) for relation in inputs]
    owner = [i for i, width in enumerate(widths) for _ in range(width)]
    starts = [sum(widths[:i]) for i in range(len(widths))]
    classes: list[list[tuple[int, Scalar]]] = []
    for a, b in pairs:
        sides = [{owner[c] for c in columns_of(scalar)} for scalar in (a, b)]
        if len(sides[0]) != 1 or len(sides[1]) != 1:
            residual.append(resolve_call("eq", (a, b)))
            continue
        members = [
            (side, remap(scalar, lambda c, side=side: c - starts[side]))  # type: ignore[misc]
            for scalar, (side,) in zip((a, b), sides, strict=True)
        ]
        _unite(classes, members)
    merged = tuple(_one_each(members, inputs) for members in classes)
    return MultiJoin(tuple(inputs), tuple(c for c in merged if len(c) > 1), unique(residual), tuple(output))


def pair_join(join: Join) -> MultiJoin | None:
    """The join of two inputs as one of its two sides, whatever these are; None when it may not be taken apart."""
    if not _is_open(join) or not join.left_keys:
        return None
    classes = tuple({0: a, 1: b} for a, b in zip(join.left_keys, join.right_keys, strict=True))
    width = len(join.left.schema) + len(join.right.schema)
    return MultiJoin((join.left, join.right), classes, tuple(conjuncts(join.residual)), tuple(range(width)))


def _is_open(relation: Relation) -> bool:
    if not isinstance(relation, Join) or relation.kind is not JoinKind.INNER:
        return False
    if relation.null_safe and relation.left_keys:
        return False
    return all(map(_movable, (*relation.left_keys, *relation.right_keys, *relation.residual)))


def _movable(scalar: Scalar) -> bool:
    """Whether a condition may be tried on other rows, and in another place: a temporal filter has its own."""
    return not can_fail(scalar) and not reads_now(scalar)


def _flatten(
    relation: Relation,
    start: int,
    inputs: list[Relation],
    pairs: list[tuple[Scalar, Scalar]],
    residual: list[Scalar],
) -> list[int]:
    """Adds the inputs of `relation`, whose columns begin at `start`; where its own columns stand among all."""
    below = relation
    while isinstance(below, Project | Filter):
        if isinstance(below, Filter) and not all(map(_movable, below.predicates)):
            break
        below = below.input
    if not _is_open(below) or isinstance(below, Filter):
        inputs.append(relation)
        return list(range(start, start + len(relation.schema)))
    return _opened(relation, start, inputs, pairs, residual)


def joins_of(relation: Relation) -> Iterator[Join]:
    """The inner joins that `multi_join` takes apart."""
    while isinstance(relation, Project | Filter):
        relation = relation.input
    if isinstance(relation, Join) and _is_open(relation):
        yield relation
        yield from joins_of(relation.left)
        yield from joins_of(relation.right)


def _opened(
    relation: Relation,
    start: int,
    inputs: list[Relation],
    pairs: list[tuple[Scalar, Scalar]],
    residual: list[Scalar],
) -> list[int]:
    match relation:
        case Project(input=child, indices=indices):
            below = _opened(child, start, inputs, pairs, residual)
            return [below[index] for index in indices]
        case Filter(input=child, predicates=predicates):
            below = _opened(child, start, inputs, pairs, residual)
            residual.extend(remap(p, below.__getitem__) for p in conjuncts(predicates))
            return below
        case Join():
            left = _flatten(relation.left, start, inputs, pairs, residual)
            width = sum(len(i.schema) for i in inputs)
            right = _flatten(relation.right, width, inputs, pairs, residual)
            both = [*left, *right]
            for a, b in zip(relation.left_keys, relation.right_keys, strict=True):
                pairs.append((remap(a, left.__getitem__), remap(b, right.__getitem__)))
            residual.extend(remap(p, both.__getitem__) for p in conjuncts(relation.residual))
            return both
        case _:
            raise AssertionError("what is opened is a chain over an inner join")


def _unite(classes: list[list[tuple[int, Scalar]]], members: list[tuple[int, Scalar]]) -> None:
    """One class of these members and of all that they are in already."""
    touched = [c for c in classes if any(member in c for member in members)]
    classes[:] = [c for c in classes if not any(c is t for t in touched)]
    united: list[tuple[int, Scalar]] = []
    for member in (m for c in (*touched, members) for m in c):
        if member not in united:
            united.append(member)
    classes.append(united)


def _one_each(members: list[tuple[int, Scalar]], inputs: list[Relation]) -> Class:
    """The class with one expression per input; further ones become filters of their input."""
    found: Class = {}
    for side, scalar in members:
        if side not in found:
            found[side] = scalar
        else:
            inputs[side] = filtered(inputs[side], (resolve_call("eq", (found[side], scalar)),))
    return found


def residual_ready(join: MultiJoin, bound: Iterable[int], pending: list[Scalar]) -> Iterator[Scalar]:
    """Takes out of `pending` what reads columns of the inputs `bound` only."""
    if not pending:
        return
    offsets = join.offsets
    there = {offsets[i] + column for i in bound for column in range(len(join.inputs[i].schema))}
    for predicate in list(pending):
        if columns_of(predicate) <= there:
            pending.remove(predicate)
            yield predicate
