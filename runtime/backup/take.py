"""Taking a backup: one snapshot of consensus, and the blobs that it names.

A *pin* in consensus keeps garbage collection from deleting a blob before it is copied, whichever process collects.  It is a lease: when
this process dies, it ends a minute later.  If it was lost all the same, as while this process was stopped, a blob may be gone: then
the backup begins again with a new snapshot, and what was copied need not be copied again.

Marks (`marks`) keep those who remove old backups from removing what this one relies on.
"""

from __future__ import annotations

import hashlib
import logging
import secrets
import tempfile
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from ..clock import Clock
from ..coord.storage.catalog_store import CATALOG_SHARD
from ..directory import CONSENSUS_FILE, installed_version
from ..errors import InvalidParameter, ObjectNotReady, PtvcError, StorageError, UndefinedObject
from ..persist.client import DEFAULT_LEASE_MS, PersistClient
from ..persist.codec import check_bytes
from ..persist.consensus.base import Consensus
from ..persist.consensus.sqlite import SqliteConsensus
from ..persist.part import BlobKey, PartRef, ShardId
from ..persist.stores import DurableStores
from .copies import copies, copy_key
from .copying import Count, copy_missing, parts_in_blobs
from .manifest import KEYS_FILE, MANIFEST_FILE, Manifest, piece
from .marks import Begun, create, file_key, plans
from .place import Place

logger = logging.getLogger(__name__)

PIECE_BYTES = 32 << 20
"""Of the copy of consensus."""
MOST_SNAPSHOTS = 5
BEATS_PER_LEASE = 3


@dataclass(frozen=True, slots=True)
class Taken:
    """`copied` blobs were not there from an earlier backup."""

    manifest: Manifest
    copied: int
    copied_bytes: int


class _PinLost(Exception):
    """Blobs of the snapshot may be gone."""


class _Pin:
    """A hold on all blobs that are live when it is made; `lost` once it may have ended."""

    def __init__(self, client: PersistClient, shard: ShardId, lease_ms: int) -> None:
        self._client, self._shard = client, shard
        self._holder = client.pin(shard, secrets.token_hex(8), lease_ms=lease_ms)
        self._pause_s = lease_ms / 1000 / BEATS_PER_LEASE
        self._ended = threading.Event()
        self.lost = False
        self._thread = threading.Thread(target=self._beat, name="pin", daemon=True)
        self._thread.start()

    def _beat(self) -> None:
        while not self._ended.wait(self._pause_s):
            try:
                self._client.heartbeat(self._holder)
            except ObjectNotReady:
                self.lost = True
                return
            except PtvcError as error:  # the next one may come through before the lease ends
                logger.warning("a heartbeat of the backup has failed: %s", error)

    def check(self) -> None:
        if self.lost:
            raise _PinLost

    def held(self) -> bool:
        """Asks consensus."""
        try:
            self._client.heartbeat(self._holder)
        except ObjectNotReady:
            self.lost = True
        return not self.lost

    def end(self) -> None:
        self._ended.set()
        self._thread.join()
        with suppress(PtvcError):  # it ends by itself
            self._client.drop_hold(self._shard, self._holder)


def take(
    stores: DurableStores,
    place: Place,
    clock: Clock,
    keys: bytes | None = None,
    lease_ms: int = DEFAULT_LEASE_MS,
) -> Taken:
    """Takes a backup of the environment; durable on return.  `keys`, if they are to be in it, are a key file's contents.

    InvalidParameter where the place has another environment's backups, or nothing was ever defined in this one; StorageError if a part is
    damaged or missing, which `ptvc persist verify` says more about, or if a store cannot be read or written.
    """
    identity = stores.consensus.identity()
    if place.blobs.claim(identity) != identity:
        raise InvalidParameter(
            f"{place.url} has backups of another environment",
            hint="Name another place.  What was restored from a backup is another environment than the one that it is of.",
        )
    client = PersistClient(stores.consensus, stores.blob, clock)
    for _ in range(MOST_SNAPSHOTS):
        with _pinned(client, lease_ms) as pin, _begun(place, f"{identity:x}", clock) as attempt:
            try:
                return attempt.take(stores, place, pin, keys)
            except _PinLost:
                pass
        logger.warning(
            "the backup has stood still for longer than its lease: it begins again with a new snapshot"
        )
    raise StorageError(
        f"could not take a backup: its hold on the blobs was lost {MOST_SNAPSHOTS} times",
        hint="This process stands still for longer than its lease again and again, or consensus is away: see to that.",
    )


