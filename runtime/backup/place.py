"""Where backups are: a directory, or a prefix in S3.

```
place/blobs/environment.json                    whose backups these are
place/blobs/<shard>/<writer>/<attempt>~<token>  a copy of a blob, for all backups that need it (`copies`)
place/backups/<environment>/<name>/<file>       marks (`marks`), pieces of the copy of consensus, perhaps the keys; manifest.json, last
```

Nothing is ever changed there, and a backup is one once its manifest is there.  A directory has a `lock`, which who removes backups holds alone:
then what was begun and has not ended was killed.
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
from ..errors import InvalidParameter, PtvcError, StorageError
from ..persist.blob.base import Blob
from ..persist.location import DEFAULT_BLOB, blob_url, open_blob
from ..persist.part import BlobKey
from .manifest import KEYS_FILE, MANIFEST_FILE, Manifest, piece
from .marks import VOID, Folder, file_key, folders, read


@dataclass(frozen=True, slots=True)
class Place:
    """`blobs` and `files` are stores of their own below the URL."""

    url: str
    blobs: Blob
    files: Blob

    def file_url(self, key: BlobKey) -> str:
        """Where a file is, for people to find it: without what says where S3 is."""
        return urlsplit(_below(_below(self.url, "backups"), key))._replace(query="").geturl()

    def complete(self) -> list[str]:
        """The names of the backups that are whole, oldest first."""
        return [folder.name for folder in self._whole()]

    def _whole(self) -> list[Folder]:
        found = [folder for folder in folders(self.files) if folder.manifest and not folder.void]
        # Of one that has not ended, the manifest may say that it is none.
        return [
            folder
            for folder in found
            if not folder.begun or read(self.files, folder.key(MANIFEST_FILE)) not in (None, VOID)
        ]

    def manifest(self, name: str | None) -> Manifest:
        """Of the backup of that name, else of the newest.  InvalidParameter if there is none."""
        whole = {folder.name: folder for folder in self._whole()}
        wanted = name if name is not None else max(whole, default=None)
        if wanted is None or wanted not in whole:
            what = "no backup that is whole" if name is None else f'no backup "{name}" that is whole'
            there = (
                f"Name one that is there, with --backup: {', '.join(whole)}."
                if whole
                else "Take one with: ptvc backup."
            )
            raise InvalidParameter(f"there is {what} in {self.url}", hint=there)
        data = self._part(wanted, whole[wanted].key(MANIFEST_FILE))
        try:
            return Manifest.decode(data, wanted)
        except ValueError as error:
            raise self.damaged(wanted, f"its manifest is not what was written: {error}") from error

    def fetch(self, manifest: Manifest, path: Path) -> None:
        """Writes the copy of consensus to a file, compared with its digest.  Raises StorageError."""
        digest = hashlib.sha256()
        with path.open("wb") as file:
            for number in range(manifest.pieces):
                data = self._part(manifest.name, file_key(manifest.environment, manifest.name, piece(number)))
                digest.update(data)
                file.write(data)
        if digest.hexdigest() != manifest.sha256:
            raise self.damaged(manifest.name, "the copy of consensus is not what was written")

    def keys(self, manifest: Manifest) -> bytes:
        """Those of secrets, as they are in the backup."""
        return self._part(manifest.name, file_key(manifest.environment, manifest.name, KEYS_FILE))

    def _part(self, name: str, key: BlobKey) -> bytes:
        """A file of a backup.  StorageError if it is not there, or cannot be read."""
        if (data := read(self.files, key)) is None:
            raise self.damaged(name, f'"{key}" is missing')
        return data

    def damaged(self, name: str, what: str) -> StorageError:
        """The error of a backup that cannot be restored, or has gone."""
        whole = self.complete()
        others = [other for other in whole if other != name]
        hint = (
            f"Restore another one, with --backup: {', '.join(others)}."
            if others
            else "There is no other one."
        )
        if name not in whole:
            return StorageError(f'backup "{name}" in {self.url} has been removed meanwhile', hint=hint)
        return StorageError(f'backup "{name}" in {self.url} is damaged: {what}', sqlstate="XX001", hint=hint)

    @contextmanager
    def used(self, *, alone: bool = False) -> Iterator[bool]:
        """In a directory, nobody removes anything meanwhile; `alone`: nobody else uses it either (PtvcError where others do).  Whether that
        is so: in S3 nobody can be kept out."""
        split = urlsplit(self.url)
        if split.scheme != "file":
            yield False
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
            yield alone


def _lock_file(directory: Path) -> IO[bytes]:
    """Open for reading: who restores need not write there."""
    path = directory / LOCK_FILE
    try:
        if not path.exists():
            path.touch(0o600)
        return path.open("rb")
    except OSError as error:
        raise PtvcError(f'cannot use "{path}": {error.strerror}', sqlstate="58030") from error


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


def check_apart(url: str, own: tuple[Path, ...], what: str, hint: str | None = None) -> None:
    """Raises InvalidParameter for a place inside the runtime's own directories, which begins with `what`: it would be lost with them."""
    split = urlsplit(url)
    if split.scheme == "file":
        check_outside(unquote(split.path), own, what, hint)


def _below(url: str, name: str) -> str:
    split = urlsplit(url)
    return split._replace(path=f"{split.path.rstrip('/')}/{name}").geturl()
