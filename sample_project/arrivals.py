"""Flights that arrive while you watch: the replay on a thread, and how long each append takes to be seen in a view.

A departure is a record that counts once in `carrier_scoreboard`, a view over a view, and never leaves it: so the sum
of that view's `flights` says how much of the file it has taken in.  An append is seen when a read returns at least as
many departures as were written by then.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Iterator
from itertools import takewhile
from pathlib import Path

import replay


class Arriving(threading.Thread):
    """Appends events at `speed` a second (0: at once) until there are `limit`, or until `stop`."""

    def __init__(self, data: Path, speed: float, limit: int | None = None) -> None:
        super().__init__(name="replay", daemon=True)
        self._data = data
        self._speed = speed
        self._limit = limit
        self._stopping = threading.Event()
        self._departed = 0
        self._unseen: deque[tuple[int, float]] = deque()
        self.written = 0
        self.minute = 0
        self.error: Exception | None = None

    def run(self) -> None:
        try:
            arrivals = replay.Arrivals(self._data)
            self.written = arrivals.written
            try:
                replay.replay(arrivals, self._counted(), self._speed, self._limit, self._appended)
            finally:
                arrivals.close()
        except Exception as error:  # whoever waits for this thread raises it
            self.error = error

    def stop(self) -> None:
        """Returns when nothing more will be appended."""
        self._stopping.set()
        self.join()

    def seen(self, departures: int, answered: float) -> list[float]:
        """Seconds from append to answer, of the appends that this answer is the first to hold.

        `answered` is the time.monotonic at which a read of the view had returned `departures`.
        """
        latencies = []
        while self._unseen and self._unseen[0][0] <= departures:
            latencies.append(answered - self._unseen.popleft()[1])
        return latencies

    def forget(self) -> None:
        """What was appended so far is not measured."""
        self._unseen.clear()

    def _counted(self) -> Iterator[replay.Event]:
        for event in takewhile(lambda _: not self._stopping.is_set(), replay.events(replay.flights())):
            record = event[2]
            if record.get("dep_time") is not None and all(record[name] is None for name in replay.ARRIVAL):
                self._departed += 1
            yield event

    def _appended(self, written: int, last: replay.Event) -> None:
        self.written, self.minute = written, last[0]
        if not self._unseen or self._unseen[-1][0] < self._departed:
            self._unseen.append((self._departed, time.monotonic()))
