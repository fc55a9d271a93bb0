"""A pgwire connection to the runtime, and what a statement answered.

Every connection is in autocommit: dbt's own BEGIN and COMMIT are bookkeeping only, since one statement is one
transaction, and DDL takes effect at once.  Parameters are bound by the client (`ClientCursor`), so that several
statements fit in one query and a batch of a seed may carry any number of values.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Hashable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing.context import SpawnContext
from pathlib import Path
from typing import Any

import psycopg
from dbt.adapters.base.relation import BaseRelation
from dbt.adapters.contracts.connection import (
    AdapterRequiredConfig,
    AdapterResponse,
    Connection,
    ConnectionState,
)
from dbt.adapters.events.logging import AdapterLogger
from dbt.adapters.sql.connections import SQLConnectionManager
from dbt_common.events.contextvars import get_node_info
from dbt_common.exceptions import DbtDatabaseError, DbtRuntimeError
from psycopg import sql as pgsql
from psycopg.pq import TransactionStatus

from dbt.adapters.ptvc import embedded
from dbt.adapters.ptvc.__version__ import version as adapter_version
from dbt.adapters.ptvc.credentials import DEFAULT_PORT, PtvcCredentials
from dbt.adapters.ptvc.model_lines import file_of_node, line_of_file

logger = AdapterLogger("ptvc")

_CANCEL_TIMEOUT_S = 5.0

_GOING = ("57P01", "57P02", "57P03")
"""What a runtime says that stops, has failed, or is not ready yet."""

_answered: set[str] = set()
"""Addresses of runtimes that this process has had a connection to."""

_CONNECTING = frozenset({"build", "run", "seed", "snapshot", "test", "show", "run-operation", "retry"})
"""Commands of dbt that always need the runtime."""


@dataclass
class PtvcAdapterResponse(AdapterResponse):
    """`code` is the command's word (INSERT, CREATE MATERIALIZED VIEW), `rows_affected` its count, or -1."""


class LastResultCursor(psycopg.ClientCursor[Any]):
    """After several statements in one query, stands at the last one's result."""

    def execute(self, *args: Any, **kwargs: Any) -> LastResultCursor:
        super().execute(*args, **kwargs)
        while self.nextset():
            pass
        return self


