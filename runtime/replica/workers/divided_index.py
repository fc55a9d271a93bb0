"""An index whose rows are in several processes: of each key those are with one worker, by the hash of the key.

```
few keys, on any thread      KeysAsked to each member that has one, at once ── rows ──────────────────┐
keys, all rows, in its turn  ReadIndex to members, between two steps ── rows, and mapped files ───────┼── as of a time
                             the leader's own ────────────────────────────────────────────────────────┘
```

The leader alone knows the frontiers, and has the errors.  It is complete below `upper` when all members have said that the step is over, so they
have inserted what is before it; and it moves `since` before it tells them of it, with the next step.  What a member holds is therefore
always enough for the times that are readable here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from ...compute.partitioned.messages import ReadIndex
from ...compute.partitioned.one_step import LEADER
from ...compute.partitioned.row_format import from_buffer
from ...compute.spark.exchange import partition_of
from ...compute.spine import probe_runs
from ...repr.batch import Batch, to_record
from ...repr.buffers import Words
from ...repr.hash import hash_columns
from ...repr.schema import Schema
from ..index import HeldRows, Index, Numbers, contents, rows_of_each
from .index_look_ups import KeysAsked, in_order
from .team import Team


class DividedIndex(Index):
    """The index of the dataflow with this number of the team.  `lookup_each` is for any thread, `lookup` and `held` are for the one that steps."""

    shareable = False

    def __init__(self, schema: Schema, key: tuple[int, ...], team: Team, dataflow: int) -> None:
        super().__init__(schema, key)
        self._team = team
        self._dataflow = dataflow
        self._key_schema = schema.project(key)

    def held(self, as_of: int) -> HeldRows:
        here = super().held(as_of)
        asked = ReadIndex(self._dataflow, None)
        answers = self._team.read_index(dict.fromkeys(range(1, self._team.workers), asked))
        return HeldRows(
            here.runs,
            tuple(from_buffer(self.schema, rows) for answer in answers for rows in answer.rows),
            tuple(file for answer in answers for _, file in answer.files),
            sum(answer.file_rows for answer in answers),
        )

    def lookup(self, keys: tuple[pa.Array, ...], as_of: int) -> Batch:
        runs = self._readable(self._oks, as_of)
        hashes = hash_columns(keys, len(keys[0]))
        dealt = self._dealt(keys, hashes)
        asked = {w: ReadIndex(self._dataflow, self._record(d.keys)) for w, d in dealt.items() if w != LEADER}
        found = []
        if (mine := dealt.get(LEADER)) is not None:
            here = probe_runs(runs, self._key, mine.keys, hashes[mine.numbers])
            found += [matches.rows for matches in here]
        for answer in self._team.read_index(asked):
            found += [from_buffer(self.schema, rows) for rows in answer.rows]
        return contents(self.schema, found, as_of)

    def lookup_each(
        self, keys: tuple[pa.Array, ...], as_of: int, columns: Sequence[int]
    ) -> tuple[Batch, Numbers]:
        runs = self._readable(self._oks, as_of)
        columns, hashes = tuple(columns), hash_columns(keys, len(keys[0]))
        dealt = self._dealt(keys, hashes)
        found: dict[int, tuple[Batch, Numbers]] = {}

        def find_here() -> None:
            if (mine := dealt.get(LEADER)) is not None:
                found[LEADER] = rows_of_each(
                    self.schema, self._key, runs, mine.keys, hashes[mine.numbers], columns, as_of
                )

        schema = self.schema.project(columns)
        asked = {
            worker: KeysAsked(self._dataflow, self._record(some.keys), columns, as_of)
            for worker, some in dealt.items()
            if worker != LEADER
        }
        for worker, answer in self._team.look_ups.exchange(asked, find_here).items():
            found[worker] = answer.batch(schema, as_of)
        self._check_readable(as_of)
        if len(found) == 1:
            ((rows, numbers),) = found.values()
            return rows, numbers
        return in_order(schema, [(rows, dealt[w].numbers[numbers]) for w, (rows, numbers) in found.items()])

    def _dealt(self, keys: tuple[pa.Array, ...], hashes: Words) -> dict[int, _Dealt]:
        """Those of each worker that has any."""
        owners = partition_of(hashes, self._team.workers)
        workers = owners.tolist() if len(owners) == 1 else np.unique(owners).tolist()
        if len(workers) == 1:
            return {workers[0]: _Dealt(keys, np.arange(len(owners)))}
        dealt = {}
        for worker in workers:
            numbers = np.flatnonzero(owners == worker)
            dealt[worker] = _Dealt(tuple(column.take(pa.array(numbers)) for column in keys), numbers)
        return dealt

    def _record(self, keys: tuple[pa.Array, ...]) -> bytes:
        return to_record(self._key_schema, keys)


@dataclass(frozen=True, slots=True)
class _Dealt:
    """Keys that one worker has, and which of all these are."""

    keys: tuple[pa.Array, ...]
    numbers: Numbers
