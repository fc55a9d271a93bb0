"""Random histories against the definition of a shard: what persist promises holds after every step.

Two clients share stores that fail, before or after they have done what they were asked, and that do not answer.  Every
rule is checked against `ModelShard`, which is a list of updates and two frontiers.  The promises, and where they are held:

1. frontiers never go back, since <= upper: `frontiers_are_the_models`, `frontiers_never_go_back`
2. batches are in order, disjoint, below upper, with a since within the shard's: `batches_are_in_order`
3. every readable time's contents survive merging, garbage collection and restarts: `read_everything`
4. a snapshot and the updates after it are the truth, each once: `listeners_have_the_truth`
5. of racing appends with one lower one wins: `race`
6. no live part is without its blob, no blob without a part: `nothing_leaks_and_nothing_is_missing`, `read_leased`
7. many shards are written together or not at all: `append_both`, `append_at_the_wrong_place`, `race`
8. a filter finds what it finds in the whole contents, and every error: `read_filtered`
"""

from __future__ import annotations

import shutil
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from random import Random
from typing import Any, TypeVar

import pytest
from hypothesis import HealthCheck, seed, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)
from persist_support import (
    SCHEMA,
    Contents,
    ModelShard,
    UnreliableBlob,
    UnreliableConsensus,
    Update,
    contents_of,
    delta_of,
    read_at,
    read_between,
)
from ptvc.clock import ManualClock
from ptvc.errors import ObjectNotReady, StorageError
from ptvc.persist import write as write_module
from ptvc.persist.blob import s3_client
from ptvc.persist.blob.base import Blob
from ptvc.persist.blob.file import FileBlob
from ptvc.persist.blob.memory import MemoryBlob
from ptvc.persist.client import Appended, PersistClient, ShardState, UpperMismatch, Write
from ptvc.persist.consensus.base import Consensus
from ptvc.persist.consensus.memory import MemoryConsensus
from ptvc.persist.consensus.postgres import PostgresConsensus
from ptvc.persist.consensus.sqlite import SqliteConsensus
from ptvc.persist.location import open_blob
from ptvc.persist.part import PartRef
from ptvc.persist.pushdown import Comparison, Condition, wanted
from ptvc.persist.read import read_snapshot
from ptvc.persist.state import Snapshot
from ptvc.persist.write import write_parts
from servers.postgres_stores import disconnect, fresh_schema
from servers.s3_server import S3Server

T = TypeVar("T")
What = Sequence[tuple[tuple[object, ...], int, int]]
"""Changes: row, time after the upper, diff."""

