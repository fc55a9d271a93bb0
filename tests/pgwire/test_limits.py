"""What one client may take of the listener: places, bytes before it has proved anything, and guesses."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from time import monotonic

import psycopg
import pytest
from ptvc.network.attempts import FREE_ATTEMPTS, FREE_OF_ADDRESS, MOST_DELAY_S
from ptvc.pgwire.listener import Limits, ScramSecret, Trust
from ptvc.pgwire.scram import new_secret

from .conftest import Server
from .raw import Raw, message, startup

MakeServer = Callable[..., Server]
SECRET = new_secret("secret", salt=b"0123456789abcdef")


async def passwords(user: str) -> ScramSecret | Trust | None:
    return SECRET if user in ("ann", "bob") else None


def test_one_address_has_so_many_places_but_superusers_get_in(make_server: MakeServer) -> None:
    server = make_server(Limits(max_per_address=2))
    with Raw(server.port).hello() as first, Raw(server.port).hello(), Raw(server.port) as third:
        third.send(startup(user="ann"))
        error = third.error()
        assert (error["S"], error["C"]) == ("FATAL", "53300")
        assert error["M"] == "too many connections from 127.0.0.1"
        with Raw(server.port) as operator:
            operator.send(startup(user="ptvc"))
            operator.until(b"Z")
            assert server.listener.sessions == 3
        server.until(lambda: server.listener.sessions == 2)
        first.socket.close()
        server.until(lambda: server.listener.sessions == 1)
        with Raw(server.port) as again:
            again.hello()


def test_one_address_holds_so_many_places_before_it_has_a_session(make_server: MakeServer) -> None:
    server = make_server(Limits(max_opening=50, max_opening_per_address=5))
    with ExitStack() as flood:
        lines = [flood.enter_context(Raw(server.port)) for _ in range(12)]
        assert all(line.closed() for line in lines[:7])
        assert len(server.listener._opening) == 5
        for line in lines[7:]:
            line.hello()
    server.until(lambda: server.listener.sessions == 0)


def test_so_many_bytes_are_heard_of_a_stranger(make_server: MakeServer) -> None:
    server = make_server(Limits(opening_bytes=2_000), passwords=passwords)
    with Raw(server.port) as client:
        client.send(startup(user="ann"))
        client.read()
        client.send(message(b"p", b"x" * 5_000))
        assert client.closed()
    server.until(lambda: len(server.listener._opening) == 0)
    with psycopg.connect(server.dsn, password="secret", autocommit=True) as db:
        wide = "x" * 100_000
        assert db.execute("echo %s::text, %s::text", [wide, None]).fetchone() == (wide, None)


def test_who_guesses_waits_and_nobody_else(make_server: MakeServer) -> None:
    server = make_server(Limits(failed_login_seconds=0.4), passwords=passwords)
    for _ in range(FREE_ATTEMPTS + 1):
        assert refused(server, "ann") < 5.0
    assert refused(server, "ann") >= 0.4
    started = monotonic()
    psycopg.connect(server.dsn, user="ann", password="secret").close()
    assert monotonic() - started >= 0.8  # it is not told from a guess before it is made
    attempts = server.listener._access.attempts
    assert attempts.wait_s("127.0.0.1", "ann") == 0
    assert attempts.wait_s("127.0.0.1", "bob") == 0


def test_wrong_logins_of_others_at_the_address_delay_refusals_only(make_server: MakeServer) -> None:
    server = make_server(Limits(failed_login_seconds=0.4), passwords=passwords)
    attempts = server.listener._access.attempts
    for number in range(2 * FREE_OF_ADDRESS):
        attempts.failed("127.0.0.1", f"role{number}")
    assert attempts.refusal_wait_s("127.0.0.1") == MOST_DELAY_S
    started = monotonic()
    for _ in range(3):
        psycopg.connect(server.dsn, user="ann", password="secret").close()
    assert monotonic() - started < 5.0


def test_a_refusal_comes_late_and_is_told_at_once(make_server: MakeServer) -> None:
    told = list[str]()
    server = make_server(Limits(failed_login_seconds=0.4), passwords=passwords)
    server.listener._on_refused = lambda user, address, sqlstate: told.append(f"{user} {sqlstate}")
    for number in range(FREE_OF_ADDRESS):
        server.listener._access.attempts.failed("127.0.0.1", f"role{number}")
    assert refused(server, "nobody") >= 0.4
    assert told == ["nobody 28P01"]


def test_who_waits_and_goes_leaves_nothing(make_server: MakeServer) -> None:
    server = make_server(Limits(failed_login_seconds=8.0), passwords=passwords)
    for _ in range(FREE_ATTEMPTS + 1):
        refused(server, "ann")
    with Raw(server.port) as client:
        client.send(startup(user="ann"))
        server.until(lambda: len(server.listener._opening) == 1)
    server.until(lambda: not server.listener._tasks)


def refused(server: Server, user: str) -> float:
    """The seconds that a wrong password takes."""
    started = monotonic()
    with pytest.raises(psycopg.OperationalError, match=f'password authentication failed for user "{user}"'):
        psycopg.connect(server.dsn, user=user, password="wrong")
    return monotonic() - started
