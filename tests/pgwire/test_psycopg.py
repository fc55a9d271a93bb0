"""psycopg 3 against the listener: text, binary, pipelines, COPY, cancel, errors."""

from __future__ import annotations

import threading
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import psycopg
import pyarrow as pa
import pytest
from psycopg import generators, pq
from ptvc.repr.schema import Column, Schema
from ptvc.repr.types import FLOAT8, INT4, NUMERIC, TEXT, TIMESTAMP, Kind, ScalarType

from .conftest import Server
from .fake import Table, rows_of

VALUES: list[tuple[str, Any]] = [
    ("boolean", True),
    ("smallint", -32768),
    ("integer", 2**31 - 1),
    ("bigint", -(2**63)),
    ("real", 1.5),
    ("double precision", 0.1),
    ("numeric", Decimal("-12345678901234567890.000001234")),
    ("numeric", Decimal("0")),
    ("numeric", Decimal("10000")),
    ("numeric", Decimal("0.00010")),
    ("text", "na\u00efve \u2603 \U0001f600"),
    ("character varying", "v"),
    ("name", "n"),
    ("date", date(1969, 7, 20)),
    ("timestamp without time zone", datetime(1999, 12, 31, 23, 59, 59, 999999)),
    ("timestamp with time zone", datetime(2026, 2, 3, 4, 5, 6, tzinfo=UTC)),
    ("oid", 4_000_000_000),
    ("integer[]", [1, None, 3]),
    ("integer[]", []),
    ("text[]", ["a", 'b"c', None, ""]),
    ("numeric[]", [Decimal("1.5"), None]),
]


@pytest.mark.parametrize("binary", [False, True], ids=["text", "binary"])
@pytest.mark.parametrize(("name", "value"), VALUES)
def test_values_both_ways(server: Server, name: str, value: Any, binary: bool) -> None:
    with psycopg.connect(server.dsn, autocommit=True) as connection:
        placeholder = "%b" if binary else "%t"
        cursor = connection.cursor(binary=binary)
        got = cursor.execute(f"echo {placeholder}::{name}, {placeholder}::{name}", [value, None]).fetchone()
    assert got == (value, None)


def test_simple_protocol_several_statements(server: Server) -> None:
    with psycopg.connect(server.dsn, autocommit=True) as connection:
        cursor = connection.execute("begin; select 1; numbers 2500; commit")
        results = []
        while True:
            results.append((cursor.statusmessage, cursor.fetchall() if cursor.description else None))
            if not cursor.nextset():
                break
    assert [status for status, _ in results] == ["BEGIN", "SELECT 1", "SELECT 2500", "COMMIT"]
    assert results[2][1] == [(i,) for i in range(2500)]


def test_error_fields_and_failed_transaction(server: Server) -> None:
    with psycopg.connect(server.dsn) as connection:
        with pytest.raises(psycopg.errors.UndefinedTable) as caught:
            connection.execute("table nope")
        assert caught.value.diag.message_detail == "No such name."
        assert caught.value.diag.message_hint == "Create it."
        assert caught.value.diag.severity == "ERROR"
        with pytest.raises(psycopg.errors.InFailedSqlTransaction):
            connection.execute("select 1")
        connection.rollback()
        assert connection.execute("select 1").fetchone() == (1,)
        with pytest.raises(psycopg.errors.SyntaxError) as syntax:
            connection.execute("bad")
        assert syntax.value.diag.statement_position == "1"


def test_error_after_rows_were_sent(server: Server) -> None:
    with psycopg.connect(server.dsn, autocommit=True) as connection:
        with pytest.raises(psycopg.errors.DivisionByZero):
            connection.execute("breaks")
        assert connection.execute("select 1").fetchall() == [(1,)]


def test_internal_error_tells_a_reference_only(server: Server, caplog: pytest.LogCaptureFixture) -> None:
    with psycopg.connect(server.dsn, autocommit=True) as connection:
        with pytest.raises(psycopg.errors.InternalError_) as caught:
            connection.execute("boom")
        assert "secret" not in str(caught.value)
        reference = str(caught.value.diag.message_primary).split("reference ")[1].rstrip(")")
        assert connection.execute("select 1").fetchone() == (1,)
    record = next(record for record in caplog.records if reference in record.getMessage())
    assert record.exc_info is not None
    assert "secret internals" in str(record.exc_info[1])


def test_empty_query_notices_and_parameter_changes(server: Server) -> None:
    notices = []
    with psycopg.connect(server.dsn, autocommit=True) as connection:
        connection.add_notice_handler(lambda diag: notices.append((diag.severity, diag.message_primary)))
        assert connection.execute("").statusmessage is None
        connection.execute("notice")
        connection.execute("set application_name = 'me'")
        assert connection.info.parameter_status("application_name") == "me"
        assert connection.info.server_version == 160000
    assert notices == [("NOTICE", "take note")]


