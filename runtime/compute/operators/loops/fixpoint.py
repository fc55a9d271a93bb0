"""Fixpoint: what a loop needs of whatever runs its graph, one epoch after the other."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from ....repr.batch import Batch, Delta
from ...spine import Spine


@dataclass(frozen=True, slots=True)
class Changes:
    """What an epoch has changed.  `bindings[b]`: the updates of binding b that is read outside, at times that mean
    nothing there; their sum counts.  `errs`: further errors, those of limits."""

    bindings: defaultdict[int, list[Delta]] = field(default_factory=lambda: defaultdict(list))
    errs: list[Batch] = field(default_factory=list)

    def add(self, binding: int, delta: Delta) -> None:
        self.bindings[binding].append(delta)


class Fixpoint(Protocol):
    """The graph inside a loop and its state, which is complete between epochs."""

    def spines(self) -> dict[str, Spine]:
        """The state, by names that are stable across versions."""

    def epoch(self, inputs: Sequence[Batch], *, first: bool) -> Changes:
        """Takes in the updates of every input at one time.  `first`: operators that have rows over nothing begin."""
