"""Files that processes of an environment leave for each other: state, checkpoints, what jobs are given and what they leave.

```
state_files=directory   name ── root/name, the same for all
state_files=blobs       name ── root/name of this process's machine ── the object of that name, beside the blobs
```

What crosses from process to process is a file's **name**, relative to the environment's root; each end looks below a root of its own.
A file is written once and never changes.  Who writes one that others need has it **published** before he tells its name; who reads one
that others have written has it **fetched** before.  Where all processes see one directory, both are nothing.

Where they do not, a root is a cache: a fetched file is there whole or not at all, and may go when nobody needs it here (`leave`).  What is
published goes when somebody says so, or when no checkpoint, dataflow or job has it any more (`coord.controller.maintenance`).
"""

from __future__ import annotations

import fcntl
import os
import shutil
import threading
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from secrets import token_hex
from typing import Protocol

from ..errors import InvalidUsage
from ..interrupt import check_interrupt, current_interrupt, interruptible
from ..persist.blob.objects import Objects
from ..persist.location import open_objects

AT_ONCE = 8
"""So many files are sent or fetched at once."""

_LOCKS = ".locks"
_LOCK_FILES = 64


class SharedFiles(Protocol):
    """Thread-safe."""

    @property
    def root(self) -> Path: ...

    @property
    def copied(self) -> bool:
        """Whether every machine has a root of its own."""

    def path(self, name: str) -> Path:
        """Where the file, or folder, is here, or would be."""

    def name(self, path: Path) -> str:
        """The name of what is there."""

    def new(self, name: str) -> Path:
        """Where to write a new file; with a root of one's own, its folder is made."""

    def fetch(self, names: Iterable[str]) -> None:
        """Has the files at their paths.  Raises StorageError for one that is nowhere, if that is known before it is read."""

    def read(self, name: str, offset: int, length: int) -> bytes:
        """A piece of a file that is not here."""

    def publish(self, paths: Iterable[Path]) -> None:
        """Others can fetch the files; they stay here.  What is published, or was fetched, is not sent again.  Raises PtvcError, and OSError."""

    def published(self, folder: str = "") -> list[str]:
        """The names of what others can fetch, below a folder."""

    def unpublish(self, names: Collection[str]) -> None:
        """Nobody needs the files any more; what is here stays.  Raises PtvcError."""

    def leave(self, name: str) -> None:
        """This machine does not need the file, or the folder, any more."""


class LocalFiles:
    """Below one root that all processes see.  What is removed is removed by who knows that nobody needs it."""

    copied = False

    def __init__(self, root: Path) -> None:
        self._root = root

    @property
    def root(self) -> Path:
        return self._root

    def path(self, name: str) -> Path:
        return _below(self._root, name)

    def name(self, path: Path) -> str:
        return path.relative_to(self._root).as_posix()

    def new(self, name: str) -> Path:
        return self.path(name)

    def fetch(self, names: Iterable[str]) -> None:
        pass

    def read(self, name: str, offset: int, length: int) -> bytes:
        with self.path(name).open("rb") as file:
            file.seek(offset)
            return file.read(length)

    def publish(self, paths: Iterable[Path]) -> None:
        pass

    def published(self, folder: str = "") -> list[str]:
        return []

    def unpublish(self, names: Collection[str]) -> None:
        pass

    def leave(self, name: str) -> None:
        pass


MACHINE = LocalFiles(Path("/"))
"""All files of this machine."""


