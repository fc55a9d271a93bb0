"""The state of a part on file: what it begins with, and what it saves.

```
saved by 2 parts:   [ part 0 | part 1 ]        a run of each, sorted by a hash
begun by 3 parts:   [ 0  |  1  |  2 ]          slices of these, or the rows that lie in the part's range
```

All parts save between the same two steps, so together they are one cut (`workers`).  Files of a part are its own: no other part names or
removes them.  What other parts have written, as many as they were, is read once: what a part takes of it is its own from then on,
and not on file yet.  So is what all parts have whole, which the first one saves.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa

from ...errors import StorageError
from ...repr.hash import hash_columns
from ...repr.schema import Schema
from ..checkpoint import SPLIT_KEYS, Checkpoint, StoredState, write
from ..run import Run
from ..run_store import RunStore, StateId
from ..spark.exchange import partition_of
from ..spine import Spine
from .loop_placement import Columns
from .part import Part
from .placement import Division
from .state_placement import EVERYWHERE, FIRST, everywhere, state_placement


@dataclass(frozen=True, slots=True)
class Beginning:
    """State as of `upper`.  `stored` is what the part itself has saved, and `shared` what the first has for all; or, with `placement`, what all
    parts of a dataflow had, as many as they were, and by which columns the rows of each spine lie.  Raises StorageError when keys are split:
    of these not all rows are where this says, and some are there several times."""

    upper: int
    stored: tuple[StoredState, ...]
    placement: Mapping[StateId, Columns | None] | None = None
    shared: StoredState = field(default_factory=dict)

    def __post_init__(self) -> None:
        if len(self.stored) > 1 and any(name == SPLIT_KEYS for state in self.stored for _, name in state):
            raise StorageError(
                f"keys of joins are split among {len(self.stored)} workers, and now there are others"
            )


def beginning_of(
    checkpoint: Checkpoint, part: int, parts: int, division: Division, spines: Mapping[StateId, Spine]
) -> Beginning:
    """What part number `part` of `parts` is to begin with, whose spines are these."""
    if len(checkpoint.parts) == parts:
        shared = everywhere(division, spines) if part else ()
        theirs = {id_: runs for id_, runs in checkpoint.state.items() if id_ in shared}
        return Beginning(checkpoint.cut, (checkpoint.parts[part],), shared=theirs)
    return Beginning(checkpoint.cut, checkpoint.parts, state_placement(division, spines))


class PartState:
    """That of a member's part, in files of `store`.  `save` and `sweep` may run beside steps, one after the other."""

    def __init__(self, part: Part, store: RunStore) -> None:
        self._part = part
        self._store = store

    def begin(self, beginning: Beginning | None, part: int, parts: int) -> None:
        """From now on large runs are mapped files.  Raises StorageError when what it is to begin with cannot be read."""
        spines = self._part.spines()
        if beginning is not None:
            self._part.load(begun(self._store, spines, beginning, part, parts), beginning.upper)
        for spine in spines.values():
            spine.store = self._store
            spine.spill()

    def press(self) -> bool:
        """Asks for as much state as possible to be moved to files; False when no more can be."""
        self._store.press()
        return sum(spine.spill() for spine in self._part.spines().values()) > 0  # all of them are asked

    def save(self, handles: Mapping[StateId, tuple[Run, ...]], *, pack: bool) -> StoredState:
        """What was held between two steps, on file and published, without what the first part saves for all.  Raises OSError and PtvcError."""
        own = {id_: runs for id_, runs in handles.items() if id_ not in self._part.everywhere}
        return write(self._store, "", 0, self._part.spines(), own, pack=pack).state

    def sweep(self, kept: StoredState) -> None:
        """Deletes the part's files that neither it nor the last checkpoint has.  Raises PtvcError."""
        self._store.sweep(run for runs in kept.values() for run in runs)

    def leave(self) -> None:
        """The part is gone, and nobody else on this machine has files in its place."""
        self._store.leave_written()


def begun(
    store: RunStore, spines: Mapping[StateId, Spine], beginning: Beginning, part: int, parts: int
) -> dict[StateId, tuple[Run, ...]]:
    """The runs with which part number `part` of `parts` begins, for `spines`.  Raises StorageError."""
    stored: dict[StateId, list[Run]] = {}
    for state in beginning.stored:
        for id_, runs in store.load(state, whole=beginning.placement is None).items():
            stored.setdefault(id_, []).extend(runs)
    if beginning.placement is None:
        for id_, runs in store.load(beginning.shared, whole=False, own=False).items():
            stored[id_] = list(map(_own, runs))
        return {id_: tuple(runs) for id_, runs in stored.items()}
    return {
        id_: tuple(_shares(runs, spines[id_], beginning.placement.get(id_, FIRST), part, parts))
        for id_, runs in stored.items()
        if id_ in spines
    }


def _own(run: Run) -> Run:
    """All of it, as a run that is not on file yet: the file is another's."""
    return run.slice(0, len(run))


def _shares(runs: Sequence[Run], spine: Spine, by: Columns | None, part: int, parts: int) -> Iterator[Run]:
    for run in runs:
        if by == FIRST:
            share = run.slice(0, len(run) if part == 0 else 0)
        elif by == EVERYWHERE:
            share = _own(run)
        elif by is None or (by == spine.key and not _by_bits(spine)):
            share = run.slice(*(_place(run, at, parts) for at in (part, part + 1)))
        else:
            columns = _as_declared(run.batch.columns, spine.schema)
            here = partition_of(hash_columns([columns[i] for i in by], len(run)), parts) == part
            share = Run(run.hashes[here], run.batch.filter(here))
        if len(share):
            yield share


def _by_bits(spine: Spine) -> bool:
    """Whether its hashes may be those of the bits of floats, and not of their values."""
    return any(spine.schema.types[i].is_float for i in spine.key)


def _place(run: Run, part: int, parts: int) -> int:
    """Where the range of a part begins in the run: see `partition_of`."""
    if part == parts:
        return len(run)
    return int(run.hashes.searchsorted(np.uint64(-(-(part << 32) // parts) << 32)))


def _as_declared(columns: Sequence[pa.Array], schema: Schema) -> list[pa.Array]:
    """Columns of floats that are held by their bits, as what they are."""
    return [
        c.view(declared.arrow) if declared.is_float and c.type != declared.arrow else c
        for c, declared in zip(columns, schema.types, strict=True)
    ]
