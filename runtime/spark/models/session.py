"""The process's Spark application, and a session of its own for each model.

One application serves all models: the JVM takes seconds to start.  What can be set while it runs is set for the model's session
alone; where models ask for something else that is fixed at its start, it starts anew.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from pyspark.sql import SparkSession

from ...compute.spark.session import spark_session, stop_session
from .. import register

DEFAULT_MASTER = "local[*]"
_SETTINGS = {
    # What the runtime's own application is not to have, jobs of anybody else are.
    "spark.sql.adaptive.enabled": "true",
    "spark.python.daemon.module": "ptvc.spark.models.worker_daemon",
}


class Application:
    """`directory` is where Spark keeps its files."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._session: SparkSession | None = None
        self._master = ""

    def session(self, master: str | None, settings: Mapping[str, str]) -> SparkSession:
        """A session in which `settings` hold.  ReplicaUnavailable if Spark cannot be started."""
        master = master or DEFAULT_MASTER
        if self._session is not None and (master != self._master or not _suits(self._session, settings)):
            self.stop()
        if self._session is None:
            conf = {**_SETTINGS, **settings}
            self._session = spark_session(master, "dbt", conf, directory=self._directory)
            self._master = master
        return _fresh(self._session, settings)

    def stop(self) -> None:
        if self._session is not None:
            stop_session(self._session)
            SparkSession._instantiatedSession = SparkSession._activeSession = None
            self._session = None


def _suits(root: SparkSession, settings: Mapping[str, str]) -> bool:
    """Whether the settings hold in the application, or can be set in a session."""
    return all(
        root.conf.get(name, None) == value or root.conf.isModifiable(name) for name, value in settings.items()
    )


def _fresh(root: SparkSession, settings: Mapping[str, str]) -> SparkSession:
    session = root.newSession()
    for name, value in settings.items():
        if session.conf.isModifiable(name):
            session.conf.set(name, value)
    # What looks for a session by itself, as pandas on Spark does, finds this one.
    SparkSession._instantiatedSession = SparkSession._activeSession = session
    java = SparkSession._get_j_spark_session_class(session._jvm)
    java.setDefaultSession(session._jsparkSession)
    java.setActiveSession(session._jsparkSession)
    register(session)
    return session
