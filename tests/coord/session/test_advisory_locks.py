"""Advisory locks: who holds them, who waits, and that nobody waits for ever."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any

import pytest
from ptvc.coord.session.advisory_locks import AdvisoryLocks, Hold
from ptvc.errors import PtvcError

KEY = (1,)
ALONE = Hold(exclusive=True, of_transaction=False)
BESIDE = Hold(exclusive=False, of_transaction=False)
TRANSACTION = Hold(exclusive=True, of_transaction=True)


async def waiting(work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
    task = asyncio.get_running_loop().create_task(work)
    await asyncio.sleep(0)
    assert not task.done()
    return task


def test_a_lock_is_counted() -> None:
    locks = AdvisoryLocks()
    assert locks.try_take("a", KEY, ALONE)
    assert locks.try_take("a", KEY, ALONE)
    assert not locks.try_take("b", KEY, BESIDE)
    assert locks.give_back("a", KEY, exclusive=True)
    assert not locks.try_take("b", KEY, BESIDE)
    assert locks.give_back("a", KEY, exclusive=True)
    assert not locks.give_back("a", KEY, exclusive=True)
    assert locks.try_take("b", KEY, BESIDE)
    assert locks.try_take("a", KEY, BESIDE)
    assert locks.try_take("a", (1, 0), ALONE)


def test_waiters_are_served_in_their_order() -> None:
    async def scenario() -> None:
        locks = AdvisoryLocks()
        await locks.take("a", KEY, BESIDE)
        alone = await waiting(locks.take("b", KEY, ALONE))
        behind = await waiting(locks.take("c", KEY, BESIDE))
        await locks.take("a", KEY, BESIDE)  # it would wait for itself
        locks.release("a", of_transaction=False)
        await alone
        assert not behind.done()
        locks.release("b", of_transaction=False)
        await behind

    asyncio.run(scenario())


def test_a_cancelled_waiter_lets_others_go_on() -> None:
    async def scenario() -> None:
        locks = AdvisoryLocks()
        await locks.take("a", KEY, BESIDE)
        alone = await waiting(locks.take("b", KEY, ALONE))
        behind = await waiting(locks.take("c", KEY, BESIDE))
        alone.cancel()
        await behind
        locks.release("a", of_transaction=False)
        locks.release("c", of_transaction=False)
        assert locks.try_take("d", KEY, ALONE)

    asyncio.run(scenario())


def test_a_lock_that_is_granted_to_one_who_has_gone_is_free() -> None:
    async def scenario() -> None:
        locks = AdvisoryLocks()
        await locks.take("a", KEY, ALONE)
        gone = await waiting(locks.take("b", KEY, ALONE))
        locks.release("a", of_transaction=False)  # granted, and before it hears of it
        gone.cancel()
        with pytest.raises(asyncio.CancelledError):
            await gone
        assert locks.try_take("c", KEY, ALONE)

    asyncio.run(scenario())


def test_a_deadlock_is_an_error_of_the_one_who_would_close_it() -> None:
    async def scenario() -> None:
        locks = AdvisoryLocks()
        other = (2,)
        await locks.take("a", KEY, ALONE)
        await locks.take("b", other, ALONE)
        first = await waiting(locks.take("a", other, ALONE))
        with pytest.raises(PtvcError, match="deadlock detected"):
            await locks.take("b", KEY, ALONE)
        locks.release("b", of_transaction=False)
        await first

    asyncio.run(scenario())


def test_locks_end_with_their_transaction_or_their_session() -> None:
    locks = AdvisoryLocks()
    assert locks.try_take("a", KEY, TRANSACTION)
    assert not locks.give_back("a", KEY, exclusive=True)
    assert locks.try_take("a", (2,), ALONE)
    locks.release("a", of_transaction=True)
    assert locks.try_take("b", KEY, ALONE)
    assert not locks.try_take("b", (2,), ALONE)
    locks.release("a", of_transaction=False)
    assert locks.try_take("b", (2,), ALONE)
