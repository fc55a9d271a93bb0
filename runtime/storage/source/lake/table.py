"""What a lake's table is to a source: the next commit, as the files that it adds and those that it takes away."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import pyarrow as pa

from ....repr.batch import Indices
from ..directory import SourceStalled


@dataclass(frozen=True, slots=True)
class LakeRows:
    """Rows of a file: the source's columns by name, in the lake's types, and the number of each in the file, from 1 on, those before it that
    are gone counted too."""

    columns: Mapping[str, pa.Array]
    numbers: Indices


class LakeFile(Protocol):
    """A data file of a table as of one commit: the rows of it that the table has then."""

    @property
    def name(self) -> str: ...

    @property
    def nbytes(self) -> int: ...

    @property
    def count(self) -> int | None:
        """Of its rows; None where nobody has said."""

    def batches(self) -> Iterator[LakeRows]:
        """Its rows, some at a time.  A part of the file at a time is in memory."""


@dataclass(frozen=True, slots=True)
class Commit:
    """One commit of the table, or its contents as of one (`contents`).  `position` is that after it, `at_end` whether there is no later
    one.  The offsets are the table's own numbers of its commits."""

    removed: Sequence[LakeFile]
    added: Sequence[LakeFile]
    position: Mapping[str, Any]
    at_end: bool
    offset_known: int | None
    offset_committed: int | None
    contents: bool = False


ERRORS = "errors"
"""In a position: how many rows are in error, whose messages name the files that they lie in."""


class LakeTable(Protocol):
    def next(self, position: Mapping[str, Any] | None) -> Commit | None:
        """What comes after the position; None: nothing yet.  Raises PtvcError where it cannot be known, or not be read.

        A commit that writes the same rows to other files has none to be read, but if there are `ERRORS`, which then lie elsewhere.
        """

    def close(self) -> None: ...


def expired(what: str, commit: str) -> SourceStalled:
    """What was not read is not there any more."""
    return SourceStalled(
        f"{commit} of {what} is not there any more, and had not been read",
        hint="It was expired or vacuumed too early: drop the source, and create it again. Keep snapshots for longer than a source may be down.",
    )


def replaced(what: str) -> SourceStalled:
    return SourceStalled(
        f"{what} is not the one that was read: another one has taken its place",
        hint="Put the former one back, or drop the source, and create it again.",
    )


def gone(what: str) -> SourceStalled:
    return SourceStalled(f"{what} is not there", sqlstate="42P01", hint="Make it, or put it back.")


def lacks(what: str, column: str, why: str = "is not there") -> SourceStalled:
    return SourceStalled(
        f'column "{column}" of {what} {why}',
        sqlstate="42703",
        hint="Drop the source, and create it with the columns that there are now.",
    )
