"""The extended protocol, message by message."""

from __future__ import annotations

import struct
from collections.abc import Iterator

import pytest
from ptvc.repr.schema import Column, Schema
from ptvc.repr.types import INT4, TEXT

from .conftest import Server
from .fake import Table, rows_of
from .raw import SYNC, Raw, bind, execute, fields, message, parse


@pytest.fixture
def client(server: Server) -> Iterator[Raw]:
    with Raw(server.port) as client:
        yield client.hello()


def test_one_statement_with_description(client: Raw) -> None:
    describe = message(b"D", b"S\0") + message(b"D", b"P\0")
    client.send(parse("echo $1::integer") + bind(values=(b"42",)) + describe + execute() + SYNC)
    messages = client.until(b"Z")
    assert b"".join(kind for kind, _ in messages) == b"12tTTDCZ"
    assert messages[2][1] == struct.pack("!hi", 1, 23)
    assert messages[3][1] == b"\0\x01p0\0" + struct.pack("!ihihih", 0, 0, 23, 4, -1, 0)
    assert messages[5][1] == b"\0\x01\0\0\0\x0242"
    assert messages[6][1] == b"SELECT 1\0"


def test_row_limits_suspend_the_portal(server: Server, client: Raw) -> None:
    client.send(message(b"Q", b"begin\0"))
    client.until(b"Z")
    client.send(parse("numbers 10 by 4") + bind("p", format_=1) + execute("p", 3) + SYNC)
    assert client.kinds() == "12DDDsZ"
    client.send(execute("p", 5) + execute("p", 2) + execute("p", 1) + execute("p", 0) + SYNC)
    messages = client.until(b"Z")
    assert b"".join(kind for kind, _ in messages) == b"DDDDDsDDsCCZ"
    assert messages[0][1] == b"\0\x01\0\0\0\x04\0\0\0\x03"
    assert [body for kind, body in messages if kind == b"C"] == [b"SELECT 0\0", b"SELECT 0\0"]


def test_portals_end_with_the_transaction(client: Raw) -> None:
    client.send(parse("numbers 10") + bind("p") + execute("p", 3) + SYNC + execute("p", 3) + SYNC)
    assert client.kinds() == "12DDDsZ"
    assert client.error()["C"] == "34000"
    assert client.kinds() == "Z"


def test_interleaved_portals(client: Raw) -> None:
    client.send(parse("numbers 3", "n") + bind("a", "n") + bind("b", "n"))
    client.send(execute("a", 2) + execute("b", 1) + execute("a", 2) + message(b"C", b"Pb\0") + SYNC)
    assert client.kinds() == "122DDsDsDC3Z"


@pytest.mark.parametrize(
    ("sent", "code", "text"),
    [
        (bind(statement="x"), "26000", 'prepared statement "x" does not exist'),
        (bind(), "26000", "unnamed prepared statement does not exist"),
        (execute("x"), "34000", 'portal "x" does not exist'),
        (message(b"D", b"Sx\0"), "26000", 'prepared statement "x" does not exist'),
        (message(b"D", b"Zx\0"), "08P01", "invalid DESCRIBE message subtype 90"),
        (parse("select 1", "a") * 2, "42P05", 'prepared statement "a" already exists'),
        (parse("select 1") + bind("a") * 2, "42P03", 'cursor "a" already exists'),
        (
            parse("echo $1::integer") + bind(),
            "08P01",
            'bind message supplies 0 parameters, but prepared statement "" requires 1',
        ),
        (
            parse("echo $1::integer") + bind(values=(b"x",)),
            "22P02",
            'invalid input syntax for type integer: "x"',
        ),
        (
            parse("echo $1::text") + bind(values=(b"\xff",)),
            "22021",
            'invalid byte sequence for encoding "UTF8": 0xff',
        ),
        (parse("echo $1::text") + bind(format_=7, values=(b"x",)), "22023", "unsupported format code: 7"),
        (parse("notice") + bind() + execute() + execute(), "55000", 'portal "" cannot be run'),
        (message(b"P", b"no end"), "08P01", "invalid string in message"),
        (message(b"B", b"\0\0\0"), "08P01", "insufficient data left in message"),
        (message(b"E", b"\0\0\0\0\0more"), "08P01", "invalid message format"),
        (parse("bad"), "42601", 'syntax error at or near "bad"'),
    ],
    ids=range(16),
)
def test_errors_and_skip_to_sync(server: Server, client: Raw, sent: bytes, code: str, text: str) -> None:
    client.send(sent + parse("select 1") + bind() + execute() + SYNC)
    messages = client.until(b"Z")
    kinds = b"".join(kind for kind, _ in messages)
    assert kinds.endswith(b"EZ")
    error = fields(messages[-2][1])
    assert (error["C"], error["M"], error["S"], error["V"]) == (code, text, "ERROR", "ERROR")
    client.send(message(b"Q", b"select 1\0"))
    assert client.kinds() == "TDCZ"
    assert server.store.sessions[0].failures == 1


