"""A step over several workers, without the wires: each is told what has come, and says what is to be sent.

Workers go through the levels of a step together: each sends to every other what goes there, be it nothing, and goes on once it
has that of all others for this level.  So no worker begins a level before all that belongs to it is there, and the step is over when
all have said so.  A step that fails, or that nobody wants any more, is given up by all of them: the leader waits until each has said
so, and what still comes of it is dropped.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Generator, Mapping, Sequence
from typing import Protocol

import pyarrow as pa

from ...errors import PtvcError, ReplicaUnavailable
from ...expr.tree.relation import GlobalId
from ...memory import step_within
from ...repr.batch import Delta
from ...repr.schema import ERROR_SCHEMA
from ..dataflow import OperatorStatistics
from ..memory import release_memory
from .member_states import Beside, MemberStates
from .messages import (
    Abort,
    Aborted,
    Ask,
    Begin,
    Done,
    Failed,
    Forget,
    Install,
    Keep,
    Kept,
    Message,
    Open,
    Press,
    Rows,
    Save,
    Sweep,
    Told,
)
from .part import Part, Passing, Piece
from .row_format import to_buffer

logger = logging.getLogger(__name__)

LEADER = 0


class WorkerLost(ReplicaUnavailable):
    """A worker has ended, and with it a part of all state: the others cannot go on."""


class Wires(Protocol):
    """The ways from one worker to all others.  Raises WorkerLost when one of these has ended."""

    def send(self, worker: int, message: Message) -> None:
        """Messages between two workers arrive in this order; one may wait for `flush`."""

    def flush(self) -> None:
        """Called where the others can go on with what was sent."""


class _UnderWay:
    """A worker's part of one step.  `early` are rows of later levels, by level and sender."""

    def __init__(self, step: int, here: int, workers: int, wires: Wires) -> None:
        self.step = step
        self._others = [worker for worker in range(workers) if worker != here]
        self._wires = wires
        self._level = 0
        self._going: Generator[Passing, Passing, Delta] | None = None
        self._arrived: dict[int, dict[int, tuple[Piece, ...]]] = {}
        self.output: Delta | None = None

    def begin(self, going: Generator[Passing, Passing, Delta]) -> None:
        """Runs the first level, and those whose rows are there already."""
        self._going = going
        self._run(None)
        self._go_on()

    def receive(self, sender: int, rows: Rows) -> None:
        self._arrived.setdefault(rows.level, {})[sender] = rows.pieces
        if self._going is not None:
            self._go_on()

    def _go_on(self) -> None:
        while self.output is None and len(self._arrived.get(self._level, ())) == len(self._others):
            pieces = self._arrived.pop(self._level)
            self._level += 1
            self._run([pieces[sender] for sender in self._others])

    def _run(self, arrived: Passing | None) -> None:
        assert self._going is not None
        try:
            leaving = next(self._going) if arrived is None else self._going.send(arrived)
        except StopIteration as end:
            self.output = end.value
            return
        for other in self._others:
            self._wires.send(other, Rows(self.step, self._level, tuple(leaving[other])))
        self._wires.flush()

    def close(self) -> None:
        if self._going is not None:
            self._going.close()


class _Steps:
    """The steps that this worker has heard of, one of which may be under way."""

    def __init__(self, here: int, workers: int, wires: Wires) -> None:
        self._here = here
        self._workers = workers
        self._wires = wires
        self._ended = 0
        self._heard: dict[int, _UnderWay] = {}

    def get(self, step: int) -> _UnderWay | None:
        """The step; None when it is over."""
        if step <= self._ended:
            return None
        if step not in self._heard:
            self._heard[step] = _UnderWay(step, self._here, self._workers, self._wires)
        return self._heard[step]

    def end(self, step: int) -> None:
        """Steps have ascending numbers, and one begins when the one before is over."""
        self._ended = max(self._ended, step)
        for number in [n for n in self._heard if n <= step]:
            self._heard.pop(number).close()


