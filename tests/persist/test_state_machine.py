"""Random histories against the definition of a shard: what persist promises holds after every step.

Two clients share stores whose commits are sometimes lost, before or after they are applied.  Every rule is checked
against `ModelShard`, which is a list of updates and two frontiers.
"""

from __future__ import annotations

import shutil
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from persist_support import (
    SCHEMA,
    Contents,
    ModelShard,
    UnreliableConsensus,
    Update,
    delta_of,
    read_at,
    read_between,
)
from ptvc.clock import ManualClock
from ptvc.errors import ObjectNotReady
from ptvc.persist import write as write_module
from ptvc.persist.blob.base import Blob
from ptvc.persist.blob.file import FileBlob
from ptvc.persist.blob.memory import MemoryBlob
from ptvc.persist.client import Appended, PersistClient, ShardState, UpperMismatch, Write
from ptvc.persist.consensus.base import Consensus, Indeterminate
from ptvc.persist.consensus.memory import MemoryConsensus
from ptvc.persist.consensus.sqlite import SqliteConsensus
from ptvc.persist.write import write_parts

SHARDS = ("s", "t")
shards = st.sampled_from(SHARDS)
clients = st.integers(0, 1)
rows = st.tuples(st.integers(0, 2), st.sampled_from(["x", "y"]))
changes = st.lists(st.tuples(rows, st.integers(0, 3), st.sampled_from([1, 1, 2, -1])), max_size=4)


@contextmanager
def inline_limit(limit: int) -> Iterator[None]:
    """Parts of this many encoded bytes or more become blobs."""
    before = write_module.INLINE_MAX_BYTES
    write_module.INLINE_MAX_BYTES = limit
    try:
        yield
    finally:
        write_module.INLINE_MAX_BYTES = before


class Listener:
    """A reader that took a snapshot and follows the updates: at every time it has what the shard has."""

    def __init__(self, client: PersistClient, shard: str, as_of: int) -> None:
        self.shard, self.time = shard, as_of
        self.contents: Contents = Counter(read_at(client, shard, as_of))

    def advance(self, client: PersistClient, upper: int) -> None:
        for key, count in read_between(client, self.shard, self.time + 1, upper).items():
            self.contents[key] += count
        self.contents = Counter({key: count for key, count in self.contents.items() if count})
        self.time = upper - 1


