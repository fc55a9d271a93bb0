"""The dataflows of one replica, stepping together.

A step takes, for every dataflow in order of creation, all updates below the least frontier of its inputs, and hands the
output on: in memory to dataflows of this replica that read it, in one `Append` to the coordinator, which hears of indexes
first, as nothing of them has to be written.  Views do not wait for their inputs to become durable; `Appended` only says
what need not be kept for readers that come later.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from time import monotonic

from ..compute.dataflow import Dataflow
from ..compute.interrupt import interruptible
from ..compute.plan import not_a_job
from ..compute.run_file import map_run
from ..errors import MemoryLimitExceeded, PtvcError, QueryCanceled, ReplicaUnavailable, StorageError
from ..expr.relation import GlobalId
from ..persist.blob.base import Blob
from ..persist.write import write_parts
from ..repr.batch import Delta
from .checkpoint import DurableState, PendingCheckpoint
from .index import INDEX_ERRS, Index
from .inputs import Input, load_snapshot
from .installed import Installed
from .memory import MemoryLimit
from .protocol import (
    Append,
    Appended,
    CheckpointPublished,
    DataflowStatistics,
    Hydrated,
    IndexOutput,
    InstallDataflow,
    Message,
    Progress,
    StateLost,
    Status,
    StepEnded,
    Updates,
    ViewOutput,
)
from .sharing import Sharing
from .step_under_way import StepUnderWay

logger = logging.getLogger(__name__)


@dataclass(slots=True)
class _Made:
    """What a step has made: outputs of views `(view, output, lower, upper)`, and how far indexes have come."""

    views: list[tuple[Installed, Delta, int, int]] = field(default_factory=list)
    indexes: list[tuple[GlobalId, int]] = field(default_factory=list)


class Dataflows:
    """`writer` names this replica's attempt in the blobs that it writes."""

    def __init__(self, blob: Blob, writer: str) -> None:
        self._blob = blob
        self._writer = writer
        self._installed: dict[GlobalId, Installed] = {}
        self._readers: dict[GlobalId, list[Input]] = {}
        self._closed = 0
        self._sharing = Sharing()
        self.memory = MemoryLimit()
        self.job_min_rows: int | None = None
        self._begun: list[StepUnderWay] = []
        self._unwanted: set[GlobalId] = set()
        self._stopping = False

    def install(self, command: InstallDataflow) -> Iterator[Message]:
        """Prepares the dataflow; its first step hydrates it, or takes in what came after its state.  Yields what
        the coordinator should hear."""
        started = monotonic()
        self._remove(command.id)  # installed once more: it starts from what is durable by now
        widths = {id_: len(command.plan.import_schema(id_)) for id_ in command.plan.imports}
        inputs = {source.id: Input(self._blob, source, widths.get(source.id)) for source in command.imports}
        dataflow = Dataflow(command.plan, command.as_of)
        schema = command.plan.schema
        index = Index(schema, command.output.key) if isinstance(command.output, IndexOutput) else None
        installed = Installed(
            command.id, dataflow, inputs, command.output, schema, command.as_of, index, started
        )
        installed.never_by_job = not_a_job(command.plan)
        if isinstance(command.output, ViewOutput):
            installed.appended = command.output.upper
        try:
            self._begin(installed, command)
        except StorageError as error:
            self._sharing.leave(command.id)
            if command.checkpoint is not None:
                yield StateLost(command.id, error.message)
                return
            installed.failed = True
            yield Status(command.id, "failed", error.message)
        except (PtvcError, OSError) as error:
            self._sharing.leave(command.id)
            installed.failed = True
            yield Status(command.id, "failed", str(error))
        for id_, source in inputs.items():
            if (producer := self._installed.get(id_)) is not None:
                for upper, delta in producer.unacknowledged:
                    source.hand_over(delta, upper)
                source.close(producer.upper)
            elif source.stamped:
                source.close(self._closed)
        self._installed[command.id] = installed
        for id_, source in inputs.items():
            self._readers.setdefault(id_, []).append(source)
        if self._readers.get(command.id):
            self._put_behind(command.id)

    def _begin(self, installed: Installed, command: InstallDataflow) -> None:
        """Gets what the dataflow begins with: state and the updates after it, or the contents of its inputs."""
        state: DurableState | None = None
        if command.durable is not None:
            state = installed.state = DurableState(command.id, command.durable, self._writer)
        sources = installed.inputs.values()
        if command.checkpoint is not None:
            assert state is not None
            checkpoint = command.checkpoint
            runs = state.load(checkpoint, installed.spines())
            installed.load(runs, checkpoint.cut, checkpoint.since)
            installed.rows = sum(source.load_updates() for source in sources)
        elif command.state is not None:
            paths = {(s.node, s.spine): [Path(path) for path in s.paths] for s in command.state}
            if state is not None:
                runs = state.adopt(paths)
            else:
                runs = {id_: tuple(map_run(path) for path in some) for id_, some in paths.items()}
            if installed.index is not None:  # its errors at the job's one time are those of the output
                number = len(command.plan.nodes)
                runs[number, INDEX_ERRS] = runs.get((number, "errs"), ())
            installed.load(runs, command.as_of + 1, command.as_of)
            installed.hydrated = True  # by a job, which has reported it
            for source in sources:
                source.load_updates()
        else:
            installed.rows = sum(source.load() for source in sources)
            if installed.index is not None:
                installed.index.begin(command.as_of)
        self._share(installed, command)
        if state is not None:
            state.keep(installed.spines())
            installed.dataflow.keep_substitutes_in(state.store)

    def _share(self, installed: Installed, command: InstallDataflow) -> None:
        """Has the dataflow read the arrangements of indexes; what cannot be had so, it holds itself."""
        for node in installed.dataflow.shareable():
            held = self._installed.get(node.index)
            index = None if held is None or held.failed else held.index
            if index is not None and self._sharing.attach(installed, node, index):
                continue
            if command.checkpoint is not None or command.state is not None:
                source = next(source for source in command.imports if source.id == node.source)
                installed.dataflow.own_rows(
                    node.node,
                    load_snapshot(
                        self._blob, source, len(installed.dataflow.plan.import_schema(source.id))
                    ).oks,
                )

    def _put_behind(self, id: GlobalId) -> None:
        """Has dataflows that read `id`, or what is read from it, step after it."""
        behind = {id}
        for other in list(self._installed.values()):
            if (other.id != id and not behind.isdisjoint(other.inputs)) or any(
                other.id in self._sharing.readers_of(before) for before in behind
            ):
                behind.add(other.id)
            else:
                continue
            self._installed[other.id] = self._installed.pop(other.id)

    def abandon(self, id: GlobalId | None) -> None:
        """The dataflow will be uninstalled, or with None all of them: a step of it that is under way stops soon.

        For another thread than the one that steps.
        """
        if id is None:
            self._stopping = True
        else:
            self._unwanted.add(id)

    def uninstall(self, id: GlobalId) -> None:
        self._unwanted.discard(id)
        self._remove(id)

    def _remove(self, id: GlobalId) -> None:
        installed = self._installed.pop(id, None)
        if installed is not None:
            self._stop_reading(installed)

    def _stop_reading(self, installed: Installed) -> None:
        self._sharing.leave(installed.id)
        for id_, source in installed.inputs.items():
            if source in self._readers.get(id_, ()):
                self._readers[id_].remove(source)

    def receive(self, progress: Progress) -> None:
        """Takes in what was committed elsewhere."""
        self._closed = max(self._closed, progress.closed)
        for update in progress.updates:
            if update.id not in self._installed:
                for source in self._readers.get(update.id, ()):
                    source.receive(update.parts, update.upper, update.schema)
        for id_, upper in progress.uppers:
            if id_ not in self._installed:
                for source in self._readers.get(id_, ()):
                    source.close(upper)
        for installed in self._installed.values():
            for source in installed.inputs.values():
                if source.stamped:
                    source.close(progress.closed)
            if installed.index is not None:
                installed.index.advance_since(self._sharing.since(installed.id, progress.since))

    def acknowledge(self, appended: Appended) -> None:
        for id_, upper in appended.uppers:
            installed = self._installed.get(id_)
            while installed and installed.unacknowledged and installed.unacknowledged[0][0] <= upper:
                installed.unacknowledged.popleft()

    def published(self, message: CheckpointPublished) -> DurableState | None:
        """Returns the state whose files may be swept now."""
        installed = self._installed.get(message.id)
        if installed is None or installed.state is None:
            return None
        installed.state.answered(message)
        return installed.state

    def checkpoints(self) -> Iterator[PendingCheckpoint]:
        """Those that it is time for, as of the last step; their outputs must have been sent."""
        for installed in self._installed.values():
            if installed.state is not None and installed.hydrated and not installed.failed:
                since = installed.index.since if installed.index is not None else None
                pending = installed.state.due(installed.upper, since)
                if pending is not None:
                    yield pending

    def step(self) -> Iterator[Message]:
        """Steps every dataflow as far as its inputs allow."""
        made = _Made()
        for installed in list(self._installed.values()):
            upper = min((i.frontier for i in installed.inputs.values()), default=self._closed)
            upper = min(upper, self._sharing.frontier(installed.id, upper))
            if upper <= installed.upper or installed.failed or installed.under_way is not None:
                continue
            if self._by_job(installed, upper):
                continue
            yield from self._advance(installed, upper, partial(self._computed, installed, upper), made)
        yield from self._put_out(made)

    def _advance(
        self, installed: Installed, upper: int, compute: Callable[[], Delta], made: _Made
    ) -> Iterator[Message]:
        """Brings one dataflow to `upper`: `compute` makes its output, which is handed on and added to `made`."""
        lower = installed.upper
        try:
            with interruptible(lambda: self._wanted(installed.id)):
                delta = compute()
            self._hand_on(installed, delta, upper)
        except QueryCanceled:
            installed.failed = True  # to be uninstalled
            self._stop_reading(installed)
            return
        except MemoryLimitExceeded as error:
            yield self._give_up(installed, error)
            return
        except Exception as error:  # a dataflow that fails must not take the others along
            yield self._failed(installed, error)
            return
        if installed.index is None:
            made.views.append((installed, delta, lower, upper))
        else:
            made.indexes.append((installed.id, upper))
            yield from self._hydrated(installed)

    def _put_out(self, made: _Made) -> Iterator[Message]:
        """Says how far the indexes have come, as their readers wait; then writes what the views have put out."""
        if made.indexes:
            yield Append((), tuple(made.indexes))
        writes, uppers = [], []
        for installed, delta, lower, upper in made.views:
            try:
                write = self._write(installed, delta, lower, upper)
            except Exception as error:
                yield self._failed(installed, error)
                continue
            if write is not None:
                writes.append(write)
            uppers.append((installed.id, upper))
            yield from self._hydrated(installed)
        if uppers:
            yield Append(tuple(writes), tuple(uppers))

    def _hydrated(self, installed: Installed) -> Iterator[Hydrated]:
        if not installed.hydrated:
            installed.hydrated = True
            yield Hydrated(installed.id, monotonic() - installed.started, installed.rows)

    def _failed(self, installed: Installed, error: Exception) -> Status:
        """To be called where `error` is handled."""
        installed.failed = True
        self._stop_reading(installed)
        logger.exception("dataflow %s failed", installed.id)
        reason = error.message if isinstance(error, PtvcError) else f"internal error: {error!r}"
        return Status(installed.id, "failed", reason)

    # -- large steps --

    def _by_job(self, installed: Installed, upper: int) -> bool:
        """Begins the step as a job if it is large.  The first one of a dataflow that has no state is not."""
        state, dataflow = installed.state, installed.dataflow
        if self.job_min_rows is None or state is None or dataflow.upper == dataflow.as_of:
            return False
        rows = installed.rows_waiting(upper)
        if rows < max(self.job_min_rows, 1):
            return False
        if installed.never_by_job is not None:
            logger.info("a step of %s over %d rows is no job: %s", installed.id, rows, installed.never_by_job)
            return False
        inputs = installed.take(upper)
        if not inputs:
            return False
        installed.under_way = StepUnderWay(installed.id, dataflow, state, inputs, upper)
        self._begun.append(installed.under_way)
        return True

    def begun(self) -> Iterator[StepUnderWay]:
        """The steps that are to be handed over to jobs."""
        begun, self._begun = self._begun, []
        yield from begun

    def ended(self, message: StepEnded) -> Iterator[Message]:
        """A job has made a step, or has failed: then it is made here."""
        installed = self._installed.get(message.id)
        if installed is None or installed.under_way is None or installed.under_way.number != message.number:
            return  # a predecessor's
        step, installed.under_way = installed.under_way, None
        if installed.failed:
            step.abandon()
            return
        made = _Made()
        yield from self._advance(
            installed, step.upper, lambda: self._made_elsewhere(installed, step, message), made
        )
        yield from self._put_out(made)

    def _made_elsewhere(self, installed: Installed, step: StepUnderWay, message: StepEnded) -> Delta:
        reason = message.error
        if reason is None:
            try:
                return step.take_over(message)
            except StorageError as error:
                reason = error.message
        logger.warning("a large step of %s is made by the replica: %s", installed.id, reason)
        self.memory.admit(step.nbytes)
        output = self._stepped(installed, step.inputs(), step.upper)
        step.abandon()
        return output

    def limit_memory(self) -> Iterator[Message]:
        """Moves state to files when it is too much for memory; a dataflow that needs too much all the same fails."""
        while (found := self.memory.check(list(self._installed.values()))) is not None:
            yield self._give_up(*found)

    def _give_up(self, installed: Installed, error: PtvcError) -> Status:
        installed.failed = True
        self._stop_reading(installed)
        installed.under_way = None  # whatever becomes of its job: what it holds on to goes
        installed.clear()
        logger.warning("dataflow %s failed: %s", installed.id, error.message)
        return Status(installed.id, "failed", error.message, error.sqlstate, error.hint)

    def _wanted(self, id: GlobalId) -> bool:
        return not self._stopping and id not in self._unwanted

    def _computed(self, installed: Installed, upper: int) -> Delta:
        self.memory.admit(installed.waiting)
        return self._stepped(installed, installed.take(upper), upper)

    def _stepped(self, installed: Installed, inputs: Mapping[GlobalId, Delta], upper: int) -> Delta:
        if installed.state is not None and inputs:
            installed.state.took(sum(len(delta.oks) for delta in inputs.values()))
        return installed.dataflow.step(inputs, installed.upper, upper)

    def _hand_on(self, installed: Installed, delta: Delta, upper: int) -> None:
        """Gives the output up to `upper` to who reads it."""
        installed.upper = upper
        for reader in self._readers.get(installed.id, ()):
            reader.hand_over(delta, upper)
        if installed.index is not None:
            installed.index.insert(delta, upper)

    def _write(self, installed: Installed, delta: Delta, lower: int, upper: int) -> Updates | None:
        """The append for a view's output in `[lower, upper)`; None when there is nothing that is not durable
        already."""
        if not delta:
            return None
        # What was durable when the view was installed is the same, and stays.  What others have written since is
        # left to the commit, which knows of it.
        first = max(installed.appended, lower)
        new = Delta(delta.oks.filter(delta.oks.times >= first), delta.errs.filter(delta.errs.times >= first))
        if not new:
            return None
        assert isinstance(installed.output, ViewOutput)
        installed.unacknowledged.append((upper, new))
        parts = write_parts(self._blob, installed.output.shard, installed.schema, new, writer=self._writer)
        return Updates(installed.id, first, upper, parts)

    def index(self, id: GlobalId) -> Index:
        """The arrangement of an index; KeyError when it is not installed (any more), ReplicaUnavailable when it has
        failed."""
        if self._installed[id].failed:
            raise ReplicaUnavailable(
                "the index is not maintained any more", hint="The runtime's log says why."
            )
        index = self._installed[id].index
        if index is None:
            raise KeyError(id)
        return index

    def statistics(self) -> Iterator[DataflowStatistics]:
        """What changed since the last call."""
        for installed in self._installed.values():
            spines = installed.held()
            # Runs are merged, and moved to files, after the last step too.
            seen = (installed.dataflow.steps, *(id(spine.runs) for spine in spines))
            if seen != installed.reported:
                installed.reported = seen
                yield DataflowStatistics(
                    installed.id,
                    installed.dataflow.statistics(),
                    sum(spine.nbytes for spine in spines),
                    sum(spine.mapped_nbytes for spine in spines),
                )
