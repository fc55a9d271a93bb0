"""That the simulation finds what it is for: each defect is put back, and shows within a few seeds."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import AbstractContextManager

import pytest

from . import mutations
from .simulation import Profile, run, undisturbed

MOST_SEEDS = 60

CANCELS = Profile(interrupts=True, faults=False, quickstart=False)
CLUSTERS = Profile(
    interrupts=False,
    faults=False,
    quickstart=True,
    clients=3,
    statements=14,
    subscribers=0,
    checkpoints=False,
)
STORES = Profile(
    interrupts=False,
    faults=True,
    quickstart=False,
    clients=3,
    statements=30,
    subscribers=0,
    checkpoints=False,
)
FOLLOWED = Profile(interrupts=True, faults=False, quickstart=False, subscribers=2)
BLOCKS = Profile(interrupts=False, faults=False, quickstart=False, subscribers=0, statements=20)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("mutation", "profile", "symptom"),
    [
        (mutations.ends_unseen, CLUSTERS, "hangs for more than"),
        (mutations.not_validated, CLUSTERS, "a part of the process has failed"),
        (mutations.durable_but_not_in_memory, CANCELS, "memory has"),
        (mutations.cancelled_though_durable, CANCELS, "and must be one of not there"),
        (mutations.lost_reply_is_a_refusal, STORES, "memory has|other frontiers|must be one of"),
        (mutations.open_progress, FOLLOWED, "subscriber . .*(at [0-9]+ has|is told of)"),
        (mutations.left_behind, STORES, "left of sessions that have ended"),
        (mutations.sinks_ahead, STORES, "and its target ends at"),
        (mutations.rows_behind_a_savepoint, BLOCKS, "must be one of not there"),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_a_defect_is_found(
    mutation: Callable[[], AbstractContextManager[None]], profile: Profile, symptom: str
) -> None:
    """`symptom` is a pattern of what is reported."""
    with undisturbed(), mutation():
        assert any(
            re.search(symptom, violation)
            for seed in range(MOST_SEEDS)
            for violation in run(seed, profile).violations
        )
