"""COPY of several queries at once, each over one of several connections, which all see the same snapshot.

```
queries ── a thread for each connection: COPY ── lines ── columns ── a queue of few parts ── whoever asks
```

A thread has one part at hand, and the queue as many as there are threads, so memory is that of twice as many parts as there are threads.
"""

from __future__ import annotations

import queue
import select
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from threading import Event, Thread
from typing import Any

import psycopg
from psycopg import Connection
from psycopg.pq import ExecStatus

from ....expr.text.copy_text import copy_columns
from ...statistics import OutputId
from ..upstream.snapshot import Part

Db = Connection[tuple[Any, ...]]

WAIT_S = 0.1
"""How long one waits before it is looked whether it is to end."""


@dataclass(frozen=True, slots=True)
class Copy:
    """A query whose rows are of that table, and how many columns they have."""

    table: OutputId
    query: bytes
    width: int


class Copying:
    """Of the queries, over connections that are in a transaction, and that are closed in the end."""

    def __init__(self, connections: Sequence[Db], copies: Sequence[Copy], max_bytes: int) -> None:
        """Parts have some `max_bytes`."""
        self._max_bytes = max_bytes
        self._copies: queue.SimpleQueue[Copy] = queue.SimpleQueue()
        for copy in copies:
            self._copies.put(copy)
        self._found: queue.Queue[Part | BaseException | None] = queue.Queue(len(connections))
        """None: a thread has ended, as nothing is left."""
        self._stopped = Event()
        self._threads = [
            Thread(target=self._run, args=(db,), name="ptvc-copy", daemon=True) for db in connections
        ]
        for thread in self._threads:
            thread.start()

    def close(self) -> None:
        self._stopped.set()
        for thread in self._threads:
            thread.join()

    def parts(self) -> Iterator[Part | None]:
        """All of them; None as long as the next is not there.  Raises what a thread met."""
        running = len(self._threads)
        while running:
            try:
                found = self._found.get(timeout=WAIT_S)
            except queue.Empty:
                yield None
                continue
            if found is None:
                running -= 1
            elif isinstance(found, BaseException):
                raise found
            else:
                yield found

    def _run(self, db: Db) -> None:
        try:
            while not self._stopped.is_set():
                try:
                    copy = self._copies.get_nowait()
                except queue.Empty:
                    break
                for part in self._copied(db, copy):
                    self._put(part)
            self._put(None)
        except BaseException as error:  # it is raised where the parts are asked for
            self._put(error)
        finally:
            db.close()

    def _put(self, found: Part | BaseException | None) -> None:
        while not self._stopped.is_set():
            try:
                self._found.put(found, timeout=WAIT_S)
            except queue.Full:
                continue
            return

    def _copied(self, db: Db, copy: Copy) -> Iterator[Part]:
        pgconn = db.pgconn
        pgconn.send_query(copy.query)
        while pgconn.is_busy():
            if not self._received(db):
                return
        result = pgconn.get_result()
        if result is None or result.status != ExecStatus.COPY_OUT:
            raise _error(db, result)
        lines: list[bytes] = []
        size = 0
        while True:
            nbytes, data = pgconn.get_copy_data(1)
            if nbytes > 0:
                lines.append(bytes(data))
                size += nbytes
                if size >= self._max_bytes:
                    yield _part(copy, lines)
                    lines, size = [], 0
            elif nbytes < 0:
                break
            elif not self._received(db):
                return
        while (result := pgconn.get_result()) is not None:
            if result.status != ExecStatus.COMMAND_OK:
                raise _error(db, result)
        if lines:
            yield _part(copy, lines)

    def _received(self, db: Db) -> bool:
        """Whether there is more; False when it is to end."""
        while not self._stopped.is_set():
            if select.select([db.pgconn.socket], [], [], WAIT_S)[0]:
                db.pgconn.consume_input()
                return True
        return False


def _part(copy: Copy, lines: Sequence[bytes]) -> Part:
    data = b"".join(lines)
    return Part(copy.table, copy_columns(data, copy.width), len(lines), len(data))


def _error(db: Db, result: Any) -> psycopg.Error:
    if result is None:
        return psycopg.OperationalError(db.pgconn.error_message.decode(errors="replace"))
    return psycopg.errors.error_from_result(result)