class PtvcConnectionManager(SQLConnectionManager):
    TYPE = "ptvc"

    def __init__(self, profile: AdapterRequiredConfig, mp_context: SpawnContext) -> None:
        super().__init__(profile, mp_context)
        credentials = profile.credentials
        assert isinstance(credentials, PtvcCredentials)
        credentials.anchor(project_directory(profile))
        self.interrupted = threading.Event()
        """Set when the run is being stopped: who waits for something must not begin another statement."""
        self.building: dict[Hashable, list[BaseRelation]] = {}
        """What the models of each thread have begun to create."""
        if credentials.path is not None and _command(profile) in _CONNECTING:
            # It starts while dbt parses the project.
            embedded.start_early(Path(credentials.path), credentials.start_timeout)

    @contextmanager
    def exception_handler(self, sql: str) -> Iterator[None]:
        """Turn a refusal of the runtime into dbt's error, with detail, hint and position as the runtime sent them."""
        try:
            yield
        except psycopg.Error as error:
            logger.debug(f"ptvc error {error.sqlstate}: {error}")
            self._leave_failed_transaction()
            raise DbtDatabaseError(self._message(error, sql)) from error
        except BaseException:
            self._leave_failed_transaction()
            raise

    def _leave_failed_transaction(self) -> None:
        """A query of several statements may have failed between its own BEGIN and COMMIT."""
        connection = self.get_if_exists()
        if connection is None:
            return
        connection.transaction_open = False
        handle = connection.handle
        if handle is not None and handle.info.transaction_status == TransactionStatus.INERROR:
            handle.rollback()

    def _message(self, error: psycopg.Error, sql: str) -> str:
        if is_lost(error):
            credentials = self.profile.credentials
            assert isinstance(credentials, PtvcCredentials)
            return lost(credentials)
        return str(error).strip() + self._place(error, sql)

    def _place(self, error: psycopg.Error, sql: str) -> str:
        """Which line of the model's file that is: the runtime counts those of the statement."""
        position, node = error.diag.statement_position, get_node_info()
        if position is None or not node or not sql:
            return ""
        root = project_directory(self.profile)
        file = file_of_node(self.profile, root, node)
        if file is None:
            return ""
        line = line_of_file(
            sql, sql.count("\n", 0, int(position) - 1) + 1, (root / file).read_text(encoding="utf-8")
        )
        return "" if line is None else f"\nThat is line {line} of {file}."

    @classmethod
    def open(cls, connection: Connection) -> Connection:
        if connection.state == ConnectionState.OPEN:
            return connection
        credentials = connection.credentials
        assert isinstance(credentials, PtvcCredentials)
        attempts = 0

        def connect() -> psycopg.Connection[Any]:
            nonlocal attempts
            attempts += 1
            return open_handle(credentials, fresh=attempts > 1)

        return cls.retry_connection(
            connection,
            connect=connect,
            logger=logger,
            retry_limit=credentials.retries,
            retryable_exceptions=[UnreachableError],
        )

    def cancel_open(self) -> list[str]:
        """Ctrl-C, or a failure under --fail-fast: statements are stopped on the server, and waiting ends."""
        with self.lock:  # who sees the interrupt and takes the lock is not cancelled any more
            self.interrupted.set()
            return super().cancel_open()

    def cleanup_all(self) -> None:
        super().cleanup_all()
        self.interrupted.clear()

    def cancel(self, connection: Connection) -> None:
        """Ask the runtime to stop the statement that runs on `connection`."""
        handle = connection.handle
        if handle is None or handle.closed:
            return
        logger.debug(f"cancelling the statement of connection '{connection.name}'")
        try:
            handle.cancel_safe(timeout=_CANCEL_TIMEOUT_S)
        except psycopg.Error as error:
            logger.warning(f"the statement of connection '{connection.name}' could not be cancelled: {error}")

    def add_begin_query(self) -> None:
        """Nothing is sent: see the module."""

    def add_commit_query(self) -> None:
        """Nothing is sent: see the module."""

    def commit(self) -> Connection:  # type: ignore[override]
        """Nothing is open when nothing was sent: a materialization that found nothing to do commits all the same."""
        connection = self.get_thread_connection()
        connection.transaction_open = False
        return connection

    @classmethod
    def get_response(cls, cursor: psycopg.Cursor[Any]) -> AdapterResponse:
        message = cursor.statusmessage or ""
        words = [word for word in message.split() if not word.isdigit()]
        return PtvcAdapterResponse(_message=message, code=" ".join(words), rows_affected=cursor.rowcount)

    @classmethod
    def data_type_code_to_name(cls, type_code: int | str) -> str:
        """PostgreSQL's name of a type, by its OID."""
        info = psycopg.adapters.types.get(int(type_code))
        if info is None:
            return f"oid {type_code}"
        return info.regtype + "[]" if int(type_code) == info.array_oid else info.regtype


class UnreachableError(psycopg.OperationalError):
    """No runtime answered.  Worth another attempt."""


def is_lost(error: psycopg.Error) -> bool:
    """Whether the runtime, or the way to it, has gone: then the words are libpq's, or none about the statement."""
    if isinstance(error, UnreachableError):
        return False  # which says that better
    state = error.sqlstate
    if state is None:
        return isinstance(error, psycopg.OperationalError | psycopg.InterfaceError)
    return state in _GOING or state.startswith("08")


def lost(credentials: PtvcCredentials) -> str:
    """What has happened, and what to do."""
    if credentials.path is not None:
        return (
            f"the ptvc runtime under {credentials.path} has gone while dbt was at work: it was stopped or killed, or has failed (then its "
            f"log, {credentials.path}/log/ptvc.log, says why). `dbt retry` starts it again, and does what has not been done."
        )
    return (
        f"the connection to the ptvc runtime at {credentials.address} was lost while dbt was at work: the runtime was stopped or killed, or "
        "has failed, or the network between. When it runs again, `dbt retry` does what has not been done."
    )


