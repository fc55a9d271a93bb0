"""Rederived: any operator inside a loop, computed anew for the keys that a change touches, iteration by iteration.

An operator that works on many times in one step turns the history of a group's rows over the iterations into that of its
output.  So inside a loop it needs no algebra of its own:

    change of the output at iteration i  =  operator(new history up to i) at i  -  operator(old history up to i) at i

for the groups, by the columns that the plan exchanges rows by, that have a change at i, or that had one earlier in this
epoch and have old history at i: their output there was for what they held then.  History after i is not looked at: it
is settled only when its iteration comes.

State is the inputs' rows with the iteration as their time, which never advances.  A step costs the history of the
groups that it touches.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from ....repr.batch import Batch, Delta, concat_batches, empty_batch
from ....repr.consolidate import canonical, consolidate, group_rows
from ....repr.hash import hash_columns
from ....repr.schema import ERROR_SCHEMA, Schema
from ...spine import Spine
from ..base import Operator

Keys = tuple[pa.Array, ...]


class Rederived:
    """`operator` is empty, as of iteration 0, and ours alone.  `exchange[i]` are the key columns of input i."""

    def __init__(
        self,
        operator: Operator,
        inputs: Sequence[Schema],
        schema: Schema,
        exchange: Sequence[tuple[int, ...]],
        *,
        alone: bool,
    ) -> None:
        self.alone = alone
        self._operator = operator
        self._schema = schema
        self._inputs = tuple(inputs)
        self._exchange = tuple(exchange)
        self._old = [Spine(s, key) for s, key in zip(inputs, exchange, strict=True)]
        self._new = [Spine(s, key) for s, key in zip(inputs, exchange, strict=True)]
        self._due: dict[int, list[Keys]] = {}

    def spines(self) -> dict[str, Spine]:
        return {f"input_{i}": spine for i, spine in enumerate(self._old)}

    def due(self) -> Sequence[int]:
        """Iterations at which there is work even if no input changes."""
        return list(self._due)

    def step(self, given: tuple[Batch, ...], iteration: int, *, first: bool) -> Delta | None:
        """The output's updates at `iteration` from those of the inputs there.

        Iterations ascend within an epoch; `first`: in the first epoch there is no old output.
        """
        touched = self._due.pop(iteration, [])
        for batch, key, spine in zip(given, self._exchange, self._new, strict=True):
            if len(batch):
                keys = tuple(canonical(batch.columns[i]) for i in key)
                spine.insert(batch, hash_columns(keys, len(batch)))
                touched.append(keys if key else (pa.array(np.zeros(len(batch), np.int8)),))
        if self.alone and first and iteration == 0:
            touched.append((pa.array([0], pa.int8()),))
        if not touched:
            return None
        keys = tuple(pa.concat_arrays(columns) for columns in zip(*touched, strict=True))
        groups = group_rows(keys, hash_columns(keys, len(keys[0])))
        index = pa.array(groups.order[groups.starts])
        heads = tuple(key.take(index) for key in keys)
        old, new = self._histories(heads, iteration)
        deltas = [self._evaluated(new, iteration)]
        if not (first and iteration == 0):
            before = self._evaluated(old, iteration)
            deltas.append(Delta(before.oks.negate(), before.errs.negate()))
        return Delta(
            consolidate(concat_batches(self._schema, [delta.oks for delta in deltas])),
            consolidate(concat_batches(ERROR_SCHEMA, [delta.errs for delta in deltas])),
        )

    def _histories(self, heads: Keys, iteration: int) -> tuple[list[Batch], list[Batch]]:
        """Of the groups `heads`, the inputs' updates up to `iteration` before this epoch, and by now."""
        old, new = [], []
        count = len(heads[0])
        for schema, key, before, since in zip(
            self._inputs, self._exchange, self._old, self._new, strict=True
        ):
            probes = heads if key else ()
            hashes = hash_columns(probes, count)
            held = before.probe(probes, hashes)
            self._note(heads, held.probe, held.rows.times, iteration)
            rows = held.rows.filter(held.rows.times <= iteration)
            fresh = since.probe(probes, hashes).rows
            old.append(rows)
            new.append(concat_batches(schema, [rows, fresh]))
        return old, new

    def _note(
        self,
        heads: Keys,
        probe: np.typing.NDArray[np.int64],
        times: np.typing.NDArray[np.uint64],
        iteration: int,
    ) -> None:
        """Groups with old history after `iteration` are looked at again there."""
        later = times > iteration
        if not later.any():
            return
        probe, times = probe[later], times[later]
        for time in np.unique(times):
            index = pa.array(np.unique(probe[times == time]))
            self._due.setdefault(int(time), []).append(tuple(head.take(index) for head in heads))

    def _evaluated(self, inputs: list[Batch], iteration: int) -> Delta:
        """What the operator puts out at `iteration` over whole histories."""
        operator = self._operator
        nothing = empty_batch(ERROR_SCHEMA)
        output = operator.step(tuple(Delta(batch, nothing) for batch in inputs), 0, iteration + 1)
        for spine in operator.spines().values():
            spine.clear()
        return Delta(_at(output.oks, iteration), _at(output.errs, iteration))

    def end_epoch(self) -> None:
        """What came in this epoch becomes old."""
        for old, new in zip(self._old, self._new, strict=True):
            for run in new.runs:
                old.insert(run.batch, run.hashes)
            new.clear()


def _at(batch: Batch, time: int) -> Batch:
    return batch.filter(batch.times == time) if len(batch) else batch
