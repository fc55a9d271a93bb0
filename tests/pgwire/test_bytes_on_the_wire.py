"""bytea and uuid through psycopg: parameters, results and COPY, in text and in binary."""

from __future__ import annotations

from uuid import UUID

import pytest
from inprocess import running

VALUES = [(b"", UUID(int=0)), (b"\x00\xff\\", UUID("a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11")), (None, None)]


@pytest.mark.parametrize("binary", [False, True])
def test_there_and_back(binary: bool) -> None:
    with running() as runtime, runtime.connect() as connection:
        connection.execute("CREATE TABLE t (id int, b bytea, u uuid, us uuid[])")
        cursor = connection.cursor(binary=binary)
        sign = "%b" if binary else "%t"
        for number, (data, key) in enumerate(VALUES):
            cursor.execute(
                f"INSERT INTO t VALUES (%s, {sign}, {sign}, {sign})", (number, data, key, [key, None])
            )
        found = cursor.execute("SELECT b, u, us FROM t ORDER BY id").fetchall()
        assert found == [(data, key, [key, None]) for data, key in VALUES]
        assert [column.type_code for column in cursor.description or ()] == [17, 2950, 2951]
        form = "(FORMAT binary)" if binary else ""
        with cursor.copy(f"COPY (SELECT id, b, u FROM t) TO STDOUT {form}") as copy:
            data_out = b"".join(copy)
        connection.execute("CREATE TABLE s (id int, b bytea, u uuid)")
        with cursor.copy(f"COPY s FROM STDIN {form}") as copy:
            copy.write(data_out)
        assert cursor.execute("SELECT b, u FROM s ORDER BY id").fetchall() == VALUES
        assert cursor.execute("SELECT count(*) FROM t JOIN s ON t.u = s.u AND t.b = s.b").fetchall() == [(2,)]


def test_parts_that_are_too_large_for_the_transaction() -> None:
    """Their statistics are kept beside it, as JSON: bytes have none."""
    with running() as runtime, runtime.connect() as connection:
        connection.execute("CREATE TABLE t (b bytea, u uuid)")
        connection.execute(
            "INSERT INTO t SELECT decode(md5(n::text), 'hex'), md5(n::text)::uuid FROM generate_series(1, 20000) AS n"
        )
        found = connection.execute(
            "SELECT count(DISTINCT b), count(DISTINCT u) FROM t WHERE u >= repeat('0', 32)::uuid"
        )
        assert found.fetchall() == [(20000, 20000)]
