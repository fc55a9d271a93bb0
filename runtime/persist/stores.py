"""The stores of an environment: a consensus and the blobs that belong to it, opened together or not at all.

Every consensus has drawn a number when it was made: its **identity**, which is the environment's.  The blobs are
marked with it, and the environment's directory remembers it in `stores.json`, with the URLs:

```
directory/stores.json --identity-- consensus --identity-- mark of the blobs
```

All three agree, or nothing is opened for writing: a consensus beside the blobs of another one would miss parts and delete
what is not its own, and a directory beside another environment's consensus would go on from the wrong state.
URLs may change as long as the identity does not: stores that were moved are the same.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote, urlsplit

from ..directory import BLOB_DIRECTORY, CONSENSUS_FILE, RESTORE_FILE, STORES_FILE, make_private, usable
from ..errors import InvalidParameter, StorageError
from .blob.base import Blob
from .consensus.base import Consensus
from .consensus.copies import DurableConsensus
from .consensus.sqlite import SqliteConsensus
from .location import DEFAULT_BLOB, DEFAULT_CONSENSUS, Location, blob_url, consensus_url, open_blob

__all__ = ["DurableStores", "Stores", "locate", "open_consensus", "open_existing", "open_stores", "remember"]

_FORMAT_VERSION = 1


@dataclass(frozen=True, slots=True)
class Stores:
    """`location` is without defaults: any process can open its URLs."""

    location: Location
    consensus: Consensus
    blob: Blob


@dataclass(frozen=True, slots=True)
class DurableStores(Stores):
    consensus: DurableConsensus


@dataclass(frozen=True, slots=True)
class _Remembered:
    """What a directory says of its stores.  One of a release without `stores.json` does not say the identity."""

    location: Location
    identity: int | None


def locate(
    directory: Path,
    consensus: str | None = None,
    blob: str | None = None,
    environment: Mapping[str, str] = os.environ,
) -> Location:
    """What somebody named, or else what the directory remembers, or else the files in it.  Raises InvalidParameter."""
    remembered = _remembered(directory)
    known = remembered.location if remembered is not None else Location()
    return Location(
        known.consensus if consensus is None else consensus_url(consensus),
        known.blob if blob is None else blob_url(blob, environment),
    )


def open_stores(directory: Path, location: Location) -> DurableStores:
    """The stores for a process that serves the environment, made if they are not there and recorded in the directory.

    InvalidParameter if they do not belong together; StorageError if one cannot be opened.
    """
    make_private(directory)
    if (directory / RESTORE_FILE).exists():
        raise InvalidParameter(
            f"a restore into {directory} was interrupted", hint="Run the same ptvc restore again: it goes on."
        )
    remembered = _remembered(directory)
    places = location.under(directory)
    if (
        remembered is not None
        and remembered.identity is None
        and places.consensus != Location().under(directory).consensus
    ):
        raise _other_directory(directory, remembered.location, location)
    unmarked = remembered is not None and _may_be_unmarked(directory, remembered, location)
    consensus = open_consensus(places.consensus)
    try:
        identity = consensus.identity()
        if remembered is not None and remembered.identity not in (None, identity):
            raise _other_directory(directory, remembered.location, location)
        blob = open_blob(places.blob)
        owner = blob.owner()
        if owner is None and not unmarked and consensus.shard_ids():
            raise InvalidParameter(
                f"the collections of {places.consensus} have their parts elsewhere than in {places.blob}",
                hint="Name the place with --blob where they are. To move them, copy all that is there, "
                "while no runtime serves the environment.",
            )
        if owner not in (None, identity):
            raise _other_blobs(places)
        remember(directory, location, identity)
        if owner is None and blob.claim(identity) != identity:
            raise _other_blobs(places)
    except BaseException:
        consensus.close()
        raise
    return DurableStores(places, consensus, blob)


def open_existing(directory: Path, location: Location) -> DurableStores:
    """The stores for a process that only reads.  Nothing is made, marked or recorded; InvalidParameter if there are none, or
    if they do not belong together."""
    places = location.under(directory)
    url = urlsplit(places.consensus)
    if url.scheme == "sqlite" and not Path(unquote(url.path)).is_file():
        raise InvalidParameter(
            f"{directory} holds no environment"
            if location.consensus == DEFAULT_CONSENSUS
            else f"{places.consensus} is not there",
            hint="Name its directory with --path, and its stores with --consensus and --blob if they are elsewhere.",
        )
    url = urlsplit(places.blob)
    if url.scheme == "file" and location.blob != DEFAULT_BLOB and not Path(unquote(url.path)).is_dir():
        raise InvalidParameter(f"{places.blob} is not there", hint="Name the place of the blobs with --blob.")
    consensus = open_consensus(places.consensus, create=False)
    try:
        blob = open_blob(places.blob)
        if blob.owner() not in (None, consensus.identity()):
            raise _other_blobs(places)
    except BaseException:
        consensus.close()
        raise
    return DurableStores(places, consensus, blob)


def open_consensus(url: str, *, create: bool = True) -> DurableConsensus:
    """The consensus at a URL that is no default.  StorageError if it cannot be opened; InvalidParameter if there is none
    in a database, and it is not to be made."""
    split = urlsplit(url)
    if split.scheme == "sqlite":
        return SqliteConsensus(unquote(split.path))
    from .consensus.postgres import PostgresConsensus  # takes a while, as it imports psycopg

    return PostgresConsensus(url, create=create)


def _may_be_unmarked(directory: Path, remembered: _Remembered, location: Location) -> bool:
    """Whether blobs without a mark may be this environment's all the same: the files that always were there, of a release
    that marked none, or whose mark was lost with an empty directory."""
    same = location.blob == remembered.location.blob == DEFAULT_BLOB
    return same and (remembered.identity is not None or (directory / BLOB_DIRECTORY).is_dir())


def _remembered(directory: Path) -> _Remembered | None:
    """What the directory says; None for one that is new."""
    path = directory / STORES_FILE
    with usable(directory):
        try:
            text = path.read_text()
        except FileNotFoundError:
            old = (directory / CONSENSUS_FILE).is_file()
            return _Remembered(Location(), None) if old else None
    try:
        found = json.loads(text)
        version, identity = found["format"], int(found["environment"], 16)
        location = Location(str(found["consensus"]), str(found["blob"]))
    except (ValueError, TypeError, KeyError) as error:
        raise StorageError(
            f"{path} is not what was written: {error}",
            sqlstate="XX001",
            hint="If the stores are the files in the directory, remove it: it is made again.",
        ) from error
    if version > _FORMAT_VERSION:
        raise StorageError(
            f"{path} has format version {version}; this release knows up to {_FORMAT_VERSION}",
            hint="Start it with the newer release that wrote it.",
        )
    return _Remembered(location, identity)


def remember(directory: Path, location: Location, identity: int) -> None:
    """Records the stores of an environment in its directory, if it does not say so already.  Lost in a crash, it is made again from what the
    stores say of each other."""
    text = json.dumps(
        {
            "format": _FORMAT_VERSION,
            "environment": f"{identity:x}",
            "consensus": location.consensus,
            "blob": location.blob,
        }
    )
    path = directory / STORES_FILE
    with usable(directory):
        if path.is_file() and path.read_text() == text:
            return
        temporary = path.with_suffix(".tmp")
        temporary.write_text(text)
        temporary.replace(path)


def _other_directory(directory: Path, made: Location, named: Location) -> InvalidParameter:
    return InvalidParameter(
        f"{directory} belongs to another environment than {named.under(directory).consensus}",
        hint=f"It was made with --consensus {made.consensus} --blob {made.blob}: name these, or neither, or another "
        "directory with --path.",
    )


def _other_blobs(places: Location) -> InvalidParameter:
    return InvalidParameter(
        f"the blobs in {places.blob} belong to another environment than {places.consensus}",
        hint="Every environment needs a place of its own: name another directory, or another prefix in the bucket, with "
        "--blob.",
    )
