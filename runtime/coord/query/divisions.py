"""How EXPLAIN shows among whom a plan is divided, and what moves when: read off the placement by which workers run it.

```
Divided among 2 workers: public.customers by hash(#0), public.orders by hash(#1)
  before level 0, of 20,000 rows or more at once: shares of the input that all workers read
  behind level 0: %4 by hash(#2), %6 to one place
  behind level 1, of 10,000 rows or more: the output by hash of all its columns
```

Behind a level each worker waits for what all others send it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from ...compute.partitioned.dealing import GATHER_ROWS
from ...compute.partitioned.placement import Division, Move, divided, undivided
from ...compute.partitioned.stored import READ_APART_ROWS
from ...compute.plan import DataflowPlan, Exchange, levels
from ...compute.plan_text import exchange_text
from ...expr.tree.relation import GlobalId


@dataclass(frozen=True, slots=True)
class Divided:
    """Among so many `workers`; `written`: the output goes to a collection, and each worker may write its part.  `names` are those of
    objects."""

    division: Division
    workers: int
    written: bool
    names: Mapping[GlobalId, str]

    @property
    def _gathered(self) -> bool:
        """Whether equal rows of the output are brought together when there are many."""
        return self.written and not self.division.output_lies

    @property
    def _last_level(self) -> int:
        return len(levels(self.division.plan)) - 1

    def lines(self) -> list[str]:
        dealt = sorted(f"{self.names[id_]}{exchange_text(by)}" for id_, by in self.division.dealt.items())
        out = [
            f"Divided among {self.workers} workers: {', '.join(dealt) or 'rows as they come'}",
            f"  before level 0, of {READ_APART_ROWS:,} rows or more at once: shares of the input that all workers read",
        ]
        for level, moves in groupby(self.division.moves, key=lambda move: move.leaves):
            out.append(f"  behind level {level}: " + ", ".join(map(_move, moves)))
        if self._gathered:
            out.append(
                f"  behind level {self._last_level}, of {GATHER_ROWS:,} rows or more: the output by hash of all its columns"
            )
        return out

    def document(self) -> dict[str, Any]:
        """For JSON: `rows` are the least for which rows move there, `level` is the one behind which they do."""
        dealt = [
            {"object": self.names[id_], "columns": list(by)}
            for id_, by in sorted(self.division.dealt.items())
        ]
        moves = [
            {"level": move.leaves, "node": move.node, "by": _by(move.by), "arrives": list(move.arrives)}
            for move in self.division.moves
        ]
        gathered = {"level": self._last_level, "rows": GATHER_ROWS} if self._gathered else None
        return {
            "workers": self.workers,
            "dealt": dealt,
            "read_apart": {"rows": READ_APART_ROWS},
            "moves": moves,
            "output_gathered": gathered,
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
    plan: DataflowPlan, workers: int, names: Mapping[GlobalId, str], *, written: bool
) -> tuple[Divided | Undivided | None, DataflowPlan]:
    """Among whom a plan is divided, and how it runs then; None: there is one worker."""
    if workers == 1:
        return None, plan
    if (why := undivided(plan)) is not None:
        return Undivided(workers, why), plan
    division = divided(plan)
    return Divided(division, workers, written, names), division.plan


def of_query(workers: int) -> Undivided | None:
    if workers == 1:
        return None
    return Undivided(workers, "queries are computed by one process, or by a Spark job", queried=True)


def _move(move: Move) -> str:
    return f"%{move.node}{exchange_text(move.by)}"


def _by(exchange: Exchange) -> list[int] | str:
    """Positions of columns; or `everywhere`."""
    return list(exchange) if isinstance(exchange, tuple) else exchange_text(exchange).strip()
