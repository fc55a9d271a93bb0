"""How a step's inputs are dealt out to the parts of a dataflow, and its outputs come together."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from itertools import chain

import numpy as np
import pyarrow as pa

from ...expr.tree.relation import GlobalId
from ...repr.batch import Batch, Delta, concat_batches
from ...repr.schema import ERROR_SCHEMA, Schema
from ..spark.exchange import pieces, split
from .messages import Done
from .placement import Columns
from .row_format import from_buffer, to_buffer

FEW_ROWS = 1_000
"""So many rows that belong nowhere stay in the first part."""


def dealt_out(
    inputs: Mapping[GlobalId, Delta],
    schemas: Mapping[GlobalId, Schema],
    dealt: Mapping[GlobalId, Columns],
    parts: int,
) -> tuple[dict[GlobalId, Delta], dict[int, dict[GlobalId, pa.Buffer]]]:
    """The share of the first part, and those of the others as they are sent: rows by the columns that `dealt` names, others in equal
    stretches; errors are the first part's."""
    mine: dict[GlobalId, Delta] = {}
    others: dict[int, dict[GlobalId, pa.Buffer]] = {part: {} for part in range(1, parts)}
    for id_, delta in inputs.items():
        columns = dealt.get(id_)
        found = split(delta.oks, columns, parts, 0) if columns else _stretches(delta.oks, parts)
        mine[id_] = Delta(delta.oks.slice(0, 0), delta.errs)
        for part, rows in found:
            if part == 0:
                mine[id_] = Delta(rows, delta.errs)
            else:
                others[part][id_] = to_buffer(schemas[id_], rows)
    return mine, others


def _stretches(rows: Batch, parts: int) -> Iterable[tuple[int, Batch]]:
    if len(rows) < FEW_ROWS:
        return [(0, rows)]
    return pieces(rows, np.arange(len(rows)) * parts // len(rows), parts)


def together(schema: Schema, mine: Delta, done: Collection[Done]) -> Delta:
    """What has come out in all parts: here, and in those that are done."""
    rows = (from_buffer(schema, member.rows) for member in done if member.rows is not None)
    errors = [from_buffer(ERROR_SCHEMA, member.errors) for member in done if member.errors is not None]
    return Delta(
        concat_batches(schema, list(chain((mine.oks,), rows))),
        concat_batches(ERROR_SCHEMA, [mine.errs, *errors]) if errors else mine.errs,
    )
