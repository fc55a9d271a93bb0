"""What a commit changes, out of the files that it adds and takes away.

Rows of a file that was written anew come and go at once: they cancel each other out before anything is handed out, so that an update by
rewriting files changes what it has changed.  What is in memory is bounded: where it is too much, rows are told apart by their hashes, and the
files are read once for each share.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from ....repr.batch import Batch, concat_batches
from ....repr.consolidate import consolidate
from ....repr.hash import hash_columns
from ....repr.schema import ERROR_SCHEMA, Schema
from ...changes import NO_ERROR_CHANGES, Changes, no_changes
from ...ingestion import OutputChanges
from .table import LakeFile
from .values import changes_of

MEMORY_BYTES = 128 << 20
"""Of rows that may have to cancel each other out."""
_ROW_BYTES = 64
"""What a row takes beside its values while it is consolidated."""
_MOST_BITS = 24
"""More shares than that are not made, whatever their size: rows that are so large cannot be told apart any further."""
_STEP_BYTES = 16 << 20
"""As many are put together before they are consolidated."""


def changes(
    removed: Sequence[LakeFile], added: Sequence[LakeFile], schema: Schema, *, named: bool
) -> Iterator[OutputChanges | None]:
    """Some at a time; None: nothing yet, and more work is to be done.  Errors say where their rows lie, if they are to be `named`."""
    if removed and added:
        yield from _cancelled(removed, added, schema, named)
        return
    for file, diff in _signed(removed, added):
        yield from _rows(file, schema, diff, named)


def _signed(removed: Sequence[LakeFile], added: Sequence[LakeFile]) -> Iterator[tuple[LakeFile, int]]:
    yield from ((file, -1) for file in removed)
    yield from ((file, 1) for file in added)


def _rows(file: LakeFile, schema: Schema, diff: int, named: bool) -> Iterator[OutputChanges]:
    for rows in file.batches():
        if length := len(rows.numbers):
            diffs = np.full(length, diff, np.int64)
            yield changes_of(rows, schema, diffs, file.name if named else None)


def _cancelled(
    removed: Sequence[LakeFile], added: Sequence[LakeFile], schema: Schema, named: bool
) -> Iterator[OutputChanges | None]:
    """A share is the rows whose hashes end in some bits; it is halved when it becomes too large."""
    shares = [(0, 0)]
    while shares:
        bits, ending = shares.pop()
        rows, errors = _Sum(schema), _Sum(ERROR_SCHEMA)
        for file, diff in _signed(removed, added):
            for part in _rows(file, schema, diff, named):
                rows.add(part.oks, bits, ending)
                errors.add(part.errs, bits, ending)
                while rows.nbytes + errors.nbytes > MEMORY_BYTES and bits < _MOST_BITS and len(rows) > 1:
                    shares.append((bits + 1, ending | 1 << bits))
                    bits += 1
                    rows.keep(bits, ending)
                    errors.keep(bits, ending)
                yield None
        yield from _handed_out(rows.total(), errors.total(), schema)


def _handed_out(rows: Batch, errors: Batch, schema: Schema) -> Iterator[OutputChanges]:
    if len(errors):
        yield OutputChanges(no_changes(schema), _changes(errors))
    if len(rows):
        size = max(1, int(_STEP_BYTES / max(rows_bytes(rows) / len(rows), 1)))
        for start in range(0, len(rows), size):
            yield OutputChanges(_changes(rows.slice(start, min(start + size, len(rows)))), NO_ERROR_CHANGES)


def _changes(batch: Batch) -> Changes:
    return Changes(batch.columns, batch.diffs)


def rows_bytes(batch: Batch | Changes) -> int:
    return int(sum(column.nbytes for column in batch.columns) + batch.diffs.nbytes)


class _Sum:
    """The sum of changes of one share."""

    def __init__(self, schema: Schema) -> None:
        self._schema = schema
        self._known = concat_batches(schema, [])
        self._new: list[Batch] = []
        self._new_bytes = 0

    def __len__(self) -> int:
        """Of its updates, those that may cancel each other out among them."""
        return len(self._known) + sum(map(len, self._new))

    @property
    def nbytes(self) -> int:
        return rows_bytes(self._known) + self._new_bytes + _ROW_BYTES * len(self)

    def add(self, changes: Changes, bits: int, ending: int) -> None:
        batch = _share(changes.at(0), bits, ending)
        if not len(batch):
            return
        self._new.append(batch)
        self._new_bytes += rows_bytes(batch)
        if self._new_bytes > max(_STEP_BYTES, rows_bytes(self._known)):
            self._settle()

    def keep(self, bits: int, ending: int) -> None:
        self._settle()
        self._known = _share(self._known, bits, ending)

    def total(self) -> Batch:
        self._settle()
        return self._known

    def _settle(self) -> None:
        self._known = consolidate(concat_batches(self._schema, [self._known, *self._new]))
        self._new, self._new_bytes = [], 0


def _share(batch: Batch, bits: int, ending: int) -> Batch:
    if not bits or not len(batch):
        return batch
    hashes = hash_columns(batch.columns, len(batch))
    return batch.filter((hashes & np.uint64((1 << bits) - 1)) == np.uint64(ending))
