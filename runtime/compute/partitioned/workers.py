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
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import pyarrow as pa

from ...errors import PtvcError, ReplicaUnavailable
from ...memory import step_within
from ...persist.part import PartRef
from ...repr.batch import Batch, Delta
from ...repr.schema import ERROR_SCHEMA, Schema
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
    Press,
    Rows,
    Save,
    Sweep,
    Told,
    Work,
    Writing,
)
from .part import Going, Part, Passing, Piece, Read
from .row_format import to_buffer
from .stored import Share

logger = logging.getLogger(__name__)

LEADER = 0

AT_ONCE_ROWS = 1_000
"""Of no more rows than these a worker makes no part of its own: the leader writes them with others'."""

Shares = Sequence[tuple[int, Share]]
"""What a worker reads, by the position of the import."""


class WorkerLost(ReplicaUnavailable):
    """A worker has ended, and with it a part of all state: the others cannot go on."""


class Wires(Protocol):
    """The ways from one worker to all others.  Raises WorkerLost when one of these has ended."""

    def send(self, worker: int, message: Message) -> None:
        """Messages between two workers arrive in this order; one may wait for `flush`."""

    def flush(self) -> None:
        """Called where the others can go on with what was sent."""


class Store(Protocol):
    """Where inputs are stored, and outputs are to be."""

    def read(self, share: Share) -> Delta:
        """Raises InputLost."""

    def write(self, writing: Writing, schema: Schema, rows: Batch) -> tuple[PartRef, ...]:
        """The parts that hold the rows."""


class _UnderWay:
    """A worker's part of one step.  `active` are those of whom rows come at the end of the level `first`."""

    def __init__(self, step: int, here: int, workers: int, wires: Wires) -> None:
        self.step = step
        self._here = here
        self._others = [worker for worker in range(workers) if worker != here]
        self._wires = wires
        self._level = 0
        self._first = 0
        self._active: Collection[int] = ()
        self._going: Going | None = None
        self._arrived: dict[int, dict[int, tuple[Piece, ...]]] = {}
        self.output: Delta | None = None

    def begin(self, going: Going, level: int, arrived: tuple[Piece, ...], active: Collection[int]) -> None:
        """Goes through the levels before `level`, in which nobody but the leader has had anything to do, runs that, and those whose rows are
        there already."""
        self._going = going
        self._first, self._active = level, active
        leaving = self._run(None)
        while self._level < level and leaving is not None:
            assert not any(leaving), "nothing leaves where nothing is"
            self._level += 1
            came = arrived if self._level == level else ()
            leaving = self._run([came if sender == LEADER else () for sender in self._others])
        self._send(leaving)
        self._go_on()

    def begin_alone(self, going: Going, involve: Callable[[int, Passing], Collection[int]]) -> None:
        """As `begin`, of the leader, while nobody else has anything to do: `involve` is told of the first rows that leave, and of the level
        that they go to, and says who is active there."""
        self._going = going
        leaving = self._run(None)
        while leaving is not None:
            self._level += 1
            some = any(leaving)
            if some:
                self._first, self._active = self._level, involve(self._level, leaving)
            leaving = self._run([() for _ in self._others])
            if some:
                break
        self._send(leaving)
        self._go_on()

    def receive(self, sender: int, rows: Rows) -> None:
        self._arrived.setdefault(rows.level, {})[sender] = rows.pieces
        if self._going is not None:
            self._go_on()

    def _go_on(self) -> None:
        while self.output is None and len(self._arrived.get(self._level, ())) == self._expected():
            pieces = self._arrived.pop(self._level, {})
            self._level += 1
            self._send(self._run([pieces.get(sender, ()) for sender in self._others]))

    def _expected(self) -> int:
        """How many say what leaves this level."""
        if self._level > self._first:
            return len(self._others)
        return len(self._active) - (self._here in self._active)

    def _run(self, arrived: Passing | None) -> Passing | None:
        """What leaves the next level; None when it is the last."""
        assert self._going is not None
        try:
            return next(self._going) if arrived is None else self._going.send(arrived)
        except StopIteration as end:
            self.output = end.value
            return None

    def _send(self, leaving: Passing | None) -> None:
        if leaving is None or (self._level == self._first and self._here not in self._active):
            assert leaving is None or not any(leaving), "rows come of those who have something to do"
            return
        for other in self._others:
            self._wires.send(other, Rows(self.step, self._level, tuple(leaving[other])))
        self._wires.flush()

    def close(self) -> None:
        if self._going is not None:
            self._going.close()


@dataclass(frozen=True, slots=True)
class _Ended:
    """What has come out of a worker's part of a step: `output` is not written, `parts` are."""

    output: Delta
    parts: tuple[PartRef, ...]
    taken: int


