"""What cannot be installed is tried again, as it is by then."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any, cast

import pytest
from ptvc.coord.catalog.items import Item, Source
from ptvc.coord.controller import installer
from ptvc.coord.controller.installer import Installer
from ptvc.coord.controller.replicas import ReplicaClient
from ptvc.errors import ObjectNotReady
from ptvc.repr.schema import Column, Schema
from ptvc.repr.types import INT4
from ptvc.retry import Backoff
from ptvc.sql.plans.definition_plans import CounterConnector
from ptvc.sql.plans.query_plans import Envelope
from ptvc.supervision import Supervisor

SOURCE = Source(
    id="s",
    oid=1,
    schema_name="public",
    name="s",
    schema=Schema((Column("a", INT4),)),
    cluster="quickstart",
    shard="s",
    remap="s-remap",
    create_sql="",
    label="s",
    connector=CounterConnector(1_000, None),
    key=(),
    envelope=Envelope.NONE,
)


class Changing:
    """A catalog with one object, which is another after each failed installation, and the installation."""

    def __init__(self, *states: Item | None) -> None:
        self.states = list(states)
        self.tried: list[Item] = []

    def find_by_id(self, id: str) -> Item | None:
        return self.states[0]

    async def install(self, replica: ReplicaClient, item: Item) -> None:
        self.tried.append(item)
        if len(self.states) > 1:
            del self.states[0]
            raise ObjectNotReady("not yet")

    def is_maintained(self, item: Item) -> bool:
        return True


@pytest.mark.parametrize("last", [replace(SOURCE, cluster="other"), None])
def test_an_object_is_installed_as_it_is_when_it_is_tried(
    monkeypatch: pytest.MonkeyPatch, last: Item | None
) -> None:
    monkeypatch.setattr(installer, "BACKOFF", Backoff(0.0, 0.0))
    changing: Any = Changing(SOURCE, replace(SOURCE, name="renamed"), last)

    async def test() -> None:
        failures: list[BaseException] = []
        supervisor = Supervisor(lambda _, error: failures.append(error))
        nothing = cast(Any, None)
        subject = Installer(changing, changing, nothing, nothing, nothing, nothing, lambda: 0, supervisor)
        replica = ReplicaClient("c1", "quickstart", "r1")
        subject.install(replica, SOURCE)
        await asyncio.wait_for(asyncio.gather(*replica.tasks), 30)
        assert failures == []

    asyncio.run(test())
    wanted = [SOURCE, replace(SOURCE, name="renamed")]
    assert changing.tried == (wanted if last is None else [*wanted, last])
