"""Where backups are: a directory, or a prefix in S3.

```
place/blobs/environment.json                 whose backups these are
place/blobs/<shard>/<writer>/<attempt>       a blob, kept once for all backups that need it
place/backups/<environment>/<name>/<file>    pieces of the copy of consensus, perhaps the keys; manifest.json, last
```

Nothing is ever changed there, and a backup is one once its manifest is there.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote, urlsplit

from ..directory import check_outside
from ..errors import InvalidParameter
from ..persist.blob.base import Blob
from ..persist.location import DEFAULT_BLOB, blob_url, open_blob
from ..persist.part import BlobKey
from .manifest import MANIFEST_FILE, Manifest


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
