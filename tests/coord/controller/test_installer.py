"""What becomes of installations whose objects are dropped or altered before they are through."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, cast

import pytest
from inprocess import FAST, InProcess, eventually, running
from ptvc.coord.catalog.items import Item, Table
from ptvc.coord.controller import installer, maintenance
from ptvc.coord.controller.installer import Installer
from ptvc.coord.controller.replicas import ReplicaClient
from ptvc.coord.storage import input_holds
from ptvc.errors import ObjectNotReady
from ptvc.replica import outputs
from ptvc.retry import Backoff
from ptvc.supervision import Supervisor

from .items import SOURCE


@pytest.fixture
def runtime() -> Iterator[InProcess]:
    """With jobs that stand still."""
    with running(replace(FAST, job_min_rows=1, job_partitions=2), jobs=True) as runtime:
        runtime.query("CREATE TABLE t (k int, v int)")
        runtime.query("INSERT INTO t SELECT i % 5, i FROM generate_series(1, 10) AS i")
        runtime.driver.jobs_may_run.clear()
        yield runtime


def holders(runtime: InProcess, table: str) -> set[str]:
    """Who holds the table's shard readable."""
    found = next(item for item in runtime.coordinator.catalog.user_items() if item.name == table)
    assert isinstance(found, Table)
    head = runtime.call(lambda: runtime.stores.consensus.head(found.shard))
    assert head is not None
    return {hold.holder for hold in head.holds}


def job_statuses(runtime: InProcess) -> list[tuple[str]]:
    return runtime.query("SELECT status FROM mz_internal.mz_spark_jobs WHERE kind = 'hydration'")  # type: ignore[return-value]


def tasks(replica: ReplicaClient) -> int:
    return len(replica.tasks)


@pytest.mark.parametrize(
    ("create", "drop"),
    [
        ("CREATE INDEX x ON t (k)", "DROP INDEX x"),
        ("CREATE MATERIALIZED VIEW x AS SELECT DISTINCT k FROM t", "DROP MATERIALIZED VIEW x"),
    ],
)
def test_the_job_of_what_is_dropped_is_cancelled(runtime: InProcess, create: str, drop: str) -> None:
    before = holders(runtime, "t")
    runtime.query(create)
    eventually(lambda: runtime.driver.jobs)
    (replica,) = runtime.coordinator.controller.clusters.of("quickstart")
    (id_,) = replica.installing
    assert holders(runtime, "t") > before
    runtime.query(drop)
    eventually(lambda: job_statuses(runtime) == [("canceled",)])
    eventually(lambda: not replica.installing)
    assert tasks(replica) == 0
    eventually(lambda: holders(runtime, "t") == before)
    assert id_ not in replica.installed
    assert runtime.coordinator.controller.statuses.get(id_) is None
    runtime.driver.jobs_may_run.set()
    assert runtime.query("SELECT count(*) FROM t WHERE k = 1") == [(2,)]


def test_inputs_are_held_for_as_long_as_the_job_takes(
    runtime: InProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(input_holds, "HYDRATION_LEASE_MS", 1)
    monkeypatch.setattr(maintenance, "GARBAGE_EVERY", 1)
    before = holders(runtime, "t")
    runtime.query("CREATE INDEX x ON t (k)")
    eventually(lambda: runtime.driver.jobs)
    (holder,) = holders(runtime, "t") - before
    consensus = runtime.stores.consensus

    def beats() -> int:
        return max((lease.beat for lease in consensus.leases() if lease.holder == holder), default=-1)

    eventually(lambda: beats() > 5)  # the lease was over in each of these rounds
    runtime.driver.jobs_may_run.set()
    eventually(lambda: holders(runtime, "t") == before)
    assert runtime.query("SELECT count(*) FROM t WHERE k = 1") == [(2,)]


def test_what_is_dropped_is_not_tried_again(runtime: InProcess) -> None:
    runtime.driver.job_failure = "a task was killed"
    runtime.driver.jobs_may_run.set()
    runtime.query("CREATE INDEX x ON t (k)")
    eventually(lambda: job_statuses(runtime) == [("failed",)])
    (replica,) = runtime.coordinator.controller.clusters.of("quickstart")
    assert tasks(replica) == 1
    runtime.query("DROP INDEX x")
    eventually(lambda: tasks(replica) == 0)


def test_inputs_of_what_is_dropped_before_it_is_hydrated_are_let_go(
    runtime: InProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outputs, "_hydrated", lambda installed: iter(()))
    runtime.query("CREATE CLUSTER twice (REPLICATION FACTOR 2, JOB MIN ROWS 1000)")
    before = holders(runtime, "t")
    runtime.query("CREATE MATERIALIZED VIEW x IN CLUSTER twice AS SELECT DISTINCT k FROM t")
    eventually(lambda: len(holders(runtime, "t") - before) == 2)
    runtime.query("DROP MATERIALIZED VIEW x")
    eventually(lambda: holders(runtime, "t") == before)


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
        subject = Installer(
            changing, changing, nothing, nothing, nothing, nothing, nothing, lambda: 0, supervisor
        )
        replica = ReplicaClient("c1", "quickstart", "r1")
        subject.install(replica, SOURCE)
        await asyncio.wait_for(asyncio.gather(*replica.tasks), 30)
        assert failures == []

    asyncio.run(test())
    wanted = [SOURCE, replace(SOURCE, name="renamed")]
    assert changing.tried == (wanted if last is None else [*wanted, last])
