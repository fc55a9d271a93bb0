"""Lowering of delta joins: Arrange nodes, a chain of Lookups for each path (`delta_paths`), and their union."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from ...expr.registry import resolve_call
from ...expr.tree.relation import Join, JoinKind, Relation
from ...expr.tree.scalar import ColumnRef, Scalar, remap
from ...repr.schema import Schema
from ...transform.multi_join import MultiJoin, joins_of, multi_join, pair_join, residual_ready
from ..plan import ArrangeOp, Exchange, Import, LookupOp, Mfp, Node, Op, UnionOp
from .delta_paths import Path, Step, delta_paths, is_smaller
from .shared_arrangements import Bare, IndexKey, SharedInputs

MAX_INPUTS = 10
"""A join of more inputs is a chain: the lookups of a delta join are as many as the square of its inputs."""


class Add(Protocol):
    """Adds a node to the graph, or finds the one that is equal; its id."""

    def __call__(
        self, op: Op, inputs: tuple[int, ...], schema: Schema, exchange: tuple[Exchange, ...] = ()
    ) -> int: ...


class KeyedNode(Protocol):
    """The node of a relation with some expressions among its columns: its id, where they stand, its schema."""

    def __call__(self, child: Relation, keys: tuple[Scalar, ...]) -> tuple[int, tuple[int, ...], Schema]: ...


@dataclass(frozen=True, slots=True)
class _Side:
    """An input: its node, that node's columns, and in which of them it has each class."""

    node: int
    schema: Schema
    classes: dict[int, int]


class DeltaJoins:
    """`wanted` True takes every join that can be one, False none, None those that hold less than a chain.

    A join of two inputs is one when an index of `indexes` has one of them arranged: then that is not held again.
    """

    def __init__(
        self,
        wanted: bool | None,
        nodes: Sequence[Node],
        add: Add,
        keyed: KeyedNode,
        indexes: tuple[IndexKey, ...],
    ) -> None:
        self._wanted = wanted
        self._indexes = indexes
        self._nodes = nodes
        self._add = add
        self._keyed = keyed
        self._chained: dict[int, Join] = {}  # by identity, which is theirs as long as they are kept

    def lowered(self, join: Join) -> tuple[int, tuple[int, ...]] | None:
        """The join, and those nested in it, as one: a node, and which of its columns are the join's.  None when it
        is a chain, and then so are those in it."""
        if join.kind is not JoinKind.INNER or self._wanted is False:
            return None
        if id(join) in self._chained:
            return self._pair(join)
        whole = multi_join(join)
        if whole is None or len(whole.inputs) < 3 or not whole.classes:
            return self._pair(join)
        shared = SharedInputs(whole, self._indexes)
        few = len(whole.inputs) <= MAX_INPUTS
        paths = delta_paths(whole, shared.keys()) if self._wanted or few else None
        if paths is None or not (self._wanted or is_smaller(whole, paths, _taken(paths, shared))):
            self._chained.update((id(inner), inner) for inner in joins_of(join))
            return self._pair(join)
        wanted = sorted(set(whole.output))
        return self._union(whole, paths, wanted, shared), tuple(map(wanted.index, whole.output))

    def _pair(self, join: Join) -> tuple[int, tuple[int, ...]] | None:
        """The join of its two sides, when an index has one of them; else None."""
        whole = pair_join(join) if self._indexes else None
        if whole is None:
            return None
        shared = SharedInputs(whole, self._indexes)
        paths = delta_paths(whole, shared.keys())
        if paths is None or not _taken(paths, shared):
            return None
        return self._union(whole, paths, whole.output, shared), whole.output

    def _union(
        self, join: MultiJoin, paths: Sequence[Path], wanted: Sequence[int], shared: SharedInputs
    ) -> int:
        """The node that has the columns `wanted`, of those of all inputs."""
        sides = []
        for i, relation in enumerate(join.inputs):
            classes = [c for c, members in enumerate(join.classes) if i in members]
            node, places, schema = self._keyed(relation, tuple(join.classes[c][i] for c in classes))
            sides.append(_Side(node, schema, dict(zip(classes, places, strict=True))))
        columns = [(i, c) for i, relation in enumerate(join.inputs) for c in range(len(relation.schema))]
        schema = Schema(tuple(sides[i].schema[column] for i, column in (columns[at] for at in wanted)))
        arms = []
        for start, path in enumerate(paths):
            stream = _Stream(join, sides, columns, start)
            for step in path:
                if (index := shared.index(step.input, step.key)) is not None:
                    self._look_up_shared(stream, step, index, shared.bare[step.input])
                    continue
                arranged = stream.arranged(step)
                held = self._add(
                    arranged, (sides[step.input].node,), sides[step.input].schema, (arranged.key,)
                )
                op, schema_of_both = stream.lookup(step, arranged, self._nodes[stream.node].schema)
                stream.node = self._add(op, (stream.node, held), schema_of_both, (op.key, None))
            projection = stream.places(wanted)
            if projection == tuple(range(len(self._nodes[stream.node].schema))):
                arms.append(stream.node)
            else:
                arms.append(self._add(Mfp((), (), projection), (stream.node,), schema))
        return self._add(UnionOp(), tuple(arms), schema)

    def _look_up_shared(self, stream: _Stream, step: Step, index: IndexKey, source: Bare) -> None:
        """The step by the arrangement of an index: its rows are those of the object, so they are filtered when they
        are found, and the columns of the input taken of them."""
        imported = self._add(Import(source.id), (), source.schema)
        arranged = self._add(ArrangeOp(index.key, index.index), (imported,), source.schema, (index.key,))
        before = self._nodes[stream.node].schema
        width = len(before)
        op, schema = stream.lookup(step, ArrangeOp(index.key), before)

        def raw(column: int) -> int:
            return column if column < width else width + source.columns[column - width]

        residual = tuple(remap(p, lambda column: column + width) for p in source.predicates) + tuple(
            remap(p, raw) for p in op.residual
        )
        wide = Schema(before.columns + source.schema.columns)
        op = LookupOp(op.key, index.key, op.before, residual)
        stream.node = self._add(op, (stream.node, arranged), wide, (op.key, None))
        projection = tuple(map(raw, range(len(schema))))
        if projection != tuple(range(len(wide))):
            stream.node = self._add(Mfp((), (), projection), (stream.node,), schema)


