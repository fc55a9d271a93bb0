"""Join: pairs of rows that agree on their keys.

    d(A.B) = dA.B_old + A_new.dB,   each pair at the later of its two times, its diff the product of both

Both inputs are arranged by their keys; a step searches one side with the other's delta, so its cost is that of the
delta and its matches.  Keys that change at many times of one step are joined time by time (`versions`), and what a step
leaves of them is added up: else their updates would all meet, and mostly cancel.  `MatchedPairs` is the algebra alone, which the other kinds of join share.

An arrangement has an updated row as three updates until its runs are merged: what came, its end, and what came instead.  A join of
it finds each, and the next join, which holds what that finds, each of these three times: ten joins side by side, over tables that
change together, would make 3^10 updates of one, nearly all of which come to nothing.  So what may cancel is added up (`added_up`)
before it is put out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import pyarrow as pa

from ....expr.evaluate import evaluate_predicates
from ....expr.tree.scalar import Scalar
from ....interrupt import check_interrupt
from ....memory import check_step_memory
from ....repr.batch import NO_ERRORS, Batch, Delta, concat_batches
from ....repr.buffers import Words
from ....repr.consolidate import consolidate
from ....repr.multiplicity import product
from ....repr.schema import ERROR_SCHEMA, Schema
from ...arrangement import Arrangement, Keyed, keyed
from ...spine import Matches, Spine, probe_runs, run_of
from ..base import Operator
from .versions import busy_keys, busy_part, held_rows, standing, versions


class Residual:
    """Predicates over pairs: those on which not all are TRUE are dropped, and what fails is an error."""

    def __init__(self, predicates: Sequence[Scalar]) -> None:
        self._predicates = tuple(predicates)

    def __bool__(self) -> bool:
        return bool(self._predicates)

    def passing(self, pairs: Batch) -> Delta:
        """Pairs that pass.  Done per piece, so that few are held that will not, and that a join of too many ends."""
        check_interrupt()
        check_step_memory(len(pairs))
        if not self._predicates:
            return Delta(pairs, NO_ERRORS)
        keep, failed = evaluate_predicates(self._predicates, pairs.columns, len(pairs))
        errs = NO_ERRORS
        if failed is not None and len(failed):
            errs = Batch(
                (failed.sqlstates, failed.messages), pairs.times[failed.indices], pairs.diffs[failed.indices]
            )
        return Delta(pairs.filter(keep), errs)


class MatchedPairs:
    """The inner join of two collections and the two arrangements that it needs.

    `left_key[i]` and `right_key[i]` are positions of columns of one type; without keys every pair matches.
    Without `null_safe`, NULL equals nothing.  `residual` is over the left columns followed by the right ones; pairs
    on which not all of it is TRUE are dropped.
    """

    def __init__(
        self,
        left: Schema,
        right: Schema,
        left_key: tuple[int, ...],
        right_key: tuple[int, ...],
        residual: Sequence[Scalar] = (),
        null_safe: bool = False,
    ) -> None:
        self.schema = Schema(left.columns + right.columns)
        self.left = Arrangement(left, left_key)
        self.right = Arrangement(right, right_key)
        self._residual = Residual(residual)
        self._null_safe = null_safe
        self._cancel = False  # whether updates of this step's pairs may come to nothing together

    def spines(self) -> dict[str, Spine]:
        return {"left": self.left.spine, "right": self.right.spine}

    def keyed(self, left: Batch, right: Batch) -> tuple[Keyed, Keyed]:
        """The two deltas of a step, prepared."""
        return (
            keyed(left, self.left.spine.key, null_safe=self._null_safe, ordered=True),
            keyed(right, self.right.spine.key, null_safe=self._null_safe, ordered=True),
        )

    def update(self, left: Keyed, right: Keyed, upper: int) -> Delta:
        """Takes in the updates of a step up to `upper`, and returns those of the pairs, with the errors of the residual."""
        self._cancel = len(left) > 0 and len(right) > 0
        pieces = list(self._pairs(left, right, upper))
        oks = concat_batches(self.schema, [piece.oks for piece in pieces])
        return Delta(
            added_up(oks) if self._cancel else oks,
            concat_batches(ERROR_SCHEMA, [piece.errs for piece in pieces]) if self._residual else NO_ERRORS,
        )

    def _pairs(self, left: Keyed, right: Keyed, upper: int) -> Iterator[Delta]:
        lefts, rights = left, right
        if (busy := busy_keys(left, right, upper)) is not None:
            (of_left, rest), (of_right, other) = busy_part(left, busy), busy_part(right, busy)
            yield from self._busy_pairs(left.take(of_left), right.take(of_right), busy)
            lefts, rights = left.take(rest), right.take(other)
        for matches in self.right.matches(lefts):
            self._cancel = self._cancel or has_ends(matches.rows)
            yield self._residual.passing(pair(probed(lefts.batch, matches), matches.rows))
        settled = self.left.settled(left, upper)
        if settled is None:
            self.left.insert(left)
            found = self.left.matches(rights)
        else:
            runs = self.left.spine.handle()
            if len(lefts):
                runs = (*runs, run_of(lefts.batch, lefts.hashes))
            self.left.insert(settled)
            found = probe_runs(runs, self.left.spine.key, rights.keys, rights.hashes)
        for matches in found:
            self._cancel = self._cancel or has_ends(matches.rows)
            yield self._residual.passing(pair(matches.rows, probed(rights.batch, matches)))
        self.right.insert_settled(right, upper)

    def _busy_pairs(self, left: Keyed, right: Keyed, busy: Words) -> Iterator[Delta]:
        """The pairs of keys with hashes in `busy`, before anything is inserted."""
        spine, times = self.right.spine, np.unique(left.batch.times)
        held = held_rows(spine.handle(), busy)
        rights = versions(spine.schema, held, right, busy, times, after=False)
        for matches in standing(left, busy, rights, spine.key):
            yield self._residual.passing(pair(left.batch.take(matches.probe), matches.rows))
        spine, times = self.left.spine, np.unique(right.batch.times)
        held = held_rows(spine.handle(), busy)
        lefts = versions(spine.schema, held, left, busy, times, after=True)
        for matches in standing(right, busy, lefts, spine.key):
            yield self._residual.passing(pair(matches.rows, right.batch.take(matches.probe)))


def has_ends(held: Batch) -> bool:
    """Whether there are ends of rows among updates that are held."""
    return bool((held.diffs < 0).any())


def added_up(updates: Batch) -> Batch:
    """Consolidated, if any of them can cancel."""
    if len(updates) < 2 or not has_ends(updates) or (updates.diffs < 0).all():
        return updates
    return consolidate(updates)


def probed(batch: Batch, matches: Matches) -> Batch:
    """The probing side of each match."""
    probe = matches.probe
    if len(probe) == len(batch) and (probe == np.arange(len(probe))).all():
        return batch  # exactly one match per row, in order: common, and a copy of all columns is saved
    return batch.take(probe)


def pair(left: Batch, right: Batch) -> Batch:
    """Rows side by side, each at the later of its two times."""
    return Batch(
        left.columns + right.columns, np.maximum(left.times, right.times), product(left.diffs, right.diffs)
    )


def padded(left: Batch, right: Schema) -> Batch:
    """Rows of the left side with NULLs for the columns of the right one."""
    return left.with_columns(left.columns + _nulls(right, len(left)))


def padded_left(left: Schema, right: Batch) -> Batch:
    """Rows of the right side with NULLs for the columns of the left one."""
    return right.with_columns(_nulls(left, len(right)) + right.columns)


def _nulls(schema: Schema, length: int) -> tuple[pa.Array, ...]:
    return tuple(pa.nulls(length, column.type.arrow) for column in schema)


class Join(Operator):
    """The inner join: left columns, then right columns.  Arguments as of `MatchedPairs`."""

    def __init__(
        self,
        left: Schema,
        right: Schema,
        left_key: tuple[int, ...],
        right_key: tuple[int, ...],
        residual: Sequence[Scalar] = (),
        null_safe: bool = False,
    ) -> None:
        self._pairs = MatchedPairs(left, right, left_key, right_key, residual, null_safe)
        super().__init__(self._pairs.schema)

    def spines(self) -> dict[str, Spine]:
        return self._pairs.spines()

    def apply(self, oks: tuple[Batch, ...], lower: int, upper: int) -> Delta:
        return self._pairs.update(*self._pairs.keyed(*oks), upper)
