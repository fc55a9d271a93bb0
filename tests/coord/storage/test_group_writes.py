"""What the earlier requests of a group write."""

from __future__ import annotations

import numpy as np
import pytest
from ptvc.coord.storage import group_writes
from ptvc.coord.storage.group_writes import GroupWrites
from ptvc.coord.storage.key_counts import KeyCounts


def counts(*changes: tuple[int, int]) -> KeyCounts:
    made = KeyCounts(zeros=True)
    for hash_, diff in changes:
        made.add(np.array([hash_], np.uint64), np.array([diff], np.int64))
    return made


def hashes(*values: int) -> np.ndarray[tuple[int], np.dtype[np.uint64]]:
    return np.array(values, np.uint64)


@pytest.mark.parametrize("few", [0, 1, 2, 100])
def test_all_requests_together(monkeypatch: pytest.MonkeyPatch, few: int) -> None:
    monkeypatch.setattr(group_writes, "FEW_KEYS", few)
    earlier = GroupWrites()
    earlier.add({"t"}, {1: counts((5, 1), (6, -1))}, [])
    earlier.add({"t", "u"}, {1: counts((6, 1), (7, 1), (7, -1)), 2: counts((9, 1))}, [3])
    assert earlier.tables == {"t", "u"}
    asked = hashes(5, 6, 7, 8)
    assert sum(each.of(asked) for each in earlier.changes(1)).tolist() == [1, 0, 0, 0]
    assert [earlier.touches(1, asked[i : i + 1]) for i in range(4)] == [True, True, True, False]
    assert earlier.touches(1, hashes(8, 7))
    assert not earlier.touches(2, asked)
    assert earlier.touches(3, asked)
    assert not earlier.touches(4, asked)
    assert earlier.changes(4) == []
