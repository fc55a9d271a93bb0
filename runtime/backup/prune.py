"""Removing old backups: those beyond the newest, what was left of ones that were killed, and the blobs that none needs (`marks`)."""

from __future__ import annotations

import sys
import tempfile
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from ..clock import Clock
from ..directory import CONSENSUS_FILE
from ..errors import InvalidParameter, StorageError
from ..persist.consensus.sqlite import SqliteConsensus
from ..persist.part import BlobKey
from .copies import blob_of
from .copying import parts_in_blobs
from .manifest import MANIFEST_FILE
from .marks import (
    CARRIED_OUT,
    DECISION_FILE,
    KILLED_MS,
    PLAN_FILE,
    VOID,
    VOID_FILE,
    WITHDRAWN,
    Folder,
    Plan,
    create,
    file_key,
    folders,
    last_said,
    plans,
    read,
)
from .place import Place

MOST_BLOBS = 100_000
"""Of one plan, which is one object: more go in several."""
_MOST_PLANS = 10_000


@dataclass(frozen=True, slots=True)
class Unfinished:
    """A backup that is under way, or was killed: until `killed_ms` nobody knows, unless its `marks` are deleted."""

    name: str
    said_ms: int
    marks: tuple[BlobKey, ...]

    @property
    def killed_ms(self) -> int:
        return self.said_ms + KILLED_MS


@dataclass(slots=True)
class Pruned:
    """How many backups and blobs were removed.  `others` that are at it, or may be, are why there may be more; of these `unfinished` keep
    it up."""

    backups: int = 0
    blobs: int = 0
    others: tuple[str, ...] = ()
    unfinished: tuple[Unfinished, ...] = ()


class _Others(Exception):
    """Others are using the place in a way that this removal does not know of."""

    def __init__(self, *names: str, unfinished: tuple[Unfinished, ...] = ()) -> None:
        super().__init__(*names)
        self.names = names
        self.unfinished = unfinished


def prune(place: Place, keep: int, clock: Clock) -> Pruned:
    """Removes all backups but the newest `keep`.

    What is kept is read first: where one of them is damaged nothing is removed (StorageError).  A process that dies on the way leaves what
    the next one removes.  PtvcError while others use a directory; in S3 nothing is removed while they may.
    """
    if keep < 1:
        raise InvalidParameter(f"of the backups {keep} cannot be kept", hint="Keep one at least.")
    pruned = Pruned()
    with place.used(alone=True) as alone:
        for _ in range(_MOST_PLANS):
            killed = sys.maxsize if alone else clock.now_ms() - KILLED_MS
            try:
                _settle(place, killed)
                plan = _planned(place, keep, killed, clock.now_ms())
            except _Others as others:
                pruned.others, pruned.unfinished = others.names, others.unfinished
                break
            if plan is None:
                break
            _carry_out(place, plan)
            pruned.backups += len(plan.backups)
            pruned.blobs += len(plan.blobs)
            if len(plan.blobs) < MOST_BLOBS:
                break
    return pruned


def _settle(place: Place, killed: int) -> None:
    """Plans of others that have stayed are carried out if they were decided, and withdrawn otherwise."""
    for plan, folder in plans(place.files):
        decision = plan.key(DECISION_FILE)
        if DECISION_FILE in folder.files:
            decided = read(place.files, decision)
        elif plan.at > killed:
            continue  # somebody is at it
        else:
            decided = create(place.files, decision, WITHDRAWN)
        if decided == CARRIED_OUT:
            _carry_out(place, plan)
        elif decided == WITHDRAWN:
            place.files.delete(plan.key(PLAN_FILE))


