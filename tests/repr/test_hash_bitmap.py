"""What is not suspected is not there; few others are."""

from __future__ import annotations

import numpy as np
import pytest
from ptvc.repr.hash_bitmap import BITS_EACH, HashBitmap

MOST = (1 << 64) - 1


@pytest.mark.parametrize("count", [8, 9, 1_000, 4_096, 50_000])
def test_all_that_are_there_and_few_others(count: int) -> None:
    random = np.random.default_rng(count)
    hashes = np.sort(random.integers(0, MOST, count, np.uint64, endpoint=True))
    bitmap = HashBitmap.of(hashes)
    assert bitmap.suspected(hashes).tolist() == list(range(count))
    others = random.integers(0, MOST, 20_000, np.uint64, endpoint=True)
    others = others[~np.isin(others, hashes)]
    suspected = bitmap.suspected(others)
    assert len(suspected) < 1.2 * len(others) / BITS_EACH
    assert BITS_EACH * count <= 8 * bitmap.nbytes < 2 * BITS_EACH * count


def test_hashes_that_are_not_even() -> None:
    hashes = np.array([0, 1, 2, 3, 5, 8, MOST - 1, MOST], np.uint64)
    bitmap = HashBitmap.of(hashes)
    assert bitmap.suspected(hashes).tolist() == list(range(8))
    assert not len(bitmap.suspected(np.array([1 << 63, 1 << 62], np.uint64)))
    assert bitmap.suspected(np.array([], np.uint64)).tolist() == []
