"""A runtime that dies at one moment of a transaction of definitions."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

import psycopg
import pytest
from inprocess import InProcess

CRASHES = ["halted", "durable", "adopted"]
"""Before the transaction is durable, while everything stands still; behind that, before anyone has heard of it; and when all have."""


def crash_during(runtime: InProcess, sql: str, where: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs `sql`, and has the runtime die `where`, and start again."""
    there = threading.Event()
    # Of this process of it alone, not of other runtimes, nor of its next process.
    storage = runtime.coordinator.storage
    commits, transactions = storage._commit, storage._transactions
    define = commits.define

    async def hang() -> None:
        there.set()
        await asyncio.Event().wait()

    async def before(*arguments: Any) -> None:
        await hang()

    async def after(*arguments: Any) -> None:
        await define(*arguments)
        await hang()

    async def last(items: Any) -> None:
        there.set()
        raise OSError("the process is killed here")

    async def defined(parts: Any, expect: Any, keys: Any, unchecked: Any, valid: Any, defined: Any) -> int:
        assert not parts
        await commits.define(defined)
        return 0

    # A block without rows is committed as a definition is.
    monkeypatch.setattr(commits, "write_defined", defined)
    match where:
        case "halted":
            monkeypatch.setattr(commits, "define", before)
        case "durable":
            monkeypatch.setattr(commits, "define", after)
        case "adopted":
            monkeypatch.setattr(transactions, "_drop", last)

    def execute() -> None:
        with pytest.raises(psycopg.Error), runtime.connect() as mine:
            mine.execute(sql.encode())

    executing = threading.Thread(target=execute, daemon=True)
    executing.start()
    assert there.wait(60)
    runtime.abandon()
    executing.join(60)
    runtime.start()
