"""What a backup says of itself."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass

from ..errors import StorageError

MANIFEST_FILE = "manifest.json"
KEYS_FILE = "secrets.key"
FORMAT_VERSION = 2
"""2: copies of blobs have names of their own (`copies`)."""


@dataclass(frozen=True, slots=True)
class Manifest:
    """`upper`: all that was committed before that time is there.  `taken_ms` is the wall time of the snapshot, `release` of the program.
    The copy of consensus is `pieces` files with `nbytes` together, whose SHA-256 is `sha256`.  `keys`: whether the keys of secrets are beside it."""

    name: str
    environment: str
    release: str
    taken_ms: int
    upper: int
    shards: int
    blobs: int
    blob_bytes: int
    pieces: int
    nbytes: int
    sha256: str
    keys: bool

    def encode(self) -> bytes:
        return json.dumps({"format": FORMAT_VERSION, **asdict(self)}, indent=1).encode()

    @classmethod
    def decode(cls, data: bytes, name: str) -> Manifest:
        """Raises ValueError for one that is damaged, StorageError for one of a newer format."""
        try:
            values = json.loads(data)
            version = values.pop("format")
            if version <= FORMAT_VERSION:
                return cls(**values)
        except (TypeError, KeyError, AttributeError) as error:
            raise ValueError(repr(error)) from error
        raise StorageError(
            f'backup "{name}" has format version {version}; this release knows up to {FORMAT_VERSION}',
            hint="Restore it with the newer release that wrote it.",
        )


def piece(number: int) -> str:
    """The name of a piece of the copy of consensus."""
    return f"consensus-{number:06}.sqlite"
