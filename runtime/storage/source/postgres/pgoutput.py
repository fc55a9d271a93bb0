"""The stream of PostgreSQL's logical replication (pgoutput, protocol version 1, text), decoded by whole batches of messages.

A message is what libpq's PQgetCopyData returns: b"w", its LSN, the server's, the server's time (int64 each), then one message of
pgoutput, which is a letter and what follows it.

| letter | what                    | here                                                                         |
|--------|-------------------------|------------------------------------------------------------------------------|
| R      | a table, and its columns | once per connection, before its first row, and whenever it has changed       |
| I U D  | an inserted, updated, deleted row | number of its table, then tuples: K (old key), O (old row), N (new row) |
| T      | tables are truncated    | begins a segment                                                             |
| C      | a commit                | its end is the position                                                      |
| B O Y M | begin, origin, type, message | passed over                                                             |

Messages of rows are never looked at one by one: see `tuples`.
"""

from __future__ import annotations

import struct
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from ....repr.batch import Diffs
from .tuples import Field, Positions, Stream, not_pgoutput, walk

Messages = Sequence[bytes | memoryview]

_HEADER = 25
_BODY = _HEADER + 1
_COMMIT = ord("C")
_INSERT, _UPDATE, _DELETE = b"IUD"
_KEY, _OLD, _NEW = b"KON"
_COMMIT_END = struct.Struct(">bqq")
_TRUNCATE = struct.Struct(">Ib")
_COLUMN = struct.Struct(">Ii")


def _letters(letters: bytes) -> npt.NDArray[np.bool_]:
    table = np.zeros(256, np.bool_)
    table[list(letters)] = True
    return table


_IS_KNOWN = _letters(b"RIUDTCBOYM")
_IS_ROW = _letters(b"IUD")
_IS_TABLE = _letters(b"RT")


@dataclass(frozen=True, slots=True)
class RelationColumn:
    """`is_key`: it is of the replica identity (all are of a full one)."""

    name: str
    type_oid: int
    typmod: int
    is_key: bool


@dataclass(frozen=True, slots=True)
class Relation:
    """A table as its rows are sent from here on.  `identity` is its replica identity (d: by key, f: full, i: by an index, n: none)."""

    oid: int
    schema: str
    name: str
    identity: str
    columns: tuple[RelationColumn, ...]


@dataclass(frozen=True, slots=True)
class Segment:
    """Changes of a table while it had these columns: binaries in the order of `relation.columns`, and int64 diffs.

    New rows (+1) come before old ones (-1): only the sum has a meaning.  `truncated`: whatever the table had before them is gone.
    `lacks_old`: of rows that were updated or deleted it is not known what they were; then there are no rows here.
    """

    relation: Relation
    columns: tuple[pa.Array, ...]
    diffs: Diffs
    lacks_old: bool = False
    truncated: bool = False


@dataclass(frozen=True, slots=True)
class Decoded:
    """`tables` has the segments of each table that rows came of, or that was truncated, by its OID, in order.

    `relations` are all that came, in order.  `end_lsn` is the end of the last commit, None without one; `transactions` are the
    commits, `rows` the rows that were inserted, updated or deleted.
    """

    tables: Mapping[int, tuple[Segment, ...]]
    relations: tuple[Relation, ...]
    end_lsn: int | None
    transactions: int
    rows: int

    @property
    def truncated(self) -> frozenset[int]:
        """The OIDs of the tables that were truncated."""
        return frozenset(
            oid for oid, segments in self.tables.items() if any(segment.truncated for segment in segments)
        )


def last_commit(messages: Messages) -> int:
    """The number of messages up to the last commit, with it; 0 without one."""
    for index in range(len(messages) - 1, -1, -1):
        if messages[index][_HEADER] == _COMMIT:
            return index + 1
    return 0


def end_of_commit(message: bytes | memoryview) -> int:
    """Where the commit ends in the log."""
    _, _, end = _unpacked(_COMMIT_END, message, _BODY)
    return int(end)


@dataclass(frozen=True, slots=True)
class _Event:
    """Before message `at` the table gets these columns, or (None) is truncated."""

    at: int
    relation: Relation | None


