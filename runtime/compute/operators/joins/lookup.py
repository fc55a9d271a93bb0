"""Lookup: one step of a delta path (`delta_paths`).  Each update of a stream meets the rows held that have its key.

    out = dS . A_before   or   dS . A_after,   each pair at the later of its two times, its diff the product of both

It holds nothing: what it reads is the arrangement of an Arrange node, or, in a task of a job, which begins with nothing,
the rows that came with it.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ....repr.batch import NO_ERRORS, Batch, Delta, concat_batches
from ....repr.buffers import Words
from ....repr.schema import ERROR_SCHEMA, Schema
from ...arrangement import Arrangement, Keyed, keyed
from ...plan import LookupOp
from ...spine import Matches, probe_runs
from ..base import Operator
from .arrange import Arrange, Reading
from .join import Residual, added_up, has_ends, pair, probed
from .versions import busy_of, busy_part, held_rows, standing, versions

FEW_UPDATES = 64
"""With so few in the stream nobody looks whether they are of few keys."""


class Lookup(Operator):
    """`schema` has the stream's columns, then those `arranged`."""

    def __init__(self, op: LookupOp, arranged: Schema, schema: Schema) -> None:
        super().__init__(schema)
        self._op = op
        self._arranged = arranged
        self._residual = Residual(op.residual)
        self._source: Arrange | None = None
        self._cancel = False  # whether updates of this step may come to nothing together

    def read(self, source: Arrange) -> None:
        """From now on a step takes the stream alone, and looks up what `source` holds."""
        self._source = source

    def apply(self, oks: tuple[Batch, ...], lower: int, upper: int) -> Delta:
        self._cancel = False
        pieces = list(self._pieces(oks))
        errs = [piece.errs for piece in pieces if len(piece.errs)]
        out = concat_batches(self.schema, [piece.oks for piece in pieces])
        return self.delta(
            added_up(out) if self._cancel else out,
            concat_batches(ERROR_SCHEMA, errs) if errs else NO_ERRORS,
        )

    def _pieces(self, oks: tuple[Batch, ...]) -> Iterator[Delta]:
        stream = keyed(oks[0], self._op.key)
        if not len(stream):
            return
        if self._source is not None:
            reading = self._source.reading(before=self._op.before)
        elif self._op.before:
            return
        else:
            held = Arrangement(self._arranged, self._op.arranged_key)
            held.insert(keyed(oks[1], self._op.arranged_key))
            reading = Reading(held.spine.runs)
        width = len(self._arranged)
        if (busy := self._busy(stream, reading)) is not None:
            of_busy, others = busy_part(stream, busy)
            yield from self._busy_pairs(stream.take(of_busy), reading, busy)
            stream = stream.take(others)
        columns = None if reading.bound is None else range(width)
        found = probe_runs(reading.runs, self._op.arranged_key, stream.keys, stream.hashes, columns=columns)
        for matches in found:
            if reading.bound is not None:
                matches = _below(matches, reading.bound)
            if len(matches):
                self._cancel = self._cancel or has_ends(matches.rows)
                yield self._residual.passing(pair(probed(stream.batch, matches), matches.rows))

    def _busy(self, stream: Keyed, reading: Reading) -> Words | None:
        """Hashes of keys of which both the stream and the rows held have many updates."""
        times = stream.batch.times
        if len(stream) < FEW_UPDATES or (times == times[0]).all():
            return None
        hashes, counts = np.unique(stream.hashes, return_counts=True)
        held = np.zeros(len(hashes), np.int64)
        for run in reading.runs:
            hits, _, found = run.search(hashes)
            held[hits] += found
        return busy_of(hashes, counts, held)

    def _busy_pairs(self, stream: Keyed, reading: Reading, busy: Words) -> Iterator[Delta]:
        """Those of keys with hashes in `busy`: an update of the stream with the rows that stand at its time, and a change
        of the rows after the stream's first time with what the stream has been till then."""
        begin, key = stream.batch.times.min(), self._op.arranged_key
        held, later = [], []
        for rows, hashes in held_rows(reading.runs, busy):
            rows = rows.select(range(len(self._arranged)))
            known = rows.times <= begin
            here = known if reading.bound is None else known & (rows.times < np.uint64(reading.bound))
            held.append((rows.filter(here), hashes[here]))
            there = ~known if reading.bound is None else ~known & (rows.times < np.uint64(reading.bound))
            later.append(rows.filter(there))
        changes = keyed(concat_batches(self._arranged, later), key)
        standing_rows = versions(
            self._arranged, held, changes, busy, np.unique(stream.batch.times), after=True
        )
        for matches in standing(stream, busy, standing_rows, key):
            yield self._residual.passing(pair(stream.batch.take(matches.probe), matches.rows))
        if len(changes):
            schema = Schema(self.schema.columns[: len(stream.batch.columns)])
            times = np.unique(changes.batch.times)
            so_far = versions(schema, (), stream, busy, times, after=False)
            for matches in standing(changes, busy, so_far, self._op.key):
                yield self._residual.passing(pair(matches.rows, changes.batch.take(matches.probe)))


def _below(matches: Matches, bound: int) -> Matches:
    """Those whose update is at a time below `bound`."""
    there = matches.rows.times < np.uint64(bound)
    if there.all():
        return matches
    return Matches(matches.probe[there], matches.rows.filter(there))
