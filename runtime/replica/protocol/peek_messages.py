"""One-off queries, and their answers, a chunk at a time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from ...expr.tree.relation import GlobalId, Relation
from ...persist.part import PartRef, ShardId
from ...repr.schema import Schema
from .commits import Import


@dataclass(frozen=True, slots=True)
class Peek:
    """A one-off query at `as_of`: `relation` over the contents of `inputs`; with `limit`, so many of its rows are enough, whichever.
    Equal rows may come apart, unless the answer is to be `consolidated`."""

    peek_id: int
    relation: Relation
    as_of: int
    inputs: tuple[Import, ...]
    limit: int | None = None
    consolidated: bool = False


@dataclass(frozen=True, slots=True)
class PeekIndex:
    """Rows of an index at `as_of`: all of them, or those whose key equals a row of `keys` (Arrow IPC).

    `wanted` of them: columns, or a relation that reads the index as `Get(index_id)`.  Equal rows may come apart, unless the answer
    is to be `consolidated`.
    """

    peek_id: int
    index_id: GlobalId
    keys: bytes | None
    wanted: tuple[int, ...] | Relation
    as_of: int
    consolidated: bool = False


@dataclass(frozen=True, slots=True)
class LookUp:
    """Columns of the rows of an index at `as_of`, by some keys, asked for by several clients at once.

    `keys` has a list for each of the key's columns, of values from which Arrow makes arrays of their types: of a few values these
    take a tenth of the time of an array, here and there.  Answered by a `LookedUp`.
    """

    peek_id: int
    index_id: GlobalId
    keys: tuple[list[Any], ...]
    columns: tuple[int, ...]
    as_of: int


@dataclass(frozen=True, slots=True)
class StoredChange:
    """How the stored parts of a collection have changed since the last change that was told: of a merged one `gone` are the
    numbers that others have come for.  With `begin`, the collection's schema, and the columns by which it is looked up, all parts are
    told anew."""

    begin: tuple[Schema, tuple[int, ...]] | None
    added: tuple[tuple[int, tuple[PartRef, ...]], ...]
    gone: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class LookUpStored:
    """As `LookUp`, of the rows of a table by the columns of a unique constraint `key`, from what is stored.  `change` comes first.
    Many keys come as arrays."""

    peek_id: int
    key: int
    keys: tuple[list[Any] | pa.Array, ...]
    columns: tuple[int, ...]
    as_of: int
    change: StoredChange | None


@dataclass(frozen=True, slots=True)
class LookUpView:
    """As `LookUp`, of the rows of a view that the replica maintains, by its columns at the positions `key`.

    Below `durable` they are in the parts of `shard`, as far as they were told with `change`, which comes first; from then on they are what
    the replica has put out."""

    peek_id: int
    view: GlobalId
    shard: ShardId
    durable: int
    key: tuple[int, ...]
    keys: tuple[list[Any], ...]
    columns: tuple[int, ...]
    as_of: int
    change: StoredChange | None


@dataclass(frozen=True, slots=True)
class LookedUp:
    """Of the rows (`to_record`), each as often as it occurs, so many have the first key, and so on: `counts`, unless many keys were asked
    for, which are one client's.  None if they cannot be had like this: the index is not there, not readable then, or has errors, parts are yet to be decoded, or the rows are too many.
    Whoever asked asks otherwise, and is told what is wrong.  `forgotten`: the parts of the table are to be told anew."""

    peek_id: int
    rows: bytes | None
    counts: tuple[int, ...] = ()
    forgotten: bool = False


@dataclass(frozen=True, slots=True)
class CancelPeek:
    peek_id: int


@dataclass(frozen=True, slots=True)
class LargeQueries:
    """Queries over `rows` rows or more are for DuckDB."""

    rows: int


@dataclass(frozen=True, slots=True)
class PeekRows:
    """A chunk of a peek's answer: one Arrow IPC batch of rows with their multiplicities; `done` on the last."""

    peek_id: int
    payload: bytes
    done: bool


@dataclass(frozen=True, slots=True)
class PeekFailed:
    peek_id: int
    sqlstate: str
    message: str
    hint: str | None = None
