"""Jobs as the coordinator keeps them: waited for, settled, cancelled, shown."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable

import pytest
from ptvc.compute.lower import lower
from ptvc.coord.controller.jobs import Jobs
from ptvc.errors import PtvcError, ReplicaUnavailable
from ptvc.expr.tree.relation import Constant
from ptvc.replica.protocol import CancelJob, JobFinished, JobProgress, Message, RunJob
from ptvc.repr.schema import Column, Schema
from ptvc.repr.types import INT4

PLAN = lower(Constant(((1,),), Schema((Column("a", INT4),))))


def make(job_id: int) -> RunJob:
    return RunJob(job_id, "c", PLAN, 5, (), None, None, None, "/nowhere", 2)


def finished(job_id: int, error: str | None = None) -> JobFinished:
    return JobFinished(job_id, (), (), 10, 0.5, error)


class World:
    def __init__(self) -> None:
        self.sent: list[Message] = []
        self.now = 1000
        self.jobs = Jobs(3, self.sent.append, lambda: self.now)

    async def asked(self) -> int:
        """The id of the job that was asked for last."""
        await asyncio.sleep(0)
        message = self.sent[-1]
        assert isinstance(message, RunJob)
        return message.job_id

    def statuses(self) -> list[str]:
        return [entry.status for entry in self.jobs.entries()]


def test_a_job_is_unsettled_until_its_output_lasts() -> None:
    world = World()
    seen: list[tuple[int, ...]] = []

    async def commit(_: JobFinished) -> None:
        seen.append(world.jobs.unsettled())

    async def scenario() -> None:
        task = asyncio.create_task(world.jobs.run(make, "hydration", "u1", commit))
        job_id = await world.asked()
        assert world.jobs.unsettled() == (job_id,)
        assert world.statuses() == ["running"]
        assert world.jobs.of("u1") is not None
        assert world.jobs.running_ms() == 0
        world.now += 700
        assert world.jobs.running_ms() == 700
        world.jobs.finished(finished(job_id))
        assert (await task).rows == 10
        assert world.jobs.running_ms() == 0
        assert seen == [(job_id,)]
        assert world.jobs.unsettled() == ()
        assert world.statuses() == ["finished"]
        assert world.jobs.of("u1") is None

    asyncio.run(scenario())


def test_percent_counts_reading_and_then_tasks() -> None:
    world = World()

    async def scenario() -> None:
        task = asyncio.create_task(world.jobs.run(make, "query"))
        job_id = await world.asked()

        def percent(rows_read: int, tasks_done: int) -> float:
            world.jobs.progressed(JobProgress(job_id, rows_read, 1000, tasks_done // 2, 4, tasks_done, 8))
            (entry,) = world.jobs.entries()
            return entry.percent

        assert percent(0, 0) == 0
        assert percent(500, 1) == 12.5
        assert percent(1000, 2) == 25
        assert percent(1000, 5) == 62.5
        assert percent(1000, 8) == 100
        world.jobs.finished(finished(job_id))
        await task

    asyncio.run(scenario())


@pytest.mark.parametrize(
    ("end", "raised", "status"),
    [
        (lambda jobs, job_id: jobs.finished(finished(job_id, "boom")), PtvcError, "failed"),
        (lambda jobs, _: jobs.driver_ended(), ReplicaUnavailable, "failed"),
    ],
)
def test_a_job_that_fails_says_so(
    end: Callable[[Jobs, int], None], raised: type[Exception], status: str
) -> None:
    world = World()

    async def scenario() -> None:
        task = asyncio.create_task(world.jobs.run(make, "query"))
        end(world.jobs, await world.asked())
        with pytest.raises(raised):
            await task
        assert world.statuses() == [status]
        (entry,) = world.jobs.entries()
        assert entry.error is not None
        assert world.jobs.unsettled() == ()

    asyncio.run(scenario())


def test_a_job_is_cancelled_with_whoever_waits_for_it() -> None:
    world = World()

    async def scenario() -> None:
        task = asyncio.create_task(world.jobs.run(make, "query"))
        job_id = await world.asked()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert world.sent[-1] == CancelJob(job_id)
        assert world.statuses() == ["canceled"]

    asyncio.run(scenario())


def test_without_a_driver_no_job_begins() -> None:
    def nobody(_: Message) -> None:
        raise ReplicaUnavailable("Spark is not running")

    jobs = Jobs(1, nobody, lambda: 0)
    with pytest.raises(ReplicaUnavailable):
        asyncio.run(jobs.run(make, "query"))
    assert list(jobs.entries()) == []
    assert jobs.unsettled() == ()


def test_the_log_says_how_far_a_job_has_come(caplog: pytest.LogCaptureFixture) -> None:
    world = World()

    async def scenario() -> None:
        task = asyncio.create_task(world.jobs.run(make, "hydration", "u1"))
        job_id = await world.asked()
        for seconds in (1, 8, 1, 5, 5, 1):
            world.now += seconds * 1000
            world.jobs.progressed(JobProgress(job_id, world.now, 100_000, 0, 1, 0, 2))
        world.jobs.finished(finished(job_id))
        await task

    with caplog.at_level(logging.INFO, logger="ptvc.coord.controller.jobs"):
        asyncio.run(scenario())
    assert [message.partition("): ")[2] for message in caplog.messages] == [
        "11 %, 11,000 of 100,000 rows read",
        "21 %, 21,000 of 100,000 rows read",
    ]
