"""Answers to look-ups, which are one message of few rows; and those of indexes, of which the rows are at hand."""

from __future__ import annotations

import logging
from collections.abc import Callable

import numpy as np

from ...errors import PtvcError
from ...expr.tree.relation import GlobalId
from ...repr.batch import Batch, to_record
from ...repr.schema import Schema
from ..index import Index, Numbers
from ..protocol import LookedUp, LookUp, LookUpStored, LookUpView

logger = logging.getLogger(__name__)

AT_ONCE = 1_000
"""So many rows that only need to be sent are answered at once: to hand them over would take longer."""

AT_ONCE_BYTES = 1 << 20
"""So many bytes of rows are an answer to look-ups, which is one message."""


def looked_up(asked: LookUp, find: Callable[[GlobalId], Index]) -> LookedUp:
    """The answer, with few rows; with none if anything is in the way, of which `submit_index` will say more."""
    try:
        found = _found(asked, find)
    except (KeyError, PtvcError):
        found = None
    except Exception:  # a defect of ours, which is no reason for the replica to end
        logger.exception("a look-up failed")
        found = None
    return LookedUp(asked.peek_id, None) if found is None else found


def _found(asked: LookUp, find: Callable[[GlobalId], Index]) -> LookedUp | None:
    """`find` is asked for the index before and after, while the step thread may be at work: one that fails lets go of its rows."""
    index = find(asked.index_id)
    keys = index.keys_of(asked.keys)
    rows, numbers = index.lookup_each(keys, asked.as_of, asked.columns)
    if len(index.errors(asked.as_of)) or find(asked.index_id) is not index:
        return None
    return few(asked, index.schema, rows, numbers, AT_ONCE, AT_ONCE_BYTES)


def few(
    asked: LookUp | LookUpStored | LookUpView,
    schema: Schema,
    rows: Batch,
    numbers: Numbers,
    most: int,
    most_bytes: int,
) -> LookedUp | None:
    """The answer of these rows, with the numbers of their keys; None if it would be a larger one."""
    if len(rows) > most or rows.nbytes > most_bytes:
        return None
    if (rows.diffs != 1).any():
        if (rows.diffs < 1).any() or int(rows.diffs.sum()) > most:
            return None
        rows, numbers = rows.take(np.repeat(np.arange(len(rows)), rows.diffs)), np.repeat(numbers, rows.diffs)
    payload = to_record(schema.project(asked.columns), rows.columns)
    count = len(asked.keys[0])
    if count > AT_ONCE:
        return LookedUp(asked.peek_id, payload)
    return LookedUp(asked.peek_id, payload, tuple(np.bincount(numbers, minlength=count).tolist()))
