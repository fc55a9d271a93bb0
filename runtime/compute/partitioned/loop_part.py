"""A part of a loop that is divided.

```
part 0:  says ──┐        ┌── level 0 ──┐        ┌── level 1 ──┐            ┌── nothing is said: over
part 1:  says ──┴────────┴── level 0 ──┴────────┴── level 1 ──┴── says ────┴── nothing is said: over
         what all have to do           rows by key              rows that go round, and what all have to do
```

Parts go through the epochs of a step, and the iterations of an epoch, together.  Whoever has anything to do says so to all others with
what it sends them, and who is silent has nothing: so all know the same, and a loop is over when nobody has said anything.  A step
in which no row gets to the loop costs one meeting, or none where nobody hears of it (`one_step`).

Errors that go round are brought together by their hashes, since only where all that is of one it is known whether it is new.
"""

from __future__ import annotations

import struct
from collections import deque
from collections.abc import Callable, Generator, Iterable, Sequence

import pyarrow as pa

from ...interrupt import check_interrupt
from ...repr.batch import NO_ERRORS, Batch, Delta, concat_batches, concat_deltas, empty_batch
from ...repr.schema import ERROR_SCHEMA, Schema
from ..operators.loops.iterate import Iterate
from ..plan import DividedIterateOp, Exchange
from ..spark.exchange import split
from .loop_rounds import Around, Rounds, Word, rounds_of
from .passing import Going, Passing, Piece
from .row_format import Crossing, Repeated, to_buffer

_WORD = struct.Struct("=QQQ")
"""The epoch, and the word of `Rounds` about it."""

_SAID = -1
_EVERY_ERROR_COLUMN = tuple(range(len(ERROR_SCHEMA)))

Said = tuple[int, Word]


class LoopPart:
    """The part number `part` of `parts`, whose state is that of `loop`; `received` reads what has come from another part."""

    def __init__(
        self,
        op: DividedIterateOp,
        loop: Iterate,
        part: int,
        parts: int,
        received: Callable[[Schema, Crossing], Batch],
    ) -> None:
        self._received = received
        self._op = op
        self._loop = loop
        self._body = loop.inside.body
        self._part = part
        self._parts = parts
        self._inputs = [empty_batch(op.nodes[node].schema) for _, node in sorted(self._body.enter.items())]
        self._schemas = {way.key: op.nodes[way.producer].schema for way in self._body.ways}

    def step(self, given: tuple[Delta, ...], lower: int, upper: int) -> Going:
        """As the loop's own step."""
        loop = self._loop
        outputs = loop.passed(given)
        waiting = deque(
            (time, rounds_of(loop.inside, batches, first=first))
            for time, batches, first in loop.epochs(given, lower, upper)
        )
        epoch, rounds, around = -1, None, Around()
        while said := (yield from self._meet(around, epoch, rounds, waiting)):
            following = min(time for time, _ in said)
            if following != epoch:
                if rounds is not None:
                    outputs.append(self._ended(rounds, epoch))
                epoch = following
                here = waiting and waiting[0][0] == epoch
                rounds = waiting.popleft()[1] if here else rounds_of(loop.inside, self._inputs, first=False)
            assert rounds is not None
            check_interrupt()
            rounds.decide([word for time, word in said if time == epoch])
            around = yield from self._round(rounds)
        if rounds is not None:
            outputs.append(self._ended(rounds, epoch))
        return loop.together(outputs)

    def _ended(self, rounds: Rounds, epoch: int) -> Delta:
        rounds.end()
        return self._loop.outcome(rounds.changes, epoch)

    def _round(self, rounds: Rounds) -> Generator[Passing, Passing, Around]:
        """Returns what goes round from here."""
        last = len(self._body.levels) - 1
        for level in range(last + 1):
            rounds.compute(level)
            if level < last:
                sent: list[list[Piece]] = [[] for _ in range(self._parts)]
                here: dict[int, list[Delta]] = {}
                for way in self._body.leaving[level]:
                    made = rounds.results.get(way.producer)
                    if made is None:
                        continue
                    schema, stays = self._schemas[way.key], here.setdefault(way.key, [])
                    if len(made.errs):
                        stays.append(Delta(empty_batch(schema), made.errs))
                    mine = self._split(way.key, schema, made.oks, way.by, sent)
                    stays += [Delta(rows, NO_ERRORS) for rows in mine]
                for key, buffer in _pieces((yield sent)):
                    rows = self._received(self._schemas[key], buffer)
                    here.setdefault(key, []).append(Delta(rows, NO_ERRORS))
                rounds.results.update(
                    (key, concat_deltas(self._schemas[key], deltas)) for key, deltas in here.items() if deltas
                )
        return rounds.around()

    def _split(
        self, number: int, schema: Schema, rows: Batch, by: Exchange, sent: Sequence[list[Piece]]
    ) -> list[Batch]:
        """Adds those rows to `sent` that belong to other parts; returns the rest."""
        mine = []
        for part, some in split(rows, by, self._parts, self._part):
            if part == self._part:
                mine.append(some)
            else:
                sent[part].append((number, to_buffer(schema, some)))
        return mine

    def _meet(
        self, around: Around, epoch: int, rounds: Rounds | None, waiting: Sequence[tuple[int, Rounds]]
    ) -> Generator[Passing, Passing, list[Said]]:
        """Between two rounds: what goes round gets to where it is read next.  Returns what all have said."""
        sent: list[list[Piece]] = [[] for _ in range(self._parts)]
        rows = {
            node: self._split(node, self._op.nodes[node].schema, batch, self._body.by[node], sent)
            for node, batch in around.rows.items()
        }
        errs = {
            binding: self._split(_of_errors(binding), ERROR_SCHEMA, batch, _EVERY_ERROR_COLUMN, sent)
            for binding, batch in around.errs.items()
        }
        said = self._says(epoch, rounds, waiting)
        for time, word in said:
            told = pa.py_buffer(_WORD.pack(time, *word))
            for part in range(self._parts):
                if part != self._part:
                    sent[part].append((_SAID, told))
        for number, buffer in _pieces((yield sent)):
            if number == _SAID:
                assert not isinstance(buffer, Repeated), "words are no rows"
                time, *rest = _WORD.unpack(buffer)
                said.append((time, (rest[0], rest[1])))
            elif number < _SAID:
                errs.setdefault(_of_errors(number), []).append(self._received(ERROR_SCHEMA, buffer))
            else:
                schema = self._op.nodes[number].schema
                rows.setdefault(number, []).append(self._received(schema, buffer))
        if rounds is not None:
            rounds.take_in(
                Around(
                    {n: concat_batches(self._op.nodes[n].schema, some) for n, some in rows.items()},
                    {b: concat_batches(ERROR_SCHEMA, some) for b, some in errs.items()},
                )
            )
        return said

    def _says(self, epoch: int, rounds: Rounds | None, waiting: Sequence[tuple[int, Rounds]]) -> list[Said]:
        """What this part has to do next, in the epoch that it is at or, if nothing, in the one after it."""
        word = rounds.says() if rounds is not None else None
        if word is None and waiting:
            epoch, following = waiting[0]
            word = following.says()
        return [] if word is None else [(epoch, word)]


def _of_errors(number: int) -> int:
    """The number by which errors of a binding go, and the other way round."""
    return -2 - number


def _pieces(came: Passing) -> Iterable[Piece]:
    return (piece for pieces in came for piece in pieces)
