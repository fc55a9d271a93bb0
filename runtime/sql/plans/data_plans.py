"""Planned statements that write rows, and COPY."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from ...expr.tree.relation import GlobalId, Relation
from ...expr.tree.scalar import Scalar
from ...repr.schema import Schema
from ..syntax.vocabulary import CopyOptions
from .query_plans import Reads, Select, Subscribe

# --- data --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class OnConflict:
    """What becomes of a proposed row that agrees with a row on a key of `arbiters` (names of constraints).

    `assignments` is empty for DO NOTHING, else has every column of the new row; `where` keeps what is updated.  Both
    are over the columns of the row that exists, then those of the proposed one.
    """

    arbiters: tuple[str, ...]
    assignments: tuple[Scalar, ...] = ()
    where: Scalar | None = None


@dataclass(frozen=True, slots=True)
class Insert:
    """`relation` yields whole rows of the table: assignment casts and defaults are in it.

    `numbered`: behind them is an int8 column that orders the rows, for RETURNING, and with `conflict` always: the first of those that
    agree on a key counts.
    """

    command: ClassVar = "INSERT"

    table: GlobalId
    relation: Relation
    returning: Returning | None = None
    conflict: OnConflict | None = None
    reads: Reads = frozenset()
    numbered: bool = False


@dataclass(frozen=True, slots=True)
class Merge:
    """`relation` yields what changes: the action (int4: `MERGE_INSERT`, ...), the target's row as it is, and as it
    shall be; once for each match.  `actions` are those that the statement has."""

    command: ClassVar = "MERGE"

    table: GlobalId
    relation: Relation
    actions: frozenset[int] = frozenset()
    reads: Reads = frozenset()


MERGE_INSERT, MERGE_UPDATE, MERGE_DELETE = 1, 2, 3


@dataclass(frozen=True, slots=True)
class Update:
    """`relation` yields the table's columns as they are, then all of them as they shall be."""

    command: ClassVar = "UPDATE"

    table: GlobalId
    relation: Relation
    returning: Returning | None = None
    reads: Reads = frozenset()


@dataclass(frozen=True, slots=True)
class Delete:
    """`relation` yields the rows of the table that go."""

    command: ClassVar = "DELETE"

    table: GlobalId
    relation: Relation
    returning: Returning | None = None
    reads: Reads = frozenset()


@dataclass(frozen=True, slots=True)
class Returning:
    """Expressions over the row that was written (deleted, for a DELETE)."""

    scalars: tuple[Scalar, ...]
    schema: Schema


@dataclass(frozen=True, slots=True)
class Truncate:
    command: ClassVar = "TRUNCATE TABLE"

    tables: tuple[GlobalId, ...]


@dataclass(frozen=True, slots=True)
class CopyFrom:
    """COPY table (columns) FROM STDIN.  `columns` are positions of the table, in the order of the input.

    `defaults` gives the expression for each column of the table that the input does not carry.  A parquet file's columns
    are known when it is here: if the statement lists none, all columns of the table are both in `columns` and in
    `defaults`, and those that the file does not have come as None.
    """

    table: GlobalId
    columns: tuple[int, ...]
    defaults: Mapping[int, Scalar]
    options: CopyOptions


@dataclass(frozen=True, slots=True)
class CopyDestination:
    """Where files go: the directory `path` of the server, or the prefix `path` of a bucket by a connection, an id."""

    connection: GlobalId | None
    bucket: str
    path: str
    max_file_bytes: int


@dataclass(frozen=True, slots=True)
class CopyTo:
    """To the client, or to a destination of files."""

    query: Select | Subscribe
    options: CopyOptions
    destination: CopyDestination | None = None


@dataclass(frozen=True, slots=True)
class Replay:
    """ALTER SOURCE ... REPLAY DEAD LETTERS.  `relation` yields the columns of dead letters as they are, then all of them as they are to
    be decoded."""

    source: GlobalId
    letters: GlobalId
    relation: Relation
    reads: Reads = frozenset()


Write = Insert | Update | Delete | Merge | Truncate
"""Statements that a read-only transaction refuses by their `command`; COPY FROM is asked for its rows before."""

DataPlan = Write | CopyFrom | CopyTo | Replay
