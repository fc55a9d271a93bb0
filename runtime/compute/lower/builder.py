"""The graph of operators of a relation.

Operators that hold state want their keys as columns, so key expressions are mapped on the edge below and projected
away on the edge above.  Nodes are hash-consed: equal operators over equal inputs are one node, so a subtree that
occurs twice in the relation (a CTE, both sides of a self-join) is maintained once.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import replace
from typing import assert_never

from ...expr.tree.relation import (
    AssertSingle,
    Constant,
    Distinct,
    Filter,
    FlatMap,
    Get,
    GlobalId,
    Join,
    JoinKind,
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
from ...expr.tree.scalar import ColumnRef, NowCompare, Scalar, remap
from ...repr.schema import Column, Schema
from ...transform.append_only import AppendOnly
from ..plan import (
    WHOLE_GROUP,
    AssertSingleOp,
    ConstantOp,
    DistinctOp,
    Exchange,
    FlatMapOp,
    Import,
    JoinOp,
    NegateOp,
    Node,
    Op,
    ReduceOp,
    TemporalFilterOp,
    ThresholdOp,
    TimeBound,
    TopKOp,
    UnionOp,
    WindowCallOp,
    WindowOp,
)
from .aggregates import arguments, is_constant, physical
from .delta_joins import DeltaJoins
from .edge import Edge
from .shared_arrangements import IndexKey


class Builder(ABC):
    """Graphs, but for their loops, of which there are two kinds (`loops`)."""

    def __init__(
        self, delta_joins: bool | None, append_only: AppendOnly, indexes: tuple[IndexKey, ...] = ()
    ) -> None:
        self.nodes: list[Node] = []
        self.append_only = append_only
        self._delta_joins = DeltaJoins(delta_joins, self.nodes, self._add, self._keyed, indexes)
        self.imports: list[GlobalId] = []
        self._known: dict[tuple[str, tuple[int, ...]], int] = {}
        self._locals: dict[str, int] = {}

    def node(self, relation: Relation) -> int:
        """The node whose output is exactly the relation."""
        return self._close(self._edge(relation), relation.schema)

    def _add(
        self, op: Op, inputs: tuple[int, ...], schema: Schema, exchange: tuple[Exchange, ...] = ()
    ) -> int:
        key = (repr(op), inputs) if not isinstance(op, ConstantOp) else (f"{op!r} {schema!r}", inputs)
        if (known := self._known.get(key)) is not None:
            return known
        self.nodes.append(Node(len(self.nodes), op, inputs, schema, exchange or tuple(None for _ in inputs)))
        self._known[key] = len(self.nodes) - 1
        return len(self.nodes) - 1

    def _close(self, edge: Edge, schema: Schema) -> int:
        mfp = edge.mfp()
        return edge.node if mfp is None else self._add(mfp, (edge.node,), schema)

    def _open(self, node: int) -> Edge:
        width = len(self.nodes[node].schema)
        return Edge(node, width, list(range(width)))

    def _edge(self, relation: Relation) -> Edge:
        """The relation on top of a node."""
        match relation:
            case Map(input=child, scalars=scalars):
                edge = self._edge(child)
                edge.columns += [edge.place(scalar) for scalar in scalars]
                return edge
            case Filter(input=child, predicates=predicates):
                return self._filtered(self._edge(child), predicates, child.schema)
            case Project(input=child, indices=indices):
                edge = self._edge(child)
                edge.columns = [edge.columns[i] for i in indices]
                return edge
            case Join():
                return self._join(relation)
            case LetRec():
                return self._let_rec(relation)
            case _:
                return self._open(self._operator(relation))

    def _operator(
        self,
        relation: (
            Get
            | Constant
            | Reduce
            | Distinct
            | TopK
            | Window
            | Union
            | Negate
            | Threshold
            | AssertSingle
            | FlatMap
            | LocalGet
        ),
    ) -> int:
        schema = relation.schema
        everything = tuple(range(len(schema)))
        match relation:
            case Get(id=id):
                if id not in self.imports:
                    self.imports.append(id)
                return self._add(Import(id), (), schema)
            case Constant(rows=rows):
                return self._add(ConstantOp(rows), (), schema)
            case LocalGet(id=id):
                return self._local(id, schema)
            case Reduce():
                return self._reduce(relation)
            case Distinct(input=child):
                distinct = DistinctOp(self.append_only.origins(child))
                return self._add(distinct, (self.node(child),), schema, (everything,))
            case Threshold(input=child):
                if self.append_only.holds(child):
                    return self.node(child)
                return self._add(ThresholdOp(), (self.node(child),), schema, (everything,))
            case TopK(input=child, group=group, order=order, limit=limit, offset=offset):
                monotonic = self.append_only.origins(child) if limit is not None else ()
                top = TopKOp(group, order, limit, offset, monotonic)
                return self._add(top, (self.node(child),), schema, (group,))
            case Window():
                return self._window(relation)
            case AssertSingle(input=child, group=group):
                return self._add(AssertSingleOp(group), (self.node(child),), schema, (group,))
            case FlatMap(input=child, calls=calls, kept=kept, ordinality=ordinality, outer=outer):
                op = FlatMapOp(calls, kept, ordinality, outer)
                return self._add(op, (self.node(child),), schema)
            case Union(inputs=children):
                return self._add(UnionOp(), tuple(self.node(child) for child in children), schema)
            case Negate(input=child):
                return self._add(NegateOp(), (self.node(child),), schema)
            case _:
                assert_never(relation)

    def _filtered(self, edge: Edge, predicates: tuple[Scalar, ...], schema: Schema) -> Edge:
        """The rows of the edge, of that schema, on which all predicates hold; bounds on the time make an operator."""
        bounds = [predicate for predicate in predicates if isinstance(predicate, NowCompare)]
        for predicate in predicates:
            if not isinstance(predicate, NowCompare):
                edge.filter(predicate)
        if not bounds:
            return edge
        node, places, wide = self._with_columns(edge, tuple(bound.bound for bound in bounds), schema)
        op = TemporalFilterOp(
            tuple(TimeBound(bound.operator, place) for bound, place in zip(bounds, places, strict=True))
        )
        after = self._open(self._add(op, (node,), wide))
        after.columns = list(range(len(schema)))
        return after

    def _keyed(self, child: Relation, keys: tuple[Scalar, ...]) -> tuple[int, tuple[int, ...], Schema]:
        """The child with its keys as columns: node, their positions, its schema."""
        return self._with_columns(self._edge(child), keys, child.schema)

    def _with_columns(
        self, edge: Edge, keys: tuple[Scalar, ...], schema: Schema
    ) -> tuple[int, tuple[int, ...], Schema]:
        """The edge, of that schema, with `keys` as columns: node, their positions, its schema.  Keys that are
        expressions stand behind the other columns."""
        columns = list(schema.columns)
        positions = []
        extra: dict[int, int] = {}
        for key in keys:
            if isinstance(key, ColumnRef):
                positions.append(key.index)
                continue
            place = edge.place(key)
            if place not in extra:
                extra[place] = len(columns)
                columns.append(Column("?key?", key.type, key.nullable))
            positions.append(extra[place])
        edge.columns += list(extra)
        schema = Schema(tuple(columns))
        return self._close(edge, schema), tuple(positions), schema

    def _join(self, join: Join) -> Edge:
        bounds = tuple(p for p in join.residual if isinstance(p, NowCompare))
        if bounds and join.kind is JoinKind.INNER:
            rest = tuple(p for p in join.residual if p not in bounds)
            return self._filtered(self._join(replace(join, residual=rest)), bounds, join.schema)
        whole = self._delta_joins.lowered(join)
        if whole is not None:
            edge = self._open(whole[0])
            edge.columns = list(whole[1])
            return edge
        left, left_key, left_schema = self._keyed(join.left, join.left_keys)
        right, right_key, right_schema = self._keyed(join.right, join.right_keys)
        n, wide = len(join.left.schema), len(left_schema)

        def move(index: int) -> int:
            return index if index < n else index - n + wide

        residual = tuple(remap(predicate, move) for predicate in join.residual)
        schema = Join(
            Get("", left_schema), Get("", right_schema), join.kind, (), ()
        ).schema  # the rule for nullability is the relation's own
        op = JoinOp(join.kind, left_key, right_key, residual, join.null_safe)
        node = self._add(op, (left, right), schema, (left_key, right_key))
        edge = self._open(node)
        edge.columns = [move(i) for i in range(len(join.schema))]
        return edge

    def _reduce(self, reduce: Reduce) -> int:
        edge = self._edge(reduce.input)
        places = [edge.place(key) for key in reduce.keys]
        columns = [
            Column(name, k.type, k.nullable) for name, k in zip(reduce.key_names, reduce.keys, strict=True)
        ]
        keys = len(places)

        def position(scalar: Scalar) -> int:
            place = edge.place(scalar)
            if place in places[keys:]:
                return places.index(place, keys)
            places.append(place)
            columns.append(Column("?argument?", scalar.type, scalar.nullable))
            return len(places) - 1

        aggregates = tuple(physical(aggregate, position) for aggregate in reduce.aggregates)
        edge.columns = places
        child = self._close(edge, Schema(tuple(columns)))
        extremes = any(aggregate.function in ("min", "max") for aggregate in aggregates)
        monotonic = self.append_only.origins(reduce.input) if extremes else ()
        op = ReduceOp(keys, aggregates, reduce.scalar, monotonic)
        return self._add(op, (child,), reduce.schema, (tuple(range(keys)),))

    def _window(self, window: Window) -> int:
        keyed = [argument for call in window.calls for argument in arguments(call)]
        columns = [argument for argument in keyed if not is_constant(argument)]
        child, positions, _ = self._keyed(window.input, tuple(columns))
        places = iter(positions)
        calls = []
        for call in window.calls:
            args = tuple(argument if is_constant(argument) else next(places) for argument in arguments(call))
            filtered = call.filter is not None and call.function in WHOLE_GROUP
            calls.append(
                WindowCallOp(call.function, args, call.type, call.frame, call.ignore_nulls, filtered)
            )
        op = WindowOp(window.partition, window.order, tuple(calls), len(window.input.schema))
        return self._add(op, (child,), window.schema, (window.partition,))

    def _local(self, id: str, schema: Schema) -> int:
        """The node of a binding."""
        return self._locals[id]

    @abstractmethod
    def _let_rec(self, relation: LetRec) -> Edge:
        """The body, over a loop that has the bindings that the body reads."""