SHARDS = ("s", "t")
READER = "reader"
LEASE_MS = 60_000
shards = st.sampled_from(SHARDS)
clients = st.integers(0, 1)
rows = st.tuples(st.integers(0, 2), st.sampled_from(["x", "y"]))
failures = st.lists(
    st.tuples(st.just(("22012", "x")), st.integers(0, 3), st.sampled_from([1, -1])), max_size=1
)
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

    def __init__(self, shard: str, as_of: int, contents: Contents) -> None:
        self.shard, self.time = shard, as_of
        self.contents = contents

    def advance(self, news: Contents, upper: int) -> None:
        for key, count in news.items():
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
        self.leased: dict[str, Snapshot] = {}
        self.frontiers = dict.fromkeys(SHARDS, (0, 0))
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
            self.retrying(partial(self.clients[0].create_shard, shard, SCHEMA, start))

    def connect(self) -> None:
        consensus = UnreliableConsensus(self.store, self.random, fail=0.05, lose=0.1, unread=0.02)
        self.unreliable: Any = UnreliableBlob(self.blob, self.random, fail=0.05)
        self.clients = [
            PersistClient(consensus, self.unreliable, self.clock)  # type: ignore[arg-type]
            for _ in range(2)
        ]

    def retrying(self, call: Callable[[], T]) -> T:
        """Whoever does not know whether it was done, or knows that it was not, does it again."""
        while True:
            try:
                return call()
            except StorageError:
                continue

    # Writing

    def prepare(
        self, shard: str, what: What, errors: What = (), *, inline: bool
    ) -> tuple[Write, list[Update], list[Update]]:
        lower = self.model[shard].upper
        rows = [(row, lower + offset, diff) for row, offset, diff in what]
        failed = [(row, lower + offset, diff) for row, offset, diff in errors]
        upper = lower + 1 + max((time - lower for _, time, _ in (*rows, *failed)), default=0)

        def write() -> tuple[PartRef, ...]:
            with inline_limit(write_module.INLINE_MAX_BYTES if inline else 0):
                return write_parts(self.unreliable, shard, SCHEMA, delta_of(rows, failed), writer="writer")

        return Write(lower, upper, self.retrying(write)), rows, failed

    @rule(who=clients, shard=shards, what=changes, errors=failures, inline=st.booleans())
    def append(self, who: int, shard: str, what: What, errors: What, inline: bool) -> None:
        self.append_to(who, {shard: what}, inline, errors)

    @rule(shard=shards, what=st.lists(changes, min_size=2, max_size=9), inline=st.booleans())
    def append_often(self, shard: str, what: list[What], inline: bool) -> None:
        for who, each in enumerate(what):
            self.append_to(who % 2, {shard: each}, inline or who > 3)

    @rule(who=clients, one=changes, other=changes)
    def append_both(self, who: int, one: What, other: What) -> None:
        self.append_to(who, dict(zip(SHARDS, (one, other), strict=True)), True)

    def append_to(self, who: int, what: Mapping[str, What], inline: bool, errors: What = ()) -> None:
        prepared = {shard: self.prepare(shard, each, errors, inline=inline) for shard, each in what.items()}
        writes = {shard: write for shard, (write, _, _) in prepared.items()}
        writer = self.new_writer()
        # The same call, under the same name, resolves what became of an earlier one.
        outcome = self.retrying(lambda: self.clients[who].append(writes, writer=writer))
        assert outcome == Appended({shard: write.upper for shard, write in writes.items()})
        for shard, (write, rows, failed) in prepared.items():
            self.model[shard].append(rows, failed, write.upper)
        assert self.retrying(lambda: self.clients[1 - who].append(writes, writer=writer)) == outcome

    def new_writer(self) -> str:
        self.appends += 1
        return f"writer-{self.appends}"

    @rule(
        mine=changes,
        theirs=changes,
        order=st.permutations([0, 1]),
        together=st.booleans(),
        inline=st.booleans(),
    )
    def race(self, mine: What, theirs: What, order: list[int], together: bool, inline: bool) -> None:
        """Both have prepared the same interval; one of them is first, and the other hears of it."""
        both = SHARDS if together else SHARDS[:1]
        prepared = [
            {shard: self.prepare(shard, each, inline=inline) for shard in both} for each in (mine, theirs)
        ]
        writers = [self.new_writer(), self.new_writer()]
        outcomes = {}
        for who in (*order, *order):  # each says it twice
            writes = {shard: write for shard, (write, _, _) in prepared[who].items()}
            outcome = self.retrying(
                lambda c=self.clients[who], w=writes, n=writers[who]: c.append(w, writer=n)  # type: ignore[misc]
            )
            assert outcomes.setdefault(who, outcome) == outcome
        first, second = order
        uppers = {shard: write.upper for shard, (write, _, _) in prepared[first].items()}
        assert outcomes == {first: Appended(uppers), second: UpperMismatch(uppers)}
        for shard, (write, rows, failed) in prepared[first].items():
            self.model[shard].append(rows, failed, write.upper)

    @rule(who=clients, shard=shards, distance=st.sampled_from([-1, 1]))
    def append_at_the_wrong_place(self, who: int, shard: str, distance: int) -> None:
        other = SHARDS[1 - SHARDS.index(shard)]
        upper, right = self.model[shard].upper, self.model[other].upper
        wrong = Write(max(0, upper + distance), upper + 5)
        if wrong.lower != upper:
            writes = {shard: wrong, other: Write(right, right + 1)}
            mismatch = UpperMismatch({shard: upper, other: right})
            assert self.retrying(lambda: self.clients[who].append(writes)) == mismatch

    # Holds

    @rule(who=clients, shard=shards, holder=st.sampled_from(["a", "b"]), distance=st.integers(0, 6))
    def hold(self, who: int, shard: str, holder: str, distance: int) -> None:
        since = self.model[shard].since + distance
        self.retrying(lambda: self.clients[who].set_hold(shard, holder, since, critical=True))
        self.holds[shard][holder] = since
        self.holds_have_changed(shard)

    @rule(who=clients, shard=shards, holder=st.sampled_from(["a", "b"]))
    def drop_hold(self, who: int, shard: str, holder: str) -> None:
        self.retrying(lambda: self.clients[who].drop_hold(shard, holder))
        if self.holds[shard].pop(holder, None) is not None:
            self.holds_have_changed(shard)

    def holds_have_changed(self, shard: str) -> None:
        model, holds = self.model[shard], self.holds[shard]
        if holds:
            model.since = max(model.since, min(model.upper, *holds.values()))
        self.listeners = [each for each in self.listeners if each.shard != shard or each.time >= model.since]

    @rule(who=clients, shard=shards)
    def lease(self, who: int, shard: str) -> None:
        """A reader with a lease takes a snapshot: its parts stay, whatever is merged and collected."""
        model, client = self.model[shard], self.clients[who]
        if model.since == model.upper:
            return
        since = model.since
        self.retrying(lambda: client.set_hold(shard, READER, since, critical=False, lease_ms=LEASE_MS))
        self.holds[shard][READER] = since
        self.holds_have_changed(shard)
        self.leased[shard] = self.retrying(lambda: client.snapshot(shard, since))

    @precondition(lambda self: self.leased)
    @rule()
    def read_leased(self) -> None:
        for shard, snapshot in self.leased.items():
            assert contents_of(read_snapshot(self.blob, snapshot)) == self.model[shard].at(snapshot.as_of)

    @precondition(lambda self: self.leased)
    @rule(who=clients)
    def leases_expire(self, who: int) -> None:
        self.collect(who)  # has seen them from now on
        self.clock.advance(LEASE_MS + 1)
        self.collect(who)
        for shard in self.leased:
            del self.holds[shard][READER]
            self.holds_have_changed(shard)
        self.leased.clear()

    @rule(who=clients, shard=shards)
    def hold_too_early(self, who: int, shard: str) -> None:
        if self.model[shard].since:
            early = self.model[shard].since - 1
            with pytest.raises(ObjectNotReady):
                self.retrying(lambda: self.clients[who].set_hold(shard, "c", early, critical=True))

    # Maintenance

    @rule(who=clients, shard=shards, force=st.booleans(), inline=st.booleans())
    def compact(self, who: int, shard: str, force: bool, inline: bool) -> None:
        def merge() -> bool:
            found = self.store.batches(shard, 0)
            assert found is not None
            many = len(found[1]) > 1
            with inline_limit(write_module.INLINE_MAX_BYTES if inline else 0):
                merged = self.clients[who].compact(shard, force=force or many)
            assert merged or not many
            return merged

        self.retrying(merge)
        self.collect(who)
        for each in range(2):
            self.read_everything(each, shard)

    @rule(who=clients)
    def collect(self, who: int) -> None:
        alive = {client.writer_id for client in self.clients}
        self.retrying(
            lambda: self.clients[who].collect_garbage(
                grace_ms=0, writer_is_dead=lambda writer: writer not in alive
            )
        )

    @rule()
    def restart(self) -> None:
        self.reopen()
        self.connect()

    # Reading

    @precondition(lambda self: any(m.since < m.upper for m in self.model.values()))
    @rule(who=clients, shard=shards, distance=st.integers(0, 5))
    def listen(self, who: int, shard: str, distance: int) -> None:
        model = self.model[shard]
        if model.since < model.upper:
            as_of = min(model.since + distance, model.upper - 1)
            contents = self.retrying(lambda: read_at(self.clients[who], shard, as_of))
            self.listeners = [*self.listeners[-3:], Listener(shard, as_of, contents)]

    @rule(who=clients, distance=st.integers(1, 9))
    def follow(self, who: int, distance: int) -> None:
        for listener in self.listeners:
            shard, lower = listener.shard, listener.time + 1
            upper = min(self.model[shard].upper, lower + distance)
            if listener.time >= self.model[shard].since:
                news = self.retrying(
                    lambda s=shard, lo=lower, up=upper: read_between(self.clients[who], s, lo, up)  # type: ignore[misc]
                )
                listener.advance(news, upper)

    @invariant()
    def listeners_have_the_truth(self) -> None:
        for listener in self.listeners:
            assert listener.contents == self.model[listener.shard].at(listener.time)

    @rule(who=clients, shard=shards)
    def read_everything(self, who: int, shard: str) -> None:
        model, client = self.model[shard], self.clients[who]
        state = self.retrying(lambda: client.state(shard))
        assert state == ShardState(shard, model.since, model.upper, SCHEMA)
        for time in self.sample(range(model.since, model.upper)):
            assert self.retrying(lambda t=time: read_at(client, shard, t)) == model.at(time)  # type: ignore[misc]
        for time in (model.since - 1, model.upper):
            if time >= 0:
                with pytest.raises(ObjectNotReady):
                    self.retrying(lambda t=time: client.snapshot(shard, t))  # type: ignore[misc]

    def sample(self, times: range) -> list[int]:
        """The first, the last, and two between."""
        between = self.random.sample(times, min(2, len(times)))
        return sorted({*times[:1], *times[-1:], *between})

    @rule(
        who=clients,
        shard=shards,
        comparison=st.sampled_from(list(Comparison)),
        value=st.integers(-1, 3),
        distance=st.integers(0, 5),
    )
    def read_filtered(self, who: int, shard: str, comparison: Comparison, value: int, distance: int) -> None:
        model, client = self.model[shard], self.clients[who]
        if model.since == model.upper:
            return
        as_of = min(model.since + distance, model.upper - 1)
        snapshot = self.retrying(lambda: client.snapshot(shard, as_of))
        parts = wanted(snapshot.parts, SCHEMA, [Condition(0, comparison, value)])
        found = contents_of(read_snapshot(self.blob, Snapshot(shard, as_of, SCHEMA, parts)))
        assert filtered(found, comparison, value) == filtered(model.at(as_of), comparison, value)

    # What holds at every moment

    @invariant()
    def frontiers_are_the_models(self) -> None:
        for shard, model in self.model.items():
            head = self.store.head(shard)
            if head is not None:
                assert (head.since, head.upper) == (model.since, model.upper)

    @invariant()
    def frontiers_never_go_back(self) -> None:
        for shard, (since, upper) in self.frontiers.items():
            head = self.store.head(shard)
            if head is not None:
                assert since <= head.since <= head.upper >= upper
                self.frontiers[shard] = (head.since, head.upper)

    @invariant()
    def batches_are_in_order(self) -> None:
        for shard in SHARDS:
            if (found := self.store.batches(shard, 0)) is not None:
                head, batches = found
                known = head.start
                for batch in batches:
                    assert known <= batch.lower < batch.upper <= head.upper
                    assert batch.since <= head.since
                    known = batch.upper

    def teardown(self) -> None:
        if hasattr(self, "clients"):
            for shard in SHARDS:
                self.read_everything(0, shard)
            self.nothing_leaks_and_nothing_is_missing()
        self.store.close()

    def nothing_leaks_and_nothing_is_missing(self) -> None:
        """Once every writer is dead and nobody reads, the blobs are exactly those that live parts name."""
        client = PersistClient(self.store, self.blob, self.clock)
        for shard in self.leased:
            client.drop_hold(shard, READER)
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


