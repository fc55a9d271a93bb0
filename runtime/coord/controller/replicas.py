"""The coordinator's end of one replica: its connection, what is installed on it, and the queries it is answering."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable
from dataclasses import dataclass
from itertools import count
from pathlib import Path

from ...compute.partitioned.totals import WorkerStatistics
from ...config import BYTES_PER_CORE, ClusterOptions, Settings
from ...errors import PtvcError, ReplicaLost, ReplicaUnavailable
from ...expr.tree.relation import GlobalId
from ...replica.protocol import (
    CancelPeek,
    DataflowStatistics,
    Hydrated,
    LargeQueries,
    LargeSteps,
    LimitMemory,
    LookedUp,
    LookUp,
    LookUpStored,
    LookUpView,
    Message,
    Outbox,
    PeekFailed,
    PeekRows,
    ProtocolError,
    ReplicaWaits,
    Uninstall,
    upper_of,
)
from ...replica.workers.layout import Layout
from ..storage.expectation import KeyId
from ..storage.told_parts import ToldParts
from .answers import Answers

HOPELESS_AFTER = 3
"""So many failures to start, in a row, are told to queries; before, they wait."""
SUBSCRIPTION = "subscription-"
"""How the ids of the dataflows of subscriptions begin, which the catalog does not know."""


@dataclass(frozen=True, slots=True)
class Installing:
    """An installation that was begun at `begun_ms`; `tried` is done when it has succeeded or failed once."""

    tried: asyncio.Future[None]
    begun_ms: int


@dataclass(frozen=True, slots=True)
class Shape:
    """What a replica takes: so many `cores` of an executor on each machine of its workers' `layout`."""

    cores: int
    layout: Layout

    @classmethod
    def of(cls, options: ClusterOptions, settings: Settings) -> Shape:
        """On each machine it takes a core for each worker there, unless the size of its cluster says otherwise."""
        if not settings.on_cluster:
            return cls(settings.replica_cores, Layout(options.workers))
        here = min(options.workers, options.workers_per_machine or options.workers)
        cores = max(settings.replica_cores, here) if options.size is None else options.size
        return cls(cores, Layout(options.workers, here))


