"""One step, as one worker makes it: what it takes in, the levels that it goes through with the others, and what comes out."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from ...errors import ReplicaUnavailable
from ...persist.part import PartRef
from ...repr.batch import Batch, Delta
from ...repr.schema import Schema
from .messages import Message, Rows, Work, Writing
from .part import Part, Read
from .passing import Going, Passing, Piece
from .stored import Share
from .totals import Counted

LEADER = 0

Shares = Sequence[tuple[int, Share]]
"""What a worker reads, by the position of the import."""


class WorkerLost(ReplicaUnavailable):
    """A worker has ended, and with it a part of all state: the others cannot go on."""


class Wires(Counted, Protocol):
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


class UnderWay:
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
class Ended:
    """What has come out of a worker's part of a step: `output` is not written, `parts` are."""

    output: Delta
    parts: tuple[PartRef, ...]
    taken: int


class OnePart:
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

    def ended(self, output: Delta) -> Ended:
        """Arranges the rows of an index here, and writes many of a view, if none of them can be equal to one of another part."""
        part, writing, rows = self._part, self._work.writing, output.oks
        if part.index is not None:
            part.index.advance_since(self._work.since)
            part.index.insert(part.summed(rows))
            return Ended(Delta(rows.slice(0, 0), output.errs), (), self._taken)
        if writing is None or len(rows) <= writing.few or not (self._work.gather or part.output_lies):
            return Ended(output, (), self._taken)
        new = part.summed(rows)
        new = new.filter(new.times >= writing.since)
        written = self._store.write(writing, part.plan.schema, new) if len(new) else ()
        return Ended(Delta(rows.slice(0, 0), output.errs), written, self._taken)


class Steps:
    """The steps that this worker has heard of, one of which may be under way."""

    def __init__(self, here: int, workers: int, wires: Wires) -> None:
        self._here = here
        self._workers = workers
        self._wires = wires
        self._ended = 0
        self._heard: dict[int, UnderWay] = {}

    def get(self, step: int) -> UnderWay | None:
        """The step; None when it is over."""
        if step <= self._ended:
            return None
        if step not in self._heard:
            self._heard[step] = UnderWay(step, self._here, self._workers, self._wires)
        return self._heard[step]

    def end(self, step: int) -> None:
        """Steps have ascending numbers, and one begins when the one before is over."""
        self._ended = max(self._ended, step)
        for number in [n for n in self._heard if n <= step]:
            self._heard.pop(number).close()
