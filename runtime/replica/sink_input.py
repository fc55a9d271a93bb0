"""The input of a sink: references to committed parts, which the sink's own thread reads in chunks of bounded size.

```
Import, Progress ──> references, up to a budget ──> chunk ──> rows of [lower, upper)
                       beyond it: no more are taken, and `complete_to` stands still
```

References are taken on the thread that receives messages, so that nothing is read there.  A sink that lags keeps so many
of them and no more; when it has written what they hold it is installed anew, with what persist has from there on.  A part
that was merged away meanwhile cannot be read any more, which is no loss either: what replaced it is in the new import.

Not thread-safe: the sink's lock is around everything but `read`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..persist.blob.base import Blob
from ..persist.part import PartRef
from ..persist.read import read_updates
from ..repr.batch import Batch, Delta, concat_batches, concat_deltas
from ..repr.schema import ERROR_SCHEMA, Schema
from .inputs import load_snapshot
from .protocol import Import

MOST_HELD_BYTES = 16 << 20
"""Of references that came after the import, inline parts included."""
CHUNK_BYTES = 64 << 20
"""Of rows in memory, about, unless one time alone has more."""
_REFERENCE_BYTES = 1_024


@dataclass(frozen=True, slots=True)
class Reference:
    """The updates of a part with `lower <= time < upper`, in rows of `schema`."""

    part: PartRef
    schema: Schema
    lower: int
    upper: int

    @property
    def first(self) -> int:
        return max(self.part.first_time, self.lower)

    @property
    def last(self) -> int:
        return min(self.part.max_time, self.upper - 1)

    @property
    def nbytes(self) -> int:
        return _REFERENCE_BYTES + len(self.part.inline or b"")


@dataclass(frozen=True, slots=True)
class Chunk:
    """What is to be read of `[lower, upper)`: the contents that the import begins with, if wanted, and `references`."""

    contents: Import | None
    references: tuple[Reference, ...]
    lower: int
    upper: int
    schema: Schema

    def read(self, blob: Blob) -> Delta:
        """The rows and errors, not consolidated."""
        pieces = [] if self.contents is None else [load_snapshot(blob, self.contents)]
        pieces += [
            _read(blob, reference, self.schema, self.lower, self.upper) for reference in self.references
        ]
        return concat_deltas(self.schema, pieces)


class SinkInput:
    """`complete_to` is the time below which everything is in the import or in the references; `frontier` that below which the
    collection is complete, beyond it once the input is behind."""

    def __init__(self, source: Import, most_held: int = MOST_HELD_BYTES) -> None:
        self._source = source
        self._most_held = most_held
        self._contents: Import | None = source
        self._references = sorted(_references(source), key=lambda reference: reference.first)
        self._imported = len(self._references)
        self._held = 0
        self._unchecked = [
            Reference(part, source.schema, 0, source.as_of + 1) for part in source.snapshot if part.errors
        ]
        self._unchecked += [reference for reference in self._references if reference.part.errors]
        self.timestamped = source.timestamped
        self.frontier = source.upper
        self.complete_to = source.upper

    @property
    def behind(self) -> bool:
        """Whether there is more than what is referred to here."""
        return self.complete_to < self.frontier

    @property
    def nbytes(self) -> int:
        return self._held + _REFERENCE_BYTES * self._imported

    def receive(self, parts: Sequence[PartRef], upper: int, schema: Schema | None = None) -> None:
        """Committed parts that end at `upper`, of the collection's `schema` now; what is known already is left out."""
        if upper <= self.frontier:
            return
        if not self.behind:
            known = schema or self._source.schema
            found = [Reference(part, known, self.frontier, upper) for part in parts]
            found = [reference for reference in found if reference.first <= reference.last]
            more = sum(reference.nbytes for reference in found)
            if self._held + more <= self._most_held:
                self._held += more
                self._references += sorted(found, key=lambda reference: reference.first)
                self._unchecked += [reference for reference in found if reference.part.errors]
                self.complete_to = upper
        self.frontier = upper

    def close(self, upper: int) -> None:
        """Nothing more will come below `upper`."""
        if upper > self.frontier:
            if not self.behind:
                self.complete_to = upper
            self.frontier = upper

    def shed(self) -> int:
        """Forgets the references that came after the import; returns their bytes."""
        shed = self._references[self._imported :]
        if not shed:
            return 0
        freed, self._held = self._held, 0
        del self._references[self._imported :]
        self.complete_to = min(reference.lower for reference in shed)
        self._unchecked = [reference for reference in self._unchecked if reference.lower < self.complete_to]
        return freed

    def unchecked(self) -> tuple[Reference, ...]:
        """The references that have errors and were not returned yet."""
        found, self._unchecked = tuple(self._unchecked), []
        return found

    def take(self, lower: int, upper: int | None = None, most: int = CHUNK_BYTES) -> Chunk:
        """The next chunk from `lower` on, to `upper` or `complete_to` at most; what was taken is not taken again.

        A chunk ends between two times, so that it is larger than `most` where one time is.
        """
        source, contents = self._source, self._contents
        upper = self.complete_to if upper is None else min(upper, self.complete_to)
        begins = contents is not None and lower <= source.as_of
        self._contents = None
        self._forget_below(lower)
        size = sum(part.decoded_nbytes for part in source.snapshot) if begins else 0
        count, end = cut(self._references, upper, most, source.as_of if begins else None, size)
        return Chunk(contents if begins else None, self._pop(count), lower, end, source.schema)

    def _forget_below(self, lower: int) -> None:
        """What the target has already."""
        count = next((i for i, r in enumerate(self._references) if r.last >= lower), len(self._references))
        self._pop(count)

    def _pop(self, count: int) -> tuple[Reference, ...]:
        taken = tuple(self._references[:count])
        del self._references[:count]
        self._held -= sum(reference.nbytes for reference in taken[self._imported :])
        self._imported = max(self._imported - count, 0)
        return taken


def cut(
    references: Sequence[Reference], upper: int, most: int, last: int | None = None, size: int = 0
) -> tuple[int, int]:
    """How many of the references, which are sorted by their first time, make a chunk below `upper`, and where it ends.

    Before them are `size` bytes up to the time `last`.
    """
    end = -1 if last is None else last
    for position, reference in enumerate(references):
        apart = end < reference.first and (position > 0 or last is not None)
        if reference.first >= upper or (apart and size + reference.part.decoded_nbytes > most):
            return position, min(reference.first, upper)
        size += reference.part.decoded_nbytes
        end = max(end, reference.last)
    return len(references), upper


def errors_of(blob: Blob, references: Sequence[Reference]) -> Batch:
    """The updates of errors, not consolidated."""
    return concat_batches(
        ERROR_SCHEMA, [_read(blob, r, r.schema, r.lower, r.upper).errs for r in references if r.part.errors]
    )


def _references(source: Import) -> list[Reference]:
    return [
        reference
        for part in source.updates
        if (reference := Reference(part, source.schema, source.as_of + 1, source.upper)).first
        <= reference.last
    ]


def _read(blob: Blob, reference: Reference, schema: Schema, lower: int, upper: int) -> Delta:
    delta = read_updates(
        blob, (reference.part,), reference.schema, max(reference.lower, lower), min(reference.upper, upper)
    )
    width = len(schema)  # without the columns that a table has gained since
    return delta if len(reference.schema) == width else Delta(delta.oks.select(range(width)), delta.errs)
