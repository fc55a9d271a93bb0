"""`ptvc status`, `sql` and `watch`: what asks a runtime that is there."""

from __future__ import annotations

import asyncio
import signal
import sys
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Annotated

import psycopg
import typer

from ..config import DATABASE, DEFAULT_PORT, DEFAULT_USER
from ..directory import RuntimeInfo
from ..errors import InvalidParameter, PtvcError
from .options import DEFAULT_PATH, PathOption
from .output import console, print_rows, problems

MOST_SQL = 256 << 20
"""Characters of standard input: what never ends is not read for ever."""


def status(path: PathOption = DEFAULT_PATH) -> None:
    """Say whether a runtime serves the directory, and what it maintains."""
    info = RuntimeInfo.read(path)
    if info is None:
        console.print(f"no runtime serves {path}; start it with: ptvc up --path {path}")
        raise typer.Exit(1)
    console.print(how_to_connect(info))
    with _connect(info) as connection:
        print_rows(
            connection.execute(
                "SELECT o.schema_name AS schema, o.name, o.type, s.hydrated"
                " FROM mz_catalog.mz_objects o JOIN mz_internal.mz_hydration_statuses s ON s.object_id = o.id"
                " ORDER BY 1, 2"
            )
        )


def sql(
    statements: Annotated[str, typer.Argument(help="SQL to run; - reads standard input.")],
    path: PathOption = DEFAULT_PATH,
) -> None:
    """Run SQL and print its rows."""
    from ..sql.parser.parse import parse

    info = _running(path)
    text = _standard_input() if statements == "-" else statements
    with _connect(info) as connection:
        connection.add_notice_handler(lambda notice: problems.print(notice.message_primary, markup=False))
        # One at a time, as psql sends them: together they would be one transaction, and see no view change.
        for statement in parse(text):
            cursor = connection.execute(statement.sql.encode())
            if cursor.description is not None:
                print_rows(cursor)
            else:
                console.print(cursor.statusmessage)


def _standard_input() -> str:
    text = sys.stdin.read(MOST_SQL + 1)
    if len(text) > MOST_SQL:
        raise InvalidParameter(
            f"standard input has more than {MOST_SQL} characters of SQL", hint="Send it in several parts."
        )
    return text


def watch(
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="[NAME]...", help="Tests, or models that are tested; all unless named."),
    ] = None,
    path: PathOption = DEFAULT_PATH,
    host: Annotated[str | None, typer.Option(help="Address of the runtime, in place of a directory.")] = None,
    port: Annotated[int, typer.Option(help="Port there.")] = DEFAULT_PORT,
    user: Annotated[str, typer.Option(help="As whom; PGPASSWORD holds the password.")] = DEFAULT_USER,
    schemas: Annotated[
        list[str] | None,
        typer.Option("--schema", help="Stored failures in this schema only; repeat for more."),
    ] = None,
    once: Annotated[bool, typer.Option("--once", help="Say how things are, and end.")] = False,
    fail_fast: Annotated[bool, typer.Option("--fail-fast", help="End with the first violation.")] = False,
    seconds: Annotated[
        float | None, typer.Option("--for", metavar="SECONDS", help="End after so long.")
    ] = None,
) -> None:
    """Follow dbt's tests with stored failures until Ctrl-C; exits with 1 if one was violated."""
    from ..watch import Watch, Where, look_once

    if host is None:
        info = _running(path)
        host, port = info.host, info.port
    arguments = {
        "host": host,
        "port": port,
        "user": user,
        "dbname": DATABASE,
        "application_name": "ptvc watch",
    }
    where = Where(arguments, schemas or (), names or ())
    if once:
        violated = look_once(where, console)
    else:
        following = Watch(where, console, fail_fast)
        asyncio.run(_until_interrupted(following.run(seconds), following.stop))
        violated = following.violated
    if violated:
        raise typer.Exit(1)


async def _until_interrupted(work: Coroutine[None, None, None], stop: Callable[[], None]) -> None:
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop)
    await work


def _running(path: Path) -> RuntimeInfo:
    info = RuntimeInfo.read(path)
    if info is None:
        raise PtvcError(f"no runtime serves {path}", hint=f"Start it with: ptvc up --path {path}")
    return info


def _connect(info: RuntimeInfo) -> psycopg.Connection[tuple[object, ...]]:
    return psycopg.connect(
        host=info.host, port=info.port, user=DEFAULT_USER, dbname=DATABASE, autocommit=True
    )


def how_to_connect(info: RuntimeInfo) -> str:
    web = "" if info.http_port is None else f", {info.http_scheme}://{info.host}:{info.http_port}"
    return (
        f"ptvc {info.version} is running (process {info.pid}): "
        f"psql -h {info.host} -p {info.port} -U {DEFAULT_USER} {DATABASE}{web}"
    )
