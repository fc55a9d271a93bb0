"""Changes: what an epoch of a loop has come to."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field

from ....repr.batch import Batch, Delta


@dataclass(frozen=True, slots=True)
class Changes:
    """What an epoch has changed.  `bindings[b]`: the updates of binding b that is read outside, at times that mean
    nothing there; their sum counts.  `errs`: further errors, those of limits."""

    bindings: defaultdict[int, list[Delta]] = field(default_factory=lambda: defaultdict(list))
    errs: list[Batch] = field(default_factory=list)

    def add(self, binding: int, delta: Delta) -> None:
        self.bindings[binding].append(delta)
