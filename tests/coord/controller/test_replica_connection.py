"""What a replica says is kept as long as it is of anything."""

from __future__ import annotations

from dataclasses import fields
from typing import Any, cast

from ptvc.compute.partitioned.totals import WorkerStatistics
from ptvc.coord.controller.replica_connection import ReplicaConnection
from ptvc.coord.controller.replicas import ReplicaClient
from ptvc.replica.protocol import DataflowStatistics, MachineSilent, Message, Outbox, ReplicaProcesses


def say(replica: ReplicaClient, *messages: Message) -> None:
    """To a connection that has nobody to deal with anything else."""
    given: dict[str, Any] = {field.name: None for field in fields(ReplicaConnection)}
    connection = ReplicaConnection(**(given | {"replica": replica}))
    for message in messages:
        connection._handle(message)


def test_statistics_of_what_was_dropped_meanwhile_are_not_kept() -> None:
    replica = ReplicaClient("c1", "c", "r1")
    replica.installed |= {"u1", "u2"}
    one, other = DataflowStatistics("u1", (), ()), DataflowStatistics("u2", (), ())
    say(replica, one, other)
    assert replica.statistics == {"u1": one, "u2": other}
    replica.installed.remove("u1")
    replica.uninstall("u1")
    say(replica, one)
    assert replica.statistics == {"u2": other}


def test_processes_are_those_of_the_connection() -> None:
    replica = ReplicaClient("c1", "c", "r1")
    workers = (WorkerStatistics(7, 0.5, None, 1, 2), WorkerStatistics(8, 0.5, 3, 4, 5))
    say(replica, ReplicaProcesses(workers))
    assert replica.processes == workers
    replica.detach()
    assert replica.processes == ()


def test_a_machine_that_has_fallen_silent_is_that_of_the_attempt() -> None:
    replica = ReplicaClient("c1", "c", "r1")
    say(replica, MachineSilent(2))
    replica.detach()
    assert replica.silent == (2,), "until it is started anew"
    replica.attach(cast(Outbox, None), (1, 1), 7)
    assert replica.silent == ()
