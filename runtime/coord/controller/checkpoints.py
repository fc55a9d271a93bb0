"""The checkpoints of all dataflows, as the coordinator knows them: which are published, and how far back they reach.

```
all processes see the files where they are    <object>/<replica>/checkpoint.json, and the files that it names

files are copied                              <object>/<replica>/checkpoint-<epoch>-<number>.json, of which the last counts
                                              <object>/<replica>/<place>/..., another place after state was forgotten, or a start
```

A replica that has no checkpoint of its own begins with one that it borrows from another (`borrow`): until it has read that, the other's stays,
and it has one of its own as soon as it can.

Replicas write files; what they say is a checkpoint becomes one here, by a manifest (see
`compute.checkpoint`), once every output below its cut is durable.  Until a newer one has taken its place, the inputs of
the dataflow stay readable at the cut (`coord.controller.maintenance`).  An object, or a replica, that is gone takes its directory
along; what a crash has left of one is removed at the start.  Copies of files go when `needs` says that they may: a process that does not know
yet that their place was given up may still be adding to them.
"""

from __future__ import annotations

import asyncio
import logging
import re
import shutil
from collections.abc import Callable, Collection, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from secrets import token_hex

from ...compute.checkpoint import MANIFEST, Checkpoint, publish, read, unpublish
from ...compute.shared_files import SharedFiles
from ...errors import PtvcError, StorageError, StoreAway
from ...expr.tree.relation import GlobalId
from ...retry import Backoff, retry

logger = logging.getLogger(__name__)

REMOVED = "removed-"
"""How the directories begin of which the files are being removed."""


_COPIED_MANIFEST = re.compile(
    r"(?P<folder>(?P<object>[^/]+)/[^/]+)/checkpoint-(?P<epoch>\d+)-(?P<number>\d+)\.json"
)


_NAME = re.compile(r"r[1-9][0-9]*")

_LOOK_S = 0.01

_REPLACED = Backoff(first_s=0.1, longest_s=1.0, attempts=5)
"""A predecessor that does not know yet that it is one may publish, and remove what was before."""


def _has_gone(error: Exception) -> bool:
    return isinstance(error, StorageError) and not isinstance(error, StoreAway)


def _manifest_name(epoch: int, number: int) -> str:
    return f"checkpoint-{epoch}-{number}.json"


@dataclass(slots=True)
class _Loan:
    """Whose checkpoint a replica has begun with, and whether it needs the files of that no more."""

    lender: str
    read: bool = False


