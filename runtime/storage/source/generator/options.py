"""What CREATE SOURCE ... FROM LOAD GENERATOR says."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class GeneratorOptions:
    """`kind` names the generator; of the others each has some.

    A tick happens every `tick_ms` (None: never).  The contents begin as they are after `as_of` ticks, and there are no
    more than `up_to` ticks in all.
    """

    kind: str
    tick_ms: int | None = None
    as_of: int = 0
    up_to: int | None = None
    seed: int = 0
    scale_factor: float = 0.01
    keys: int = 1_000
    partitions: int = 1
    batch_size: int = 1
    value_size: int = 16
    snapshot_rounds: int = 1
    transactional_snapshot: bool = True
