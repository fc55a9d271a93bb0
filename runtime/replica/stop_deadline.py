"""The deadline of a dataflow that was told to stop: work that does not look (a kernel of Arrow, a user's Python function)
must not hold up the other dataflows for ever, and no thread can be ended from outside.  So the process is.
"""

from __future__ import annotations

import logging
import queue
import threading
from collections.abc import Callable
from time import monotonic

from ..expr.tree.relation import GlobalId

logger = logging.getLogger(__name__)

STOP_S = 5.0


class StopDeadline:
    """`abandoned` names the dataflow that is being computed although it was told to stop; `kill` ends the process, which is started anew without it."""

    def __init__(
        self, abandoned: Callable[[], GlobalId | None], kill: Callable[[], None], stop_s: float = STOP_S
    ) -> None:
        self._abandoned = abandoned
        self._kill = kill
        self._stop_s = stop_s
        self._begun: queue.SimpleQueue[tuple[GlobalId, float] | None] = queue.SimpleQueue()
        self._closed = threading.Event()

    def begin(self, id: GlobalId) -> None:
        """The dataflow was told to stop, now."""
        self._begun.put((id, monotonic() + self._stop_s))

    def close(self) -> None:
        self._closed.set()
        self._begun.put(None)

    def run(self) -> None:
        """Waits for one deadline after the other, until `close`."""
        while (begun := self._begun.get()) is not None:
            id_, deadline = begun
            if self._closed.wait(max(0.0, deadline - monotonic())):
                return
            if self._abandoned() == id_:
                logger.error(
                    "dataflow %s was to stop %.0f s ago and goes on: this replica starts anew without it",
                    id_,
                    self._stop_s,
                )
                self._kill()
                return
