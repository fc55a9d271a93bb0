"""Inner joins are put in an order in which every step follows an equality, if there is such an order.

`FROM a, b, c WHERE a.x = c.x AND c.y = b.y` says a, b first; their cross product is not formed: it becomes a, c, b.
From the first input on, the next one is that which

1. an equality connects with those before it,
2. has one row per key at most (the join does not grow),
3. is fixed by a literal or a parameter somewhere (few rows go on),
4. is written first.

Equalities are those of the classes, so that `a.x = b.x AND b.x = c.x` may join a with c.  Only joins with a cross
product somewhere are touched: any other order is the one that was written.  Inputs that nothing connects are joined
last, each group of connected ones by itself first.

A semi or anti join above them whose keys are columns of one input is made with that input, before the others, unless these have filters,
which may leave less for it to look at: so less is joined, and held.  With the preserved side of a left join it is made whatever the other
side is, and whatever is computed of both and filtered by that.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ..expr.tree.relation import Filter, Get, Join, JoinKind, Map, Project, Relation
from ..expr.tree.relation_tree import inputs, with_inputs
from ..expr.tree.scalar import Call, ColumnRef, Literal, Parameter, PerExecution, Scalar, remap
from .facts import Analysis, key_columns
from .multi_join import MultiJoin, multi_join, residual_ready
from .rewrite import projected, references


def order_joins(relation: Relation) -> Relation:
    analysis = Analysis()

    def visit(node: Relation) -> Relation:
        if isinstance(node, Join) and node.kind in (JoinKind.SEMI, JoinKind.ANTI) and not node.residual:
            columns = [key.index for key in node.left_keys if isinstance(key, ColumnRef)]
            if columns and len(columns) == len(node.left_keys):
                node = _earlier(node, node.left, columns) or node
        if isinstance(node, Join) and _crosses(node):
            joined = multi_join(node)
            if joined is not None and len(joined.inputs) > 2:
                visited = replace(joined, inputs=tuple(map(visit, joined.inputs)))
                return _Tree(visited, analysis).relation(node)
        children = inputs(node)
        new = tuple(map(visit, children))
        return node if all(a is b for a, b in zip(children, new, strict=True)) else with_inputs(node, new)

    return visit(relation)


def _earlier(semi: Join, left: Relation, keys: Sequence[int]) -> Relation | None:
    """`left`, in which the semi join is made with the input that has the columns `keys`; None when it is none's."""
    match left:
        case Project(input=child, indices=indices):
            below = _earlier(semi, child, [indices[key] for key in keys])
            return None if below is None else replace(left, input=below)
        case Filter() | Map() | Join(kind=JoinKind.LEFT):
            return _before_padding(semi, left, keys)
        case Join(kind=JoinKind.INNER, left=first, right=second, residual=()):
            width = len(first.schema)
            if max(keys) < width and _has_no_filters(second):
                return replace(left, left=_made_with(semi, first, keys))
            if min(keys) >= width and _has_no_filters(first):
                return replace(left, right=_made_with(semi, second, [key - width for key in keys]))
    return None


def _before_padding(semi: Join, relation: Relation, keys: Sequence[int]) -> Relation | None:
    """`relation`, in which the semi join is made with the preserved side of a left join, on what may be computed of that join's rows."""
    match relation:
        case Project(input=child, indices=indices):
            keys = [indices[key] for key in keys]
        case Filter(input=child):
            pass
        case Map(input=child):
            if max(keys) >= len(child.schema):
                return None
        case Join(kind=JoinKind.LEFT, left=first):
            return (
                replace(relation, left=_made_with(semi, first, keys))
                if max(keys) < len(first.schema)
                else None
            )
        case _:
            return None
    below = _before_padding(semi, child, keys)
    return None if below is None else replace(relation, input=below)


