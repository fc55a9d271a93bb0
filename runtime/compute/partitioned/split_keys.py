"""Keys of joins that have more rows than one part should get: the rows of one side are dealt out, those of the other are in all parts.

```
first step, where rows leave for the join:   each part counts its keys of many rows ── tells all others ── all choose the same
from then on:                                rows of these keys go as `HotKeys` says, insertions and retractions alike
```

What was chosen stays: it is state, of which each part has a copy, and is saved with the rest.  Keys that come to have many rows later are
not split.  A side that leaves in a later level than the other is not counted, and so not dealt out.

With another number of parts each row would have to be somewhere else, and once only: such a checkpoint cannot be gone on from.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import pyarrow as pa

from ...repr.batch import Batch, Delta, concat_batches
from ...repr.buffers import Words, fixed
from ...repr.hash import hash_columns
from ...repr.schema import Column, Schema
from ...repr.types import INT8
from ..checkpoint import SPLIT_KEYS
from ..operators.reductions.occurrences import Occurrences
from ..plan import JoinOp
from ..run_store import StateId
from ..spark.hot_keys import DEALT, HotKeys, heavy, hot_keys
from ..spark.topology import Topology
from ..spine import Spine
from .placement import Division

HOT_ROWS = 20_000
"""So many rows of one side a key has at least."""

COUNTS = Schema(
    (
        Column("join", INT8, False),
        Column("side", INT8, False),
        Column("key", INT8),
        Column("rows", INT8, False),
    )
)
"""How many rows each key has, by its hash; NULL: all keys."""

_CHOSEN = Schema((Column("side", INT8, False), Column("key", INT8, False)))


class SplitKeys:
    """Those of a dataflow in `parts`, as one part has them."""

    def __init__(self, division: Division, topology: Topology, parts: int) -> None:
        self._plan = division.plan
        self._parts = parts
        self.spines: dict[StateId, Spine] = {
            (join, SPLIT_KEYS): Spine(_CHOSEN, (0, 1)) for join in sorted(division.split)
        }
        self._hot: dict[int, HotKeys] = {}
        levels = topology.level_of
        self._counted: dict[int, list[tuple[int, int]]] = {}
        for join in sorted(division.split):
            sides = [levels[producer] for producer in self._plan.nodes[join].inputs]
            found = [(join, side) for side in DEALT[self._op(join).kind] if sides[side] == min(sides)]
            self._counted.setdefault(min(sides), []).extend(found)

    def _op(self, join: int) -> JoinOp:
        op = self._plan.nodes[join].op
        assert isinstance(op, JoinOp)
        return op

    def __bool__(self) -> bool:
        """Whether any key is split."""
        return bool(self._hot)

    def of(self, join: int) -> HotKeys | None:
        return self._hot.get(join)

    def begin(self) -> None:
        """Goes on with what the spines hold: nothing is chosen any more."""
        self._counted.clear()
        self._read()

    def _read(self) -> None:
        self._hot = {}
        for (join, _), spine in self.spines.items():
            chosen = concat_batches(_CHOSEN, [run.batch for run in spine.runs])
            if len(chosen):
                sides, keys = fixed(chosen.columns[0]), fixed(chosen.columns[1]).view(np.uint64)
                left, right = (np.unique(keys[sides == side]) for side in (0, 1))
                self._hot[join] = HotKeys((left, right))

    def counts(self, level: int) -> bool:
        """Whether keys are counted where rows leave the level."""
        return bool(self._counted.get(level))

    def counted(self, level: int, results: Sequence[Delta]) -> Batch:
        """Of what leaves here: a batch of COUNTS."""
        found: list[tuple[int, int, int | None, int]] = []
        for join, side in self._counted[level]:
            node = self._plan.nodes[join]
            rows, by = results[node.inputs[side]].oks, node.exchange[side]
            if not len(rows):
                continue
            assert isinstance(by, tuple)
            found.append((join, side, None, len(rows)))
            least = max(1, HOT_ROWS // self._parts)
            if len(rows) < least:
                continue
            hashes = hash_columns([rows.columns[i] for i in by], len(rows))
            hashes = hashes[Occurrences(hashes).often(least)]  # mostly none
            found += [(join, side, key, count) for key, count in heavy(hashes, least).items()]
        joins, sides, keys, rows_ = zip(*found, strict=True) if found else ((), (), (), ())
        nothing = np.array([key is None for key in keys], np.bool_)
        words = np.array([key or 0 for key in keys], np.uint64).view(np.int64)
        columns = (
            pa.array(joins, pa.int64()),
            pa.array(sides, pa.int64()),
            pa.array(words, mask=nothing),
            pa.array(rows_, pa.int64()),
        )
        return Batch(columns, np.zeros(len(found), np.uint64), np.ones(len(found), np.int64))

    def choose(self, counted: Iterable[Batch]) -> None:
        """From what all parts have counted at one level, in any order."""
        totals: dict[tuple[int, int], int] = {}
        keys: dict[tuple[int, int], dict[int, int]] = {}
        for batch in counted:
            joins, sides, words, rows = (column.to_pylist() for column in batch.columns)
            for join, side, word, count in zip(joins, sides, words, rows, strict=True):
                if word is None:
                    totals[join, side] = totals.get((join, side), 0) + count
                else:
                    of_side = keys.setdefault((join, side), {})
                    key = word % (1 << 64)
                    of_side[key] = of_side.get(key, 0) + count
        for join in {join for join, _ in keys}:
            counts: list[Mapping[int, int]] = [keys.get((join, side), {}) for side in (0, 1)]
            found = hot_keys(
                self._op(join),
                counts,
                [totals.get((join, side), 0) for side in (0, 1)],
                self._parts,
                HOT_ROWS,
            )
            if found is not None:
                self.spines[join, SPLIT_KEYS].insert(_chosen(found.dealt))
        self._read()


def _chosen(dealt: tuple[Words, Words]) -> Batch:
    keys = np.concatenate(dealt).astype(np.uint64)
    sides = np.repeat(np.array([0, 1]), [len(some) for some in dealt])
    columns = pa.array(sides, pa.int64()), pa.array(keys.view(np.int64))
    return Batch(columns, np.zeros(len(keys), np.uint64), np.ones(len(keys), np.int64))
