"""Delta paths: how each input's updates find the rows of the other inputs of an n-way join.

    d(A.B.C) = dA.B_old.C_old + A_new.dB.C_old + A_new.B_new.dC

The updates of one input are looked up in the arrangements of the others, one after the other: those that stand before
it as of after the step, those that stand behind it as of before.  So each combination of updates is met once, and no
intermediate result is kept: the state is the arrangements.  The linear chain instead arranges every input once, and
every intermediate result.

From the bound inputs on, a path goes to the next input which

1. an equality connects with them,
2. is reached by a class of the fewest inputs (a key that two inputs share is seldom one of few values),
3. is reached by the most classes,
4. is written first.

It is looked up by all classes that reach it, unless an arrangement by some of them, the narrowest class among them, is
there already: then by that, and the others are checked.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from ...expr.tree.relation import Filter, Map, Project, Relation
from ...expr.tree.scalar import Call, Literal, Scalar
from ...transform.multi_join import MultiJoin

LITERAL, FILTERED = 0.1, 0.3
"""What is taken to pass an equality with a literal or a further column, and a filter of another kind."""

OVERHEAD = 3
"""Columns that an arranged row has beside its own: hash, time, diff."""


@dataclass(frozen=True, slots=True)
class Step:
    """The rows of `input` that agree on the classes `key`; those of them that agree on `checks` too."""

    input: int
    key: tuple[int, ...]
    checks: tuple[int, ...]


Path = tuple[Step, ...]


def delta_paths(
    join: MultiJoin, shared: Mapping[int, Sequence[tuple[int, ...]]] | None = None
) -> tuple[Path, ...] | None:
    """One path per input, or None when some input is connected with none.  `shared` are arrangements that are there
    already: by input, the classes."""
    arranged = {i: list(keys) for i, keys in (shared or {}).items()}
    paths = []
    for start in range(len(join.inputs)):
        path = _path(join, start, arranged)
        if path is None:
            return None
        paths.append(path)
    return tuple(paths)


def _path(join: MultiJoin, start: int, arranged: dict[int, list[tuple[int, ...]]]) -> Path | None:
    bound, steps = [start], []
    rest = [i for i in range(len(join.inputs)) if i != start]
    while rest:
        reached = {i: join.connecting(bound, i) for i in rest}
        connected = [i for i in rest if reached[i]]
        if not connected:
            return None
        best = min(connected, key=lambda i: (_narrowest(join, reached[i]), -len(reached[i]), i))
        classes = reached[best]
        narrow = _narrowest(join, classes)
        known = [
            key
            for key in arranged.get(best, ())
            if set(key) <= set(classes) and any(len(join.classes[c]) == narrow for c in key)
        ]
        key = max(known, key=len) if known else classes
        if not known:
            arranged.setdefault(best, []).append(key)
        steps.append(Step(best, key, tuple(c for c in classes if c not in key)))
        bound.append(best)
        rest.remove(best)
    return tuple(steps)


def _narrowest(join: MultiJoin, classes: Sequence[int]) -> int:
    return min(len(join.classes[c]) for c in classes)


def is_smaller(
    join: MultiJoin, paths: Sequence[Path], shared: Collection[tuple[int, tuple[int, ...]]] = ()
) -> bool:
    """Whether the delta join holds no more than the linear chain, whichever input is the long one.  What is `shared`
    (input and classes) it does not hold.

    For each input in turn the others count for nothing.  It is held once per arrangement in the delta join; in the
    chain once, and again in every intermediate result that it is in, which is wider, but of which the filters of the
    inputs and every equality beyond the first of a step let only a part pass.
    """
    widths = [len(relation.schema) for relation in join.inputs]
    passing = [_passing(relation) for relation in join.inputs]
    arrangements = {(step.input, step.key) for path in paths for step in path}.difference(shared)
    for long, (own, part) in enumerate(zip(widths, passing, strict=True)):
        delta = sum(i == long for i, _ in arrangements) * (own + OVERHEAD) * part
        chain = (own + OVERHEAD) * part
        width, rows = widths[0], passing[0]
        for i in range(1, len(widths) - 1):
            width += widths[i]
            rows *= passing[i] * LITERAL ** max(len(join.connecting(range(i), i)) - 1, 0)
            if i >= long:
                chain += (width + OVERHEAD) * rows
        if delta > chain:
            return False
    return True


def _passing(relation: Relation) -> float:
    """Which part of the rows of an input is taken to pass its filters."""
    part = 1.0
    while isinstance(relation, Filter | Map | Project):
        if isinstance(relation, Filter):
            part = min(part, passing(relation.predicates))
        relation = relation.input
    return part


def passing(predicates: Sequence[Scalar]) -> float:
    """Which part of rows is taken to pass all of these."""
    part = 1.0
    for predicate in predicates:
        match predicate:
            case Call(function="is_not_null"):
                continue
            case Call(function="eq", args=args) if any(isinstance(arg, Literal) for arg in args):
                part = min(part, LITERAL)
            case _:
                part = min(part, FILTERED)
    return part
