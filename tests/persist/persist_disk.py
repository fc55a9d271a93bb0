"""A disk that can lose its power: remembers every change of files, and what it would be like if all had ended before one.

What was synced is there; of what was not, each change is or is not, whatever the order, and a write may be torn at a
multiple of 512 bytes.  File data and directory entries are synced apart, as POSIX has it.

```
blob/file.py ── os ──┐
                     ├─> journal of changes ── at(position, random) ──> directory as found after the power loss
SQLite ── VFS ───────┘
```
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from random import Random
from typing import Any

import apsw
import pytest
from ptvc.persist.blob import file as file_module
from ptvc.persist.consensus import sqlite_checksums

SECTOR = 512
WATCHED, BASE = "watched", "unix"
"""SQLite's ways to its files: this one, and its own.  (Without checksums of pages, whose bytes would differ here.)"""


@dataclass(frozen=True, slots=True)
class Write:
    file: int
    offset: int
    data: bytes


@dataclass(frozen=True, slots=True)
class Truncate:
    file: int
    size: int


@dataclass(frozen=True, slots=True)
class SyncFile:
    file: int


@dataclass(frozen=True, slots=True)
class Entry:
    """`path` names the file from now on, or nothing."""

    path: Path
    file: int | None


@dataclass(frozen=True, slots=True)
class MakeDirectory:
    path: Path


@dataclass(frozen=True, slots=True)
class SyncDirectory:
    path: Path


Event = Write | Truncate | SyncFile | Entry | MakeDirectory | SyncDirectory


