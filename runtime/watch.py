"""`ptvc watch`: the failures of dbt's stored tests, followed as they come and go.

Each test is followed by a SUBSCRIBE on a connection of its own.  The catalog is looked at again every few seconds, so
tests that dbt makes, drops or makes anew meanwhile are followed, too.  `look_once` is the state at one time.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from time import monotonic
from typing import Any

import psycopg
from psycopg import sql
from rich.console import Console
from rich.text import Text

from .errors import PtvcError
from .stored_tests import FIND, Row, StoredTest, Verdict, read_as_text, shown, stored_tests

FIND_EVERY_S = 2.0
SHOWN_ROWS = 20
"""Of one test at one time: more are counted."""

_ENDED = ("08", "57P")
"""Of errors that are of the connection, not of a relation."""

_STYLES = {
    Verdict.HOLDS: "green",
    Verdict.WARNS: "yellow",
    Verdict.FAILS: "bold red",
    Verdict.BROKEN: "bold red",
}


@dataclass(frozen=True, slots=True)
class Where:
    """How to connect (arguments of `psycopg.connect`), and which tests: of all schemas and names, where none is named."""

    arguments: dict[str, Any]
    schemas: Collection[str] = ()
    names: Collection[str] = ()

    def none_found(self) -> PtvcError:
        of = "".join(
            f" {word} {', '.join(values)}"
            for word, values in (("in schema", self.schemas), ("of", self.names))
            if values
        )
        return PtvcError(
            f"there are no stored failures of dbt's tests{of}",
            sqlstate="42704",
            hint="Give tests `store_failures_as: materialized_view`, and run `dbt test` or `dbt build` once.",
        )


def look_once(where: Where, console: Console) -> bool:
    """Says how all tests are at one time; whether any is violated."""
    with psycopg.connect(**where.arguments, autocommit=True) as connection:
        read_as_text(connection)
        tests = stored_tests(connection.execute(FIND), where.schemas, where.names)
        if not tests:
            raise where.none_found()
        verdicts = Counter[Verdict]()
        with connection.transaction():
            for test in tests:
                verdict = _look_at(connection, test, console)
                verdicts[verdict] += 1
            [(at,)] = connection.execute("SELECT mz_now()").fetchall()
    console.print(f"{moment(int(at))}  {_counted(verdicts)}", highlight=False)
    return any(verdict.is_violation for verdict in verdicts)


def _look_at(connection: psycopg.Connection[Any], test: StoredTest, console: Console) -> Verdict:
    try:
        with connection.transaction():
            [(warn, error)] = connection.execute(test.judging()).fetchall()
            verdict = test.verdict(warn == "t", error == "t")
            query = sql.SQL("SELECT * FROM {} LIMIT {}").format(test.quoted, SHOWN_ROWS + 1)
            cursor = connection.execute(query)
            rows = cursor.fetchall() if verdict is not Verdict.HOLDS else []
    except psycopg.Error as error:
        if connection.closed:
            raise
        console.print(_headed(Verdict.BROKEN, f"{test}: {_first_line(error)}"))
        return Verdict.BROKEN
    if verdict is not Verdict.HOLDS:
        console.print(_headed(verdict, str(test)))
        columns = [column.name for column in cursor.description or ()]
        for row in rows[:SHOWN_ROWS]:
            console.print(f"  {shown(columns, row)}", markup=False, highlight=False)
        if len(rows) > SHOWN_ROWS:
            console.print(f"  ... and more: {test.schema}.{test.relation}", markup=False, highlight=False)
    return verdict


@dataclass
class _Followed:
    """`rows` are the failures that there are; None before the beginning has been told."""

    test: StoredTest
    task: asyncio.Task[None] | None = None
    rows: Counter[Row] | None = None
    verdict: Verdict = Verdict.HOLDS
    reason: str = ""


@dataclass
class Watch:
    """Follows until it is stopped, with `fail_fast` until the first violation.  `violated` says whether there was one."""

    where: Where
    console: Console
    fail_fast: bool = False
    violated: bool = False
    _followed: dict[int, _Followed] = field(default_factory=dict)
    _stop: asyncio.Event = field(default_factory=asyncio.Event)
    _failure: Exception | None = None
    _appeared: int = 0
    _went: int = 0
    _begun: bool = False

    def stop(self) -> None:
        self._stop.set()

    async def run(self, seconds: float | None = None) -> None:
        """Returns when it is stopped, or after `seconds`; raises when the runtime has gone."""
        started = monotonic()
        try:
            async with await self._connect() as connection:
                await self._find(connection)
                if not self._followed:
                    raise self.where.none_found()
                while not self._stop.is_set():
                    left = None if seconds is None else started + seconds - monotonic()
                    if left is not None and left <= 0:
                        break
                    pause = FIND_EVERY_S if left is None else min(FIND_EVERY_S, left)
                    with suppress(TimeoutError):
                        await asyncio.wait_for(self._stop.wait(), pause)
                    await self._refresh(connection)
        finally:
            await self._end()
        if self._failure is not None:
            raise self._failure
        self._say_the_end(monotonic() - started)

    async def _refresh(self, connection: psycopg.AsyncConnection[Any]) -> None:
        if self._stop.is_set():
            return
        try:
            await self._find(connection)
        except psycopg.Error as error:
            self._fail(_lost(error))

    async def _connect(self) -> psycopg.AsyncConnection[Any]:
        connection = await psycopg.AsyncConnection.connect(**self.where.arguments, autocommit=True)
        read_as_text(connection)
        return connection

    async def _find(self, connection: psycopg.AsyncConnection[Any]) -> None:
        """Follows the tests that are not followed yet; forgets those that are not there any more."""
        rows = await (await connection.execute(FIND)).fetchall()
        tests = {test.oid: test for test in stored_tests(rows, self.where.schemas, self.where.names)}
        for oid in self._followed.keys() - tests.keys():
            gone = self._followed.pop(oid)
            if gone.task is not None:
                gone.task.cancel()
            self.console.print(f"{gone.test} is not there any more", markup=False, highlight=False)
        for oid, test in tests.items():
            followed = self._followed.setdefault(oid, _Followed(test))
            if followed.task is None:
                followed.task = asyncio.create_task(self._follow(followed))

    async def _end(self) -> None:
        tasks = [followed.task for followed in self._followed.values() if followed.task is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    # --- one test ---

    async def _follow(self, followed: _Followed) -> None:
        """Ends with the runtime, with the relation, or with an error of the relation, after which it is begun again."""
        try:
            async with await self._connect() as connection:
                await self._follow_rows(followed, connection)
            return  # nothing can change any more
        except psycopg.errors.UndefinedTable:
            pass  # dropped, perhaps to be made anew: the catalog will say
        except psycopg.Error as error:
            if error.sqlstate is None or error.sqlstate.startswith(_ENDED):
                self._fail(_lost(error))
            else:
                self._broken(followed, _first_line(error))
        except Exception as error:
            self._fail(error)
        followed.task = None

    def _fail(self, error: Exception) -> None:
        """Ends the watch; `run` raises it."""
        self._failure = self._failure or error
        self._stop.set()

    async def _follow_rows(self, followed: _Followed, connection: psycopg.AsyncConnection[Any]) -> None:
        """Collects the rows of each time, and hands them on when the time is complete."""
        begun = False
        current = 0
        news: Counter[Row] = Counter()
        cursor = connection.cursor()
        statement = sql.SQL("SUBSCRIBE {} WITH (PROGRESS)").format(followed.test.quoted)
        async for time, progressed, diff, *values in cursor.stream(statement):
            at = int(time)
            if not begun:
                begun, current = True, at
                # What it begins with is told beside what was known when it was followed before.
                news.subtract(followed.rows or {})
            if at > current or progressed == "t":  # all of the time before, or of this one too, is known
                await self._changed(followed, current, news, _names(cursor))
                current, news = at, Counter()
            if progressed != "t":
                news[tuple(values)] += int(diff)
        await self._changed(followed, current, news, _names(cursor))

    async def _changed(
        self, followed: _Followed, at: int, news: Counter[Row], columns: Sequence[str]
    ) -> None:
        """All that changed at one time.  Rows and verdict change together, so that nobody tells the one without the other."""
        beginning, before = followed.rows is None, followed.verdict
        summed = Counter(followed.rows or {})
        summed.update(news)
        rows = Counter({row: count for row, count in summed.items() if count})
        changes = sorted(((row, count) for row, count in news.items() if count), key=lambda change: change[1])
        if changes or beginning or before is Verdict.BROKEN:
            verdict = await self._judged(followed.test, any_row=bool(rows))
            followed.rows, followed.verdict, followed.reason = rows, verdict, ""
            if changes or followed.verdict is not before:
                self._say_changes(followed, at, changes, columns)
            self._note(followed.verdict)
        self._appeared += sum(count for _, count in changes if count > 0)
        self._went -= sum(count for _, count in changes if count < 0)
        self._say_the_beginning()

    async def _judged(self, test: StoredTest, *, any_row: bool) -> Verdict:
        if test.counts_rows:
            return test.verdict(any_row, any_row)
        async with await self._connect() as connection:
            [(warn, error)] = await (await connection.execute(test.judging())).fetchall()
        return test.verdict(warn == "t", error == "t")

    def _broken(self, followed: _Followed, reason: str) -> None:
        if reason != followed.reason:
            followed.verdict, followed.reason = Verdict.BROKEN, reason
            self.console.print(_headed(Verdict.BROKEN, f"{followed.test}: {reason}"))
            self._note(Verdict.BROKEN)
            self._say_the_beginning()

    def _note(self, verdict: Verdict) -> None:
        if verdict.is_violation:
            self.violated = True
            if self.fail_fast:
                self._stop.set()

    # --- what is said ---

    def _say_the_beginning(self) -> None:
        """Once, when all tests have told what they begin with."""
        told = (followed.rows is not None or followed.reason for followed in self._followed.values())
        if not self._begun and all(told):
            self._begun = True
            self.console.print(f"following {self._state()}", highlight=False)

    def _say_changes(
        self, followed: _Followed, at: int, changes: Iterable[tuple[Row, int]], columns: Sequence[str]
    ) -> None:
        assert followed.rows is not None
        style, time = _STYLES[followed.verdict], moment(at)
        told = list(changes)
        for row, count in told[:SHOWN_ROWS]:
            times = f" (x{abs(count)})" if abs(count) > 1 else ""
            line = f"{time}  {'+' if count > 0 else '-'} {followed.test}: {shown(columns, row)}{times}"
            self.console.print(Text(line, style=style if count > 0 else ""))
        if len(told) > SHOWN_ROWS:
            self.console.print(f"{time}    {followed.test}: {len(told) - SHOWN_ROWS:,} more", markup=False)
        failures = followed.rows.total()
        self.console.print(
            Text(f"{time}  = {followed.test} {followed.verdict.value}: {_rows(failures)}", style=style)
        )

    def _say_the_end(self, seconds: float) -> None:
        minutes, rest = divmod(int(seconds), 60)
        self.console.print(
            f"followed {self._state()} in the end; in {minutes} min {rest} s, {_rows(self._appeared)} came and "
            f"{self._went:,} went",
            highlight=False,
        )

    def _state(self) -> str:
        return _counted(Counter(followed.verdict for followed in self._followed.values()))


def moment(at: int) -> str:
    """Milliseconds since 1970 in the local time zone."""
    return datetime.fromtimestamp(at / 1000).astimezone().isoformat(" ", "milliseconds")


def _counted(verdicts: Counter[Verdict]) -> str:
    total = verdicts.total()
    parts = [f"{verdicts[verdict]} {verdict.value}" for verdict in Verdict if verdicts[verdict]]
    return f"{total} test{'' if total == 1 else 's'}: {', '.join(parts)}"


def _rows(count: int) -> str:
    return f"{count:,} row{'' if count == 1 else 's'}"


def _headed(verdict: Verdict, text: str) -> Text:
    return Text.assemble((verdict.value, _STYLES[verdict]), f"  {text}")


def _names(cursor: psycopg.AsyncCursor[Any]) -> list[str]:
    """Of the relation's columns, which stand behind time, progress and difference."""
    return [column.name for column in cursor.description or ()][3:]


def _lost(error: psycopg.Error) -> PtvcError:
    return PtvcError(
        f"the connection to the runtime was lost: {_first_line(error)}",
        sqlstate="08006",
        hint="See whether it still runs (`ptvc status`), then watch again.",
    )


def _first_line(error: psycopg.Error) -> str:
    return error.diag.message_primary or str(error).partition("\n")[0]
