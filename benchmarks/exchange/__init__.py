"""What it costs to have one view in several processes: ways between two of them, exchanges of plans, levels, and whole steps."""

from __future__ import annotations

from .counts import count_exchanges
from .critical_path import run_critical_paths
from .round_trips import run_round_trips
from .steps import run_divided, run_levels

__all__ = ["count_exchanges", "run_critical_paths", "run_divided", "run_levels", "run_round_trips"]
