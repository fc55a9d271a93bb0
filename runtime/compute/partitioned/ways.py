"""What moves between the levels of a part, and what of it is combined before.

```
way 0   rows of node 3 by #0  ──> a join and a distinct           rows
way 1   rows of node 5 by #0  ──> one reduction, and nobody else  few rows, and sums of the others: way 2 and, of floats, way 3
way 4   rows of node 7 by #0  ──> one that counts in place        no rows, sums only: way 5
```

What several nodes take by the same columns is sent once, as rows.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from ...repr.batch import Batch
from ...repr.hash import hash_columns
from ...repr.schema import Schema
from ..operators.reductions.combine import combine, state_schemas
from ..operators.reductions.reduce import Reduce
from ..plan import DistinctOp, Exchange, Node, ReduceOp, ThresholdOp
from ..spark.exchange import partition_of, pieces, split
from ..spark.topology import Topology
from .placement import Division
from .split_keys import SplitKeys


@dataclass(frozen=True, slots=True)
class Way:
    """Rows of a node that move by the same columns, whoever takes them, or what those of `reader` come to, its only one, as its input `side`;
    they leave the level `leaves`, and `last` is the last level that takes them.  `schema` is that of what moves, `sums` what sums it is (None: rows)."""

    producer: int
    exchange: Exchange
    leaves: int
    last: int
    schema: Schema
    reader: Node | None = None
    side: int = 0
    sums: str | None = None

    @property
    def combines(self) -> bool:
        """Whether rows are combined by key where that makes them fewer."""
        if self.reader is None or not isinstance(self.exchange, tuple):
            return False
        return isinstance(self.reader.op, ReduceOp | DistinctOp | ThresholdOp)


class Ways:
    """Those of a plan, by number, which are the same in all parts."""

    def __init__(self, division: Division, topology: Topology) -> None:
        plan = division.plan
        readers: dict[tuple[int, Exchange, int | None], list[tuple[int, int]]] = {}
        for port, edge in enumerate(topology.edges):
            if edge.exchange is not None:
                alone = port if edge.consumer in division.split | division.in_place else None
                readers.setdefault((edge.producer, edge.exchange, alone), []).append(
                    (edge.consumer, topology.side(port))
                )
        self.all: list[Way] = []
        self._numbers: dict[tuple[int, int], dict[str | None, int]] = {}
        for (producer, exchange, _), ends in readers.items():
            leaves = topology.level_of[producer]
            last = max(topology.level_of[consumer] for consumer, _ in ends)
            rows = plan.nodes[producer].schema
            schemas: dict[str | None, Schema] = {None: rows}
            only, side = None, 0
            if len(ends) == 1:
                only, side = plan.nodes[ends[0][0]], ends[0][1]
                schemas.update(state_schemas(only.op, rows))
            numbers = {name: len(self.all) + at for at, name in enumerate(schemas)}
            self._numbers |= dict.fromkeys(ends, numbers)
            self.all += [
                Way(producer, exchange, leaves, last, schema, only, side, name)
                for name, schema in schemas.items()
            ]

    def number(self, consumer: int, side: int) -> int:
        """Of the rows that are input `side` of a node."""
        return self._numbers[consumer, side][None]

    def sums(self, consumer: int) -> dict[str, int]:
        """By what they are, the numbers of the sums for a node."""
        return {name: at for name, at in self._numbers[consumer, 0].items() if name is not None}

    def moved(
        self,
        number: int,
        rows: Batch,
        parts: int,
        here: int,
        split_keys: SplitKeys,
        in_place: Mapping[int, Reduce],
    ) -> Iterator[tuple[int, int, Batch]]:
        """What is sent of rows that go by a way: its number, where it goes, and what it is.  `in_place` are the reductions that count here."""
        way = self.all[number]
        by, node = way.exchange, way.reader
        if not len(rows) or node is None or not isinstance(by, tuple):
            for part, some in split(rows, by, parts, here):
                yield number, part, some
        elif node.id in in_place:
            yield from self._dealt_sums(node, in_place[node.id].sums_with_distinct(rows), by, parts, here)
        elif way.combines:
            yield from self._combined(number, node, rows, by, parts, here)
        else:
            hot = split_keys.of(node.id)
            found = split(rows, by, parts, here) if hot is None else hot.split(rows, by, parts, way.side)
            for part, some in found:
                yield number, part, some

    def _combined(
        self, number: int, node: Node, rows: Batch, by: tuple[int, ...], parts: int, here: int
    ) -> Iterator[tuple[int, int, Batch]]:
        hashes = hash_columns([rows.columns[i] for i in by], len(rows))
        combined = combine(node.op, self.all[number].schema, rows, hashes)
        if combined.rows is rows and by:
            for part, some in pieces(rows, partition_of(hashes, parts), parts):
                yield number, part, some
            return
        for part, some in split(combined.rows, by, parts, here):
            yield number, part, some
        yield from self._dealt_sums(node, combined.sums, by, parts, here)

    def _dealt_sums(
        self, node: Node, sums: Mapping[str, Batch], by: tuple[int, ...], parts: int, here: int
    ) -> Iterator[tuple[int, int, Batch]]:
        numbers = self.sums(node.id)
        for name, batch in sums.items():
            for part, some in split(batch, by, parts, here):
                yield numbers[name], part, some
