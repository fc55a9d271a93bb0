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

import base64
import enum
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ..errors import InvalidParameter, StorageError
from ..repr.batch import Batch, Indices, Mask
from ..repr.consolidate import group_rows
from ..repr.equality import rows_equal
from ..repr.hash import hash_columns
from ..repr.schema import Schema
from .changes import NO_ERROR_CHANGES, Changes, no_changes
from .decode import WHOLE_RECORD, Decoded, RecordErrors
from .keyed_rows import NOT_FOUND, Hashes, KeyedRows, Places

MAX_KEYED_ERRORS = 256
"""Errors that are remembered by key.  They travel with the position, which is recorded at every commit; an error
beyond this number leaves the key's row alone and stays, as if its key could not be read."""


class EnvelopeKind(enum.Enum):
    NONE = "none"
    UPSERT = "upsert"


class Envelope(Protocol):
    def apply(self, decoded: Decoded) -> tuple[Changes, Changes]:
        """The changes of rows and of errors that the records make; one chunk at a time."""

    def commit(self) -> None:
        """The changes of the last `apply` are durable."""

    def rollback(self) -> None:
        """They are not, and will never be: the state is as it was before."""

    def keyed_errors(self) -> str | None:
        """What a restart needs besides the source's rows, once the last `apply` is committed."""


class AppendEnvelope:
    """ENVELOPE NONE: every good record is a row, every bad one an error.  It has no state."""

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

    def keyed_errors(self) -> str | None:
        return None


@dataclass(frozen=True, slots=True)
class _Pending:
    dead: Places
    columns: tuple[pa.Array, ...]
    hashes: Hashes
    errors: pa.Table