class Decoder:
    """Decodes what one connection sends, all of it in order; it keeps which columns the tables have.

    After StorageError (what came is not of this protocol) it must not be used any more.
    """

    def __init__(self) -> None:
        self._relations: dict[int, Relation] = {}

    def decode(self, messages: Messages) -> Decoded:
        """Messages may be cut anywhere: what belongs to a transaction is the caller's to know."""
        if not messages:
            return Decoded({}, (), None, 0, 0)
        stream = Stream(messages)
        kinds = _kinds(stream)
        events, relations = self._events(messages, np.flatnonzero(_IS_TABLE[kinds]))
        rows = np.flatnonzero(_IS_ROW[kinds])
        by_table = _by_table(stream, rows)
        none = np.empty(0, np.int64)
        tables = {}
        for oid in by_table.keys() | events.keys():
            found = self._segments(stream, kinds, oid, by_table.get(oid, none), events.get(oid, ()))
            if found:
                tables[oid] = tuple(found)
        commits = np.flatnonzero(kinds == _COMMIT)
        end = None
        if len(commits):
            end = end_of_commit(messages[commits[-1]])
        return Decoded(tables, relations, end, len(commits), len(rows))

    def _events(
        self, messages: Messages, at: Positions
    ) -> tuple[Mapping[int, Sequence[_Event]], tuple[Relation, ...]]:
        events: dict[int, list[_Event]] = defaultdict(list)
        relations = []
        for index in at.tolist():
            message = bytes(messages[index])
            if message[_HEADER] == ord("R"):
                relation = _relation(message)
                relations.append(relation)
                events[relation.oid].append(_Event(index, relation))
            else:
                count, _ = _unpacked(_TRUNCATE, message, _BODY)
                for oid in _unpacked(struct.Struct(f">{count}I"), message, _BODY + _TRUNCATE.size):
                    events[oid].append(_Event(index, None))
        return events, tuple(relations)

    def _segments(
        self,
        stream: Stream,
        kinds: npt.NDArray[np.uint8],
        oid: int,
        rows: Positions,
        events: Sequence[_Event],
    ) -> list[Segment]:
        """Of the table, whose rows are messages `rows`; afterwards it has the columns of the last event."""
        relation, truncated, begin = self._relations.get(oid), False, 0
        found = []
        stops = np.searchsorted(rows, [event.at for event in events]).tolist()
        for event, stop in zip([*events, None], [*stops, len(rows)], strict=True):
            if event is not None and event.relation is not None and event.relation == relation:
                continue  # it is said again whenever the server has forgotten that it was said
            if stop > begin or (event is None and truncated):
                if relation is None:
                    raise not_pgoutput(f"rows of a table (OID {oid}) that it has not described")
                part = rows[begin:stop]
                found.append(_segment(stream, kinds[part], part, relation, truncated))
                begin, truncated = stop, False
            if event is not None and event.relation is None:
                truncated = True
            elif event is not None:
                relation = event.relation
        if relation is not None:
            self._relations[oid] = relation
        return found


def _kinds(stream: Stream) -> npt.NDArray[np.uint8]:
    """The letters of the messages, all of which are known."""
    if (stream.ends - stream.starts < _BODY).any() or (stream.raw[stream.starts] != ord("w")).any():
        raise not_pgoutput("a message that is not data")
    kinds = stream.raw[stream.starts + _HEADER]
    known = _IS_KNOWN[kinds]
    if not known.all():
        raise not_pgoutput(f"a message of unknown type {chr(kinds[~known][0])!r}")
    return kinds


def _by_table(stream: Stream, rows: Positions) -> dict[int, Positions]:
    """The messages `rows` by the OID of their table, in order."""
    if not len(rows):
        return {}
    oids = stream.int32(stream.starts[rows] + _BODY)
    if (oids == oids[0]).all():
        return {int(oids[0]): rows}
    order = np.argsort(oids, kind="stable")
    found, first = np.unique(oids[order], return_index=True)
    return dict(zip(found.tolist(), np.split(rows[order], first[1:]), strict=True))


