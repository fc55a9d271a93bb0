"""Counts of key hashes against a plain counter."""

from __future__ import annotations

import itertools
from collections import Counter
from random import Random

import numpy as np
import pytest
from ptvc.coord.storage.key_counts import KeyCounts


@pytest.mark.parametrize("seed", range(20))
def test_counts_are_those_of_a_counter(seed: int) -> None:
    random = Random(seed)
    counts, model = KeyCounts(), Counter[int]()
    for _ in range(60):
        size = random.choice((0, 1, 1, 2, 7, 100))
        hashes = [random.randrange(0, 60) * (1 << 58) + 5 for _ in range(size)]
        diffs = [random.choice((1, 1, 2, -1)) for _ in range(size)]
        if random.random() < 0.3:
            other = KeyCounts()
            other.add(np.array(hashes, np.uint64), np.array(diffs, np.int64))
            counts.merge(other)
        else:
            counts.add(np.array(hashes, np.uint64), np.array(diffs, np.int64))
        for hash_, diff in zip(hashes, diffs, strict=True):
            model[hash_] += diff
        asked = np.array(
            [random.randrange(0, 60) * (1 << 58) + random.choice((5, 6)) for _ in range(9)], np.uint64
        )
        assert counts.of(asked).tolist() == [model[int(hash_)] for hash_ in asked]
    hashes_left, counts_left = counts.entries()
    assert dict(zip(hashes_left.tolist(), counts_left.tolist(), strict=True)) == {
        hash_: count for hash_, count in model.items() if count
    }
    assert (np.diff(hashes_left.astype(object)) > 0).all()


def test_keys_that_were_only_changed_stay() -> None:
    own = KeyCounts(zeros=True)
    hashes = np.array([3, 3, 9, 1], np.uint64)
    own.add(hashes, np.array([-1, 1, 1, -1], np.int64))
    assert [part.tolist() for part in own.entries()] == [[1, 3, 9], [-1, 0, 1]]
    own.add(np.array([9], np.uint64), np.array([-1], np.int64))
    assert [part.tolist() for part in own.copy().entries()] == [[1, 3, 9], [-1, 0, 0]]
    for known in hashes:
        assert own.has_any(np.array([2, known], np.uint64))
    assert not own.has_any(np.array([0, 2, 10], np.uint64))
    everybody = KeyCounts()
    everybody.merge(own)
    assert [part.tolist() for part in everybody.entries()] == [[1], [-1]]


def test_one_version_one_content() -> None:
    one, other = KeyCounts(), KeyCounts()
    assert one.version == other.version == 0
    versions = [0]
    for counts in (one, other, one.copy(), one):
        counts.add(np.array([3], np.uint64), np.ones(1, np.int64))
        versions.append(counts.version)
    other.merge(one)
    versions.append(other.version)
    assert len(set(versions)) == len(versions)
    one.free_beside = 7
    copy = one.copy()
    assert (copy.version, copy.free_beside) == (one.version, 7)
    copy.add(np.array([4], np.uint64), np.ones(1, np.int64))
    assert (copy.free_beside, one.free_beside) == (None, 7)


def test_few_runs_are_searched() -> None:
    counts = KeyCounts()
    for hash_ in range(5_000):
        counts.add(np.array([hash_ * 7919 % 100_003], np.uint64), np.ones(1, np.int64))
    assert len(counts._runs) < 20
    assert 12 * 5_000 <= counts.nbytes <= 14 * 5_000


@pytest.mark.parametrize("seed", range(10))
def test_large_runs_are_joined_beside(seed: int) -> None:
    """Whatever comes meanwhile, the counts are right before and after."""
    random = Random(seed)
    counts, model = KeyCounts(), Counter[int]()
    under_way = None
    for _ in range(80):
        more = KeyCounts()
        hashes = [random.randrange(300) for _ in range(random.choice((1, 5, 40, 200)))]
        more.add(np.array(hashes, np.uint64), np.ones(len(hashes), np.int64))
        counts.merge(more, 30)
        model.update(hashes)
        if under_way is not None and random.random() < 0.6:
            counts.replace(*under_way)
            under_way = None
        if under_way is None and (pair := counts.due()) is not None:
            under_way = pair, counts.join(pair)
        if random.random() < 0.1:
            counts.entries()  # joins all, so that what was under way is not there any more
        asked = np.arange(300, dtype=np.uint64)
        assert counts.of(asked).tolist() == [model[hash_] for hash_ in range(300)]
    if under_way is not None:
        counts.replace(*under_way)
    while (pair := counts.due()) is not None:
        counts.replace(pair, counts.join(pair))
    sizes = [len(run) for run in counts._runs]
    assert all(2 * newer <= older for older, newer in itertools.pairwise(sizes))


def test_many_hashes_in_any_order() -> None:
    random = Random(7)
    known = [random.getrandbits(63) for _ in range(3_000)]
    counts = KeyCounts()
    counts.add(np.array(known, np.uint64), np.arange(1, 3_001))
    asked = [*known[::2], *(random.getrandbits(63) for _ in range(1_500)), known[0]]
    random.shuffle(asked)
    model = dict(zip(known, range(1, 3_001), strict=True))
    assert counts.of(np.array(asked, np.uint64)).tolist() == [model.get(hash_, 0) for hash_ in asked]


@pytest.mark.parametrize("zeros", [False, True])
def test_large_runs_say_of_most_hashes_that_they_have_not_got_them(zeros: bool) -> None:
    random = np.random.default_rng(3)
    known = random.integers(0, 1 << 64, 100_000, np.uint64, endpoint=False)
    counts = KeyCounts(zeros=zeros)
    for start in range(0, len(known), 20_000):
        counts.add(known[start : start + 20_000], np.ones(20_000, np.int64))
    counts.add(known[:30_000], np.full(30_000, -1))
    new = np.sort(random.integers(0, 1 << 64, 20_000, np.uint64, endpoint=False))
    assert counts.of(known).tolist() == [0] * 30_000 + [1] * 70_000
    assert not counts.of(new).any()
    assert counts.has_any(np.array([new[0], known[50_000]], np.uint64))
    assert not counts.has_any(new)
    assert any(run.bitmap is not None for run in counts._runs)
    for extreme in (0, (1 << 64) - 1):
        counts.add(np.array([extreme], np.uint64), np.ones(1, np.int64))
        assert counts.of(np.array([extreme], np.uint64)).tolist() == [1]
