"""How EXPLAIN shows among whom a plan is divided, and what moves when: read off the placement by which workers run it.

```
Divided among 2 workers: public.customers by hash(#0), public.nations everywhere, public.orders by hash(#1)
  before level 0, of 20,000 rows or more at once: shares of the input that all workers read
  behind level 0, in the first step: how many rows keys have
  behind level 0: %4 by hash(#2), combined; %5 by hash(#1), keys of many rows split; %6 to one place
  behind level 1: %7 by hash(#0), sums with DISTINCT
  behind level 1, of 10,000 rows or more: the output by hash of all its columns
```

Behind a level each worker waits for what all others send it.  What is combined are rows of a key, or what they come to, where that is fewer.
Of `sums with DISTINCT` no rows move: the values are counted before.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from ...compute.partitioned.dealing import GATHER_ROWS
from ...compute.partitioned.placement import Division, divided, undivided
from ...compute.partitioned.split_keys import SplitKeys
from ...compute.partitioned.stored import READ_APART_ROWS
from ...compute.partitioned.ways import Way, Ways
from ...compute.plan import EVERYWHERE, DataflowPlan, Exchange, levels
from ...compute.plan_text import exchange_text
from ...compute.spark.topology import Topology
from ...expr.tree.relation import GlobalId


@dataclass(frozen=True, slots=True)
class Divided:
    """Among so many `workers`: the output goes to a collection, and each worker may write its part, or is arranged in an index.  `names`
    are those of objects."""

    division: Division
    workers: int
    names: Mapping[GlobalId, str]

    @property
    def moves(self) -> list[Way]:
        """Those by which parts send rows, in the order in which they do."""
        ways = Ways(self.division, Topology(self.division.plan, first=False)).all
        return sorted((way for way in ways if way.sums is None), key=lambda way: (way.leaves, way.producer))

    @property
    def _counted(self) -> list[int]:
        """The levels behind which keys are counted in the first step."""
        topology = Topology(self.division.plan, first=False)
        keys = SplitKeys(self.division, topology, self.workers)
        return [level for level in range(len(topology.levels)) if keys.counts(level)]

    @property
    def _gathered(self) -> bool:
        """Whether equal rows of the output are brought together when there are many."""
        return self.division.index_key is None and not self.division.output_lies

    @property
    def _last_level(self) -> int:
        return len(levels(self.division.plan)) - 1

    def lines(self) -> list[str]:
        everywhere = dict.fromkeys(self.division.broadcast.imports, EVERYWHERE)
        comes: dict[GlobalId, Exchange] = {**self.division.dealt, **everywhere}
        dealt = sorted(f"{self.names[id_]}{exchange_text(by)}" for id_, by in comes.items())
        out = [
            f"Divided among {self.workers} workers: {', '.join(dealt) or 'rows as they come'}",
            f"  before level 0, of {READ_APART_ROWS:,} rows or more at once: shares of the input that all workers read",
        ]
        counted = self._counted
        for level, moves in groupby(self.moves, key=lambda move: move.leaves):
            if level in counted:
                out.append(f"  behind level {level}, in the first step: how many rows keys have")
            out.append(f"  behind level {level}: " + "; ".join(map(self._move, moves)))
        if self._gathered:
            split = " if keys are split" if self.division.output_lies_unsplit else ""
            out.append(
                f"  behind level {self._last_level}, of {GATHER_ROWS:,} rows or more{split}: the output by hash of all its "
                "columns"
            )
        if (key := self.division.index_key) is not None:
            out.append(f"  each worker holds a range of the index{exchange_text(key)}")
        return out

    def _move(self, move: Way) -> str:
        how = ", combined" if move.combines else ""
        if self._counts(move):
            how = ", sums with DISTINCT"
        elif self._splits(move):
            how = ", keys of many rows split"
        return f"%{move.producer}{exchange_text(move.exchange)}{how}"

    def _splits(self, move: Way) -> bool:
        return move.reader is not None and move.reader.id in self.division.split

    def _counts(self, move: Way) -> bool:
        return move.reader is not None and move.reader.id in self.division.in_place

    def document(self) -> dict[str, Any]:
        """For JSON: `rows` are the least for which rows move there, `level` is the one behind which they do."""
        dealt = [
            {"object": self.names[id_], "columns": list(by)}
            for id_, by in sorted(self.division.dealt.items())
        ]
        moves = [
            {
                "level": move.leaves,
                "node": move.producer,
                "by": _by(move.exchange),
                "last_level": move.last,
                "combined": move.combines,
                "distinct_in_place": self._counts(move),
                "keys_split": self._splits(move),
            }
            for move in self.moves
        ]
        gathered = {
            "level": self._last_level,
            "rows": GATHER_ROWS,
            "if_keys_are_split": self.division.output_lies_unsplit,
        }
        return {
            "workers": self.workers,
            "dealt": dealt,
            "everywhere": sorted(self.names[id_] for id_ in self.division.broadcast.imports),
            "read_apart": {"rows": READ_APART_ROWS},
            "moves": moves,
            "keys_counted": self._counted,
            "output_gathered": gathered if self._gathered else None,
            "index_key": None if self.division.index_key is None else list(self.division.index_key),
        }


@dataclass(frozen=True, slots=True)
class Undivided:
    """One of so many `workers` runs all of it, or (`queried`) none of them; and why."""

    workers: int
    why: str
    queried: bool = False

    def lines(self) -> list[str]:
        where = "None" if self.queried else "In one"
        return [f"{where} of {self.workers} workers: {self.why}"]

    def document(self) -> dict[str, Any]:
        return {"workers": self.workers, "undivided": self.why}


def maintained(
    plan: DataflowPlan,
    workers: int,
    names: Mapping[GlobalId, str],
    *,
    index_key: tuple[int, ...] | None,
    few: tuple[int, ...] = (),
) -> tuple[Divided | Undivided | None, DataflowPlan]:
    """Among whom the plan of a view, or of an index by these columns, is divided, and how it runs then; None: there is one worker.  Imports at
    the positions `few` may be broadcast."""
    if workers == 1:
        return None, plan
    if (why := undivided(plan, index_key)) is not None:
        return Undivided(workers, why), plan
    division = divided(plan, index_key, few)
    return Divided(division, workers, names), division.shown


def of_query(workers: int) -> Undivided | None:
    if workers == 1:
        return None
    return Undivided(workers, "queries are computed by one process, or by a Spark job", queried=True)


def _by(exchange: Exchange) -> list[int] | str:
    """Positions of columns; or `everywhere`."""
    return list(exchange) if isinstance(exchange, tuple) else exchange_text(exchange).strip()
