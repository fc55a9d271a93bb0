"""Where connections may lead: names, however they are written, and ports."""

from __future__ import annotations

import socket
from time import monotonic
from typing import Any

import pytest
from ptvc.storage.connections.addresses import Addresses
from ptvc.storage.connections.failures import ConnectionFailed, Step
from servers.ports import free_port

from .outside import silence

METADATA = (
    "169.254.169.254",
    "169.254.0.1",
    "fe80::1",
    "fe80::1%lo",
    "fd00:ec2::254",
    "::ffff:169.254.169.254",
    "64:ff9b::169.254.169.254",
    "2002:a9fe:a9fe::",
)


@pytest.mark.parametrize("address", METADATA)
def test_addresses_of_the_machine_are_refused(address: str) -> None:
    with pytest.raises(ConnectionFailed, match="not allowed") as refused:
        Addresses().check(address, "metadata.example")
    assert (refused.value.step, refused.value.sqlstate) == (Step.POLICY, "42501")
    assert address in refused.value.message
    Addresses(link_local=True).check(address, "metadata.example")


@pytest.mark.parametrize(
    "address", ["127.0.0.1", "10.0.0.1", "8.8.8.8", "::1", "fd00:ec2::1", "::ffff:10.0.0.1"]
)
def test_others_are_allowed(address: str) -> None:
    Addresses().check(address, address)


@pytest.mark.parametrize("host", ["2852039166", "0xa9fea9fe", "169.254.43518"])
def test_other_spellings_of_an_address_lead_nowhere_else(host: str) -> None:
    """As the system's look-up takes them: numbers of one or three parts."""
    with pytest.raises(ConnectionFailed) as refused:
        Addresses().reachable(host, 80, monotonic() + 5)
    assert refused.value.step is Step.POLICY


def test_a_name_of_which_one_address_is_refused_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    def looked_up(host: str, port: int, **_: Any) -> list[Any]:
        return [(2, 1, 6, "", (address, port)) for address in ("127.0.0.1", "169.254.169.254")]

    monkeypatch.setattr(socket, "getaddrinfo", looked_up)
    with pytest.raises(ConnectionFailed, match=r'"rebound\.example", which is 169\.254\.169\.254'):
        Addresses().resolve("rebound.example", 80)


def test_a_name_that_is_none() -> None:
    with pytest.raises(
        ConnectionFailed, match=r'cannot resolve the name of host "nowhere\.invalid"'
    ) as failed:
        Addresses().reachable("nowhere.invalid", 80, monotonic() + 5)
    assert failed.value.sqlstate == "08001"


def test_a_port_that_is_closed_or_late() -> None:
    with pytest.raises(ConnectionFailed, match="connection refused") as refused:
        Addresses().reachable("localhost", free_port(), monotonic() + 5)
    assert refused.value.sqlstate == "08006"
    with pytest.raises(ConnectionFailed, match="does not answer in time"):
        Addresses().reachable("127.0.0.1", 1, monotonic() - 1)


def test_a_port_that_is_open() -> None:
    with silence() as port:
        assert Addresses().reachable("localhost", port, monotonic() + 5) == "127.0.0.1"
