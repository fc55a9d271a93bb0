"""A runtime that dies at one moment of a transaction of definitions."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

import psycopg
import pytest
from inprocess import InProcess
from ptvc.coord.storage.catalog_transactions import CatalogTransactions
from ptvc.coord.storage.group_commit import GroupCommit

CRASHES = ["halted", "durable", "adopted"]
"""Before the transaction is durable, while everything stands still; behind that, before anyone has heard of it; and when all have."""


def crash_during(runtime: InProcess, sql: str, where: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs `sql`, and has the runtime die `where`, and start again."""
    there = threading.Event()
    define, drop_shards = GroupCommit.define, CatalogTransactions._drop

    async def hang() -> None:
        there.set()
        await asyncio.Event().wait()

    async def before(self: Any, *arguments: Any) -> None:
        await hang()

    async def after(self: Any, *arguments: Any) -> None:
        await define(self, *arguments)
        await hang()

    async def last(self: Any, items: Any) -> None:
        there.set()
        raise OSError("the process is killed here")

    # A block without rows is committed as a definition is.
    monkeypatch.setattr(GroupCommit, "write_defined", _defined)
    match where:
        case "halted":
            monkeypatch.setattr(GroupCommit, "define", before)
        case "durable":
            monkeypatch.setattr(GroupCommit, "define", after)
        case "adopted":
            monkeypatch.setattr(CatalogTransactions, "_drop", last)

    def execute() -> None:
        with pytest.raises(psycopg.Error), runtime.connect() as mine:
            mine.execute(sql.encode())

    executing = threading.Thread(target=execute, daemon=True)
    executing.start()
    assert there.wait(60)
    runtime.abandon()
    executing.join(60)
    monkeypatch.setattr(GroupCommit, "define", define)
    monkeypatch.setattr(CatalogTransactions, "_drop", drop_shards)
    runtime.start()


async def _defined(
    self: GroupCommit, parts: Any, expect: Any, keys: Any, unchecked: Any, valid: Any, defined: Any
) -> int:
    assert not parts
    await self.define(defined)
    return 0
