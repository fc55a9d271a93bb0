"""What a publication offers, asked over an ordinary connection; and whether the database can be replicated from at all."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from time import monotonic
from typing import Any

import psycopg
from psycopg import Connection

from ....errors import PtvcError
from ...connections.addresses import Addresses
from ...connections.failures import ConnectionFailed, Step, scrubbed
from ...connections.postgres import connected
from ...connections.values import Values
from .tables import Published, UpstreamColumn, UpstreamTable

Db = Connection[tuple[Any, ...]]

OLDEST_VERSION = 140_000
_SINCE_15, _SINCE_18 = 150_000, 180_000

_TABLES = """
    SELECT c.oid::int8, n.nspname::text, c.relname::text, c.relreplident::text,
        CASE WHEN p.puballtables THEN 'all ' || p.oid
            ELSE coalesce(
                (SELECT 'table ' || r.oid FROM pg_publication_rel r
                WHERE r.prpubid = p.oid AND (r.prrelid = c.oid OR r.prrelid IN (SELECT pg_partition_ancestors(c.oid)))
                ORDER BY r.oid LIMIT 1),
                {by_schema} '')
        END,
        {listed},
        CASE WHEN NOT has_schema_privilege(n.oid, 'USAGE') THEN 'role "' || current_user || '" has no USAGE on its schema'
            WHEN NOT has_table_privilege(c.oid, 'SELECT') THEN 'role "' || current_user || '" has no SELECT on it'
            WHEN row_security_active(c.oid) THEN 'row security hides rows of it from role "' || current_user || '"'
            WHEN c.relkind = 'p' THEN 'it is partitioned, and what becomes of partitions (TRUNCATE, DETACH, ATTACH) is not in the log'
        END
    FROM pg_publication p
    JOIN pg_publication_tables t ON t.pubname = p.pubname
    JOIN pg_namespace n ON n.nspname = t.schemaname
    JOIN pg_class c ON c.relnamespace = n.oid AND c.relname = t.tablename
    WHERE p.pubname = %s
    ORDER BY n.nspname, c.relname"""
_BY_SCHEMA = """(SELECT 'schema ' || s.oid FROM pg_publication_namespace s
                WHERE s.pnpubid = p.oid AND (s.pnnspid = n.oid OR s.pnnspid IN
                    (SELECT above.relnamespace FROM pg_partition_ancestors(c.oid) a JOIN pg_class above ON above.oid = a.relid))
                ORDER BY s.oid LIMIT 1),"""
_COLUMNS = """
    SELECT a.attrelid::int8, a.attname::text, a.attnum::int4, a.atttypid::int8, a.atttypmod, format_type(a.atttypid, a.atttypmod), NOT a.attnotnull,
        a.attgenerated <> '', coalesce(a.attnum = ANY (i.indkey), false)
    FROM pg_attribute a LEFT JOIN pg_index i ON i.indrelid = a.attrelid AND i.indisprimary
    WHERE a.attrelid = ANY (%s::int8[]::oid[]) AND a.attnum > 0 AND NOT a.attisdropped
    ORDER BY a.attrelid, a.attnum"""
_OPERATIONS = {"insert": "inserts", "update": "updates", "delete": "deletes", "truncate": "truncates"}


def ask(
    values: Values, addresses: Addresses, timeout_s: float, connection: str, publication: str
) -> Published:
    """What the publication has now.  Raises ConnectionFailed, and what keeps a source from reading by it."""
    session = {"search_path": "pg_catalog", "statement_timeout": str(int(timeout_s * 1000))}
    with connected(values, addresses, monotonic() + timeout_s, session) as db:
        try:
            check_replicates(db, publication)
            tables = published_tables(db, publication)
            return Published(connection, publication, db.info.dbname, tables, _timeline(db))
        except psycopg.Error as error:
            raise ConnectionFailed(
                Step.ANSWER,
                f'cannot ask PostgreSQL what publication "{publication}" has',
                detail=scrubbed(str(error), values.secrets.values()) or None,
            ) from None


def check_replicates(db: Db, publication: str) -> None:
    """Raises what keeps a source from reading this database by this publication."""
    version = db.info.server_version
    if version < OLDEST_VERSION:
        raise PtvcError(
            f"PostgreSQL {version // 10_000} is too old to be replicated from",
            sqlstate="0A000",
            hint=f"It takes PostgreSQL {OLDEST_VERSION // 10_000} or later.",
        )
    # Amazon's RDS grants a role of its own, in place of the attribute.
    ((level, may),) = db.execute(
        "SELECT current_setting('wal_level'), rolreplication OR rolsuper OR EXISTS "
        "(SELECT FROM pg_roles r WHERE r.rolname = 'rds_replication' AND pg_has_role(current_user, r.oid, 'member')) "
        "FROM pg_roles WHERE rolname = current_user"
    ).fetchall()
    if level != "logical":
        raise PtvcError(
            f"the server's wal_level is {level}, and has to be logical",
            sqlstate="55000",
            hint="Set wal_level = logical, and restart the server.",
        )
    if not may:
        raise PtvcError(
            f'role "{db.info.user}" may not replicate',
            sqlstate="42501",
            hint=f'Run there: ALTER ROLE "{db.info.user}" REPLICATION.',
        )
    _check_publication(db, publication)


def _check_publication(db: Db, publication: str) -> None:
    found = db.execute(
        "SELECT pubinsert, pubupdate, pubdelete, pubtruncate FROM pg_publication WHERE pubname = %s",
        (publication,),
    ).fetchone()
    if found is None:
        raise PtvcError(
            f'publication "{publication}" does not exist in database "{db.info.dbname}"',
            sqlstate="42704",
            hint=f'Run there: CREATE PUBLICATION "{publication}" FOR TABLE ...',
        )
    left_out = [word for word, published in zip(_OPERATIONS.values(), found, strict=True) if not published]
    if left_out:
        raise PtvcError(
            f'publication "{publication}" does not publish {", ".join(left_out)}: rows would not be those upstream',
            sqlstate="55000",
            hint=f"Run there: ALTER PUBLICATION \"{publication}\" SET (publish = '{', '.join(_OPERATIONS)}').",
        )


def published_tables(db: Db, publication: str) -> tuple[UpstreamTable, ...]:
    """The tables of the publication, by name, each with the columns that are published."""
    version = db.info.server_version
    since_15 = version >= _SINCE_15
    asked = _TABLES.format(
        by_schema=_BY_SCHEMA if since_15 else "",
        listed="t.attnames::text[]" if since_15 else "NULL::text[]",
    )
    found = db.execute(asked.encode(), (publication,)).fetchall()
    columns: dict[int, list[UpstreamColumn]] = defaultdict(list)
    keys: dict[int, list[str]] = defaultdict(list)
    left_out: dict[int, list[str]] = defaultdict(list)
    listed = {row[0]: row[5] for row in found}
    for oid, name, number, type_oid, typmod, type_name, nullable, generated, of_key in db.execute(
        _COLUMNS, (list(listed),)
    ):
        # Before PostgreSQL 18 what is generated is not published, whatever is listed.
        if (listed[oid] is None or name in listed[oid]) and (version >= _SINCE_18 or not generated):
            columns[oid].append(UpstreamColumn(name, number, type_oid, typmod, type_name, nullable))
            if of_key:
                keys[oid].append(name)
        elif version >= _SINCE_18 or not generated:
            left_out[oid].append(name)
    return tuple(
        UpstreamTable(
            schema,
            name,
            tuple(columns[oid]),
            oid,
            membership,
            identity,
            key=tuple(keys[oid]),
            obstacle=obstacle or _unpublished(left_out[oid]),
        )
        for oid, schema, name, identity, membership, _, obstacle in found
    )


def _unpublished(columns: Sequence[str]) -> str | None:
    """PostgreSQL refuses every UPDATE and DELETE of a table whose replica identity has columns that are not published."""
    if not columns:
        return None
    return (
        f"its columns {', '.join(columns)} are not published, so with REPLICA IDENTITY FULL its rows could not be updated there; "
        "publish all of them (what is generated: publish_generated_columns = stored)"
    )


def _timeline(db: Db) -> int | None:
    """A server in recovery does not say."""
    ((name,),) = db.execute(
        "SELECT CASE WHEN NOT pg_is_in_recovery() THEN pg_walfile_name(pg_current_wal_lsn()) END"
    ).fetchall()
    return None if name is None else int(name[:8], 16)
