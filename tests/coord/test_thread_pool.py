"""Computations in threads beside the loop: few threads, used again, and an end to what nobody awaits."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from random import Random
from time import monotonic

import pytest
from inprocess import eventually
from ptvc.coord import thread_pool
from ptvc.coord.thread_pool import STUCK_S, ThreadPool
from ptvc.errors import MemoryLimitExceeded
from ptvc.expr.columns.value_size import MAX_VALUE, check_value
from ptvc.interrupt import check_interrupt


def spin(seconds: float) -> float:
    end = monotonic() + seconds
    while monotonic() < end:
        check_interrupt()
    return seconds


def test_results_and_errors() -> None:
    async def main() -> None:
        pool = ThreadPool("test", 2)
        assert await pool.run(lambda: 7) == 7
        with pytest.raises(ZeroDivisionError):
            await pool.run(lambda: 1 // 0)
        with pytest.raises(SystemExit):
            await pool.run(exit)
        assert len({await pool.run(threading.current_thread) for _ in range(20)}) <= 2

    asyncio.run(main())


def test_never_more_threads_than_its_size() -> None:
    async def main() -> set[str]:
        pool = ThreadPool("bounded", 3)

        def name(number: int) -> str:
            spin(0.001)
            return f"{threading.current_thread().name} {number}"

        names = await asyncio.gather(*(pool.run(lambda n=n: name(n)) for n in range(60)))  # type: ignore[misc]
        assert [int(found.split()[-1]) for found in names] == list(range(60))
        return {found.rsplit(" ", 1)[0] for found in names}

    assert asyncio.run(main()) <= {"bounded 1", "bounded 2", "bounded 3"}


def test_what_is_not_awaited_any_more_ends_and_its_thread_goes_on() -> None:
    async def main() -> None:
        pool = ThreadPool("cancelled", 1)
        begun = threading.Event()
        task = asyncio.create_task(pool.run(lambda: (begun.set(), spin(60.0))))
        await asyncio.to_thread(begun.wait)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert await asyncio.wait_for(pool.run(lambda: 7), STUCK_S - 1.0) == 7, (
            "not by another thread in its place"
        )

    asyncio.run(main())


def test_what_waits_for_a_thread_is_cancelled_at_once_and_does_not_run() -> None:
    async def main() -> None:
        pool = ThreadPool("waiting", 1)
        begun, may_end = threading.Event(), threading.Event()
        first = asyncio.create_task(pool.run(lambda: (begun.set(), may_end.wait())))
        await asyncio.to_thread(begun.wait)
        ran: list[int] = []
        second = asyncio.create_task(pool.run(lambda: ran.append(2)))
        third = asyncio.create_task(pool.run(lambda: ran.append(3)))
        await asyncio.sleep(0)
        second.cancel()
        with pytest.raises(asyncio.CancelledError):
            await second
        may_end.set()
        await first
        await third
        assert ran == [3]

    asyncio.run(main())


@pytest.mark.parametrize("seed", range(3))
def test_cancelled_at_any_moment_others_are_not_disturbed(seed: int) -> None:
    random = Random(seed)

    async def one(pool: ThreadPool, number: int, canceled: bool) -> int | None:
        task = asyncio.create_task(pool.run(lambda: number if spin(0.001) else -1))
        if canceled:
            await asyncio.sleep(random.random() * 0.002)
            task.cancel()
        try:
            return await task
        except asyncio.CancelledError:
            assert canceled
            return None

    async def main() -> ThreadPool:
        pool = ThreadPool("seeded", 4)
        for start in range(0, 100, 5):
            numbers = range(start, start + 5)
            cancels = [random.random() < 0.5 for _ in numbers]
            found = await asyncio.gather(*(one(pool, n, c) for n, c in zip(numbers, cancels, strict=True)))
            for number, canceled, result in zip(numbers, cancels, found, strict=True):
                assert result == number or (canceled and result is None)
        return pool

    pool = asyncio.run(main())
    eventually(lambda: not pool.busy)


def test_a_loop_that_closes_leaves_a_pool_that_works() -> None:
    pool = ThreadPool("closed", 1)

    async def abandon() -> None:
        asyncio.ensure_future(pool.run(lambda: spin(0.05)))  # noqa: RUF006  # its loop ends first
        await asyncio.sleep(0.01)

    async def use() -> int:
        return await pool.run(lambda: 7)

    asyncio.run(abandon())
    assert asyncio.run(use()) == 7


def test_values_are_limited_inside_only() -> None:
    def large() -> None:
        check_value(MAX_VALUE + 1)

    async def inside(work: Callable[[], None]) -> None:
        await ThreadPool("limited", 1).run(work)

    large()
    with pytest.raises(MemoryLimitExceeded):
        asyncio.run(inside(large))


def test_another_thread_takes_the_place_of_one_that_does_not_stop(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(thread_pool, "STUCK_S", 0.05)
    end = threading.Event()

    async def main() -> None:
        pool = ThreadPool("stuck", 1)
        begun = threading.Event()
        task = asyncio.create_task(pool.run(lambda: (begun.set(), end.wait())))
        await asyncio.to_thread(begun.wait)
        task.cancel()
        assert await asyncio.wait_for(pool.run(lambda: 7), 10) == 7
        assert pool.stuck == 1
        end.set()
        await asyncio.to_thread(lambda: eventually(lambda: pool.stuck == pool.busy == 0))
        assert await pool.run(lambda: threading.current_thread().name) == "stuck 2"

    asyncio.run(main())
    assert "stuck 1 does not stop computing" in caplog.text
