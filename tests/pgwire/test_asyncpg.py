"""asyncpg against the listener: binary both ways, cursors by row limits, COPY."""

from __future__ import annotations

import asyncio
from datetime import UTC, date, datetime
from decimal import Decimal

import pytest
from ptvc.repr.schema import Column, Schema
from ptvc.repr.types import INT4, NUMERIC, TEXT

from .conftest import Server
from .fake import Table, rows_of

asyncpg = pytest.importorskip("asyncpg", reason="asyncpg is not installed")


async def connect(server: Server) -> asyncpg.Connection:
    return await asyncpg.connect(host="127.0.0.1", port=server.port, user="ann", database="ptvc", ssl=False)


VALUES = [
    ("bigint", 2**62),
    ("boolean", False),
    ("double precision", -0.25),
    ("numeric", Decimal("-3.1400")),
    ("text", "\u2603"),
    ("jsonb", '{"a": [1.50, null]}'),
    ("date", date(2026, 2, 28)),
    ("timestamp without time zone", datetime(1980, 1, 1, 1, 1, 1, 1)),
    ("timestamp with time zone", datetime(1980, 1, 1, tzinfo=UTC)),
]


def test_values_and_prepared_statements(server: Server) -> None:
    async def main() -> None:
        connection = await connect(server)
        for name, value in VALUES:
            row = await connection.fetchrow(f"echo $1::{name}, $2::{name}", value, None)
            assert tuple(row) == (value, None)
        statement = await connection.prepare("echo $1::bigint")
        assert [await statement.fetchval(i) for i in range(5)] == list(range(5))
        await connection.close()

    asyncio.run(main())


def test_cursor_fetches_by_row_limit(server: Server) -> None:
    async def main() -> None:
        connection = await connect(server)
        await connection.execute("begin")
        cursor = await connection.cursor("numbers 100 by 30")
        assert [r[0] for r in await cursor.fetch(45)] == list(range(45))
        assert [r[0] for r in await cursor.fetch(100)] == list(range(45, 100))
        assert await cursor.fetch(5) == []
        await connection.execute("commit")
        await connection.close()

    asyncio.run(main())


def test_errors_and_time_out(server: Server) -> None:
    async def main() -> None:
        connection = await connect(server)
        with pytest.raises(asyncpg.UndefinedTableError) as caught:
            await connection.fetch("table nope")
        assert caught.value.hint == "Create it."
        with pytest.raises(TimeoutError):
            await _time_out_once_it_runs(server, connection)
        assert await connection.fetchval("select 1") == 1
        await connection.close()

    asyncio.run(main())
    assert server.store.sessions[0].cancels == 1


async def _time_out_once_it_runs(server: Server, connection: asyncpg.Connection) -> None:
    """A time-out by the clock may come before the statement runs, and then there is nothing to cancel."""
    async with asyncio.timeout(None) as deadline:
        sleeping = asyncio.ensure_future(connection.fetch("sleep"))
        await asyncio.to_thread(server.until, server.store.sessions[0].running.is_set)
        deadline.reschedule(0)
        await sleeping


def test_copy(server: Server) -> None:
    server.store.tables["t"] = Table(Schema((Column("a", INT4), Column("b", TEXT), Column("c", NUMERIC))))
    rows = [(1, "x", Decimal("1.5")), (None, None, None), (3, "", Decimal("-70000"))]

    async def main() -> None:
        connection = await connect(server)
        # asyncpg asks the catalog for types when it copies records, and this one has none: its lower layer then.
        protocol = connection._protocol
        data = b'1,x,1.5\n,,\n3,"",-70000\n'

        status = await protocol.copy_in("copy t from stdin csv", None, data, None, None, 10)
        assert status == "COPY 3"
        out = bytearray()

        async def sink(part: bytes) -> None:
            out.extend(part)

        await protocol.copy_out("copy t to stdout csv", sink, 10)
        assert bytes(out) == data
        await connection.close()

    asyncio.run(main())
    assert rows_of(server.store.tables["t"]) == rows
