"""What replicas put out waits for a disk that is full; a source whose table is being dropped costs nobody else."""

from __future__ import annotations

import asyncio
from typing import Any, cast

import pytest
from ptvc.coord.catalog.catalog import Catalog
from ptvc.coord.catalog.items import Source
from ptvc.coord.controller import retried_commits
from ptvc.coord.controller.ingests import Ingests
from ptvc.coord.controller.replicas import ReplicaClient
from ptvc.coord.controller.retried_commits import committed
from ptvc.coord.storage.storage import Storage
from ptvc.errors import DiskFull, PtvcError, StorageError, StoreAway, UndefinedTable
from ptvc.replica.protocol import Ingest, Ingested, Outbox
from ptvc.retry import Backoff

from .items import SOURCE


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retried_commits, "BACKOFF", Backoff(0.0, 0.0))


class Failing:
    """Fails with each of the errors, then succeeds."""

    def __init__(self, *errors: PtvcError) -> None:
        self.errors = list(errors)

    async def commit(self) -> int:
        if self.errors:
            raise self.errors.pop(0)
        return 7


def test_what_passes_is_waited_for() -> None:
    failing = Failing(DiskFull("full"), StoreAway("away"), DiskFull("full"))
    assert asyncio.run(committed(failing.commit, "it", lambda: True)) == 7


def test_nothing_is_tried_again_for_a_connection_that_is_replaced() -> None:
    failing = Failing(DiskFull("full"), DiskFull("full again"))
    with pytest.raises(DiskFull, match=r"full$"):
        asyncio.run(committed(failing.commit, "it", lambda: False))


def test_nor_for_one_that_is_replaced_while_it_waits() -> None:
    """Its successor reads the same records: committed as well, they would be there twice."""
    failing, wanted = Failing(DiskFull("full")), iter((True, False))
    with pytest.raises(DiskFull):
        asyncio.run(committed(failing.commit, "it", lambda: next(wanted)))


def test_what_does_not_pass_is_raised() -> None:
    with pytest.raises(StorageError):
        asyncio.run(committed(Failing(StorageError("torn")).commit, "it", lambda: True))


class Connection:
    """The replica's end: what was sent to it, and whether it was closed."""

    def __init__(self) -> None:
        self.closed = False

    def write(self, data: bytes) -> None: ...

    def close(self) -> None:
        self.closed = True


class OneSource:
    def find_by_id(self, id: str) -> Source:
        return SOURCE


@pytest.mark.parametrize(
    ("errors", "answer", "closed"),
    [
        ((), 7, False),
        ((DiskFull("full"),), 7, False),
        ((UndefinedTable("dropped"),), None, False),
        ((StorageError("torn"),), "nothing", True),
    ],
)
def test_a_source_is_answered(
    monkeypatch: pytest.MonkeyPatch, errors: tuple[PtvcError, ...], answer: object, closed: bool
) -> None:
    async def scenario() -> None:
        failing = Failing(*errors)

        class Stored:
            async def ingest(self, *arguments: object) -> int:
                return await failing.commit()

        replica, connection = ReplicaClient("c1", "quickstart", "r1"), Connection()
        writer = cast(Any, connection)
        replica.attach(Outbox(writer, lambda work: work.close()), (1, 1), 1)
        sent: list[object] = []
        monkeypatch.setattr(replica, "send", sent.append)
        replica.sources["s"] = 1
        ingests = Ingests(replica, writer, cast(Storage, Stored()), cast(Catalog, OneSource()), {})
        await ingests.append(Ingest("s", {"s": ()}, "1", {"s": {"records": 1}}, installation=1))
        assert sent == ([] if answer == "nothing" else [Ingested("s", cast(Any, answer), 1)])
        assert connection.closed is closed

    asyncio.run(scenario())


def test_what_was_read_for_a_table_that_is_dropped_is_left_out() -> None:
    async def scenario() -> None:
        there = {"s", "kept", "dropped"}
        committed: list[set[str]] = []

        class Stored:
            async def ingest(self, parts: dict[str, object], *arguments: object) -> int:
                if "dropped" in there:
                    there.discard("dropped")  # a moment ago
                    raise UndefinedTable("dropped")
                committed.append(set(parts))
                return 7

        class Some:
            def find_by_id(self, id: str) -> Source | None:
                return SOURCE if id in there else None

        replica, connection = ReplicaClient("c1", "quickstart", "r1"), Connection()
        writer = cast(Any, connection)
        replica.attach(Outbox(writer, lambda work: work.close()), (1, 1), 1)
        sent: list[object] = []
        replica.send = sent.append  # type: ignore[method-assign]
        replica.sources["s"] = 1
        statistics: dict[str, Any] = {}
        ingests = Ingests(replica, writer, cast(Storage, Stored()), cast(Catalog, Some()), statistics)
        told = {id_: {"updates_committed": 1} for id_ in ("s", "kept", "dropped")}
        await ingests.append(Ingest("s", {"kept": (), "dropped": ()}, "1", told, installation=1))
        assert committed == [{"kept"}]
        assert sent == [Ingested("s", 7, 1)]
        assert set(statistics) == {"s", "kept"}
        # The source itself is gone: nothing is committed, and it is told so.
        there.discard("s")
        await ingests.append(Ingest("s", {"kept": ()}, "2", told, installation=1))
        assert committed == [{"kept"}]
        assert sent[1:] == [Ingested("s", None, 1)]

    asyncio.run(scenario())


def test_what_an_earlier_installation_has_read_is_not_committed() -> None:
    """A source is installed anew when its connection changes; the former one may have asked before it ended."""

    async def scenario() -> None:
        committed: list[str] = []

        class Stored:
            async def ingest(
                self, parts: object, remap: object, position: str, wanted: Any, *more: object
            ) -> int:
                if position == "caught":
                    replica.sources["s"] = 2  # while the commit waits for others
                if not wanted():
                    raise UndefinedTable("s")
                committed.append(position)
                return 7

        replica, connection = ReplicaClient("c1", "quickstart", "r1"), Connection()
        writer = cast(Any, connection)
        replica.attach(Outbox(writer, lambda work: work.close()), (1, 1), 1)
        sent: list[object] = []
        replica.send = sent.append  # type: ignore[method-assign]
        ingests = Ingests(replica, writer, cast(Storage, Stored()), cast(Catalog, OneSource()), {})
        replica.sources["s"] = 1
        for position, installation in (("one", 1), ("caught", 1), ("late", 1), ("two", 2)):
            await ingests.append(Ingest("s", {"s": ()}, position, {}, installation=installation))
        assert committed == ["one", "two"]
        assert sent == [
            Ingested("s", 7, 1),
            Ingested("s", None, 1),
            Ingested("s", None, 1),
            Ingested("s", 7, 2),
        ]

    asyncio.run(scenario())