class Disk:
    """Watches everything below `root` that the blob store and SQLite do, while `watching`."""

    def __init__(self, root: Path) -> None:
        self.root = root.resolve()
        self.journal: list[Event] = []
        self._files: dict[Path, int] = {}
        self._numbers = count()

    @contextmanager
    def watching(self, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
        vfs = _WatchedVfs(self)
        try:
            with monkeypatch.context() as patch:
                patch.setattr(sqlite_checksums, "vfs", lambda: WATCHED)
                patch.setattr(file_module, "os", _WatchedOs(self))
                patch.setattr(file_module, "open", self._open, raising=False)
                yield
        finally:
            vfs.unregister()

    def created(self, path: Path) -> int:
        if path not in self._files:
            self._files[path] = next(self._numbers)
            self.journal.append(Entry(path, self._files[path]))
        return self._files[path]

    def linked(self, source: Path, target: Path) -> None:
        self._files[target] = self._files[source]
        self.journal.append(Entry(target, self._files[source]))

    def removed(self, path: Path) -> None:
        if self._files.pop(path, None) is not None:
            self.journal.append(Entry(path, None))

    def synced(self, path: Path) -> None:
        if path.is_dir():
            self.journal.append(SyncDirectory(path))
        else:
            self.journal.append(SyncFile(self._files[path]))

    def _open(self, path: Path, mode: str, buffering: int) -> _WatchedFile:
        assert (mode, buffering) == ("xb", 0)
        return _WatchedFile(self, path)

    def at(self, position: int, random: Random, target: Path) -> None:
        """Write into `target` what is found when the power goes before the journal's `position`."""
        content, names, directories = _survivors(self.journal[:position], random)
        for directory in sorted(directories):
            # A directory whose entry was lost is lost with all that is in it.
            if (target / directory.relative_to(self.root)).parent.is_dir():
                (target / directory.relative_to(self.root)).mkdir(exist_ok=True)
        for path, file in names.items():
            place = target / path.relative_to(self.root)
            if file is not None and place.parent.is_dir():
                place.write_bytes(content.get(file, b""))


def _survivors(
    events: list[Event], random: Random
) -> tuple[dict[int, bytearray], dict[Path, int | None], set[Path]]:
    content: dict[int, bytearray] = {}
    unsynced: dict[int, list[Write | Truncate]] = {}
    names: dict[Path, int | None] = {}
    entries: dict[Path, list[Entry | MakeDirectory]] = {}
    directories: set[Path] = set()

    def enter(entry: Entry | MakeDirectory) -> None:
        if isinstance(entry, MakeDirectory):
            directories.add(entry.path)
        else:
            names[entry.path] = entry.file

    for event in events:
        match event:
            case Write() | Truncate():
                unsynced.setdefault(event.file, []).append(event)
            case SyncFile(file=file):
                for change in unsynced.pop(file, []):
                    _change(content.setdefault(file, bytearray()), change)
            case Entry(path=path) | MakeDirectory(path=path):
                entries.setdefault(path.parent, []).append(event)
            case SyncDirectory(path=path):
                for entry in entries.pop(path, []):
                    enter(entry)
    share = random.choice([0.0, 0.3, 0.7, 1.0])
    for file, changes in unsynced.items():
        for change in changes:
            if random.random() < share:
                _change(content.setdefault(file, bytearray()), _torn(change, random))
    for waiting in entries.values():
        for entry in waiting:
            if random.random() < share:
                enter(entry)
    return content, names, directories


def _torn(change: Write | Truncate, random: Random) -> Write | Truncate:
    if isinstance(change, Write) and len(change.data) > SECTOR and random.random() < 0.3:
        return Write(
            change.file, change.offset, change.data[: SECTOR * random.randrange(len(change.data) // SECTOR)]
        )
    return change


def _change(content: bytearray, change: Write | Truncate) -> None:
    match change:
        case Truncate(size=size):
            del content[size:]
        case Write(offset=offset, data=data):
            content.extend(bytes(max(0, offset - len(content))))
            content[offset : offset + len(data)] = data


class _WatchedFile:
    """A new file of the blob store."""

    def __init__(self, disk: Disk, path: Path) -> None:
        self._disk, self._path = disk, path
        self._file = open(path, "xb", buffering=0)  # noqa: SIM115
        self._number = disk.created(path)

    def __enter__(self) -> _WatchedFile:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def write(self, data: memoryview) -> int:
        offset = self._file.tell()
        written = self._file.write(data) or 0
        self._disk.journal.append(Write(self._number, offset, bytes(data[:written])))
        return written

    def fileno(self) -> int:
        return self._file.fileno()


class _WatchedOs:
    """The functions of `os` that the blob store uses."""

    def __init__(self, disk: Disk) -> None:
        self._disk = disk

    def __getattr__(self, name: str) -> Any:
        return getattr(os, name)

    def fsync(self, descriptor: int) -> None:
        os.fsync(descriptor)
        self._disk.synced(Path(os.readlink(f"/proc/self/fd/{descriptor}")))

    def link(self, source: Path, target: Path) -> None:
        os.link(source, target)
        self._disk.linked(source, target)

    def unlink(self, path: Path) -> None:
        os.unlink(path)
        self._disk.removed(path)

    def mkdir(self, path: Path) -> None:
        os.mkdir(path)
        self._disk.journal.append(MakeDirectory(path))


class _WatchedVfs(apsw.VFS):
    """SQLite's own, watched."""

    def __init__(self, disk: Disk) -> None:
        self.disk = disk
        super().__init__(WATCHED, BASE)

    def xOpen(self, name: str | apsw.URIFilename | None, flags: list[int]) -> apsw.VFSFile:
        return _WatchedDatabase(self.disk, name, flags)

    def xDelete(self, name: str, sync: bool) -> None:
        super().xDelete(name, sync)
        self.disk.removed(Path(name))
        if sync:
            self.disk.journal.append(SyncDirectory(Path(name).parent))


class _WatchedDatabase(apsw.VFSFile):
    def __init__(self, disk: Disk, name: str | apsw.URIFilename | None, flags: list[int]) -> None:
        path = name.filename() if isinstance(name, apsw.URIFilename) else name
        assert path is not None, "no temporary files"
        super().__init__(BASE, name, flags)
        self._disk, self._path = disk, Path(path)
        self._number = disk.created(self._path)

    def xWrite(self, data: bytes, offset: int) -> None:
        super().xWrite(data, offset)
        self._disk.journal.append(Write(self._number, offset, bytes(data)))

    def xTruncate(self, size: int) -> None:
        super().xTruncate(size)
        self._disk.journal.append(Truncate(self._number, size))

    def xSync(self, flags: int) -> None:
        super().xSync(flags)
        self._disk.journal.append(SyncFile(self._number))
        # SQLite's own syncs the directory of a new file along with the file's first sync.
        self._disk.journal.append(SyncDirectory(self._path.parent))
