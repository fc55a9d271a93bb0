"""A replication stream of a real PostgreSQL, as libpq hands it out."""

from __future__ import annotations

import select
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic

import psycopg
from psycopg import pq

WITHIN_S = 60.0


class Stream:
    """What is published from now on."""

    def __init__(self, uri: str, publication: str, slot: str) -> None:
        self._uri = uri
        self._connection = psycopg.connect(f"{uri}&replication=database", autocommit=True)
        self._pg = self._connection.pgconn
        self._run(f"CREATE_REPLICATION_SLOT {slot} TEMPORARY LOGICAL pgoutput", pq.ExecStatus.TUPLES_OK)
        options = f"proto_version '1', publication_names '{publication}'"
        self._run(f"START_REPLICATION SLOT {slot} LOGICAL 0/0 ({options})", pq.ExecStatus.COPY_BOTH)

    def _run(self, command: str, expected: pq.ExecStatus) -> None:
        result = self._pg.exec_(command.encode())
        assert result.status == expected, result.error_message

    def close(self) -> None:
        self._connection.close()

    def read(self) -> list[bytes]:
        """All data of what is committed now."""
        with psycopg.connect(self._uri, autocommit=True) as connection:
            ((target,),) = connection.execute("SELECT pg_current_wal_insert_lsn() - '0/0'").fetchall()
            connection.execute("SELECT pg_logical_emit_message(false, 'a', '')")
        found = []
        deadline = monotonic() + WITHIN_S
        while True:
            size, data = self._pg.get_copy_data(1)
            if size > 0:
                message = bytes(data)
                if message[:1] == b"w":
                    found.append(message)
                elif struct.unpack_from(">q", message, 1)[0] >= target:
                    return found
                continue
            assert size == 0, self._pg.error_message
            assert monotonic() < deadline, "the server does not send what it has"
            select.select([self._pg.socket], [], [], 1.0)
            self._pg.consume_input()


@contextmanager
def streaming(uri: str, publication: str, slot: str) -> Iterator[Stream]:
    stream = Stream(uri, publication, slot)
    try:
        yield stream
    finally:
        stream.close()