class UpsertEnvelope:
    """ENVELOPE UPSERT over `schema` with the key columns `key`.

    State: per key its row, or its error; in columns, those of the schema, then the error's SQLSTATE and message
    (NULL for a row).  It is rebuilt from the source's own output by `restore`.
    """

    def __init__(self, schema: Schema, key: Sequence[int]) -> None:
        if not key:
            raise InvalidParameter("ENVELOPE UPSERT needs a key", hint="Name its columns: KEY (a, b).")
        self._schema = schema
        self._key = tuple(key)
        self._rows = KeyedRows(key)
        fields = [pa.field(f"c{i}", schema[i].type.arrow) for i in self._key]
        self._error_schema = pa.schema([*fields, ("sqlstate", pa.string()), ("message", pa.string())])
        self._errors = self._error_schema.empty_table()
        self._pending: _Pending | None = None

    def restore(self, rows: Batch, keyed_errors: str | None) -> None:
        """The state that made `rows` (a snapshot of the source's rows) and `keyed_errors` (as it once returned)."""
        assert len(self._rows) == 0, "restore comes first"
        if (rows.diffs != 1).any():
            raise StorageError("the output of an upsert source holds a row more than once, or less than once")
        parts = [(*rows.columns, *(pa.nulls(len(rows), pa.string()) for _ in range(2)))]
        if keyed_errors is not None:
            self._errors = _decode_errors(keyed_errors)
            columns = [pa.nulls(len(self._errors), column.type.arrow) for column in self._schema]
            for position, name in zip(self._key, self._errors.column_names, strict=False):
                columns[position] = self._errors.column(name).combine_chunks()
            parts.append(
                (*columns, *(self._errors.column(n).combine_chunks() for n in ("sqlstate", "message")))
            )
        merged = tuple(pa.concat_arrays(list(column)) for column in zip(*parts, strict=True))
        keys = [merged[index] for index in self._key]
        hashes = hash_columns(keys, len(merged[0]))
        if len(hashes) and len(group_rows(keys, hashes).starts) != len(hashes):
            raise StorageError("the output of an upsert source holds two rows with one key")
        self._rows.replace(_no_places(), merged, hashes)

    def apply(self, decoded: Decoded) -> tuple[Changes, Changes]:
        assert self._pending is None, "commit or rollback comes first"
        keyless, lost = self._without_key(decoded.errors)
        usable = np.ones(len(decoded), np.bool_)
        usable[keyless] = False
        first_error = np.full(len(decoded), -1, np.int64)
        bad, first = np.unique(decoded.errors.rows, return_index=True)
        first_error[bad] = first
        first_error[keyless] = -1
        excess = self._over_limit(first_error)
        usable[excess] = False
        lost = np.sort(np.concatenate([lost, first_error[excess]]))
        first_error[excess] = -1
        records = np.flatnonzero(usable)
        if not len(records):
            self._pending = _Pending(_no_places(), (), np.empty(0, np.uint64), self._errors)
            return no_changes(self._schema), _new_errors(decoded.errors, lost)
        records, hashes = self._last_of_each_key(decoded, records)
        new = self._entries(decoded, records, first_error[records])
        return self._compare(new, hashes, decoded.present[records], _new_errors(decoded.errors, lost))

    def commit(self) -> None:
        pending, self._pending = self._pending, None
        if pending is None:  # the chunk had no records
            return
        self._rows.replace(pending.dead, pending.columns, pending.hashes)
        self._errors = pending.errors

    def rollback(self) -> None:
        self._pending = None

    def keyed_errors(self) -> str | None:
        errors = self._errors if self._pending is None else self._pending.errors
        return _encode_errors(errors) if len(errors) else None

    def _without_key(self, errors: RecordErrors) -> tuple[Indices, Indices]:
        """Records whose key cannot be read, and for each the first error that says so."""
        about_key = np.isin(errors.columns, (WHOLE_RECORD, *self._key))
        positions = np.flatnonzero(about_key)
        rows, first = np.unique(errors.rows[positions], return_index=True)
        return rows, positions[first]

    def _over_limit(self, first_error: Indices) -> Indices:
        """Records in error that would exceed what is remembered by key."""
        return np.flatnonzero(first_error >= 0)[max(0, MAX_KEYED_ERRORS - len(self._errors)) :]

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
        index = pa.array(records)
        columns = [column.take(index) for column in decoded.columns]
        if (errors < 0).all():
            return (*columns, *(pa.nulls(len(records), pa.string()) for _ in range(2)))
        chosen = pa.array(errors, mask=errors < 0)
        good = pa.array(errors < 0)
        for position, column in enumerate(columns):
            if position not in self._key:
                columns[position] = pc.if_else(good, column, pa.scalar(None, column.type))
        return (*columns, decoded.errors.sqlstates.take(chosen), decoded.errors.messages.take(chosen))

    def _compare(
        self, new: tuple[pa.Array, ...], hashes: Hashes, present: Mask, lost: Changes
    ) -> tuple[Changes, Changes]:
        """The changes from the state to the entries `new` (one per key), where not `present` to nothing."""
        places = self._rows.find([new[index] for index in self._key], hashes)
        found = np.flatnonzero(places.runs != NOT_FOUND)
        old: tuple[pa.Array, ...] = tuple(column.slice(0, 0) for column in new)
        insert = present.copy()
        retract = np.zeros(len(found), np.bool_)
        if len(found):
            old = self._rows.take(Places(places.runs[found], places.rows[found]))
            same = rows_equal(new, found, old, np.arange(len(found)), exact=True)
            retract = ~(same & present[found])
            insert[found] &= ~same
        gone, come = np.flatnonzero(retract), np.flatnonzero(insert)
        removed = tuple(column.take(pa.array(gone)) for column in old)
        added = tuple(column.take(pa.array(come)) for column in new)
        dead = Places(places.runs[found[gone]], places.rows[found[gone]])
        oks, errs = self._split(removed, added, lost)
        self._pending = _Pending(dead, added, hashes[come], self._errors_after(removed, added))
        return oks, errs

    def _split(
        self, removed: tuple[pa.Array, ...], added: tuple[pa.Array, ...], lost: Changes
    ) -> tuple[Changes, Changes]:
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

    def _errors_after(self, removed: tuple[pa.Array, ...], added: tuple[pa.Array, ...]) -> pa.Table:
        """The keyed errors once `removed` entries are gone and `added` ones are there."""
        width = len(self._schema)
        wanted = (*self._key, width, width + 1)
        left = self._errors
        if removed[width].null_count < len(removed[width]):
            # Messages name file and line, so they tell errors apart.
            left = left.filter(pc.invert(pc.is_in(left.column("message"), value_set=removed[width + 1])))
        if added[width].null_count == len(added[width]):
            return left
        bad = added[width].is_valid()
        new = pa.table([added[index].filter(bad) for index in wanted], schema=self._error_schema)
        return pa.concat_tables([left, new])


def _no_places() -> Places:
    return Places(np.empty(0, np.int64), np.empty(0, np.int64))


def _new_errors(errors: RecordErrors, positions: Indices) -> Changes:
    if not len(positions):
        return NO_ERROR_CHANGES
    index = pa.array(positions)
    return Changes(
        (errors.sqlstates.take(index), errors.messages.take(index)), np.ones(len(positions), np.int64)
    )


def _encode_errors(errors: pa.Table) -> str:
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, errors.schema) as writer:
        writer.write_table(errors.combine_chunks())
    return base64.b64encode(sink.getvalue()).decode("ascii")


def _decode_errors(payload: str) -> pa.Table:
    return pa.ipc.open_stream(base64.b64decode(payload)).read_all().combine_chunks()