def _made_with(semi: Join, relation: Relation, keys: Sequence[int]) -> Relation:
    return _earlier(semi, relation, keys) or replace(
        semi, left=relation, left_keys=references(relation, keys)
    )


def _has_no_filters(relation: Relation) -> bool:
    match relation:
        case Get():
            return True
        case Project(input=child) | Map(input=child):
            return _has_no_filters(child)
        case Join(kind=JoinKind.INNER, left=left, right=right, residual=()):
            return _has_no_filters(left) and _has_no_filters(right)
        case _:
            return False


def _crosses(relation: Relation) -> bool:
    """Whether a cross product is among the inner joins at the top of `relation`."""
    while isinstance(relation, Project | Filter):
        relation = relation.input
    if not isinstance(relation, Join) or relation.kind is not JoinKind.INNER:
        return False
    return not relation.left_keys or _crosses(relation.left) or _crosses(relation.right)


class _Tree:
    """Binary joins of what a multi-join says."""

    def __init__(self, join: MultiJoin, analysis: Analysis) -> None:
        self._join = join
        self._analysis = analysis
        self._offsets = join.offsets
        self._pending = list(join.residual)

    def relation(self, original: Join) -> Relation:
        left = list(range(len(self._join.inputs)))
        current, places, bound = self._group(left)
        while left:
            other, other_places, others = self._group(left)
            current, places = self._joined(current, places, other, other_places, bound, others)
            bound = [*bound, *others]
        return projected(current, [places[c] for c in self._join.output], original.schema.names)

    def _group(self, left: list[int]) -> tuple[Relation, dict[int, int], list[int]]:
        """The join of the first of `left` and of all that equalities connect with it; takes them out of `left`."""
        first = left.pop(0)
        bound = [first]
        current, places = self._join.inputs[first], self._places(first)
        while connected := [i for i in left if self._join.connecting(bound, i)]:
            best = min(connected, key=lambda i: self._rank(i, bound))
            left.remove(best)
            current, places = self._joined(
                current, places, self._join.inputs[best], self._places(best), bound, [best]
            )
            bound.append(best)
        return current, places, bound

    def _places(self, index: int) -> dict[int, int]:
        start = self._offsets[index]
        return {start + column: column for column in range(len(self._join.inputs[index].schema))}

    def _rank(self, index: int, bound: Sequence[int]) -> tuple[bool, bool, int]:
        facts = self._analysis.facts(self._join.inputs[index])
        keys = [self._join.classes[c][index] for c in self._join.connecting(bound, index)]
        return not facts.is_unique(key_columns(keys)), not any(map(_is_literal, facts.predicates)), index

    def _joined(
        self,
        left: Relation,
        left_places: dict[int, int],
        right: Relation,
        right_places: dict[int, int],
        bound: Sequence[int],
        others: Sequence[int],
    ) -> tuple[Relation, dict[int, int]]:
        width = len(left.schema)
        places = left_places | {column: width + place for column, place in right_places.items()}
        left_keys, right_keys = [], []
        for members in self._join.classes:
            a = next((i for i in bound if i in members), None)
            b = next((i for i in others if i in members), None)
            if a is not None and b is not None:
                left_keys.append(self._moved(members[a], a, left_places))
                right_keys.append(self._moved(members[b], b, right_places))
        ready = residual_ready(self._join, [*bound, *others], self._pending)
        residual = tuple(remap(p, places.__getitem__) for p in ready)
        joined = Join(left, right, JoinKind.INNER, tuple(left_keys), tuple(right_keys), residual)
        return joined, places

    def _moved(self, scalar: Scalar, index: int, places: dict[int, int]) -> Scalar:
        start = self._offsets[index]
        return remap(scalar, lambda column: places[start + column])


def _is_literal(predicate: Scalar) -> bool:
    return (
        isinstance(predicate, Call)
        and predicate.function == "eq"
        and any(isinstance(arg, Literal | Parameter | PerExecution) for arg in predicate.args)
    )
