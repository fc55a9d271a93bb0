"""A step over several workers, without the wires: each is told what has come, and says what is to be sent.

Workers go through the levels of a step together: each sends to every other what goes there, be it nothing, and goes on once it
has that of all others for this level.  So no worker begins a level before all that belongs to it is there, and the step is over when
all have said so.  A step that fails, or that nobody wants any more, is given up by all of them: the leader waits until each has said
so, and what still comes of it is dropped.

Who has nothing to do in the first level says nothing at its end, as all know who has.  While it is the leader alone that has, nobody else
hears of the step; and if that goes on to the last level, those do only for which there are rows.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

from ...errors import PtvcError, ReplicaUnavailable
from ...memory import step_within
from ...persist.part import PartRef
from ...repr.batch import Delta
from ...repr.schema import ERROR_SCHEMA
from ..memory import release_memory
from ..spine import Spine
from .index_reads import IndexReads
from .member_states import Beside, MemberStates
from .messages import (
    Abort,
    Aborted,
    Ask,
    Begin,
    Done,
    Failed,
    Forget,
    IndexRows,
    Install,
    Keep,
    Kept,
    Message,
    Press,
    ReadIndex,
    Release,
    Rows,
    Save,
    Sweep,
    Told,
    ToMember,
    Work,
)
from .one_step import LEADER, Ended, OnePart, Shares, Steps, Store, UnderWay, Wires, WorkerLost
from .part import Part
from .passing import Passing, Piece
from .row_format import Crossing, to_buffer
from .totals import Meter, of_this_process

logger = logging.getLogger(__name__)


class Member:
    """A worker that is led; number `here` of `workers`.  `beside` its steps it saves state, if anybody asks it to.  `machine` is the address of
    that which it is on, if it is to be told; `far`: the leader is on another."""

    def __init__(
        self,
        here: int,
        workers: int,
        wires: Wires,
        store: Store,
        beside: Beside | None = None,
        machine: str | None = None,
        *,
        far: bool = False,
    ) -> None:
        self._here = here
        self._workers = workers
        self._wires = wires
        self._machine = machine
        self._store = store
        self._steps = Steps(here, workers, wires)
        self._parts: dict[int, Part] = {}
        self._states = MemberStates(here, workers, beside)
        self._reads = IndexReads(far=far)
        self._current: Begin | None = None
        self._one: OnePart | None = None
        self._meter = Meter(wires)

    @property
    def step(self) -> int | None:
        """The step that is under way."""
        return None if self._current is None else self._current.step

    @property
    def beginning(self) -> int | None:
        """The dataflow that gets what it begins with."""
        return self._states.beginning

    def index(self, dataflow: int) -> Spine | None:
        """The rows of an index that are here; None when the dataflow is gone, or none of an index.  For any thread."""
        part = self._parts.get(dataflow)
        return None if part is None else part.index

    def receive(self, sender: int, message: Message) -> None:
        match message:
            case Install(dataflow=number, division=division, as_of=as_of, arranged=arranged):
                self._parts[number] = Part(division, as_of, self._here, self._workers, arranged=arranged)
            case Forget(dataflow=number):
                self._forget(number)
            case Keep(dataflow=number):
                self._tell(self._states.keep(message, self._parts[number]))
            case Press(dataflow=number):
                self._tell(self._states.press(message, self._parts[number]))
            case Save(dataflow=number):
                self._states.save(message, self._parts[number])
            case Sweep():
                self._states.sweep(message)
            case Begin():
                self._begin(message)
            case Rows(step=number):
                if self.step == number:
                    self._try(lambda step: step.receive(sender, message))
                elif (early := self._steps.get(number)) is not None:
                    early.receive(sender, message)
            case Abort(step=number, dataflow=dataflow):
                self._give_up(number, dataflow)
                self._tell(Aborted(number))
            case Ask(dataflow=number):
                self._tell(self._answer(None if number is None else self._parts[number]))
            case ReadIndex(dataflow=number, keys=keys):
                index = self._parts[number].index
                assert index is not None, "the dataflow is that of an index"
                self._tell(self._reads.rows(index, keys))
            case Release(numbers=numbers):
                self._reads.release(numbers)
            case _:
                raise TypeError(f"a member does not understand {type(message).__name__}")

    def _answer(self, part: Part | None) -> Told:
        worker = of_this_process(self._wires, self._machine)
        if part is None:
            return Told(worker)
        spines = part.spines().values()
        at_rest = [spine.at_rest() for spine in spines]  # before it is said what they hold
        return Told(worker, part.statistics(), part.totals.with_state(spines), all(at_rest))

    def _begin(self, message: Begin) -> None:
        self._current = message
        self._meter = Meter(self._wires)
        part = self._parts[message.dataflow]
        self._one = one = OnePart(part, message.work, self._store)
        self._try(
            lambda step: step.begin(
                one.going(part.inputs_of(message.rows), message.stored),
                message.level,
                message.arrived,
                message.active,
            )
        )

    def _try(self, work: Callable[[UnderWay], None]) -> None:
        assert self._current is not None
        assert self._one is not None
        begin, ended = self._current, None
        step = self._steps.get(begin.step)
        assert step is not None, "a step begins once"
        try:
            with step_within(begin.most):
                work(step)
                if step.output is not None:
                    ended = self._one.ended(step.output)
        except WorkerLost:
            raise
        except Exception as error:
            self._give_up(begin.step, begin.dataflow)
            self._tell(Failed(begin.step, _told(error)))
            return
        if ended is not None:
            part = self._parts[begin.dataflow]
            self._steps.end(begin.step)
            self._current = self._one = None
            release_memory(ended.taken)
            oks, errs = ended.output.oks, ended.output.errs
            rows = to_buffer(part.output_schema, oks) if len(oks) else None
            errors = to_buffer(ERROR_SCHEMA, errs) if len(errs) else None
            told = part.next_due(), part.held_nbytes
            self._tell(Done(begin.step, rows, errors, ended.parts, *told))
            self._meter.add_to(part.totals)

    def _tell(self, message: Message) -> None:
        self._wires.send(LEADER, message)
        self._wires.flush()

    def _give_up(self, step: int, dataflow: int) -> None:
        self._steps.end(step)
        self._forget(dataflow)
        self._current = self._one = None

    def _forget(self, dataflow: int) -> None:
        self._parts.pop(dataflow, None)
        self._states.forget(dataflow)


def _told(error: Exception) -> PtvcError:
    if isinstance(error, PtvcError):
        return error
    logger.error("a worker cannot make its part of a step", exc_info=error)
    return ReplicaUnavailable(f"internal error: {error!r}", hint="The runtime's log says why.")


@dataclass(frozen=True, slots=True)
class Taken:
    """What the workers take in: `mine` and the `others'` rows, by the position of the import; and what is `stored`, by worker, if that is
    read.  `due` are workers that have something to do without."""

    mine: Mapping[int, Delta]
    others: Mapping[int, dict[int, Crossing]]
    stored: Sequence[Shares] | None
    due: Collection[int]


class Leader:
    """Worker 0.  One step at a time: `begin` it, hand over what comes until `is_over`, `take` the output."""

    def __init__(self, workers: int, wires: Wires, store: Store) -> None:
        self._members = range(1, workers)
        self._wires = wires
        self._store = store
        self._steps = Steps(LEADER, workers, wires)
        self._number = 0
        self._begun: tuple[int, int] | None = None
        self._one: OnePart | None = None
        self._ended: Ended | None = None
        self._involved: Sequence[int] = ()
        self._done: dict[int, Done] = {}
        self._error: Exception | None = None
        self._unanswered: set[int] = set()
        self._told: dict[int, Told] = {}
        self._keeping: int | None = None
        self._kept: dict[int, Kept] = {}
        self._reading = 0
        self._index_rows: dict[int, IndexRows] = {}

    def begin(self, dataflow: int, part: Part, taken: Taken, work: Work, most: int | None) -> None:
        """Has workers make the step: those which take something in, and where rows move all, once there are some for another."""
        assert self._begun is None, "the step before is not over"
        self._number += 1
        self._begun = self._number, dataflow
        self._one = one = OnePart(part, work, self._store)
        self._ended, self._done, self._error = None, {}, None
        stored = taken.stored
        mine = None if stored is None else stored[LEADER]

        def told(member: int, level: int, arrived: tuple[Piece, ...], active: tuple[int, ...]) -> Begin:
            rows = {} if level else taken.others[member]
            theirs = None if stored is None else stored[member]
            shares = None if theirs is None else tuple(theirs)
            return Begin(self._number, dataflow, work, rows, shares, level, arrived, active, most)

        active = tuple(m for m in self._members if stored is not None or taken.others[m] or m in taken.due)
        if active or work.gather:
            moves = part.moves or stored is not None or work.gather
            self._involved = self._members if moves else active
            if stored is not None or any(taken.mine.values()) or LEADER in taken.due:
                active = LEADER, *active
            for member in self._involved:
                self._wires.send(member, told(member, 0, (), active))
            self._wires.flush()
            self._try(lambda step: step.begin(one.going(taken.mine, mine), 0, (), active))
            return
        self._involved = ()

        def involve(level: int, leaving: Passing) -> Collection[int]:
            some = tuple(member for member in self._members if leaving[member])
            who = (LEADER, *some) if part.has_more else some
            self._involved = some if part.is_last(level) else self._members
            for member in self._involved:
                self._wires.send(member, told(member, level, tuple(leaving[member]), who))
            self._wires.flush()
            return who

        self._try(lambda step: step.begin_alone(one.going(taken.mine, None), involve))

    def receive(self, sender: int, message: Message) -> None:
        match message:
            case Rows(step=number):
                if self._begun is not None and self._begun[0] == number and self._error is None:
                    self._try(lambda step: step.receive(sender, message))
            case Done(step=number):
                if self._begun is not None and self._begun[0] == number:
                    self._done[sender] = message
            case Failed(step=number, error=error):
                if self._begun is not None and self._begun[0] == number:
                    self.abort(error)
            case Aborted(step=number):
                if self._begun is not None and self._begun[0] == number:
                    self._unanswered.discard(sender)
            case Told():
                self._told[sender] = message
            case Kept(dataflow=dataflow):
                if dataflow == self._keeping:
                    self._kept[sender] = message
            case IndexRows():
                self._index_rows[sender] = message
            case _:
                raise TypeError(f"the leader does not understand {type(message).__name__}")

    def _try(self, work: Callable[[UnderWay], None]) -> None:
        assert self._begun is not None
        assert self._one is not None
        step = self._steps.get(self._begun[0])
        assert step is not None
        try:
            work(step)
            if step.output is not None and self._ended is None:
                self._ended = self._one.ended(step.output)
        except WorkerLost:
            raise
        except Exception as error:
            self.abort(error)

    def abort(self, error: Exception) -> None:
        """Gives the step up, for that reason; it is over when all members have done so, too."""
        if self._begun is None or self._error is not None:
            return
        self._error = error
        number, dataflow = self._begun
        self._unanswered = set(self._members)
        for member in self._members:
            self._wires.send(member, Abort(number, dataflow))
        self._wires.flush()

    @property
    def is_over(self) -> bool:
        """Whether all that belongs to the step has come."""
        assert self._begun is not None
        if self._error is not None:
            return not self._unanswered
        return self._ended is not None and len(self._done) == len(self._involved)

    def take(self) -> tuple[Delta, tuple[PartRef, ...], Mapping[int, Done]]:
        """What has come out here and is not written, what all have written, and what members have said.  Raises the reason for which
        the step was given up."""
        assert self._begun is not None
        assert self.is_over
        number, _ = self._begun
        ended, self._begun, self._one, self._ended = self._ended, None, None, None
        self._steps.end(number)
        if self._error is not None:
            raise self._error
        assert ended is not None
        said = [self._done[member] for member in sorted(self._done)]
        parts = ended.parts + tuple(part for done in said for part in done.parts)
        return ended.output, parts, self._done

    def meter(self) -> Meter:
        """Of a step that begins."""
        return Meter(self._wires)

    def ask(self, dataflow: int | None) -> None:
        """Begins to find out what the members have done, for the dataflow, if there is one: see `told`."""
        self._told = {}
        for member in self._members:
            self._wires.send(member, Ask(dataflow))
        self._wires.flush()

    def install(self, message: Install | Forget) -> None:
        """Has all members take up a dataflow, or let go of it."""
        self.tell(dict.fromkeys(self._members, message))

    def tell(self, messages: Mapping[int, ToMember]) -> None:
        """Says something to members that is no step."""
        for member, message in messages.items():
            self._wires.send(member, message)
        self._wires.flush()

    def keep(self, messages: Mapping[int, Keep | Press]) -> None:
        """Has members begin with what is on file, or move what they hold there: see `kept`."""
        (self._keeping,) = {message.dataflow for message in messages.values()}
        self._kept = {}
        self.tell(messages)

    @property
    def kept(self) -> Mapping[int, Kept] | None:
        """The answers of all members, once these are there."""
        return self._kept if len(self._kept) == len(self._members) else None

    def read(self, messages: Mapping[int, ReadIndex]) -> None:
        """Asks members what they hold of an index: see `take_index_rows`."""
        self._reading = len(messages)
        self.tell(messages)

    def take_index_rows(self) -> Mapping[int, IndexRows] | None:
        """The answers of those that were asked, once these are there; nothing of them stays here."""
        if len(self._index_rows) < self._reading:
            return None
        answers, self._index_rows = self._index_rows, {}
        return answers

    @property
    def told(self) -> list[Told] | None:
        """The answers of all members, in their order, once these are there."""
        if len(self._told) < len(self._members):
            return None
        return [self._told[member] for member in self._members]
