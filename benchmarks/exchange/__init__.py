"""What it costs to have one view in several processes: ways between two of them, exchanges of plans, levels, look-ups, and whole steps."""

from __future__ import annotations

from .counts import count_exchanges
from .critical_path import run_critical_paths
from .links import run_links
from .look_ups import run_look_ups
from .round_trips import run_round_trips
from .steps import run_divided, run_levels
from .through_runtime import run_through_runtime

__all__ = [
    "count_exchanges",
    "run_critical_paths",
    "run_divided",
    "run_levels",
    "run_links",
    "run_look_ups",
    "run_round_trips",
    "run_through_runtime",
]
