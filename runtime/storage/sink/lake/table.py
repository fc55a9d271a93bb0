"""What a lake's table is to a sink: data files as of a commit, how far the sink is in it, and the next commit."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

import pyarrow as pa

FILE_BYTES = 64 << 20
"""Of rows in memory, which make a file of a few times less."""

Bounds = tuple[Any, Any]


@dataclass(frozen=True, slots=True)
class Progress:
    """All below `upper` is in the table; `writer` is who has opened the sink last, as its `term`-th installation."""

    sink: str
    upper: int
    writer: str
    term: int
    generation: int


class LakeFile(Protocol):
    """A data file of a table as of one commit."""

    @property
    def nbytes(self) -> int: ...

    @property
    def count(self) -> int:
        """Of its rows."""

    @property
    def partition(self) -> Hashable: ...

    def rows(self, names: Sequence[str] | None = None) -> pa.Table:
        """In the table's columns, or in some of them."""

    def bounds(self, name: str) -> Bounds | None:
        """Between which values those of a column are, if the file says so, and they are compared as Python's."""


F = TypeVar("F", bound=LakeFile)


class LakeTable(Protocol[F]):
    """A table as of one commit.  One that `rewrites_all` gets other columns in its next commit, for which all of its files are written anew."""

    @property
    def rewrites_all(self) -> bool: ...

    @property
    def names(self) -> frozenset[str]:
        """Of its columns."""

    def progress(self, sink: str) -> Progress | None:
        """None: nobody has written as this sink, or it is not to be found any more."""

    def rolled_back(self, sink: str) -> bool:
        """Whether what the sink has written was taken back, and its progress was not."""

    def files(self) -> Sequence[F]:
        """Raises Unreadable where rows of them are marked as gone elsewhere."""

    def in_columns(self, names: Sequence[str], arrays: Sequence[pa.Array]) -> pa.Table:
        """Rows in the table's columns: those that are not among `names` are NULL."""

    def written(self, rows: pa.Table) -> Iterator[F]:
        """Writes the rows, in files of no commit; they are removed again where none comes of it."""

    def commit(self, added: Sequence[F], removed: Sequence[F], progress: Progress) -> bool:
        """False where somebody else has committed since; raises where it is not known what has become of it."""

    def discard(self, files: Sequence[F]) -> None:
        """Removes files of no commit."""


class Unreadable(Exception):
    """Data files alone do not say which rows the table has."""


def pieces(rows: pa.Table) -> Iterator[pa.Table]:
    """Of some size each."""
    if rows.num_rows:
        step = max(1, int(FILE_BYTES / max(rows.nbytes / rows.num_rows, 1)))
        for start in range(0, rows.num_rows, step):
            yield rows.slice(start, step)


def all_written(table: LakeTable[F], rows: pa.Table, between: Callable[[], None]) -> Iterator[F]:
    for piece in pieces(rows):
        yield from table.written(piece)
        between()
