"""A join whose right side is over a domain (`elide_domains`), without the domain.

In the place of the domain stands a leaf, the *hole*.  `keyed` walks from the join that covers it upwards: each node is
asked whether what it computes for one value of the domain is the same when rows of other values are there too.  Maps,
filters, groupings and top-k by the domain's columns are; where one may fail, only values that are asked for go on.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ..expr.evaluate import can_fail
from ..expr.registry import resolve_call
from ..expr.tree.relation import (
    Aggregate,
    AssertSingle,
    Distinct,
    Filter,
    FlatMap,
    Get,
    Join,
    JoinKind,
    Map,
    Project,
    Reduce,
    Relation,
    TopK,
    Union,
    Window,
)
from ..expr.tree.relation_tree import inputs, with_inputs
from ..expr.tree.scalar import ColumnRef, Scalar, remap
from ..repr.types import Kind
from .facts import Analysis
from .rewrite import appended, filtered, projected, references, substitute

SAFE_SUM_DIGITS = 28
"""Sums of numerics of so many digits do not overflow, however many rows there are."""


@dataclass(frozen=True, slots=True)
class _Keyed:
    """A relation and where the domain's columns stand in it.  `restricted`: it has only values of the domain."""

    relation: Relation
    columns: tuple[int, ...]
    restricted: bool = False


def _contains(relation: Relation, leaf: Relation) -> bool:
    return relation is leaf or relation == leaf or any(_contains(c, leaf) for c in inputs(relation))


