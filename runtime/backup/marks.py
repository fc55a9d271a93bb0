"""The marks by which backups, and removals of old ones, get along in a place where nobody can be kept out: S3.

```
backup    begun ── which plans, then which blobs are there ── copies, under new names ── manifest, if there is none ── begun goes
removal   plan of what goes ── twice: has anything begun, or come, that it does not know? no ── decided, if nobody has ── carried out ── plan goes
```

- A name is written once, and never again after what had it was removed.  So who removes late, as after a pause of any length, removes
  nothing new.
- A backup relies on no blob that a plan names.  One that does not know of a plan began before it, so the plan knows of the backup: that
  one is kept, or the plan is withdrawn.
- Who gives up a backup that was killed takes the name of its manifest; who gives up a plan, that of its decision.  Whoever is first has it,
  dead or not.  Such names stay for good: so do `begun` and `void` of what was killed.

Times say when something is taken for killed, which costs whoever is alive after all his work, and nothing else.
"""

from __future__ import annotations

import json
import re
import secrets
import threading
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from ..clock import Clock
from ..errors import StorageError
from ..persist.blob.base import Blob
from ..persist.part import BlobKey
from .manifest import MANIFEST_FILE

VOID_FILE, PLAN_FILE, DECISION_FILE = "void.json", "plan.json", "decision.json"
_BEGUN_FILE = re.compile(r"begun-\d{6}\.json")

VOID = b'{"void": true}'
"""In place of a manifest: there will be none."""
CARRIED_OUT, WITHDRAWN = b'{"carried out": true}', b'{"withdrawn": true}'

BEAT_MS = 3_600_000
"""A backup says so often that it is under way."""
KILLED_MS = 24 * BEAT_MS
"""One that has said nothing for so long is taken for killed; so is a plan that is not decided by then."""


def file_key(environment: str, name: str, file: str) -> BlobKey:
    return BlobKey(f"{environment}/{name}/{file}")


@dataclass(frozen=True, slots=True)
class Folder:
    """The files of one backup, or of one plan, as a listing shows them."""

    environment: str
    name: str
    files: frozenset[str]

    def key(self, file: str) -> BlobKey:
        return file_key(self.environment, self.name, file)

    @property
    def begun(self) -> list[str]:
        """The marks that it was begun, in their order."""
        return sorted(filter(_BEGUN_FILE.fullmatch, self.files))

    @property
    def manifest(self) -> bool:
        return MANIFEST_FILE in self.files

    @property
    def void(self) -> bool:
        """It is no backup, whatever is there."""
        return VOID_FILE in self.files

    @property
    def of_plan(self) -> bool:
        return PLAN_FILE in self.files or DECISION_FILE in self.files


def folders(files: Blob) -> list[Folder]:
    """By name: backups are in the order in which they were begun."""
    found: dict[tuple[str, str], set[str]] = defaultdict(set)
    for key in files.keys():  # noqa: SIM118
        environment, name, file = key.split("/")
        found[environment, name].add(file)
    return [
        Folder(environment, name, frozenset(some))
        for (environment, name), some in sorted(found.items(), key=lambda item: item[0][1])
    ]


def read(files: Blob, key: BlobKey) -> bytes | None:
    """None if it is not there any more."""
    try:
        return files.get(key)
    except StorageError:
        if key in set(files.keys()):
            raise
        return None


def create(files: Blob, key: BlobKey, data: bytes) -> bytes:
    """Writes the file unless it is there; returns what is there then."""
    try:
        files.put(key, data)
    except StorageError:
        found = read(files, key)
        if found is None:
            raise
        return found
    return data


class Begun:
    """That a backup is under way.  `beat` now and then, on any thread; `end` it when it is whole, or will never be."""

    def __init__(self, files: Blob, environment: str, name: str, clock: Clock) -> None:
        self._files, self._clock = files, clock
        self._environment, self._name = environment, name
        self._lock = threading.Lock()
        self._marks: list[BlobKey] = []
        self._at = 0
        self.beat()

    def beat(self) -> None:
        with self._lock:
            now = self._clock.now_ms()
            if self._marks and now - self._at < BEAT_MS:
                return
            key = file_key(self._environment, self._name, f"begun-{len(self._marks):06}.json")
            self._files.put(key, json.dumps({"at": now}).encode())
            self._marks.append(key)
            self._at = now

    def end(self) -> None:
        for key in self._marks:
            self._files.delete(key)


def last_said(files: Blob, folder: Folder) -> int | None:
    """When a backup has last said that it is under way; None if it does not say so any more."""
    data = read(files, folder.key(folder.begun[-1]))
    return None if data is None else int(json.loads(data)["at"])


@dataclass(frozen=True, slots=True)
class Plan:
    """What a removal is to remove: whole `backups`, then `files`, in their order, and `blobs`."""

    name: str
    environment: str
    at: int
    backups: tuple[str, ...]
    files: tuple[BlobKey, ...]
    blobs: tuple[BlobKey, ...]

    @classmethod
    def of(
        cls, environment: str, at: int, backups: list[str], files: list[BlobKey], blobs: list[BlobKey]
    ) -> Plan:
        return cls(
            f"removal-{secrets.token_hex(8)}", environment, at, tuple(backups), tuple(files), tuple(blobs)
        )

    def key(self, file: str) -> BlobKey:
        return file_key(self.environment, self.name, file)

    def encode(self) -> bytes:
        return json.dumps(
            {"at": self.at, "backups": self.backups, "files": self.files, "blobs": self.blobs}
        ).encode()

    @classmethod
    def decode(cls, folder: Folder, data: bytes) -> Plan:
        found = json.loads(data)
        lists = (tuple(found[of]) for of in ("backups", "files", "blobs"))
        return cls(folder.name, folder.environment, found["at"], *lists)


def plans(files: Blob) -> Iterator[tuple[Plan, Folder]]:
    """Those that are there, decided or not."""
    for folder in folders(files):
        if PLAN_FILE in folder.files and (data := read(files, folder.key(PLAN_FILE))) is not None:
            yield Plan.decode(folder, data), folder
