"""When leased holds expire, over every consensus."""

from __future__ import annotations

import pytest
from persist_support import SCHEMA, append
from ptvc.clock import ManualClock
from ptvc.errors import ObjectNotReady
from ptvc.persist.blob.memory import MemoryBlob
from ptvc.persist.client import PersistClient
from ptvc.persist.consensus.base import Consensus


def test_leases_expire_by_heartbeats(client: PersistClient, clock: ManualClock) -> None:
    client.create_shard("s", SCHEMA)
    append(client, "s", 0, 100)
    client.set_hold("s", "reader", 10, critical=False, lease_ms=1000)
    client.set_hold("s", "view", 50, critical=True)
    assert client.expire_leases() == 0
    clock.advance(900)
    client.heartbeat("reader")
    assert client.expire_leases() == 0
    clock.advance(900)
    assert client.expire_leases() == 0
    assert client.state("s").since == 10
    clock.advance(101)
    assert client.expire_leases() == 1
    assert client.state("s").since == 50
    with pytest.raises(ObjectNotReady, match="lease has expired"):
        client.heartbeat("reader")
    clock.advance(10**9)
    assert client.expire_leases() == 0
    assert client.state("s").since == 50


def test_a_judge_that_starts_gives_a_full_lease(
    client: PersistClient, consensus: Consensus, memory_blob: MemoryBlob, clock: ManualClock
) -> None:
    client.create_shard("s", SCHEMA)
    client.set_hold("s", "reader", 0, critical=False, lease_ms=1000)
    clock.advance(10**9)
    later = PersistClient(consensus, memory_blob, clock)
    assert later.expire_leases() == 0
    clock.advance(1001)
    assert later.expire_leases() == 1


def test_a_lease_taken_again_is_a_full_one(client: PersistClient, clock: ManualClock) -> None:
    """The judge remembers the one of the same holder that it has just ended."""
    client.create_shard("s", SCHEMA)
    client.set_hold("s", "reader", 0, critical=False, lease_ms=1000)
    assert client.expire_leases() == 0
    clock.advance(1001)
    assert client.expire_leases() == 1
    client.set_hold("s", "reader", 0, critical=False, lease_ms=1000)
    assert client.expire_leases() == 0
    clock.advance(1001)
    assert client.expire_leases() == 1


def test_a_heartbeat_between_judgement_and_end_saves_the_lease(
    client: PersistClient, consensus: Consensus, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    client.create_shard("s", SCHEMA)
    client.set_hold("s", "reader", 0, critical=False, lease_ms=1000)
    client.expire_leases()
    clock.advance(2000)
    (stale,) = consensus.leases()
    client.heartbeat("reader")
    monkeypatch.setattr(client._leases, "expired", lambda leases: [stale])
    assert client.expire_leases() == 0
    client.heartbeat("reader")


# Epochs and the mark
