"""Map, filter, project in one pass over a batch, without state.

The operator is compiled once to a short list of stages.  Maps that a predicate needs come first, every predicate runs
as soon as its columns exist, all other maps come after the last predicate, and after a stage that drops rows only
columns that a later stage reads are kept.  Of predicates none of which can fail the cheapest comes first, and the next ones look
at the rows that it has left, if those are few.

A row that fails leaves the rows and becomes an update of the errors, at its time and with its diff, so that its
deletion takes the error back.  It has one error only: the first.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from ...expr.chunks import LEAST_ROWS, in_chunks, makes_values
from ...expr.columns.row_errors import RowErrors, error_mask, select_errors
from ...expr.evaluate import can_fail, evaluate, evaluate_predicates
from ...expr.tree.scalar import Literal, Scalar, children, columns_of
from ...repr import buffers
from ...repr.batch import NO_ERRORS, Batch, Delta, Mask, concat_batches, concat_deltas
from ...repr.schema import ERROR_SCHEMA, Schema
from ..plan import Mfp
from .base import Operator


@dataclass(frozen=True, slots=True)
class _Map:
    """Computes `scalar` into column `target`; `needed` are the columns that a later stage reads."""

    scalar: Scalar
    target: int
    needed: frozenset[int]


@dataclass(frozen=True, slots=True)
class _Filter:
    """`in_turn`: none of the predicates can fail, the cheapest is the first."""

    predicates: tuple[Scalar, ...]
    needed: frozenset[int]
    in_turn: bool


_Stage = _Map | _Filter

_FEW = 4
"""Where less than one row of so many is left, those are copied for the predicates that follow."""
_Columns = dict[int, pa.Array]


class MapFilterProject(Operator):
    def __init__(self, op: Mfp, input_schema: Schema, schema: Schema) -> None:
        super().__init__(schema)
        self._width = len(input_schema)
        self._op = op
        self._stages = _stages(op, self._width)
        self._total = self._width + len(op.maps)
        self._makes_values = makes_values((*op.maps, *op.predicates))
        self._filters = sum(isinstance(stage, _Filter) for stage in self._stages)

    def apply(self, oks: tuple[Batch, ...], lower: int, upper: int) -> Delta:
        (batch,) = oks
        if len(batch) < LEAST_ROWS or not self._makes_values:
            return self._applied(batch)
        pieces = in_chunks(
            len(batch),
            lambda start, stop: self._applied(batch.slice(start, stop)),
            lambda rows: self._applied(batch.take(rows)),
        )
        return pieces[0] if len(pieces) == 1 else concat_deltas(self.schema, pieces)

    def _applied(self, batch: Batch) -> Delta:
        columns: _Columns = dict(enumerate(batch.columns))
        rows = batch.select(())
        errs: list[Batch] = []
        for stage in self._stages:
            if isinstance(stage, _Map):
                result = evaluate(stage.scalar, self._dense(columns), len(rows))
                columns[stage.target] = result.values
                errors = result.errors
                if errors is None:
                    continue
                keep = ~error_mask(errors, len(rows))
            elif stage.in_turn:
                keep, errors = self._passing_in_turn(stage.predicates, columns, len(rows)), None
            else:
                keep, errors = evaluate_predicates(stage.predicates, self._dense(columns), len(rows))
                if errors is not None:
                    keep = keep & ~error_mask(errors, len(rows))
                    if self._filters > 1:
                        errors = self._not_false(errors, columns, len(rows))
            if errors is not None:
                errs.append(_error_batch(errors, rows))
            if keep.all():
                continue
            kept = np.flatnonzero(keep)
            if not len(kept):
                return self.delta(self._nothing.oks, concat_batches(ERROR_SCHEMA, errs))
            index = pa.array(kept)
            columns = {i: column.take(index) for i, column in columns.items() if i in stage.needed}
            rows = Batch((), rows.times[kept], rows.diffs[kept])
        output = rows.with_columns([columns[i] for i in self._op.projection])
        return self.delta(output, concat_batches(ERROR_SCHEMA, errs) if errs else NO_ERRORS)

    def _passing_in_turn(self, predicates: Sequence[Scalar], columns: _Columns, length: int) -> Mask:
        """The rows on which every predicate is TRUE."""
        keep, _ = evaluate_predicates(predicates[:1], self._dense(columns), length)
        for number, predicate in enumerate(predicates[1:], 1):
            left = int(np.count_nonzero(keep))
            if left * _FEW < length:
                at = np.flatnonzero(keep)
                index = pa.array(at)
                rest = predicates[number:]
                read = frozenset[int]().union(*map(columns_of, rest))
                taken = {i: columns[i].take(index) for i in read}
                still, _ = evaluate_predicates(rest, self._dense(taken), left)
                keep = np.zeros(length, np.bool_)
                keep[at[still]] = True
                break
            keep &= evaluate_predicates((predicate,), self._dense(columns), length)[0]
        return keep

    def _dense(self, columns: _Columns) -> tuple[pa.Array, ...]:
        """Columns by position; those that no later stage reads may be missing (None)."""
        return tuple(columns.get(i) for i in range(self._total))

    def _not_false(self, errors: RowErrors, columns: _Columns, length: int) -> RowErrors | None:
        """The errors of rows on which no predicate at all is FALSE: the later ones are tried on these rows too."""
        index = pa.array(errors.indices)
        failed: _Columns = {i: column.take(index) for i, column in columns.items()}
        for stage in self._stages:
            if isinstance(stage, _Map) and stage.target not in failed:
                failed[stage.target] = evaluate(stage.scalar, self._dense(failed), len(errors)).values
        _, still = evaluate_predicates(self._op.predicates, self._dense(failed), len(errors))
        wanted = np.zeros(length, np.bool_)
        if still is not None:
            wanted[errors.indices[still.indices]] = True
        return select_errors(errors, wanted)


def _error_batch(errors: RowErrors, rows: Batch) -> Batch:
    at = errors.indices
    return Batch((errors.sqlstates, errors.messages), rows.times[at], rows.diffs[at])


def _stages(op: Mfp, width: int) -> tuple[_Stage, ...]:
    order: list[Scalar | tuple[Scalar, ...]] = []
    targets: dict[int, int] = {}  # position in `order` -> column
    done = set(range(width))

    def compute(column: int) -> None:
        if column in done:
            return
        scalar = op.maps[column - width]
        for needed in sorted(columns_of(scalar)):
            compute(needed)
        targets[len(order)] = column
        order.append(scalar)
        done.add(column)

    waiting = list(op.predicates)
    while waiting:
        ready = tuple(p for p in waiting if columns_of(p) <= done)
        if ready:
            order.append(ready)
            waiting = [p for p in waiting if p not in ready]
        else:
            for needed in sorted(columns_of(waiting[0])):
                compute(needed)
    for column in sorted(set(op.projection)):
        compute(column)
    stages: list[_Stage] = []
    read = set(op.projection)
    for position in range(len(order) - 1, -1, -1):
        step = order[position]
        after = frozenset(read)
        if isinstance(step, tuple):
            stages.append(_filter(step, after))
            for predicate in step:
                read |= columns_of(predicate)
        else:
            stages.append(_Map(step, targets[position], after))
            read |= columns_of(step)
    return tuple(reversed(stages))


def _filter(predicates: tuple[Scalar, ...], needed: frozenset[int]) -> _Filter:
    if len(predicates) < 2 or any(map(can_fail, predicates)):
        return _Filter(predicates, needed, in_turn=False)
    return _Filter(tuple(sorted(predicates, key=_weight)), needed, in_turn=True)


_VARIABLE = 8
"""To look at a value of no fixed width takes about so many times as long as at one that has."""


def _weight(scalar: Scalar) -> int:
    """About how long the expression takes of a row, against others."""
    type_ = scalar.type.arrow
    fixed = isinstance(scalar, Literal) or type_.id in buffers.FIXED or pa.types.is_boolean(type_)
    return (1 if fixed else _VARIABLE) + sum(map(_weight, children(scalar)))
