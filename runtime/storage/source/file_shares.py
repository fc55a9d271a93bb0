"""The files of a FILE source as shares: small ones together, a large one in parts, where its format has places to begin at."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from ..shares import WHOLE, Piece, Share, ShareRead, Sizes, pieces_of
from .directory import FileSet, FoundFile, changed

Mark = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class FilePart:
    """What of a file comes behind the `mark`: of a file of Parquet or Avro that was not begun the `piece`; of one of lines those that begin
    before the byte `until`.  It has `nbytes`."""

    mark: Mark | None
    nbytes: int
    piece: Piece = WHOLE
    until: int | None = None


@dataclass(frozen=True, slots=True)
class Extent:
    """What a connector over a share reads: the files of these `names`, None for all there are, up to the byte `until` if it is one of lines."""

    names: tuple[str, ...] | None = None
    until: int | None = None


ALL = Extent()

Divide = Callable[[FoundFile, Mark | None, int, Sizes], Sequence[FilePart]]


def whole(file: FoundFile, mark: Mark | None, unread: int, sizes: Sizes) -> tuple[FilePart, ...]:
    """Of a format that nothing can be read of but by who has read what is before it."""
    return (FilePart(mark, unread),)


def in_pieces(file: FoundFile, mark: Mark | None, unread: int, sizes: Sizes) -> tuple[FilePart, ...]:
    """Of a format with row groups, or blocks: in pieces, unless it was begun."""
    if mark is not None:
        return whole(file, mark, unread, sizes)
    pieces = pieces_of(file.size, sizes.piece)
    return tuple(FilePart(None, unread // len(pieces), piece) for piece in pieces)


class FileShares:
    """`unread` is how many bytes of a file come after its mark, None of one that is for `poll` to judge; `divide` has these bytes in parts,
    of which the last may end before the file does."""

    def __init__(
        self,
        files: FileSet,
        unread: Callable[[FoundFile, Mark | None], int | None],
        divide: Divide = whole,
    ) -> None:
        self._files = files
        self._unread = unread
        self._divide = divide
        self._known: dict[str, Mark] = {}
        self._out: list[tuple[Sequence[FoundFile], FilePart]] = []
        self._rest = 0
        self._not_there: dict[str, tuple[int, int, int]] = {}

    def take(self, position: Mapping[str, Any] | None, min_bytes: int, sizes: Sizes) -> tuple[Share, ...]:
        """Of the files as they are now.  Raises SourceStalled."""
        self._known = dict((position or {}).get("files", {}))
        found = self._files.list()
        self._out, self._rest = [], 0
        if self._known.keys() - {file.name for file in found}:
            return ()
        waiting: list[tuple[FoundFile, int]] = []
        for file in found:
            if self._not_there.get(file.name) == file.identity:
                continue  # a task has found that it is not whole
            unread = self._unread(file, self._known.get(file.name))
            if unread is None:
                return ()
            if unread:
                waiting.append((file, unread))
        if sum(unread for _, unread in waiting) < min_bytes:
            return ()
        return self._taken(waiting, sizes)

    def _taken(self, waiting: Sequence[tuple[FoundFile, int]], sizes: Sizes) -> tuple[Share, ...]:
        total = files = 0
        small: list[tuple[FoundFile, int]] = []
        for file, unread in waiting:
            mark = self._known.get(file.name)
            if files and (total + min(unread, sizes.piece) > sizes.most_bytes or files >= sizes.most_files):
                self._rest += unread
                continue
            files += 1
            if unread <= sizes.share and mark is None:
                small.append((file, unread))
                total += unread
                continue
            parts = self._divide(file, mark, unread, sizes)
            taken = sum(part.nbytes for part in parts)
            total, self._rest = total + taken, self._rest + max(0, unread - taken)
            self._out += [((file,), part) for part in parts]
        for group in _together(small, sizes.share):
            self._out.append(
                ([file for file, _ in group], FilePart(None, sum(unread for _, unread in group)))
            )
        return tuple(_share(group, part) for group, part in self._out)

    def together(self, reads: Sequence[ShareRead]) -> tuple[dict[str, Any], int]:
        """The position when all shares were read, and how many bytes are left.  Raises SourceStalled for a file that was replaced
        meanwhile."""
        known = dict(self._known)
        marks: dict[str, list[tuple[FilePart, Mark | None]]] = {}
        files: dict[str, FoundFile] = {}
        for (group, part), read in zip(self._out, reads, strict=True):
            for file in group:
                # Of lines that are not whole nothing is read: it stays where it was.
                mark = part.mark if read.position is None else read.position["files"].get(file.name)
                marks.setdefault(file.name, []).append((part, mark))
                files[file.name] = file
        for name, found in marks.items():
            _, last = found[-1]
            if all(mark is None for _, mark in found):
                self._not_there[name] = files[name].identity
                continue
            if last is None or not all(_go_together(*two) for two in pairwise(found)):
                raise changed(files[name], "was replaced while it was read")
            known[name] = last
        return {"files": known}, self._rest


def _share(group: Sequence[FoundFile], part: FilePart) -> Share:
    names = tuple(file.name for file in group)
    at = None if part.mark is None else {"files": {names[0]: part.mark}}
    return Share(Extent(names, part.until), at, part.nbytes, part.piece)


def _together(files: Sequence[tuple[FoundFile, int]], most: int) -> list[list[tuple[FoundFile, int]]]:
    """Small ones, in groups of so many bytes."""
    groups: list[list[tuple[FoundFile, int]]] = []
    nbytes = most + 1
    for file, unread in files:
        if nbytes + unread > most:
            groups.append([])
            nbytes = 0
        groups[-1].append((file, unread))
        nbytes += unread
    return groups


def _go_together(one: tuple[FilePart, Mark | None], other: tuple[FilePart, Mark | None]) -> bool:
    """Whether two parts, the one behind the other, were read of the same file."""
    (part, mark), (then, beyond) = one, other
    if mark is None or beyond is None:
        return False
    if part.until is None:
        return _identity(mark) == _identity(beyond)
    assert then.mark is not None, "it begins where the one before ends"
    return (mark["offset"], mark["check"]) == (then.mark["offset"], then.mark["check"])


def _identity(mark: Mark) -> tuple[Any, Any]:
    return mark["check"], mark.get("size")
