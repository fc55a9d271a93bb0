"""Messages to and from dbt's process: JSON objects with a `type`, and bytes of COPY.

| from dbt | means |
|---|---|
| `run` | run a model: see `run.Job` |
| `columns`, bytes, `end` | the columns and the rows of a relation that was asked for |
| `refused` | SQL has answered with an error, `message` |
| `proceed` | the table for the result is there |

| to dbt | means |
|---|---|
| `query` | `relation` is asked for, `as_of` a time unless that is null; all up to `queried` in one transaction |
| `queried` | that is all |
| `result` | the `columns` (names and types) of what is to go into the table `into` |
| bytes | rows of it |
| `done`, `failed` | the end, with the number of `rows`, or with what went wrong |
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection
from typing import Any

Message = dict[str, Any]

_JSON, _BYTES = b"J", b"D"


class DbtGone(Exception):
    """Nobody is there any more to talk to."""


@contextmanager
def _talking() -> Iterator[None]:
    try:
        yield
    except (EOFError, OSError) as error:
        raise DbtGone from error


class Channel:
    """DbtGone, from any method, when dbt's process is gone."""

    def __init__(self, fd: int) -> None:
        self._connection = Connection(fd)

    def send(self, type: str, **fields: Any) -> None:
        with _talking():
            self._connection.send_bytes(_JSON + json.dumps({"type": type, **fields}).encode())

    def send_rows(self, data: bytes) -> None:
        with _talking():
            self._connection.send_bytes(_BYTES + data)

    def receive(self) -> Message | bytes:
        with _talking():
            body = self._connection.recv_bytes()
        if body[:1] == _BYTES:
            return body[1:]
        message: Message = json.loads(body[1:])
        return message

    def expect(self, *types: str) -> Message:
        message = self.receive()
        assert isinstance(message, dict)
        assert message["type"] in types, message["type"]
        return message

    def wait(self, seconds: float | None) -> bool:
        """Whether there is something to receive, within so many seconds; None: however long that takes."""
        with _talking():
            return self._connection.poll(seconds)
