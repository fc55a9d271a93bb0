"""Events of the binary log (version 4) of MariaDB and of MySQL, one at a time: all but rows.

event = time (4 bytes, little-endian), type (1), the server (4), length (4), where the next one begins (4), flags (2), what it says, and CRC32 (4)
where the log has checksums
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from uuid import UUID

from ....errors import StorageError
from .gtid_set import Transaction
from .position import Gtid

HEADER = 19
QUERY, STOP, ROTATE, FORMAT, XID, TABLE_MAP, INCIDENT, HEARTBEAT, XA_PREPARE = 2, 3, 4, 15, 16, 19, 26, 27, 38
GTID = 162
"""Of MariaDB."""
MYSQL_GTID, ANONYMOUS_GTID, PARTIAL_UPDATE, TRANSACTION_PAYLOAD, TAGGED_GTID = 33, 34, 39, 40, 42
WRITE_ROWS, UPDATE_ROWS, DELETE_ROWS = (23, 30), (24, 31), (25, 32)
"""Version 1, which MariaDB writes, and version 2, MySQL's."""
ROWS = (*WRITE_ROWS, *UPDATE_ROWS, *DELETE_ROWS)
PASSED_OVER = frozenset((STOP, 5, 13, 14, 27, 28, 29, 35, 36, 37, 41, 160, 161, 163, 164))
"""What says nothing of tables: numbers and variables of statements, statements that are told beside their rows, lists of GTIDs, encryption,
what members of a group tell each other, where the log stands."""
IGNORABLE = 0x80
"""Among the flags: who does not know the event may pass over it."""

_NEXT = struct.Struct("<I")
_GTID = struct.Struct("<QIB")
_SOURCE, _NUMBER = HEADER + 1, struct.Struct("<Q")
_QUERY = struct.Struct("<IIBHH")
STANDALONE = 1
"""Of a GTID: what follows is one event, without an end of its own."""


def broken(what: str) -> StorageError:
    return StorageError(f"the server's binary log has {what}", sqlstate="08P01")


def next_byte(event: bytes) -> int:
    """Where the next event begins in the file, 0 in what is not of a file."""
    return int(_NEXT.unpack_from(event, 13)[0])


def time_of(event: bytes) -> int:
    """The second in which it began, since 1970."""
    return int(_NEXT.unpack_from(event)[0])


def gtid_of(event: bytes) -> tuple[Gtid, int]:
    """The transaction that begins, and its flags."""
    sequence, domain, flags = _GTID.unpack_from(event, HEADER)
    return Gtid(domain, int.from_bytes(event[5:9], "little"), sequence), flags


def transaction_of(event: bytes) -> Transaction:
    """The transaction of MySQL that begins."""
    return Transaction(
        str(UUID(bytes=event[_SOURCE : _SOURCE + 16])), *_NUMBER.unpack_from(event, _SOURCE + 16)
    )


def statement_of(event: bytes, end: int) -> tuple[str, str]:
    """The text of a QUERY, whose checksum begins at `end`, and the schema that its names are in."""
    _, _, of_schema, _, of_status = _QUERY.unpack_from(event, HEADER)
    at = HEADER + _QUERY.size + of_status
    schema = event[at : at + of_schema]
    return event[at + of_schema + 1 : end].decode("utf-8", "replace"), schema.decode("utf-8", "replace")


@dataclass(frozen=True, slots=True)
class MapColumn:
    """A column as rows have it: `type` is a code of the log, `width` its bytes (of what is of any length, of the number before it that
    says how many follow), `meta` what the log says of it besides."""

    name: str
    type: int
    meta: int
    width: int
    is_long: bool
    unsigned: bool


@dataclass(frozen=True, slots=True)
class TableMap:
    """A table as the rows of events have it.  Where it is not `named` the columns have no names, and nobody knows which numbers are
    unsigned (binlog_row_metadata)."""

    schema: str
    name: str
    columns: tuple[MapColumn, ...]
    named: bool = True


