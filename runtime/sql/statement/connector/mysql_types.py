"""Types of MySQL and MariaDB as ours."""

from __future__ import annotations

from collections.abc import Mapping

from ....repr.types import (
    BYTEA,
    DATE,
    FLOAT4,
    FLOAT8,
    INT2,
    INT4,
    INT8,
    JSONB,
    NUMERIC_MAX_PRECISION,
    TEXT,
    TIME,
    TIMESTAMP,
    TIMESTAMPTZ,
    UINT2,
    UINT4,
    UINT8,
    Kind,
    ScalarType,
)
from ....storage.source.mysql.charsets import SINGLE_BYTE, UTF8
from ....storage.source.mysql.tables import BINARIES, TEXTS, MysqlColumn

_SIGNED = {"tinyint": INT2, "smallint": INT2, "mediumint": INT4, "int": INT4, "bigint": INT8}
_UNSIGNED = {"tinyint": UINT2, "smallint": UINT2, "mediumint": UINT4, "int": UINT4, "bigint": UINT8}
_OTHERS: Mapping[str, ScalarType] = {
    "float": FLOAT4,
    "double": FLOAT8,
    "bit": UINT8,
    "year": INT2,
    "date": DATE,
    "datetime": TIMESTAMP,
    "timestamp": TIMESTAMPTZ,
    "time": TIME,
    "json": JSONB,
}
_OLD_FORMAT = "mariadb-5.3"
"""What MariaDB says of times that are kept as they were once."""
_COMPRESSED = "COMPRESSED"
_SHORT_YEAR = "year(2)"
"""A query shows two digits of it, and the log has four."""
_WRITTEN_ALIKE = frozenset(
    (*_SIGNED, "decimal", "bit", "year", "date", "datetime", "timestamp", "time", "enum", "set", *TEXTS)
)


def _is_readable(column: MysqlColumn) -> bool:
    """Whether the log has the values in a form, and a character set, that are read."""
    known = column.charset is None or column.charset in UTF8 or column.charset in SINGLE_BYTE
    written_otherwise = _OLD_FORMAT in column.type_name or _COMPRESSED in column.type_name
    return known and not written_otherwise and column.type_name != _SHORT_YEAR


def mysql_type(column: MysqlColumn) -> ScalarType | None:
    """None of what is not ours: `enum`, `set`, geometry, `uuid`, `inet6`, more digits than there are here, and a character set that is
    not read."""
    kind = column.kind
    if not _is_readable(column):
        return None
    if kind in _SIGNED:
        return (_UNSIGNED if column.unsigned else _SIGNED)[kind]
    if kind == "decimal":
        precision, scale = column.parameters
        return ScalarType(Kind.NUMERIC, precision, scale) if precision <= NUMERIC_MAX_PRECISION else None
    if kind in TEXTS:
        return TEXT
    return BYTEA if kind in BINARIES else _OTHERS.get(kind)


def can_be_text(column: MysqlColumn) -> bool:
    """Whether the log and a query give the same text of it."""
    return column.kind in _WRITTEN_ALIKE and "zerofill" not in column.type_name and _is_readable(column)
