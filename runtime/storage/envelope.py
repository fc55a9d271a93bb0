"""Envelopes: what a record does to the collection.

| envelope | a record                                                                                       |
|----------|------------------------------------------------------------------------------------------------|
| NONE     | is a row                                                                                       |
| UPSERT   | is the new row of its key; without its value columns it deletes the key's row                  |

A record in error is an update of `errs`.  With keys, an error whose key could be read takes the place of the key's
row, and goes when the key's next good record (or deletion) arrives; any other error stays.

Protocol: `apply` returns the changes of a chunk and keeps them aside; `commit` or `rollback` settles them.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import ClassVar, Protocol

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ..errors import InvalidParameter
from ..repr.batch import Batch, Indices, Mask
from ..repr.consolidate import group_rows
from ..repr.equality import rows_equal
from ..repr.hash import hash_columns
from ..repr.schema import Schema
from .changes import NO_ERROR_CHANGES, Changes, no_changes
from .decode import WHOLE_RECORD, Decoded, RecordErrors
from .upsert.block import Columns, Hashes, take
from .upsert.error_rows import error_rows, is_error_row, read_error_rows, read_former
from .upsert.keyed_rows import KeyedRows
from .upsert.restore import restored
from .upsert.scratch import Scratch


class EnvelopeKind(enum.Enum):
    NONE = "none"
    UPSERT = "upsert"


class Envelope(Protocol):
    by_key: ClassVar[bool]
    """Whether a record that is not `present` deletes the row of its key."""

    def apply(self, decoded: Decoded) -> tuple[Changes, Changes]:
        """The changes of rows and of errors that the records make; one chunk at a time.

        Raises DiskFull when there is no room for the state; then it is as it was, and the same may be applied again.
        """

    def commit(self) -> None:
        """The changes of the last `apply` are durable."""

    def rollback(self) -> None:
        """They are not, and will never be: the state is as it was before."""

    def keyed_errors(self) -> Changes | None:
        """What the last `apply` changes of what a restart needs besides the source's rows: texts, to be recorded in the
        transaction that commits it."""


class AppendEnvelope:
    """ENVELOPE NONE: every good record is a row, every bad one an error.  It has no state."""

    by_key: ClassVar[bool] = False

    def __init__(self, schema: Schema) -> None:
        self._schema = schema

    def apply(self, decoded: Decoded) -> tuple[Changes, Changes]:
        if not len(decoded.errors):
            return Changes(decoded.columns, np.ones(len(decoded), np.int64)), NO_ERROR_CHANGES
        bad, first = np.unique(decoded.errors.rows, return_index=True)
        good = np.ones(len(decoded), np.bool_)
        good[bad] = False
        rows = pa.array(np.flatnonzero(good))
        oks = Changes(tuple(column.take(rows) for column in decoded.columns), np.ones(len(rows), np.int64))
        return oks, _new_errors(decoded.errors, first)

    def commit(self) -> None:
        """Nothing to settle."""

    def rollback(self) -> None:
        """Nothing to settle."""

    def keyed_errors(self) -> Changes | None:
        return None


@dataclass(frozen=True, slots=True)
class _Pending:
    entries: Columns
    hashes: Hashes
    keyed_errors: Changes | None


class UpsertEnvelope:
    """ENVELOPE UPSERT over `schema` with the key columns `key`.

    State: per key an entry, which is its row or its error: the columns of the schema, then the error's SQLSTATE and
    message (NULL for a row), and whether the key is gone.  It is rebuilt from the source's own output by `restore`.
    """

    by_key: ClassVar[bool] = True

    def __init__(self, schema: Schema, key: Sequence[int], scratch: Scratch | None = None) -> None:
        if not key:
            raise InvalidParameter("ENVELOPE UPSERT needs a key", hint="Name its columns: KEY (a, b).")
        self._schema = schema
        self._key = tuple(key)
        self._key_types = [schema[i].type for i in self._key]
        self._scratch = scratch or Scratch()
        self._types = [*(column.type.arrow for column in schema), pa.string(), pa.string(), pa.bool_()]
        self._rows = KeyedRows(self._types, self._key, self._scratch)
        self._unrecorded: pa.Array | None = None
        self._pending: _Pending | None = None

    @property
    def state(self) -> KeyedRows:
        return self._rows

    def restore(
        self, rows: Iterable[Batch], recorded: Iterable[Batch] = (), former: str | None = None
    ) -> None:
        """The state of which the source's rows are the sum of `rows`, and the keyed errors that of `recorded` (updates
        of texts, positions among them), and what an earlier version has left in a position.

        Updates come in any order; they are read one batch at a time.  Raises StorageError if they are no upsert source's.
        """
        assert self._rows.runs == 0, "restore comes first"
        entries = chain(map(self._row_entries, rows), map(self._recorded_entries, recorded))
        if former is not None:
            columns = self._error_entries(*read_former(former, self._key_types))
            self._unrecorded = self._error_texts(columns)
            entries = chain(entries, [(*columns, pa.array(np.ones(len(columns[0]), np.int64)))])
        self._rows.load(restored(entries, self._types, self._key, self._scratch))

    def apply(self, decoded: Decoded) -> tuple[Changes, Changes]:
        assert self._pending is None, "commit or rollback comes first"
        self._rows.maintain()
        keyless, lost = self._without_key(decoded.errors)
        usable = np.ones(len(decoded), np.bool_)
        usable[keyless] = False
        first_error = np.full(len(decoded), -1, np.int64)
        bad, first = np.unique(decoded.errors.rows, return_index=True)
        first_error[bad] = first
        records = np.flatnonzero(usable)
        if not len(records):
            return no_changes(self._schema), _new_errors(decoded.errors, lost)
        records, hashes = self._last_of_each_key(decoded, records)
        new = self._entries(decoded, records, first_error[records])
        return self._compare(new, hashes, decoded.present[records], _new_errors(decoded.errors, lost))

    def commit(self) -> None:
        pending, self._pending = self._pending, None
        self._unrecorded = None
        if pending is not None:
            self._rows.add(pending.entries, pending.hashes)

    def rollback(self) -> None:
        self._pending = None

    def keyed_errors(self) -> Changes | None:
        changes = None if self._pending is None else self._pending.keyed_errors
        if self._unrecorded is None:
            return changes
        former = Changes((self._unrecorded,), np.ones(len(self._unrecorded), np.int64))
        return former if changes is None else _added(former, changes)

    def _row_entries(self, rows: Batch) -> Columns:
        none = pa.nulls(len(rows), pa.string())
        return (*rows.columns, none, none, pa.array(rows.diffs))

    def _recorded_entries(self, recorded: Batch) -> Columns:
        (texts,) = recorded.columns
        chosen = np.flatnonzero(is_error_row(texts).to_numpy(zero_copy_only=False))
        columns = self._error_entries(*read_error_rows(texts.take(pa.array(chosen)), self._key_types))
        return (*columns, pa.array(recorded.diffs[chosen]))

    def _error_entries(self, keys: Columns, sqlstates: pa.Array, messages: pa.Array) -> Columns:
        """Entries of errors, but for the last column."""
        columns = [pa.nulls(len(sqlstates), column.type.arrow) for column in self._schema]
        for position, key in zip(self._key, keys, strict=True):
            columns[position] = key
        return (*columns, sqlstates, messages)

    def _error_texts(self, entries: Columns) -> pa.Array:
        """How the errors among the entries are recorded."""
        width = len(self._schema)
        bad = entries[width].is_valid()
        keys = tuple(entries[i].filter(bad) for i in self._key)
        return error_rows(
            keys, self._key_types, *(column.filter(bad) for column in entries[width : width + 2])
        )

    def _without_key(self, errors: RecordErrors) -> tuple[Indices, Indices]:
        """Records whose key cannot be read, and for each the first error that says so."""
        about_key = np.isin(errors.columns, (WHOLE_RECORD, *self._key))
        positions = np.flatnonzero(about_key)
        rows, first = np.unique(errors.rows[positions], return_index=True)
        return rows, positions[first]

    def _last_of_each_key(self, decoded: Decoded, records: Indices) -> tuple[Indices, Hashes]:
        """Of `records`, the last one of each key, in the order of the file, and the hashes of their keys."""
        index = pa.array(records)
        keys = [decoded.columns[position].take(index) for position in self._key]
        hashes = hash_columns(keys, len(records))
        groups = group_rows(keys, hashes)
        last = groups.order[np.append(groups.starts[1:], len(groups.order)) - 1]
        last.sort()
        return records[last], hashes[last]

    def _entries(self, decoded: Decoded, records: Indices, errors: Indices) -> tuple[pa.Array, ...]:
        """State entries of `records`; `errors` has the error that takes the row's place, or -1."""
        columns = list(_chosen(decoded.columns, records))
        if (errors < 0).all():
            return (*columns, *(pa.nulls(len(records), pa.string()) for _ in range(2)))
        chosen = pa.array(errors, mask=errors < 0)
        good = pa.array(errors < 0)
        for position, column in enumerate(columns):
            if position not in self._key:
                columns[position] = pc.if_else(good, column, pa.scalar(None, column.type))
        return (*columns, decoded.errors.sqlstates.take(chosen), decoded.errors.messages.take(chosen))

    def _compare(self, new: Columns, hashes: Hashes, present: Mask, lost: Changes) -> tuple[Changes, Changes]:
        """The changes from the state to the entries `new` (one per key), where not `present` to nothing."""
        found = self._rows.look_up(tuple(new[index] for index in self._key), hashes)
        probes, old = found.probes, found.rows.columns[:-1]
        changed = present.copy()
        same = rows_equal(new, probes, old, np.arange(len(probes)), exact=True) & present[probes]
        changed[probes] = ~same
        gone, come = np.flatnonzero(~same), np.flatnonzero(changed & present)
        removed, added = _chosen(old, gone), _chosen(new, come)
        every = np.flatnonzero(changed)
        entries = added if len(every) == len(come) else _chosen(new, every)
        self._pending = _Pending(
            (*entries, pa.array(~present[every])), hashes[every], self._changed_errors(removed, added)
        )
        return self._split(removed, added, lost)

    def _changed_errors(self, removed: Columns, added: Columns) -> Changes | None:
        texts = [self._error_texts(removed), self._error_texts(added)]
        if not any(map(len, texts)):
            return None
        return Changes((pa.concat_arrays(texts),), np.repeat([-1, 1], [len(text) for text in texts]))

    def _split(self, removed: Columns, added: Columns, lost: Changes) -> tuple[Changes, Changes]:
        width = len(self._schema)
        entries = tuple(pa.concat_arrays([a, b]) for a, b in zip(removed, added, strict=True))
        diffs = np.concatenate([np.full(len(removed[0]), -1, np.int64), np.ones(len(added[0]), np.int64)])
        if entries[width].null_count == len(diffs):
            return Changes(entries[:width], diffs), lost
        is_row = entries[width].is_null()
        is_error = pc.invert(is_row)
        row_mask = is_row.to_numpy(zero_copy_only=False)
        oks = Changes(tuple(column.filter(is_row) for column in entries[:width]), diffs[row_mask])
        errs = Changes(
            tuple(
                pa.concat_arrays([column.filter(is_error), other])
                for column, other in zip(entries[width:], lost.columns, strict=True)
            ),
            np.concatenate([diffs[~row_mask], lost.diffs]),
        )
        return oks, errs


def _chosen(columns: Columns, rows: Indices) -> Columns:
    """The rows, which are ascending, of columns; the columns themselves where these are all."""
    return columns if len(rows) == len(columns[0]) else take(columns, rows)


def _new_errors(errors: RecordErrors, positions: Indices) -> Changes:
    if not len(positions):
        return NO_ERROR_CHANGES
    index = pa.array(positions)
    return Changes(
        (errors.sqlstates.take(index), errors.messages.take(index)), np.ones(len(positions), np.int64)
    )


def _added(one: Changes, other: Changes) -> Changes:
    columns = zip(one.columns, other.columns, strict=True)
    return Changes(
        tuple(pa.concat_arrays(pair) for pair in columns), np.concatenate([one.diffs, other.diffs])
    )
