"""The contents of tables at one position of the log.

```
lock tables ── make a slot ── its snapshot ── over several connections: COPY, range by range ── done
                  └ waits for transactions that are open upstream
```

What a slot's snapshot sees is what was committed before the slot begins: all else comes of the log.  Tables are locked (ACCESS SHARE)
ahead of it, as ALTER TABLE and TRUNCATE in between would change what a snapshot sees.  One that waits for the lock is a transaction already, which
the slot waits for: PostgreSQL knows nothing of the two being one, so it is looked for here, and everything is begun again.  A table is cut into ranges of its pages, of which
the last has no end: what was appended meanwhile is there, too.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from itertools import pairwise
from time import monotonic
from typing import Any

from psycopg import Connection, sql

from ...connections.failures import ConnectionFailed
from ...statistics import OutputId
from ..directory import SourceStalled
from ..upstream.ended import AGAIN
from ..upstream.snapshot import Part, Snapshot, StillWaiting
from .copying import Copy, Copying
from .position import lsn_of
from .replication import SlotCreation
from .tables import UpstreamTable
from .upstream import Upstream

Db = Connection[tuple[Any, ...]]

LOCK_TIMEOUT = "10s"
LOOK_S = 0.5
"""So often it is looked whether what a slot waits for waits for the tables."""
SLOW_S = 5.0
"""After that, and so often, it is said what a slot waits for."""
RANGE_BYTES = 64 << 20
"""Of a table that is copied by several connections."""
MOST_CONNECTIONS = 4
"""That copy, where nobody says how many; no more than this machine has processors, as they decode what comes."""

_NOW = """
    SELECT CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn() ELSE pg_current_wal_insert_lsn() END::text"""
_NAME = """
    SELECT n.nspname::text, c.relname::text FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.oid = %s::int8::oid"""
_FACTS = """
    SELECT n.nspname::text, c.relname::text, c.relkind::text, greatest(c.reltuples, 0)::int8, {row_filter},
        CASE WHEN m.amname = 'heap' THEN pg_relation_size(c.oid) ELSE 0 END, current_setting('block_size')::int8
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace LEFT JOIN pg_am m ON m.oid = c.relam
    WHERE c.oid = %s::int8::oid"""
_ROW_FILTER = """
    (SELECT t.rowfilter FROM pg_publication_tables t WHERE t.pubname = %s AND t.schemaname = n.nspname AND t.tablename = c.relname)"""


class PostgresSnapshot(Snapshot[int]):
    def __init__(
        self,
        upstream: Upstream,
        publication: str,
        slot: str,
        tables: Mapping[OutputId, UpstreamTable],
        *,
        temporary: bool,
        connections: int | None = None,
    ) -> None:
        """`slot` is made, and goes on to be there unless it is `temporary`.  `connections` copy, None: as many as seems good."""
        super().__init__(tables)
        self._upstream, self._publication = upstream, publication
        self._tables: dict[OutputId, UpstreamTable] = {}
        self._names: dict[OutputId, tuple[str, ...]] = {}
        self._ended: dict[OutputId, str] = {}
        self._most = connections or min(MOST_CONNECTIONS, os.cpu_count() or 1)
        self._copies: list[Copy] = []
        self._begun = monotonic()
        self._since = datetime.now(UTC)
        self._looked = self._begun
        self._lsn: int | None = None
        """Where the slot begins; None as long as it is not there."""
        self._copying: Copying | None = None
        self._slot_db: Db | None = None
        self._dbs = [upstream.connect()]
        """That copy; the first has the locks."""
        try:
            ((lsn,),) = self._dbs[0].execute(_NOW).fetchall()
            self._not_before = lsn_of(lsn)
            self._find(tables)
            self._begin(self._dbs[0])
            self._lock(self._dbs[0])
            self._slot_db = upstream.replicate()
            self._creation = SlotCreation(self._slot_db, slot, temporary=temporary)
        except BaseException:
            self.close()
            raise

    def _find(self, tables: Mapping[OutputId, UpstreamTable]) -> None:
        """What the tables are called now, and which are gone."""
        for id_, table in tables.items():
            found = self._dbs[0].execute(_NAME, (table.oid,)).fetchone()
            if found is None:
                self._ended[id_] = f'table "{table.reference}" was dropped upstream: {AGAIN}'
            else:
                self._tables[id_] = table
                self._names[id_] = tuple(found)

    def ended(self) -> Mapping[OutputId, str]:
        return self._ended

    @property
    def place(self) -> int:
        """Where the slot begins; until that is known a place that is there, or before."""
        return self._not_before if self._lsn is None else self._lsn

    def close(self) -> None:
        if self._copying is not None:
            self._copying.close()
        for db in self._dbs:
            db.close()
        if self._slot_db is not None:
            self._slot_db.close()

    @staticmethod
    def _begin(db: Db) -> None:
        db.execute(f"SET lock_timeout = '{LOCK_TIMEOUT}'".encode())
        db.execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")

    def _lock(self, db: Db) -> None:
        """Before anything is copied: behind an ALTER TABLE that waits for one of the connections the others would wait for ever."""
        for name in self._names.values():
            db.execute(sql.SQL("LOCK TABLE {} IN ACCESS SHARE MODE").format(sql.Identifier(*name)))

    def ready(self, wait_s: float = 0.0) -> bool:
        if self._lsn is not None:
            return True
        if (made := self._creation.done(wait_s)) is None:
            self._refuse_to_wait()
            return False
        lsn, name = made
        snapshot = sql.SQL("SET TRANSACTION SNAPSHOT {}").format(sql.Literal(name))
        self._dbs[0].execute(snapshot)
        self._copies = [copy for id_, table in self._tables.items() for copy in self._of(id_, table)]
        while len(self._dbs) < min(self._most, len(self._copies)) and (db := self._another()) is not None:
            self._dbs.append(db)
            self._begin(db)
            db.execute(snapshot)
            self._lock(db)
        # The snapshot is of these transactions from now on.
        assert self._slot_db is not None
        self._slot_db.close()
        self._slot_db = None
        self._lsn = lsn
        return True

    def _another(self) -> Db | None:
        """A connection; None where there cannot be more of them (`max_connections`): those that are there copy all."""
        try:
            return self._upstream.connect()
        except ConnectionFailed:
            return None

    def _refuse_to_wait(self) -> None:
        """Raises SourceStalled where what the slot waits for waits for the tables: who has locked them gives them up."""
        if monotonic() - self._looked < LOOK_S:
            return
        self._looked = monotonic()
        assert self._slot_db is not None
        ours = [db.info.backend_pid for db in self._dbs]
        if self._upstream.wait_for_each_other(self._slot_db.info.backend_pid, ours):
            raise SourceStalled(
                "a statement upstream waits for a table whose contents are to be copied, and the replication slot for them for that statement",
                detail="The table is given up, and its contents are begun with again.",
            )

    def check_waiting(self) -> None:
        if self._lsn is not None or monotonic() - self._begun < SLOW_S:
            return
        assert self._slot_db is not None
        waits_for = self._upstream.waits_for(self._slot_db.info.backend_pid)
        names = ", ".join(f'"{table.reference}"' for table in self._tables.values())
        raise StillWaiting(
            f"the replication slot for the contents of {names} waits since {self._since:%Y-%m-%d %H:%M:%S} UTC "
            f"for transactions that are open upstream{waits_for and f': {waits_for}'}",
            hint="See pg_stat_activity there, ordered by xact_start.",
        )

    def parts(self, max_bytes: int) -> Iterator[Part | None]:
        self._copying = Copying(self._dbs, self._copies, max(1, max_bytes // len(self._dbs)))
        return self._copying.parts()

    def _of(self, id: OutputId, table: UpstreamTable) -> Sequence[Copy]:
        """What is to be copied of a table."""
        since_15 = self._dbs[0].info.server_version >= 150_000
        asked = _FACTS.format(row_filter=_ROW_FILTER if since_15 else "NULL::text")
        parameters = (self._publication, table.oid) if since_15 else (table.oid,)
        found = self._dbs[0].execute(asked.encode(), parameters).fetchone()
        if found is None:
            raise SourceStalled(f'table "{table.reference}" is gone')
        *named, kind, self._guesses[id], row_filter, nbytes, page = found
        if tuple(named) != self._names[id]:
            raise SourceStalled(f'table "{table.reference}" was renamed just now')
        columns = sql.SQL(", ").join(sql.Identifier(column.name) for column in table.columns)
        # Of tables that inherit from one the publication has each by itself; partitions are the table.
        only = sql.SQL("" if kind == "p" else "ONLY ")
        name = sql.Identifier(*named)
        ranges = _ranges(nbytes // page, max(1, RANGE_BYTES // page)) if self._most > 1 else [None]
        return [
            Copy(
                id,
                sql.SQL("COPY (SELECT {} FROM {}{}{}) TO STDOUT")
                .format(columns, only, name, _where(row_filter, pages))
                .as_bytes(self._dbs[0]),
                len(table.columns),
            )
            for pages in ranges
        ]


def _ranges(pages: int, size: int) -> list[str | None]:
    """Conditions, of which each row satisfies one; None: all rows do."""
    bounds = [f"'({page},0)'::tid" for page in range(size, pages, size)]
    if not bounds:
        return [None]
    inner = [f"ctid >= {low} AND ctid < {high}" for low, high in pairwise(bounds)]
    return [f"ctid < {bounds[0]}", *inner, f"ctid >= {bounds[-1]}"]


def _where(*conditions: str | None) -> sql.SQL:
    given = [f"({condition})" for condition in conditions if condition is not None]
    return sql.SQL(f" WHERE {' AND '.join(given)}" if given else "")
