"""Lowering: from what a query means (`Relation`) to how it is maintained (`DataflowPlan`).

Chains of Map, Filter and Project become one Mfp on the edge between two other operators.  While such a chain is
walked it is an `Edge`: a node, the columns computed on top of it, the predicates, and where each column of the
relation is found among them.  Operators that hold state want their keys as columns, so key expressions are mapped on
the edge below and projected away on the edge above.

A LetRec becomes one node, a loop with a graph of its own.  What inside it does not depend on the loop is lowered
outside and enters it, so that it is maintained once, and only once per step.

Nodes are hash-consed: equal operators over equal inputs are one node, so a subtree that occurs twice in the relation
(a CTE, both sides of a self-join) is maintained once.
"""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from typing import TypeGuard, assert_never

from ..expr.registry import resolve_call
from ..expr.relation import (
    Aggregate,
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
    OrderBy,
    Project,
    Reduce,
    Relation,
    ScalarOrder,
    Threshold,
    TopK,
    Union,
    Window,
    WindowCall,
    free_locals,
)
from ..expr.scalar import And, Case, ColumnRef, Literal, NowCompare, Scalar, columns_of, remap
from ..expr.windows import WINDOW_FUNCTIONS
from ..repr.schema import Column, Schema
from ..repr.types import BOOL, INT4, Kind
from ..transform.append_only import AppendOnly
from .lower_delta_join import DeltaJoins
from .plan import (
    WHOLE_GROUP,
    AggregateOp,
    AssertSingleOp,
    ConstantOp,
    DataflowPlan,
    DistinctOp,
    Exchange,
    FlatMapOp,
    Import,
    IterateOp,
    JoinOp,
    Mfp,
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
from .shared_arrangements import IndexKey


def lower(
    relation: Relation,
    *,
    delta_joins: bool | None = None,
    append_only: AbstractSet[GlobalId] = frozenset(),
    indexes: tuple[IndexKey, ...] = (),
) -> DataflowPlan:
    """The physical plan of a relation.

    Inner joins of three inputs and more are delta joins where these hold less (`delta_paths`); with `delta_joins` True
    wherever they can be, with False nowhere, as is best for what is computed once.  From the objects `append_only` no
    row ever goes: operators over them, and over what is made of them, forget what cannot come back.  Joins look up what
    `indexes` have.
    """
    builder = Builder(delta_joins, AppendOnly(append_only), indexes)
    output = builder.node(relation)
    return DataflowPlan(tuple(builder.nodes), tuple(builder.imports), output, relation.schema)


@dataclass(slots=True)
class Edge:
    """`columns[i]` says where column i of the relation stands among the node's columns and then `maps`."""

    node: int
    width: int
    columns: list[int]
    maps: list[Scalar] = field(default_factory=list)
    predicates: list[Scalar] = field(default_factory=list)

    def place(self, scalar: Scalar) -> int:
        """Where the value of `scalar` (over the relation's columns) stands; computes it if nothing has."""
        here = remap(scalar, self.columns.__getitem__)
        if isinstance(here, ColumnRef):
            return here.index
        text = repr(here) if self.maps else ""  # not equality: -0.0 and 0.0 are equal in Python
        for i, known in enumerate(self.maps):
            if repr(known) == text:
                return self.width + i
        self.maps.append(here)
        return self.width + len(self.maps) - 1

    def filter(self, predicate: Scalar) -> None:
        here = remap(predicate, self.columns.__getitem__)
        if not self.predicates or repr(here) not in map(repr, self.predicates):
            self.predicates.append(here)

    def mfp(self) -> Mfp | None:
        """The edge as an operator, without maps that nothing reads; None when it changes nothing."""
        needed = {c for p in self.predicates for c in columns_of(p)} | set(self.columns)
        kept: list[int] = []
        for i in range(len(self.maps) - 1, -1, -1):
            if self.width + i in needed:
                kept.append(i)
                needed |= columns_of(self.maps[i])
        kept.reverse()
        position = {self.width + old: self.width + new for new, old in enumerate(kept)}

        def move(index: int) -> int:
            return position.get(index, index)

        maps = tuple(remap(self.maps[i], move) for i in kept)
        predicates = tuple(remap(p, move) for p in self.predicates)
        projection = tuple(map(move, self.columns))
        if not maps and not predicates and projection == tuple(range(self.width)):
            return None
        return Mfp(maps, predicates, projection)


class Builder:
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

        aggregates = []
        for aggregate in map(_physical, reduce.aggregates):
            if aggregate.function in WHOLE_GROUP:
                aggregates.append(_whole_group(aggregate, position))
                continue
            found = [position(argument) for argument in _masked(aggregate)]
            aggregates.append(
                AggregateOp(
                    aggregate.function,
                    found[0] if found else None,
                    aggregate.type,
                    aggregate.distinct,
                    tuple(found[1:]),
                )
            )
        edge.columns = places
        child = self._close(edge, Schema(tuple(columns)))
        extremes = any(aggregate.function in ("min", "max") for aggregate in aggregates)
        monotonic = self.append_only.origins(reduce.input) if extremes else ()
        op = ReduceOp(keys, tuple(aggregates), reduce.scalar, monotonic)
        return self._add(op, (child,), reduce.schema, (tuple(range(keys)),))

    def _window(self, window: Window) -> int:
        keyed = [argument for call in window.calls for argument in _arguments(call)]
        columns = [argument for argument in keyed if not _is_constant(argument)]
        child, positions, _ = self._keyed(window.input, tuple(columns))
        places = iter(positions)
        calls = []
        for call in window.calls:
            args = tuple(
                argument if _is_constant(argument) else next(places) for argument in _arguments(call)
            )
            calls.append(WindowCallOp(call.function, args, call.type, call.frame))
        op = WindowOp(window.partition, window.order, tuple(calls), len(window.input.schema))
        return self._add(op, (child,), window.schema, (window.partition,))

    def _local(self, id: str, schema: Schema) -> int:
        """The node of a binding."""
        return self._locals[id]

    def _let_rec(self, relation: LetRec) -> Edge:
        """The body, over a loop that has the bindings that the body reads."""
        ids = tuple(binding.id for binding in relation.bindings)
        read = free_locals(relation.body)
        outputs = tuple(i for i, id in enumerate(ids) if id in read)
        saved = dict(self._locals)
        if outputs:
            for i, node in zip(outputs, self._loop(relation, outputs), strict=True):
                self._locals[ids[i]] = node
        edge = self._edge(relation.body)
        self._locals = saved
        return edge

    def _loop(self, relation: LetRec, outputs: tuple[int, ...]) -> list[int]:
        """The nodes of the bindings `outputs`."""
        from .lower_loop import LoopBuilder  # a builder itself

        loop = LoopBuilder(self, tuple(binding.id for binding in relation.bindings))
        results = tuple(loop.bind(binding.id, binding.value) for binding in relation.bindings)
        op = IterateOp(tuple(loop.nodes), results, outputs, relation.limit, relation.return_at_limit)
        return self._outputs(op, loop.entered, [relation.bindings[i].value.schema for i in outputs])

    def _outputs(self, op: IterateOp, inputs: dict[int, int], schemas: list[Schema]) -> list[int]:
        """A node for each output of a loop."""
        exchange: tuple[Exchange, ...] = tuple(() for _ in inputs)
        if len(schemas) == 1:
            return [self._add(op, tuple(inputs), schemas[0], exchange)]
        columns = [Column("?binding?", INT4, False)]
        for schema in schemas:
            columns += [Column(column.name, column.type) for column in schema]
        loop = self._add(op, tuple(inputs), Schema(tuple(columns)), exchange)
        nodes = []
        start = 1
        for number, schema in enumerate(schemas):
            mine = resolve_call("eq", (ColumnRef(0, INT4, False), Literal(number, INT4)))
            columns_of_mine = tuple(range(start, start + len(schema)))
            nodes.append(self._add(Mfp((), (mine,), columns_of_mine), (loop,), schema))
            start += len(schema)
        return nodes


def _masked(aggregate: Aggregate) -> tuple[Scalar, ...]:
    """The arguments, NULL on the rows that do not count.

    An aggregate ignores NULLs: so a row that the filter drops is one whose argument is NULL, and its argument is not
    even computed.  Of two arguments each is NULL where the other is.
    """
    arguments = () if aggregate.argument is None else (aggregate.argument, *aggregate.rest)
    if not arguments:
        return () if aggregate.filter is None else (_where(aggregate.filter, Literal(True, BOOL)),)
    condition = () if aggregate.filter is None else (aggregate.filter,)
    out: list[Scalar] = []
    for argument in arguments:
        others = [resolve_call("is_not_null", (other,)) for other in arguments if other is not argument]
        needed = (*condition, *others)
        if not needed:
            out.append(argument)
            continue
        out.append(_where(needed[0] if len(needed) == 1 else And(needed), argument))
    return tuple(out)


def _physical(aggregate: Aggregate) -> Aggregate:
    """any_value, and min and max of types that have no other way, as the least value, or the first in an order."""
    argument = aggregate.argument
    if argument is None or aggregate.function not in ("any_value", "min", "max"):
        return aggregate
    if argument.type.kind not in (Kind.ARRAY, Kind.BOOL):
        return replace(aggregate, function="min") if aggregate.function == "any_value" else aggregate
    order = ScalarOrder(argument, descending=aggregate.function == "max")
    return replace(aggregate, function="first", distinct=False, order=(order,))


def _whole_group(aggregate: Aggregate, position: Callable[[Scalar], int]) -> AggregateOp:
    """These may count NULLs, so the filter is a column of its own; what it drops is still not computed."""
    condition = aggregate.filter

    def place(scalar: Scalar) -> int:
        return position(scalar if condition is None else _where(condition, scalar))

    return AggregateOp(
        aggregate.function,
        None if aggregate.argument is None else place(aggregate.argument),
        aggregate.type,
        aggregate.distinct,
        tuple(place(scalar) for scalar in aggregate.rest),
        tuple(OrderBy(place(key.scalar), key.descending, key.nulls_first) for key in aggregate.order),
        aggregate.direct,
        None if condition is None else position(condition),
    )


def _where(condition: Scalar, value: Scalar) -> Scalar:
    return Case(((condition, value),), Literal(None, value.type), value.type, nullable=True)


def _arguments(call: WindowCall) -> tuple[Scalar, ...]:
    """What the operator computes the call from."""
    if call.function in WINDOW_FUNCTIONS:
        return call.args
    first = call.args[0] if call.args else None
    return _masked(
        Aggregate(call.function, first, call.type, call.name, filter=call.filter, rest=call.args[1:])
    )


def _is_constant(argument: Scalar) -> TypeGuard[Literal]:
    return isinstance(argument, Literal)
