"""A connection to PostgreSQL that comes back, and the names of what can go wrong with it.

It is opened when it is needed, with settings on which the promises of consensus rest: commits are durable before they are
acknowledged, nothing is waited for without end, and every statement goes by its tables' indexes, so that its cost does
not depend on how much there is.  One that was lost (the server was restarted, a standby took over) is opened again for
the next statement; a statement soon after the loss waits a few seconds for the server.

Whether a statement can be done again is for the caller to say: `repeatable` ones are, `once` raises `Indeterminate`.
"""

from __future__ import annotations

import math
import re
import shlex
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from time import monotonic
from typing import Any, TypeVar

import psycopg
from psycopg import conninfo as conninfo_
from psycopg.pq import TransactionStatus
from psycopg.types.numeric import Int8BinaryDumper

from ...errors import DiskFull, InvalidParameter, StorageError
from ...retry import Backoff, retry
from .base import Indeterminate

T = TypeVar("T")
Connection = psycopg.Connection[tuple[Any, ...]]

DEFAULT_SCHEMA = "ptvc"
CONNECT_TIMEOUT_S = 10
STATEMENT_TIMEOUT_MS = 60_000
LOCK_TIMEOUT_MS = 10_000
RECONNECT = Backoff(first_s=0.05, longest_s=0.5, deadline_s=10.0)
"""After a loss, and counted from it: then an error is passed on, and the next statement tries once."""
LOST = Backoff(first_s=0.01, longest_s=0.1, attempts=5)
"""A statement under which the connection was lost: a server that is restarted may go away more than once."""
TAKEN_BACK = Backoff(first_s=0.002, longest_s=0.1, attempts=20, deadline_s=10.0)
"""A statement that the server took back because of another one: a deadlock, a race for a new key."""
LEAST_CONNECT_TIMEOUT_S = 2
"""libpq waits no shorter."""

_PARAMETERS: Mapping[str, str | int] = {
    "connect_timeout": CONNECT_TIMEOUT_S,
    "target_session_attrs": "read-write",  # of several hosts the one that is no standby
    "client_encoding": "utf8",
    "application_name": "ptvc",
    # A server that is gone without a word is noticed within half a minute.
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 4,
    "tcp_user_timeout": 30_000,
}
_SETTINGS: Mapping[str, str] = {
    "statement_timeout": str(STATEMENT_TIMEOUT_MS),
    "lock_timeout": str(LOCK_TIMEOUT_MS),
    "idle_in_transaction_session_timeout": str(STATEMENT_TIMEOUT_MS),
    # A plan is made once, perhaps while the tables are empty: it must be the one for full tables.
    "plan_cache_mode": "force_generic_plan",
    "enable_seqscan": "off",
    "enable_hashjoin": "off",
    "enable_mergejoin": "off",
    "jit": "off",
}
_TAKEN_BACK_STATES = {"40001", "40P01", "23505"}
"""Serialization failure, deadlock, unique violation: certainly not applied, and the next attempt sees why."""
_READ_ONLY = "25006"
_HINTS = (
    (
        re.compile("password|authentic|pg_hba|role "),
        "Check the user; give its password in PGPASSWORD or ~/.pgpass.",
    ),
    (
        re.compile('database ".*" does not exist'),
        "Create the database: CREATE DATABASE name ENCODING 'UTF8'.",
    ),
    (re.compile("read-only"), "Name the server that can be written: the primary, not a standby."),
)
_HINT = "Check the URL, and that the server runs and can be reached from here."


