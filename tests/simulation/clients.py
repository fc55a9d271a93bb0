"""Clients with seeded scripts, who note what they were answered.

A client sends one statement at a time, as pgwire would.  Some are interrupted after so many turns of the loop: by a cancel
request, or as the client goes away.  An answer that never comes is a violation.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, field
from random import Random

import pyarrow as pa
from ptvc.coord.coordinator import Coordinator
from ptvc.coord.results.results import Columns, Command, CopyIn, CopyOut, Rows
from ptvc.coord.session.session import Session
from ptvc.errors import Fenced, PtvcError
from ptvc.persist.consensus.base import Indeterminate

from .loop import SimulatedLoop
from .model import Effect, Model, Object, Outcome

KEYS_OF_A_CLIENT = 10_000
QUICKSTART = "quickstart"

PATIENCE_S = 30.0
"""How long after its timeout a statement may still be on its way to an outcome: a store is away for a few seconds at most."""

NO_TIMEOUT_S = 400.0
"""What waits for a replica without a timeout gives up after 180 s; installations are tried again within seconds."""

NOT_KNOWN = "08007"
"""Transaction resolution unknown: the SQLSTATE of a commit of which it is not known whether it was done."""

Row = tuple[int, int]


@dataclass(slots=True)
class Answer:
    outcome: Outcome
    rows: list[Row] = field(default_factory=list)
    tag: str = ""
    error: BaseException | None = None


class Gone(Exception):
    """The client has left; another session follows."""


class Terminated(Exception):
    """The process is stopping: it takes no more statements."""


@dataclass(slots=True)
class Chances:
    """How often a statement is interrupted: by a cancel request, by a client that leaves, by the end of its connection."""

    cancel: float = 0.0
    leave: float = 0.0
    abort: float = 0.0


class Client:
    """`say` receives the trace, `broken` what must not be."""

    def __init__(
        self,
        number: int,
        random: Random,
        model: Model,
        shared: Object,
        chances: Chances,
        say: Callable[[str], None],
        broken: Callable[[str], None],
    ) -> None:
        self.number = number
        self.keys = range(number * KEYS_OF_A_CLIENT, (number + 1) * KEYS_OF_A_CLIENT)
        self.random = random
        self.model = model
        self.shared = shared
        self.objects: list[Object] = []
        self.temporary: list[Object] = []
        """The tables of its session alone."""
        self._chances = chances
        self._say = say
        self._broken = broken
        self._next_key = self.keys.start
        self._next_name = 0
        self._doubtful: set[tuple[int, int]] = set()  # rows that a statement of before may still change
        self._session: Session | None = None
        self._statement: asyncio.Task[Answer] | None = None
        self._pending: Effect | None = None
        self._terminated = False
        self.timeout_ms = 0
        self.asked = 0

    # -- names and keys --

    def new_name(self, prefix: str) -> str:
        self._next_name += 1
        return f"{prefix}_{self.number}_{self._next_name}"

    def new_row(self) -> Row:
        self._next_key += 1
        return self._next_key, self.random.randrange(100)

    def of(self, *kinds: str) -> list[Object]:
        """Its objects of that kind that exist for certain."""
        return [made for made in self.objects if made.kind in kinds and made.name is not None]

    def known_keys(self, table: Object) -> list[int]:
        """Its own keys whose rows nothing else is changing any more."""
        return [
            key
            for key in table.rows
            if key in self.keys and (id(table), key) not in self._doubtful and len(table.rows[key]) == 1
        ]

    def made(self, made: Object) -> Object:
        self.objects.append(made)
        return made

    def doubt(self, table: Object, key: int) -> None:
        self._doubtful.add((id(table), key))

    # -- sessions --

    async def connect(self, coordinator: Coordinator) -> None:
        if self._terminated:
            raise Terminated
        self._session = await coordinator.open("ptvc", "ptvc", {})
        self.timeout_ms = 0
        self.temporary = []

    async def close(self) -> None:
        session, self._session = self._session, None
        if session is not None:
            await self._bounded(asyncio.ensure_future(session.close()), NO_TIMEOUT_S, "closing a session")

    def process_died(self) -> None:
        """What was under way may have been done."""
        if self._pending is not None:
            self._pending(Outcome.UNKNOWN)
        self._pending = self._session = self._statement = None
        self._terminated = False

    def stop(self) -> None:
        """The process is stopping: its clients' statements are cancelled, and it takes no more."""
        self._terminated = True
        if self._session is not None and self._statement is not None:
            self._session.cancel()

    def abort(self) -> None:
        if self._statement is not None:
            self._statement.cancel()

    # -- statements --

    async def ask(self, sql: str, effect: Effect | None = None, rows: Sequence[Row] = ()) -> Answer:
        """Sends a statement; its effect is that of the answer.  Raises Gone when the client leaves before."""
        loop = asyncio.get_running_loop()
        assert isinstance(loop, SimulatedLoop)
        if self._terminated:
            raise Terminated
        assert self._session is not None
        self._pending = effect
        self.asked += 1
        statement = loop.create_task(_run(self._session, sql, rows), name=f"client {self.number}")
        self._statement = statement
        self._say(f"client {self.number}: {sql}")
        left = self._interrupt(loop, statement)
        limit = self.timeout_ms / 1000 + PATIENCE_S if self.timeout_ms else NO_TIMEOUT_S
        answer = await self._bounded(statement, limit, sql)
        self._statement = None
        if left or answer is None or answer.outcome is Outcome.UNKNOWN:
            answer = Answer(Outcome.UNKNOWN, error=answer.error if answer is not None else None)
        shown = f": {answer.error!r}" if answer.error is not None else ""
        self._say(f"client {self.number}: {answer.outcome.value}{shown}")
        if isinstance(answer.error, Exception) and not isinstance(answer.error, PtvcError):
            self._broken(f"internal error of {sql}: {answer.error!r}")
        if effect is not None:
            effect(answer.outcome)
        self._pending = None
        if left:
            await self.close()
            raise Gone
        return answer

    def _interrupt(self, loop: SimulatedLoop, statement: asyncio.Task[Answer]) -> list[str]:
        """Has the statement interrupted, perhaps; the list is not empty once the client has left."""
        left: list[str] = []
        dice = self.random.random()
        chances = self._chances
        turns = self.random.randrange(1, self.random.choice((10, 40, 150)))

        def cancel() -> None:
            if not statement.done() and self._session is not None:
                self._say(f"client {self.number}: cancel")
                self._session.cancel()

        def leave() -> None:
            if not statement.done():
                self._say(f"client {self.number}: leaves")
                left.append("left")
                self._session.cancel()  # type: ignore[union-attr]

        def abort() -> None:
            if not statement.done():
                self._say(f"client {self.number}: is cut off")
                left.append("aborted")
                statement.cancel()

        if dice < chances.cancel:
            loop.in_so_many_turns(turns, cancel)
        elif dice < chances.cancel + chances.leave:
            loop.in_so_many_turns(turns, leave)
        elif dice < chances.cancel + chances.leave + chances.abort:
            loop.in_so_many_turns(turns, abort)
        return left

    async def _bounded(
        self, work: asyncio.Future[Answer] | asyncio.Future[None], limit: float, what: str
    ) -> Answer | None:
        """The result; None when it was cancelled.  Raises Terminated when it does not come."""
        done, _ = await asyncio.wait({work}, timeout=limit)
        if not done:
            self._broken(f"hangs for more than {limit:g} s: {what}")
            self._session = None
            raise Terminated
        if work.cancelled():
            return None
        if (error := work.exception()) is not None:
            self._broken(f"{what}: {error!r}")
            return None
        return work.result()


