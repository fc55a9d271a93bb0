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


@dataclass(frozen=True, slots=True)
class _Seen:
    """The entry that was read last, and the file in which it was."""

    version: int
    mark: str
    size: int
    mtime_ns: int


class DeltaLog:
    def __init__(self, files: FileSystem) -> None:
        self._files = files
        self._newest = -1
        self._seen = _Seen(-1, "", 0, 0)

    def read(self, version: int) -> Actions | None:
        """None: there is no such version, or its entry is not kept any more."""
        data = self._marked(version)
        if data is None:
            return None
        found: dict[str, list[Mapping[str, Any]]] = {}
        for line in data.split(b"\n"):
            if line.strip():
                for kind, action in json.loads(line).items():
                    found.setdefault(kind, []).append(action)
        metadata, protocol = found.get("metaData"), found.get("protocol")
        return Actions(
            found.get("add", []),
            found.get("remove", []),
            metadata[-1] if metadata else None,
            protocol[-1] if protocol else None,
            self._seen.mark,
        )

    def mark(self, version: int) -> str | None:
        """None: the entry is not kept any more.  One that has not been written to since it was asked for is not read again."""
        seen = self._seen
        if seen.version == version and self._info(version) == (seen.size, seen.mtime_ns):
            return seen.mark
        return None if self._marked(version) is None else self._seen.mark

    def newest(self, version: int) -> int:
        """The newest version, where `version` is there: the log is listed if that is newer than what was found last."""
        if version > self._newest:
            found = (
                _COMMIT.fullmatch(info.base_name) for info in self._files.get_file_info(FileSelector(_LOG))
            )
            self._newest = max([version, *(int(match[1]) for match in found if match)])
        return self._newest

    def _info(self, version: int) -> tuple[int, int] | None:
        info = self._files.get_file_info(_path(version))
        return (info.size, info.mtime_ns) if info.type == FileType.File else None

    def _marked(self, version: int) -> bytes | None:
        """The entry, which is seen then."""
        info = self._info(version)
        if info is None:
            return None
        try:
            with self._files.open_input_file(_path(version)) as file:
                data = bytes(file.read())
        except FileNotFoundError:
            return None
        self._seen = _Seen(version, hashlib.sha256(data).hexdigest()[:32], *info)
        return data


def _path(version: int) -> str:
    return f"{_LOG}/{version:020}.json"
