from __future__ import annotations

import threading

import numpy as np
import pyarrow as pa
import pytest
from ptvc.compute import memory, merge


def test_memory_is_handed_back_after_large_work_only(monkeypatch: pytest.MonkeyPatch) -> None:
    trimmed: list[int] = []
    monkeypatch.setattr(memory, "_trim", trimmed.append)
    memory.release_memory(memory.RELEASE_ROWS - 1)
    assert trimmed == []
    memory.release_memory(memory.RELEASE_ROWS)
    assert trimmed == [0]


def test_a_system_without_it_is_none_the_worse(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "_trim", None)
    array = pa.array(np.arange(1_000))
    memory.release_memory(memory.RELEASE_ROWS)
    assert array[999].as_py() == 999


def test_many_small_merges_hand_memory_back_as_one_large_one_does(monkeypatch: pytest.MonkeyPatch) -> None:
    trimmed: list[int] = []
    monkeypatch.setattr(memory, "_trim", trimmed.append)
    monkeypatch.setattr(memory, "_merged_rows", 0)
    for _ in range(3):
        memory.release_merged(memory.RELEASE_MERGED_ROWS - 1)
    assert trimmed == [0]
    memory.release_merged(memory.RELEASE_MERGED_ROWS)
    assert trimmed == [0, 0]


def test_memory_is_handed_back_when_merges_come_to_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    """However few rows they were, and once: nobody wakes up for nothing."""
    trimmed = threading.Semaphore(0)
    monkeypatch.setattr(memory, "_trim", lambda _: trimmed.release())
    monkeypatch.setattr(memory, "_merged_rows", 0)
    monkeypatch.setattr(merge, "IDLE_S", 0.01)
    worker = merge.MergeWorker()

    class Merged:
        def maintain(self) -> bool:
            memory.release_merged(1)
            return False

        def failed(self, error: Exception) -> None:
            raise error

    for _ in range(2):
        worker.request(Merged())
        assert trimmed.acquire(timeout=30)
        assert not memory.unreleased()
        assert not trimmed.acquire(timeout=0.05)
