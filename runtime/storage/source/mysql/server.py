"""What a server offers, and whether it can be replicated from at all: asked over an ordinary connection."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from time import monotonic
from typing import Any

from ....errors import PtvcError, Unsupported
from ...connections.addresses import Addresses
from ...connections.failures import ConnectionFailed, Step, scrubbed
from ...connections.mysql import Db, client, connected, message_of
from ...connections.values import Values
from .tables import MysqlColumn, MysqlTable, MysqlTables

OLDEST_VERSION = (10, 5)
LEAST_KEPT_S = 3600
"""A log that is kept for less is gone when a source comes back from a pause."""
SYSTEM_SCHEMAS = ("mysql", "information_schema", "performance_schema", "sys")

_SETTINGS = {
    "log_bin": ("ON", "1"),
    "binlog_format": ("ROW",),
    "binlog_row_image": ("FULL",),
    "binlog_row_metadata": ("FULL",),
    "log_bin_compress": ("OFF", "0"),
}
"""What each has to be: how MariaDB writes it, or as a number."""
_TABLES = """
    SELECT t.TABLE_SCHEMA, t.TABLE_NAME, t.ENGINE FROM information_schema.TABLES t
    WHERE t.TABLE_TYPE = 'BASE TABLE' AND t.TABLE_SCHEMA NOT IN ({system}){wanted}
    ORDER BY t.TABLE_SCHEMA, t.TABLE_NAME"""
_COLUMNS = """
    SELECT c.TABLE_SCHEMA, c.TABLE_NAME, c.COLUMN_NAME, c.COLUMN_TYPE, c.IS_NULLABLE = 'YES', c.CHARACTER_SET_NAME, c.COLUMN_KEY = 'PRI',
        FIND_IN_SET('select', c.PRIVILEGES) > 0
    FROM information_schema.COLUMNS c
    WHERE c.TABLE_SCHEMA NOT IN ({system}){wanted}
    ORDER BY c.TABLE_SCHEMA, c.TABLE_NAME, c.ORDINAL_POSITION"""
_CASCADE = re.compile(
    r"^\s*CONSTRAINT `((?:[^`]|``)+)` FOREIGN KEY .* ON (?:DELETE|UPDATE) (?:CASCADE|SET NULL|SET DEFAULT)",
    re.MULTILINE,
)
"""A line of SHOW CREATE TABLE: information_schema hides such keys from who may only read."""


def ask(values: Values, addresses: Addresses, timeout_s: float, connection: str) -> MysqlTables:
    """What the server has now.  Raises ConnectionFailed, and what keeps a source from reading it."""
    db = connected(values, addresses, monotonic() + timeout_s, read_timeout_s=timeout_s)
    try:
        check_replicates(db)
        return MysqlTables(connection, offered_tables(db))
    except client().MySQLError as error:
        raise ConnectionFailed(
            Step.ANSWER,
            "cannot ask the server what tables it has",
            detail=scrubbed(message_of(error), values.secrets.values()) or None,
        ) from None
    finally:
        db._force_close()


def rows(db: Db, sql: str, parameters: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
    with db.cursor() as cursor:
        cursor.execute(sql, tuple(parameters) or None)
        return list(cursor.fetchall())


def check_replicates(db: Db) -> None:
    """Raises what keeps a source from reading this server's log."""
    _check_version(db)
    found = {name.lower(): str(value) for name, value in rows(db, "SHOW GLOBAL VARIABLES")}
    for name, wanted in _SETTINGS.items():
        if (value := found.get(name, "")) not in wanted:
            raise PtvcError(
                f"the server's {name} is {value or 'not there'}, and has to be {wanted[0]}",
                sqlstate="55000",
                hint=f"Set {name.replace('_', '-')} = {wanted[0]} in its configuration, and restart it.",
            )
    kept = float(found.get("binlog_expire_logs_seconds", "0"))
    if 0 < kept < LEAST_KEPT_S:
        raise PtvcError(
            f"the server keeps its binary log for {kept:.0f} s: a source could not go on after a pause",
            sqlstate="55000",
            hint=f"SET GLOBAL binlog_expire_logs_seconds = {24 * LEAST_KEPT_S}, for a day.",
        )
    if found.get("gtid_slave_pos") and found.get("log_slave_updates", "").upper() not in ("ON", "1"):
        raise PtvcError(
            "the server is a replica, and does not log what it replicates",
            sqlstate="55000",
            hint="Set log-slave-updates = ON in its configuration, and restart it.",
        )
    _check_privileges(db)
    for _, _, only, ignored in (row[:4] for row in rows(db, "SHOW MASTER STATUS")):
        if only or ignored:
            raise PtvcError(
                "the server leaves databases out of its binary log",
                detail=f"binlog_do_db is {only or 'empty'}, binlog_ignore_db {ignored or 'empty'}.",
                sqlstate="55000",
                hint="Remove these settings, and restart the server.",
            )


