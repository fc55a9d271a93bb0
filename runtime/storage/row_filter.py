"""WHERE of a source: which of its rows it keeps.

```
records ── decode ── WHERE ── envelope ── output          FILE, KAFKA
changes ──────────── WHERE ───────────── output           LOAD GENERATOR, POSTGRES
```

What is stored is what a view with the same WHERE would show over the source without.

- A change of a row that does not pass is left out, whatever its sign; so a row that is taken away was there.
- A record by key that does not pass deletes the row of its key: the state of the envelope has only what is kept.
- A row on which the condition fails is an error in place of the row, with the row's sign: it goes when the row goes.
- A record that could not be read is in error whatever WHERE says.  A delete marker has no row that could be asked.

The condition is a function of the row alone, so how a source was cut into transactions does not show.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa

from ..expr.columns.row_errors import error_mask, select_errors
from ..expr.evaluate import evaluate_predicates
from ..expr.tree.codec import scalar_from_json, scalar_to_json
from ..expr.tree.scalar import Scalar, remap
from ..repr.batch import Indices, Mask
from .changes import NO_ERROR_CHANGES, Changes
from .dead_letters import Raw, with_label
from .decode import PREDICATE, Decoded, RecordErrors

_LABEL = "WHERE: "
"""What messages of rows begin with on which the condition fails."""


@dataclass(frozen=True, slots=True)
class RowFilter:
    """A row is kept where `predicate`, over the columns of the source, is true; `text` is how it was written."""

    predicate: Scalar
    text: str

    def over(self, places: Sequence[int]) -> RowFilter:
        """Over those columns of the source, which are in ascending order."""
        return replace(self, predicate=remap(self.predicate, places.index))

    def to_json(self) -> dict[str, Any]:
        return {"predicate": scalar_to_json(self.predicate), "text": self.text}

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> RowFilter:
        return cls(scalar_from_json(value["predicate"]), value["text"])


def where_from_json(value: Mapping[str, Any] | None) -> RowFilter | None:
    return None if value is None else RowFilter.from_json(value)


@dataclass(frozen=True, slots=True)
class KeptChanges:
    """Of changes of rows: those that are kept, those of errors of the condition, and how many were left out."""

    oks: Changes
    errs: Changes
    left_out: int


@dataclass(frozen=True, slots=True)
class KeptRecords:
    """Of records: those that an envelope is to have, and how many were left out."""

    records: Decoded
    left_out: int


def kept_changes(where: RowFilter, changes: Changes) -> KeptChanges:
    keep, failed = evaluate_predicates([where.predicate], changes.columns, len(changes))
    if keep.all():
        return KeptChanges(changes, NO_ERROR_CHANGES, 0)
    mask = pa.array(keep)
    oks = Changes(tuple(column.filter(mask) for column in changes.columns), changes.diffs[keep])
    errs = NO_ERROR_CHANGES
    if failed is not None:
        messages = with_label(_LABEL, failed.messages)
        errs = Changes((failed.sqlstates, messages), changes.diffs[failed.indices])
    return KeptChanges(oks, errs, len(changes) - len(oks) - len(errs))


def kept_records(where: RowFilter, decoded: Decoded, *, by_key: bool) -> KeptRecords:
    """`by_key`: what is left out deletes the row of its key, and a record that is not `present` does that anyway."""
    decoded, keep = judged_records(where, decoded, by_key=by_key)
    left_out = len(keep) - int(keep.sum())
    if not left_out:
        return KeptRecords(decoded, 0)
    if by_key:
        return KeptRecords(replace(decoded, present=decoded.present & keep), left_out)
    return KeptRecords(taken(decoded, np.flatnonzero(keep)), left_out)


def judged_records(where: RowFilter, decoded: Decoded, *, by_key: bool) -> tuple[Decoded, Mask]:
    """The records with the errors of the condition, and which of them are kept: those in error are, and delete markers."""
    asked = decoded.present.copy() if by_key else np.ones(len(decoded), np.bool_)
    asked[decoded.errors.rows] = False
    keep, failed = evaluate_predicates([where.predicate], decoded.columns, len(decoded))
    keep = keep | ~asked
    failed = select_errors(failed, asked)
    if failed is not None:
        keep |= error_mask(failed, len(decoded))
        errors = _more(decoded.errors, failed.indices, failed.sqlstates, failed.messages)
        decoded = replace(decoded, errors=errors)
    return decoded, keep


def _more(errors: RecordErrors, rows: Indices, sqlstates: pa.Array, messages: pa.Array) -> RecordErrors:
    """With those of the condition, of records that have no other."""
    return RecordErrors(
        np.concatenate([errors.rows, rows]),
        np.concatenate([errors.columns, np.full(len(rows), PREDICATE, np.int64)]),
        pa.concat_arrays([errors.sqlstates, sqlstates]),
        pa.concat_arrays([errors.messages, with_label(_LABEL, messages)]),
    )


def taken(decoded: Decoded, rows: Indices) -> Decoded:
    """Some of the records, which are ascending; all that are in error are among them."""
    index = pa.array(rows)
    errors = replace(decoded.errors, rows=np.searchsorted(rows, decoded.errors.rows))
    return Decoded(
        tuple(column.take(index) for column in decoded.columns),
        decoded.lines[rows],
        decoded.present[rows],
        errors,
        None if decoded.raw is None else partial(_raw, decoded.raw, rows),
    )


def _raw(raw: Raw, rows: Indices, chosen: Indices) -> tuple[pa.Array, ...]:
    return raw(rows[chosen])
