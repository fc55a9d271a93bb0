"""Lookup: one step of a delta path (`delta_paths`).  Each update of a stream meets the rows held that have its key.

    out = dS . A_before   or   dS . A_after,   each pair at the later of its two times, its diff the product of both

It holds nothing: what it reads is the arrangement of an Arrange node, or, in a task of a job, which begins with nothing,
the rows that came with it.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ....repr.batch import NO_ERRORS, Batch, Delta, concat_batches
from ....repr.schema import ERROR_SCHEMA, Schema
from ...arrangement import Arrangement, keyed
from ...plan import LookupOp
from ...spine import Matches, probe_runs
from ..base import Operator
from .arrange import Arrange, Reading
from .join import Residual, pair, probed


class Lookup(Operator):
    """`schema` has the stream's columns, then those `arranged`."""

    def __init__(self, op: LookupOp, arranged: Schema, schema: Schema) -> None:
        super().__init__(schema)
        self._op = op
        self._arranged = arranged
        self._residual = Residual(op.residual)
        self._source: Arrange | None = None

    def read(self, source: Arrange) -> None:
        """From now on a step takes the stream alone, and looks up what `source` holds."""
        self._source = source

    def apply(self, oks: tuple[Batch, ...], lower: int, upper: int) -> Delta:
        pieces = list(self._pieces(oks))
        errs = [piece.errs for piece in pieces if len(piece.errs)]
        return self.delta(
            concat_batches(self.schema, [piece.oks for piece in pieces]),
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
        columns = None if reading.bound is None else range(len(self._arranged))
        found = probe_runs(reading.runs, self._op.arranged_key, stream.keys, stream.hashes, columns=columns)
        for matches in found:
            if reading.bound is not None:
                matches = _below(matches, reading.bound)
            if len(matches):
                yield self._residual.passing(pair(probed(stream.batch, matches), matches.rows))


def _below(matches: Matches, bound: int) -> Matches:
    """Those whose update is at a time below `bound`."""
    there = matches.rows.times < np.uint64(bound)
    if there.all():
        return matches
    return Matches(matches.probe[there], matches.rows.filter(there))
