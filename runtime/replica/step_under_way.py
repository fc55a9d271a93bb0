"""A step of one dataflow that a Spark job makes: what the replica hands over, and what it takes back.

```
step thread          changes taken, handles ──┐                                  ┌── state extended, output handed on
checkpoint thread                             └── both on file ── StepJob ──┐    │
coordinator, driver                                                         └── job ── StepEnded
```

What the dataflow reads of indexes goes along as it is when the step begins: that is complete below the step's `upper`,
and nothing is advanced into the step, as the dataflow's `upper` holds the index back until the step has ended.  The
index may go on, and may go.  What is held in place of an index is treated as state, except that the replica adds to it.

Until it has ended the dataflow stays where it is, and its readers wait; the others of the replica go on.  The changes
are on file until then, so that the replica can make the step itself when the job fails.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from itertools import count
from pathlib import Path

import numpy as np

from ..compute.checkpoint import save
from ..compute.dataflow import Dataflow
from ..compute.run import Run, RunFile, StoredRun
from ..compute.run_file import map_run, write_unsynced
from ..compute.run_store import INDEX_RUNS, StateId
from ..compute.spark.job import Changes, Step
from ..expr.tree.relation import GlobalId
from ..repr.batch import NO_ERRORS, Batch, Delta, concat_batches, empty_batch, from_ipc
from .checkpoint import DurableState
from .protocol import StepEnded, StepJob

_numbers = count(1)


class StepUnderWay:
    """The step `[dataflow.upper, upper)` over `inputs`, of `nbytes`, of a dataflow that is not stepped meanwhile."""

    def __init__(
        self,
        id: GlobalId,
        dataflow: Dataflow,
        state: DurableState,
        inputs: Mapping[GlobalId, Delta],
        upper: int,
    ) -> None:
        self.id = id
        self.number = next(_numbers)
        self.lower = dataflow.upper
        self.upper = upper
        self._dataflow = dataflow
        self._state = state
        self._inputs: Mapping[GlobalId, Delta] | None = inputs
        self.nbytes = sum(delta.oks.nbytes + delta.errs.nbytes for delta in inputs.values())
        held = dataflow.substitutes()
        self._spines = dataflow.spines() | held
        self._handles = dataflow.handles() | {id_: spine.handle() for id_, spine in held.items()}
        self._shared = dataflow.shared_runs()
        self._saved: Mapping[StateId, tuple[Run, ...]] = {}  # their files stay as long as somebody has them
        self._files = state.store.shared
        self._changes: tuple[Changes, ...] = ()
        self._directory: Path | None = None

    @property
    def needed(self) -> bool:
        """Whether the dataflow was not dropped since."""
        return self._state.store.needed

    def written(self) -> StepJob:
        """On the checkpoint thread: writes state and changes, and publishes them.  Raises OSError and PtvcError."""
        self._saved = save(self._state.store, self._spines, self._handles)
        self._handles = {}
        self._directory = directory = self._state.store.new_directory()
        assert self._inputs is not None
        store = self._state.store
        self._changes = self._written(directory, self._inputs)
        self._inputs = None
        searched = {
            id_: [file for run in runs if (file := run.searched_file) is not None]
            for id_, runs in self._saved.items()
            if runs
        }
        shared = {node: self._on_file(directory, node, runs) for node, runs in self._shared.items()}
        step = Step(self.lower, self.upper, self._changes, store.stored(searched), store.stored(shared))
        return StepJob(self.id, self.number, self._dataflow.plan, step, self._files.name(directory))

    def _written(self, directory: Path, inputs: Mapping[GlobalId, Delta]) -> tuple[Changes, ...]:
        files = {
            (id_, kind): self._file(directory / f"{id_}-{kind}.run", batch)
            for id_, delta in inputs.items()
            for kind, batch in (("oks", delta.oks), ("errs", delta.errs))
            if len(batch)
        }
        stored = self._state.store.stored(files)

        def of(id: GlobalId, kind: str) -> StoredRun | None:
            return next(iter(stored.get((id, kind), ())), None)

        return tuple(
            Changes(id_, of(id_, "oks"), of(id_, "errs"), len(delta.oks), len(delta.errs))
            for id_, delta in inputs.items()
        )

    @staticmethod
    def _on_file(directory: Path, node: int, runs: tuple[Run, ...]) -> tuple[RunFile, ...]:
        """The runs of an index: the large ones are mapped files of its own, the others are written for the job."""
        files = []
        for number, run in enumerate(runs):
            if run.mapped and run.file is not None:
                files.append(run.file)
                continue
            path = directory / f"{node}-shared-{number}.run"
            files.append(RunFile(path, 0, write_unsynced(path, run)))
        return tuple(files)

    @staticmethod
    def _file(path: Path, batch: Batch) -> tuple[RunFile, ...]:
        run = Run(np.zeros(len(batch), np.uint64), batch)
        return (RunFile(path, 0, write_unsynced(path, run)),)

    def inputs(self) -> Mapping[GlobalId, Delta]:
        """The changes, for the replica to make the step itself."""
        if self._inputs is not None:
            return self._inputs
        return {
            changes.id: Delta(
                map_run(self._files.path(changes.oks.name)).batch
                if changes.oks is not None
                else empty_batch(self._dataflow.plan.import_schema(changes.id)),
                map_run(self._files.path(changes.errs.name)).batch if changes.errs is not None else NO_ERRORS,
            )
            for changes in self._changes
        }

    def take_over(self, ended: StepEnded) -> Delta:
        """Has the dataflow go on from what the job has left; its output.

        Raises StorageError, and leaves the dataflow as it was, when that cannot be read.
        """
        plan = self._dataflow.plan
        names = {(runs.node, runs.spine): runs.files for runs in ended.state}
        rows = names.pop((len(plan.nodes), INDEX_RUNS), ())
        self._files.fetch(rows)
        output = [map_run(self._files.path(name)).batch for name in rows]
        added = self._state.adopt(names)
        errs = from_ipc(ended.errors) if ended.errors is not None else NO_ERRORS
        arrived = self.inputs() if self._dataflow.substitutes() else {}
        made = Delta(concat_batches(plan.schema, output), errs)
        made = self._dataflow.extend(added, made, self.upper, arrived)
        self._close({self._files.path(name) for some in names.values() for name in some})
        return made

    def abandon(self) -> None:
        """What the job has left, and what was written for it, is of no use (any more)."""
        self._close(set())

    def _close(self, kept: set[Path]) -> None:
        """Files that are mapped may go: their pages stay.  What cannot be deleted now (a task of a job that has failed
        may still be writing) is found by `RunStore.collect`."""
        self._saved, self._shared = {}, {}
        if self._directory is None:
            return
        self._state.store.discard(self._directory)
        with suppress(OSError):
            for path in self._directory.iterdir():
                if path not in kept:
                    path.unlink(missing_ok=True)
            if not kept:
                self._directory.rmdir()