def test_named_statements_and_deallocate(server: Server) -> None:
    with psycopg.connect(server.dsn, autocommit=True) as connection:
        for i in range(4):
            assert connection.execute("echo %s::integer", [i], prepare=True).fetchone() == (i,)
        assert len(server.store.sessions[0].statements) == 1
        connection.execute("deallocate all")
        assert server.store.sessions[0].statements == {}


class LibpqPipeline:
    """libpq's own pipeline mode: a pipeline of psycopg raises at whichever call finds that an error has come."""

    def __init__(self, connection: psycopg.Connection[Any]) -> None:
        self._connection = connection
        self._pgconn = connection.pgconn
        self._pgconn.nonblocking = 1
        self._pgconn.enter_pipeline_mode()

    def send(self, *queries: str) -> None:
        """Each is a query, or SYNC."""
        for sql in queries:
            if sql == "SYNC":
                self._pgconn.pipeline_sync()
            else:
                self._pgconn.send_query_params(sql.encode(), None)
        self._connection.wait(generators.send(self._pgconn))

    def result(self) -> pq.abc.PGresult | None:
        """The next one, waited for; None ends the results of one query."""
        return self._connection.wait(generators.fetch(self._pgconn))

    def statuses(self, syncs: int) -> list[str]:
        """Of the results up to that many Syncs."""
        found: list[str] = []
        while found.count("PIPELINE_SYNC") < syncs:
            if (result := self.result()) is not None:
                found.append(pq.ExecStatus(result.status).name)
        return found

    def end(self) -> None:
        self._pgconn.exit_pipeline_mode()


def test_pipeline_skips_to_sync(server: Server) -> None:
    """All of it is sent before anything is read."""
    with psycopg.connect(server.dsn, autocommit=True) as connection:
        pipeline = LibpqPipeline(connection)
        pipeline.send("select 1", "SYNC", "table nope", "select 1", "SYNC", "select 1", "SYNC")
        assert pipeline.statuses(3) == [
            *("TUPLES_OK", "PIPELINE_SYNC"),
            *("FATAL_ERROR", "PIPELINE_ABORTED", "PIPELINE_SYNC"),
            *("TUPLES_OK", "PIPELINE_SYNC"),
        ]
        pipeline.end()
        assert connection.execute("select 1").fetchone() == (1,)
    assert server.store.sessions[0].failures == 1


def test_what_is_sent_after_its_error_was_read_is_skipped_to_sync(server: Server) -> None:
    """The error comes without a Sync or a Flush, as PostgreSQL sends it."""
    with psycopg.connect(server.dsn, autocommit=True) as connection:
        pipeline = LibpqPipeline(connection)
        pipeline.send("table nope")
        error = pipeline.result()
        assert error is not None
        assert error.error_field(pq.DiagnosticField.SQLSTATE) == b"42P01"
        pipeline.send("select 1", "SYNC", "select 1", "SYNC")
        assert pipeline.statuses(2) == ["PIPELINE_ABORTED", "PIPELINE_SYNC", "TUPLES_OK", "PIPELINE_SYNC"]
        pipeline.end()
    assert server.store.sessions[0].failures == 1


def test_a_pipeline_of_psycopg_goes_on_behind_an_error(server: Server) -> None:
    with psycopg.connect(server.dsn, autocommit=True) as connection:
        with connection.pipeline() as pipeline:
            first = connection.execute("echo %s::integer", [1])
            pipeline.sync()
            connection.execute("table nope")
            with pytest.raises(psycopg.errors.UndefinedTable):
                pipeline.sync()
            last = connection.execute("echo %s::integer", [2])
        assert (first.fetchone(), last.fetchone()) == ((1,), (2,))


def test_stream_reads_row_by_row(server: Server) -> None:
    with psycopg.connect(server.dsn, autocommit=True) as connection:
        assert sum(row[0] for row in connection.cursor().stream("numbers 5000")) == 12_497_500


MIXED = Schema(
    (
        Column("a", INT4),
        Column("b", TEXT),
        Column("c", NUMERIC),
        Column("d", FLOAT8),
        Column("e", TIMESTAMP),
        Column("f", ScalarType(Kind.VARCHAR, length=4)),
    )
)
ROWS: list[tuple[Any, ...]] = [
    (1, 'a\tb\\c\n"d", e\r', Decimal("1.50"), 0.1, datetime(2026, 1, 2, 3, 4, 5), "abcd"),
    (None, None, None, None, None, None),
    (-5, "", Decimal("-0.0001"), -1e300, datetime(1999, 1, 1), "\u00e9"),
    (7, "\\N", Decimal("99999999"), 1.0, datetime(2000, 1, 1), "\\."),
]


