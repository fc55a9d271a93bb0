"""Removing old backups from a directory: those beyond the newest, what was left of ones that were killed, and the blobs that none needs."""

from __future__ import annotations

import tempfile
from contextlib import closing
from pathlib import Path

from ..directory import CONSENSUS_FILE
from ..errors import InvalidParameter
from ..persist.consensus.sqlite import SqliteConsensus
from ..persist.part import BlobKey
from .copying import parts_in_blobs
from .manifest import MANIFEST_FILE
from .place import Place


def prune(place: Place, keep: int) -> tuple[int, int]:
    """Removes all backups but the newest `keep`; returns how many backups, and how many blobs.

    What is kept is read first: where one of them is damaged nothing is removed (StorageError).  A process that dies on the way leaves blobs that
    the next one removes.  PtvcError while others use the place, Unsupported of S3.
    """
    if keep < 1:
        raise InvalidParameter(f"of the backups {keep} cannot be kept", hint="Keep one at least.")
    with place.used(alone=True):
        names = place.complete()
        kept = names[-keep:]
        needed: set[BlobKey] = set()
        for name in kept:
            needed |= _blobs(place, name)
        files, blobs = list(place.files.keys()), list(place.blobs.keys())
        unwanted = [key for key in files if key.split("/")[1] not in kept]
        # Manifests first: what is left of a backup is none.
        for key in sorted(unwanted, key=lambda key: not key.endswith(f"/{MANIFEST_FILE}")):
            place.files.delete(key)
        orphans = [key for key in blobs if key not in needed]
        for key in orphans:
            place.blobs.delete(key)
        return len(names) - len(kept), len(orphans)


def _blobs(place: Place, name: str) -> set[BlobKey]:
    """Those that a backup needs."""
    with tempfile.TemporaryDirectory(prefix="ptvc-prune-") as directory:
        path = Path(directory) / CONSENSUS_FILE
        place.fetch(place.manifest(name), path)
        with closing(SqliteConsensus(path)) as copy:
            return {part.blob for part in parts_in_blobs(copy) if part.blob is not None}
