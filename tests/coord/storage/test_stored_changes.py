"""The changes of a collection, in pieces."""

from __future__ import annotations

import pytest
from ptvc.coord.storage import stored_changes
from ptvc.coord.storage.storage import Storage

from .stored import create, insert, run, values


def test_those_who_follow_closely_share_what_was_decoded() -> None:
    async def test(storage: Storage) -> None:
        create(storage, "t")
        first = await insert(storage, "t", 1)
        second = await insert(storage, "t", 2, removed=(1,))
        delta, upper = await storage.changes("t", first + 1, second + 1)
        assert delta is not None
        assert upper == second + 1
        assert values(delta.oks) == [(1, -1), (2, 1)]
        assert (await storage.changes("t", first + 1, second + 1))[0] is delta
        assert await storage.changes("t", second + 1, second + 100) == (None, second + 100)

    run(test)


def test_what_is_much_comes_in_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stored_changes, "MOST_BYTES", 1)

    async def test(storage: Storage) -> None:
        create(storage, "t")
        times = [await insert(storage, "t", value) for value in range(4)]
        lower, found, pieces = times[0], [], 0
        while lower <= times[-1]:
            delta, upper = await storage.changes("t", lower, times[-1] + 1)
            assert delta is not None
            assert upper > lower
            found += values(delta.oks)
            lower, pieces = upper, pieces + 1
        assert found == [(value, 1) for value in range(4)]
        assert pieces > 1

    run(test)


def test_large_pieces_are_decoded_in_a_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stored_changes, "AT_ONCE_BYTES", 0)

    async def test(storage: Storage) -> None:
        create(storage, "t")
        time = await insert(storage, "t", 1, 2)
        delta, _ = await storage.changes("t", time, time + 1)
        assert delta is not None
        assert values(delta.oks) == [(1, 1), (2, 1)]

    run(test)
