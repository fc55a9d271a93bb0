"""The state of one installed dataflow on file: where it is, and when it is time for the next checkpoint.

```
step thread            due? ── handles of all spines at the frontier ──┐              ┌── answered ──┐
checkpoint thread                                                      └── write ──┐  │              └── sweep
coordinator                                                 outputs durable, manifest ── published
```

One checkpoint of a dataflow is under way at a time.  A dataflow that has taken in few rows since it began is not worth
one: it is hydrated as quickly.  Later, a checkpoint follows when enough rows have come since the last, and when any
have come and some time is over, as its inputs are held readable at the last cut.

State that is not needed is packed (`RunStore.pack`), which is a checkpoint, too: soon after hydration, as most views of a project that was
built stay as they are for a while; and when a dataflow that has been stepped was left alone for long, as its next step has to
open again what it looks at.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from time import monotonic
from typing import Protocol

from ..compute.checkpoint import Checkpoint, StoredState, layout, write
from ..compute.partitioned.part_state import Beginning, begun
from ..compute.run import Run
from ..compute.run_store import RunStore, StateId
from ..compute.shared_files import MACHINE, SharedFiles
from ..compute.spine import Spine
from ..errors import PtvcError, StorageError
from ..expr.tree.relation import GlobalId
from .protocol import Checkpointed, CheckpointPublished, StateOptions

logger = logging.getLogger(__name__)

LEAST_INTERVAL_S = 1.0
"""However many rows come, checkpoints are this far apart."""

PACKED_AFTER_HYDRATION_S = 5.0
"""State in which nothing has changed since it was hydrated is packed."""

PACKED_AFTER_USE_S = 600.0
"""So is state that has changed since: to open it again takes about a second for 10M rows, at most once in so long."""

_RETRY_S = 10.0
"""After one could not be written or published, the next is tried so much later."""


class Others(Protocol):
    """The other parts of a dataflow that is divided among workers, which keep their own state.  Called between steps."""

    @property
    def few(self) -> tuple[int, ...]:
        """The positions of imports that may be broadcast."""

    def keep_others(
        self, directory: str, spill_rows: int, checkpoint: Checkpoint | None
    ) -> Callable[[], None]:
        """Has them begin, with a checkpoint or with nothing; what is returned waits until they have."""

    def begin(
        self, store: RunStore, spines: Mapping[StateId, Spine], checkpoint: Checkpoint
    ) -> dict[StateId, tuple[Run, ...]]:
        """What this part begins with."""

    def save_others(self, *, pack: bool) -> Callable[[], tuple[StoredState, ...]]:
        """Has them save what they hold; what is returned waits until it is on file, on any thread.  Raises PtvcError."""

    def sweep_others(self, kept: Sequence[StoredState]) -> None:
        """Files that they do not need any more go; a checkpoint has those of `kept`."""


class DurableState:
    """`writer` names this attempt of the replica in files.  `may_be_packed`: who reads the state can wait until it is opened.
    Creates the directory; raises OSError."""

    def __init__(
        self,
        id: GlobalId,
        options: StateOptions,
        writer: str,
        files: SharedFiles = MACHINE,
        *,
        may_be_packed: bool = False,
    ) -> None:
        self._id = id
        self._may_be_packed = may_be_packed
        self._packed = False
        self._steps = 0
        self._touched_at = monotonic()
        self._options = options
        directory = files.path(options.directory)
        directory.mkdir(parents=True, exist_ok=True)
        self.store = RunStore(directory, writer, options.spill_rows, files)
        self._collected = False
        self.spines: Mapping[StateId, Spine] = {}
        self._others: Others | None = None
        self._published: Checkpoint | None = None
        self._pending: Checkpoint | None = None
        self._under_way = False
        self._rows = 0
        self._at = monotonic()
        self._retry_at = 0.0

    # Files that earlier attempts have left go before anything is written: one that is half there belongs to no run yet.

    def load(
        self, checkpoint: Checkpoint, spines: Mapping[StateId, Spine], others: Others | None = None
    ) -> dict[StateId, tuple[Run, ...]]:
        """The runs of a published checkpoint, for `spines`; `others` begin with theirs.  Raises StorageError when they are not what was
        written, or were written for others."""
        if checkpoint.layout != layout(spines):
            raise StorageError("operators hold other state than the checkpoint has")
        if self._options.borrowed:
            self._rows = max(self._options.checkpoint_rows, 1)
        else:
            self._published = checkpoint
        self.store.collect(checkpoint.files())
        if others is None:
            return begun(self.store, spines, Beginning(checkpoint.cut, checkpoint.parts), 0, 1)
        wait = others.keep_others(self._options.directory, self._options.spill_rows, checkpoint)
        runs = others.begin(self.store, spines, checkpoint)
        wait()
        return runs

    def adopt(self, names: Mapping[StateId, Sequence[str]]) -> dict[StateId, tuple[Run, ...]]:
        """The runs that a job has left: worth a checkpoint at once."""
        self._rows = max(self._options.checkpoint_rows, 1)
        return self.store.adopt(names)

    def begin_with(self, names: Mapping[StateId, Sequence[str]]) -> dict[StateId, tuple[Run, ...]]:
        """A job has computed the state that the dataflow begins with, and has left these runs."""
        runs = self.adopt(names)
        self.store.collect()
        return runs

    def begin(self, others: Others | None) -> None:
        """There is no state yet."""
        self.store.collect()
        if others is not None:
            others.keep_others(self._options.directory, self._options.spill_rows, None)()

    def keep(self, spines: Mapping[StateId, Spine], others: Others | None = None) -> None:
        """`spines`, and `others`, hold the whole state: from now on their large runs are mapped."""
        self.spines, self._others = spines, others
        for spine in spines.values():
            spine.store = self.store
            spine.spill()

    def rename(self, id: GlobalId) -> None:
        """The state is that of another object from now on.  A checkpoint that is under way is abandoned."""
        self._id = id
        if self._under_way:
            self._failed()

    def repoint(self, fingerprint: str) -> None:
        """The state is that of another plan from now on; a restart cannot use what was saved for the one before."""
        self._options = replace(self._options, fingerprint=fingerprint)
        if self._published is not None:
            self._rows += max(self._options.checkpoint_rows, 1)

    def took(self, rows: int) -> None:
        """The dataflow has taken in so many updates."""
        self._rows += rows
        if rows:
            self._steps += 1
            self._touched_at = monotonic()
            self._packed = False

    @property
    def cut(self) -> int | None:
        """Where a restart begins."""
        return self._published.cut if self._published is not None else None

    def due(self, upper: int, readable_from: int | None = None) -> PendingCheckpoint | None:
        """Begins a checkpoint at the dataflow's frontier `upper`, if it is time for one.  `readable_from` is
        the since of an index."""
        since = monotonic() - self._at
        enough = self._rows >= max(self._options.checkpoint_rows, 1)
        late = self._published is not None and since * 1000 >= self._options.checkpoint_interval_ms
        patience = min(LEAST_INTERVAL_S, self._options.checkpoint_interval_ms / 1000)
        first = self._published is None and self._pending is None
        if self._under_way or monotonic() < self._retry_at:
            return None
        pack = not self._rows and self._is_cold()
        if not pack and (not (enough or (late and self._rows)) or (since < patience and not first)):
            return None
        self._packed = pack
        self._under_way, self._rows, self._at = True, 0, monotonic()
        handles = {id_: spine.handle() for id_, spine in self.spines.items()}
        others = None if self._others is None else self._others.save_others(pack=pack)
        return PendingCheckpoint(self, upper, handles, self._options.fingerprint, readable_from, pack, others)

    def _is_cold(self) -> bool:
        """Whether there is a checkpoint whose state is to be packed now."""
        if not self._may_be_packed or self._packed or self._published is None:
            return False
        patience = PACKED_AFTER_HYDRATION_S if self._steps <= 1 else PACKED_AFTER_USE_S
        if monotonic() - self._touched_at < patience:
            return False
        # A run that is being merged or written stays as it is, and this happens once.
        return all(spine.at_rest() for spine in self.spines.values())

    def write(
        self,
        upper: int,
        handles: Mapping[StateId, tuple[Run, ...]],
        fingerprint: str,
        since: int | None,
        pack: bool,
        others: Callable[[], tuple[StoredState, ...]] | None,
    ) -> Checkpointed | None:
        """On the checkpoint thread: what to tell the coordinator.  None when it cannot be written now."""
        try:
            written = write(self.store, fingerprint, upper, self.spines, handles, since, pack=pack)
            if others is not None:
                assert self._others is not None
                written = replace(written, others=others(), few=self._others.few)
            self._pending = written
        except (OSError, PtvcError) as error:
            if self.store.needed:
                logger.warning("cannot write a checkpoint of %s: %s", self._id, error)
            self._failed()
            return None
        return Checkpointed(self._id, self._pending)

    def answered(self, message: CheckpointPublished) -> None:
        """The coordinator has published the checkpoint, or has not: then the one before stays."""
        if self._pending is None or self._pending.cut != message.cut:
            return  # a predecessor's
        if not message.published:
            self._failed()
            return
        self._published = self._pending
        self._under_way = False
        if self._others is not None:
            self._others.sweep_others(self._published.others)

    def _failed(self) -> None:
        """What was to be saved is still to be."""
        self._rows += max(self._options.checkpoint_rows, 1)
        self._packed = False
        self._retry_at = monotonic() + _RETRY_S
        self._under_way = False

    def sweep(self) -> None:
        """On the checkpoint thread: deletes the files that neither state nor checkpoint has any more."""
        if (published := self._published) is None:
            return
        try:
            self.store.sweep(published.files())
            if not self._collected:  # before, it was not known which files of earlier processes are needed
                self.store.collect_published(published.files())
                self._collected = True
        except PtvcError as error:
            logger.warning("files of %s that nobody needs are left: %s", self._id, error.message)

    def leave(self, successor: StateOptions | None = None) -> None:
        """The state is not needed on this machine any more, unless its successor is to be in the same place."""
        if successor is None or successor.directory != self._options.directory:
            self.store.leave()


@dataclass(frozen=True, slots=True)
class PendingCheckpoint:
    """State as of `upper`, of the plan of that time, to be written beside further steps."""

    state: DurableState
    upper: int
    handles: Mapping[StateId, tuple[Run, ...]]
    fingerprint: str
    since: int | None
    pack: bool = False
    others: Callable[[], tuple[StoredState, ...]] | None = None

    def write(self) -> Checkpointed | None:
        return self.state.write(
            self.upper, self.handles, self.fingerprint, self.since, self.pack, self.others
        )