def _taken(paths: Sequence[Path], shared: SharedInputs) -> frozenset[tuple[int, tuple[int, ...]]]:
    """The shared arrangements that paths look up."""
    return frozenset(
        (step.input, step.key)
        for path in paths
        for step in path
        if shared.index(step.input, step.key) is not None
    )


class _Stream:
    """A path as far as it has got: the node, the inputs that are bound, and where the columns of each begin."""

    def __init__(
        self, join: MultiJoin, sides: Sequence[_Side], columns: Sequence[tuple[int, int]], start: int
    ) -> None:
        self.node = sides[start].node
        self._join = join
        self._sides = sides
        self._columns = columns
        self._start = start
        self._begins = {start: 0}
        self._pending = list(join.residual)

    def arranged(self, step: Step) -> ArrangeOp:
        return ArrangeOp(tuple(self._sides[step.input].classes[c] for c in step.key))

    def lookup(self, step: Step, arranged: ArrangeOp, held: Schema) -> tuple[LookupOp, Schema]:
        """The next operator, over rows of the schema `held`, and the schema of its output."""
        side, width = self._sides[step.input], len(held)
        both = Schema(held.columns + side.schema.columns)
        key = tuple(map(self._place, step.key))
        checks = [_equal(both, self._place(c), width + side.classes[c]) for c in step.checks]
        self._begins[step.input] = width
        for predicate in residual_ready(self._join, self._begins, self._pending):
            checks.append(remap(predicate, self._moved))
        return LookupOp(key, arranged.key, step.input > self._start, tuple(checks)), both

    def places(self, wanted: Sequence[int]) -> tuple[int, ...]:
        """Where some of the columns of all inputs stand."""
        return tuple(map(self._moved, wanted))

    def _place(self, class_: int) -> int:
        """A column that has the class's value."""
        source = next(i for i in self._begins if class_ in self._sides[i].classes)
        return self._begins[source] + self._sides[source].classes[class_]

    def _moved(self, column: int) -> int:
        source, own = self._columns[column]
        return self._begins[source] + own


def _equal(schema: Schema, a: int, b: int) -> Scalar:
    left, right = (ColumnRef(i, schema[i].type, schema[i].nullable) for i in (a, b))
    return resolve_call("eq", (left, right))
