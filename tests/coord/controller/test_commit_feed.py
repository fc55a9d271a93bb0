"""What replicas are told of commits: what they read, and how far time has come, when it has."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any, cast

from ptvc.coord.controller.commit_feed import CommitFeed
from ptvc.replica.protocol import Progress, Updates


class Replica:
    def __init__(self, *subscriptions: str) -> None:
        self.subscriptions, self.installing, self.index_since = subscriptions, {}, 0
        self.connected = asyncio.Event()
        self.connected.set()
        self.sent: list[Progress] = []
        self.send = self.sent.append


def feed(replicas: list[Replica], oracle: SimpleNamespace) -> CommitFeed:
    collections = SimpleNamespace(wake=lambda: None)
    storage = SimpleNamespace(
        collections=collections, oracle=oracle, reads=SimpleNamespace(since=lambda: oracle.closed - 1)
    )
    return CommitFeed(cast(Any, replicas), cast(Any, None), cast(Any, storage), lambda: 0)


def test_a_commit_that_a_replica_does_not_read_says_how_far_time_has_come() -> None:
    oracle, reader, other = SimpleNamespace(closed=10), Replica("v"), Replica("w")
    told = feed([reader, other], oracle)
    update = Updates("v", 0, 10, ())
    told.committed((update,))
    assert reader.sent == [Progress(10, 9, (update,))]
    assert other.sent == [Progress(10, 9)]


def test_who_would_hear_nothing_new_is_left_alone() -> None:
    oracle, reader, other = SimpleNamespace(closed=10), Replica("v"), Replica("w")
    told = feed([reader, other], oracle)
    told.committed(())
    update = Updates("v", 0, 10, ())
    told.committed((update,))
    told.committed(())
    assert reader.sent == [Progress(10, 9), Progress(10, 9, (update,))]
    assert other.sent == [Progress(10, 9)]
    oracle.closed = 11
    told.committed(())
    assert reader.sent[-1] == other.sent[-1] == Progress(11, 10)
