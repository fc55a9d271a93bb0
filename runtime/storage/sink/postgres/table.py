"""The table that a sink writes to, and the one of its progress: made where they are not there, checked where they are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from psycopg import Connection, sql

from ....expr.functions.system.system import quote_ident
from ....repr.schema import Column, Schema
from ....repr.types import INT8
from ..change_records import SinkEnvelope
from ..contract import SinkStalled
from .columns import column_type
from .options import DIFF_COLUMN, PROGRESS_TABLE, TIMESTAMP_COLUMN, PostgresSinkOptions

Db = Connection[tuple[Any, ...]]

_RELATION = """
    SELECT c.oid, c.relkind, c.relrowsecurity FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE n.nspname = %s AND c.relname = %s"""
_COLUMNS = """
    SELECT attname, format_type(atttypid, atttypmod), attnotnull, atthasdef OR attidentity <> '', attgenerated <> ''
    FROM pg_attribute WHERE attrelid = %s AND attnum > 0 AND NOT attisdropped"""
_UNIQUE = """
    SELECT array_agg(a.attname::text), i.indimmediate FROM pg_index i JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = ANY (i.indkey)
    WHERE i.indrelid = %s AND i.indisunique AND i.indisvalid AND i.indpred IS NULL AND i.indexprs IS NULL
    GROUP BY i.indexrelid, i.indimmediate"""
_TRIGGERS = """
    SELECT tgname::text FROM pg_trigger
    WHERE tgrelid = %s AND NOT tgisinternal AND tgenabled <> 'D' AND tgtype & 1 <> 0 AND tgtype & 2 <> 0 ORDER BY tgname"""
"""Those BEFORE, for each row."""


def written_columns(schema: Schema, envelope: SinkEnvelope) -> tuple[Column, ...]:
    """Those of the table that the sink writes."""
    if envelope is SinkEnvelope.UPSERT:
        return schema.columns
    log = (Column(TIMESTAMP_COLUMN, INT8, nullable=False), Column(DIFF_COLUMN, INT8, nullable=False))
    return (*schema.columns, *log)


class Target:
    """The names of both tables, as they are written in statements."""

    def __init__(self, options: PostgresSinkOptions) -> None:
        self.shown = f"{options.schema}.{options.table}"
        self.name = (options.schema, options.table)
        self.table = sql.Identifier(*self.name)
        self.progress = sql.Identifier(options.schema, PROGRESS_TABLE)


def make_progress_table(db: Db, target: Target) -> None:
    """Raises SinkStalled where the schema is not there.  `writer` is who has opened the sink last, as the `term`-th installation of it; all below `upper` is in the table."""
    schema, _ = target.name
    if db.execute("SELECT 1 FROM pg_namespace WHERE nspname = %s", (schema,)).fetchone() is None:
        raise SinkStalled(
            f'schema "{schema}" does not exist there, in which the sink is to write table "{target.shown}"',
            sqlstate="3F000",
            hint=f"Make it there: CREATE SCHEMA {quote_ident(schema)}; the sink goes on by itself. Or name another one: TABLE schema.table.",
        )
    db.execute(
        sql.SQL(
            "CREATE TABLE IF NOT EXISTS {} (sink text PRIMARY KEY, table_oid oid NOT NULL, writer text NOT NULL, "
            "term bigint NOT NULL, upper bigint NOT NULL, generation bigint NOT NULL)"
        ).format(target.progress)
    )


def table_made_or_checked(
    db: Db, target: Target, schema: Schema, envelope: SinkEnvelope, key: Sequence[int]
) -> int:
    """The OID of the table.  Raises SinkStalled where one is there that does not take what the sink writes."""
    columns = written_columns(schema, envelope)
    if (found := table_oid(db, target)) is None:
        parts = [
            sql.SQL("{} {}{}").format(
                sql.Identifier(column.name),
                sql.SQL(column_type(column)),
                sql.SQL("" if column.nullable else " NOT NULL"),
            )
            for column in columns
        ]
        if envelope is SinkEnvelope.UPSERT:
            names = sql.SQL(", ").join(sql.Identifier(schema[index].name) for index in key)
            parts.append(sql.SQL("PRIMARY KEY ({})").format(names))
        db.execute(sql.SQL("CREATE TABLE {} ({})").format(target.table, sql.SQL(", ").join(parts)))
        found = table_oid(db, target)
        assert found is not None, "it was made in this transaction"
        return found
    _check_columns(db, target, found, columns)
    if envelope is SinkEnvelope.UPSERT:
        wanted = {schema[index].name for index in key}
        immediate = [immediate for names, immediate in db.execute(_UNIQUE, (found,)) if set(names) == wanted]
        listed = ", ".join(map(quote_ident, sorted(wanted)))
        if not immediate:
            raise _unfit(target, f"no unique index of it is on exactly ({listed})")
        if not any(immediate):
            raise _unfit(
                target,
                f"its unique constraint on ({listed}) is DEFERRABLE, so rows that are there already would be noticed too late",
                "Make one there that is NOT DEFERRABLE, or give the sink a table that is not there yet: it is made then.",
            )
    return found


def triggers_before(db: Db, target: Target) -> list[str]:
    """The names of triggers that may leave out or change rows before they are written."""
    return [name for (name,) in db.execute(_TRIGGERS, (table_oid(db, target),))]


def table_oid(db: Db, target: Target) -> int | None:
    """None: there is no such relation.  Raises SinkStalled for one that is no table."""
    row = db.execute(_RELATION, target.name).fetchone()
    if row is None:
        return None
    oid, kind, row_security = row
    if kind not in ("r", "p"):
        raise _unfit(target, "it is not a table")
    if row_security:
        raise _unfit(target, "it has row security, which may hide rows from the sink")
    return int(oid)


def _check_columns(db: Db, target: Target, oid: int, columns: Sequence[Column]) -> None:
    there = {name: rest for name, *rest in db.execute(_COLUMNS, (oid,))}
    for column in columns:
        if (found := there.pop(column.name, None)) is None:
            raise _unfit(target, f'it has no column "{column.name}"')
        type_, _, _, generated = found
        if type_ != column_type(column):
            raise _unfit(
                target, f'column "{column.name}" is {type_}, and the sink writes {column_type(column)}'
            )
        if generated:
            raise _unfit(target, f'column "{column.name}" is generated')
    for name, (_, not_null, default, generated) in there.items():
        if not_null and not default and not generated:
            raise _unfit(target, f'column "{name}" is not of the sink, and has neither NULL nor a default')


def _unfit(
    target: Target,
    why: str,
    hint: str = "Change the table, or give the sink one that is not there yet: it is made then.",
) -> SinkStalled:
    return SinkStalled(
        f'table "{target.shown}" cannot be written to: {why}',
        sqlstate="42P16",
        hint=hint,
    )
