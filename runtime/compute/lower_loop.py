"""The graph inside a loop: what depends on the loop's bindings.

Everything else is lowered where the loop stands, and enters it.
"""

from __future__ import annotations

from ..expr.relation import LetRec, Relation, free_locals
from ..repr.schema import Schema
from .lower import Builder, Edge
from .plan import EnterOp, Exchange, FeedbackOp, Op, TemporalFilterOp


class LoopBuilder(Builder):
    """Builds the graph inside a loop.  `entered`: the nodes outside that it reads, and what they are inside."""

    def __init__(self, outside: Builder, ids: tuple[str, ...]) -> None:
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
