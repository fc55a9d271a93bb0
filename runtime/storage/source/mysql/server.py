"""What a server offers, and whether it can be replicated from at all: asked over an ordinary connection."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from time import monotonic
from typing import Any

from ....errors import PtvcError, Unsupported
from ...connections.addresses import Addresses
from ...connections.failures import ConnectionFailed, Step, scrubbed
from ...connections.mysql import Db, client, connected, message_of
from ...connections.values import Values
from .gtid_set import GtidSet
from .tables import MysqlColumn, MysqlTable, MysqlTables

OLDEST_VERSION = (10, 5)
OLDEST_MYSQL = (5, 6)
_NAMES_COLUMNS = (8, 0)
"""Since then the log of MySQL can have the names of columns."""
LEAST_KEPT_S = 3600
"""A log that is kept for less is gone when a source comes back from a pause."""
SYSTEM_SCHEMAS = ("mysql", "information_schema", "performance_schema", "sys")

_SETTINGS: Mapping[str, Sequence[str]] = {
    "log_bin": ("ON", "1"),
    "binlog_format": ("ROW",),
    "binlog_row_image": ("FULL",),
    "binlog_row_metadata": ("FULL",),
    "log_bin_compress": ("OFF", "0"),
}
"""What each has to be: how MariaDB writes it, or as a number."""
_MYSQL_SETTINGS: Mapping[str, Sequence[str]] = {
    "log_bin": ("ON", "1"),
    "binlog_format": ("ROW",),
    "binlog_row_image": ("FULL",),
    "gtid_mode": ("ON",),
}
_MYSQL_8_SETTINGS: Mapping[str, Sequence[str]] = {
    **_MYSQL_SETTINGS,
    "binlog_row_metadata": ("FULL",),
    "binlog_row_value_options": ("",),
}
"""Before 8.0 there are no such settings, and columns are known by their place."""
_PRIVILEGES = (("REPLICATION SLAVE",), ("BINLOG MONITOR", "REPLICATION CLIENT"))
_MYSQL_PRIVILEGES = (("REPLICATION SLAVE",), ("REPLICATION CLIENT",), ("RELOAD", "FLUSH_TABLES"))
"""Names of which one is enough.  A snapshot of MySQL takes FLUSH TABLES WITH READ LOCK."""
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


def is_mariadb(db: Db) -> bool:
    return "mariadb" in str(db.get_server_info()).lower()


def executed_gtids(db: Db) -> tuple[GtidSet, GtidSet]:
    """Of MySQL: all transactions that the server has, and those of them that its log has not got any more."""
    ((executed, purged),) = rows(db, "SELECT @@GLOBAL.gtid_executed, @@GLOBAL.gtid_purged")
    return GtidSet.of(str(executed)), GtidSet.of(str(purged))


def check_replicates(db: Db) -> None:
    """Raises what keeps a source from reading this server's log."""
    version = _checked_version(db)
    mariadb = is_mariadb(db)
    found = {name.lower(): str(value) for name, value in rows(db, "SHOW GLOBAL VARIABLES")}
    settings = _SETTINGS if mariadb else _MYSQL_SETTINGS if version < _NAMES_COLUMNS else _MYSQL_8_SETTINGS
    for name, wanted in settings.items():
        if (value := found.get(name, "")) not in wanted:
            raise PtvcError(
                f"the server's {name} is {value or 'not there'}, and has to be {wanted[0] or 'empty'}",
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
    _check_privileges(db, _PRIVILEGES if mariadb else _MYSQL_PRIVILEGES)
    is_replica = found.get("gtid_slave_pos") if mariadb else rows(db, _replica_status(version))
    logs = found.get("log_slave_updates", found.get("log_replica_updates", ""))
    if is_replica and logs.upper() not in ("ON", "1"):
        raise PtvcError(
            "the server is a replica, and does not log what it replicates",
            sqlstate="55000",
            hint="Set log-slave-updates = ON in its configuration, and restart it.",
        )
    if not mariadb:
        executed_gtids(db)
    status = "SHOW BINARY LOG STATUS" if not mariadb and version >= (8, 2) else "SHOW MASTER STATUS"
    for _, _, only, ignored in (row[:4] for row in rows(db, status)):
        if only or ignored:
            raise PtvcError(
                "the server leaves databases out of its binary log",
                detail=f"binlog_do_db is {only or 'empty'}, binlog_ignore_db {ignored or 'empty'}.",
                sqlstate="55000",
                hint="Remove these settings, and restart the server.",
            )


def _replica_status(version: tuple[int, int]) -> str:
    return "SHOW REPLICA STATUS" if version >= (8, 1) else "SHOW SLAVE STATUS"


def _checked_version(db: Db) -> tuple[int, int]:
    kind = "MariaDB" if is_mariadb(db) else "MySQL"
    oldest = OLDEST_VERSION if is_mariadb(db) else OLDEST_MYSQL
    numbers = re.findall(r"\d+", str(db.get_server_info()).removeprefix("5.5.5-"))
    version = int(numbers[0]), int(numbers[1])
    if version < oldest:
        raise Unsupported(
            f"{kind} {version[0]}.{version[1]} is too old to be replicated from",
            hint=f"It takes {kind} {oldest[0]}.{oldest[1]} or later.",
        )
    return version


def _check_privileges(db: Db, privileges: Sequence[Sequence[str]]) -> None:
    of_server = " ".join(str(grant) for (grant,) in rows(db, "SHOW GRANTS") if " ON *.* " in str(grant))
    for names in privileges:
        if not any(name in of_server for name in (*names, "ALL PRIVILEGES")):
            ((user,),) = rows(db, "SELECT CURRENT_USER()")
            needed = ", ".join(one[0] for one in privileges)
            raise PtvcError(
                f'user "{user}" has not the privilege {names[0]}',
                sqlstate="42501",
                hint=f"Run there: GRANT {needed} ON *.* TO {_quoted_user(user)}.",
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
    named = is_mariadb(db) or bool(rows(db, "SHOW VARIABLES LIKE 'binlog_row_metadata'"))
    return tuple(
        MysqlTable(
            schema,
            name,
            tuple(columns[schema, name]),
            key=tuple(keys[schema, name]),
            obstacle=_obstacle(engine, hidden[schema, name]) or _cascade(db, schema, name),
            layout=() if named else tuple(column.name for column in columns[schema, name]),
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