class Persist(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.store: Consensus = self.open_consensus()
        self.blob: Blob = self.open_blob()
        self.clock = ManualClock()
        self.model = {shard: ModelShard() for shard in SHARDS}
        self.holds: dict[str, dict[str, int]] = {shard: {} for shard in SHARDS}
        self.listeners: list[Listener] = []
        self.appends = 0

    def open_consensus(self) -> Consensus:
        return MemoryConsensus()

    def open_blob(self) -> Blob:
        return MemoryBlob()

    def reopen(self) -> None:
        """The process ended; what was in its memory is gone."""

    @initialize(seed=st.integers(0, 2**16), start=st.integers(0, 3))
    def begin(self, seed: int, start: int) -> None:
        self.random = Random(seed)
        self.connect()
        for shard in SHARDS:
            self.model[shard] = ModelShard(start)
            self.clients[0].create_shard(shard, SCHEMA, start)

    def connect(self) -> None:
        unreliable = UnreliableConsensus(self.store, self.random, fail=0.05, lose=0.1)
        self.clients = [
            PersistClient(unreliable, self.blob, self.clock)  # type: ignore[arg-type]
            for _ in range(2)
        ]

    def prepare(
        self, client: PersistClient, shard: str, what: object, inline: bool
    ) -> tuple[Write, list[Update]]:
        lower = self.model[shard].upper
        updates = [(row, lower + offset, diff) for row, offset, diff in what]  # type: ignore[attr-defined]
        upper = lower + 1 + max((time - lower for _, time, _ in updates), default=0)
        with inline_limit(write_module.INLINE_MAX_BYTES if inline else 0):
            parts = write_parts(self.blob, shard, SCHEMA, delta_of(updates), writer="writer")
        return Write(lower, upper, parts), updates

    @rule(who=clients, shard=shards, what=changes, inline=st.booleans())
    def append(self, who: int, shard: str, what: object, inline: bool) -> None:
        self.append_to(who, {shard: what}, inline)

    @rule(shard=shards, what=st.lists(changes, min_size=2, max_size=9), inline=st.booleans())
    def append_often(self, shard: str, what: list[object], inline: bool) -> None:
        for who, each in enumerate(what):
            self.append_to(who % 2, {shard: each}, inline or who > 3)

    @rule(who=clients, one=changes, other=changes)
    def append_both(self, who: int, one: object, other: object) -> None:
        self.append_to(who, dict(zip(SHARDS, (one, other), strict=True)), True)

    def append_to(self, who: int, what: dict[str, object], inline: bool) -> None:
        client = self.clients[who]
        prepared = {shard: self.prepare(client, shard, each, inline) for shard, each in what.items()}
        writes = {shard: write for shard, (write, _) in prepared.items()}
        self.appends += 1
        writer = f"writer-{self.appends}"
        while True:
            try:
                outcome = client.append(writes, writer=writer)
                break
            except Indeterminate:
                continue  # the same call, under the same name, resolves it
        assert outcome == Appended({shard: write.upper for shard, write in writes.items()})
        for shard, (write, updates) in prepared.items():
            self.model[shard].append(updates, [], write.upper)
        assert self.clients[1 - who].append(writes, writer=writer) == outcome

    @rule(who=clients, shard=shards, distance=st.sampled_from([-1, 1]))
    def append_at_the_wrong_place(self, who: int, shard: str, distance: int) -> None:
        other = SHARDS[1 - SHARDS.index(shard)]
        upper, right = self.model[shard].upper, self.model[other].upper
        wrong = Write(max(0, upper + distance), upper + 5)
        if wrong.lower != upper:
            writes = {shard: wrong, other: Write(right, right + 1)}
            mismatch = UpperMismatch({shard: upper, other: right})
            assert self.clients[who].append(writes) == mismatch

    @rule(who=clients, shard=shards, holder=st.sampled_from(["a", "b"]), distance=st.integers(0, 6))
    def hold(self, who: int, shard: str, holder: str, distance: int) -> None:
        model = self.model[shard]
        self.retrying(self.clients[who].set_hold, shard, holder, model.since + distance)
        self.holds[shard][holder] = model.since + distance
        model.since = max(model.since, min(model.upper, *self.holds[shard].values()))
        self.listeners = [each for each in self.listeners if each.shard != shard or each.time >= model.since]

    def retrying(self, call: object, *arguments: object) -> None:
        while True:
            try:
                call(*arguments, critical=True)  # type: ignore[operator]
                return
            except Indeterminate:
                continue

    @rule(who=clients, shard=shards)
    def hold_too_early(self, who: int, shard: str) -> None:
        if self.model[shard].since:
            with pytest.raises(ObjectNotReady):
                self.clients[who].set_hold(shard, "c", self.model[shard].since - 1, critical=True)

    @rule(who=clients, shard=shards, force=st.booleans(), inline=st.booleans())
    def compact(self, who: int, shard: str, force: bool, inline: bool) -> None:
        found = self.store.batches(shard, 0)
        assert found is not None
        many = len(found[1]) > 1
        with inline_limit(write_module.INLINE_MAX_BYTES if inline else 0):
            # A lost reply is resolved: either way the merge is done unless it loses five in a row.
            merged = self.clients[who].compact(shard, force=force or many)
        assert merged or not many
        self.collect(who)
        for each in range(2):
            self.read_everything(each, shard)

    @rule(who=clients)
    def collect(self, who: int) -> None:
        alive = {client.writer_id for client in self.clients}
        self.clients[who].collect_garbage(grace_ms=0, writer_is_dead=lambda writer: writer not in alive)

    @rule()
    def restart(self) -> None:
        self.reopen()
        self.connect()

    @precondition(lambda self: any(m.since < m.upper for m in self.model.values()))
    @rule(who=clients, shard=shards, distance=st.integers(0, 5))
    def listen(self, who: int, shard: str, distance: int) -> None:
        model = self.model[shard]
        if model.since < model.upper:
            as_of = min(model.since + distance, model.upper - 1)
            self.listeners = [*self.listeners[-3:], Listener(self.clients[who], shard, as_of)]

    @rule(who=clients, distance=st.integers(1, 9))
    def follow(self, who: int, distance: int) -> None:
        for listener in self.listeners:
            upper = min(self.model[listener.shard].upper, listener.time + 1 + distance)
            if listener.time >= self.model[listener.shard].since:
                listener.advance(self.clients[who], upper)

    @invariant()
    def listeners_have_the_truth(self) -> None:
        for listener in self.listeners:
            assert listener.contents == self.model[listener.shard].at(listener.time)

    @rule(who=clients, shard=shards)
    def read_everything(self, who: int, shard: str) -> None:
        model, client = self.model[shard], self.clients[who]
        assert client.state(shard) == ShardState(shard, model.since, model.upper, SCHEMA)
        for time in range(model.since, model.upper):
            assert read_at(client, shard, time) == model.at(time)
        for time in (model.since - 1, model.upper):
            if time >= 0:
                with pytest.raises(ObjectNotReady):
                    client.snapshot(shard, time)

    @invariant()
    def frontiers_are_the_models(self) -> None:
        for shard, model in self.model.items():
            head = self.store.head(shard)
            if head is not None:
                assert (head.since, head.upper) == (model.since, model.upper)

    def teardown(self) -> None:
        if hasattr(self, "clients"):
            for shard in SHARDS:
                self.read_everything(0, shard)
            self.nothing_leaks_and_nothing_is_missing()
        self.store.close()

    def nothing_leaks_and_nothing_is_missing(self) -> None:
        """Once every writer is dead and nobody reads, the blobs are exactly those that live parts name."""
        client = PersistClient(self.store, self.blob, self.clock)
        client.collect_garbage(grace_ms=0, writer_is_dead=lambda writer: True)
        live = set()
        for shard in SHARDS:
            found = self.store.batches(shard, 0)
            assert found is not None
            live |= {part.blob for batch in found[1] for part in batch.parts if part.blob is not None}
        assert set(self.blob.keys()) == live


class PersistOnFiles(Persist):
    def open_consensus(self) -> Consensus:
        self.directory = Path(tempfile.mkdtemp(prefix="ptvc-persist-"))
        return SqliteConsensus(self.directory / "consensus.db")

    def open_blob(self) -> Blob:
        return FileBlob(self.directory / "blobs")

    def reopen(self) -> None:
        self.store.close()
        self.store = SqliteConsensus(self.directory / "consensus.db")
        self.blob = FileBlob(self.directory / "blobs")

    def teardown(self) -> None:
        try:
            super().teardown()
        finally:
            shutil.rmtree(self.directory)


TestInMemory = Persist.TestCase
TestInMemory.settings = settings(
    max_examples=100,
    stateful_step_count=25,
    deadline=None,
    derandomize=True,
    suppress_health_check=list(HealthCheck),
)

TestOnFiles = PersistOnFiles.TestCase
TestOnFiles.settings = settings(TestInMemory.settings, max_examples=12)