def _planned(place: Place, keep: int, killed: int, now: int) -> Plan | None:
    """A plan that is decided; None if there is nothing to remove.  Raises _Others."""
    backups, left = _backups(place, killed)
    kept, old = backups[-keep:], backups[:-keep]
    needed: set[BlobKey] = set()
    for folder in kept:
        needed |= _needed(place, folder)
    unneeded = [key for key in place.blobs.keys() if blob_of(key) not in needed]  # noqa: SIM118
    files = [key for folder in left for key in folder]
    for folder in old:
        files += _files_of(folder)
    if not (old or files or unneeded):
        return None
    environment = f"{place.blobs.owner() or 0:x}"
    plan = Plan.of(environment, now, [folder.name for folder in old], files, unneeded[:MOST_BLOBS])
    place.files.put(plan.key(PLAN_FILE), plan.encode())
    try:
        # Twice: a backup that ends while names are listed may show neither that it was begun, nor its manifest.
        for _ in range(2):
            _check_known(place, {folder.name for folder in backups})
    except _Others:
        place.files.delete(plan.key(PLAN_FILE))
        raise
    if create(place.files, plan.key(DECISION_FILE), CARRIED_OUT) != CARRIED_OUT:
        raise _Others(plan.name)  # one that took this process for killed
    return plan


def _backups(place: Place, killed: int) -> tuple[list[Folder], list[list[BlobKey]]]:
    """The folders of backups that are whole, oldest first, and files that belong to none.  Raises _Others while one is under way.

    What was killed is void from now on.
    """
    whole: list[Folder] = []
    left: list[list[BlobKey]] = []
    under_way: list[str] = []
    unfinished: list[Unfinished] = []
    for folder in folders(place.files):
        if folder.of_plan:
            continue
        if folder.begun and not folder.void:
            said = last_said(place.files, folder)
            if said is None or said > killed:
                under_way.append(folder.name)
                if said is not None:
                    marks = tuple(folder.key(file) for file in folder.begun)
                    unfinished.append(Unfinished(folder.name, said, marks))
                continue
            if create(place.files, folder.key(MANIFEST_FILE), VOID) == VOID:
                place.files.put(folder.key(VOID_FILE), VOID)
                folder = Folder(folder.environment, folder.name, folder.files | {MANIFEST_FILE, VOID_FILE})
        if folder.void or not (folder.manifest or folder.begun):
            left.append(_files_of(folder))
        else:
            whole.append(folder)
    if under_way:
        raise _Others(*under_way, unfinished=tuple(unfinished))
    return whole, left


def _files_of(folder: Folder) -> list[BlobKey]:
    """Those that go with a backup, the manifest first.  Of one that was killed marks stay: it may be alive after all, and must not become
    whole."""
    stay = {*folder.begun, VOID_FILE, MANIFEST_FILE} if folder.begun else {VOID_FILE}
    going = sorted(folder.files - stay, key=lambda file: file != MANIFEST_FILE)
    return [folder.key(file) for file in going] + ([] if folder.begun else [folder.key(VOID_FILE)])


def _check_known(place: Place, known: set[str]) -> None:
    """Raises _Others if a backup has begun, or has come, that is not known."""
    strangers = [
        folder.name
        for folder in folders(place.files)
        if (folder.begun or folder.manifest) and not folder.void and folder.name not in known
    ]
    if strangers:
        raise _Others(*strangers)


def _needed(place: Place, folder: Folder) -> set[BlobKey]:
    """The blobs that a backup needs.  Raises _Others if it has gone meanwhile."""
    try:
        with tempfile.TemporaryDirectory(prefix="ptvc-prune-") as directory:
            path = Path(directory) / CONSENSUS_FILE
            place.fetch(place.manifest(folder.name), path)
            with closing(SqliteConsensus(path)) as copy:
                return {part.blob for part in parts_in_blobs(copy) if part.blob is not None}
    except (StorageError, InvalidParameter):
        if folder.name not in place.complete():
            raise _Others(folder.name) from None
        raise


def _carry_out(place: Place, plan: Plan) -> None:
    """Also again, and by several."""
    for name in plan.backups:
        place.files.put(file_key(plan.environment, name, VOID_FILE), VOID)
    for key in plan.files:
        place.files.delete(key)
    for key in plan.blobs:
        place.blobs.delete(key)
    for file in (PLAN_FILE, DECISION_FILE):
        place.files.delete(plan.key(file))
