"""The dataflows of one replica, stepping together.

A step takes, for every dataflow in order of creation, all updates below the least frontier of its inputs, and hands the
output on: in memory to dataflows of this replica that read it, in one `Append` to the coordinator, which hears of indexes
first, as nothing of them has to be written (`outputs`).  Views do not wait for their inputs to become durable; `Appended`
only says what need not be kept for readers that come later.
"""

from __future__ import annotations

import logging
import queue
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from time import monotonic

from ..compute.partitioned.one_step import WorkerLost
from ..compute.partitioned.stored import InputLost
from ..compute.shared_files import MACHINE, SharedFiles
from ..errors import MemoryLimitExceeded, PtvcError, QueryCanceled, ReplicaUnavailable, StorageError
from ..expr.tree.relation import GlobalId
from ..interrupt import check_interrupt, interruptible
from ..memory import step_within
from ..persist.blob.base import Blob
from ..persist.part import ShardId
from ..repr.batch import Delta
from .beginning import begin
from .checkpoint import DurableState, PendingCheckpoint
from .index import Index
from .inputs import Input, load_snapshot, read_once
from .installed import Installed, Recent
from .interrupts import Interrupts
from .memory import MemoryLimit
from .output_writer import OutputWriter
from .outputs import Outputs
from .protocol import (
    Adopt,
    Appended,
    CheckpointPublished,
    DataflowStatistics,
    Halt,
    InstallDataflow,
    Message,
    Progress,
    Repoint,
    StateLost,
    StateOptions,
    Status,
    StepEnded,
    SubscriptionOutput,
    ViewOutput,
)
from .sharing import Sharing
from .step_jobs import StepJobs
from .step_under_way import StepUnderWay
from .workers.team import Stepped, Team

logger = logging.getLogger(__name__)


