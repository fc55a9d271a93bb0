"""How rows of a step's inputs are dealt out to the parts of a dataflow, and its outputs come together."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from itertools import chain

import numpy as np

from ...repr.batch import Batch, Delta, concat_batches
from ...repr.schema import ERROR_SCHEMA
from ..spark.exchange import pieces, split
from .messages import Done
from .part import Part
from .row_format import Crossing, from_buffer, to_buffer

GATHER_ROWS = 10_000
"""In a step of so many rows, equal rows of an output that lies by nothing are brought together, so that each worker writes its own."""

FEW_ROWS = 1_000
"""So many rows that belong nowhere stay in the first part."""


def dealt_out(
    inputs: Mapping[int, Delta], part: Part, parts: int
) -> tuple[dict[int, Delta], dict[int, dict[int, Crossing]]]:
    """The share of the first part, and those of the others as they are sent, all by the import's position: rows by the columns that
    the `part` says, to all if they are broadcast, others in equal stretches; errors are the first part's."""
    mine: dict[int, Delta] = {}
    others: dict[int, dict[int, Crossing]] = {part: {} for part in range(1, parts)}
    for at, delta in inputs.items():
        by = part.dealt[at]
        found = split(delta.oks, by, parts, 0) if by else _stretches(delta.oks, parts)
        mine[at] = Delta(delta.oks.slice(0, 0), delta.errs)
        for other, rows in found:
            if other == 0:
                mine[at] = Delta(rows, delta.errs)
            else:
                others[other][at] = to_buffer(part.import_schemas[at], rows)
    return mine, others


def _stretches(rows: Batch, parts: int) -> Iterable[tuple[int, Batch]]:
    if len(rows) < FEW_ROWS:
        return [(0, rows)]
    return pieces(rows, np.arange(len(rows)) * parts // len(rows), parts)


def together(part: Part, mine: Delta, done: Collection[Done]) -> Delta:
    """What has come out in all parts, and is not written yet: here, in the first `part`, and in those that are done."""
    schema = part.output_schema
    rows = (part.received(schema, member.rows) for member in done if member.rows is not None)
    errors = [from_buffer(ERROR_SCHEMA, member.errors) for member in done if member.errors is not None]
    return Delta(
        concat_batches(schema, list(chain((mine.oks,), rows))),
        concat_batches(ERROR_SCHEMA, [mine.errs, *errors]) if errors else mine.errs,
    )
