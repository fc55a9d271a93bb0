"""Kafka: a topic that is read whole, messages on their way into a view, and a view that is written to a topic."""

from .sinks import SinkResult, run_sinks
from .sources import BacklogResult, FreshnessResult, run_backlogs, run_freshness

__all__ = ["BacklogResult", "FreshnessResult", "SinkResult", "run_backlogs", "run_freshness", "run_sinks"]