class Elision:
    """One join, whose right side is over `hole` in the place of the domain.

    `asked[i]`: the columns of the left side that have values of the domain's column i.  `values` has all rows of the domain, some of
    them several times.
    """

    def __init__(self, outer: Join, hole: Get, asked: dict[int, tuple[int, ...]], values: Relation) -> None:
        self._outer = outer
        self._hole = hole
        self._asked = asked
        self._values = values

    def join(self) -> Relation | None:
        outer = self._outer
        total = self._total()
        if total is not None:
            return total
        keyed = self._keyed(outer.right)
        if keyed is None or self._pairs(outer, keyed.columns) is None:
            return None
        return replace(outer, right=keyed.relation)

    def _pairs(self, outer: Join, columns: Sequence[int]) -> tuple[int, ...] | None:
        """The columns of X that the join's keys compare with the domain's, which are the `columns` of its right
        side: one for each, or None."""
        keys = {
            b.index: a.index
            for a, b in zip(outer.left_keys, outer.right_keys, strict=True)
            if isinstance(a, ColumnRef) and isinstance(b, ColumnRef)
        }
        found = [keys.get(column) for column in columns]
        if any(at is None or at not in self._asked[i] for i, at in enumerate(found)):
            return None
        return tuple(at for at in found if at is not None)

    # -- a domain that is there to have a row per value --

    def _total(self) -> Relation | None:
        """`Join X, chain(Left join domain, Q)` as `chain(Left join X, Q)`."""
        outer = self._outer
        chain: list[Map | Filter | Project] = []
        node = outer.right
        while isinstance(node, Map | Filter | Project):
            chain.append(node)
            node = node.input
        filters = any(isinstance(step, Filter) for step in chain)
        if outer.residual or (
            outer.kind is not JoinKind.INNER and (filters or outer.kind is not JoinKind.LEFT)
        ):
            return None
        if not isinstance(node, Join) or node.kind is not JoinKind.LEFT or node.residual:
            return None
        count = len(self._hole.schema)
        if node.left != self._hole or set(node.left_keys) != set(references(self._hole, range(count))):
            return None
        columns = self._through(chain)
        if columns is None or len(outer.left_keys) != count:
            return None
        x = self._pairs(outer, columns)
        if x is None:
            return None
        values = references(outer.left, x)
        inner = replace(
            node,
            left=outer.left,
            left_keys=tuple(substitute(key, values) for key in node.left_keys),
            null_safe=node.null_safe,
        )
        below = Elision(inner, self._hole, self._asked, self._values).join()
        current: Relation = inner if below is None else below
        width = len(outer.left.schema)
        places = [*x, *range(width, len(current.schema))]
        for step in reversed(chain):
            current, places = _applied(step, current, places)
        return projected(current, [*range(width), *places], outer.schema.names)

    def _through(self, chain: Sequence[Map | Filter | Project]) -> tuple[int, ...] | None:
        """Where the first columns of the chain's input stand in its output."""
        columns = tuple(range(len(self._hole.schema)))
        for step in reversed(chain):
            if isinstance(step, Project):
                places = {index: place for place, index in reversed(list(enumerate(step.indices)))}
                if not set(columns) <= places.keys():
                    return None
                columns = tuple(places[column] for column in columns)
        return columns

    # -- a domain that equalities cover --

    def _keyed(self, relation: Relation) -> _Keyed | None:
        """A relation without the hole that has, for every value of the domain, the rows of `relation`."""
        match relation:
            case Join(left=left):
                if self._over_hole(left):
                    return self._covered(relation)
                return self._side(relation)
            case Union(inputs=arms):
                return self._union(relation, [self._keyed(arm) for arm in arms])
            case (
                Filter(input=child)
                | Map(input=child)
                | Project(input=child)
                | Distinct(input=child)
                | Reduce(input=child)
                | TopK(input=child)
                | Window(input=child)
                | AssertSingle(input=child)
                | FlatMap(input=child)
            ):
                below = self._keyed(child)
                return None if below is None else self._above(relation, below)
            case _:
                return None

    def _over_hole(self, relation: Relation) -> bool:
        while isinstance(relation, Filter | Map | Project):
            relation = relation.input
        return relation == self._hole

    def _covered(self, join: Join) -> _Keyed | None:
        """`Join(chain(domain), R)` on keys that cover the domain: R, with the columns of the chain before its own."""
        if join.kind is not JoinKind.INNER or join.null_safe or _contains(join.right, self._hole):
            return None
        chain: list[Filter | Map | Project] = []
        node = join.left
        while isinstance(node, Filter | Map | Project):
            chain.append(node)
            node = node.input
        columns = self._through(chain)
        if columns is None or any(map(_fails, chain)) or any(map(can_fail, join.residual)):
            return None
        equals: dict[int, Scalar] = {}
        rest: list[tuple[Scalar, Scalar]] = []
        for a, b in zip(join.left_keys, join.right_keys, strict=True):
            if isinstance(a, ColumnRef) and a.index in columns and columns.index(a.index) not in equals:
                equals[columns.index(a.index)] = b
            else:
                rest.append((a, b))
        if len(equals) < len(columns) or any(can_fail(a) for a, _ in rest):
            return None
        width = len(join.right.schema)
        current, places = appended(join.right, [equals[i] for i in range(len(columns))])
        present = [resolve_call("is_not_null", (ref,)) for ref in references(current, places) if ref.nullable]
        current = filtered(current, present)
        for step in reversed(chain):
            current, places = _applied(step, current, places)
        both = [*places, *range(width)]
        conditions = [remap(predicate, both.__getitem__) for predicate in join.residual]
        conditions += [resolve_call("eq", (remap(a, places.__getitem__), b)) for a, b in rest]
        return _Keyed(projected(filtered(current, conditions), both, join.schema.names), columns)

    def _side(self, join: Join) -> _Keyed | None:
        """A join with something that does not depend on the domain."""
        inside = [_contains(child, self._hole) for child in (join.left, join.right)]
        fails = any(map(can_fail, join.residual))
        if inside == [True, False] and join.kind not in (JoinKind.RIGHT, JoinKind.FULL):
            below = self._keyed(join.left)
            if below is not None and (fails or any(map(can_fail, join.left_keys))):
                below = self._restricted(below)
            return below and replace(below, relation=replace(join, left=below.relation))
        if inside == [False, True] and join.kind is JoinKind.INNER:
            below = self._keyed(join.right)
            if below is not None and (fails or any(map(can_fail, join.right_keys))):
                below = self._restricted(below)
            if below is None:
                return None
            width = len(join.left.schema)
            columns = tuple(width + column for column in below.columns)
            return _Keyed(replace(join, right=below.relation), columns, below.restricted)
        return None

    def _union(self, union: Union, arms: Sequence[_Keyed | None]) -> _Keyed | None:
        known = [arm for arm in arms if arm is not None]
        if len(known) < len(arms) or len({arm.columns for arm in known}) != 1:
            return None
        relation = replace(union, inputs=tuple(arm.relation for arm in known))
        return _Keyed(relation, known[0].columns, all(arm.restricted for arm in known))

    def _above(self, relation: Relation, below: _Keyed) -> _Keyed | None:
        """A node of one input over what became of it."""
        columns = below.columns
        match relation:
            case Project(indices=indices) | FlatMap(kept=indices):
                places = {index: place for place, index in reversed(list(enumerate(indices)))}
                columns = tuple(places[c] for c in below.columns if c in places)
            case Reduce(keys=keys):
                groups = {k.index: i for i, k in reversed(list(enumerate(keys))) if isinstance(k, ColumnRef)}
                columns = tuple(groups[c] for c in below.columns if c in groups)
            case TopK(group=group) | AssertSingle(group=group) | Window(partition=group):
                columns = below.columns if set(below.columns) <= set(group) else ()
            case _:
                pass
        if len(columns) < len(below.columns):
            return None
        if not below.restricted and _fails(with_inputs(relation, (below.relation,))):
            restricted = self._restricted(below)
            if restricted is None:
                return None
            below = restricted
        return _Keyed(with_inputs(relation, (below.relation,)), columns, below.restricted)

    def _restricted(self, keyed: _Keyed) -> _Keyed | None:
        """Only values of the domain."""
        if keyed.restricted:
            return keyed
        count = len(self._values.schema)
        semi = Join(
            keyed.relation,
            self._values,
            JoinKind.SEMI,
            references(keyed.relation, keyed.columns),
            references(self._values, range(count)),
        )
        return _Keyed(semi, keyed.columns, True)