class Dataflows:
    """`writer` names this replica's attempt in the blobs that it writes; `background` writes large outputs while steps go on;
    None: the step writes them itself.  State is among `files`.  `team` are the replica's workers, if there are several: when one of them
    is lost, methods raise WorkerLost, and the replica is to end."""

    def __init__(
        self,
        blob: Blob,
        writer: str,
        background: OutputWriter | None = None,
        files: SharedFiles = MACHINE,
        team: Team | None = None,
    ) -> None:
        self._blob = blob
        self._files = files
        self._team = team
        self._writer = writer
        self._background = background
        self._lost: queue.SimpleQueue[tuple[Installed, Exception]] = queue.SimpleQueue()
        self._installed: dict[GlobalId, Installed] = {}
        self._readers: dict[GlobalId, list[Input]] = {}
        self._closed = 0
        self._sharing = Sharing()
        self.memory = MemoryLimit(one_process=team is None)
        self.jobs = StepJobs()
        self._interrupts: Interrupts[GlobalId] = Interrupts()
        self._halted: dict[GlobalId, int] = {}
        self._under_way: GlobalId | None = None

    def install(self, command: InstallDataflow) -> Iterator[Message]:
        """Prepares the dataflow; its first step hydrates it, or takes in what came after its state.  Yields what
        the coordinator should hear."""
        started = monotonic()
        # Installed once more: it starts from what is durable by now.
        self._remove(command.id, successor=command.durable)
        try:
            installed = Installed.made(command, self._blob, started, self._team)
        except WorkerLost:
            raise
        except Exception as error:  # a dataflow that cannot begin must not take the others along
            logger.exception("dataflow %s cannot be made", command.id)
            yield Status(command.id, "failed", _reason(error))
            return
        self._installed[command.id] = installed
        try:
            with self._working(command.id):
                self._begin(installed, command)
        except QueryCanceled:
            installed.failed = True  # to be uninstalled
            return
        except Exception as error:
            if isinstance(error, StorageError) and command.checkpoint is not None:
                self._remove(command.id)
                yield StateLost(command.id, error.message)
                return
            yield self._failed(installed, error)
            return
        for id_, source in installed.inputs.items():
            if (producer := self._installed.get(id_)) is not None:
                for upper, stepped in producer.recent.outputs:
                    source.hand_over(stepped.delta, upper, stepped.parts)
                source.close(producer.upper)
            elif source.timestamped:
                source.close(self._closed)
        for id_, source in installed.inputs.items():
            self._readers.setdefault(id_, []).append(source)
        if self._readers.get(command.id):
            self._put_behind(command.id)

    def _begin(self, installed: Installed, command: InstallDataflow) -> None:
        """Gets what the dataflow begins with."""
        begin(installed, command, self._writer, self._files)
        self._share(installed, command)
        if installed.state is not None:
            installed.state.keep(installed.spines(), installed.divided)
            installed.dataflow.keep_substitutes_in(installed.state.store)

    def _share(self, installed: Installed, command: InstallDataflow) -> None:
        """Has the dataflow read the arrangements of indexes; what cannot be had so, it holds itself."""
        for node in installed.dataflow.shareable():
            held = self._installed.get(node.index)
            index = None if held is None or held.failed else held.index
            if index is not None and self._sharing.attach(installed, node, index):
                continue
            if command.checkpoint is not None or command.state is not None:
                source = next(source for source in command.imports if source.id == node.source)
                width = len(installed.dataflow.plan.import_schema(source.id))
                installed.dataflow.own_rows(node.node, load_snapshot(self._blob, source, width).oks)

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
            self._interrupts.set_all()
        else:
            self._interrupts.set(id)

    @contextmanager
    def _working(self, id: GlobalId) -> Iterator[None]:
        with interruptible(self._interrupts.of(id)), step_within(self.memory.during_step):
            check_interrupt()
            self._under_way = id
            try:
                yield
            finally:
                self._under_way = None

    def abandoned(self) -> GlobalId | None:
        """The dataflow that is beginning or in a step although it was told to stop.  For another thread."""
        id_ = self._under_way
        return id_ if id_ is not None and self._interrupts.is_set(id_) else None

    def uninstall(self, id: GlobalId) -> None:
        self._interrupts.forget(id)
        self._remove(id)

    def halt(self, message: Halt) -> None:
        """Steps the dataflow no further than so, installed or not yet; or lets it go on."""
        if message.upper is None:
            self._halted.pop(message.id, None)
        else:
            self._halted[message.id] = message.upper

    def adopt(self, message: Adopt) -> None:
        """A dataflow goes on as the one of another view, whose own is gone.  Both are halted, and those who read the
        view have heard of the difference: there is nothing in between."""
        installed = self._installed.pop(message.replacement, None)
        if installed is None:
            return
        self._sharing.rename(message.replacement, message.id)
        installed.become(message.id, message.output)
        self._installed[message.id] = installed
        if self._readers.get(message.id):
            self._put_behind(message.id)

    def repoint(self, message: Repoint) -> None:
        """A dataflow reads other objects from where it is, which have there what those had that it has read."""
        installed = self._installed.get(message.id)
        if installed is None or installed.failed:
            return
        installed.repoint(message)
        for old, source in message.sources:
            reader = installed.inputs[source.id]
            if reader in self._readers.get(old, ()):
                self._readers[old].remove(reader)
            self._readers.setdefault(source.id, []).append(reader)
            if source.id in self._installed:
                self._put_behind(source.id)

    def _remove(self, id: GlobalId, successor: StateOptions | None = None) -> None:
        """`successor` says where the state is that takes the place of the dataflow's."""
        installed = self._installed.pop(id, None)
        if installed is None:
            return
        installed.removed = True
        installed.dataflow.close()
        self._stop_reading(installed)
        if installed.state is not None:
            installed.state.leave(successor)

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
                read = read_once()
                for source in self._readers.get(update.id, ()):
                    source.receive(update.parts, update.upper, update.schema, read)
        for id_, upper in progress.uppers:
            if id_ not in self._installed:
                for source in self._readers.get(id_, ()):
                    source.close(upper)
        for installed in self._installed.values():
            for source in installed.inputs.values():
                if source.timestamped:
                    source.close(progress.closed)
            if installed.index is not None:
                installed.index.advance_since(self._sharing.since(installed.id, progress.since))

    def acknowledge(self, appended: Appended) -> None:
        for id_, upper in appended.uppers:
            if (installed := self._installed.get(id_)) is not None:
                installed.recent = installed.recent.durable(upper)

    def published(self, message: CheckpointPublished) -> DurableState | None:
        """Returns the state whose files may be swept now."""
        installed = self._installed.get(message.id)
        if installed is None or installed.state is None:
            return None
        installed.state.answered(message)
        return installed.state

    def checkpoints(self) -> Iterator[tuple[Installed, PendingCheckpoint]]:
        """Those that it is time for, as of the last step; they are for the coordinator once the outputs before them are
        (`OutputWriter.behind`)."""
        for installed in self._installed.values():
            if installed.state is not None and installed.hydrated and not installed.failed:
                since = installed.index.since if installed.index is not None else None
                pending = installed.state.due(installed.upper, since)
                if pending is not None:
                    yield installed, pending

    def step(self) -> Iterator[Message]:
        """Steps every dataflow as far as its inputs allow."""
        if self._team is not None:
            self._team.look()
        outputs = self._outputs()
        for installed in list(self._installed.values()):
            upper = min((i.frontier for i in installed.inputs.values()), default=self._closed)
            upper = min(upper, self._sharing.frontier(installed.id, upper))
            upper = min(upper, self._halted.get(installed.id, upper))
            if upper <= installed.upper or installed.failed or installed.under_way is not None:
                continue
            if installed.idles(upper):  # most of a thousand, once a second
                self._publish(installed, self._stepped(installed, {}, upper).delta, upper)
                outputs.pass_on(installed, upper)
                continue
            if self.jobs.begin(installed, upper):
                continue
            yield from self._advance(installed, upper, partial(self._computed, installed, upper), outputs)
        if self._team is not None:
            yield from self._read_what_waits_on()
        yield from self._report(outputs)

    def _read_what_waits_on(self) -> Iterator[Message]:
        """What was stored when it was committed may be merged with other parts, and be gone, when another input is as far."""
        for installed in list(self._installed.values()):
            if installed.divided and not installed.failed:
                try:
                    for source in installed.inputs.values():
                        source.read_stored()
                except InputLost as error:
                    yield self._without_input(installed, error)

    def _without_input(self, installed: Installed, error: InputLost) -> Message:
        """The dataflow is to begin again with the contents of its inputs, unless it is these that cannot be read."""
        begins = not installed.hydrated and (installed.state is None or installed.state.cut is None)
        if begins or isinstance(installed.output, SubscriptionOutput):
            return self._failed(installed, error)
        logger.warning("%s begins again: %s", installed.id, error.message)
        self._remove(installed.id)
        return StateLost(installed.id, error.message)

    def _outputs(self) -> Outputs:
        return Outputs(
            self._blob,
            self._writer,
            self._background,
            lost=lambda installed, error: self._lost.put((installed, error)),
            wanted=lambda installed: not installed.removed and not self._interrupts.is_set(installed.id),
        )

    def _report(self, outputs: Outputs) -> Iterator[Message]:
        """What a step has put out; and which dataflows' outputs could not be written, now or since the last step."""
        yield from outputs.messages()
        while not self._lost.empty():
            installed, error = self._lost.get()
            if not installed.removed:
                yield self._failed(installed, error)

    def _advance(
        self, installed: Installed, upper: int, compute: Callable[[], Stepped], outputs: Outputs
    ) -> Iterator[Message]:
        """Brings one dataflow to `upper`: `compute` makes its output, which is handed on and added to `outputs`."""
        lower = installed.upper
        try:
            with self._working(installed.id):
                stepped = compute()
            self._publish(installed, stepped.delta, upper)
        except QueryCanceled:
            installed.failed = True  # to be uninstalled
            self._stop_reading(installed)
            return
        except MemoryLimitExceeded as error:
            yield self._failed_with(installed, error)
            return
        except WorkerLost:
            raise
        except InputLost as error:
            yield self._without_input(installed, error)
            return
        except Exception as error:  # a dataflow that fails must not take the others along
            yield self._failed(installed, error)
            return
        yield from outputs.add(installed, stepped, lower, upper)

    def _failed(self, installed: Installed, error: Exception) -> Status:
        logger.error("dataflow %s failed", installed.id, exc_info=error)
        self._release(installed)
        return Status(installed.id, "failed", _reason(error))

    def _failed_with(self, installed: Installed, error: PtvcError) -> Status:
        logger.warning("dataflow %s failed: %s", installed.id, error.message)
        self._release(installed)
        return Status(installed.id, "failed", error.message, error.sqlstate, error.hint)

    def _release(self, installed: Installed) -> None:
        """The dataflow is not maintained any more: it takes nothing in, and its state goes."""
        installed.failed = True
        self._stop_reading(installed)
        installed.under_way = None  # whatever becomes of its job: what it holds on to goes
        installed.clear()

    # -- large steps --

    def ended(self, message: StepEnded) -> Iterator[Message]:
        """A job has made a step, or has failed: then it is made here."""
        installed = self._installed.get(message.id)
        if installed is None or installed.under_way is None or installed.under_way.number != message.number:
            return  # a predecessor's
        step, installed.under_way = installed.under_way, None
        if installed.failed:
            step.abandon()
            return
        outputs = self._outputs()
        yield from self._advance(
            installed, step.upper, lambda: self._made_elsewhere(installed, step, message), outputs
        )
        yield from self._report(outputs)

    def _made_elsewhere(self, installed: Installed, step: StepUnderWay, message: StepEnded) -> Stepped:
        reason = message.error
        if reason is None:
            try:
                return Stepped(step.take_over(message))
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
            yield self._failed_with(*found)

    def _computed(self, installed: Installed, upper: int) -> Stepped:
        self.memory.admit(installed.to_take_in)
        return self._stepped(installed, installed.take(upper), upper)

    def _stepped(self, installed: Installed, inputs: Mapping[GlobalId, Delta], upper: int) -> Stepped:
        return installed.step(inputs, upper, is_read=bool(self._readers.get(installed.id)))

    def _publish(self, installed: Installed, delta: Delta, upper: int) -> None:
        """Gives the output up to `upper` to who reads it."""
        installed.upper = upper
        for reader in self._readers.get(installed.id, ()):
            reader.hand_over(delta, upper)
        if installed.index is not None:
            installed.index.insert(delta, upper)

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

    def recent(self, id: GlobalId, shard: ShardId) -> Recent | None:
        """What the view, whose output goes to `shard`, has put out of late; None if it is not maintained here.  For any thread."""
        installed = self._installed.get(id)
        if installed is None or installed.failed or installed.lost or installed.removed:
            return None
        recent, output = installed.recent, installed.output
        return recent if isinstance(output, ViewOutput) and output.shard == shard else None

    def statistics(self) -> Iterator[DataflowStatistics]:
        """What changed since the last call."""
        for installed in self._installed.values():
            if isinstance(installed.output, SubscriptionOutput):
                continue  # the catalog does not know it
            # Runs are merged, and moved to files, after the last step too.
            runs = (id(spine.runs) for spine in installed.held())
            seen = (installed.dataflow.steps, installed.dataflow.elsewhere_nbytes, *runs)
            if seen != installed.reported:
                statistics = installed.statistics()
                divided = installed.divided
                installed.reported = seen if divided is None or divided.at_rest else ()
                yield statistics


def _reason(error: Exception) -> str:
    """The reason that readers of the dataflow get."""
    return str(error) if isinstance(error, PtvcError | OSError) else f"internal error: {error!r}"
