"""Rounds: an epoch of a loop in one of several parts, iteration by iteration, or wave by wave.

```
says ──> decide, from what all parts say ── compute, level by level ── around ──> take_in ── says ...
```

Before each round every part says what it has to do, if anything, and all come to the same decision from the same words.  Neither this
nor the number of rounds that a loop without a limit may have depends on errors: whether one is new is known only where it goes to.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from ...repr.batch import NO_ERRORS, Batch, Delta
from ...repr.consolidate import consolidate
from ..operators.loops.changes import Changes
from ..operators.loops.iterations import Epoch, Iterations, Visit
from ..operators.loops.limits import MemoryWatch, check_iterations
from ..operators.loops.waves import Waves, gone_round, has_rows, takes

Word = tuple[int, int]
"""The iteration that a part has something to do at, and more about it."""

GIVEN, ROWS, TAKES, WAITING = 1, 2, 4, 8
"""Of a wave: there is something for it; rows, and not only errors; rows go; rows have been put off."""


@dataclass(frozen=True, slots=True)
class Around:
    """What goes round: rows by the Feedback node that is to have them, errors by binding."""

    rows: dict[int, Batch] = field(default_factory=dict)
    errs: dict[int, Batch] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return any(map(len, self.rows.values())) or any(map(len, self.errs.values()))


class Rounds(Protocol):
    """One epoch."""

    @property
    def changes(self) -> Changes: ...

    @property
    def results(self) -> dict[int, Delta]:
        """Those of the round that is under way, by node and by way."""

    def says(self) -> Word | None:
        """What is to be done next, as far as this part knows; None for nothing."""

    def decide(self, words: Collection[Word]) -> None:
        """Begins the next round; `words` are those of all parts that have said any about this epoch."""

    def compute(self, level: int) -> None: ...

    def around(self) -> Around:
        """Ends the round: what goes from here to all parts."""

    def take_in(self, around: Around) -> None:
        """What has come here from all parts."""

    def end(self) -> None:
        """No part has anything to do."""


class WaveRounds:
    def __init__(self, loop: Waves, inputs: Sequence[Batch]) -> None:
        self.changes = Changes()
        self.results: dict[int, Delta] = {}
        self._loop = loop
        self._memory = MemoryWatch()
        self._given = loop.entering(inputs)
        self._leaves = Around()
        self._coming: bool | None = None
        self._waves = 0

    def says(self) -> Word | None:
        if self._coming is None:
            takes_ = TAKES if takes(self._given) else 0
            return 0, GIVEN | takes_ | (ROWS if has_rows(self._given) else 0)
        put_off = [feedback.errors.waiting for feedback in self._loop.feedback]
        if self._leaves or (self._coming and any(put_off)):
            return 0, GIVEN | (ROWS if any(map(len, self._leaves.rows.values())) else 0)
        return (0, WAITING) if self._loop.waiting and not self._coming else None

    def decide(self, words: Collection[Word]) -> None:
        bits = 0
        for _, some in words:
            bits |= some
        if self._coming is None:
            self._coming = not bits & TAKES
        elif not bits & GIVEN:
            self._coming = True
        if bits & ROWS:
            check_iterations(self._waves)
            self._waves += 1
        self.results, self._given = self._given, {}

    def compute(self, level: int) -> None:
        assert self._coming is not None
        loop = self._loop
        loop.compute(loop.levels[level], self.results, self._memory, coming=self._coming)

    def around(self) -> Around:
        self._loop.note(self.results, self.changes)
        self._leaves = leaves = Around()
        for feedback in self._loop.feedback:
            delta = self.results.get(feedback.result)
            if delta is not None:
                if len(delta.oks):
                    leaves.rows.update(dict.fromkeys(feedback.nodes, gone_round(delta.oks)))
                leaves.errs[feedback.binding] = delta.errs
        self.results = {}
        return leaves

    def take_in(self, around: Around) -> None:
        assert self._coming is not None
        for feedback in self._loop.feedback:
            errs = around.errs.get(feedback.binding, NO_ERRORS)
            errs = feedback.errors_round(errs, coming=self._coming)
            for node in feedback.nodes:
                rows = around.rows.get(node, feedback.nothing)
                if len(rows) or len(errs):
                    self._given[node] = Delta(rows, errs)

    def end(self) -> None:
        assert not self._given
        assert not self._loop.waiting


class IterationRounds:
    def __init__(self, loop: Iterations, inputs: Sequence[Batch], *, first: bool) -> None:
        self._loop = loop
        self._epoch = Epoch(loop, inputs, first=first)
        self._visit: Visit | None = None
        self._leaves = Around()
        self.changes = self._epoch.changes

    @property
    def results(self) -> dict[int, Delta]:
        assert self._visit is not None
        return self._visit.results

    def says(self) -> Word | None:
        nexts = [] if self._epoch.next is None else [self._epoch.next]
        if self._leaves:
            assert self._visit is not None
            nexts.append(self._visit.iteration + 1)
        return (min(nexts), 0) if nexts else None

    def decide(self, words: Collection[Word]) -> None:
        self._visit = self._epoch.visit(min(iteration for iteration, _ in words))

    def compute(self, level: int) -> None:
        assert self._visit is not None
        self._epoch.compute(self._loop.levels[level], self._visit)

    def around(self) -> Around:
        assert self._visit is not None
        self._leaves = leaves = Around()
        for binding, delta in self._epoch.bindings(self._visit):
            rows = self._epoch.round(binding, delta.oks, self._visit.iteration)
            if len(rows):
                leaves.rows.update(dict.fromkeys(self._loop.body.around[binding], rows))
            leaves.errs[binding] = delta.errs
        self._visit.results.clear()
        return leaves

    def take_in(self, around: Around) -> None:
        assert self._visit is not None
        for node, rows in around.rows.items():
            moved = self._loop.body.by[node] is not None
            self._epoch.feed([node], consolidate(rows) if moved else rows)
        for binding, errs in around.errs.items():
            self._epoch.feed_errors(binding, errs, self._visit.iteration)

    def end(self) -> None:
        assert self._epoch.next is None
        self._epoch.end()


def rounds_of(loop: Waves | Iterations, inputs: Sequence[Batch], *, first: bool) -> Rounds:
    """An epoch of the loop, over what of its inputs there is here."""
    return WaveRounds(loop, inputs) if isinstance(loop, Waves) else IterationRounds(loop, inputs, first=first)