@pytest.mark.parametrize("options", ["", "csv", "csv header", "binary"])
def test_copy_in_then_out(server: Server, options: str) -> None:
    server.store.tables["t"] = Table(MIXED)
    with psycopg.connect(server.dsn, autocommit=True) as connection:
        with connection.cursor() as cursor:
            if options == "csv" or options == "csv header":
                server.store.tables["t"].chunks.append(_chunk())
            else:
                with cursor.copy(f"copy t from stdin {options}") as copy:
                    if options == "binary":
                        copy.set_types(["int4", "text", "numeric", "float8", "timestamp", "varchar"])
                    for row in ROWS:
                        copy.write_row(row)
                assert cursor.statusmessage == "COPY 4"
                assert rows_of(server.store.tables["t"]) == ROWS
            with cursor.copy(f"copy t to stdout {options}") as copy:
                out = b"".join(bytes(part) for part in copy)
        server.store.tables["t"].chunks.clear()
        with connection.cursor() as cursor:
            with cursor.copy(f"copy t from stdin {options}") as copy:
                for at in range(0, len(out), 7):
                    copy.write(out[at : at + 7])
            assert cursor.statusmessage == "COPY 4"
    assert rows_of(server.store.tables["t"]) == ROWS


def _chunk() -> tuple[pa.Array, ...]:
    return tuple(pa.array([row[i] for row in ROWS], c.type.arrow) for i, c in enumerate(MIXED))


def test_copy_errors_say_where(server: Server) -> None:
    server.store.tables["t"] = Table(Schema((Column("a", INT4), Column("b", TEXT))))
    with psycopg.connect(server.dsn, autocommit=True) as connection:
        with pytest.raises(psycopg.errors.InvalidTextRepresentation) as caught:
            _copy(connection, "copy t from stdin", "1\tx\nzwei\ty\n")
        assert caught.value.diag.message_primary == 'invalid input syntax for type integer: "zwei"'
        assert caught.value.diag.context == 'COPY t, line 2, column a: "zwei"'
        with pytest.raises(psycopg.errors.BadCopyFileFormat) as missing:
            _copy(connection, "copy t from stdin csv", '0,z\n1,"x\ny"\n2\n')
        assert missing.value.diag.message_primary == 'missing data for column "b"'
        assert missing.value.diag.context == 'COPY t, line 4: "2"'
        with pytest.raises(ZeroDivisionError):
            _copy(connection, "copy t from stdin", "1\tx\n", ZeroDivisionError())
        assert connection.execute("select 1").fetchone() == (1,)
    assert rows_of(server.store.tables["t"]) == []


def _copy(connection: psycopg.Connection[Any], sql: str, data: str, failure: Exception | None = None) -> None:
    with connection.cursor().copy(sql) as copy:
        copy.write(data)
        if failure is not None:
            raise failure


def test_cancel(server: Server) -> None:
    with psycopg.connect(server.dsn, autocommit=True) as connection:
        session = server.store.sessions[0]
        connection.cancel_safe()  # nothing runs: nothing happens
        assert session.cancels == 0

        def cancel() -> None:
            server.until(session.running.is_set)
            connection.cancel_safe()

        thread = threading.Thread(target=cancel)
        thread.start()
        with pytest.raises(psycopg.errors.QueryCanceled):
            connection.execute("sleep")
        thread.join()
        assert connection.execute("select 1").fetchone() == (1,)


def test_vanished_client_cancels_its_statement(server: Server) -> None:
    connection = psycopg.connect(server.dsn, autocommit=True)
    connection.pgconn.send_query(b"sleep")
    connection.pgconn.flush()
    session = server.store.sessions[0]
    server.until(session.running.is_set)
    connection.close()
    server.until(lambda: session.closed)
    assert session.cancels == 1


def test_a_client_that_does_not_read_stops_the_producer(server: Server) -> None:
    connection = psycopg.connect(server.dsn, autocommit=True)
    connection.pgconn.send_query(b"flood")
    connection.pgconn.flush()
    session = server.store.sessions[0]
    server.until(lambda: session.produced > 0)
    seen = -1
    while session.produced != seen:  # until it has stood still for 0.2 s
        seen = session.produced
        threading.Event().wait(0.2)
    assert session.produced < 40
    connection.close()
    server.until(lambda: session.closed)