class BlobsInS3:
    """In place of files.  The server has troubles of its own, which the store outlives."""

    server: S3Server

    def open_blob(self) -> Blob:
        self.blobs = self.server.url(self.server.bucket(), "p")
        return open_blob(self.blobs)

    @initialize(seed=st.integers(0, 2**16))
    def trouble(self, seed: int) -> None:
        self.server.fail_at_random(0.05, seed)

    def reopen(self) -> None:
        super().reopen()
        self.blob = open_blob(self.blobs)

    def teardown(self) -> None:
        try:
            super().teardown()
        finally:
            self.server.fail()


class PersistOnS3(BlobsInS3, PersistOnFiles):
    """SQLite, and objects."""


@pytest.fixture(scope="class")
def troubled_s3(s3: S3Server) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(s3_client, "BACKOFF", replace(s3_client.BACKOFF, first_s=0.001))
        patch.setattr(BlobsInS3, "server", s3, raising=False)
        yield


class PersistOnPostgres(Persist):
    """Now and then every connection is lost, instead of an orderly restart."""

    uri: str

    def open_consensus(self) -> Consensus:
        self.directory = Path(tempfile.mkdtemp(prefix="ptvc-persist-"))
        self.schema = fresh_schema(self.uri)
        self.url = self.schema.__enter__()
        return PostgresConsensus(self.url)

    def open_blob(self) -> Blob:
        return FileBlob(self.directory / "blobs")

    def reopen(self) -> None:
        if self.random.random() < 0.5:
            assert disconnect(self.uri) > 0
        else:
            self.store.close()
            self.store = PostgresConsensus(self.url)
        self.blob = FileBlob(self.directory / "blobs")

    def teardown(self) -> None:
        try:
            super().teardown()
        finally:
            self.schema.__exit__(None, None, None)
            shutil.rmtree(self.directory)


