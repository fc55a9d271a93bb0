"""Joins of two snapshots: every kind of join at one time, without an arrangement.

Pairs are found by a binary search of one side's key hashes in the other's sorted ones, checked by true equality and
by the residual; they stay pairs of positions until the rows of the result are known.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import pyarrow as pa

from ..errors import MemoryLimitExceeded
from ..expr.evaluate import evaluate_predicates
from ..expr.tree.relation import JoinKind
from ..repr.batch import NO_ERRORS, Batch, Delta, Indices, concat_batches
from ..repr.buffers import Words
from ..repr.consolidate import consolidate
from ..repr.equality import rows_equal
from ..repr.multiplicity import product
from ..repr.schema import ERROR_SCHEMA, Schema
from .arrangement import keyed
from .operators.joins.join import padded, padded_left
from .plan import JoinOp

MAX_PAIRS = 100_000_000
"""So many matches of one join are held at once: some GB.  A condition was forgotten, rather."""

PAIRS = 1 << 20
"""With a residual, about so many pairs are formed and checked at a time."""

_NONE: Indices = np.empty(0, np.int64)


def too_many_pairs() -> MemoryLimitExceeded:
    return MemoryLimitExceeded(
        f"a join has more than {MAX_PAIRS} matches",
        hint="Is a condition missing? Otherwise filter or aggregate its inputs first.",
    )


@dataclass(frozen=True, slots=True)
class _Pairs:
    """Positions of rows that match, int64[p] each, and the errors of the residual."""

    left: Indices
    right: Indices
    errs: Batch


def snapshot_join(op: JoinOp, inputs: tuple[Schema, ...], schema: Schema, given: tuple[Delta, ...]) -> Delta:
    """The join of two collections whose updates are all at one time."""
    left, right = (_positive(delta.oks) for delta in given)
    pairs = _matches(op, left, right)
    errs = concat_batches(ERROR_SCHEMA, [given[0].errs, given[1].errs, pairs.errs])
    match op.kind:
        case JoinKind.SEMI | JoinKind.ANTI:
            matched = np.zeros(len(left), np.bool_)
            matched[pairs.left] = True
            return Delta(left.filter(matched if op.kind is JoinKind.SEMI else ~matched), errs)
        case _:
            pieces = [_rows(left, right, pairs)]
    if op.kind in (JoinKind.LEFT, JoinKind.FULL):
        pieces.append(padded(_unmatched(left, pairs.left), inputs[1]))
    if op.kind in (JoinKind.RIGHT, JoinKind.FULL):
        pieces.append(padded_left(inputs[0], _unmatched(right, pairs.right)))
    return Delta(concat_batches(schema, pieces), errs)


def _positive(batch: Batch) -> Batch:
    """Without updates that cancel each other: a row that is there no more matches nothing."""
    return consolidate(batch) if len(batch) and int(batch.diffs.min()) <= 0 else batch


def _unmatched(batch: Batch, matched: Indices) -> Batch:
    rest = np.ones(len(batch), np.bool_)
    rest[matched] = False
    return batch.filter(rest)


def _rows(left: Batch, right: Batch, pairs: _Pairs) -> Batch:
    left_index, right_index = pa.array(pairs.left), pa.array(pairs.right)
    columns = (
        *(column.take(left_index) for column in left.columns),
        *(column.take(right_index) for column in right.columns),
    )
    return Batch(columns, left.times[pairs.left], product(left.diffs[pairs.left], right.diffs[pairs.right]))


def _matches(op: JoinOp, left: Batch, right: Batch) -> _Pairs:
    left_keyed = keyed(left, op.left_key, null_safe=op.null_safe)
    right_keyed = keyed(right, op.right_key, null_safe=op.null_safe)
    if not len(left_keyed) or not len(right_keyed):
        return _Pairs(_NONE, _NONE, NO_ERRORS)
    # The shorter side is sorted and searched: its sorted hashes stay in the processor's caches.
    swap = len(left_keyed) < len(right_keyed)
    probe, table = (right_keyed, left_keyed) if swap else (left_keyed, right_keyed)
    pieces: list[_Pairs] = []
    found = 0
    for probe_rows, table_rows in _candidates(probe.hashes, table.hashes, bool(op.residual)):
        if op.left_key:
            equal = rows_equal(probe.keys, probe_rows, table.keys, table_rows)
            if not equal.all():
                probe_rows, table_rows = probe_rows[equal], table_rows[equal]
        left_rows, right_rows = (table_rows, probe_rows) if swap else (probe_rows, table_rows)
        if left_keyed.kept is not None:
            left_rows = left_keyed.kept[left_rows]
        if right_keyed.kept is not None:
            right_rows = right_keyed.kept[right_rows]
        pairs = _Pairs(left_rows, right_rows, NO_ERRORS)
        found += len(left_rows)
        if found > MAX_PAIRS:
            raise too_many_pairs()
        pieces.append(_passing(op, left, right, pairs) if op.residual else pairs)
    if len(pieces) == 1:
        return pieces[0]
    return _Pairs(
        np.concatenate([piece.left for piece in pieces]),
        np.concatenate([piece.right for piece in pieces]),
        concat_batches(ERROR_SCHEMA, [piece.errs for piece in pieces]),
    )


def _candidates(probe: Words, table: Words, in_pieces: bool) -> Iterator[tuple[Indices, Indices]]:
    """Positions in both of equal hashes, all at once or about PAIRS at a time; at least one piece."""
    order = np.argsort(table, kind="stable")
    hashes = table[order]
    first = hashes.searchsorted(probe, "left")
    counts = hashes.searchsorted(probe, "right") - first
    ends = np.cumsum(counts)
    if len(ends) and ends[-1] > MAX_PAIRS and not in_pieces:
        raise too_many_pairs()
    cuts = [0, len(probe)]
    if in_pieces and ends[-1] > PAIRS:
        inner = ends.searchsorted(np.arange(PAIRS, int(ends[-1]), PAIRS))
        cuts = np.unique(np.concatenate(([0], inner, [len(probe)]))).tolist()
    for start, stop in pairwise(cuts):
        some = counts[start:stop]
        rows = np.repeat(np.arange(start, stop), some)
        shift = first[start:stop] - (np.cumsum(some) - some)
        yield rows, order[np.arange(len(rows)) + np.repeat(shift, some)]


def _passing(op: JoinOp, left: Batch, right: Batch, pairs: _Pairs) -> _Pairs:
    """The pairs on which all of the residual is TRUE, and its errors."""
    rows = _rows(left, right, pairs)
    keep, failed = evaluate_predicates(op.residual, rows.columns, len(rows))
    errs = NO_ERRORS
    if failed is not None and len(failed):
        at = failed.indices
        errs = Batch((failed.sqlstates, failed.messages), rows.times[at], rows.diffs[at])
    return _Pairs(pairs.left[keep], pairs.right[keep], errs)
