"""The psql program against the listener."""

from __future__ import annotations

import os
import subprocess

from psql import PSQL
from ptvc.repr.schema import Column, Schema
from ptvc.repr.types import INT4, TEXT

from .conftest import Server
from .fake import Table, rows_of


def psql(server: Server, *args: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [PSQL, "-X", "-d", server.dsn, *args],
        input=stdin,
        capture_output=True,
        text=True,
        timeout=30,
        env={"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8"},
    )


def test_queries(server: Server) -> None:
    done = psql(server, "-At", "-c", "select 1; numbers 3", "-c", "show x")
    assert (done.stdout, done.stderr, done.returncode) == ("1\n0\n1\n2\n1\n", "", 0)


def test_errors_and_notices(server: Server) -> None:
    done = psql(server, "-At", stdin="notice;\ntable nope;\nbad;\nselect 1;\n")
    assert done.stdout == "NOTICE\n1\n"
    assert done.stderr.splitlines() == [
        "NOTICE:  take note",
        "HINT:  or not",
        'ERROR:  relation "nope" does not exist',
        "DETAIL:  No such name.",
        "HINT:  Create it.",
        'ERROR:  syntax error at or near "bad"',
        "LINE 1: bad;",
        "        ^",
    ]


def test_copy_both_ways(server: Server) -> None:
    server.store.tables["t"] = Table(Schema((Column("a", INT4), Column("b", TEXT))))
    script = (
        'copy t from stdin;\n1\tx\n2\t\\N\n\\.\ncopy t from stdin csv;\n3,"y,\n"\n\\.\ncopy t to stdout;\n'
    )
    done = psql(server, stdin=script)
    assert done.stderr == ""
    assert done.stdout == "COPY 2\nCOPY 1\n1\tx\n2\t\\N\n3\ty,\\n\n"
    assert rows_of(server.store.tables["t"]) == [(1, "x"), (2, None), (3, "y,\n")]


def test_many_rows(server: Server) -> None:
    done = psql(server, "-At", "-c", "numbers 20000")
    assert done.stdout.splitlines() == [str(i) for i in range(20_000)]
