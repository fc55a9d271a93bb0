"""A disk that is full when a test says so."""

from __future__ import annotations

import errno
import tempfile
from pathlib import Path
from typing import IO, Any

import pytest
from ptvc.storage.upsert import scratch


class ScarceDisk:
    """Files of scratch can be written while there is `room`, which is in bytes."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.room = 1 << 40
        monkeypatch.setattr(scratch.tempfile, "TemporaryFile", self._file)

    def _file(self, dir: Path) -> IO[bytes]:
        return _File(self, _TEMPORARY_FILE(dir=dir))  # type: ignore[return-value]


_TEMPORARY_FILE = tempfile.TemporaryFile


class _File:
    def __init__(self, disk: ScarceDisk, file: IO[bytes]) -> None:
        self._disk, self._inner = disk, file

    def write(self, data: Any) -> int:
        if len(data) > self._disk.room:
            raise OSError(errno.ENOSPC, "No space left on device")
        self._disk.room -= len(data)
        return self._inner.write(data)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)
