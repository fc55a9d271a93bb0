"""A place that an export has to itself, from its begin on.

| name | is there |
|---|---|
| `INCOMPLETE` | from the begin until all files and the manifest are there |
| `part-00000.parquet`, ...; of the tasks of a job `part-00000-00000.parquet`, ... | each whole or not at all |
| `_SUCCESS` | at last: `{"rows": n, "files": [{"name": ..., "rows": ..., "bytes": ...}]}` |

An export that fails takes away what it has written.  One that was killed leaves INCOMPLETE, and its place is refused until somebody has
emptied it.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import BinaryIO, Protocol, Self

from ...errors import PtvcError

INCOMPLETE = "INCOMPLETE"
SUCCESS = "_SUCCESS"
PART = "part-"
"""So the names of files with rows begin."""


class Place(Protocol):
    """All of it blocks, and raises PtvcError."""

    def begin(self) -> None:
        """Takes the place, which must be empty."""

    def open(self) -> BinaryIO:
        """A file that is written before it has a name."""

    def publish(self, name: str, stream: BinaryIO) -> None:
        """The file is whole: it gets its name, and is closed."""

    def for_tasks(self) -> Self:
        """The same place, which is taken, for other processes: it may be pickled, they `open` and `publish`, and several may at once."""

    def keep_only(self, names: Collection[str]) -> None:
        """Of what tasks have written, takes away all that has none of the names.  None of them writes any more."""

    def finish(self, manifest: bytes) -> None:
        """All files are there."""

    def undo(self) -> None:
        """Takes away what was published, and gives the place back."""


def not_empty(place: str, name: str) -> PtvcError:
    detail = "An export is under way there, or was cut off." if name == INCOMPLETE else f'It has "{name}".'
    return PtvcError(
        f'"{place}" is not empty',
        sqlstate="58P02",
        detail=detail,
        hint="Name a place of its own, or remove what is there.",
    )
