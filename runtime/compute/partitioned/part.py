"""A part of a dataflow: all its operators, over the rows of a range of hashes.

```
part 0:  level 0 ──┐       ┌── level 1 ──┐       ┌── ...   rows leave a level by part, and arrive in a later one;
part 1:  level 0 ──┴───────┴── level 1 ──┴───────┴── ...   each part waits until it has those of all others
```

The plan is cut where rows move (`plan.levels`), as for a Spark job.  Errors stay where they are until they come out, since how
often one is there has no meaning.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass

import pyarrow as pa

from ...expr.tree.relation import GlobalId
from ...repr.batch import NO_ERRORS, Delta, concat_deltas, empty_batch
from ...repr.schema import Schema
from ..dataflow import Dataflow
from ..plan import DataflowPlan, Exchange, Import
from ..spark.exchange import split
from ..spark.topology import Topology
from .row_format import from_buffer, to_buffer

Piece = tuple[int, pa.Buffer]
"""Rows that go by a way, of which both ends know the number and the columns (`row_format`)."""

Passing = Sequence[Sequence[Piece]]
"""By part, what goes to it, or has come from it."""


@dataclass(frozen=True, slots=True)
class _Way:
    """Rows of a node that move by the same columns, whoever takes them; `last` is the last level that does."""

    producer: int
    exchange: Exchange
    last: int


class Part(Dataflow):
    """The part number `part` of `parts`, of a plan whose exchanges are to be made (see `placement.divided`)."""

    def __init__(
        self, plan: DataflowPlan, as_of: int, part: int, parts: int, *, arranged: bool = False
    ) -> None:
        super().__init__(plan, as_of, arranged=arranged, part=part)
        self._part = part
        self._parts = parts
        topology = Topology(plan, first=False)
        self._levels = topology.levels
        last: dict[tuple[int, Exchange], int] = {}
        for edge in topology.edges:
            if edge.exchange is not None:
                way = edge.producer, edge.exchange
                last[way] = max(last.get(way, 0), topology.level_of[edge.consumer])
        self._ways = [_Way(producer, exchange, at) for (producer, exchange), at in last.items()]
        self._number = {(way.producer, way.exchange): number for number, way in enumerate(self._ways)}
        self._leaving = [
            [n for n, way in enumerate(self._ways) if topology.level_of[way.producer] == level]
            for level in range(len(self._levels))
        ]
        self._read_last = dict(topology.level_of)
        for edge in topology.edges:
            if edge.exchange is None:
                at = topology.level_of[edge.consumer]
                self._read_last[edge.producer] = max(self._read_last[edge.producer], at)

    def level_by_level(
        self, inputs: Mapping[GlobalId, Delta], lower: int, upper: int
    ) -> Generator[Passing, Passing, Delta]:
        """A step over this part's share of the inputs.  Yields at the end of each level but the last what goes to the other parts,
        and wants what has come from these; returns the updates of the output that come out here, not consolidated, errors as often
        as they occur."""
        first = lower == self.as_of
        self._upper = upper
        self._next_due = None
        results = list(self._nothing)
        arrived: dict[int, list[Delta]] = {}
        for level, ids in enumerate(self._levels):
            for id_ in ids:
                results[id_] = self._at(id_, inputs, results, arrived, lower, upper, first)
            if level < len(self._levels) - 1:
                sent = self._sent(level, results, arrived)
                for pieces in (yield sent):
                    for number, buffer in pieces:
                        batch = from_buffer(self._moved_schema(number), buffer)
                        arrived.setdefault(number, []).append(Delta(batch, NO_ERRORS))
                self._free(level, results, arrived)
        for arranged in self._arranged:
            arranged.end_step()
        return results[self.plan.output]

    def _at(
        self,
        id: int,
        inputs: Mapping[GlobalId, Delta],
        results: Sequence[Delta],
        arrived: Mapping[int, Sequence[Delta]],
        lower: int,
        upper: int,
        first: bool,
    ) -> Delta:
        node, operator = self.plan.nodes[id], self._operators[id]
        if operator is None:
            assert isinstance(node.op, Import)
            return inputs.get(node.op.id, self._nothing[id])
        given = tuple(
            results[i]
            if by is None
            else concat_deltas(self.plan.nodes[i].schema, arrived.get(self._number[i, by], ()))
            for i, by in zip(self._given[id], node.exchange, strict=False)
        )
        return self._result(node, operator, given, lower, upper, first)

    def _sent(self, level: int, results: Sequence[Delta], arrived: dict[int, list[Delta]]) -> Passing:
        """What leaves the level for other parts; what stays has arrived."""
        sent: list[list[Piece]] = [[] for _ in range(self._parts)]
        for number in self._leaving[level]:
            way, schema = self._ways[number], self._moved_schema(number)
            made = results[way.producer]
            if len(made.errs):
                arrived.setdefault(number, []).append(Delta(empty_batch(schema), made.errs))
            for part, rows in split(made.oks, way.exchange, self._parts, self._part):
                if part == self._part:
                    arrived.setdefault(number, []).append(Delta(rows, NO_ERRORS))
                else:
                    sent[part].append((number, to_buffer(schema, rows)))
        return sent

    def _moved_schema(self, number: int) -> Schema:
        """That of what goes by a way."""
        return self.plan.nodes[self._ways[number].producer].schema

    def _free(self, level: int, results: list[Delta], arrived: dict[int, list[Delta]]) -> None:
        """Lets go of what no later level reads."""
        for id_, last in self._read_last.items():
            if last <= level and id_ != self.plan.output:
                results[id_] = self._nothing[id_]
        for number in [n for n in arrived if self._ways[n].last <= level]:
            del arrived[number]

    def inputs_of(self, rows: Mapping[GlobalId, pa.Buffer]) -> dict[GlobalId, Delta]:
        """The rows of imports, as they have crossed."""
        return {
            id_: Delta(from_buffer(self.plan.import_schema(id_), buffer), NO_ERRORS)
            for id_, buffer in rows.items()
        }

    def with_work(
        self, shares: Mapping[int, dict[GlobalId, pa.Buffer]], lower: int
    ) -> Mapping[int, dict[GlobalId, pa.Buffer]]:
        """The shares of those parts that have anything to do in a step that begins at `lower`.  Where rows move, all wait for all; and
        a row may begin to be, or come due, without any input."""
        if len(self._levels) > 1 or lower == self.as_of or self._waiting:
            return shares
        return {part: share for part, share in shares.items() if share}

    @property
    def held_nbytes(self) -> int:
        """Bytes of state in memory."""
        return sum(spine.nbytes for spine in self._state.values())
