"""What moves between the levels of a part, and what of it is combined before.

```
way 0   rows of node 3 by #0  ──> a join and a distinct           rows
way 1   rows of node 5 by #0  ──> one reduction, and nobody else  few rows, and sums of the others: way 2 and, of floats, way 3
```

What several nodes take by the same columns is sent once, as rows.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ...repr.batch import Batch
from ...repr.hash import hash_columns
from ...repr.schema import Schema
from ..operators.reductions.combine import combine, state_schemas
from ..plan import DataflowPlan, DistinctOp, Exchange, Node, ReduceOp, ThresholdOp
from ..spark.exchange import partition_of, pieces, split
from ..spark.topology import Topology


@dataclass(frozen=True, slots=True)
class Way:
    """Rows of a node that move by the same columns, whoever takes them, or what those of `reader` come to, its only one; `last` is the last
    level that does.  `schema` is that of what moves, `sums` what sums it is (None: rows)."""

    producer: int
    exchange: Exchange
    last: int
    schema: Schema
    reader: Node | None = None
    sums: str | None = None


class Ways:
    """Those of a plan, by number, which are the same in all parts."""

    def __init__(self, plan: DataflowPlan, topology: Topology) -> None:
        readers: dict[tuple[int, Exchange], list[int]] = {}
        for edge in topology.edges:
            if edge.exchange is not None:
                readers.setdefault((edge.producer, edge.exchange), []).append(edge.consumer)
        self.all: list[Way] = []
        self._numbers: dict[tuple[int, Exchange], dict[str | None, int]] = {}
        for (producer, exchange), consumers in readers.items():
            last = max(topology.level_of[consumer] for consumer in consumers)
            schema = plan.nodes[producer].schema
            only = plan.nodes[consumers[0]] if len(consumers) == 1 else None
            schemas: dict[str | None, Schema] = {None: schema}
            if only is not None:
                schemas |= state_schemas(only.op, schema)
            numbers = self._numbers.setdefault((producer, exchange), {})
            for name, its in schemas.items():
                numbers[name] = len(self.all)
                self.all.append(Way(producer, exchange, last, its, only, name))

    def number(self, producer: int, exchange: Exchange, sums: str | None = None) -> int:
        return self._numbers[producer, exchange][sums]

    def sums(self, producer: int, exchange: Exchange) -> dict[str, int]:
        """By what they are, the numbers of the ways of sums."""
        return {name: at for name, at in self._numbers[producer, exchange].items() if name is not None}

    def moved(self, number: int, rows: Batch, parts: int, here: int) -> Iterator[tuple[int, int, Batch]]:
        """What is sent of rows that go by a way: its number, where it goes, and what it is."""
        way = self.all[number]
        by, op = way.exchange, None if way.reader is None else way.reader.op
        if (
            not isinstance(op, ReduceOp | DistinctOp | ThresholdOp)
            or not isinstance(by, tuple)
            or not len(rows)
        ):
            for part, some in split(rows, by, parts, here):
                yield number, part, some
            return
        hashes = hash_columns([rows.columns[i] for i in by], len(rows))
        combined = combine(op, way.schema, rows, hashes, only_insertions=False)
        if combined.rows is rows and by:
            for part, some in pieces(rows, partition_of(hashes, parts), parts):
                yield number, part, some
            return
        for part, some in split(combined.rows, by, parts, here):
            yield number, part, some
        for name, batch in combined.sums.items():
            for part, some in split(batch, by, parts, here):
                yield self.number(way.producer, by, name), part, some
