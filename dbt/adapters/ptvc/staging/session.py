"""The connection that holds the locks of a run that changes something, and makes its staging schemas.

One run at a time changes what is in a schema: an advisory lock by the schema's name says which, and the connection's application_name whose
it is.  It goes with the connection, so what is in a staging schema whose lock is free was left by a run that has been killed.
"""

from __future__ import annotations

import getpass
import hashlib
import os
import socket
import threading
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from typing import Any

import psycopg
from dbt.adapters.events.logging import AdapterLogger
from dbt_common.exceptions import DbtRuntimeError
from psycopg.pq import TransactionStatus

logger = AdapterLogger("ptvc")

_POLL_S = 0.5
_SAY_EVERY_S = 30.0
_RUN = "the run of dbt"
_CHANGING = ", changing "


def lock_key(schema: str) -> int:
    """The number that stands for the staging of a schema: 64 bits, signed."""
    digest = hashlib.sha256(f"dbt stages {schema}".encode()).digest()
    return int.from_bytes(digest[:8], "big", signed=True)


class StagingSession:
    """Locks are held until `close`."""

    def __init__(
        self,
        connect: Callable[[], psycopg.Connection[Any]],
        say: Callable[[str], None],
        interrupted: threading.Event,
    ) -> None:
        self._connection = connect()
        self._say = say
        self._interrupted = interrupted

    def run(self, statements: Sequence[str]) -> None:
        """One query, and so one transaction, of all of them."""
        sql = ";\n".join(statements)
        logger.debug(f"staging: {sql}")
        self._connection.execute(sql)

    def lock(self, schemas: Sequence[str]) -> bool:
        """Whether all locks were free; says whose they are while they are not."""
        free = True
        for schema in schemas:
            waited = 0
            while not self.try_lock(schema):
                free = False
                if waited % int(_SAY_EVERY_S / _POLL_S) == 0:
                    self._say(f"waiting for {self._holder(schema)}, which is changing the same schema")
                waited += 1
                if self._interrupted.wait(_POLL_S):
                    raise DbtRuntimeError(f"stopped waiting for {self._holder(schema)}.")
        self._connection.execute("select set_config('application_name', %s, false)", [_this_run(schemas)])
        return free

    def try_lock(self, schema: str) -> bool:
        row = self._connection.execute("select pg_try_advisory_lock(%s)", [lock_key(schema)]).fetchone()
        return row is not None and bool(row[0])

    def _holder(self, schema: str) -> str:
        """Who holds the lock of that schema, as it says itself."""
        rows = self._connection.execute(
            "select usename, pid, application_name from pg_catalog.pg_stat_activity where application_name like %s",
            [f"{_RUN}%"],
        ).fetchall()
        for role, session, text in rows:
            run, _, schemas = str(text).partition(_CHANGING)
            if schema in schemas.split(", "):
                return f"{run} (role {role}, session {session})"
        return "another run of dbt"

    def there_are(self, schemas: Sequence[str]) -> bool:
        """Whether any of them is there."""
        if not schemas:
            return False
        query = "select count(*) from pg_catalog.pg_namespace where nspname = any(%s)"
        row = self._connection.execute(query, [list(schemas)]).fetchone()
        return row is not None and row[0] > 0

    def make(self, rendered: str, grants: Iterable[str]) -> None:
        """The schema, empty; what a run that was killed has left in it goes."""
        self.run(
            [
                f"drop schema if exists {rendered} cascade",
                f"create schema {rendered}",
                *grants,
            ]
        )

    def leave_transaction(self) -> None:
        """One that failed, or that Ctrl-C has cut short."""
        if self._connection.info.transaction_status != TransactionStatus.IDLE:
            self._connection.rollback()

    def close(self) -> None:
        self._connection.close()


def _this_run(schemas: Sequence[str]) -> str:
    since = datetime.now(UTC).replace(microsecond=0).isoformat()
    run = f"{_RUN} of {getpass.getuser()} on {socket.gethostname()}, process {os.getpid()}, since {since}"
    return f"{run}{_CHANGING}{', '.join(schemas)}"
