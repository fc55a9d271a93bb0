"""Files of an export that the tasks of a Spark job write: each task those of one file of the answer.

What a task writes follows from its file of the answer alone, names included.  A task that is run again therefore writes the same
once more, over what it has written.
"""

from __future__ import annotations

import pickle
from dataclasses import dataclass, field
from pathlib import Path

from ...errors import PtvcError


@dataclass(frozen=True, slots=True)
class AnswerFile:
    """The rows of one task of a query, as `compute/spark/answer` has them; `number` is its place among all of them, `name` the file's
    (`compute/shared_files`)."""

    number: int
    name: str


@dataclass(frozen=True, slots=True)
class WrittenFile:
    """A line of the manifest."""

    name: str
    rows: int
    nbytes: int


@dataclass(frozen=True, slots=True)
class WrittenFiles:
    """What one task has written, or the `failure` (SQLSTATE, message, hint) that has kept it from doing so."""

    files: tuple[WrittenFile, ...]
    failure: tuple[str, str, str | None] | None = None


@dataclass(frozen=True, slots=True)
class FileWriting:
    """The work of all tasks.  `writer` is, pickled, a function of the number of a file of the answer, its path, and `columns`, the columns
    that are wanted; the formats of files lie above this package."""

    writer: bytes = field(repr=False)
    columns: tuple[int, ...]

    def __call__(self, number: int, answer: Path) -> WrittenFiles:
        """A failure is returned: tried again, the same rows would fail again."""
        write = pickle.loads(self.writer)
        try:
            return WrittenFiles(write(number, answer, self.columns))
        except PtvcError as error:
            return WrittenFiles((), (error.sqlstate, error.message, error.hint))
