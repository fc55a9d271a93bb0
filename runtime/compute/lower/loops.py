"""Loops: a LetRec is one node, with a graph of its own inside.

What inside it does not depend on the loop's bindings is lowered where the loop stands, and enters it, so that it is
maintained once, and only once per step.
"""

from __future__ import annotations

from ...expr.registry import resolve_call
from ...expr.tree.relation import LetRec, Relation
from ...expr.tree.relation_tree import free_locals
from ...expr.tree.scalar import ColumnRef, Literal
from ...repr.schema import Column, Schema
from ...repr.types import INT4
from ..plan import EnterOp, Exchange, FeedbackOp, IterateOp, Mfp, Op, TemporalFilterOp
from .builder import Builder
from .edge import Edge


class GraphBuilder(Builder):
    """Builds a whole graph."""

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


class LoopBuilder(GraphBuilder):
    """Builds the graph inside a loop.  `entered`: the nodes outside that it reads, and what they are inside."""

    def __init__(self, outside: GraphBuilder, ids: tuple[str, ...]) -> None:
        # A loop's joins are over iterations.
        super().__init__(delta_joins=False, append_only=outside.append_only)
        self.entered: dict[int, int] = {}
        self._outside = outside
        self._bindings = {id: number for number, id in enumerate(ids)}
        self._free: dict[int, frozenset[str]] = {}

    def bind(self, id: str, value: Relation) -> int:
        """The node of a binding's value; from now on, references to it see that."""
        self._locals[id] = self.node(value)
        return self._locals[id]

    def _add(
        self, op: Op, inputs: tuple[int, ...], schema: Schema, exchange: tuple[Exchange, ...] = ()
    ) -> int:
        assert not isinstance(op, TemporalFilterOp), (
            "a definition was not checked for mz_now() in a recursion"
        )
        return super()._add(op, inputs, schema, exchange)

    def _edge(self, relation: Relation) -> Edge:
        if self._depends(relation):
            return super()._edge(relation)
        return self._open(self._enter(self._outside.node(relation)))

    def _enter(self, outside: int) -> int:
        if outside not in self.entered:
            op = EnterOp(len(self.entered))
            self.entered[outside] = self._add(op, (), self._outside.nodes[outside].schema)
        return self.entered[outside]

    def _loop(self, relation: LetRec, outputs: tuple[int, ...]) -> list[int]:
        if any(self._depends(binding.value) for binding in relation.bindings):
            return super()._loop(relation, outputs)
        return [self._enter(node) for node in self._outside._loop(relation, outputs)]

    def _depends(self, relation: Relation) -> bool:
        """Whether the relation may change from one iteration to the next."""
        free = self._free.get(id(relation))
        if free is None:
            free = self._free[id(relation)] = free_locals(relation)
        return not free.isdisjoint(self._bindings) or not free.isdisjoint(self._locals)

    def _local(self, id: str, schema: Schema) -> int:
        if id in self._locals:
            return self._locals[id]
        return self._add(FeedbackOp(self._bindings[id]), (), schema)
