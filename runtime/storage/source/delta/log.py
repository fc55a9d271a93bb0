"""The log of a table of Delta Lake: what each version adds and takes away, as JSON, a line an action."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pyarrow.fs import FileSelector, FileSystem, FileType

_LOG = "_delta_log"
_COMMIT = re.compile(r"(\d{20})\.json")


@dataclass(frozen=True, slots=True)
class Actions:
    """Of one version.  `mark` is what that is known by: another table's version of the same number has another one."""

    added: Sequence[Mapping[str, Any]]
    removed: Sequence[Mapping[str, Any]]
    metadata: Mapping[str, Any] | None
    protocol: Mapping[str, Any] | None
    mark: str


class DeltaLog:
    def __init__(self, files: FileSystem) -> None:
        self._files = files
        self._newest = -1
        self._seen: tuple[int, str, object] | None = None

    def read(self, version: int) -> Actions | None:
        """None: there is no such version, or its entry is not kept any more."""
        data = self._bytes(version)
        if data is None:
            return None
        found: dict[str, list[Mapping[str, Any]]] = {}
        for line in data.splitlines():
            if line.strip():
                for kind, action in json.loads(line).items():
                    found.setdefault(kind, []).append(action)
        metadata, protocol = found.get("metaData"), found.get("protocol")
        return Actions(
            found.get("add", []),
            found.get("remove", []),
            metadata[-1] if metadata else None,
            protocol[-1] if protocol else None,
            _mark(data),
        )

    def has(self, version: int) -> bool:
        return bool(self._files.get_file_info(_path(version)).type == FileType.File)

    def mark(self, version: int) -> str | None:
        """None: the entry is not kept any more.  One that has not been written to since it was asked for is not read again."""
        info = self._files.get_file_info(_path(version))
        if info.type != FileType.File:
            return None
        seen = (info.size, info.mtime_ns)
        if self._seen is not None and self._seen[0] == version and self._seen[2] == seen:
            return self._seen[1]
        data = self._bytes(version)
        if data is None:
            return None
        self._seen = (version, _mark(data), seen)
        return self._seen[1]

    def newest(self, version: int) -> int:
        """The newest version, where `version` is there: the log is listed if that is newer than what was found last."""
        if version > self._newest:
            found = (
                _COMMIT.fullmatch(info.base_name) for info in self._files.get_file_info(FileSelector(_LOG))
            )
            self._newest = max([version, *(int(match[1]) for match in found if match)])
        return self._newest

    def _bytes(self, version: int) -> bytes | None:
        try:
            with self._files.open_input_file(_path(version)) as file:
                return bytes(file.read())
        except FileNotFoundError:
            return None


def _path(version: int) -> str:
    return f"{_LOG}/{version:020}.json"


def _mark(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:32]
