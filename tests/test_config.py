"""Settings that cannot be are refused before anything is started with them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import psycopg
import pytest
from inprocess import FAST, InProcess
from ptvc.config import Settings
from ptvc.errors import InvalidParameter


@pytest.mark.parametrize(
    "assignment",
    [
        "spark_master=nowhere",
        "spark_master=spark://host:7077",
        "spark_master=k8s://https://host:6443",
        "spark_master=yarn",
        "replica_cores=0",
        "replica_cores=2",
        "spark_master=local",
        "spark_master=local[*]",
        "spark_master=local[1,4]",
        "spark_master=local[8]",
        "spark_master=local[8,1]",
        "spark_master=local-cluster[1,1,1024]",
        "spark_driver_memory=2",
        "spark_driver_memory=much",
        "spark_driver_memory=511m",
        "spark_driver_memory=2 g",
        "tick_ms=-1",
        "tick_ms=soon",
        "state_files=somewhere",
        "nothing=1",
        "tick_ms",
    ],
)
def test_refused(assignment: str) -> None:
    with pytest.raises(InvalidParameter):
        Settings().with_assignments([assignment])


def test_there_is_no_such_manager() -> None:
    with pytest.raises(InvalidParameter, match="cannot be"):
        Settings().with_assignments(["spark_master=mesos://host:5050", "control_listen=10.0.0.5:6890"])


@pytest.mark.parametrize(
    ("assignments", "master", "room"),
    [
        ([], "local[34,4]", 32),
        (["replica-slots=3"], "local[5,4]", 3),
        (["spark_master=local[2,4]", "spark_driver_memory=512m"], "local[2,4]", 1),
        (["spark_master=local[64, 4]", "spark_driver_memory=1G"], "local[64, 4]", 32),
        (["spark_master=local-cluster[2, 2,1024]"], "local-cluster[2, 2,1024]", 3),
    ],
)
def test_where_spark_runs(assignments: list[str], master: str, room: int) -> None:
    settings = Settings().with_assignments(assignments)
    assert (settings.master, settings.replica_room) == (master, room)


@pytest.mark.parametrize("master", ["spark://a:7077,b:7077", "k8s://https://host:6443", "yarn"])
def test_where_executors_are_on_other_machines(master: str) -> None:
    settings = Settings().with_assignments(
        [f"spark_master={master}", "control_listen=10.0.0.5:6890", "replica_slots=5", "replica_cores=4"]
    )
    assert settings.on_cluster
    assert (settings.master, settings.replica_room) == (master, 5)
    assert not Settings().on_cluster
    assert settings.shares_by_blobs


@pytest.mark.parametrize("master", ["", "local[4,4]", "local-cluster[2,2,1024]"])
def test_files_are_copied_where_that_is_said(master: str) -> None:
    settings = Settings(spark_master=master)
    assert not settings.shares_by_blobs
    assert settings.with_assignments(["state_files=blobs"]).shares_by_blobs
    assert not settings.with_assignments(["state_files=directory"]).shares_by_blobs


def test_clusters_that_there_is_no_room_for(tmp_path: Path) -> None:
    """They are not made, and a runtime with less room does not start."""
    runtime = InProcess(tmp_path, replace(FAST, replica_slots=2))
    runtime.start()
    runtime.query("CREATE CLUSTER more (REPLICATION FACTOR 1)")
    with pytest.raises(psycopg.Error, match="3 replicas, and there is room for 2"):
        runtime.query("CREATE CLUSTER most (REPLICATION FACTOR 1)")
    runtime.stop()
    less = InProcess(tmp_path, replace(FAST, spark_master="local[2,4]"))
    with pytest.raises(InvalidParameter, match="2 replicas, and there is room for 1"):
        less.start()