class Member:
    """A worker that is led; number `here` of `workers`.  `beside` its steps it saves state, if anybody asks it to."""

    def __init__(self, here: int, workers: int, wires: Wires, beside: Beside | None = None) -> None:
        self._here = here
        self._workers = workers
        self._wires = wires
        self._steps = _Steps(here, workers, wires)
        self._parts: dict[int, Part] = {}
        self._states = MemberStates(here, workers, beside)
        self._current: Begin | None = None

    @property
    def step(self) -> int | None:
        """The step that is under way."""
        return None if self._current is None else self._current.step

    @property
    def beginning(self) -> int | None:
        """The dataflow that gets what it begins with."""
        return self._states.beginning

    def receive(self, sender: int, message: Message) -> None:
        match message:
            case Install(dataflow=number, plan=plan, as_of=as_of, arranged=arranged):
                self._parts[number] = Part(plan, as_of, self._here, self._workers, arranged=arranged)
            case Forget(dataflow=number):
                self._forget(number)
            case Open():
                self._states.open(message)
            case Keep(dataflow=number):
                self._tell(self._states.keep(message, self._parts[number]))
            case Press(dataflow=number):
                self._tell(self._states.press(message, self._parts[number]))
            case Save(dataflow=number):
                self._states.save(message, self._parts[number])
            case Sweep():
                self._states.sweep(message)
            case Begin():
                self._current = message
                part = self._parts[message.dataflow]
                self._try(
                    lambda step: step.begin(
                        part.level_by_level(part.inputs_of(message.inputs), message.lower, message.upper)
                    )
                )
            case Rows(step=number):
                if self.step == number:
                    self._try(lambda step: step.receive(sender, message))
                elif (early := self._steps.get(number)) is not None:
                    early.receive(sender, message)
            case Abort(step=number, dataflow=dataflow):
                self._give_up(number, dataflow)
                self._tell(Aborted(number))
            case Ask(dataflow=number):
                self._tell(Told(number, self._parts[number].statistics()))
            case _:
                raise TypeError(f"a member does not understand {type(message).__name__}")

    def _try(self, work: Callable[[_UnderWay], None]) -> None:
        assert self._current is not None
        begin = self._current
        step = self._steps.get(begin.step)
        assert step is not None, "a step begins once"
        try:
            with step_within(begin.most):
                work(step)
        except WorkerLost:
            raise
        except Exception as error:
            self._give_up(begin.step, begin.dataflow)
            self._tell(Failed(begin.step, _told(error)))
            return
        if step.output is not None:
            part = self._parts[begin.dataflow]
            self._steps.end(begin.step)
            self._current = None
            release_memory(len(step.output.oks))
            oks, errs = step.output.oks, step.output.errs
            rows = to_buffer(part.plan.schema, oks) if len(oks) else None
            errors = to_buffer(ERROR_SCHEMA, errs) if len(errs) else None
            self._tell(Done(begin.step, rows, errors, part.next_due(), part.held_nbytes))

    def _tell(self, message: Message) -> None:
        self._wires.send(LEADER, message)
        self._wires.flush()

    def _give_up(self, step: int, dataflow: int) -> None:
        self._steps.end(step)
        self._forget(dataflow)
        self._current = None

    def _forget(self, dataflow: int) -> None:
        self._parts.pop(dataflow, None)
        self._states.forget(dataflow)


def _told(error: Exception) -> PtvcError:
    if isinstance(error, PtvcError):
        return error
    logger.error("a worker cannot make its part of a step", exc_info=error)
    return ReplicaUnavailable(f"internal error: {error!r}", hint="The runtime's log says why.")


class Leader:
    """Worker 0.  One step at a time: `begin` it, hand over what comes until `is_over`, `take` the output."""

    def __init__(self, workers: int, wires: Wires) -> None:
        self._members = range(1, workers)
        self._involved: Sequence[int] = ()
        self._wires = wires
        self._steps = _Steps(LEADER, workers, wires)
        self._number = 0
        self._begun: tuple[int, int] | None = None
        self._done: dict[int, Done] = {}
        self._error: Exception | None = None
        self._unanswered: set[int] = set()
        self._told: dict[int, tuple[OperatorStatistics, ...]] = {}
        self._keeping: int | None = None
        self._kept: dict[int, Kept] = {}

    def begin(
        self,
        dataflow: int,
        part: Part,
        mine: dict[GlobalId, Delta],
        others: Mapping[int, dict[GlobalId, pa.Buffer]],
        lower: int,
        upper: int,
        most: int | None,
    ) -> None:
        """Has workers make the step, over this one's share of the inputs, and the rows that are the `others`'.  These are all members,
        unless the part has no level but one, in which nobody waits for anybody."""
        assert self._begun is None, "the step before is not over"
        self._number += 1
        self._begun = self._number, dataflow
        self._done, self._error = {}, None
        self._involved = tuple(others)
        for member, share in others.items():
            self._wires.send(member, Begin(self._number, dataflow, lower, upper, share, most))
        self._wires.flush()
        self._try(lambda step: step.begin(part.level_by_level(mine, lower, upper)))

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
            case Told(statistics=statistics):
                self._told[sender] = statistics
            case Kept(dataflow=dataflow):
                if dataflow == self._keeping:
                    self._kept[sender] = message
            case _:
                raise TypeError(f"the leader does not understand {type(message).__name__}")

    def _try(self, work: Callable[[_UnderWay], None]) -> None:
        assert self._begun is not None
        step = self._steps.get(self._begun[0])
        assert step is not None
        try:
            work(step)
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
        step = self._steps.get(self._begun[0])
        assert step is not None
        return step.output is not None and len(self._done) == len(self._involved)

    def take(self) -> tuple[Delta, Mapping[int, Done]]:
        """What has come out here, and at the members.  Raises the reason for which the step was given up."""
        assert self._begun is not None
        assert self.is_over
        number, _ = self._begun
        step = self._steps.get(number)
        assert step is not None
        output = step.output
        self._begun = None
        self._steps.end(number)
        if self._error is not None:
            raise self._error
        assert output is not None
        return output, self._done

    def ask(self, dataflow: int) -> None:
        """Begins to find out the statistics of the members' operators: see `told`."""
        self._told = {}
        for member in self._members:
            self._wires.send(member, Ask(dataflow))
        self._wires.flush()

    def install(self, message: Install | Forget | Open) -> None:
        """Has all members take up a dataflow, or let go of it."""
        self.tell(dict.fromkeys(self._members, message))

    def tell(self, messages: Mapping[int, Install | Forget | Open | Keep | Press | Save | Sweep]) -> None:
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

    @property
    def told(self) -> list[tuple[OperatorStatistics, ...]] | None:
        """Those of all members, once all have answered."""
        return list(self._told.values()) if len(self._told) == len(self._members) else None
