"""One POSTGRES sink: each interval is one transaction, which holds the changes and how far they go.

```
BEGIN ── lock the sink's progress ── COPY changes beside ── DELETE, UPDATE, INSERT ── progress ── COMMIT
```

Whoever opens the sink writes its name into the progress: whoever had it before finds another one there, and has ended.  An UPSERT sink finds
each row that it changes as it left it, by its key; a row that is not there, or is there already, was somebody else's doing, and the sink
stalls instead of guessing.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from time import monotonic
from typing import Any, LiteralString

import numpy as np
import psycopg
import pyarrow as pa
from psycopg import Cursor, sql

from ....repr.batch import Batch
from ....repr.consolidate import consolidate
from ....repr.schema import Schema
from ....repr.types import CHAR, ScalarType
from ...connections.addresses import Addresses
from ...connections.failures import scrubbed
from ...connections.postgres import connected
from ...connections.values import Values
from ..change_records import ABSENT, SinkEnvelope, change_records
from ..contract import (
    RowsNotAsLeft,
    SinkFenced,
    SinkStalled,
    Unwritable,
    fenced,
    nothing,
    refuse_lost,
)
from ..resumed import ResumedSink
from .columns import column_type, copy_lines
from .options import PROGRESS_TABLE, PostgresSinkOptions, check_options
from .table import (
    Db,
    Target,
    make_progress_table,
    table_made_or_checked,
    table_oid,
    triggers_before,
    written_columns,
)

CONNECT_S = 15.0
IDLE_PROGRESS_MS = 10_000
"""Where nothing changes progress is written so often."""
LINES_AT_ONCE = 20_000
SESSION = {
    "client_encoding": "UTF8",
    "datestyle": "ISO",
    "intervalstyle": "postgres",
    "timezone": "UTC",
    "synchronous_commit": "on",
    "lock_timeout": "30s",
    "statement_timeout": "0",
    "idle_in_transaction_session_timeout": "60s",
    "idle_session_timeout": "0",
    "default_transaction_read_only": "off",
}
"""How values are read, and how long a process that hangs may be in the way of the one that takes its place."""

_STAGE = sql.Identifier("pg_temp", "ptvc stage")
_OP = "ptvc op"
"""The column of the stage that says what becomes of a row: d, u or i."""
_VERBS = {"d": "delete", "u": "update", "i": "insert"}
_STATEMENTS: Mapping[str, LiteralString] = {
    "d": "DELETE FROM {table} t USING {stage} s WHERE s.{op} = 'd' AND {same_key}",
    "u": "UPDATE {table} t SET {values} FROM {stage} s WHERE s.{op} = 'u' AND {same_key}",
    "i": "INSERT INTO {table} ({columns}) SELECT {staged} FROM {stage} s WHERE s.{op} = 'i'",
}


class PostgresSink(ResumedSink):
    def __init__(
        self,
        options: PostgresSinkOptions,
        schema: Schema,
        envelope: SinkEnvelope,
        key: Sequence[int],
        generation: int,
        as_of: int,
        values: Values,
        *,
        term: int = 0,
    ) -> None:
        """`as_of` is the time of the contents that the sink begins with, `values` are the connection's.  Of two that write as this sink the one
        with the lower `term` has been replaced, and gives way.  Raises as `check_options`."""
        check_options(options, schema, envelope, key)
        super().__init__(schema, generation)
        self._options = options
        self._envelope = envelope
        self._key = tuple(key)
        self._as_of = as_of
        self._values = values
        self._term = term
        self._writer = secrets.token_hex(8)
        self._target = Target(options)
        written = written_columns(schema, envelope)
        self._written_names = [column.name for column in written]
        self._log_types = [column.type for column in written]
        self._db: Db | None = None
        self._claimed = False

    # -- taking the target --

    def open(self) -> int:
        """Raises SinkStalled where PostgreSQL does not let the sink write, and SinkFenced where a later one has been here."""
        with self._transaction() as db:
            make_progress_table(db, self._target)
            if self._locked_progress(db) is None:
                oid = table_made_or_checked(db, self._target, self._schema, self._envelope, self._key)
                self._refuse_rows(db)
                self._execute(
                    db,
                    "INSERT INTO {progress} VALUES (%s, %s, %s, %s, 0, 0)",
                    (self._options.identity, oid, self._writer, self._term),
                )
            else:
                table_made_or_checked(db, self._target, self._schema, self._envelope, self._key)
                self._execute(
                    db,
                    "UPDATE {progress} SET writer = %s, term = %s WHERE sink = %s",
                    (self._writer, self._term, self._options.identity),
                )
        self._claimed = True
        return self._resume()

    def check_follows(self, acknowledged: int) -> None:
        place = f'table "{self._options.schema}.{PROGRESS_TABLE}"'
        hint = "It was emptied, or restored: drop the sink, and create it with a table of its own."
        refuse_lost(place, self._durable_upper, acknowledged, self._as_of, hint)

    def close(self) -> None:
        """What is open is rolled back."""
        if self._db is not None:
            self._db.close()
            self._db = None

    def _locked_progress(self, db: Db) -> int | None:
        """Takes what is durable from the progress, which nobody else changes until the transaction ends.  None: nobody has written as
        this sink.  Raises SinkFenced, and SinkStalled where the table is another one now."""
        try:
            row = self._execute(
                db,
                "SELECT table_oid, writer, term, upper, generation FROM {progress} WHERE sink = %s FOR UPDATE",
                (self._options.identity,),
            ).fetchone()
        except psycopg.errors.UndefinedTable:
            raise SinkStalled(
                f'table "{self._options.schema}.{PROGRESS_TABLE}" is gone, which says how far the sink has written',
                sqlstate="55000",
                hint="Drop the sink, and create it again with a table of its own: it begins with the contents as they are then.",
            ) from None
        if row is None:
            if self._claimed:
                raise self._fenced()
            return None
        oid, writer, term, upper, generation = row
        if writer != self._writer if self._claimed else term > self._term:
            raise self._fenced()
        if oid != table_oid(db, self._target):
            raise SinkStalled(
                f'table "{self._target.shown}" is gone, or not the one that the sink has written to',
                sqlstate="55000",
                hint="Drop the sink, and create it again: it begins with the contents as they are then.",
            )
        self._durable_upper, self._written_generation = upper, generation
        return int(upper)

    def _fenced(self) -> SinkFenced:
        return fenced(f'table "{self._target.shown}"')

    def _refuse_rows(self, db: Db) -> None:
        """A sink that begins would not know which rows are its own."""
        if (
            self._envelope is SinkEnvelope.UPSERT
            and self._execute(db, "SELECT 1 FROM {table} LIMIT 1").fetchone()
        ):
            raise SinkStalled(
                f'table "{self._target.shown}" has rows that are not of the sink',
                sqlstate="55000",
                hint="Empty it, or give the sink a table of its own.",
            )

    # -- writing --

    @property
    def writes_net(self) -> bool:
        return self._envelope is SinkEnvelope.UPSERT

    def write(
        self,
        changes: Batch,
        lower: int,
        upper: int,
        switched_at: int = 0,
        between: Callable[[], None] = nothing,
    ) -> None:
        """Raises also IntervalRefused."""
        self._check_next(lower, upper)
        wanted = self._wanted(changes)
        if self._durable_upper < upper and (len(wanted) or self._is_due(upper)):
            self._write(wanted, upper, switched_at, between)
        self._upper = upper

    def _write(self, changes: Batch, upper: int, switched_at: int, between: Callable[[], None]) -> None:
        with self._transaction() as db:
            if self._locked_progress(db) is None:
                raise self._fenced()
            if self._durable_upper >= upper:
                return  # a commit that got no answer was done
            rows, nbytes = self._apply(db, changes, between)
            generation = self._generation_at(upper, switched_at)
            self._execute(
                db,
                "UPDATE {progress} SET upper = %s, generation = %s WHERE sink = %s",
                (upper, generation, self._options.identity),
            )
            self._count(staged=rows, staged_bytes=nbytes)
        self._durable_upper, self._written_generation = upper, generation
        self._count(committed=rows, committed_bytes=nbytes)

    def _wanted(self, changes: Batch) -> Batch:
        """With SNAPSHOT = false, without the contents that the sink begins with."""
        if self._options.snapshot or self._durable_upper > 0 or not len(changes):
            return changes
        return changes.filter(changes.times > self._as_of)

    def _is_due(self, upper: int) -> bool:
        return upper - self._durable_upper >= IDLE_PROGRESS_MS or self._generation != self._written_generation

    def _apply(self, db: Db, changes: Batch, between: Callable[[], None]) -> tuple[int, int]:
        """Rows, and bytes, that were sent."""
        if not len(changes):
            return 0, 0
        if self._envelope is SinkEnvelope.NONE:
            changes = consolidate(changes)
            log = (pa.array(changes.times.astype(np.int64)), pa.array(changes.diffs))
            columns = (*changes.columns, *log)
            return len(changes), self._copy(db, self._target.table, columns, self._log_types, between)
        at_once = np.full(len(changes), changes.times.max(), changes.times.dtype)
        net = consolidate(Batch(changes.columns, at_once, changes.diffs))
        records = change_records(self._schema, net, self._envelope, self._key)
        gone, come = records.after == ABSENT, records.before == ABSENT
        rows = net.take(np.where(gone, records.before, records.after))
        self._refuse_nulls(rows)
        ops = np.where(gone, "d", np.where(come, "i", "u"))
        nbytes = self._stage(db, (*rows.columns, pa.array(ops, pa.string())), between)
        self._change(db, {op: int((ops == op).sum()) for op in _STATEMENTS})
        return len(rows), nbytes

    def _refuse_nulls(self, rows: Batch) -> None:
        for index in self._key:
            if rows.columns[index].null_count:
                raise Unwritable(
                    f'column "{self._schema[index].name}" of the key is NULL in a row',
                    hint="A key of a PostgreSQL table is not NULL: leave such rows out in a view.",
                )

    def _stage(self, db: Db, columns: Sequence[pa.Array], between: Callable[[], None]) -> int:
        names = [sql.Identifier(name) for name in (*self._schema.names, _OP)]
        types = [sql.SQL(column_type(column)) for column in self._schema] + [sql.SQL('"char"')]
        shape = sql.SQL(", ").join(sql.SQL("{} {}").format(n, t) for n, t in zip(names, types, strict=True))
        db.execute(
            sql.SQL("CREATE TEMP TABLE IF NOT EXISTS {} ({}) ON COMMIT DELETE ROWS").format(_STAGE, shape)
        )
        nbytes = self._copy(db, _STAGE, columns, (*self._schema.types, CHAR), between)
        # Without it a few rows would be joined by a scan of the whole table.
        db.execute(sql.SQL("ANALYZE {}").format(_STAGE))
        return nbytes

    def _copy(
        self,
        db: Db,
        into: sql.Composable,
        columns: Sequence[pa.Array],
        types: Sequence[ScalarType],
        between: Callable[[], None],
    ) -> int:
        nbytes = 0
        names = (*self._schema.names, _OP) if into is _STAGE else self._written_names
        listed = sql.SQL(", ").join(map(sql.Identifier, names))
        cursor = db.cursor()
        with cursor.copy(sql.SQL("COPY {} ({}) FROM STDIN").format(into, listed)) as copy:
            for start in range(0, len(columns[0]), LINES_AT_ONCE):
                if start:
                    between()
                lines = copy_lines([column.slice(start, LINES_AT_ONCE) for column in columns], types)
                copy.write(lines)
                nbytes += len(lines)
        if cursor.rowcount != len(columns[0]):
            raise self._not_done(db, "i", cursor.rowcount, len(columns[0]))
        return nbytes

    def _change(self, db: Db, counts: Mapping[str, int]) -> None:
        """Raises SinkStalled where a row is not as the sink has left it."""
        same_key = sql.SQL(" AND ").join(
            sql.SQL("t.{0} = s.{0}").format(sql.Identifier(self._schema[index].name)) for index in self._key
        )
        names = [sql.Identifier(name) for name in self._schema.names]
        others = [name for index, name in enumerate(names) if index not in self._key]
        parts = {
            "table": self._target.table,
            "stage": _STAGE,
            "op": sql.Identifier(_OP),
            "same_key": same_key,
            "columns": sql.SQL(", ").join(names),
            "values": sql.SQL(", ").join(sql.SQL("{0} = s.{0}").format(name) for name in others),
            "staged": sql.SQL(", ").join(sql.SQL("s.{}").format(name) for name in names),
        }
        for op, statement in _STATEMENTS.items():
            if not counts[op] or (op == "u" and not others):
                continue
            try:
                done = db.execute(sql.SQL(statement).format(**parts))
            except psycopg.errors.UniqueViolation as error:
                raise RowsNotAsLeft(
                    f'table "{self._target.shown}" has a row that the sink is to insert: {error.diag.message_detail}',
                    sqlstate="23505",
                    hint="Either the sink's key does not identify rows of what it reads, or somebody else has written to the table.",
                ) from None
            if done.rowcount != counts[op]:
                raise self._not_done(db, op, done.rowcount, counts[op])

    def _not_done(self, db: Db, op: str, done: int, wanted: int) -> SinkStalled:
        """Rows were left out by a trigger, or are not as the sink has left them."""
        if triggers := triggers_before(db, self._target):
            names = ", ".join(f'"{name}"' for name in triggers)
            return SinkStalled(
                f'table "{self._target.shown}" has let the sink {_VERBS[op]} {done} of {wanted} rows: '
                f"triggers of it may have left out the others ({names})",
                sqlstate="55000",
                hint="Drop what is BEFORE ... FOR EACH ROW, or give the sink a table of its own.",
            )
        return RowsNotAsLeft(
            f'table "{self._target.shown}" has {done} of {wanted} rows that the sink is to {_VERBS[op]}',
            sqlstate="55000",
            hint="Somebody else has written to the table: put the rows back, or drop the sink, and create it with a table of its own.",
        )

    # -- the connection --

    @contextmanager
    def _transaction(self) -> Iterator[Db]:
        """After any failure the next one connects anew, and looks what has become of this one."""
        try:
            if self._db is None:
                addresses = Addresses(link_local=self._values.link_local)
                self._db = connected(self._values, addresses, monotonic() + CONNECT_S, SESSION)
            with self._db.transaction():
                yield self._db
        except psycopg.Error as error:
            self.close()
            text = scrubbed(str(error), self._values.secrets.values())
            raise SinkStalled(
                f'cannot write to table "{self._target.shown}": {text}', sqlstate=error.sqlstate or "58030"
            ) from None
        except BaseException:
            self.close()
            raise

    def _execute(
        self, db: Db, statement: LiteralString, parameters: Sequence[Any] = ()
    ) -> Cursor[tuple[Any, ...]]:
        query = sql.SQL(statement).format(table=self._target.table, progress=self._target.progress)
        return db.execute(query, parameters)
