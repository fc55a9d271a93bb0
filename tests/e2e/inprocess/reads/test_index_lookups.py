"""Look-ups through an index, at a time that it has reached, do not wait for steps of dataflows."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from time import monotonic, sleep
from typing import Any

import psycopg
import pytest
from inprocess import WAIT_S, InProcess, running
from ptvc.config import Settings
from ptvc.replica.dataflows import Dataflows
from ptvc.replica.protocol import Message


def test_a_block_looks_up_while_a_step_takes_long(monkeypatch: pytest.MonkeyPatch) -> None:
    with running(Settings()) as runtime, runtime.connect() as connection:
        connection.execute("CREATE TABLE t (id bigint, name text)")
        connection.execute("INSERT INTO t SELECT g, 'name ' || g FROM generate_series(1, 100) AS g")
        connection.execute("CREATE INDEX t_by_id ON t (id)")
        _await_look_up(runtime)
        connection.execute("BEGIN; SET LOCAL statement_timeout = '20s'")
        assert _name(connection, 1) == "name 1"  # from now on the time is fixed
        held, go_on = threading.Event(), threading.Event()
        step = Dataflows.step

        def slow(dataflows: Dataflows) -> Iterator[Message]:
            held.set()
            assert go_on.wait(WAIT_S)
            return step(dataflows)

        monkeypatch.setattr(Dataflows, "step", slow)
        try:
            assert held.wait(WAIT_S)
            for id_ in (7, 100):
                assert _name(connection, id_) == f"name {id_}"
            assert not go_on.is_set()
        finally:
            go_on.set()


def _name(connection: psycopg.Connection[Any], id_: int) -> str:
    ((name,),) = connection.execute("SELECT name FROM t WHERE id = %s", (id_,)).fetchall()
    assert isinstance(name, str)
    return name


def _await_look_up(runtime: InProcess) -> None:
    """Until the index answers."""
    deadline = monotonic() + WAIT_S
    while "Answered from index" not in str(
        runtime.query("EXPLAIN PHYSICAL PLAN FOR SELECT name FROM t WHERE id = 7")
    ):
        assert monotonic() < deadline
        sleep(0.01)
