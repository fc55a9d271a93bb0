"""A whole runtime whose replicas come in over TCP, or by the Unix socket: what works, and what a peer may do to it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from random import Random
from typing import Any

import psycopg
import pytest
from inprocess import FAST, InProcess, eventually, running
from ptvc.replica.protocol import (
    Append,
    Connection,
    Hello,
    Hydrated,
    Ingest,
    JobFinished,
    LookedUp,
    PeekFailed,
    Progress,
    Refused,
    StateLost,
    Status,
    Uninstall,
    UnixAddress,
    dial,
    encode,
)

TCP = replace(FAST, control_listen="127.0.0.1:0")


@pytest.fixture(params=["unix", "tcp"])
def runtime(request: pytest.FixtureRequest) -> Iterator[InProcess]:
    with running(TCP if request.param == "tcp" else FAST) as runtime:
        yield runtime
        assert isinstance(address(runtime), UnixAddress) == (request.param == "unix")


def controller(runtime: InProcess) -> Any:
    return runtime.coordinator.controller


def address(runtime: InProcess) -> Any:
    return controller(runtime)._listener.for_replicas


def made(db: psycopg.Connection[Any]) -> None:
    for statement in (
        "CREATE TABLE t (k int NOT NULL, v text)",
        "INSERT INTO t SELECT i, 'v' || i FROM generate_series(1, 1000) AS i",
        "CREATE MATERIALIZED VIEW m AS SELECT k % 10 AS g, count(*) AS n FROM t GROUP BY k % 10",
        "CREATE INDEX i ON t (k)",
    ):
        db.execute(statement)


def check(db: psycopg.Connection[Any], rows: int) -> None:
    found = db.execute("SELECT sum(n) FROM m").fetchall()
    assert found == [(rows,)]
    assert db.execute("SELECT v FROM t WHERE k = 7").fetchall() == [("v7",)]
    assert db.execute("SELECT count(*) FROM t a JOIN t b USING (k)").fetchall() == [(rows,)]


def test_views_lookups_queries_and_kills(runtime: InProcess) -> None:
    with runtime.connect() as db:
        made(db)
        check(db, 1000)
        runtime.kill_replica()
        db.execute("INSERT INTO t VALUES (1001, 'x')")
        check(db, 1001)
    runtime.stop()
    runtime.start()
    with runtime.connect() as db:
        check(db, 1001)


def replica_of(runtime: InProcess) -> Any:
    return next(iter(controller(runtime).clusters))


def come_in(runtime: InProcess, attempt: int) -> Connection:
    """As a newer attempt of the replica, which is put in the place of the one that is there."""
    replica = replica_of(runtime)
    epoch, secret = replica._started
    return dial(address(runtime), Hello(replica.id, epoch, attempt, os.getpid()), secret)


def test_older_epochs_and_attempts_are_fenced(runtime: InProcess) -> None:
    with runtime.connect() as db:
        made(db)
        check(db, 1000)
        replica = replica_of(runtime)
        epoch, secret = replica._started
        for hello in (Hello(replica.id, epoch - 1, 9, 1), Hello(replica.id, epoch + 1, 9, 1)):
            with pytest.raises(Refused):
                dial(address(runtime), hello, secret)
        old = come_in(runtime, replica.attempt[1])
        assert old.receive() is None
        old.close()
        before = replica.attempt
        check(db, 1000)
        assert replica.attempt == before


STRANGE = (
    Progress(1, 1),
    Uninstall("m"),
    LookedUp(10**9, None),
    PeekFailed(10**9, "XX000", "x"),
    Status("u99", "failed", "x"),
    Status("u99", "running", None),
    Hydrated("u99", 1.0, 1),
    StateLost("u99", "x"),
    JobFinished(10**9, (), (), 0, 0.0),
    Append((), (("u99", 5),)),
    Ingest("u99", {}, "{}", {}),
)


def broken(random: Random, message: Any) -> bytes:
    data = bytearray(b"".join(encode(message)))
    if random.random() < 0.8:
        for _ in range(random.randint(1, 3)):
            data[random.randrange(len(data))] ^= 1 << random.randrange(8)
    if random.random() < 0.2:
        del data[random.randrange(len(data)) :]
    return bytes(data)


def test_what_one_that_has_come_in_says_ends_its_connection_at_most(runtime: InProcess) -> None:
    """Strange messages, broken ones, and what comes twice: the coordinator goes on, and so does the replica that comes after."""
    random = Random(1)
    with runtime.connect() as db:
        made(db)
        check(db, 1000)
        driver = runtime.driver
        driver.pause(replica_of(runtime).id)
        for number in range(60):
            peer = come_in(runtime, 10**6 + number)
            message = STRANGE[number % len(STRANGE)]
            whole = number < len(STRANGE)
            with suppress(ConnectionError):  # it was closed at the first
                peer.send_encoded([b"".join(encode(message)) if whole else broken(random, message)] * 2)
            peer.close()
            while peer.receive() is not None:
                pass
        driver._attempts = iter(range(10**7, 10**8))  # type: ignore[assignment]
        driver.resume(replica_of(runtime).id)
        eventually(lambda: replica_of(runtime).connected.is_set())
        check(db, 1000)
    assert runtime.failures == []
