"""How a step's inputs are dealt out to the parts of a dataflow."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ...expr.tree.relation import GlobalId
from ...repr.batch import NO_ERRORS, Batch, Delta
from ..spark.exchange import pieces, split
from .placement import Columns

FEW_ROWS = 1_000
"""So many rows that belong nowhere stay in the first part."""


def dealt_out(
    inputs: Mapping[GlobalId, Delta], dealt: Mapping[GlobalId, Columns], parts: int
) -> list[dict[GlobalId, Delta]]:
    """The share of each part: rows by the columns that `dealt` names, others in equal stretches; errors are the first one's."""
    shares: list[dict[GlobalId, Delta]] = [{} for _ in range(parts)]
    for id_, delta in inputs.items():
        columns = dealt.get(id_)
        found = split(delta.oks, columns, parts, 0) if columns else _stretches(delta.oks, parts)
        for part, rows in found:
            shares[part][id_] = Delta(rows, NO_ERRORS)
        if len(delta.errs):
            mine = shares[0].get(id_)
            shares[0][id_] = Delta(delta.oks.slice(0, 0) if mine is None else mine.oks, delta.errs)
    return shares


def _stretches(rows: Batch, parts: int) -> list[tuple[int, Batch]]:
    if len(rows) < FEW_ROWS:
        return [(0, rows)]
    return list(pieces(rows, np.arange(len(rows)) * parts // len(rows), parts))
