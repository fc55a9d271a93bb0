"""Files that are there when a source begins: read by a job, by the source itself, by several workers, and counted by Spark."""

from .results import SnapshotResult
from .snapshots import run_among_workers, run_snapshots, s3a_jars

__all__ = ["SnapshotResult", "run_among_workers", "run_snapshots", "s3a_jars"]
