"""A client in a process of its own: its buffers and its interpreter lock are none of the runtime's in the test's process."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context
from typing import Any

import psycopg


def _one(port: int, statement: tuple[str, str, int, str], parameter: tuple[str, int] | None) -> Any:
    before, inside, times, after = statement
    with psycopg.connect(
        host="127.0.0.1", port=port, user="ptvc", dbname="ptvc", autocommit=True
    ) as connection:
        values = None if parameter is None else (parameter[0] * parameter[1],)
        row = connection.execute(before + inside * times + after, values).fetchone()  # type: ignore[arg-type]
    assert row is not None
    return row[0]


class ClientProcess:
    """Statements and parameters are told as a text and how often it comes: they become large in the client alone."""

    def __init__(self, pool: ProcessPoolExecutor, port: int) -> None:
        self._pool = pool
        self._port = port

    def one(
        self,
        before: str,
        inside: str = "",
        times: int = 0,
        after: str = "",
        parameter: tuple[str, int] | None = None,
    ) -> Any:
        """The one value that `before`, `times` times `inside`, and `after` gives."""
        return self._pool.submit(_one, self._port, (before, inside, times, after), parameter).result(60.0)


@contextmanager
def client_process(port: int) -> Iterator[ClientProcess]:
    with ProcessPoolExecutor(1, get_context("spawn")) as pool:
        client = ClientProcess(pool, port)
        assert client.one("SELECT 1") == 1  # it has started
        yield client
