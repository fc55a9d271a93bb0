"""Objects: files of any size beside the blobs of a store, under names of their own.

```
prefix/shard/writer/attempt-n.parquet      a blob: a part of a shard, which consensus knows
prefix/.state/a/b/c                        the object "a/b/c": what processes leave for each other
```

No shard's name begins with a dot, so neither is taken for the other, nor collected with it.  An object appears whole or not at all, and is
durable when `put` returns.  Implementations are thread-safe, and hold no state but their place.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from secrets import token_hex
from typing import Protocol

from ...errors import InvalidUsage, StorageError
from .base import OBJECTS
from .file import failure, sync_directory


class Objects(Protocol):
    def put(self, name: str, path: Path) -> None:
        """Stores what is in the file under the name; the same once more does no harm."""

    def get(self, name: str, path: Path) -> None:
        """Writes it to a new file, which need not be whole when this fails.  StorageError if there is no such object."""

    def read(self, name: str, offset: int, length: int) -> bytes:
        """So many bytes of it.  StorageError if they are not there."""

    def delete(self, names: Sequence[str]) -> None:
        """Removes those that are there."""

    def names(self, folder: str = "") -> Iterator[str]:
        """All below the folder, in no order."""


def check_name(name: str) -> str:
    """The name, which leads nowhere else."""
    if not name or any(piece in ("", ".", "..") for piece in name.split("/")):
        raise InvalidUsage(f'"{name}" is not a name of an object')
    return name


class FileObjects:
    """Picklable: in the directory of a `FileBlob`."""

    def __init__(self, directory: str | Path) -> None:
        self._directory = Path(directory).resolve() / OBJECTS

    def put(self, name: str, path: Path) -> None:
        target = self._directory / check_name(name)
        with _named("write", name):
            target.parent.mkdir(parents=True, exist_ok=True)
            temporary = target.with_name(f".{token_hex(8)}.partial")
            try:
                shutil.copyfile(path, temporary)
                with temporary.open("rb") as copied:
                    os.fsync(copied.fileno())
                temporary.replace(target)
            except BaseException:
                temporary.unlink(missing_ok=True)
                raise
            sync_directory(target.parent)

    def get(self, name: str, path: Path) -> None:
        source = self._directory / check_name(name)
        with _named("read", name), source.open("rb") as stored, path.open("xb") as target:
            shutil.copyfileobj(stored, target, 1 << 20)

    def read(self, name: str, offset: int, length: int) -> bytes:
        with _named("read", name), (self._directory / check_name(name)).open("rb") as source:
            source.seek(offset)
            found = source.read(length)
        if len(found) != length:
            raise StorageError(f'object "{name}" is cut off', sqlstate="XX001")
        return found

    def delete(self, names: Sequence[str]) -> None:
        for name in names:
            with _named("delete", name):
                (self._directory / check_name(name)).unlink(missing_ok=True)

    def names(self, folder: str = "") -> Iterator[str]:
        for place, _, files in os.walk(self._directory / folder):
            for file in files:
                yield Path(place, file).relative_to(self._directory).as_posix()


@contextmanager
def _named(what: str, name: str) -> Iterator[None]:
    try:
        yield
    except FileNotFoundError as error:
        raise StorageError(f'object "{name}" does not exist') from error
    except OSError as error:
        raise failure(what, name, error) from error