class CopiedFiles:
    """Below a root of this machine, or of one executor, and as objects for the others.  Processes may have one root."""

    copied = True

    def __init__(self, root: Path, objects: Objects) -> None:
        self._root = root
        self._objects = objects
        self._lock = threading.Lock()
        self._known: set[str] = set()
        """Names of files that are published."""

    @property
    def root(self) -> Path:
        return self._root

    def __reduce__(self) -> tuple[type[CopiedFiles], tuple[Path, Objects]]:
        """For another process of the machine, which does not know yet what is published."""
        return CopiedFiles, (self._root, self._objects)

    def over(self, wrapped: Callable[[Objects], Objects]) -> CopiedFiles:
        """The same files, by what `wrapped` makes of the objects."""
        return CopiedFiles(self._root, wrapped(self._objects))

    def path(self, name: str) -> Path:
        return _below(self._root, name)

    def name(self, path: Path) -> str:
        return path.relative_to(self._root).as_posix()

    def new(self, name: str) -> Path:
        path = self.path(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        return path

    def fetch(self, names: Iterable[str]) -> None:
        wanted = list(dict.fromkeys(names))
        _at_once(self._fetch, [name for name in wanted if not self._is_here(name)])
        with self._lock:
            self._known.update(wanted)

    def read(self, name: str, offset: int, length: int) -> bytes:
        return self._objects.read(name, offset, length)

    def publish(self, paths: Iterable[Path]) -> None:
        names = dict.fromkeys(map(self.name, paths))
        with self._lock:
            unknown = [name for name in names if name not in self._known]
        _at_once(self._put, unknown)

    def _put(self, name: str) -> None:
        self._objects.put(name, self.path(name))
        with self._lock:
            self._known.add(name)

    def published(self, folder: str = "") -> list[str]:
        return list(self._objects.names(folder))

    def unpublish(self, names: Collection[str]) -> None:
        if names:
            with self._lock:
                self._known.difference_update(names)
            self._objects.delete(list(names))

    def leave(self, name: str) -> None:
        path = self.path(name)
        with self._lock:
            self._known = {
                other for other in self._known if other != name and not other.startswith(f"{name}/")
            }
        if path.is_dir():
            shutil.rmtree(path, ignore_errors=True)
            return
        path.unlink(missing_ok=True)  # others may be writing into its folder

    def forget_unused(self, oldest: float) -> None:
        """Removes the files that nobody has written or asked for since that time, in seconds since 1970.  Who has mapped one keeps it; it
        can be fetched again."""
        for path in list(self._root.rglob("*")):
            with suppress(OSError):  # another process does the same
                if path.stat().st_mtime >= oldest or _LOCKS in (path.name, path.parent.name):
                    continue
                if path.is_dir():
                    path.rmdir()  # if it is empty
                else:
                    path.unlink()

    def _is_here(self, name: str) -> bool:
        try:
            os.utime(self.path(name))  # is needed: see `forget_unused`
        except FileNotFoundError:
            return False
        return True

    def _fetch(self, name: str) -> None:
        path = self.new(name)
        with self._locked(name):
            if self._is_here(name):  # another process has fetched it meanwhile
                return
            temporary = path.with_name(f"{path.name}.{token_hex(8)}.partial")
            try:
                self._objects.get(name, temporary)
                temporary.replace(path)
            except BaseException:
                temporary.unlink(missing_ok=True)
                raise

    @contextmanager
    def _locked(self, name: str) -> Iterator[None]:
        """One process of those with this root fetches a file, while others wait for it; a process that dies lets go."""
        locks = self._root / _LOCKS
        locks.mkdir(parents=True, exist_ok=True)
        with (locks / str(sum(name.encode()) % _LOCK_FILES)).open("ab") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield


@dataclass(frozen=True, slots=True)
class SharedRoot:
    """How an environment's processes find files: below `path`, on the coordinator's machine; with `blobs`, their URL, elsewhere below a
    root of the machine's own."""

    path: str = "/"
    blobs: str | None = None

    def here(self) -> SharedFiles:
        """For the coordinator, and what runs on its machine."""
        return self.on_machine(Path(self.path))

    def on_machine(self, root: Path) -> SharedFiles:
        """For a process whose machine keeps such files in `root`."""
        if self.blobs is None:
            return LocalFiles(Path(self.path))
        return CopiedFiles(root, open_objects(self.blobs))


def _below(root: Path, name: str) -> Path:
    if ".." in name.split("/"):
        raise InvalidUsage(f'"{name}" is not a name of a file')
    return root / name


def _at_once(work: Callable[..., None], items: Sequence[object]) -> None:
    """Does the work on all items, on some threads if there are several.  Raises the first failure, when what has begun has ended."""
    if len(items) <= 1:
        for item in items:
            work(item)
        return
    interrupt = current_interrupt()

    def interruptibly(item: object) -> None:
        with interruptible(interrupt):
            check_interrupt()
            work(item)

    with ThreadPoolExecutor(min(AT_ONCE, len(items)), "files") as pool:
        try:
            for done in [pool.submit(interruptibly, item) for item in items]:
                done.result()
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
