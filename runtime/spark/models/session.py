"""The process's Spark application, and a session of its own for each model.

One application serves all models: the JVM takes seconds to start.  What can be set while it runs is set for the model's session
alone; where models ask for something else that is fixed at its start, it starts anew.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from concurrent.futures import Future
from pathlib import Path

from pyspark.sql import SparkSession

from ...compute.spark.session import spark_session, stop_session

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
        self._starting: Future[tuple[SparkSession, str]] | None = None

    def start(self, master: str | None, settings: Mapping[str, str]) -> None:
        """Begins to start Spark unless there is one: the JVM's start and this process's imports need not wait for each other."""
        if self._session is None and self._starting is None:
            self._starting = Future()
            threading.Thread(target=self._start, args=(master, settings, self._starting)).start()

    def session(self, master: str | None, settings: Mapping[str, str]) -> SparkSession:
        """A session in which `settings` hold.  ReplicaUnavailable if Spark cannot be started."""
        self._take_started()
        wanted = master or DEFAULT_MASTER
        if self._session is not None and (wanted != self._master or not _suits(self._session, settings)):
            self.stop()
        self.start(master, settings)
        self._take_started()
        assert self._session is not None
        return _fresh(self._session, settings)

    def _start(
        self, master: str | None, settings: Mapping[str, str], started: Future[tuple[SparkSession, str]]
    ) -> None:
        master = master or DEFAULT_MASTER
        try:
            conf = {**_SETTINGS, **settings}
            started.set_result((spark_session(master, "dbt", conf, directory=self._directory), master))
        except BaseException as error:  # raised where the session is asked for
            started.set_exception(error)

    def _take_started(self) -> None:
        starting, self._starting = self._starting, None
        if starting is not None:
            self._session, self._master = starting.result()

    def stop(self) -> None:
        if self._starting is not None and self._starting.exception() is None:
            self._take_started()
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
    return session
