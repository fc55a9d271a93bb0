"""The database that a source reads: connections to it, what they are used for, and what has become of the source's slot there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from time import monotonic
from typing import Any

import psycopg
from psycopg import Connection

from ....clock import Clock
from ...connections.addresses import Addresses
from ...connections.failures import scrubbed
from ...connections.postgres import connected
from ...connections.values import Values
from ..directory import SourceStalled
from .options import PostgresOptions
from .position import Position, lsn_text
from .publication import published_tables
from .replication import Cluster, ReplicationStream, cluster_of, left_timeline_at
from .tables import UpstreamTable

Db = Connection[tuple[Any, ...]]

CONNECT_S = 15.0
LOCK_TIMEOUT = "100ms"
"""So long a question waits for a table that is locked against readers; meanwhile nothing is read."""
SESSION = {
    "client_encoding": "UTF8",
    "datestyle": "ISO",
    "intervalstyle": "postgres",
    "timezone": "UTC",
    "bytea_output": "hex",
    "extra_float_digits": "1",
    "statement_timeout": "0",
    "idle_in_transaction_session_timeout": "0",
    "idle_session_timeout": "0",
    "lock_timeout": "0",
    "wal_sender_timeout": "60s",
    "default_transaction_read_only": "off",
    "row_security": "off",
}
"""How values are written: the same whatever the server's or the role's settings are.  Rows that a policy hides are an error."""

_SLOT = """
    SELECT plugin, database, wal_status, (confirmed_flush_lsn - '0/0')::int8, active_pid
    FROM pg_replication_slots WHERE slot_name = %s"""
_WAITS_FOR = """
    SELECT 'process ' || a.pid || coalesce(' of role "' || a.usename || '"', '')
        || coalesce(' since ' || to_char(a.xact_start, 'YYYY-MM-DD HH24:MI:SS') || ' UTC', '')
    FROM pg_stat_activity a WHERE a.pid = ANY (pg_blocking_pids(%s))
    UNION ALL
    SELECT 'prepared transaction "' || p.gid || '" since ' || to_char(p.prepared, 'YYYY-MM-DD HH24:MI:SS') || ' UTC'
    FROM pg_prepared_xacts p WHERE p.transaction IN (SELECT l.transactionid FROM pg_locks l WHERE l.pid = %s AND NOT l.granted)"""
"""A prepared transaction is of no process."""
_WAIT_FOR_EACH_OTHER = """
    WITH RECURSIVE waited_for (pid) AS (
        SELECT unnest(pg_blocking_pids(%s)) UNION SELECT unnest(pg_blocking_pids(pid)) FROM waited_for)
    SELECT EXISTS (SELECT FROM waited_for WHERE pid = ANY (%s))"""
_NEW = "Drop the source, and create it again: it begins with the contents as they are then."


class Upstream:
    def __init__(self, options: PostgresOptions, values: Values, clock: Clock) -> None:
        self._options, self._values, self._clock = options, values, clock
        self._db: Db | None = None
        self._restored: SourceStalled | None = None
        """Once the server was found to have another history it has that, also when its log is as long as what was read."""

    def close(self) -> None:
        if self._db is not None:
            self._db.close()
            self._db = None

    @contextmanager
    def failures(self) -> Iterator[None]:
        """What PostgreSQL says stalls the source."""
        try:
            yield
        except psycopg.Error as error:
            text = scrubbed(str(error), self._values.secrets.values())
            raise SourceStalled(f"PostgreSQL: {text}", sqlstate=error.sqlstate or "58030") from None

    def connect(self) -> Db:
        return self._connected(replication=False)

    def replicate(self) -> Db:
        """A connection that takes the commands of replication."""
        return self._connected(replication=True)

    def _connected(self, *, replication: bool) -> Db:
        addresses = Addresses(link_local=self._values.link_local)
        db = connected(self._values, addresses, monotonic() + CONNECT_S, SESSION, replication=replication)
        if db.info.server_version >= 170_000:
            db.execute("SET transaction_timeout = 0")
        return db

    @property
    def db(self) -> Db:
        """For questions."""
        if self._db is None or self._db.closed:
            self._db = self.connect()
            self._db.execute(f"SET lock_timeout = '{LOCK_TIMEOUT}'".encode())
        return self._db

    def tables(self) -> dict[int, UpstreamTable] | None:
        """Those of the publication as they are now, by OID; None while one of them is locked against readers."""
        try:
            return {table.oid: table for table in published_tables(self.db, self._options.publication)}
        except psycopg.errors.LockNotAvailable:
            return None

    def waits_for(self, process: int) -> str:
        """Whose transactions a process of the server waits for, as far as that is told; "" where nothing is."""
        return ", ".join(text for (text,) in self.db.execute(_WAITS_FOR, (process, process)))

    def wait_for_each_other(self, process: int, others: Sequence[int]) -> bool:
        """Whether what the process waits for waits for one of the others itself, or for what waits for one."""
        return self.db.execute(_WAIT_FOR_EACH_OTHER, (process, list(others))).fetchone() == (True,)

    # -- the slot --

    def cluster(self) -> Cluster:
        with self.replicate() as db:
            return cluster_of(db)

    def drop_slot(self) -> None:
        """What an attempt to begin has left behind."""
        self.db.execute(
            "SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots WHERE slot_name = %s",
            (self._options.slot,),
        )

    def stream(self, at: Position) -> tuple[ReplicationStream, Position]:
        """What comes behind the position; and the position on the timeline that the server is on now.  Raises SourceStalled where
        that is not there any more."""
        self._check_slot(at)
        db = self.replicate()
        try:
            now = self._followed(db, at)
            options = self._options
            return ReplicationStream(db, options.slot, options.publication, at.lsn, self._clock), now
        except BaseException:
            db.close()
            raise

    def _followed(self, db: Db, at: Position) -> Position:
        found = cluster_of(db)
        if found.system != at.system:
            raise SourceStalled(
                "the server is of another cluster than the one that was read",
                detail=f"Its system identifier is {found.system}, and was {at.system}.",
                sqlstate="55000",
                hint=_NEW,
            )
        if found.timeline == at.timeline:
            self._check_reached(found, at)
            return at
        left = left_timeline_at(db, found, at.timeline)
        if left is None or left < at.lsn:
            where = "" if left is None else f" at {lsn_text(left)}"
            raise SourceStalled(
                f"the server has left timeline {at.timeline}{where}, and changes up to {lsn_text(at.lsn)} were read on it",
                detail="A standby was promoted, or a backup restored, that had not got all of them.",
                sqlstate="55000",
                hint=_NEW,
            )
        return replace(at, timeline=found.timeline)

    def _check_reached(self, found: Cluster, at: Position) -> None:
        """What was read was durable there: a server whose log is shorter follows the other one, or is an earlier copy of its files."""
        if self._restored is not None:
            raise self._restored
        if found.reached >= at.lsn:
            return
        there = (
            f"the log of the server ends at {lsn_text(found.reached)}, and was read up to {lsn_text(at.lsn)}"
        )
        if self.db.execute("SELECT pg_is_in_recovery()").fetchone() == (True,):
            raise SourceStalled(
                there, detail="It follows the one that was read, and has not come so far yet."
            )
        self._restored = SourceStalled(
            there,
            detail="An earlier copy of the server's files was put in their place.",
            sqlstate="55000",
            hint=_NEW,
        )
        raise self._restored

    def _check_slot(self, at: Position) -> None:
        slot = self._options.slot
        found = self.db.execute(_SLOT, (slot,)).fetchone()
        if found is None:
            raise SourceStalled(f'replication slot "{slot}" is gone', sqlstate="55000", hint=_NEW)
        plugin, database, status, confirmed, active = found
        if database != self.db.info.dbname:
            raise SourceStalled(
                f'the connection leads to database "{self.db.info.dbname}", and the source reads database "{database}" of that server',
                sqlstate="55000",
                hint="ALTER CONNECTION ... SET (DATABASE ...) leads it back.",
            )
        if plugin != "pgoutput":
            raise SourceStalled(
                f'replication slot "{slot}" is not the one that was made', sqlstate="55000", hint=_NEW
            )
        if status == "lost" or confirmed is None:
            raise SourceStalled(
                f'replication slot "{slot}" has lost what comes next: it held more of the log than max_slot_wal_keep_size allows',
                sqlstate="55000",
                hint=_NEW,
            )
        if confirmed > at.lsn:
            raise SourceStalled(
                f'replication slot "{slot}" is at {lsn_text(confirmed)}, and was read up to {lsn_text(at.lsn)}',
                detail="Somebody else has read from it, or an older copy of the runtime is running.",
                sqlstate="55000",
                hint=_NEW,
            )
        if active is not None:
            raise SourceStalled(f'replication slot "{slot}" is in use by process {active} of the server')