class PersistOnPostgresAndS3(BlobsInS3, PersistOnPostgres):
    """Nothing of an environment on this machine."""


@pytest.fixture(scope="class")
def postgres(oracle_uri: str) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(PersistOnPostgres, "uri", oracle_uri, raising=False)
        yield


def filtered(contents: Contents, comparison: Comparison, value: int) -> Contents:
    """The errors, and the rows whose first column compares so: what a reader with a filter answers."""

    def holds(found: Any) -> bool:
        match comparison:
            case Comparison.EQ:
                return bool(found == value)
            case Comparison.LT:
                return bool(found < value)
            case Comparison.LE:
                return bool(found <= value)
            case Comparison.GT:
                return bool(found > value)
            case Comparison.GE:
                return bool(found >= value)
            case _:
                return comparison is Comparison.IS_NOT_NULL

    return Counter({key: n for key, n in contents.items() if key[0] == "error" or holds(key[1])})


def _settings(runs: int) -> settings:
    return settings(
        max_examples=runs,
        stateful_step_count=25,
        deadline=None,
        derandomize=True,
        database=None,
        report_multiple_bugs=False,
        suppress_health_check=list(HealthCheck),
    )


def machine(of: type[Persist], runs: int, *, needs: tuple[str, ...] = ()) -> Any:
    case = type(of.__name__, (of.TestCase,), {})  # its own settings, beside other sizes of the same machine
    case.settings = _settings(runs)
    case.pytestmark = [pytest.mark.usefixtures(*needs)] if needs else []
    return case