class _OnePart:
    """A worker's part of a step, from what it takes in to what comes out."""

    def __init__(self, part: Part, work: Work, store: Store) -> None:
        self._part = part
        self._work = work
        self._store = store
        self._taken = 0

    def going(self, inputs: Mapping[int, Delta], stored: Shares | None) -> Going:
        work = self._work
        self._taken = sum(len(delta.oks) for delta in inputs.values())
        read = None if stored is None else lambda: self._read(stored)
        return self._part.level_by_level(inputs, work.lower, work.upper, read=read, gather=work.gather)

    def _read(self, stored: Shares) -> Iterator[Read]:
        for position, share in stored:
            delta = self._store.read(share)
            self._taken += len(delta.oks)
            yield Read(position, delta, share.as_of is not None)

    def ended(self, output: Delta) -> _Ended:
        """Writes many rows here, if none of them can be equal to one of another part."""
        part, writing, rows = self._part, self._work.writing, output.oks
        if writing is None or len(rows) <= AT_ONCE_ROWS or not (self._work.gather or part.output_lies):
            return _Ended(output, (), self._taken)
        new = part.summed(rows)
        new = new.filter(new.times >= writing.since)
        written = self._store.write(writing, part.plan.schema, new) if len(new) else ()
        return _Ended(Delta(rows.slice(0, 0), output.errs), written, self._taken)


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

    def __init__(
        self, here: int, workers: int, wires: Wires, store: Store, beside: Beside | None = None
    ) -> None:
        self._here = here
        self._workers = workers
        self._wires = wires
        self._store = store
        self._steps = _Steps(here, workers, wires)
        self._parts: dict[int, Part] = {}
        self._states = MemberStates(here, workers, beside)
        self._current: Begin | None = None
        self._one: _OnePart | None = None

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
                self._tell(Told(number, self._parts[number].statistics()))
            case _:
                raise TypeError(f"a member does not understand {type(message).__name__}")

    def _begin(self, message: Begin) -> None:
        self._current = message
        part = self._parts[message.dataflow]
        self._one = one = _OnePart(part, message.work, self._store)
        self._try(
            lambda step: step.begin(
                one.going(part.inputs_of(message.rows), message.stored),
                message.level,
                message.arrived,
                message.active,
            )
        )

    def _try(self, work: Callable[[_UnderWay], None]) -> None:
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
    others: Mapping[int, dict[int, pa.Buffer]]
    stored: Sequence[Shares] | None
    due: Collection[int]


class Leader:
    """Worker 0.  One step at a time: `begin` it, hand over what comes until `is_over`, `take` the output."""

    def __init__(self, workers: int, wires: Wires, store: Store) -> None:
        self._members = range(1, workers)
        self._wires = wires
        self._store = store
        self._steps = _Steps(LEADER, workers, wires)
        self._number = 0
        self._begun: tuple[int, int] | None = None
        self._one: _OnePart | None = None
        self._ended: _Ended | None = None
        self._involved: Sequence[int] = ()
        self._done: dict[int, Done] = {}
        self._error: Exception | None = None
        self._unanswered: set[int] = set()
        self._told: dict[int, tuple[OperatorStatistics, ...]] = {}
        self._keeping: int | None = None
        self._kept: dict[int, Kept] = {}

    def begin(self, dataflow: int, part: Part, taken: Taken, work: Work, most: int | None) -> None:
        """Has workers make the step: those which take something in, and where rows move all, once there are some for another."""
        assert self._begun is None, "the step before is not over"
        self._number += 1
        self._begun = self._number, dataflow
        self._one = one = _OnePart(part, work, self._store)
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
            moves = part.levels > 1 or stored is not None or work.gather
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
            self._involved = some if level == part.levels - 1 else self._members
            for member in self._involved:
                self._wires.send(member, told(member, level, tuple(leaving[member]), (LEADER, *some)))
            self._wires.flush()
            return LEADER, *some

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
            case Told(statistics=statistics):
                self._told[sender] = statistics
            case Kept(dataflow=dataflow):
                if dataflow == self._keeping:
                    self._kept[sender] = message
            case _:
                raise TypeError(f"the leader does not understand {type(message).__name__}")

    def _try(self, work: Callable[[_UnderWay], None]) -> None:
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

    def ask(self, dataflow: int) -> None:
        """Begins to find out the statistics of the members' operators: see `told`."""
        self._told = {}
        for member in self._members:
            self._wires.send(member, Ask(dataflow))
        self._wires.flush()

    def install(self, message: Install | Forget) -> None:
        """Has all members take up a dataflow, or let go of it."""
        self.tell(dict.fromkeys(self._members, message))

    def tell(self, messages: Mapping[int, Install | Forget | Keep | Press | Save | Sweep]) -> None:
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
