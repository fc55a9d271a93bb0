"""Merges of few updates of a hash, of which each may cancel any other; and the priority of the thread that merges."""

from __future__ import annotations

import os
import sys
import threading
from collections import Counter, defaultdict

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from ptvc.compute.merge import Identity, MergeWorker, merge_runs
from ptvc.compute.run import Run
from ptvc.repr.hash import hash_columns
from ptvc.repr.types import INT8, TEXT
from ptvc.supervision import NICENESS

from .histories import batch_of, schema_of, updates_of
from .reference import Update

SCHEMA = schema_of(INT8, TEXT)
UPDATES = st.lists(
    st.tuples(
        st.tuples(st.integers(0, 5), st.sampled_from(["a", "b", None])),
        st.integers(1, 3),
        st.sampled_from([-1, 1, 2]),
    ),
    max_size=8,
)


def run_of(updates: list[Update]) -> Run:
    batch = batch_of(SCHEMA, updates)
    hashes = hash_columns(batch.columns[:1], len(batch))
    order = np.argsort(hashes, kind="stable")
    return Run(hashes[order], batch.take(order))


def summed(updates: list[Update], since: int) -> Counter[object]:
    found: Counter[object] = Counter()
    for row, time, diff in updates:
        found[row, max(time, since)] += diff
    return Counter({key: n for key, n in found.items() if n})


@given(st.lists(UPDATES.filter(len), min_size=1, max_size=4), st.integers(0, 3), st.booleans())
def test_what_cancels_goes(inputs: list[list[Update]], since: int, compact: bool) -> None:
    """Insertion and retraction of a row never stay both; with `compact` equal updates are one."""
    merged = updates_of(
        merge_runs([run_of(u) for u in inputs], since, (), Identity((0, 1), False, compact)).batch
    )
    assert summed(merged, since) == summed([update for updates in inputs for update in updates], since)
    assert all(diff for _, _, diff in merged)
    if compact:
        assert len({update[:2] for update in merged}) == len(merged)
    signs: defaultdict[object, set[bool]] = defaultdict(set)
    for row, time, diff in merged:
        signs[row, time].add(diff > 0)
    assert all(len(found) == 1 for found in signs.values())


@pytest.mark.parametrize("copies", [1, 2, 3, 5])
def test_equal_insertions_that_stay_need_no_diffs(copies: int) -> None:
    """Though retractions beside them are added up.  Where most are equal, they are added up too: that takes less."""
    inserted: list[Update] = [((key, "a"), 1, 1) for key in range(100) for _ in range(copies)]
    inserted += [((key, text), 1, 1) for key in range(100, 1_000) for text in "abcd"]
    gone: list[Update] = [((key, "b"), 1, -1) for key in range(100, 1_000)]
    gone += [((key, "c"), 1, 1) for key in range(100)] + [((key, "c"), 2, -1) for key in range(100)]
    merged = merge_runs([run_of(inserted), run_of(gone)], 3, (), Identity((0, 1), False))
    assert len(merged) == 2_700 + 100 * copies
    assert merged.batch.diffs.strides == (0,)
    many: list[Update] = [((key % 10, "a"), 1, 1) for key in range(1_000)] + [((0, "a"), 1, -1)] * 9
    many += [((key, "a"), 1, -1) for key in range(1, 10)]
    merged = merge_runs([run_of(many)], 3, (), Identity((0, 1), False))
    assert sorted(diff for _, _, diff in updates_of(merged.batch)) == [91, *[99] * 9]


@pytest.mark.skipif(sys.platform != "linux", reason="threads have no priority of their own")
def test_the_thread_that_merges_steps_aside() -> None:
    found: list[int] = []
    done = threading.Event()

    class Asked:
        def maintain(self) -> bool:
            found.append(os.getpriority(os.PRIO_PROCESS, 0))
            done.set()
            return False

        def failed(self, error: Exception) -> None:
            raise error

    before = os.getpriority(os.PRIO_PROCESS, 0)
    MergeWorker().request(Asked())
    assert done.wait(30)
    assert found == [min(before + NICENESS, 19)]
    assert os.getpriority(os.PRIO_PROCESS, 0) == before
