"""Databases that are followed, and written to: contents, a stream behind its commits, and how soon a transaction is in a view."""

from .mysql import run_mysql_backlogs
from .postgres import run_backlogs, run_freshness, run_sink
from .results import ReplicationResult

__all__ = ["ReplicationResult", "run_backlogs", "run_freshness", "run_mysql_backlogs", "run_sink"]