@contextmanager
def _pinned(client: PersistClient, lease_ms: int) -> Iterator[_Pin]:
    try:
        pin = _Pin(client, CATALOG_SHARD, lease_ms)
    except UndefinedObject:
        raise InvalidParameter(
            "there is nothing to back up: no runtime has served this environment yet",
            hint="Start it with: ptvc up.",
        ) from None
    try:
        yield pin
    finally:
        pin.end()


@contextmanager
def _begun(place: Place, environment: str, clock: Clock) -> Iterator[_Attempt]:
    """A backup that is under way until the block ends, or, once its manifest may be there, until that is known."""
    taken_ms = clock.now_ms()
    taken = datetime.fromtimestamp(taken_ms / 1000, UTC)
    name = f"{taken:%Y%m%dT%H%M%S}.{taken_ms % 1000:03}Z-{secrets.token_hex(3)}"
    attempt = _Attempt(environment, name, taken_ms, Begun(place.files, environment, name, clock))
    try:
        yield attempt
    finally:
        if not attempt.uncertain:
            try:
                attempt.begun.end()
            except PtvcError as error:
                logger.warning("others take backup %s for one that is under way, for a day: %s", name, error)


@dataclass(slots=True)
class _Attempt:
    """To take the backup of one snapshot.  `uncertain`: its manifest is being written."""

    environment: str
    name: str
    taken_ms: int
    begun: Begun
    uncertain: bool = False

    def take(self, stores: DurableStores, place: Place, pin: _Pin, keys: bytes | None) -> Taken:
        """Raises _PinLost."""
        doomed = {key for plan, _ in plans(place.files) for key in plan.blobs}  # first: see `marks`
        there = copies(place.blobs, but=doomed)
        token = secrets.token_hex(8)

        def read(part: PartRef, blob: BlobKey) -> bytes:
            pin.check()
            self.begun.beat()
            data = stores.blob.get(blob)
            check_bytes(part, data)
            return data

        def write(blob: BlobKey, data: bytes) -> None:
            place.blobs.put(copy_key(blob, token), data)

        with tempfile.TemporaryDirectory(prefix="ptvc-backup-") as directory:
            path = Path(directory) / CONSENSUS_FILE
            with closing(SqliteConsensus(path)) as copy:
                copy.load(stores.consensus.dump, int(self.environment, 16))
                shards, upper = len(copy.shard_ids()), _upper(copy)
                try:
                    found, copied = copy_missing(parts_in_blobs(copy), there, read, write)
                except StorageError:
                    if pin.held():
                        raise
                    raise _PinLost from None
            # The file is whole, as it is closed.
            manifest = self._written(place, path, keys, upper, shards, found)
        return Taken(manifest, copied.blobs, copied.nbytes)

    def _written(
        self, place: Place, path: Path, keys: bytes | None, upper: int, shards: int, blobs: Count
    ) -> Manifest:
        """Writes the copy of consensus, and last the manifest."""
        digest, pieces, nbytes = hashlib.sha256(), 0, 0
        with path.open("rb") as file:
            while data := file.read(PIECE_BYTES):
                place.files.put(self._key(piece(pieces)), data)
                digest.update(data)
                pieces, nbytes = pieces + 1, nbytes + len(data)
        if keys is not None:
            place.files.put(self._key(KEYS_FILE), keys)
        manifest = Manifest(
            name=self.name,
            environment=self.environment,
            release=installed_version(),
            taken_ms=self.taken_ms,
            upper=upper,
            shards=shards,
            blobs=blobs.blobs,
            blob_bytes=blobs.nbytes,
            pieces=pieces,
            nbytes=nbytes,
            sha256=digest.hexdigest(),
            keys=keys is not None,
        )
        self.uncertain = True
        if create(place.files, self._key(MANIFEST_FILE), manifest.encode()) != manifest.encode():
            raise StorageError(
                f'backup "{self.name}" was given up by a removal of old ones: for a day it had not said that it was under way',
                hint="Take it again.",
            )
        self.uncertain = False
        return manifest

    def _key(self, file: str) -> BlobKey:
        return file_key(self.environment, self.name, file)


def _upper(consensus: Consensus) -> int:
    """All that was committed before this time is there: each commit is later than those before it, and as late as the uppers that
    it leaves.  A view of what no longer changes has one beyond all times."""
    heads = [consensus.head(shard) for shard in consensus.shard_ids()]
    latest = consensus.mark() + 1
    return max((head.upper for head in heads if head is not None and head.upper <= latest), default=0)
