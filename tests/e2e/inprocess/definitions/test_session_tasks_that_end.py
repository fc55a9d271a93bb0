"""A session's task that is cancelled (its process stops, and waits no longer) while a definition becomes durable."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

import pytest
from inprocess import rows, running
from ptvc.coord.catalog.items import Table
from ptvc.persist.client import PersistClient


def test_what_it_has_defined_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    append = PersistClient.append
    begun, released = threading.Event(), threading.Event()

    def held(self: PersistClient, writes: Any, **more: Any) -> Any:
        if "catalog" in writes:
            begun.set()
            assert released.wait(60)
        return append(self, writes, **more)

    with running() as runtime:

        async def define() -> None:
            session = await runtime.coordinator.open("ptvc", "ptvc", {})
            results = session.execute_simple("CREATE TABLE t (a int)")
            defining = asyncio.ensure_future(anext(results))
            await asyncio.to_thread(begun.wait, 60)
            defining.cancel()
            await asyncio.sleep(0)
            released.set()
            with pytest.raises(asyncio.CancelledError):
                await defining
            await session.close()

        with runtime.connect() as db:
            db.execute("CREATE TABLE other (a int)")
            monkeypatch.setattr(PersistClient, "append", held)
            runtime.run(define())
            db.execute("INSERT INTO t VALUES (1)")
            assert rows(db, "SELECT a FROM t") == [(1,)]
        assert runtime.persist.state(runtime.coordinator.catalog.get_as("u2", Table).shard).upper > 0
