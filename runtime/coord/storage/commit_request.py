"""What is asked of the group commit: a request, its parts, and what refuses it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from ...expr.tree.relation import GlobalId
from ...persist.client import PartRef, ShardId, Write
from ...replica.protocol import Updates
from ...repr.schema import Schema
from .expectation import Expected, KeyId
from .key_counts import KeyCounts
from .unique_keys import KeysTaken


@dataclass(frozen=True, slots=True)
class Conflict:
    """Somebody wrote what was read of `id`: read again."""

    id: GlobalId


@dataclass(frozen=True, slots=True)
class Defined:
    """A change of the catalog: its rows, schemas that tables get, what it changes of views at times of their own, and what makes
    it so for everybody, in the moment in which it is durable; `on_committed`, when replicas have heard of the commit."""

    catalog: Mapping[ShardId, Write]
    evolved: Mapping[GlobalId, Schema]
    on_durable: Callable[[], None]
    timed: tuple[Updates, ...] = ()
    on_committed: Callable[[], None] | None = None


@dataclass(slots=True)
class CommitRequest:
    """`timestamped` parts get the group's time; `timed` ones have theirs.  `companions` are shards without an id
    (a source's remap) that are written in the same transaction.  `keys` are changes to the keys of unique
    constraints; those of the `unchecked` ones only collide, as whoever writes has seen.  `valid` says, at the
    last moment, whether what is written still fits the tables, and whether who has read a source still does.
    `catalog` is a change of the catalog that is part of the transaction, and `evolved` of the schemas of tables that
    it writes; with `alone` nothing else is: what comes behind is checked against the catalog as it then is."""

    future: asyncio.Future[int | Conflict | KeysTaken] = field(
        default_factory=lambda: asyncio.get_running_loop().create_future()
    )
    accepted: bool = False
    timestamped: Mapping[GlobalId, tuple[PartRef, ...]] = field(default_factory=dict)
    companions: Mapping[ShardId, tuple[PartRef, ...]] = field(default_factory=dict)
    expect: Mapping[GlobalId, Expected] = field(default_factory=dict)
    timed: tuple[Updates, ...] = ()
    keys: Mapping[KeyId, KeyCounts] = field(default_factory=dict)
    unchecked: frozenset[KeyId] = frozenset()
    valid: Callable[[], bool] | None = None
    catalog: Mapping[ShardId, Write] = field(default_factory=dict)
    evolved: Mapping[GlobalId, Schema] = field(default_factory=dict)
    alone: bool = False
    on_durable: Callable[[], None] | None = None
    on_committed: Callable[[], None] | None = None

    def withdraw(self) -> bool:
        """Takes the request back, unless it was accepted or answered."""
        if self.accepted or self.future.done():
            return False
        self.future.cancel()
        return True

    @property
    def writes(self) -> set[GlobalId]:
        return {id_ for id_, parts in self.timestamped.items() if parts} | {
            u.id for u in self.timed if u.parts
        }

    @property
    def takes_place(self) -> bool:
        """Whether it is one of the writes of which a limited number may wait."""
        return bool(self.timestamped or self.companions) and not self.alone

    @property
    def is_output(self) -> bool:
        """Whether all that it writes has its time already."""
        return bool(self.timed) and not (self.timestamped or self.companions or self.alone)

    @property
    def is_barrier(self) -> bool:
        return not (self.timestamped or self.companions or self.timed or self.alone)
