"""An installed dataflow: its operators and their state, what waits for it, how far its output is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from time import perf_counter

from ..compute.dataflow import Dataflow
from ..compute.partitioned.messages import Writing
from ..compute.partitioned.placement import undivided
from ..compute.partitioned.stored import READ_APART_ROWS
from ..compute.partitioned.totals import PartStatistics, Totals
from ..compute.plan import not_a_job, reading
from ..compute.run import Run
from ..compute.run_store import StateId
from ..compute.spine import Spine
from ..expr.tree.relation import GlobalId
from ..persist.blob.base import Blob
from ..repr.batch import Delta
from ..repr.schema import Schema
from .checkpoint import DurableState
from .index import Index
from .inputs import Input
from .protocol import (
    DataflowStatistics,
    IndexOutput,
    InstallDataflow,
    Repoint,
    SubscriptionOutput,
    ViewOutput,
)
from .step_under_way import StepUnderWay
from .workers.divided_index import DividedIndex
from .workers.team import DividedDataflow, Stepped, Team

FEW_WRITTEN_ROWS = 1_000
"""More rows than these of an output are written by the worker of a divided dataflow where they come out."""


@dataclass(frozen=True, slots=True)
class Recent:
    """What a view has put out in `[lower, upper)`, which may not be durable yet: `outputs`, each with the frontier behind it."""

    lower: int
    upper: int
    outputs: tuple[tuple[int, Stepped], ...] = ()

    def then(self, upper: int, output: Stepped | None) -> Recent:
        """With what was put out up to `upper`, if it was anything."""
        return Recent(self.lower, upper, (*self.outputs, (upper, output)) if output else self.outputs)

    def durable(self, upper: int) -> Recent:
        """Without what is below `upper`."""
        if upper <= self.lower:
            return self
        return Recent(upper, self.upper, tuple(output for output in self.outputs if output[0] > upper))


@dataclass(slots=True)
class Installed:
    """`upper` is the frontier of the output.  `recent` is for any thread: it is replaced, never changed.

    While a step is `under_way` as a job, no other begins; `never_by_job` says why none of this dataflow's can be one.
    `busy_s` is the time of the steps that this process has made alone.  `removed` and `lost` (an output could not be written) are for the thread that writes outputs: the rest is not wanted.
    """

    id: GlobalId
    dataflow: Dataflow
    inputs: dict[GlobalId, Input]
    output: ViewOutput | IndexOutput | SubscriptionOutput
    schema: Schema
    upper: int
    index: Index | None
    started: float
    rows: int = 0
    hydrated: bool = False
    failed: bool = False
    removed: bool = False
    lost: bool = False
    appended: int = 0
    state: DurableState | None = None
    reported: tuple[int, ...] = ()
    recent: Recent = Recent(0, 0)
    under_way: StepUnderWay | None = None
    never_by_job: str | None = None
    busy_s: float = 0.0

    @classmethod
    def made(
        cls, command: InstallDataflow, blob: Blob, started: float, team: Team | None = None
    ) -> Installed:
        """Has no state yet, and nothing waits for it but what its inputs begin with.  A `team` divides what can be divided, but what a
        job has hydrated."""
        plan, output = command.plan, command.output
        widths = {id_: len(plan.import_schema(id_)) for id_ in plan.imports}
        arranged = isinstance(output, IndexOutput)
        never_by_job = "it is a subscription's" if isinstance(output, SubscriptionOutput) else not_a_job(plan)
        key = output.key if isinstance(output, IndexOutput) else None
        index = None if key is None else Index(plan.schema, key)
        if team is not None and undivided(plan, key) is None and command.state is None:
            divided = DividedDataflow(
                team, plan, command.as_of, arranged=arranged, index_key=key, few=command.few
            )
            dataflow: Dataflow = divided
            if key:
                index = DividedIndex(plan.schema, key, team, divided.number)
            most_read: int | None = READ_APART_ROWS
            never_by_job = "its state is divided among the workers of its replica"
        else:
            dataflow = Dataflow(plan, command.as_of, arranged=arranged)
            most_read = None
        appended = output.upper if isinstance(output, ViewOutput) else 0
        return cls(
            id=command.id,
            dataflow=dataflow,
            inputs={
                source.id: Input(blob, source, widths.get(source.id), most_read) for source in command.imports
            },
            output=output,
            schema=plan.schema,
            upper=command.as_of,
            index=index,
            started=started,
            appended=appended,
            recent=Recent(appended, appended),
            never_by_job=never_by_job,
        )

    @property
    def cut(self) -> int:
        """A restart goes on from here, or from later: that of the checkpoint, or, before there is one, the beginning
        (what has come since is little, or there would be one)."""
        cut = self.state.cut if self.state is not None else self.upper
        return self.dataflow.as_of + 1 if cut is None else min(cut, self.upper)

    def become(self, id: GlobalId, output: ViewOutput) -> None:
        """Goes on as the dataflow of another view, whose contents are known up to `output.upper`."""
        self.id, self.output, self.appended = id, output, output.upper
        self.recent = Recent(output.upper, self.upper)
        if self.state is not None:
            self.state.rename(id)

    def repoint(self, message: Repoint) -> None:
        """Goes on with other inputs, of the same contents; see `Dataflows.repoint`."""
        new = dict(message.sources)
        inputs = {}
        for id_, source in self.inputs.items():
            if id_ in new:
                source.repoint(new[id_])
                id_ = new[id_].id
            inputs[id_] = source
        self.inputs = inputs
        self.dataflow.plan = reading(self.dataflow.plan, {old: source.id for old, source in new.items()})
        if self.state is not None:
            # One that was made before a table had all of its columns is not what a restart makes.
            self.state.repoint(message.fingerprint if self.dataflow.is_of(message.plan) else "")

    def held(self) -> list[Spine]:
        """All that is in memory: state, and arrangements that could have been shared."""
        return [*self.spines().values(), *self.dataflow.substitutes().values()]

    def spines(self) -> dict[StateId, Spine]:
        """All state: that of the dataflow and, under the number of no node, that of the index."""
        spines = self.dataflow.spines()
        if self.index is not None:
            number = self.dataflow.output_number
            spines |= {(number, name): spine for name, spine in self.index.spines().items()}
        return spines

    @property
    def nbytes(self) -> int:
        """Bytes in memory, of state and of what waits to be taken in."""
        return sum(spine.nbytes for spine in self.held()) + self.dataflow.elsewhere_nbytes + self.waiting

    @property
    def divided(self) -> DividedDataflow | None:
        """The dataflow, if its state is in several processes."""
        return self.dataflow if isinstance(self.dataflow, DividedDataflow) else None

    @property
    def waiting(self) -> int:
        return sum(source.nbytes for source in self.inputs.values())

    @property
    def to_take_in(self) -> int:
        """About the bytes in memory of what waits, once it is read."""
        return sum(source.decoded_nbytes for source in self.inputs.values())

    def spill(self) -> bool:
        """Asks for as much state as possible to be moved to files; False when no more can be."""
        if self.state is None or self.failed:
            return False
        self.state.store.press()
        here = sum(spine.spill() for spine in self.held()) > 0  # all of them are asked
        return (self.divided is not None and self.divided.spill_others()) or here

    def clear(self) -> None:
        """Lets go of all state, and of what waits: the dataflow is not maintained any more."""
        for spine in self.held():
            spine.load(())
        for source in self.inputs.values():
            source.clear()
        self.dataflow.close()

    def load(self, runs: Mapping[StateId, Sequence[Run]], upper: int, since: int | None) -> None:
        """Goes on from the state that the same dataflow had at `upper`; `since` is that of the index."""
        runs = dict(runs)
        if self.index is not None:
            number = self.dataflow.output_number
            names = self.index.spines()
            held = {name: runs.pop((number, name), ()) for name in names}
            self.index.load(held, upper, since)
        self.dataflow.load(runs, upper)
        self.upper = upper

    def idles(self, upper: int) -> bool:
        """Whether a step to `upper` has nothing to do: nothing waits, and nothing is due by then."""
        if not self.hydrated:
            return False
        for source in self.inputs.values():
            if source.waits:
                return False
        return self.dataflow.next_due() >= upper

    def rows_waiting(self, upper: int) -> int:
        """The updates that a step to `upper` would take in."""
        return sum(source.rows(upper) for source in self.inputs.values())

    def step(self, inputs: Mapping[GlobalId, Delta], upper: int, *, is_read: bool) -> Stepped:
        """Steps the dataflow over the inputs, and what waits as it is stored.  What comes out at several workers may be written there;
        `is_read`: not so, as somebody in this process wants the rows."""
        divided, stored = self.divided, {}
        if divided is not None:
            stored = {id_: some for id_, i in self.inputs.items() if (some := i.take_stored(upper))}
        if self.state is not None and (inputs or stored):
            rows = sum(len(delta.oks) for delta in inputs.values())
            self.state.took(rows + sum(some.rows for each in stored.values() for some in each))
        if divided is None:
            begun = perf_counter()
            output = self.dataflow.step(inputs, self.upper, upper)
            self.busy_s += perf_counter() - begun
            return Stepped(output)
        writing = None
        if isinstance(self.output, ViewOutput) and not is_read:
            since = max(self.appended, self.upper)
            writing = Writing(self.output.shard, since, self.hydrated, FEW_WRITTEN_ROWS)
        since = 0 if self.index is None else self.index.since
        return divided.step_over(inputs, stored, self.upper, upper, writing, since)

    def statistics(self) -> DataflowStatistics:
        """What has been done and is held for it, by each worker."""
        if self.divided is None:
            operators, totals = self.dataflow.statistics(), Totals(self.dataflow.steps, busy_s=self.busy_s)
            members: tuple[PartStatistics, ...] = ()
        else:
            operators, members = self.divided.statistics_of_all()
            totals = self.divided.totals
        return DataflowStatistics(self.id, operators, (totals.with_state(self.held()), *members))

    def take(self, upper: int) -> dict[GlobalId, Delta]:
        """What waits below `upper`, by input."""
        waiting = ((id_, source.take(upper)) for id_, source in self.inputs.items())
        return {id_: delta for id_, delta in waiting if delta is not None}
