"""Time zones by name, and where their clocks are now."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from ...expr.datetimes.zones import zone_names
from .state import State

Rows = Iterator[dict[str, Any]]


def pg_timezone_names(state: State) -> Rows:
    now = datetime.fromtimestamp(state.controller.now_ms() / 1000, UTC)
    for name in zone_names().values():
        there = now.astimezone(ZoneInfo(name))
        offset = there.utcoffset() or timedelta()
        yield {
            "name": name,
            "abbrev": there.tzname(),
            "is_dst": bool(there.dst()),
            "utc_offset": struct.pack("<qii", offset // timedelta(microseconds=1), 0, 0),
        }


def mz_timezone_names(state: State) -> Rows:
    for name in zone_names().values():
        yield {"name": name}
