"""Updates that a step takes in as they are stored: every worker reads a share of them, and they meet by key from there.

```
parts  ├──────┼───┼─────────────┼──┤      equal numbers of rows, in order
shares ├─ 0 ────────┼─ 1 ─────────┤       a large part is cut, a small one is in one share
```
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from ...errors import StorageError
from ...interrupt import check_interrupt
from ...persist.blob.base import Blob
from ...persist.part import DECODED_FACTOR, DECODED_ROW_BYTES, PartRef
from ...persist.read import read_stretch, read_updates
from ...repr.batch import NO_ERRORS, Delta, concat_deltas
from ...repr.consolidate import advance
from ...repr.schema import Schema

READ_APART_ROWS = 20_000
"""Of so many rows of an input that come at once, each worker of a divided dataflow reads a share."""

LEAST_CUT_ROWS = 16_384
"""A part of fewer rows is read whole, by one worker: that costs no more than to look at it twice."""


class InputLost(StorageError):
    """Updates that a step was to take in cannot be read any more: they were merged with others, or are damaged."""


Piece = tuple[PartRef, tuple[int, int] | None]
"""A part, and which of its rows; None: all, and its errors."""


@dataclass(frozen=True, slots=True)
class Stored:
    """Updates of a collection with times in `[lower, upper)`: rows have the first `width` columns of `schema`, as the collection has it
    now.  With `as_of` they are its contents at that time: all at that time, and equal ones are to be added up."""

    parts: tuple[PartRef, ...]
    schema: Schema
    width: int
    lower: int
    upper: int
    as_of: int | None = None

    @property
    def rows(self) -> int:
        """About as many as there are: of some parts not all updates belong to it."""
        return sum(part.rows for part in self.parts)

    @property
    def inline_nbytes(self) -> int:
        """Bytes in memory."""
        return sum(part.nbytes for part in self.parts if part.inline is not None)

    @property
    def decoded_nbytes(self) -> int:
        """About the bytes in memory when they are read."""
        nbytes = sum(part.nbytes for part in self.parts)
        return DECODED_ROW_BYTES * self.rows + DECODED_FACTOR * nbytes * self.width // len(self.schema)

    def divided(self, time: int) -> tuple[Stored | None, Stored | None]:
        """The updates before `time`, and those from then on."""
        if self.upper <= time:
            return self, None
        if time <= self.lower:
            return None, self
        later = tuple(part for part in self.parts if part.max_time >= time)
        return replace(self, upper=time), replace(self, lower=time, parts=later)


@dataclass(frozen=True, slots=True)
class Share:
    """What one worker reads of `Stored`, whose fields these are but for the pieces."""

    pieces: tuple[Piece, ...]
    schema: Schema
    width: int
    lower: int
    upper: int
    as_of: int | None


def shares(stored: Stored, workers: int) -> list[Share]:
    """One for each worker, of about equally many rows."""
    found: list[list[Piece]] = [[] for _ in range(workers)]
    total = sum(part.rows + part.errors for part in stored.parts)
    at = 0
    for part in stored.parts:
        size = part.rows + part.errors
        if part.errors or part.rows < LEAST_CUT_ROWS:
            middle = (2 * at + size) * workers // max(2 * total, 1)
            found[min(middle, workers - 1)].append((part, None))
        else:
            for worker, pieces in enumerate(found):
                start, stop = (total * w // workers - at for w in (worker, worker + 1))
                stretch = max(start, 0), min(stop, size)
                if stretch[0] < stretch[1]:
                    pieces.append((part, stretch))
        at += size
    return [
        Share(tuple(pieces), stored.schema, stored.width, stored.lower, stored.upper, stored.as_of)
        for pieces in found
    ]


def whole(stored: Stored) -> Share:
    """All of it, to be read in one place."""
    return shares(stored, 1)[0]


def read_share(blob: Blob, share: Share) -> Delta:
    """Decodes the share: updates as they were written, not consolidated.  Raises InputLost."""
    try:
        deltas = [_read(blob, share, part, stretch) for part, stretch in share.pieces]
    except StorageError as error:
        raise InputLost(error.message, sqlstate=error.sqlstate, hint=error.hint) from error
    delta = concat_deltas(Schema(share.schema.columns[: share.width]), deltas)
    if share.as_of is None:
        return delta
    return Delta(advance(delta.oks, share.as_of), advance(delta.errs, share.as_of))


def _read(blob: Blob, share: Share, part: PartRef, stretch: tuple[int, int] | None) -> Delta:
    check_interrupt()
    columns = None if share.width == len(share.schema) else range(share.width)
    if stretch is None:
        return read_updates(blob, (part,), share.schema, share.lower, share.upper, columns)
    return Delta(
        read_stretch(blob, part, share.schema, columns, stretch, share.lower, share.upper), NO_ERRORS
    )