class ReplicaClient:
    """One replica of one cluster, connected or not.

    `installing` are the objects whose installation was begun and has neither succeeded nor failed yet.
    `subscriptions` are the collections whose commits it must hear of, with the number of their readers; `installed` is
    what it runs, `hydrated` what of that is, `failed` what it has given up, `frontiers` how far the rest has come, `computed` how far
    views have, whose output is yet to become durable; `statistics` are what its dataflows, and `processes` what its workers have done, as it has said last;
    `few` are the imports that dataflows in workers may broadcast, by their positions; `beginnings` are the times at which its indexes began, and `index_since` is that up to which it may have compacted all of
    them: so an index is readable from the later of the two on; `told` are the tables of which it knows the parts, by the key by which
    it looks their rows up, and the views; `sources` are the numbers of the installations of its sources; `attempt` is (epoch, task attempt), by which an old
    worker is distinguished from a new one; `options` are those that its cluster had when it was started, or has been given since, and `shape` follows from
    them; it is `leaving` once others are to take its place (`rescaling`); `silent` are those of its machines, by number, of which the attempt has heard nothing any more.  `directory` receives answers that were not fetched yet.
    """

    def __init__(self, cluster_id: str, cluster: str, name: str, directory: Path | None = None) -> None:
        self.id = f"{cluster_id}-{name}"
        self.name = name
        self.cluster_id = cluster_id
        self.cluster = cluster
        self.subscriptions: dict[GlobalId, int] = {}
        self.installed: set[GlobalId] = set()
        self.installing: dict[GlobalId, Installing] = {}
        self.hydrated: dict[GlobalId, Hydrated] = {}
        self.failed: set[GlobalId] = set()
        self.frontiers: dict[GlobalId, int] = {}
        self.computed: dict[GlobalId, int] = {}
        self.few: dict[GlobalId, tuple[int, ...]] = {}
        self.beginnings: dict[GlobalId, int] = {}
        self.index_since = 0
        self.statistics: dict[GlobalId, DataflowStatistics] = {}
        self.processes: tuple[WorkerStatistics, ...] = ()
        self.told: dict[KeyId | GlobalId, ToldParts] = {}
        self.sources: dict[GlobalId, int] = {}
        self.attempt = (0, -1)
        self._started: tuple[int, bytes] | None = None
        self.pid: int | None = None
        self.connected = asyncio.Event()
        self.failure: PtvcError | None = None
        self._failed_starts = 0
        self.options = ClusterOptions()
        self.shape = Shape(1, Layout(1))
        self.leaving = False
        self.silent: tuple[int, ...] = ()
        self.tasks: set[asyncio.Task[None]] = set()
        self._directory = directory
        self._outbox: Outbox | None = None
        self._peeks: dict[int, Answers] = {}
        self._look_ups: dict[int, Callable[[LookedUp | None], None]] = {}
        self._tails: dict[GlobalId, int] = {}
        self._halfway: set[int] = set()
        self._peek_ids = count(1)

    def expect(self, epoch: int, secret: bytes) -> None:
        """It is started, as that epoch; its attempts know the secret."""
        self._started = (epoch, secret)

    def limits(self, settings: Settings) -> tuple[LimitMemory, LargeSteps, LargeQueries]:
        """What its options, or the settings, say to it."""
        own = self.options
        limit, query = own.memory_limit, (settings.query_memory_limit_mb << 20) or None
        if limit is None and own.size is not None and settings.on_cluster:
            query = query or own.size * BYTES_PER_CORE // 4
            limit = own.size * BYTES_PER_CORE * self.shape.layout.machines
        elif limit is None:
            limit = (settings.memory_limit_mb << 20) or None
        rows = settings.step_job_min_rows if own.job_min_rows is None else own.job_min_rows
        return LimitMemory(limit, query), LargeSteps(rows), LargeQueries(settings.duckdb_min_rows)

    def waits(self, message: ReplicaWaits) -> None:
        """The driver cannot have it run; queries hear of that when it is for good, as far as one can see."""
        if self.connected.is_set() or self._started is None or self._started[0] != message.epoch:
            return
        self._failed_starts += message.failed
        if not message.failed or self._failed_starts >= HOPELESS_AFTER:
            self.failure = ReplicaUnavailable(
                f'replica {self.name} of cluster "{self.cluster}" cannot be started: {message.reason}',
                hint="It is tried again all the time.",
            )

    def secret_of(self, epoch: int) -> bytes | None:
        """None: it was not started as that, or anew since."""
        return self._started[1] if self._started is not None and self._started[0] == epoch else None

    def attach(self, outbox: Outbox, attempt: tuple[int, int], pid: int) -> None:
        """A new attempt has dialled in: whatever the previous one held is gone."""
        self.detach()
        self._outbox = outbox
        self.silent = ()
        self.attempt = attempt
        self.pid = pid

    def ready(self) -> None:
        """Everything that the catalog has for it was sent (or is waiting for its inputs)."""
        self.failure = None
        self._failed_starts = 0
        self.connected.set()

    def detach(self) -> None:
        """The connection is lost: queries under way fail, installations are forgotten."""
        self.connected.clear()
        for task in self.tasks:
            task.cancel()
        self.tasks.clear()
        self.installing.clear()
        self.subscriptions.clear()
        self.installed.clear()
        self.hydrated.clear()
        self.failed.clear()
        self.frontiers.clear()
        self.computed.clear()
        self.beginnings.clear()
        self.few.clear()
        self.index_since = 0
        self.statistics.clear()
        self.processes = ()
        self.told.clear()
        self.sources.clear()
        self.pid = None
        if self._outbox is not None:
            self._outbox.close()
            self._outbox = None
        lost = ReplicaLost(
            f'replica {self.name} of cluster "{self.cluster}" went away',
            hint="It is being restarted: try again.",
        )
        for answers in self._peeks.values():
            answers.fail(lost)
        self._tails.clear()
        self._halfway.clear()
        look_ups, self._look_ups = self._look_ups, {}
        for answered in look_ups.values():
            answered(None)

    def owns(self, writer: asyncio.StreamWriter) -> bool:
        return self._outbox is not None and self._outbox.writer is writer

    def send(self, message: Message) -> None:
        if self._outbox is not None:
            self._outbox.send(message)

    def send_encoded(self, pieces: Iterable[bytes]) -> None:
        """A message, as `encode` gives it."""
        if self._outbox is not None:
            self._outbox.send_encoded(pieces)

    def holds_index(self, id: GlobalId, time: int) -> bool:
        """Whether it has the index, readable at `time` if it has come so far."""
        return id in self.hydrated and max(self.beginnings[id], self.index_since) <= time

    def subscribe(self, ids: set[GlobalId]) -> None:
        for id_ in ids:
            self.subscriptions[id_] = self.subscriptions.get(id_, 0) + 1

    def unsubscribe(self, ids: set[GlobalId]) -> None:
        for id_ in ids:
            left = self.subscriptions.get(id_, 0) - 1
            if left > 0:
                self.subscriptions[id_] = left
            else:
                self.subscriptions.pop(id_, None)

    def uninstall(self, id: GlobalId) -> None:
        self.installed.discard(id)
        self.failed.discard(id)
        for table in (
            self.hydrated,
            self.frontiers,
            self.computed,
            self.beginnings,
            self.statistics,
            self.sources,
        ):
            table.pop(id, None)
        self.send(Uninstall(id))

    def new_peek(self) -> int:
        peek_id = next(self._peek_ids)
        self._peeks[peek_id] = Answers(self._directory)
        return peek_id

    async def answers(self, peek_id: int) -> AsyncIterator[PeekRows]:
        """What the replica answers to the peek; leaving early cancels it there."""
        finished = False
        try:
            while True:
                answer = await self._peeks[peek_id].get()
                if isinstance(answer, PtvcError):
                    finished = True
                    raise answer
                if answer.done:
                    finished = True
                yield answer
                if finished:
                    return
        finally:
            self._peeks.pop(peek_id).close()
            if not finished:
                self.send(CancelPeek(peek_id))

    def look_up(
        self,
        asked: Callable[[int], LookUp | LookUpStored | LookUpView],
        answered: Callable[[LookedUp | None], None],
    ) -> None:
        """Sends what `asked` makes of a new number; `answered` is called with the answer, or with None when there is none to come."""
        if self._outbox is None:
            answered(None)
            return
        peek_id = next(self._peek_ids)
        self._look_ups[peek_id] = answered
        self.send(asked(peek_id))

    def looked_up(self, message: LookedUp) -> None:
        answered = self._look_ups.pop(message.peek_id, None)
        if answered is None:
            raise ProtocolError("an answer has come to a look-up that was not made")
        answered(message)

    @property
    def is_awaited(self) -> bool:
        """Whether it is in the middle of an answer that no other replica could go on with."""
        tails = set(self._tails.values())
        asked = any(id_ not in tails and not answers.ended for id_, answers in self._peeks.items())
        return asked or bool(self._halfway) or bool(self._look_ups)

    def new_tail(self, id: GlobalId, most: int) -> int:
        """The peek that the dataflow of a subscription is to answer, of which at most so many bytes wait."""
        peek_id = next(self._peek_ids)
        self._peeks[peek_id] = Answers(self._directory, most)
        self._tails[id] = peek_id
        return peek_id

    async def tail_answer(self, peek_id: int) -> bytes:
        answer = await self._peeks[peek_id].get()
        if isinstance(answer, PtvcError):
            raise answer
        return answer.payload

    def end_tail(self, id: GlobalId, peek_id: int) -> None:
        if self._tails.get(id) == peek_id:
            del self._tails[id]
            self._halfway.discard(peek_id)
            self.send(Uninstall(id))
        self._peeks.pop(peek_id).close()

    def fail_tail(self, id: GlobalId, error: PtvcError) -> bool:
        """Ends the subscription with the error; False when there is no such one."""
        if (peek_id := self._tails.get(id)) is None:
            return False
        self._peeks[peek_id].fail(error)
        return True

    async def answered(self, message: PeekRows | PeekFailed) -> None:
        """Returns when the answer is kept for the client, which takes it when it likes."""
        answers = self._peeks.get(message.peek_id)
        if answers is None:
            return  # the client has gone meanwhile
        if isinstance(message, PeekFailed):
            answers.fail(PtvcError(message.message, sqlstate=message.sqlstate, hint=message.hint))
        else:
            if message.peek_id in self._tails.values():
                whole = upper_of(message.payload) is not None
                (self._halfway.discard if whole else self._halfway.add)(message.peek_id)
            await answers.put(message)
