"""The thread that writes the outputs of views beside further steps, in the order of these.

```
step thread     step ── index can be read ── few rows: written at once ──> Append
                  └─ many rows ──┐      step ── ...
this thread                      └── parts written ──> Append ── what waited for it (a checkpoint)
```

To encode 10,000 rows takes as long as to compute them, and a query of an index of the same step would wait for it.
An output is written whole or not at all; behind one that cannot be, nothing of that dataflow is written any more.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterator

from .protocol import Message

AT_ONCE_ROWS = 1_000
"""So few rows are written by the step thread itself: to hand them over, and to wake another thread, would take longer."""

BACKLOG_ROWS = 1 << 18
"""With so many rows waiting to be written the step thread waits too."""


class OutputWriter:
    """`send` delivers a message to the coordinator.  All methods are for the step thread."""

    def __init__(self, send: Callable[[Message], None]) -> None:
        self._send = send
        self._queue: queue.SimpleQueue[tuple[int, int, Callable[[], object]] | None] = queue.SimpleQueue()
        self._changed = threading.Condition(threading.Lock())
        self._waiting = 0
        self._rows = 0
        self.nbytes = 0
        self._closed = False
        self._failure: Exception | None = None
        self._thread = threading.Thread(target=self._run, name="outputs", daemon=True)
        self._thread.start()

    def write(
        self, rows: int, messages: Callable[[], Iterator[Message]], nbytes: int = 0
    ) -> Iterator[Message]:
        """Has `messages`, which write so many rows, of `nbytes` in memory, while they are made, made and sent behind those before; or yields
        them, to be sent at once.  Raises what making others has raised: the replica cannot go on."""
        with self._changed:
            if self._failure is not None:
                raise self._failure
            if not self._waiting and rows <= AT_ONCE_ROWS:
                return messages()
            self._changed.wait_for(lambda: not self._waiting or self._rows + rows <= BACKLOG_ROWS)
            self._put(rows, nbytes, lambda: self._make(messages))
        return iter(())

    def behind(self, action: Callable[[], object]) -> None:
        """Does `action` once all that was to be written before is."""
        with self._changed:
            if self._waiting:
                self._put(0, 0, action)
                return
        action()

    def close(self) -> None:
        """What is not written yet never will be."""
        self._closed = True
        self._queue.put(None)

    def shed(self) -> int:
        """Nothing: what waits is written as fast as it can be."""
        return 0

    def _put(self, rows: int, nbytes: int, work: Callable[[], object]) -> None:
        self._waiting, self._rows = self._waiting + 1, self._rows + rows
        self.nbytes += nbytes
        self._queue.put((rows, nbytes, work))

    def _make(self, messages: Callable[[], Iterator[Message]]) -> None:
        for message in messages():
            self._send(message)

    def _run(self) -> None:
        while (item := self._queue.get()) is not None:
            rows, nbytes, work = item
            try:
                if not self._closed:
                    work()
            except ConnectionError:
                self._closed = True  # the coordinator is gone, and this replica with it
            except Exception as error:
                self._closed, self._failure = True, error
            with self._changed:
                self._waiting, self._rows = self._waiting - 1, self._rows - rows
                self.nbytes -= nbytes
                self._changed.notify_all()
