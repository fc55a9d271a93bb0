"""The topology of a job: the levels of its plan, and the edges between nodes, on which rows travel.

An edge's position in the list of all edges is its *port*: by it a row says where it belongs.
"""

from __future__ import annotations

from dataclasses import dataclass

from ...repr.schema import Schema
from ..plan import DataflowPlan, Exchange, Import, Node, levels, silent_at_first


@dataclass(frozen=True, slots=True)
class Edge:
    """One input of one node; its position in the list of edges is its port."""

    producer: int
    consumer: int
    exchange: Exchange


class Topology:
    """The levels of a plan, and the edges between its nodes.  A `first` step begins with no state."""

    def __init__(self, plan: DataflowPlan, *, first: bool = True) -> None:
        self.plan = plan
        self.silent = silent_at_first(plan) if first else frozenset[int]()
        self.levels = levels(plan, self.silent)
        self.level_of = {id_: at for at, ids in enumerate(self.levels) for id_ in ids}
        self.import_level = {
            node.op.id: self.level_of[node.id] for node in plan if isinstance(node.op, Import)
        }
        self.edges = tuple(
            Edge(producer, node.id, by)
            for node in plan.nodes
            for producer, by in zip(node.inputs, node.exchange, strict=True)
        )
        self._first_port: dict[int, int] = {}
        for port, edge in enumerate(self.edges):
            self._first_port.setdefault(edge.consumer, port)

    def port(self, node: Node, index: int) -> int:
        """The port of input `index` of a node."""
        return self._first_port[node.id] + index

    def ports_of(self, producer: int) -> list[int]:
        """The ports on which the rows of a node travel."""
        return [port for port, edge in enumerate(self.edges) if edge.producer == producer]

    def side(self, port: int) -> int:
        """Which input of its consumer a port is."""
        return port - self._first_port[self.edges[port].consumer]

    def leaving(self, level: int) -> list[int]:
        """The ports on which a level sends."""
        return [
            port
            for port, edge in enumerate(self.edges)
            if self.level_of[edge.producer] == level and self.level_of[edge.consumer] > level
        ]

    def consumer(self, port: int) -> Node:
        return self.plan.nodes[self.edges[port].consumer]

    def schema(self, port: int) -> Schema:
        """The shape of the rows on a port."""
        return self.plan.nodes[self.edges[port].producer].schema
