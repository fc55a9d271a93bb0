"""Kafka: a topic that is read whole, and messages on their way into a view."""

from .sources import BacklogResult, FreshnessResult, run_backlogs, run_freshness

__all__ = ["BacklogResult", "FreshnessResult", "run_backlogs", "run_freshness"]
