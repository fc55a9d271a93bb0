"""Where backups are: a directory, or a prefix in S3.

```
place/blobs/environment.json                 whose backups these are
place/blobs/<shard>/<writer>/<attempt>       a blob, kept once for all backups that need it
place/backups/<environment>/<name>/<file>    pieces of the copy of consensus, perhaps the keys; manifest.json, last
```

Nothing is ever changed there, and a backup is one once its manifest is there.  A directory has a `lock`, which who removes backups holds alone.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO
from urllib.parse import unquote, urlsplit

from ..directory import LOCK_FILE, check_outside
from ..errors import InvalidParameter, PtvcError, StorageError, Unsupported
from ..persist.blob.base import Blob
from ..persist.location import DEFAULT_BLOB, blob_url, open_blob
from ..persist.part import BlobKey
from .manifest import MANIFEST_FILE, Manifest, piece


@dataclass(frozen=True, slots=True)
class Place:
    """`blobs` and `files` are stores of their own below the URL."""

    url: str
    blobs: Blob
    files: Blob

    def complete(self) -> list[str]:
        """The names of the backups that are whole, oldest first."""
        keys = list(self.files.keys())
        return sorted(key.split("/")[1] for key in keys if key.endswith(f"/{MANIFEST_FILE}"))

    def manifest(self, name: str | None) -> Manifest:
        """Of the backup of that name, else of the newest.  InvalidParameter if there is none."""
        names = self.complete()
        wanted = name if name is not None else names[-1] if names else None
        if wanted is None or wanted not in names:
            what = "no backup that is whole" if name is None else f'no backup "{name}" that is whole'
            there = f"There are: {', '.join(names)}." if names else "Take one with: ptvc backup."
            raise InvalidParameter(f"there is {what} in {self.url}", hint=there)
        owner = self.blobs.owner()
        return Manifest.decode(self.files.get(file_key(f"{owner or 0:x}", wanted, MANIFEST_FILE)), wanted)

    def fetch(self, manifest: Manifest, path: Path) -> None:
        """Writes the copy of consensus to a file, compared with its digest.  Raises StorageError."""
        digest = hashlib.sha256()
        with path.open("wb") as file:
            for number in range(manifest.pieces):
                data = self.files.get(file_key(manifest.environment, manifest.name, piece(number)))
                digest.update(data)
                file.write(data)
        if digest.hexdigest() != manifest.sha256:
            raise StorageError(
                f'backup "{manifest.name}" is damaged: the copy of consensus is not what was written',
                sqlstate="XX001",
                hint="Restore another backup.",
            )

    def check_prunable(self) -> None:
        """Unsupported of S3, where nobody can be kept out while backups are removed."""
        if urlsplit(self.url).scheme != "file":
            raise Unsupported(
                f"old backups in {self.url} cannot be removed: another process may be using their blobs",
                hint="Begin a new prefix from time to time, and remove the old one as a whole.",
            )

    @contextmanager
    def used(self, *, alone: bool = False) -> Iterator[None]:
        """Nobody removes anything meanwhile; `alone`: nobody else uses the place either.  Raises PtvcError where others are there, and what
        `check_prunable` does."""
        split = urlsplit(self.url)
        if alone:
            self.check_prunable()
        if split.scheme != "file":
            yield
            return
        with _lock_file(Path(unquote(split.path))) as file:
            try:
                fcntl.flock(file, (fcntl.LOCK_EX if alone else fcntl.LOCK_SH) | fcntl.LOCK_NB)
            except BlockingIOError:
                raise PtvcError(
                    f"{self.url} is in use by another backup or restore",
                    sqlstate="55006",
                    hint="Try again later.",
                ) from None
            yield


def _lock_file(directory: Path) -> IO[bytes]:
    """Open for reading: who restores need not write there."""
    path = directory / LOCK_FILE
    try:
        if not path.exists():
            path.touch(0o600)
        return path.open("rb")
    except OSError as error:
        raise PtvcError(f'cannot use "{path}": {error.strerror}', sqlstate="58030") from error


def file_key(environment: str, name: str, file: str) -> BlobKey:
    return BlobKey(f"{environment}/{name}/{file}")


def place_url(text: str, environment: Mapping[str, str] = os.environ) -> str:
    """The URL of a place that somebody has typed: a path, file:///path or s3://bucket/prefix.  Raises InvalidParameter."""
    if not text or text == DEFAULT_BLOB:
        raise InvalidParameter(
            f'"{text}" names no place for backups', hint="Name a directory or an s3:// URL."
        )
    if ":" not in text.split("/")[0]:
        return Path(text).resolve().as_uri()
    return blob_url(text, environment)


def open_place(url: str) -> Place:
    """For who writes there: made if it is not there."""
    return Place(url, open_blob(_below(url, "blobs")), open_blob(_below(url, "backups")))


def open_existing_place(url: str) -> Place:
    """For who reads there.  InvalidParameter if there is nothing."""
    split = urlsplit(url)
    if split.scheme == "file" and not (Path(unquote(split.path)) / "backups").is_dir():
        raise InvalidParameter(f"there are no backups in {url}", hint="Take one with: ptvc backup.")
    return open_place(url)


def check_apart(url: str, own: tuple[Path, ...]) -> None:
    """Raises InvalidParameter for a place inside the runtime's own directories: it would be lost with them."""
    split = urlsplit(url)
    if split.scheme == "file":
        check_outside(unquote(split.path), own, "backups cannot be kept in")


def _below(url: str, name: str) -> str:
    split = urlsplit(url)
    return split._replace(path=f"{split.path.rstrip('/')}/{name}").geturl()
