"""The files of a FILE source: one file, or those of a directory in the order of their names."""

from __future__ import annotations

import fnmatch
import os
import stat
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from ...errors import PtvcError

_COMPRESSED = {
    b"\x1f\x8b": "gzip",
    b"BZh": "bzip2",
    b"\xfd7zXZ\x00": "xz",
    b"\x28\xb5\x2f\xfd": "zstd",
    b"PK\x03\x04": "zip",
}
_HIDDEN = (".", "_")
_HEAD_BYTES = 4096
_TAIL_BYTES = 256


class SourceStalled(PtvcError):
    """A source cannot go on until its user has acted.  Nothing is lost: it resumes where it stands."""

    sqlstate = "58030"


@dataclass(frozen=True, slots=True)
class FoundFile:
    """A regular file: its `name` (unique within the source), its path, and the result of `stat`."""

    name: str
    path: Path
    size: int
    identity: tuple[int, int, int]  # inode, mtime in ns, size: unchanged as long as it was not written to


@dataclass(frozen=True, slots=True)
class FileSet:
    """`path` is a file or a directory; in a directory, `pattern` is a glob over the names of its files.

    Sub-directories, and names that begin with `.` or `_` (files that are still being written), are left out.  With `names` it is
    these files.
    """

    path: Path
    pattern: str | None = None
    names: tuple[str, ...] | None = None

    def list(self) -> list[FoundFile]:
        """The files there are, by name.  Raises SourceStalled when the path cannot be read."""
        try:
            if not self.path.is_dir():
                about = self.path.stat()
                if not stat.S_ISREG(about.st_mode):
                    raise SourceStalled(
                        f'cannot read "{self.path}": it is no regular file',
                        hint="Name a file, or a directory of files.",
                    )
                return [_found(self.path.name, self.path, about)]
            if self.names is not None:
                paths = {name: self.path / name for name in self.names}
                return sorted(
                    (_found(name, path, path.stat()) for name, path in paths.items()),
                    key=lambda file: file.name,
                )
            with os.scandir(self.path) as entries:
                found = [
                    _found(entry.name, self.path / entry.name, entry.stat())
                    for entry in entries
                    if self._wanted(entry.name) and entry.is_file()
                ]
        except FileNotFoundError as error:
            raise SourceStalled(
                f'"{error.filename}" does not exist',
                sqlstate="58P01",
                hint="Create it, or drop the source and create it again with the right path.",
            ) from error
        except OSError as error:
            raise SourceStalled(
                f'cannot read "{self.path}": {error.strerror}', hint="Make it readable for the server's user."
            ) from error
        return sorted(found, key=lambda file: file.name)

    def _wanted(self, name: str) -> bool:
        if name.startswith(_HIDDEN):
            return False
        return self.pattern is None or fnmatch.fnmatchcase(name, self.pattern)


def checksum(stream: BinaryIO, offset: int) -> int:
    """Of the file's first bytes and of those right before `offset`."""
    head = os.pread(stream.fileno(), min(offset, _HEAD_BYTES), 0)
    tail_bytes = min(offset, _TAIL_BYTES)
    return zlib.crc32(os.pread(stream.fileno(), tail_bytes, offset - tail_bytes), zlib.crc32(head))


def compressed_by(head: bytes) -> str | None:
    """What the file was compressed by that begins with these bytes, at least 6 of them if it has so many; None: it is not."""
    return next((name for magic, name in _COMPRESSED.items() if head.startswith(magic)), None)


def vanished(name: str, path: Path) -> SourceStalled:
    return SourceStalled(
        f'file "{name}" has vanished after it was read',
        hint=f'Put it back into "{path}" as it was, or drop the source and create it again.',
    )


def changed(file: FoundFile, what: str) -> SourceStalled:
    return SourceStalled(
        f'file "{file.name}" {what}',
        hint="Files of a source may only grow: put the old content back and add corrections at the end or in "
        "a new file, or drop the source and create it again.",
    )


def _found(name: str, path: Path, about: os.stat_result) -> FoundFile:
    return FoundFile(name, path, about.st_size, (about.st_ino, about.st_mtime_ns, about.st_size))