def _check_version(db: Db) -> None:
    version = str(db.get_server_info())
    if "mariadb" not in version.lower():
        raise Unsupported(
            f"the server is MySQL {version}: sources from MySQL itself are not supported yet, those from MariaDB are",
            hint="MariaDB 10.5 or later has tables that can be read.",
        )
    numbers = re.findall(r"\d+", version.removeprefix("5.5.5-"))
    if (int(numbers[0]), int(numbers[1])) < OLDEST_VERSION:
        raise Unsupported(
            f"MariaDB {numbers[0]}.{numbers[1]} is too old to be replicated from",
            hint="It takes MariaDB 10.5 or later.",
        )


def _check_privileges(db: Db) -> None:
    of_server = " ".join(str(grant) for (grant,) in rows(db, "SHOW GRANTS") if " ON *.* " in str(grant))
    for names in (("REPLICATION SLAVE",), ("BINLOG MONITOR", "REPLICATION CLIENT")):
        if not any(name in of_server for name in (*names, "ALL PRIVILEGES")):
            ((user,),) = rows(db, "SELECT CURRENT_USER()")
            raise PtvcError(
                f'user "{user}" has not the privilege {names[0]}',
                sqlstate="42501",
                hint=f"Run there: GRANT REPLICATION SLAVE, BINLOG MONITOR ON *.* TO {_quoted_user(user)}.",
            )


def _quoted_user(user: str) -> str:
    name, _, host = user.rpartition("@")
    return f"'{name}'@'{host}'"


def offered_tables(db: Db, only: Iterable[tuple[str, str]] | None = None) -> tuple[MysqlTable, ...]:
    """The tables that the user may read, by name, or those of `only` (schema and name)."""
    wanted: list[Any] = [] if only is None else [part for table in only for part in table]
    if only is not None and not wanted:
        return ()

    def asked(sql: str, prefix: str) -> list[tuple[Any, ...]]:
        either = " OR ".join(
            [f"({prefix}.TABLE_SCHEMA = %s AND {prefix}.TABLE_NAME = %s)"] * (len(wanted) // 2)
        )
        system = ", ".join(f"'{schema}'" for schema in SYSTEM_SCHEMAS)
        return rows(db, sql.format(system=system, wanted=f" AND ({either})" if wanted else ""), wanted)

    columns: dict[tuple[str, str], list[MysqlColumn]] = defaultdict(list)
    keys: dict[tuple[str, str], list[str]] = defaultdict(list)
    hidden: dict[tuple[str, str], list[str]] = defaultdict(list)
    for schema, table, name, type_name, nullable, charset, of_key, readable in asked(_COLUMNS, "c"):
        columns[schema, table].append(MysqlColumn(name, type_name, bool(nullable), charset))
        if of_key:
            keys[schema, table].append(name)
        if not readable:
            hidden[schema, table].append(name)
    return tuple(
        MysqlTable(
            schema,
            name,
            tuple(columns[schema, name]),
            key=tuple(keys[schema, name]),
            obstacle=_obstacle(engine, hidden[schema, name]) or _cascade(db, schema, name),
        )
        for schema, name, engine in asked(_TABLES, "t")
    )


def _obstacle(engine: str | None, hidden: Sequence[str]) -> str | None:
    if hidden:
        return f"the user has no SELECT on its columns {', '.join(hidden)}"
    if (engine or "").lower() != "innodb":
        return f"its engine is {engine}, which has no transactions; only InnoDB's can be read at one moment"
    return None


def _cascade(db: Db, schema: str, name: str) -> str | None:
    ((_, created, *_),) = rows(db, f"SHOW CREATE TABLE {quoted(schema)}.{quoted(name)}")
    found = _CASCADE.search(created)
    if found is None:
        return None
    return f'what its foreign key "{found[1]}" does to it (CASCADE, SET NULL) is not in the binary log'


def quoted(name: str) -> str:
    return f"`{name.replace('`', '``')}`"
