"""What a write was computed from: several reads together, and which of them others' writes have touched."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from ptvc.coord.storage.expectation import MOST_KEPT, MOST_KEYS, Expected, RecentKeys


def words(*values: int) -> npt.NDArray[np.uint64]:
    return np.array(values, np.uint64)


def test_several_reads() -> None:
    both = Expected(5, {1: words(3, 4)}).and_(Expected(4, {1: words(4, 2), 2: words(9)}))
    assert both.time == 4
    assert both.keys is not None
    assert {key: hashes.tolist() for key, hashes in both.keys.items()} == {1: [2, 3, 4], 2: [9]}
    assert both.and_(None) is both
    assert both.and_(Expected(3)) == Expected(3).and_(both) == Expected(3)


def test_of_many_keys_the_whole_table() -> None:
    hashes = np.arange(MOST_KEYS, dtype=np.uint64)
    assert Expected(1, {1: hashes}).keys is not None
    assert Expected(1, {1: hashes, 2: hashes[:1]}).keys is None
    assert Expected(1, {1: hashes[:-1]}).and_(Expected(1, {2: hashes[:2]})).keys is None


def test_recent_keys() -> None:
    recent = RecentKeys(10)
    assert recent.written_since(words(1), 9)  # before anything is known
    assert not recent.written_since(words(1), 10)
    recent.wrote(words(1, 2), 12)
    recent.wrote(words(2, 3), 13)
    assert recent.written_since(words(1), 11)
    assert not recent.written_since(words(1), 12)
    assert recent.written_since(words(1, 2), 12)
    assert not recent.written_since(words(0, 2, 3), 13)
    recent.forget(14)
    assert recent.written_since(words(77), 13)
    assert not recent.written_since(words(1, 2, 3), 14)


def test_so_many_are_remembered() -> None:
    recent = RecentKeys(1)
    recent.wrote(np.arange(MOST_KEPT, dtype=np.uint64), 2)
    assert not recent.written_since(words(MOST_KEPT), 1)
    recent.wrote(words(MOST_KEPT), 3)
    assert recent.written_since(words(MOST_KEPT + 1), 2)
    assert not recent.written_since(words(MOST_KEPT), 3)