@dataclass(frozen=True, slots=True)
class PostgresPlace:
    """A schema of a database: where a store is.  `parameters` are those of libpq; as a text it names no secret."""

    parameters: Mapping[str, Any]
    schema: str

    @classmethod
    def of(cls, conninfo: str) -> PostgresPlace:
        """Of a URL or a connection string.  The schema is the `search_path` among its options
        (`?options=-csearch_path%3Dname`), else "ptvc".  Raises InvalidParameter."""
        try:
            parameters = conninfo_.conninfo_to_dict(conninfo)
        except psycopg.ProgrammingError:  # says what it has read, passwords included
            raise InvalidParameter(
                "the URL of the consensus cannot be read",
                hint="Write postgresql://user@host:port/database; characters like / and @ in a name as %2F and %40.",
            ) from None
        schema = _search_path(str(parameters.get("options") or "")) or DEFAULT_SCHEMA
        if "," in schema:
            raise InvalidParameter(
                f'search_path of the consensus is "{schema}": a store is in one schema',
                hint="Name one schema.",
            )
        return cls({**_PARAMETERS, **parameters}, schema)

    def __str__(self) -> str:
        named = self.parameters
        user, host = named.get("user"), named.get("host") or named.get("hostaddr") or ""
        port, database = named.get("port"), named.get("dbname") or ""
        address = f"{user + '@' if user else ''}{host}{':' + str(port) if port else ''}"
        return f'postgresql://{address}/{database} (schema "{self.schema}")'

    def failure(self, what: str, error: psycopg.Error) -> StorageError | DiskFull:
        """What a statement's error means to the user."""
        message = f"could not {what} {self}: {error.diag.message_primary or ' '.join(str(error).split())}"
        match error.sqlstate:
            case "53100":
                return DiskFull(message, hint="Free some space there; nothing that was acknowledged is lost.")
            case "XX001" | "XX002":
                return StorageError(message, sqlstate="XX001", hint="Restore the database from a backup.")
            case "55P03" | "57014":
                hint = "Another client holds a lock, or the server is overloaded; try again."
            case "42501":
                hint = "The user must own the schema, or be allowed to make it: GRANT CREATE ON DATABASE."
            case "42P01" | "3F000":
                hint = "Somebody has dropped the tables while they were used: restore them from a backup."
            case "25006":
                hint = "Name the server that can be written: the primary, not a standby."
            case _:
                return StorageError(message)
        return StorageError(message, hint=hint)

    def unreachable(self, error: psycopg.Error) -> StorageError:
        """Why no connection was made."""
        reason = " ".join(str(error).split())
        hint = next((hint for pattern, hint in _HINTS if pattern.search(reason)), _HINT)
        return StorageError(f"could not connect to {self}: {reason}", hint=hint)


class _Lost(Exception):
    """The connection has ended, and what became of the statement is not known."""

    def __init__(self, message: str) -> None:
        self.message = message


def _was_lost(error: Exception) -> bool:
    return isinstance(error, _Lost)


class _TakenBack(Exception):
    """Certainly not applied; the next attempt may be."""

    def __init__(self, failure: StorageError | DiskFull) -> None:
        self.failure = failure


def _was_taken_back(error: Exception) -> bool:
    return isinstance(error, _TakenBack)


