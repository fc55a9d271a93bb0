"""Subscribers: each follows one relation over sessions and processes, and folds what it is told.

What is complete, up to the last row of progress, is kept when the session or the process ends, and the subscription goes on
there; what came behind that row will come again.  At any row of progress the fold is what the relation holds at that time.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from ptvc.coord.coordinator import Coordinator
from ptvc.coord.results.results import Rows
from ptvc.coord.session.session import Session
from ptvc.errors import ObjectNotReady, PtvcError

from .clients import QUICKSTART
from .loop import SimulatedLoop

Row = tuple[object, ...]


@dataclass(frozen=True, slots=True)
class Followed:
    """`fold` gives what `sql` holds of the rows (k, v) of the shared table."""

    sql: str
    fold: Callable[[Counter[Row]], Counter[Row]]


def _digits(rows: Counter[Row]) -> Counter[Row]:
    """As the view that `Simulation` makes."""
    counts: Counter[object] = Counter()
    sums: Counter[object] = Counter()
    for (key, value), number in rows.items():
        counts[value % 10] += number  # type: ignore[operator]
        sums[value % 10] += number * key  # type: ignore[operator]
    return Counter({(digit, count, sums[digit]): 1 for digit, count in counts.items()})


def _large(rows: Counter[Row]) -> Counter[Row]:
    return Counter({(key + 1,): n for (key, value), n in rows.items() if value >= 50})  # type: ignore[operator]


DIGITS = "SELECT v % 10 AS d, count(*) AS n, sum(k) AS t FROM s GROUP BY v % 10"

TABLE = Followed("s", lambda rows: rows)
FILTERED = Followed("(SELECT k + 1 AS l FROM s WHERE v >= 50)", _large)
QUERY = Followed(f"({DIGITS})", _digits)
VIEW = Followed("digits", _digits)


class Subscriber:
    """`rows` are the contents at the time `complete`, None before anything is.  `contents` are the shared table's at a time."""

    def __init__(
        self,
        number: int,
        random: Random,
        followed: Followed,
        contents: Callable[[int], Counter[Row]],
        interrupts: bool,
        say: Callable[[str], None],
        broken: Callable[[str], None],
    ) -> None:
        self.followed = followed
        self.complete: int | None = None
        self.rows: Counter[Row] = Counter()
        self.resumed = 0
        self._name = f"subscriber {number}"
        self._random = random
        self._contents = contents
        self._interrupts = interrupts
        self._say = say
        self._broken = broken
        self._pending: list[tuple[int, Row, int]] = []
        self._session: Session | None = None
        self.quiet = False

    async def run(self, coordinator: Coordinator) -> None:
        """Until it is cancelled."""
        while True:
            session = self._session = await coordinator.open("ptvc", "ptvc", {})
            try:
                await self._follow(session)
            except PtvcError as error:
                self._say(f"{self._name}: {error!r}")
                await session.fail()
                if isinstance(error, ObjectNotReady):  # not readable there any more
                    self.complete = None
            finally:
                self._session = None
                await session.close()
            await asyncio.sleep(self._random.random() * self._random.choice((0.01, 0.3)))

    async def _follow(self, session: Session) -> None:
        begin, self._pending = self.complete, []
        options, as_of = "PROGRESS", ""
        if begin is not None:
            options, as_of = "PROGRESS, SNAPSHOT = false", f" AS OF {begin}"
        sql = f"SUBSCRIBE {self.followed.sql} WITH ({options}){as_of}"
        self._say(f"{self._name}: {sql}")
        self._interrupt(session)
        leaves = self._interrupts and self._random.random() < 0.3
        told = 0
        results = session.execute_simple(sql)
        try:
            async for result in results:
                assert isinstance(result, Rows)
                async for columns in result.chunks:
                    rows = list(zip(*(column.to_pylist() for column in columns), strict=True))
                    fresh = self.complete is None
                    for time, progressed, diff, *row in rows:
                        if not progressed:
                            self._told(time, tuple(row), diff, snapshot=fresh)
                        else:
                            self._progressed(time, resumed=begin if not told else None)
                        told += 1
                    if leaves and not self.quiet and told > 3 and self._random.random() < 0.2:
                        self._say(f"{self._name}: leaves")
                        return
        finally:
            await results.aclose()  # type: ignore[attr-defined]

    def _interrupt(self, session: Session) -> None:
        loop = asyncio.get_running_loop()
        assert isinstance(loop, SimulatedLoop)

        def cancel() -> None:
            if self._session is session and not self.quiet:
                self._say(f"{self._name}: cancel")
                session.cancel()

        if self._interrupts and self._random.random() < 0.3:
            loop.in_so_many_turns(self._random.randrange(1, 600), cancel)

    def _told(self, time: int, row: Row, diff: int, *, snapshot: bool) -> None:
        if self.complete is not None and time <= self.complete:
            self._broken(f"{self._name} is told of {row} at {time}, and had all up to {self.complete}")
        if self._pending and time < self._pending[-1][0]:
            self._broken(f"{self._name} is told of {time} behind {self._pending[-1][0]}")
        if snapshot and diff < 0 and time == (self._pending or [(time,)])[0][0]:
            self._broken(f"{self._name}: the snapshot has {diff} times {row}")
        self._pending.append((time, row, diff))

    def _progressed(self, time: int, *, resumed: int | None) -> None:
        if resumed is not None:
            self.resumed += 1
            if time != resumed:
                self._broken(f"{self._name} goes on at {resumed}, and its first progress is {time}")
        elif self.complete is not None and time <= self.complete:
            self._broken(f"{self._name}: progress goes from {self.complete} to {time}")
        if self.complete is None:
            self.rows = Counter()
        for told, row, diff in self._pending:
            if told > time:
                self._broken(f"{self._name}: progress {time} stands behind {row} at {told}")
            self.rows[row] += diff
        self._pending = []
        self.rows = Counter({row: number for row, number in self.rows.items() if number})
        self.complete = time
        if self._random.random() < 0.1:
            self.check()

    def check(self) -> None:
        """The fold is what the relation holds at the last progress."""
        assert self.complete is not None
        expected = self.followed.fold(self._contents(self.complete))
        if self.rows != expected:
            more, less = self.rows - expected, expected - self.rows
            self._broken(
                f"{self._name} of {self.followed.sql} at {self.complete} has {dict(more)} too many and lacks {dict(less)}"
            )


def drawn(random: Random, *, view: bool) -> Followed:
    """`view` says whether there is one to follow."""
    return random.choice((TABLE, FILTERED, QUERY, VIEW if view else QUERY))


VIEW_SQL = f"CREATE MATERIALIZED VIEW digits IN CLUSTER {QUICKSTART} AS {DIGITS}"
