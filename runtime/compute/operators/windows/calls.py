"""All calls of a window over a layout: each call by its kind, frames computed once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import pyarrow as pa

from ....expr.columns.row_errors import RowErrors, merge_errors
from ....expr.tree.windows import FRAMED, OFFSET, RANKING, Frame
from ....repr.schema import Schema
from ...plan import WindowOp
from .aggregates import aggregate
from .frames import Frames, frames
from .functions import framed, offset, ranking
from .layout import Layout


@dataclass(frozen=True, slots=True)
class Values:
    """A column per call, at every position of a layout; positions with an error have no row."""

    columns: tuple[pa.Array, ...]
    errors: RowErrors | None


def evaluate(op: WindowOp, lay: Layout, schema: Schema, carried: Mapping[int, slice]) -> Values:
    """Every call of `op` at every position; `carried` are the rows of the layout's sums by call."""
    columns: list[pa.Array] = []
    errors: list[RowErrors | None] = []
    known: dict[str, Frames] = {}

    def frames_of(frame: Frame) -> Frames:
        name = repr(frame)
        if name not in known:
            known[name] = frames(frame, lay, op.order, schema.types)
            errors.append(known[name].errors)
        return known[name]

    for i, call in enumerate(op.calls):
        if call.function in RANKING:
            result = ranking(call, lay)
        elif call.function in OFFSET:
            result = offset(call, lay)
        elif call.function in FRAMED:
            result = framed(call, lay, frames_of(call.frame))
        else:
            before = lay.sums_before[carried[i]] if i in carried else None
            result = aggregate(call, lay, frames_of(call.frame), schema.types, before)
        columns.append(result.values)
        errors.append(result.errors)
    return Values(tuple(columns), merge_errors(errors))