class PostgresConnection:
    """Thread-safe; one caller at a time.  `check(connection)` looks at every new connection, and may refuse it."""

    def __init__(self, place: PostgresPlace, check: Callable[[Connection], None]) -> None:
        self._place = place
        self._check = check
        self._lock = threading.Lock()
        self._connection: Connection | None = None
        self._lost_at: float | None = None
        self._closed = False
        self.generation = 0
        """How many connections there were."""

    def repeatable(self, what: str, work: Callable[[Connection], T]) -> T:
        """The result of `work`, which is done again whenever the connection was lost meanwhile.  StorageError or DiskFull
        if it failed."""
        with self._lock:
            try:
                return retry(lambda: self._attempt(what, work), _was_lost, LOST)
            except _Lost as lost:
                raise StorageError(lost.message, hint=_HINT) from lost.__cause__

    def once(self, what: str, work: Callable[[Connection], T]) -> T:
        """As `repeatable`, for what must not be done twice: Indeterminate if it may or may not have been done."""
        with self._lock:
            try:
                return self._attempt(what, work)
            except _Lost as lost:
                raise Indeterminate(lost.message, hint=_HINT) from lost.__cause__

    def close(self) -> None:
        """For good: it does not come back."""
        with self._lock:
            self._closed = True
            self._drop()

    def _attempt(self, what: str, work: Callable[[Connection], T]) -> T:
        try:
            return retry(lambda: self._attempt_once(what, work), _was_taken_back, TAKEN_BACK)
        except _TakenBack as last:
            raise last.failure from last.__cause__

    def _attempt_once(self, what: str, work: Callable[[Connection], T]) -> T:
        connection = self._open()
        try:
            return work(connection)
        except psycopg.Error as error:
            failure = self._place.failure(what, error)
            if self._is_lost(connection, error):
                self._drop()
                self._lost_at = monotonic()
                raise _Lost(failure.message) from error
            if connection.info.transaction_status is not TransactionStatus.IDLE:
                with suppress(psycopg.Error):  # found lost by the next statement, which has done nothing then
                    connection.rollback()
            if error.sqlstate == _READ_ONLY:
                self._drop()  # another host may have become the primary
            if error.sqlstate in _TAKEN_BACK_STATES:
                raise _TakenBack(failure) from error
            raise failure from error
        except BaseException:
            self._drop()  # in an unknown state, as it was interrupted
            raise

    @staticmethod
    def _is_lost(connection: Connection, error: psycopg.Error) -> bool:
        """An ERROR takes everything back; whatever else ends a statement says nothing about its commit."""
        return connection.closed or error.diag.severity_nonlocalized != "ERROR"

    def _open(self) -> Connection:
        if self._closed:
            raise StorageError(f"{self._place} was closed")
        if self._connection is None or self._connection.closed:
            lost_at = self._lost_at
            try:
                self._connection = retry(
                    self._connect,
                    lambda error: lost_at is not None and isinstance(error, psycopg.Error),
                    RECONNECT,
                    since=lost_at,
                )
            except psycopg.Error as error:
                raise self._place.unreachable(error) from error
        return self._connection

    def _connect(self) -> Connection:
        parameters = {**self._place.parameters}
        if self._lost_at is not None and RECONNECT.deadline_s is not None:
            # An attempt ends with the series: a server that does not answer takes no longer than one that refuses.
            left = math.ceil(self._lost_at + RECONNECT.deadline_s - monotonic())
            allowed = int(parameters["connect_timeout"]) or CONNECT_TIMEOUT_S
            parameters["connect_timeout"] = max(min(left, allowed), LEAST_CONNECT_TIMEOUT_S)
        connection: Connection = psycopg.connect(**parameters, autocommit=True, prepare_threshold=0)
        try:
            connection.adapters.register_dumper(int, Int8BinaryDumper)
            self._set_up(connection)
            self._check(connection)
        except psycopg.Error as error:
            lost = connection.closed
            connection.close()
            if lost:
                raise
            raise self._place.failure("open", error) from error
        except BaseException:
            connection.close()
            raise
        self.generation += 1
        self._lost_at = None
        return connection

    def _set_up(self, connection: Connection) -> None:
        settings = {**_SETTINGS, "search_path": '"' + self._place.schema.replace('"', '""') + '"'}
        (found,) = connection.execute("SHOW synchronous_commit").fetchall()
        if found[0] != "remote_apply":  # which is more
            settings["synchronous_commit"] = "on"
        calls = ", ".join("set_config(%b, %b, false)" for _ in settings)
        connection.execute(
            f"SELECT {calls}".encode(), [text for pair in settings.items() for text in pair], prepare=False
        )

    def _drop(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None


def _search_path(options: str) -> str | None:
    """What the options of a connection string set it to: -csearch_path=x, -c search_path=x, --search_path=x."""
    found = None
    words = shlex.split(options)
    for previous, word in zip(["", *words], words, strict=False):
        text = word if previous == "-c" else re.sub("^(-c|--)", "", word) if word.startswith("-") else ""
        name, separator, value = text.partition("=")
        if separator and name.replace("-", "_") == "search_path":
            found = value.strip().strip('"')
    return found or None
