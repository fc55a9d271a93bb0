"""Blobs as files under one directory.

A blob appears whole or not at all, and stays: write to a temporary file, fsync it, link it to its name (which
fails if the name is taken), fsync the directories that changed.
"""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
from collections.abc import Iterator
from pathlib import Path

from ...errors import DiskFull, PtvcError, StorageError
from ..part import BlobKey
from .base import OBJECTS, OWNER_NAME, check_key, decode_owner, encode_owner

_TEMPORARY = ".tmp-"


class FileBlob:
    """Picklable: a directory, which is created when missing."""

    def __init__(self, directory: str | Path) -> None:
        self._directory = Path(directory).resolve()
        self._durable_directories: set[Path] = set()
        try:
            self._make_directory(self._directory)
        except OSError as error:
            raise failure("create", str(self._directory), error) from error

    def put(self, key: BlobKey, data: bytes) -> None:
        check_key(key)
        path = self._directory / key
        try:
            self._make_directory(path.parent)
            self._write(path, data)
        except FileExistsError:
            if self.get(key) != data:
                raise StorageError(f'blob "{key}" exists already, with other contents') from None
            # The earlier call may have failed before its name was durable.
            try:
                sync_directory(path.parent)
            except OSError as error:
                raise failure("write", key, error) from error
        except OSError as error:
            raise failure("write", key, error) from error

    def _write(self, path: Path, data: bytes) -> None:
        temporary = path.with_name(f"{_TEMPORARY}{secrets.token_hex(8)}")
        try:
            with open(temporary, "xb", buffering=0) as file:
                view = memoryview(data)
                while view:
                    view = view[file.write(view) :]
                os.fsync(file.fileno())
            os.link(temporary, path)
        finally:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(temporary)
        sync_directory(path.parent)

    def _make_directory(self, directory: Path) -> None:
        """Create `directory` and what is missing above it, durably.

        One that is there already may have been made a moment ago by another process, and not be durable yet.
        """
        if directory in self._durable_directories:
            return
        if not directory.is_dir() or directory.is_relative_to(self._directory):
            if directory.parent != directory:
                self._make_directory(directory.parent)
            with contextlib.suppress(FileExistsError):
                os.mkdir(directory)
            sync_directory(directory.parent)
        self._durable_directories.add(directory)

    def get(self, key: BlobKey) -> bytes:
        check_key(key)
        try:
            return (self._directory / key).read_bytes()
        except FileNotFoundError:
            raise StorageError(f'blob "{key}" does not exist in {self._directory}') from None
        except OSError as error:
            raise failure("read", key, error) from error

    def delete(self, key: BlobKey) -> None:
        check_key(key)
        try:
            os.unlink(self._directory / key)
        except FileNotFoundError:
            return
        except OSError as error:
            raise failure("delete", key, error) from error

    def keys(self) -> Iterator[BlobKey]:
        """All keys.  A temporary file counts as one: no part refers to it, and its path names its writer, so
        that garbage collection removes what a killed writer left behind."""
        try:
            for path in self._directory.glob("*/*/*"):
                key = path.relative_to(self._directory).as_posix()
                if not key.startswith(f"{OBJECTS}/"):
                    yield BlobKey(key)
        except OSError as error:
            raise failure("list", str(self._directory), error) from error

    def owner(self) -> int | None:
        try:
            data = (self._directory / OWNER_NAME).read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise failure("read", OWNER_NAME, error) from error
        return decode_owner(data, str(self._directory))

    def claim(self, identity: int) -> int:
        try:
            with contextlib.suppress(FileExistsError):
                self._write(self._directory / OWNER_NAME, encode_owner(identity))
            sync_directory(self._directory)
        except OSError as error:
            raise failure("write", OWNER_NAME, error) from error
        owner = self.owner()
        assert owner is not None, "a mark stays"
        return owner


def sync_directory(directory: Path) -> None:
    """The names in it survive a loss of power."""
    descriptor = os.open(directory, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def failure(what: str, name: str, error: OSError) -> PtvcError:
    """The error for somebody who wanted to `what` (read, write, ...) the blob `name`."""
    message = f'could not {what} blob "{name}": {error.strerror or error}'
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return DiskFull(message, hint="Free some space; nothing that was acknowledged is lost.")
    return StorageError(message)