def _applied(
    step: Map | Filter | Project, current: Relation, places: Sequence[int]
) -> tuple[Relation, list[int]]:
    """`step` over `current`, where the columns that it reads are at `places`; and where its own are."""
    match step:
        case Project(indices=indices):
            return current, [places[index] for index in indices]
        case Filter(predicates=predicates):
            return filtered(current, [remap(p, places.__getitem__) for p in predicates]), list(places)
        case Map(scalars=scalars):
            current, added = appended(current, [remap(s, places.__getitem__) for s in scalars])
            return current, [*places, *added]


def _fails(relation: Relation) -> bool:
    """Whether the node itself may have an error on a row."""
    match relation:
        case Map(scalars=scalars):
            return any(map(can_fail, scalars))
        case Filter(predicates=predicates):
            return any(map(can_fail, predicates))
        case Reduce(keys=keys, aggregates=aggregates):
            return any(map(can_fail, keys)) or any(map(_aggregate_fails, aggregates))
        case FlatMap() | Window():
            return True
        case AssertSingle(input=child, group=group):
            return not Analysis().facts(child).is_unique(group)
        case _:
            return False


def _aggregate_fails(aggregate: Aggregate) -> bool:
    argument = aggregate.argument
    if any(map(can_fail, aggregate.scalars)):
        return True
    if argument is None or aggregate.function in ("count", "min", "max", "bool_and", "bool_or", "every"):
        return False
    if aggregate.function not in ("sum", "avg"):
        return True
    type_ = argument.type
    narrow = type_.kind is Kind.NUMERIC and (type_.precision or SAFE_SUM_DIGITS + 1) <= SAFE_SUM_DIGITS
    return not (type_.is_integer or narrow)
