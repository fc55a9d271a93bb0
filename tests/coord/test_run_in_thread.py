"""`run_in_thread`: worker threads are used again, and computations end when the task that awaits them is cancelled."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable
from random import Random

import pytest
from ptvc.coord.run_in_thread import MAX_IDLE, RETRY_S, run_in_thread


def workers() -> set[threading.Thread]:
    return {thread for thread in threading.enumerate() if thread.name == "run_in_thread"}


def spin(seconds: float) -> float:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        pass
    return seconds


def test_results_and_errors() -> None:
    async def main() -> None:
        assert await run_in_thread(lambda: 7) == 7
        with pytest.raises(ZeroDivisionError):
            await run_in_thread(lambda: 1 // 0)
        assert await run_in_thread(threading.current_thread) is await run_in_thread(threading.current_thread)

    asyncio.run(main())


def test_many_at_once_leave_few_threads() -> None:
    async def main() -> None:
        assert await asyncio.gather(*(run_in_thread(lambda n=n: n) for n in range(50))) == list(range(50))

    before = workers()
    asyncio.run(main())
    wait_for(lambda: len(workers()) <= max(MAX_IDLE, len(before)))


def test_what_nobody_waits_for_ends() -> None:
    async def main() -> None:
        known = workers()
        task = asyncio.create_task(run_in_thread(lambda: spin(60.0)))
        await asyncio.sleep(0.05)
        busy = workers() - known or workers()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        while len(workers() & busy) == len(busy):
            await asyncio.sleep(RETRY_S)

    asyncio.run(asyncio.wait_for(main(), 30.0))


@pytest.mark.parametrize("seed", range(3))
def test_canceled_at_any_moment_others_are_not_disturbed(seed: int) -> None:
    """Half of them are canceled, about when they end; none of the others meets that end."""
    random = Random(seed)

    async def one(number: int, canceled: bool) -> int | None:
        task = asyncio.create_task(run_in_thread(lambda: number if spin(0.001) else -1))
        if canceled:
            await asyncio.sleep(random.random() * 0.002)
            task.cancel()
        try:
            return await task
        except asyncio.CancelledError:
            assert canceled
            return None

    async def main() -> None:
        for start in range(0, 200, 4):
            numbers = range(start, start + 4)
            cancels = [random.random() < 0.5 for _ in numbers]
            found = await asyncio.gather(*map(one, numbers, cancels))
            for number, canceled, result in zip(numbers, cancels, found, strict=True):
                assert result == number or (canceled and result is None)

    asyncio.run(asyncio.wait_for(main(), 60.0))
    wait_for(lambda: len(workers()) <= MAX_IDLE)


def test_a_loop_that_closes_leaves_no_thread() -> None:
    async def main() -> None:
        asyncio.ensure_future(run_in_thread(lambda: spin(0.2)))  # noqa: RUF006  # not awaited
        await asyncio.sleep(0.01)

    asyncio.run(main())
    wait_for(lambda: len(workers()) <= MAX_IDLE)


def wait_for(condition: Callable[[], bool], seconds: float = 10.0) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.01)
