"""Supervision: no task and no thread ends unseen, and none is made where it could."""

from __future__ import annotations

import ast
import asyncio
import logging
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from ptvc.supervision import Ended, Supervisor

RUNTIME = Path(__file__).parent.parent / "runtime"

SUPERVISED = ("coord", "replica", "server.py")
"""Where tasks and threads belong to a `Supervisor`, but for these, whose end is seen by who made them."""

AWAITED_BY_THEIR_MAKER = {
    ("coord/controller/clusters.py", "serving"),  # waits for the first of several events
    ("coord/dml/writes.py", "_change"),
    ("coord/query/dataflow_subscription.py", "_from"),
    ("coord/query/dataflow_subscription.py", "_next"),
    ("coord/query/subscription_cursor.py", "_before"),
}
REPORTS_BY_ITSELF = {
    ("coord/thread_pool.py", "_start_thread"),  # every exception goes to who awaits the computation
    ("replica/ingest.py", "__init__"),  # a source that fails says so, and stops alone
    ("replica/egress.py", "__init__"),  # so does a sink
    ("replica/jobs.py", "_reported"),  # joins it
    ("replica/workers/wires.py", "__init__"),  # who is not heard of any more is lost to the others
    ("replica/workers/doors.py", "begin"),  # who has not come in by then is awaited in vain, which is said
    ("replica/workers/member.py", "_work"),  # it closes its way to the leader, which sees that
    ("replica/protocol/connection.py", "__init__"),  # a connection that fails is seen by who receives, too
    (
        "coord/controller/control_listener.py",
        "_accepted",
    ),  # the whole life of a connection, which logs every failure
    ("replica/driving.py", "_keep_resident"),  # it only says that there is no room
    ("replica/driver.py", "main"),  # it ends the process, or looks at nothing that can fail
    ("coord/controller/driver_process.py", "__init__"),  # it waits for a process, and says its status
    ("replica/driving.py", "_handle"),
}


def run(test: Callable[[Supervisor, list[tuple[str, BaseException]]], Awaitable[None]]) -> None:
    failures: list[tuple[str, BaseException]] = []

    async def main() -> None:
        async with asyncio.timeout(60):
            supervisor = Supervisor(lambda name, error: failures.append((name, error)))
            await test(supervisor, failures)
            await supervisor.stop()

    asyncio.run(main())


async def fails() -> None:
    raise RuntimeError("a defect")


async def ends() -> None:
    return


def test_an_exception_is_a_failure_and_logged_with_its_stack(caplog: pytest.LogCaptureFixture) -> None:
    async def test(supervisor: Supervisor, failures: list[tuple[str, BaseException]]) -> None:
        with pytest.raises(RuntimeError):
            await supervisor.run("a part", fails())
        await asyncio.sleep(0)
        assert [(name, str(error)) for name, error in failures] == [("a part", "a defect")]
        assert supervisor.failure is failures[0][1]

    with caplog.at_level(logging.CRITICAL):
        run(test)
    assert "in fails" in caplog.text


def test_what_must_not_end_fails_by_ending() -> None:
    async def test(supervisor: Supervisor, failures: list[tuple[str, BaseException]]) -> None:
        await supervisor.run("with an end", ends())
        await supervisor.start("without an end", ends())
        await asyncio.sleep(0)
        ((name, error),) = failures
        assert name == "without an end"
        assert isinstance(error, Ended)

    run(test)


def test_stopping_is_no_failure_and_waits_for_the_end() -> None:
    async def test(supervisor: Supervisor, failures: list[tuple[str, BaseException]]) -> None:
        cleaned: list[str] = []

        async def long() -> None:
            try:
                await asyncio.Event().wait()
            finally:
                await asyncio.sleep(0)
                cleaned.append("done")

        supervisor.start("long", long())
        await asyncio.sleep(0)
        await supervisor.stop()
        assert cleaned == ["done"]
        assert failures == []

    run(test)


def test_a_thread_that_fails_and_only_the_first_failure() -> None:
    async def test(supervisor: Supervisor, failures: list[tuple[str, BaseException]]) -> None:
        def broken() -> None:
            raise ValueError("a defect of a thread")

        for name in ("first", "second"):
            thread = supervisor.thread(name, broken)
            thread.start()
            await asyncio.to_thread(thread.join)
        assert [name for name, _ in failures] == ["first"]

    run(test)


def test_tasks_and_threads_are_made_by_supervisors() -> None:
    """So that none ends unseen: who makes one otherwise sees to its end, and is listed here."""
    makers = {"create_task", "ensure_future", "Thread"}
    found: set[tuple[str, str]] = set()
    for place in SUPERVISED:
        root = RUNTIME / place
        for path in [root] if root.is_file() else sorted(root.rglob("*.py")):
            for function in ast.walk(ast.parse(path.read_text())):
                if not isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
                    continue
                for node in ast.walk(function):
                    if not isinstance(node, ast.Call):
                        continue
                    called = node.func
                    name = called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")
                    if name in makers:
                        found.add((path.relative_to(RUNTIME).as_posix(), function.name))
    assert found == AWAITED_BY_THEIR_MAKER | REPORTS_BY_ITSELF