STRING, ENUM, SET, DECIMAL, BIT = 254, 247, 248, 246, 16
_META_BYTES = {
    **dict.fromkeys((4, 5, 17, 18, 19, 242, 245, 249, 250, 251, 252, 255, 140), 1),
    **dict.fromkeys((15, 16, 246, 247, 248, 253, 254, 141), 2),
}
_WIDTHS = {1: 1, 2: 2, 3: 4, 4: 4, 5: 8, 6: 0, 7: 4, 8: 8, 9: 3, 10: 3, 11: 3, 12: 8, 13: 1, 14: 3}
_NUMBERS = frozenset((1, 2, 3, 4, 5, 8, 9, 13, 246))
"""Types that may be unsigned."""
_DIGIT_BYTES = (0, 1, 1, 2, 2, 3, 3, 4, 4, 4)
_SIGNEDNESS, _NAMES = 1, 4


def decimal_bytes(digits: int) -> int:
    return digits // 9 * 4 + _DIGIT_BYTES[digits % 9]


def table_map(body: bytes) -> TableMap:
    """`body` is what the event says, without the table's number and the flags."""
    length = body[0]
    schema, at = body[1 : 1 + length].decode(), length + 2
    length = body[at]
    name, at = body[at + 1 : at + 1 + length].decode(), at + length + 2
    width, at = packed(body, at)
    types, at = body[at : at + width], at + width
    of_meta, at = packed(body, at)
    metas, at = _metas(types, body[at : at + of_meta]), at + of_meta + (width + 7) // 8
    optional = {}
    while at < len(body):
        kind = body[at]
        length, at = packed(body, at + 1)
        optional[kind] = body[at : at + length]
        at += length
    named = _NAMES in optional
    names = _names(optional[_NAMES]) if named else [""] * width
    if len(names) != width:
        raise broken("a table of which it does not name all columns")
    signs = optional.get(_SIGNEDNESS, b"")
    columns, number = [], 0
    for own, type_, meta in zip(names, types, metas, strict=True):
        unsigned = False
        if type_ in _NUMBERS:
            unsigned = bool(signs[number >> 3] & 0x80 >> (number & 7)) if number >> 3 < len(signs) else False
            number += 1
        columns.append(_column(own, type_, meta, unsigned))
    return TableMap(schema, name, tuple(columns), named)


def _metas(types: bytes, data: bytes) -> list[int]:
    found, at = [], 0
    for type_ in types:
        size = _META_BYTES.get(type_, 0)
        found.append(int.from_bytes(data[at : at + size], "little"))
        at += size
    return found


def _names(data: bytes) -> list[str]:
    found, at = [], 0
    while at < len(data):
        length, at = packed(data, at)
        found.append(data[at : at + length].decode())
        at += length
    return found


def packed(data: bytes, at: int) -> tuple[int, int]:
    """A number of one, two, three or eight bytes, and what is behind it."""
    first = data[at]
    if first < 251:
        return first, at + 1
    size = {252: 2, 253: 3, 254: 8}[first]
    return int.from_bytes(data[at + 1 : at + 1 + size], "little"), at + 1 + size


def _column(name: str, type_: int, meta: int, unsigned: bool) -> MapColumn:
    low, high = meta & 0xFF, meta >> 8
    width, is_long = _WIDTHS.get(type_, 0), False
    match type_:
        case 17 | 18 | 19:
            width = {17: 4, 18: 5, 19: 3}[type_] + (low + 1) // 2
        case 246:
            width = decimal_bytes(low - high) + decimal_bytes(high)
        case 16:
            width = (low + 8 * high + 7) // 8
        case 254:
            # The longest ones take two bits of what says the type.
            type_, most = low | 0x30, high | ((low & 0x30) ^ 0x30) << 4
            if type_ in (ENUM, SET):
                width = high
            else:
                type_, meta, width, is_long = STRING, most, 1 if most < 256 else 2, True
        case 15 | 253 | 141:
            width, is_long = 1 if meta < 256 else 2, True
        case 140 | 242 | 245 | 249 | 250 | 251 | 252 | 255:
            width, is_long = low, True
        case _ if type_ not in _WIDTHS:
            raise broken(f'a column "{name}" of unknown type {type_}')
    return MapColumn(name, type_, meta, width, is_long, unsigned)
