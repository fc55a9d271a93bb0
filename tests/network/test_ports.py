"""Ports are bound before anything is begun; who connects meanwhile is refused."""

from __future__ import annotations

import asyncio
import socket
from contextlib import closing

import pytest
from ptvc.errors import PtvcError
from ptvc.network import ports as module
from ptvc.network.exposure import Exposure
from ptvc.network.ports import HTTP_PORT, PORT, Ports, bind

HOST = "127.0.0.1"


def test_nobody_is_heard_before_it_listens() -> None:
    with closing(bind(HOST, 0)) as bound:
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection((HOST, bound.port), timeout=30)
        bound.listen()
        socket.create_connection((HOST, bound.port), timeout=30).close()


def test_small_answers_are_sent_at_once() -> None:
    """asyncio sets TCP_NODELAY where it knows that a socket is TCP's; without, what follows a small answer waits for the client's system
    to acknowledge that, 40 ms."""
    found: list[int] = []

    async def serve() -> None:
        answered = asyncio.Event()

        async def connected(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            opened = writer.get_extra_info("socket")
            found.append(opened.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
            writer.close()
            await writer.wait_closed()
            answered.set()

        with closing(bind(HOST, 0)) as bound:
            bound.listen()
            async with await asyncio.start_server(connected, sock=bound.sockets[0]):
                _, writer = await asyncio.open_connection(HOST, bound.port)
                await answered.wait()
                writer.close()
                await writer.wait_closed()

    asyncio.run(serve())
    assert found == [1]


def test_one_that_cannot_be_had() -> None:
    with socket.create_server((HOST, 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(
            PtvcError, match=rf"cannot listen on 127\.0\.0\.1:{port}: Address already"
        ) as caught:
            bind(HOST, port)
    assert f"port {port}" in str(caught.value.hint)
    with pytest.raises(PtvcError, match="is not a port"):
        bind(HOST, 70_000)
    with pytest.raises(PtvcError, match=r"cannot listen on 192\.0\.2\.1"):
        bind("192.0.2.1", 0)


def test_a_name_may_have_addresses_that_are_not_here(monkeypatch: pytest.MonkeyPatch) -> None:
    found = [
        (socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, 0)) for address in ("192.0.2.1", HOST, HOST)
    ]
    monkeypatch.setattr(module.socket, "getaddrinfo", lambda *_, **__: found)
    with closing(bind("name", 0)) as bound:
        assert [each.getsockname() for each in bound.sockets] == [(HOST, bound.port)]
    found[1:] = []
    with pytest.raises(PtvcError, match="cannot listen on name:0: Cannot assign requested address"):
        bind("name", 0)


@pytest.mark.parametrize("taken_is", ["port", "http_port", "control"])
def test_one_that_is_taken_leaves_none_bound(taken_is: str) -> None:
    with closing(bind(HOST, 0)) as free:
        port = free.port
    with socket.create_server((HOST, 0)) as taken:
        asked = {"port": port, "http_port": 0, "control": 0, taken_is: taken.getsockname()[1]}
        exposure = Exposure(HOST, asked["port"], asked["http_port"])
        with pytest.raises(PtvcError, match=f"cannot listen on {HOST}:{asked[taken_is]}"):
            Ports.bind(exposure, (HOST, asked["control"]), {})
    with socket.create_server((HOST, port)):
        pass


def test_who_was_started_anew_listens_where_it_did() -> None:
    with closing(Ports.bind(Exposure(HOST, 0, 0), None, {})) as before:
        assert before.http is not None
        told = {PORT: str(before.postgres.port), HTTP_PORT: str(before.http.port)}
    with closing(Ports.bind(Exposure(HOST, 0, 0), None, told)) as again:
        assert again.of(Exposure(HOST, 0, 0)) == Exposure(HOST, before.postgres.port, before.http.port)
    assert told == {}
    told = {HTTP_PORT: "1"}
    with closing(Ports.bind(Exposure(HOST, 0), None, told)) as without:
        assert (without.http, told) == (None, {})
