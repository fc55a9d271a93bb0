"""The files of a FILE source as shares: one for each that has something to be read, several of a large one of Parquet or Avro."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..shares import MOST_BYTES, MOST_FILES, WHOLE, Piece, Share, ShareRead
from .directory import FileSet, FoundFile, changed

Mark = Mapping[str, Any]


class FileShares:
    """`unread` is how many bytes of a file come after its mark, None of one that is for `poll` to judge."""

    def __init__(
        self,
        files: FileSet,
        unread: Callable[[FoundFile, Mark | None], int | None],
        pieces: Callable[[FoundFile, Mark | None], Sequence[Piece]] = lambda file, mark: (WHOLE,),
    ) -> None:
        self._files = files
        self._unread = unread
        self._pieces = pieces
        self._known: dict[str, Mark] = {}
        self._out: list[tuple[FoundFile, Share]] = []
        self._rest = 0
        self._not_there: dict[str, tuple[int, int, int]] = {}

    def take(self, position: Mapping[str, Any] | None, min_bytes: int) -> tuple[Share, ...]:
        """Of the files as they are now.  Raises SourceStalled."""
        self._known = dict((position or {}).get("files", {}))
        found = self._files.list()
        self._out, self._rest = [], 0
        if self._known.keys() - {file.name for file in found}:
            return ()
        total = files = 0
        for file in found:
            if self._not_there.get(file.name) == file.identity:
                continue  # a task has found that it is not whole
            mark = self._known.get(file.name)
            unread = self._unread(file, mark)
            if unread is None:
                return ()
            if not unread:
                continue
            if files and (total + unread > MOST_BYTES or files >= MOST_FILES):
                self._rest += unread
                continue
            total, files = total + unread, files + 1
            pieces = self._pieces(file, mark)
            at = None if mark is None else {"files": {file.name: mark}}
            self._out += [(file, Share(str(file.path), at, unread // len(pieces), piece)) for piece in pieces]
        return tuple(share for _, share in self._out) if total >= min_bytes else ()

    def together(self, reads: Sequence[ShareRead]) -> tuple[dict[str, Any], int]:
        """The position when all shares were read, and how many bytes are left.  Raises SourceStalled for a file that was replaced
        meanwhile."""
        known = dict(self._known)
        marks: dict[str, list[Mark | None]] = {}
        for (file, _), read in zip(self._out, reads, strict=True):
            mark = None if read.position is None else read.position["files"].get(file.name)
            marks.setdefault(file.name, []).append(mark)
        for file in {file.name: file for file, _ in self._out}.values():
            first, *others = found = marks[file.name]
            if all(mark is None for mark in found):
                self._not_there[file.name] = file.identity
                continue
            if any(mark is None or _identity(mark) != _identity(first) for mark in others):
                raise changed(file, "was replaced while it was read")
            known[file.name] = found[-1]  # type: ignore[assignment]
        return {"files": known}, self._rest


def _identity(mark: Mark | None) -> tuple[Any, Any] | None:
    return None if mark is None else (mark["check"], mark.get("size"))
