"""Sinks into lakes: rows that become files and commits, in this process."""

from .sinks import LakeSinkResult, run_lake_sinks

__all__ = ["LakeSinkResult", "run_lake_sinks"]
