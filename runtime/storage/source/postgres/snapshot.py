"""The contents of tables at one position of the log.

```
lock tables ── make a slot ── its snapshot ── COPY, table by table ── done
                  └ waits for transactions that are open upstream
```

What a slot's snapshot sees is what was committed before the slot begins: all else comes of the log.  Tables are locked (ACCESS SHARE)
ahead of it, as ALTER TABLE and TRUNCATE in between would change what a snapshot sees.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from time import monotonic
from typing import Any

import pyarrow as pa
from psycopg import Connection, sql

from ....expr.text.copy_text import copy_columns
from ...statistics import OutputId
from ..directory import SourceStalled
from .position import lsn_of
from .replication import SlotCreation
from .tables import UpstreamTable

Db = Connection[tuple[Any, ...]]

LOCK_TIMEOUT = "10s"
SLOW_S = 5.0
"""After that it is said what a slot waits for."""

_NOW = """
    SELECT CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn() ELSE pg_current_wal_insert_lsn() END::text"""
_FACTS = """
    SELECT c.relkind::text, greatest(c.reltuples, 0)::int8, {row_filter}
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE c.oid = %s::int8::oid"""
_ROW_FILTER = """
    (SELECT t.rowfilter FROM pg_publication_tables t WHERE t.pubname = %s AND t.schemaname = n.nspname AND t.tablename = c.relname)"""


@dataclass(frozen=True, slots=True)
class Piece:
    """Rows of one table, as texts by column of `UpstreamTable.columns`.  `known` are guesses of how many each table has, `staged`
    how many came of each with this piece; of those in `ended` all did.  `more` follow."""

    table: OutputId | None
    columns: tuple[pa.Array, ...]
    rows: int
    nbytes: int
    known: Mapping[OutputId, int]
    staged: Mapping[OutputId, int]
    more: bool


class Snapshot:
    """Of tables, by output.  It holds connections until it is closed."""

    def __init__(
        self,
        connect: Callable[[], Db],
        replicate: Callable[[], Db],
        publication: str,
        slot: str,
        tables: Mapping[OutputId, UpstreamTable],
        *,
        temporary: bool,
    ) -> None:
        """`slot` is made, and goes on to be there unless it is `temporary`."""
        self._publication = publication
        self._tables = dict(tables)
        self._staged = dict.fromkeys(tables, 0)
        self._known = dict.fromkeys(tables, 0)
        self._pieces: Iterator[tuple[OutputId, bytes, int]] | None = None
        self._next: tuple[OutputId, bytes, int] | None = None
        self._begun = monotonic()
        self.lsn: int | None = None
        """Where the slot begins; None as long as it is not there."""
        self._db = connect()
        self._slot_db: Db | None = None
        try:
            ((lsn,),) = self._db.execute(_NOW).fetchall()
            self.not_before = lsn_of(lsn)
            """The slot begins there, or behind."""
            self._lock()
            self._slot_db = replicate()
            self._creation = SlotCreation(self._slot_db, slot, temporary=temporary)
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        self._db.close()
        if self._slot_db is not None:
            self._slot_db.close()

    def _lock(self) -> None:
        self._db.execute(f"SET lock_timeout = '{LOCK_TIMEOUT}'".encode())
        self._db.execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
        for table in self._tables.values():
            name = sql.Identifier(table.schema, table.name)
            self._db.execute(sql.SQL("LOCK TABLE {} IN ACCESS SHARE MODE").format(name))

    def ready(self, wait_s: float = 0.0) -> bool:
        """Whether there are pieces to come, which is waited for a little."""
        if self.lsn is not None:
            return True
        if (made := self._creation.done(wait_s)) is None:
            return False
        lsn, name = made
        self._db.execute(sql.SQL("SET TRANSACTION SNAPSHOT {}").format(sql.Literal(name)))
        # The snapshot is the transaction's from now on.
        assert self._slot_db is not None
        self._slot_db.close()
        self._slot_db = None
        self.lsn = lsn
        return True

    @property
    def is_slow(self) -> bool:
        return self.lsn is None and monotonic() - self._begun > SLOW_S

    def piece(self, max_bytes: int) -> Piece:
        """The next one; the connections are closed with the last."""
        if self._pieces is None:
            self._pieces = self._all(max_bytes)
            self._next = next(self._pieces, None)
        now, self._next = self._next, next(self._pieces, None)
        more = self._next is not None
        if not more:
            self.close()
        if now is None:
            return Piece(None, (), 0, 0, dict(self._staged), dict(self._staged), more)
        output, data, rows = now
        self._staged[output] += rows
        known = {
            id_: staged if not more else max(staged + 1, self._known[id_])
            for id_, staged in self._staged.items()
        }
        columns = copy_columns(data, len(self._tables[output].columns))
        return Piece(output, columns, rows, len(data), known, dict(self._staged), more)

    def _all(self, max_bytes: int) -> Iterator[tuple[OutputId, bytes, int]]:
        queries = {id_: self._query(id_, table) for id_, table in self._tables.items()}
        for id_, query in queries.items():
            lines: list[bytes] = []
            size = 0
            with self._db.cursor().copy(query) as copy:
                while data := copy.read():
                    lines.append(bytes(data))
                    size += len(data)
                    if size >= max_bytes:
                        yield id_, b"".join(lines), len(lines)
                        lines, size = [], 0
            if lines:
                yield id_, b"".join(lines), len(lines)

    def _query(self, id: OutputId, table: UpstreamTable) -> sql.Composed:
        since_15 = self._db.info.server_version >= 150_000
        asked = _FACTS.format(row_filter=_ROW_FILTER if since_15 else "NULL::text")
        parameters = (self._publication, table.oid) if since_15 else (table.oid,)
        found = self._db.execute(asked.encode(), parameters).fetchone()
        if found is None:
            raise SourceStalled(f'table "{table.reference}" is gone')
        kind, self._known[id], row_filter = found
        columns = sql.SQL(", ").join(sql.Identifier(column.name) for column in table.columns)
        # Of tables that inherit from one the publication has each by itself; partitions are the table.
        only = sql.SQL("" if kind == "p" else "ONLY ")
        where = sql.SQL("" if row_filter is None else f" WHERE {row_filter}")
        name = sql.Identifier(table.schema, table.name)
        return sql.SQL("COPY (SELECT {} FROM {}{}{}) TO STDOUT").format(columns, only, name, where)
