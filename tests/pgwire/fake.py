"""A small session in memory, behind which the protocol is tested: a few statements by regular expression, real
results.  Tables hold Arrow columns; a transaction is a status and, for tables, a copy to go back to."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa
from ptvc.coord.backend import Backend
from ptvc.coord.results.cursor import Cursor
from ptvc.coord.results.results import Columns, Command, CopyIn, CopyOut, Empty, Notice, Result, Rows
from ptvc.coord.session.interruption import IdleTimeout
from ptvc.errors import InvalidTransactionState, PtvcError, QueryCanceled, SqlSyntaxError, UndefinedTable
from ptvc.expr.tree.scalar import Literal
from ptvc.repr.schema import Column, Schema
from ptvc.repr.types import INT4, INT8, SIMPLE, TEXT, ScalarType, array_of
from ptvc.sql.catalog.catalog_view import Prepared
from ptvc.sql.syntax.vocabulary import CopyFormat, CopyOptions

BY_OID = {type_.oid: type_ for kind in SIMPLE for type_ in (ScalarType(kind), array_of(ScalarType(kind)))}
BY_NAME = {str(type_): type_ for type_ in BY_OID.values()}


@dataclass
class Table:
    schema: Schema
    chunks: list[Columns] = field(default_factory=list)


@dataclass
class Store:
    """What all sessions of a test share."""

    tables: dict[str, Table] = field(default_factory=dict)
    sessions: list[FakeSession] = field(default_factory=list)
    opened: list[tuple[str, str, Mapping[str, str]]] = field(default_factory=list)

    async def open(
        self, user: str, database: str, options: Mapping[str, str], backend: Backend
    ) -> FakeSession:
        if database == "nowhere":
            raise PtvcError('database "nowhere" does not exist', sqlstate="3D000")
        self.opened.append((user, database, options))
        session = FakeSession(self)
        self.sessions.append(session)
        return session


class FakeSession:
    def __init__(self, store: Store) -> None:
        self.store = store
        self.statements: dict[str, Prepared] = {}
        self.cursors: dict[str, Cursor] = {}
        self.status = "I"
        self.closed = False
        self.cancels = 0
        self.syncs = 0
        self.failures = 0
        self.running = asyncio.Event()
        self.produced = 0
        self._stop = asyncio.Event()
        self._notices: list[Notice] = []
        self._changes: list[tuple[str, str]] = []
        self._copying: str | None = None

    @property
    def transaction_status(self) -> str:
        return self.status

    @property
    def idle_timeout(self) -> IdleTimeout | None:
        return None

    @property
    def zone(self) -> None:
        return None

    def parameter_status(self) -> Mapping[str, str]:
        return {
            "server_version": "16.0 (ptvc 0.1.0)",
            "server_encoding": "UTF8",
            "client_encoding": "UTF8",
            "DateStyle": "ISO, MDY",
            "TimeZone": "UTC",
            "integer_datetimes": "on",
            "standard_conforming_strings": "on",
        }

    def pop_parameter_changes(self) -> list[tuple[str, str]]:
        changes, self._changes = self._changes, []
        return changes

    def pop_notices(self) -> list[Notice]:
        notices, self._notices = self._notices, []
        return notices

    async def prepare(self, sql: str, parameter_oids: Sequence[int]) -> Prepared:
        sql = sql.strip().rstrip(";").strip()
        if sql.startswith("bad"):
            raise SqlSyntaxError('syntax error at or near "bad"', position=1)
        count = max((int(n) for n in re.findall(r"\$(\d+)", sql)), default=0)
        given = [BY_OID.get(oid) for oid in parameter_oids]
        named = {int(n): name for n, name in re.findall(r"\$(\d+)::([a-z0-9 ]+(?:\[\])?)", sql)}
        if count > 99 or not all(name in BY_NAME for name in named.values()):
            raise SqlSyntaxError("no such parameter or type")
        casts = {n: BY_NAME[name] for n, name in named.items()}
        types = tuple(
            (given[i] if i < len(given) else None) or casts.get(i + 1) or TEXT for i in range(count)
        )
        shown = tuple(casts.get(i + 1, type_) for i, type_ in enumerate(types))
        return Prepared(sql, types, self._shape(sql, shown))

    def _shape(self, sql: str, types: tuple[ScalarType, ...]) -> Schema | None:
        if sql.startswith(("echo", "select $")):
            return Schema(tuple(Column(f"p{i}", type_) for i, type_ in enumerate(types)))
        if match := re.match(r"numbers (\d+)", sql):
            return Schema((Column("n", INT4),))
        if match := re.match(r"table (\w+)", sql):
            return self._table(match[1]).schema
        if sql.lower().startswith(("select 1", "show", "sleep", "flood", "breaks")):
            return Schema((Column("n", INT8),))
        return None

    def _table(self, name: str) -> Table:
        if name not in self.store.tables:
            raise UndefinedTable(
                f'relation "{name}" does not exist', hint="Create it.", detail="No such name."
            )
        return self.store.tables[name]

    async def execute(
        self, prepared: Prepared, parameters: Sequence[Literal], *, last: bool = False
    ) -> Result:
        self._stop.clear()
        sql = prepared.sql
        if not sql:
            return Empty()
        word = sql.split()[0].lower()
        if self.status == "E" and word not in ("rollback", "commit"):
            raise InvalidTransactionState("current transaction is aborted", sqlstate="25P02")
        match word:
            case "begin":
                self.status = "T"
                return Command("BEGIN")
            case "commit" | "rollback":
                tag = "ROLLBACK" if self.status == "E" else word.upper()
                self.status = "I"
                return Command(tag)
            case "set":
                self._changes.append(("application_name", sql.split()[-1].strip("'")))
                return Command("SET")
            case "notice":
                self._notices.append(Notice("NOTICE", "take note", hint="or not"))
                return Command("NOTICE")
            case "boom":
                raise RuntimeError("secret internals")
            case "deallocate":
                self.statements.clear()
                return Command("DEALLOCATE ALL")
            case "copy":
                return self._copy(sql)
        if prepared.schema is None:
            raise SqlSyntaxError(f'syntax error at or near "{word}"', position=1)
        return Rows(prepared.schema, self._rows(sql, prepared.schema, parameters), fixed_tag=word == "show")

    async def _rows(self, sql: str, schema: Schema, parameters: Sequence[Literal]) -> AsyncIterator[Columns]:
        if sql.startswith(("echo", "select $")):
            try:
                yield tuple(
                    pa.array([parameter.value], parameter.type.arrow).cast(column.type.arrow)
                    for parameter, column in zip(parameters, schema, strict=True)
                )
            except pa.ArrowException as error:
                raise PtvcError(f"cannot cast: {error}", sqlstate="42846") from None
        elif match := re.match(r"numbers (\d+)(?: by (\d+))?", sql):
            total, step = int(match[1]), int(match[2] or 1000)
            for start in range(0, total, step):
                self.produced += 1
                yield (pa.array(range(start, min(start + step, total)), pa.int32()),)
        elif match := re.match(r"table (\w+)", sql):
            for chunk in self._table(match[1]).chunks:
                yield chunk
        elif sql.startswith("sleep"):
            self.running.set()
            try:
                await asyncio.wait_for(self._stop.wait(), 120)
            finally:
                self.running.clear()
            raise QueryCanceled("canceling statement due to user request")
        elif sql.startswith("flood"):
            while True:
                self.produced += 1
                yield (pa.array(range(100_000), pa.int64()),)
        elif sql.startswith("breaks"):
            yield (pa.array([1], pa.int64()),)
            raise PtvcError("division by zero", sqlstate="22012")
        else:
            yield (pa.array([1], pa.int64()),)

    async def execute_simple(self, sql: str) -> AsyncIterator[Result]:
        parts = [part.strip() for part in sql.split(";")]
        parts = [part for part in parts if part]
        if not parts:
            yield Empty()
        for part in parts:
            yield await self.execute(await self.prepare(part, ()), ())

    def _copy(self, sql: str) -> Result:
        match = re.match(r"copy (\w+) (from stdin|to stdout)(.*)", sql, re.IGNORECASE)
        assert match is not None
        table, options = self._table(match[1]), match[3].lower()
        if "binary" in options:
            chosen = CopyOptions(CopyFormat.BINARY, "\t", "\\N", False)
        elif "csv" in options:
            chosen = CopyOptions(CopyFormat.CSV, ",", "", "header" in options)
        else:
            chosen = CopyOptions(CopyFormat.TEXT, "\t", "\\N", "header" in options)
        if match[2].lower() == "from stdin":
            self._copying = match[1]
            return CopyIn(table.schema, chosen, match[1])
        return CopyOut(table.schema, self._rows(f"table {match[1]}", table.schema, ()), chosen)

    async def copy_in(self, columns: AsyncIterator[Columns]) -> Command:
        assert self._copying is not None
        chunks = [chunk async for chunk in columns]
        self.store.tables[self._copying].chunks.extend(chunks)
        return Command(f"COPY {sum(len(chunk[0]) for chunk in chunks)}")

    async def sync(self) -> None:
        self.syncs += 1

    async def fail(self) -> None:
        self.failures += 1
        if self.status == "T":
            self.status = "E"

    async def close_cursor(self, name: str) -> None:
        await self.cursors.pop(name).close()

    def cancel(self) -> None:
        self.cancels += 1
        self._stop.set()

    async def close(self) -> None:
        self.closed = True


def rows_of(table: Table) -> list[tuple[Any, ...]]:
    return [row for chunk in table.chunks for row in zip(*(c.to_pylist() for c in chunk), strict=True)]
