"""Restoring a backup into a place where nothing is.

```
directory: restore.json ── blobs, checked ── keys ── consensus, in one transaction ── stores.json; restore.json goes
```

What is restored is an environment of its own: it draws a new identity, so that its stores are never taken for those that it comes from.  Until
consensus is there, its blobs belong to nobody, and no runtime starts on them; a restore that was interrupted goes on where it was.
"""

from __future__ import annotations

import json
import os
import secrets
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path

from ..directory import (
    BLOB_DIRECTORY,
    CONSENSUS_FILE,
    KEY_FILE,
    LOCK_FILE,
    LOG_DIRECTORY,
    RESTORE_FILE,
    STORES_FILE,
    make_private,
    usable,
)
from ..errors import InvalidParameter
from ..persist.codec import checksum
from ..persist.consensus.base import IDENTITY_BITS
from ..persist.consensus.copies import DurableConsensus, not_empty
from ..persist.consensus.sqlite import SqliteConsensus
from ..persist.location import Location, open_blob, open_objects
from ..persist.part import BlobKey, PartRef
from ..persist.stores import open_consensus, remember
from .copies import copies
from .copying import copy_missing, parts_in_blobs
from .manifest import Manifest
from .marks import read
from .place import Place

_MAY_BE_THERE = frozenset((LOCK_FILE, LOG_DIRECTORY, KEY_FILE, "secrets.tmp", RESTORE_FILE, "restore.tmp"))
_RESTORED = frozenset((BLOB_DIRECTORY, STORES_FILE, *(CONSENSUS_FILE + end for end in ("", "-wal", "-shm"))))
_BEGUN = frozenset(("spark", "columns"))
"""What a runtime makes before it finds that it must not serve the directory; nothing of it is kept."""


def restore(place: Place, manifest: Manifest, directory: Path, location: Location) -> None:
    """Restores the backup into a directory that this process has locked, and stores that are empty; durable on return.

    InvalidParameter where something is already; StorageError if a part of the backup is missing or damaged, or a store cannot be used.
    """
    make_private(directory)
    described = {"backup": manifest.name, "consensus": location.consensus, "blob": location.blob}
    identity = _begun(directory, described)
    _check_empty(directory, begun=identity is not None)
    places = location.under(directory)
    with tempfile.TemporaryDirectory(prefix="ptvc-restore-") as temporary:
        path = Path(temporary) / CONSENSUS_FILE
        place.fetch(manifest, path)
        with closing(SqliteConsensus(path)) as copy:
            copied = copies(place.blobs)
            _check_whole(place, manifest, copy, copied)
            if identity is None:
                identity = _begin(directory, described)
            there = _claimed(places.blob, identity)

            def get(part: PartRef, blob: BlobKey) -> bytes:
                return _copied(place, manifest, copied[blob], part)

            copy_missing(parts_in_blobs(copy), there, get, open_blob(places.blob).put)
            if manifest.keys:
                _restore_keys(place, manifest, directory)
            with closing(open_consensus(places.consensus)) as consensus:
                _load(consensus, copy, identity, manifest.upper)
    remember(directory, location, identity)
    (directory / RESTORE_FILE).unlink()


def _begun(directory: Path, described: Mapping[str, str]) -> int | None:
    """The identity that was drawn for what is to be restored, if that was begun.  InvalidParameter where another restore was."""
    with usable(directory):
        try:
            found = json.loads((directory / RESTORE_FILE).read_text())
        except FileNotFoundError:
            return None
    identity = int(found.pop("environment"), 16)
    if found != described:
        raise InvalidParameter(
            f'{directory} has a part of backup "{found["backup"]}", whose restore was interrupted',
            hint="Restore that one, with the same stores; or remove the directory and what is in the stores.",
        )
    return identity


def _check_empty(directory: Path, *, begun: bool) -> None:
    """Nothing but what a restore has left.  State of another environment would be taken for this one's, too."""
    allowed = _MAY_BE_THERE | _RESTORED | _BEGUN if begun else _MAY_BE_THERE
    with usable(directory):
        others = sorted({entry.name for entry in os.scandir(directory)} - allowed)
    if others:
        raise InvalidParameter(
            f'{directory} is not empty: it has "{others[0]}"',
            hint="Restore into a new directory; nothing is ever restored over an environment.",
        )


def _begin(directory: Path, described: Mapping[str, str]) -> int:
    identity = secrets.randbits(IDENTITY_BITS)
    path = directory / RESTORE_FILE
    temporary = path.with_suffix(".tmp")
    with usable(directory):
        temporary.write_text(json.dumps({"environment": f"{identity:x}", **described}))
        temporary.replace(path)
    return identity


def _claimed(url: str, identity: int) -> set[BlobKey]:
    """Makes the place of the blobs this environment's; returns what is there already, as a restore was interrupted."""
    if next(iter(open_objects(url).names()), None) is not None:
        raise not_empty(url)  # state of another environment would be taken for this one's
    blob = open_blob(url)
    there = set(blob.keys())
    if (there and blob.owner() != identity) or blob.claim(identity) != identity:
        raise not_empty(url)
    return there


def _check_whole(
    place: Place, manifest: Manifest, copy: SqliteConsensus, copied: Mapping[BlobKey, list[BlobKey]]
) -> None:
    """Before anything is written: that all blobs are there."""
    lacking = sum(part.blob not in copied for part in parts_in_blobs(copy))
    if lacking:
        raise place.damaged(manifest.name, f"it lacks {lacking} of its {manifest.blobs} blobs")


def _copied(place: Place, manifest: Manifest, keys: Sequence[BlobKey], part: PartRef) -> bytes:
    """The bytes of a part, from whichever of its copies has them.  StorageError if none does."""
    damage = ""
    for key in keys:
        if (data := read(place.blobs, key)) is None:
            damage = f'"{key}" is missing'
        elif checksum(data) != part.checksum:
            damage = f'the checksum of "{key}" does not match'
        else:
            return data
    raise place.damaged(manifest.name, damage)


def _restore_keys(place: Place, manifest: Manifest, directory: Path) -> None:
    """One that is there already is the user's own, and stays."""
    data = place.keys(manifest)
    path = directory / KEY_FILE
    if path.exists():
        return
    temporary = path.with_suffix(".tmp")
    temporary.unlink(missing_ok=True)
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    with open(descriptor, "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(descriptor)
    temporary.replace(path)


def _load(consensus: DurableConsensus, copy: SqliteConsensus, identity: int, upper: int) -> None:
    if consensus.identity() == identity and consensus.shard_ids(dropped=True):
        return  # a restore was interrupted just behind this
    consensus.load(copy.dump, identity, upper)