@pytest.mark.parametrize(
    ("sent", "text"),
    [
        (message(b"p", b"secret\0"), "invalid frontend message type 112"),
        (execute("x") + message(b"p", b"secret\0"), "invalid frontend message type 112"),
        (message(b"Q", b"bad\0") + message(b"p"), "invalid frontend message type 112"),
        (message(b"z"), "invalid frontend message type 122"),
        (message(b"Q", b"copy t from stdin\0") + message(b"p"), "unexpected message type 0x70 during COPY from stdin"),
        (message(b"Q", b"copy t from stdin\0") + message(b"Q", b"select 1\0"), "unexpected message type 0x51 during COPY from stdin"),
    ],
    ids=range(6),
)  # fmt: skip
def test_what_nobody_has_asked_for_ends_the_connection(
    server: Server, client: Raw, sent: bytes, text: str
) -> None:
    """As in PostgreSQL; a password is such a thing once the client is in."""
    server.store.tables["t"] = Table(Schema((Column("a", INT4),)))
    client.send(sent + SYNC)
    while (error := fields(client.until(b"E")[-1][1]))["S"] != "FATAL":
        pass
    assert (error["C"], error["M"]) == ("08P01", text)
    assert client.closed()


def test_binary_parameter_of_wrong_size(client: Raw) -> None:
    body = b"\0\0" + struct.pack("!hhhi", 1, 1, 1, 3) + b"abc" + struct.pack("!h", 0)
    client.send(parse("echo $1::integer") + message(b"B", body) + SYNC)
    assert client.read()[0] == b"1"
    assert client.error()["M"] == "incorrect binary data format in bind parameter 1"


def test_empty_query_in_both_protocols(client: Raw) -> None:
    client.send(message(b"Q", b" ; \0") + parse("") + bind() + message(b"D", b"P\0") + execute() + SYNC)
    assert client.kinds() == "IZ"
    assert client.kinds() == "12nIZ"


def test_function_call_is_refused(client: Raw) -> None:
    client.send(message(b"F", b"\0\0\0\x01"))
    assert client.error()["C"] == "0A000"
    assert client.kinds() == "Z"


def test_flush_sends_what_there_is(client: Raw) -> None:
    client.send(parse("select 1") + message(b"H"))
    assert client.read() == (b"1", b"")


def test_transaction_status(client: Raw) -> None:
    for sql, status in [("begin", b"T"), ("bad", b"E"), ("select 1", b"E"), ("rollback", b"I")]:
        client.send(message(b"Q", sql.encode() + b"\0"))
        assert client.until(b"Z")[-1][1] == status


def test_sync_after_failure_does_not_commit(server: Server, client: Raw) -> None:
    client.send(parse("bad") + SYNC + SYNC)
    client.until(b"Z")
    client.until(b"Z")
    assert server.store.sessions[0].syncs == 1


def test_copy_in_extended_ignores_sync_and_goes_on(server: Server, client: Raw) -> None:
    server.store.tables["t"] = Table(Schema((Column("a", INT4), Column("b", TEXT))))
    client.send(parse("copy t from stdin") + bind() + execute() + SYNC)
    assert client.kinds(b"G") == "12G"
    client.send(
        message(b"d", b"1\tx\n2") + message(b"H") + message(b"d", b"\ty\n\\.\nrest") + message(b"c") + SYNC
    )
    assert client.kinds() == "CZ"
    assert rows_of(server.store.tables["t"]) == [(1, "x"), (2, "y")]


def test_copy_leftovers_after_an_error_are_discarded(server: Server, client: Raw) -> None:
    server.store.tables["t"] = Table(Schema((Column("a", INT4),)))
    client.send(message(b"Q", b"copy t from stdin\0") + message(b"d", b"x\n" * 600_000))
    assert client.kinds(b"E") == "GE"
    client.send(message(b"d", b"1\n") + message(b"c") + message(b"Q", b"select 1\0"))
    assert client.kinds() == "Z"
    assert client.kinds() == "TDCZ"


def test_copy_fail(server: Server, client: Raw) -> None:
    server.store.tables["t"] = Table(Schema((Column("a", INT4),)))
    client.send(message(b"Q", b"copy t from stdin\0") + message(b"f", b"gave up\0"))
    assert client.read()[0] == b"G"
    assert client.error()["M"] == "COPY from stdin failed: gave up"
    assert client.kinds() == "Z"


def test_many_pipelined_queries(client: Raw) -> None:
    client.send(message(b"Q", b"select 1\0") * 500)
    assert [client.kinds() for _ in range(500)] == ["TDCZ"] * 500


def test_terminate_closes_session(server: Server, client: Raw) -> None:
    client.send(message(b"X"))
    assert client.closed()
    server.until(lambda: server.store.sessions[0].closed)
