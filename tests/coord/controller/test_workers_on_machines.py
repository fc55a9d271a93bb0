"""Clusters whose replicas are on several machines: started, told of, and started again as a whole."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from dataclasses import replace
from random import Random

import psycopg
import pytest
from faults.standing_still import stand_still
from inprocess import FAST, InProcess, eventually, running
from ptvc.config import ClusterOptions
from ptvc.coord.controller.replicas import Shape
from ptvc.replica.workers import wires
from ptvc.replica.workers.layout import Layout

from .test_replicas import ELSEWHERE
from .test_workers import changed, check, create, replica

MACHINES = ["127.0.0.2", "127.0.0.2", "127.0.0.3"]


@pytest.fixture
def runtime() -> Iterator[InProcess]:
    with running(settings=ELSEWHERE) as runtime:
        runtime.query("CREATE CLUSTER divided (WORKERS 3, WORKERS PER MACHINE 2)")
        yield runtime


def workers(connection: psycopg.Connection) -> list[tuple[str, int]]:
    """The machine and the process of each."""
    query = "SELECT machine, process_id FROM mz_internal.mz_cluster_replica_workers WHERE replica_id LIKE %s ORDER BY worker_id"
    (number,) = connection.execute("SELECT id FROM mz_catalog.mz_clusters WHERE name = 'divided'").fetchall()
    return connection.execute(query, (f"{number[0]}-%",)).fetchall()


def all_there(connection: psycopg.Connection) -> list[tuple[str, int]]:
    """Once they have told."""
    eventually(lambda: [machine for machine, _ in workers(connection)] == MACHINES)
    return workers(connection)


def test_views_follow_their_tables_and_relations_say_where_workers_are(runtime: InProcess) -> None:
    random = Random(2)
    with runtime.connect() as connection:
        create(connection)
        check(connection)
        for _ in range(5):
            changed(connection, random, random.choice((1, 20)))
            check(connection)
        found = all_there(connection)
        assert len({process for _, process in found}) == 3


def test_one_that_loses_a_member_is_started_anew_as_a_whole(runtime: InProcess) -> None:
    random = Random(3)
    with runtime.connect() as connection:
        create(connection)
        for _ in range(2):
            check(connection)
            before, ended = all_there(connection), len(runtime.driver.ended)
            os.kill(before[-1][1], signal.SIGKILL)
            changed(connection, random, 10)
            check(connection)
            (end,) = runtime.driver.ended[ended:]
            assert (end.replica, end.left) == (replica(runtime), ()), "its machines are as good as others"
            after = all_there(connection)
            assert not {process for _, process in before[1:]} & {process for _, process in after[1:]}


def test_a_machine_that_has_fallen_silent_is_not_taken_again(
    runtime: InProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    with runtime.connect() as connection:
        create(connection)
        check(connection)
        ((_, pid),) = all_there(connection)[2:]
        ended = len(runtime.driver.ended)
        monkeypatch.setattr(wires, "SILENCE_S", 2.5)
        stand_still(pid)
        try:
            changed(connection, Random(1), 10)
            check(connection)
        finally:
            os.kill(pid, signal.SIGKILL)
        (end,) = runtime.driver.ended[ended:]
        assert (end.replica, end.left) == (replica(runtime), (1,))


def test_where_workers_are_is_changed(runtime: InProcess) -> None:
    random = Random(4)
    with runtime.connect() as connection:
        create(connection)
        for options, machines in (
            ("RESET (WORKERS PER MACHINE)", 1),
            ("SET (WORKERS 2, WORKERS PER MACHINE 1)", 2),
            ("SET (WORKERS 3)", 3),
        ):
            connection.execute(f"ALTER CLUSTER divided {options}".encode())
            changed(connection, random, 10)
            check(connection)
            started = runtime.driver.started[-1]
            assert Layout(started.workers, started.per_machine).machines == machines


@pytest.mark.parametrize(
    ("options", "cores", "layout"),
    [
        ({}, 1, Layout(1, 1)),
        ({"workers": 4}, 4, Layout(4, 4)),
        ({"workers": 4, "workers_per_machine": 2}, 2, Layout(4, 2)),
        ({"workers": 5, "workers_per_machine": 2, "size": 7}, 7, Layout(5, 2)),
        ({"workers": 2, "workers_per_machine": 9}, 2, Layout(2, 2)),
        ({"workers_per_machine": 9}, 1, Layout(1, 1)),
    ],
)
def test_shapes(options: dict[str, int], cores: int, layout: Layout) -> None:
    assert Shape.of(ClusterOptions.from_mapping(options), ELSEWHERE) == Shape(cores, layout)


def test_on_one_machine_all_workers_are_there() -> None:
    options = ClusterOptions(workers=4, workers_per_machine=1)
    assert not Shape.of(options, replace(FAST)).layout.is_spread
