"""A directory of the server as the place of an export.  A file is written under a hidden name, synced, and renamed."""

from __future__ import annotations

import errno
import os
import secrets
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from ...errors import DiskFull, PtvcError
from ..sink.file import DIRECTORY_MODE, FILE_MODE
from .place import INCOMPLETE, PART, SUCCESS, not_empty

_TEMPORARY = ".writing-"
"""So the names of files that are being written begin; no two have the same."""


class DirectoryPlace:
    def __init__(self, path: str) -> None:
        self._path = Path(path)
        self._published: list[str] = []
        self._made = False
        self._temporary = _TEMPORARY
        self._stream: BinaryIO | None = None

    def begin(self) -> None:
        with self._failures():
            if not self._path.is_dir():
                self._path.mkdir(parents=True)
                self._path.chmod(DIRECTORY_MODE)
                self._made = True
            try:
                descriptor = os.open(self._path / INCOMPLETE, os.O_WRONLY | os.O_CREAT | os.O_EXCL, FILE_MODE)
            except FileExistsError:
                raise not_empty(str(self._path), INCOMPLETE) from None
            os.close(descriptor)
            other = next((name for name in sorted(os.listdir(self._path)) if name != INCOMPLETE), None)
            if other is not None:
                os.unlink(self._path / INCOMPLETE)
                raise not_empty(str(self._path), other)
            self._sync()

    def open(self) -> BinaryIO:
        with self._failures():
            self._temporary = _TEMPORARY + secrets.token_hex(8)
            self._stream = (self._path / self._temporary).open("wb")
            return self._stream

    def publish(self, name: str, stream: BinaryIO) -> None:
        with self._failures():
            os.fchmod(stream.fileno(), FILE_MODE)
            stream.flush()
            os.fsync(stream.fileno())
            stream.close()
            self._published.append(name)
            os.rename(self._path / self._temporary, self._path / name)

    def for_tasks(self) -> DirectoryPlace:
        return DirectoryPlace(str(self._path))

    def keep_only(self, names: Collection[str]) -> None:
        with self._failures():
            for name in os.listdir(self._path):
                if name.startswith((PART, _TEMPORARY)) and name not in names:
                    (self._path / name).unlink()

    def finish(self, manifest: bytes) -> None:
        stream = self.open()
        with self._failures():
            stream.write(manifest)
        self.publish(SUCCESS, stream)
        with self._failures():
            self._sync()
            os.unlink(self._path / INCOMPLETE)
            self._sync()

    def undo(self) -> None:
        if self._stream is not None:
            with suppress(OSError):  # what it could not write is not wanted any more
                self._stream.close()
        with self._failures():
            for name in (*reversed(self._published), self._temporary, INCOMPLETE):
                (self._path / name).unlink(missing_ok=True)
            if self._made:
                self._path.rmdir()

    def _sync(self) -> None:
        descriptor = os.open(self._path, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)

    @contextmanager
    def _failures(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            message = f'cannot write to "{self._path}": {error.strerror}'
            if error.errno in (errno.ENOSPC, errno.EDQUOT):
                raise DiskFull(message, hint="Make room there.") from error
            raise PtvcError(
                message, sqlstate="58030", hint="The directory is the server's, and written by its user."
            ) from error
