"""Kafka: a topic that is read whole, beside Flink SQL, and messages on their way into a view."""

from .flink import NoFlink, flink_jars
from .results import BacklogResult, FreshnessResult
from .sources import run_backlogs, run_freshness

__all__ = ["BacklogResult", "FreshnessResult", "NoFlink", "flink_jars", "run_backlogs", "run_freshness"]
