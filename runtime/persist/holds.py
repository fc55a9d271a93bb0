"""Leases: when a leased hold has expired.

Only heartbeats are counted in consensus, never a time: clocks of two processes are not comparable, and wall time
jumps.  A judge notes on its own monotonic clock (which stands still while the machine sleeps) when it last saw
a hold's count rise, or the hold set anew (its version rises, as its count begins anew when it had ended meanwhile); the
hold has expired when that is longer ago than its lease.  So a judge that has just started gives every hold a full
lease first.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable
from dataclasses import dataclass

from ..clock import Clock
from .part import ShardId
from .state import Hold


@dataclass(frozen=True, slots=True)
class _Seen:
    version: int
    beat: int
    at: float


class Leases:
    """The judge of one client."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._seen: dict[tuple[ShardId, str], _Seen] = {}

    def expired(self, leases: Iterable[Hold]) -> list[Hold]:
        """Those of `leases` (all that there are, as consensus has them now) that have expired."""
        now = self._clock.monotonic()
        with self._lock:
            seen, expired = {}, []
            for hold in leases:
                key = (hold.shard, hold.holder)
                last = self._seen.get(key)
                if last is None or (last.version, last.beat) != (hold.version, hold.beat):
                    last = _Seen(hold.version, hold.beat, now)
                elif hold.lease_ms is not None and (now - last.at) * 1000 > hold.lease_ms:
                    expired.append(hold)
                seen[key] = last
            self._seen = seen
        return expired