class Checkpoints:
    """Replicas go by their names within their cluster: each has state of its own."""

    def __init__(self, files: SharedFiles, names: Mapping[GlobalId, str], epoch: int) -> None:
        """Reads the manifests of the objects in `names`, which says what their directories are called, and removes the
        state of all others.  Blocks; raises PtvcError."""
        self._files = files
        self._directory = files.root
        self._names = dict(names)
        self._epoch = epoch
        self._numbers = count(1)
        self._manifests: dict[str, str] = {}
        self._publishing: set[str] = set()
        self._places: dict[str, str] = {}
        self._published: dict[GlobalId, dict[str, Checkpoint]] = {}
        self._outdated: dict[GlobalId, tuple[int, str]] = {}
        self._loans: dict[tuple[GlobalId, str], _Loan] = {}
        self._lent_in_vain: set[tuple[GlobalId, str]] = set()
        self._thread = ThreadPoolExecutor(1, "remove state")
        self._removed = count(1)
        ids = {name: id_ for id_, name in names.items()}
        if files.copied:
            self._open_copied(ids)
            return
        for path in self._directory.glob("[!.]*"):
            if path.name not in ids:
                logger.info("removing the state of %s, which does not exist", path.name)
                shutil.rmtree(path, ignore_errors=True)
                continue
            for of_replica in path.iterdir():
                self._open(ids[path.name], of_replica, MANIFEST)

    def _open_copied(self, ids: Mapping[str, GlobalId]) -> None:
        """What is there of others, the next round of maintenance removes; of what was copied here only the last manifests stay."""
        self._manifests = retry(lambda: self._fetched(ids), _has_gone, _REPLACED)
        kept = set(self._manifests.values())
        for path in self._directory.glob("[!.]*/**/*"):
            if path.is_file() and self._files.name(path) not in kept:
                path.unlink()
        for folder, name in sorted(self._manifests.items()):
            path = self._files.path(folder)
            self._open(ids[path.parent.name], path, name.rpartition("/")[2])

    def _fetched(self, ids: Mapping[str, GlobalId]) -> dict[str, str]:
        """The last manifest of each folder, which is here.  Raises PtvcError, as when one has gone meanwhile."""
        last: dict[str, tuple[int, int]] = {}
        for name in self._files.published():
            found = _COPIED_MANIFEST.fullmatch(name)
            if found is not None and found["object"] in ids:
                folder, number = found["folder"], (int(found["epoch"]), int(found["number"]))
                last[folder] = max(last.get(folder, number), number)
        names = {
            folder: f"{folder}/{_manifest_name(epoch, number)}" for folder, (epoch, number) in last.items()
        }
        self._files.fetch(names.values())
        return names

    def _open(self, id: GlobalId, path: Path, manifest: str) -> None:
        try:
            checkpoint = read(path, self._files, manifest)
        except StorageError as error:
            self.reject(id, path.name, error.message)
            return
        if checkpoint is not None:
            self._published.setdefault(id, {})[path.name] = checkpoint

    def directory(self, id: GlobalId, replica: str) -> str:
        """The name of the folder in which the replica keeps the state of the object's dataflow, until that is forgotten."""
        folder = self._files.name(self._of(id) / replica)
        place = self._places.setdefault(folder, token_hex(4))
        return f"{folder}/{place}" if self._files.copied else folder

    def _place(self, id: GlobalId, replica: str) -> tuple[str, str | None]:
        """The folder of the state that is there, and which place it is: that of state which is forgotten is no place any more."""
        folder = self._files.name(self._of(id) / replica)
        return folder, self._places.get(folder)

    def _of(self, id: GlobalId) -> Path:
        return self._directory / self._names.get(id, id)

    def adopt(self, id: GlobalId, replacement: GlobalId) -> None:
        """The state of `replacement` is that of the object from now on, where it is; its own was forgotten."""
        self._names[id] = self._names.pop(replacement, replacement)
        if (published := self._published.pop(replacement, None)) is not None:
            self._published[id] = published
        for of, replica in [key for key in self._loans if key[0] in (id, replacement)]:
            loan = self._loans.pop((of, replica))
            if of == replacement:
                self._loans[id, replica] = loan

    def outdate(self, id: GlobalId, upper: int, fingerprint: str) -> None:
        """What was saved of the object's state is that of another plan; of what comes, what is not beyond `upper` and has not this
        fingerprint.  The files stay, as its dataflows have them."""
        self._outdated[id] = upper, fingerprint
        for replica in self._published.pop(id, {}):
            unpublish(self._of(id) / replica)
            self._drop_manifests(f"{self._files.name(self._of(id))}/{replica}")

    def get(self, id: GlobalId, replica: str) -> Checkpoint | None:
        return self._published.get(id, {}).get(replica)

    def cut(self, id: GlobalId) -> int | None:
        """The least cut of the object's checkpoints."""
        return min((c.cut for c in self._published.get(id, {}).values()), default=None)

    def replicas(self, ids: Collection[GlobalId]) -> list[str]:
        """The names of the replicas that have state of these objects: first who has that of most, and is furthest."""
        cuts: dict[str, list[int]] = {}
        for id_ in ids:
            for replica, checkpoint in self._published.get(id_, {}).items():
                if _NAME.fullmatch(replica):
                    cuts.setdefault(replica, []).append(checkpoint.cut)
        return sorted(cuts, key=lambda name: (-len(cuts[name]), -sum(cuts[name]), len(name), name))

    async def borrow(self, id: GlobalId, replica: str) -> Checkpoint | None:
        """Another replica's checkpoint, for one that has none; its files stay until `loan_read`, or `end_loan`.  None if there is none, or the
        replica could not use it once."""
        if (lender := self._lender(id, replica)) is None:
            return None
        self._loans[id, replica] = _Loan(lender)
        folder = f"{self._files.name(self._of(id))}/{lender}/"
        while any(name.startswith(folder) for name in self._publishing):  # with that, files may go
            await asyncio.sleep(_LOOK_S)
        checkpoint = self.get(id, lender)
        if checkpoint is None:
            self.end_loan(id, replica)
        return checkpoint

    def _lender(self, id: GlobalId, replica: str) -> str | None:
        others = {name: c.cut for name, c in self._published.get(id, {}).items() if name != replica}
        if not others or (id, replica) in self._lent_in_vain:
            return None
        return max(others, key=others.__getitem__)

    def beginning(self, id: GlobalId, replica: str) -> Checkpoint | None:
        """What the replica would begin with now: its own checkpoint, or another's."""
        lender = self._lender(id, replica)
        return self.get(id, replica) or (None if lender is None else self.get(id, lender))

    def has_others(self, id: GlobalId, replicas: Collection[str]) -> bool:
        """Whether there is a checkpoint of another replica than these."""
        return not self._published.get(id, {}).keys() <= set(replicas)

    def loan_read(self, id: GlobalId, replica: str) -> None:
        """What the replica has borrowed, if it has, is its own: of the files it has links."""
        if (loan := self._loans.get((id, replica))) is not None:
            loan.read = True

    def end_loan(self, id: GlobalId, replica: str) -> None:
        self._loans.pop((id, replica), None)

    def borrows(self, id: GlobalId, replica: str) -> bool:
        """Whether a restart would have nothing of the replica's own yet, but what it has borrowed."""
        return (id, replica) in self._loans

    async def publish(self, id: GlobalId, replica: str, checkpoint: Checkpoint) -> bool:
        """Makes it the checkpoint to restart from; False when that cannot be written, and the one before stays, or when
        it is that of a dataflow that is gone, whose place another has taken, or which reads something else by now; or when the one
        before is being read by another replica: with it, files would go."""
        if any(
            of == id and loan.lender == replica and not loan.read for (of, _), loan in self._loans.items()
        ):
            return False
        directory, path = self.directory(id, replica), self._of(id) / replica
        place = self._place(id, replica)
        upper, fingerprint = self._outdated.get(id, (0, ""))
        if checkpoint.cut <= upper and checkpoint.fingerprint != fingerprint:
            return False
        before = self.get(id, replica)
        known = () if before is None else {file.name for file in before.files()}
        if any(
            not file.name.startswith(f"{directory}/") and file.name not in known
            for file in checkpoint.files()
        ):
            return False
        manifest = _manifest_name(self._epoch, next(self._numbers)) if self._files.copied else MANIFEST
        folder = self._files.name(path)
        name = f"{folder}/{manifest}"
        self._publishing.add(name)
        try:
            await asyncio.to_thread(self._publish, path, checkpoint, manifest)
        except (OSError, PtvcError) as error:
            if self._place(id, replica) == place:  # otherwise its directory has gone
                logger.warning("cannot publish a checkpoint of %s: %s", id, error)
            return False
        finally:
            self._publishing.discard(name)
        if self._place(id, replica) != place:
            if self._files.copied:  # otherwise it has gone with its directory
                self._files.leave(name)
                self._thread.submit(self._unpublish, (name,))
            return False
        self._published.setdefault(id, {})[replica] = checkpoint
        self.end_loan(id, replica)
        self._lent_in_vain.discard((id, replica))
        if self._files.copied:
            self._drop_manifests(folder)
            self._manifests[folder] = name
        return True

    def _publish(self, path: Path, checkpoint: Checkpoint, manifest: str) -> None:
        if self._files.copied:  # nobody else writes there
            path.mkdir(parents=True, exist_ok=True)
        publish(path, checkpoint, self._files, manifest)
        self._files.publish((path / manifest,))

    def _drop_manifests(self, folder: str) -> None:
        """Those below the folder count no more; beside the loop they go, or else with a round of maintenance."""
        names = {of: name for of, name in self._manifests.items() if f"{of}/".startswith(f"{folder}/")}
        for of, name in names.items():
            del self._manifests[of]
            self._files.leave(name)
        if names:
            self._thread.submit(self._unpublish, tuple(names.values()))

    def _unpublish(self, names: Collection[str]) -> None:
        try:
            self._files.unpublish(names)
        except PtvcError as error:
            logger.warning("manifests of state that nobody needs are left: %s", error.message)

    def needs(self) -> Callable[[str], bool]:
        """Whether a file of that name may be needed which was there before this was called: that of a checkpoint, or of a place where
        a replica keeps state."""
        named = {
            file.name
            for checkpoints in self._published.values()
            for checkpoint in checkpoints.values()
            for file in checkpoint.files()
        }
        named.update(self._manifests.values(), self._publishing)
        places = {f"{folder}/{place}" for folder, place in self._places.items()}
        return lambda name: name in named or "/".join(name.split("/")[:3]) in places

    def reject(self, id: GlobalId, replica: str, reason: str) -> None:
        """What there is of the replica's state is of no use: it is computed again from the inputs."""
        logger.warning("the state of %s in %s is computed again: %s", id, replica, reason)
        if self._loans.pop((id, replica), None) is not None:
            self._lent_in_vain.add((id, replica))
        self.forget(id, replica)

    def retain(self, id: GlobalId, replicas: Collection[str]) -> None:
        """Removes the state that other replicas than these have had."""
        path = self._of(id)
        there = {of_replica.name for of_replica in (path.iterdir() if path.is_dir() else ())}
        prefix = f"{self._files.name(path)}/"
        known = (*self._places, *self._manifests)
        there |= {folder.removeprefix(prefix) for folder in known if folder.startswith(prefix)}
        for replica in there.difference(replicas):
            self.forget(id, replica)

    def forget(self, id: GlobalId, replica: str | None = None) -> None:
        """Removes the replica's state of the object, or everybody's."""
        path = self._of(id)
        folder = self._files.name(path)
        if replica is None:
            self._places = {
                of: place for of, place in self._places.items() if not of.startswith(f"{folder}/")
            }
            self._published.pop(id, None)
            self._names.pop(id, None)
            self._outdated.pop(id, None)
            self._loans = {key: loan for key, loan in self._loans.items() if key[0] != id}
            self._lent_in_vain = {key for key in self._lent_in_vain if key[0] != id}
        else:
            self.end_loan(id, replica)
            self._published.get(id, {}).pop(replica, None)
            self._places.pop(f"{folder}/{replica}", None)
            path = path / replica
        self._drop_manifests(self._files.name(path))
        self._remove(path)

    def _remove(self, path: Path) -> None:
        """At once out of the way of what is written there next; its files go beside the loop."""
        gone = self._directory / f"{REMOVED}{next(self._removed)}"
        try:
            path.rename(gone)
        except FileNotFoundError:
            return
        self._thread.submit(shutil.rmtree, gone, ignore_errors=True)

    def close(self) -> None:
        self._thread.shutdown()