def _segment(
    stream: Stream,
    kinds: npt.NDArray[np.uint8],
    messages: Positions,
    relation: Relation,
    truncated: bool,
) -> Segment:
    """Of messages of rows, whose letters are `kinds`."""
    width = len(relation.columns)
    at, limits = stream.starts[messages] + _BODY + 4, stream.ends[messages]
    tags = stream.raw[at]
    inserts = kinds == _INSERT
    if not np.where(inserts, tags == _NEW, (tags == _OLD) | (tags == _KEY) | (tags == _NEW)).all():
        raise not_pgoutput("a row that is neither new nor old")
    has_old = tags == _OLD
    if not (has_old | inserts).all():
        none = tuple(pa.array([], pa.binary()) for _ in range(width))
        return Segment(relation, none, np.empty(0, np.int64), lacks_old=True, truncated=truncated)
    at = at + 1
    if inserts.all():
        new, ends = walk(stream, at, limits, width)
        _check_ends(ends, limits)
        columns = tuple(_unmixed(stream, field) for field in new)
        return Segment(relation, columns, np.ones(len(at), np.int64), truncated=truncated)
    rows = np.flatnonzero(has_old)
    old, after = walk(stream, at[rows], limits[rows], width)
    ends = at.copy()
    ends[rows] = after
    updates = np.flatnonzero(kinds == _UPDATE)
    if (stream.raw[ends[updates]] != _NEW).any():
        raise not_pgoutput("an updated row without a new one")
    at[updates] = ends[updates] + 1
    renewed = np.flatnonzero(kinds != _DELETE)
    new, after = walk(stream, at[renewed], limits[renewed], width)
    ends[renewed] = after
    _check_ends(ends, limits)
    old_of = np.full(len(kinds), -1, np.int64)
    old_of[rows] = np.arange(len(rows))
    columns = tuple(_column(stream, *fields, old_of[renewed]) for fields in zip(new, old, strict=True))
    diffs = np.repeat(np.array([1, -1], np.int64), [len(renewed), len(rows)])
    return Segment(relation, columns, diffs, truncated=truncated)


def _check_ends(ends: Positions, limits: Positions) -> None:
    if (ends != limits).any():
        raise not_pgoutput("more than a row in a row's message")


def _column(stream: Stream, new: Field, old: Field, old_of: Positions) -> pa.Array:
    if new.has_unchanged():
        new = new.filled(old, old_of)
    return pa.concat_arrays([new.values(stream), _unmixed(stream, old)])


def _unmixed(stream: Stream, field: Field) -> pa.Array:
    """The values of rows that have no others that they could be unchanged from."""
    if field.has_unchanged():
        raise not_pgoutput("an unchanged value in a row that replaces none")
    return field.values(stream)


def _relation(message: bytes) -> Relation:
    (oid,) = _unpacked(struct.Struct(">I"), message, _BODY)
    schema, at = _string(message, _BODY + 4)
    name, at = _string(message, at)
    identity, width = _unpacked(struct.Struct(">BH"), message, at)
    at += 3
    columns = []
    for _ in range(width):
        (flags,) = _unpacked(struct.Struct(">B"), message, at)
        column, at = _string(message, at + 1)
        type_oid, typmod = _unpacked(_COLUMN, message, at)
        at += _COLUMN.size
        columns.append(RelationColumn(column, type_oid, typmod, bool(flags & 1)))
    # The server leaves out the name of its own schema.
    return Relation(oid, schema or "pg_catalog", name, chr(identity), tuple(columns))


def _string(message: bytes, at: int) -> tuple[str, int]:
    """The text that begins there, up to its zero byte, and what is behind that."""
    end = message.find(b"\0", at)
    if end < 0:
        raise not_pgoutput("a name without an end")
    return message[at:end].decode("utf-8", "replace"), end + 1


def _unpacked(form: struct.Struct, message: bytes | memoryview, at: int) -> tuple[int, ...]:
    try:
        return form.unpack_from(message, at)
    except struct.error:
        raise not_pgoutput("a message that is cut off") from None