def open_handle(credentials: PtvcCredentials, *, fresh: bool = False) -> psycopg.Connection[Any]:
    """A connection, its session set up.  With `fresh`, an embedded runtime is looked for again."""
    host, port = credentials.host or "", credentials.port or DEFAULT_PORT
    if credentials.path is not None:
        runtime = embedded.ensure_running(Path(credentials.path), credentials.start_timeout, fresh=fresh)
        host, port = runtime.host, runtime.port
        check_version(runtime.version, credentials)
    try:
        handle = psycopg.connect(
            **credentials.connect_arguments(host, port), autocommit=True, cursor_factory=LastResultCursor
        )
    except psycopg.OperationalError as error:
        raise _unreachable(error, credentials, host, port) from error
    handle.add_notice_handler(lambda notice: logger.debug(f"{notice.severity}: {notice.message_primary}"))
    try:
        _set_up_session(handle, credentials)
    except psycopg.OperationalError as error:
        handle.close()
        raise _unreachable(error, credentials, host, port) from error
    except BaseException:
        handle.close()
        raise
    _answered.add(credentials.address)
    return handle


def _set_up_session(handle: psycopg.Connection[Any], credentials: PtvcCredentials) -> None:
    running = handle.info.parameter_status("ptvc_version")
    if running is not None:
        check_version(running, credentials)
    settings = credentials.session_settings()
    if not settings:
        return
    statements = []
    for name, value in settings.items():
        # A search path is a list of names; every other setting is one value.
        values = [part.strip().strip('"') for part in value.split(",")] if name == "search_path" else [value]
        rendered = pgsql.SQL(", ").join(pgsql.Literal(part) for part in values)
        statements.append(pgsql.SQL("SET {} = {}").format(pgsql.SQL(name), rendered))
    handle.cursor().execute(pgsql.SQL("; ").join(statements))


def _unreachable(
    error: psycopg.OperationalError, credentials: PtvcCredentials, host: str, port: int
) -> psycopg.OperationalError:
    if error.sqlstate is not None and not is_lost(error):
        return error  # it answered, and refused: another attempt would end the same way
    words = " ".join(str(error).partition("Is the server running")[0].split())
    if credentials.address in _answered and credentials.path is None:
        remedy = (
            "One did before, in this run of dbt: it was stopped or killed, or has failed. When it runs again, `dbt retry` does what has not "
            "been done."
        )
    elif credentials.path is not None:
        remedy = f"Restart it: `ptvc down --path {credentials.path}`, then run dbt again."
    else:
        remedy = (
            "Start it with `ptvc serve`, or correct `host` and `port` in the profile, or name a `path` instead for a "
            "runtime that dbt starts itself."
        )
    return UnreachableError(f"no ptvc runtime answers at {host}:{port} ({words}). {remedy}")


def check_version(running: str, credentials: PtvcCredentials) -> None:
    """Adapter and runtime come from one distribution: the same major and minor version is asked for."""
    if _series(running) == _series(adapter_version):
        return
    if credentials.path is not None:
        remedy = f"Stop the runtime with `ptvc down --path {credentials.path}`; dbt starts the right one."
    else:
        remedy = f"Install `dbt-ptvc=={running}` beside dbt, or upgrade the runtime."
    raise DbtRuntimeError(
        f"the runtime at {credentials.address} is ptvc {running}, the adapter is {adapter_version}. {remedy}"
    )


def _series(version: str) -> tuple[str, ...]:
    return tuple(re.split(r"[.+-]", version)[:2])


def _command(profile: AdapterRequiredConfig) -> str | None:
    """Of dbt: `run`, say."""
    command: str | None = getattr(getattr(profile, "args", None), "which", None)
    return command


def project_directory(profile: AdapterRequiredConfig) -> Path:
    """The directory that a relative path in the profile starts from: the project's, as dbt has it."""
    root = getattr(profile, "project_root", None)
    if root is not None:
        return Path(root)
    here = Path.cwd()
    return next((folder for folder in (here, *here.parents) if (folder / "dbt_project.yml").is_file()), here)