TestInMemory = machine(Persist, 150)
TestOnFiles = machine(PersistOnFiles, 12)
TestOnS3 = machine(PersistOnS3, 12, needs=("troubled_s3",))
TestOnPostgres = machine(PersistOnPostgres, 12, needs=("postgres",))
TestOnPostgresAndS3 = machine(PersistOnPostgresAndS3, 6, needs=("postgres", "troubled_s3"))


def often(of: type[Persist], runs: int, number: int) -> None:
    """Other histories than those of the classes above, and for each number others."""
    run_state_machine_as_test(seed(number)(type(of.__name__, (of,), {})), settings=_settings(runs))


@pytest.mark.slow(slices=40)
@pytest.mark.parametrize("number", range(100))
def test_in_memory_often(number: int) -> None:
    often(Persist, 100, number)


@pytest.mark.slow
@pytest.mark.parametrize("number", range(10))
def test_on_files_often(number: int) -> None:
    often(PersistOnFiles, 30, number)


@pytest.mark.slow
@pytest.mark.usefixtures("troubled_s3")
@pytest.mark.parametrize("number", range(10))
def test_on_s3_often(number: int) -> None:
    often(PersistOnS3, 30, number)


@pytest.mark.slow
@pytest.mark.usefixtures("postgres")
@pytest.mark.parametrize("number", range(10))
def test_on_postgres_often(number: int) -> None:
    often(PersistOnPostgres, 30, number)


@pytest.mark.slow
@pytest.mark.usefixtures("postgres", "troubled_s3")
@pytest.mark.parametrize("number", range(10))
def test_on_postgres_and_s3_often(number: int) -> None:
    often(PersistOnPostgresAndS3, 30, number)