async def _run(session: Session, sql: str, rows: Sequence[Row]) -> Answer:
    """One Query message, as `ptvc.pgwire.protocol` handles it; `rows` are what a COPY sends."""
    answer = Answer(Outcome.DONE)
    results = session.execute_simple(sql)
    try:
        try:
            async for result in results:
                match result:
                    case Rows(chunks=chunks) | CopyOut(chunks=chunks):
                        async for columns in chunks:
                            answer.rows += zip(*(column.to_pylist() for column in columns), strict=True)
                    case CopyIn():
                        answer.tag = (await session.copy_in(_chunks(rows))).tag
                    case Command(tag=tag):
                        answer.tag = tag
        finally:
            await results.aclose()  # type: ignore[attr-defined]
    except asyncio.CancelledError:
        return Answer(Outcome.UNKNOWN)
    except (Indeterminate, Fenced) as error:
        await session.fail()
        return Answer(Outcome.UNKNOWN, error=error)
    except PtvcError as error:
        await session.fail()
        return Answer(Outcome.UNKNOWN if error.sqlstate == NOT_KNOWN else Outcome.REFUSED, error=error)
    except Exception as error:
        await session.fail()
        return Answer(Outcome.UNKNOWN, error=error)
    if sql == "COMMIT" and answer.tag == "ROLLBACK":  # the block had failed
        answer.outcome = Outcome.REFUSED
    return answer


async def _chunks(rows: Sequence[Row]) -> AsyncIterator[Columns]:
    for row in rows:
        await asyncio.sleep(0)
        yield tuple(pa.array([value], pa.int32()) for value in row)
