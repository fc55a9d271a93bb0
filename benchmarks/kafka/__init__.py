"""Kafka: a topic that is read whole, beside Flink SQL, messages on their way into a view, and a view that is written to a topic."""

from .flink import flink_jars
from .results import BacklogResult
from .sinks import SinkResult, run_sinks
from .sources import run_backlogs, run_freshness

__all__ = [
    "BacklogResult",
    "SinkResult",
    "flink_jars",
    "run_backlogs",
    "run_freshness",
    "run_sinks",
]
